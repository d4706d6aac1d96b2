# SPDX-License-Identifier: GPL-3.0-or-later
"""The committed sample is what its maker makes, holds what it is for, and suits the library."""

import numpy as np

import formats
from formats import source
from formats.source import LumpId, geometry
from formats.source.content import vmt, vtf
from formats.source.faces import displacements
from formats.source.light import lighting
from formats.source.placed import overlay_quads
from tests.samples import source_art, source_room


def level() -> source.Level:
    return source.read(source_room.MAP.read_bytes())


def test_the_committed_file_is_what_the_script_makes() -> None:
    assert source_room.MAP.read_bytes() == source_room.data()


def test_it_is_read_and_written_back() -> None:
    made = formats.read(source_room.MAP)
    assert formats.write(made) == source_room.MAP.read_bytes()
    assert formats.check(made) == []


def test_faces_run_with_the_clock_and_lie_in_their_planes() -> None:
    made = level()
    polygons = geometry.polygons(made)
    planes = made.table(LumpId.PLANES)[made.table(LumpId.FACES)["planenum"]]
    around = geometry.area_normals(polygons)
    assert ((around * planes["normal"]).sum(axis=1) > 0).all(), "of what runs with the clock as seen from its front"
    points = polygons.positions[polygons.corners]
    owner = polygons.corner_face
    np.testing.assert_allclose((points * planes["normal"][owner]).sum(axis=1), planes["dist"][owner], atol=1e-3)


def test_light_of_two_styles_in_ldr_and_hdr() -> None:
    found = lighting.lightmaps(level())
    assert set(found) == {LumpId.LIGHTING, LumpId.LIGHTING_HDR}
    for lump, blocks in found.items():
        assert set(blocks.styles.tolist()) == {2}
        assert sorted(set(blocks.samples.tolist())) == [1, 4]
        assert not len(blocks.outside)
        begin, end = blocks.offset - blocks.header, blocks.offset + blocks.size
        assert begin[0] == 0
        assert np.array_equal(begin[1:], end[:-1])
        assert end[-1] == len(level().bytes_of(lump))
    lamps = [entity for entity in level().entities if entity.get("style")]
    assert [lamp.get("style") for lamp in lamps] == [str(source_room.HALL)]


def test_a_hill_that_stays_on_its_borders() -> None:
    made = level()
    hill = displacements.displacements(made, geometry.polygons(made))
    verts = made.table(LumpId.DISP_VERTS)
    assert hill.positions(verts)[:, 2].max() > 40
    assert (verts["alpha"].min(), verts["alpha"].max()) == (0, 255)


def test_the_sign_lies_on_its_wall() -> None:
    made = level()
    overlays = made.table(LumpId.OVERLAYS)
    face = made.table(LumpId.FACES)[overlays["faces"][0, 0]]
    plane = made.table(LumpId.PLANES)[face["planenum"]]
    corners = overlay_quads.corners(overlays)[0]
    np.testing.assert_allclose(corners @ plane["normal"], plane["dist"])


def test_all_materials_but_two_are_in_the_pak() -> None:
    made = level()
    names = {name for name in made.texture_names.names if f"materials/{name}.vmt" not in made.pak}
    assert names == {"room/gone", "tools/toolsskybox"}
    for name in source_art.MATERIALS:
        material = vmt.read(bytes(made.pak.read(f"materials/room/{name}.vmt")), lambda path: bytes(made.pak.read(path)))
        for key in ("$basetexture", "$basetexture2", "$bumpmap", "$normalmap", "$detail"):
            texture = material.texture(key)
            if texture is not None:
                assert vtf.read(made.pak.read(f"materials/{texture}.vtf")).width == source_art.SIZE


def test_pictures_are_not_the_same_mirrored() -> None:
    for draw in source_art.DRAWN:
        picture = draw().picture()
        assert not np.array_equal(picture, picture[:, ::-1]), draw.__name__
