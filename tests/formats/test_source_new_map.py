# SPDX-License-Identifier: GPL-3.0-or-later
"""New maps: for each branch a box that is whole, closed, lit, and can be built upon."""

from pathlib import Path

import numpy as np
import pytest

from formats import source
from formats.binary import FormatError
from formats.source import LumpId, geometry, new_map, world
from formats.source.light import lighting, rgbe
from formats.source.new_level import BRANCHES
from formats.source.records import Contents, EmitType, SurfaceFlag
from tests.formats.source_hall import box


@pytest.fixture(scope="module", params=list(BRANCHES))
def data(request: pytest.FixtureRequest) -> bytes:
    return source.write(new_map.sky_box((1024, 1024, 512), "sky_test", BRANCHES[request.param]))


@pytest.fixture
def level(data: bytes) -> source.Level:
    return source.read(data)


def test_it_is_a_map_without_a_problem(level: source.Level) -> None:
    assert source.check(level) == []
    assert source.write(level) == source.write(source.read(source.write(level)))
    assert [entity.classname for entity in level.entities] == ["worldspawn", "light_environment", "info_player_start"]
    assert level.entities[0].get("skyname") == "sky_test"


def test_each_branch_has_its_own_form() -> None:
    forms = {}
    for name, branch in BRANCHES.items():
        level = source.read(source.write(new_map.sky_box((1024, 1024, 512), branch=branch)))
        hdr = len(level.bytes_of(LumpId.LIGHTING_HDR)) > 0
        lights = level.table(LumpId.WORLDLIGHTS).dtype.itemsize
        forms[name] = (level.version, level.file.form.version_first, hdr, lights)
    assert forms == {
        "2013": (20, False, True, 88),
        "2004": (19, False, False, 88),
        "left4dead2": (21, True, True, 100),
        "csgo": (21, False, True, 100),
    }


def test_the_room_is_empty_and_what_is_around_it_solid(level: source.Level) -> None:
    leafs, brushes = level.table(LumpId.LEAFS), level.table(LumpId.BRUSHES)
    assert leafs["contents"].tolist() == [int(Contents.SOLID), 0]
    assert brushes["contents"].tolist() == [int(Contents.SOLID)] * 6
    assert leafs["numleafbrushes"].tolist() == [6, 0]
    assert level.visibility is not None
    assert level.visibility.matrix().tolist() == [[True]]
    for hole in range(6):
        with pytest.raises(world.WorldError, match="leak"):
            world.apply(source.read(source.write(level)), world.WorldEdits({hole: world.Change(None)}))


def test_its_floor_is_drawn_and_lit_by_the_sun(level: source.Level) -> None:
    faces, texinfos = level.table(LumpId.FACES), level.table(LumpId.TEXINFO)
    normals = level.table(LumpId.PLANES)["normal"][faces["planenum"].astype(np.int64)]
    sky = texinfos["flags"][faces["texinfo"]] & SurfaceFlag.SKY > 0
    assert (normals[~sky] == (0, 0, 1)).all()
    assert sky.sum() == 5
    assert geometry.polygons(level).positions[:, 2].max() == 512
    sun = new_map.Sun()
    wanted = -sun.direction[2] * sun.intensity(sun.light) + sun.intensity(sun.ambient)
    for lump, found in lighting.lightmaps(level).items():
        offsets, _ = lighting.luxel_offsets(found, 0, 0)
        assert len(offsets) >= 4 * 33 * 33
        light = rgbe.decode(lighting.colors_at(level.bytes_of(lump), offsets))
        assert np.allclose(light, wanted, rtol=0.01)
    assert level.table(LumpId.WORLDLIGHTS)["type"].tolist() == [EmitType.SKYLIGHT, EmitType.SKYAMBIENT]


def test_a_brush_is_built_into_it(level: source.Level) -> None:
    made = world.apply(level, world.WorldEdits(added=[box((0, 0, 0), (64, 64, 64), [5] * 6)]))
    assert made.added.tolist() == [6]
    again = source.read(source.write(level))
    assert source.check(again) == []
    world.apply(again, world.WorldEdits({6: world.Change(None)}))
    assert source.check(again) == []


@pytest.mark.parametrize("built", [False, True])
def test_others_read_it(level: source.Level, built: bool, tmp_path: Path) -> None:
    """srctools, sourcepp and bsp_tool, as it is made and with a crate built into it."""
    srctools, sourcepp, bsp_tool = (pytest.importorskip(name) for name in ("srctools.bsp", "sourcepp", "bsp_tool"))
    if built:
        world.apply(level, world.WorldEdits(added=[box((-32, -32, 0), (32, 32, 64), np.full(6, 11))]))
    path = tmp_path / "new.bsp"
    path.write_bytes(source.write(level))
    level = source.read(path.read_bytes())
    found = srctools.BSP(path)
    assert found.version.value == level.version
    assert len(found.brushes) == len(level.table(LumpId.BRUSHES)) == 6 + built
    assert len(found.faces) == len(level.table(LumpId.FACES))
    assert len(found.visleafs) == len(level.table(LumpId.LEAFS))
    assert [entity["classname"] for entity in found.ents.entities] == ["light_environment", "info_player_start"]
    theirs = sourcepp.bsppp.BSP(str(path), False)
    for lump in (LumpId.ENTITIES, LumpId.PLANES, LumpId.FACES, LumpId.LEAFS, LumpId.BRUSHES, LumpId.LIGHTING):
        assert bytes(theirs.get_lump_data(sourcepp.bsppp.BSP.Lump(int(lump))) or b"") == bytes(level.bytes_of(lump))
    other = bsp_tool.load_bsp(str(path))
    if level.file.form.version_first:  # it tells branches by their versions alone
        other.file.close()
        other = bsp_tool.ValveBsp.from_file(bsp_tool.branches.valve.left4dead2, str(path))
    assert not other.loading_errors
    assert len(other.BRUSHES) == 6 + built and len(other.FACES) == len(level.table(LumpId.FACES))
    other.file.close()


@pytest.mark.parametrize("size", [(64, 1024, 512), (40000, 1024, 512), (1024, 1024, 20000), (1024, 1024, np.nan)])
def test_a_size_that_no_map_has_is_refused(size: tuple[float, ...]) -> None:
    with pytest.raises(FormatError, match="a room of"):
        new_map.sky_box(size)
