# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of real maps: edits change what they have to, and others read them."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import exporter, layout
from levelwright.addon.source.pak import files
from levelwright.addon.source.settings import ExportSettings
from levelwright.formats import source
from levelwright.formats.source import LumpId, geometry
from levelwright.formats.source.differences import differences
from levelwright.formats.source.light import lighting, rgbe

from tests.addon.source.rooms import of_kind
from tests.addon.source.surface_edits import move, set_uv
from tests.addon.source.test_import_corpus import imported, maps


def edit_surfaces(level: bpy.types.Collection, token: int) -> dict[str, object]:
    """One edit of each kind that the map has something for; what should be found then, by kind."""
    found: dict[str, object] = {}
    world = max(of_kind(level, layout.MODEL), key=lambda obj: len(obj.data.polygons))
    data = meshes.read(world)
    textured = np.flatnonzero(data.attribute(layout.TEXINFO) >= 0)
    moved, given = textured[0], textured[-1]
    uv = data.uv(layout.UV)
    uv[np.repeat(np.arange(len(data.face_starts)), data.face_sizes) == moved] += (0.5, 0)
    set_uv(world, uv)
    found["moved"] = int(data.ids("FACE", token)[moved] - 1)
    world.data.materials.append(bpy.data.materials.new("levelwright/new"))
    world.data.polygons[int(given)].material_index = len(world.data.materials) - 1
    found["given"] = int(data.ids("FACE", token)[given] - 1)
    held = originals.resources(level, layout.MATERIAL_KIND)
    number = min(held)
    held[number][layout.MATERIAL] = found["renamed"] = "levelwright/renamed"
    hills = of_kind(level, layout.DISPLACEMENT)
    if hills:
        move(hills[0], np.array([12]), (0, 0, 3))
    for image in originals.resources(level, layout.LIGHTMAP).values():
        values = np.empty(image.size[0] * image.size[1] * 4, np.float32)
        image.pixels.foreach_get(values)
        image.pixels.foreach_set(np.where(np.arange(len(values)) % 4 < 3, values * 2, values))
    files.put_file(level, "levelwright.txt", b"was here")
    return found


MAPS = ("wall", "de_rats", "gm_oasis", "hw_sinbin_1", "test", "rc_pyramid")
ALLOWED = {
    "DISP_VERTS", "PHYSDISP", "PHYSCOLLIDE", "FACES", "FACES_HDR", "ORIGINALFACES", "BRUSHSIDES", "TEXINFO", "TEXDATA",
    "PAKFILE", "TEXDATA_STRING_DATA", "TEXDATA_STRING_TABLE", "LIGHTING", "LIGHTING_HDR",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_edits_of_real_maps_are_read_by_others(corpus: Path, name: str, tmp_path: Path) -> None:
    from sourcepp import bsppp
    from srctools.bsp import BSP

    path = next(path for path in maps(corpus) if path.stem == name)
    level, before, _ = imported(path)
    found = edit_surfaces(level, originals.describe(level).token)
    report = Report()
    data = exporter.export_level(bpy.context, level, ExportSettings(), report)
    made = source.read(data)
    changed = {each.name.split("(")[1].rstrip(")") for each in differences(before, made)}
    assert changed <= ALLOWED, name
    assert {"TEXINFO", "TEXDATA", "PAKFILE"} <= changed
    assert report.counts["faces with other UVs"] == 1
    assert report.counts["faces with another texture"] == 1
    if lighting.lightmaps(made):
        for lump, blocks in lighting.lightmaps(made).items():
            offsets, _ = lighting.luxel_offsets(blocks)
            was, now = (rgbe.decode(lighting.colors_at(each.bytes_of(lump), offsets)) for each in (before, made))
            assert np.allclose(now, was * 2, rtol=0.01, atol=1e-6)
    target = tmp_path / "map.bsp"
    target.write_bytes(data)
    if made.version >= 19:
        theirs = BSP(target)
        face, other = theirs.faces[found["moved"]], theirs.faces[found["given"]]
        texinfo = made.table(LumpId.TEXINFO)[made.table(geometry.drawn_faces(made))["texinfo"][found["moved"]]]
        assert [*face.texinfo.s_off, face.texinfo.s_shift] == texinfo["texture_vecs"][0].tolist()
        assert other.texinfo.mat == "levelwright/new"
        assert found["renamed"] in [texture.casefold() for texture in theirs.textures]
        assert theirs.pakfile.read("levelwright.txt") == b"was here"
    whole = bsppp.BSP(str(target), False)
    for lump in range(64):
        if lump != LumpId.GAME_LUMP and not made.file.cut(lump):
            assert bytes(whole.get_lump_data(bsppp.BSP.Lump(lump)) or b"") == bytes(made.bytes_of(lump)), lump
