# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaks as the compilers of Genesis3D and Source find them: what seals, which entities count, and the leak files."""

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from formats import genesis, source
from formats.__main__ import main
from formats.genesis import BrushFlag
from formats.solid_leaks import Sealing, Space, examine, flood
from formats.solid_tree import Brushes, brushes, build
from formats.source import leaks as source_leaks
from formats.source import vmf
from formats.source.content import keyvalues
from formats.source.tree.leaf_tree import LeafTree
from formats.source.vmf.portals import prism
from tests.formats import genesis_bytes, source_room
from tests.formats.genesis_3dt_text import SETTINGS, group, leaf
from tests.formats.genesis_3dt_text import entity as editor_entity
from tests.formats.genesis_3dt_text import level as editor_level
from tests.formats.solid_worlds import room
from tests.formats.source_vmf import solids_of

HERE = Path(__file__).parent.parent / "samples"


# ------------------------------------------------------------------------------------------------------------ Genesis3D


def walls(flags: list[int] | None = None, left_out: int = -1) -> list[bytes]:
    """Brushes of a room's six walls, with these flags."""
    kinds = flags or [1] * 6
    return [
        genesis_bytes.brush(genesis_bytes.box(tuple(low), tuple(high)), kinds[number])
        for number, (low, high) in enumerate(room())
        if number != left_out
    ]


def genesis_map(brushes: list[bytes], *entities: bytes) -> genesis.MapLevel:
    made = genesis.read(genesis_bytes.level([genesis_bytes.entity(brushes), *entities]))
    assert isinstance(made, genesis.MapLevel)
    return made


@pytest.mark.parametrize("wall", range(6))
def test_any_wall_of_a_genesis_room_that_is_gone_is_a_leak(wall):
    assert genesis.leaks.problems(genesis_map(walls(), genesis_bytes.light("8 0 8"))) == []
    (problem,) = genesis.leaks.problems(genesis_map(walls(left_out=wall), genesis_bytes.light("8 0 8")))
    assert problem.place == "entity 1 (light, light1)" and problem.severity == "error"
    assert problem.message.startswith("leaks: from (8, 0, 8) ")


@pytest.mark.parametrize(
    ("flags", "seals"),
    [
        (BrushFlag.SOLID, True),
        (BrushFlag.SOLID | BrushFlag.DETAIL, True),
        (BrushFlag.SOLID | BrushFlag.FLOCKING | BrushFlag.USER1, True),
        (BrushFlag.SOLID | BrushFlag.SHEET, False),
        (BrushFlag.WINDOW, False),
        (BrushFlag.EMPTY, False),
        (BrushFlag.CLIP, False),
        (BrushFlag.HINT, False),
        (BrushFlag.AREA, False),
        (0, False),
    ],
)
def test_which_genesis_brushes_seal(flags, seals):
    level = genesis_map(walls([1, 1, 1, 1, 1, int(flags)]), genesis_bytes.light())
    assert (genesis.leaks.problems(level) == []) is seals


def test_which_genesis_entities_count():
    door = genesis_bytes.entity(
        [genesis_bytes.brush(genesis_bytes.box((300, 300, 300), (310, 310, 310)))],
        pairs=[("classname", "%Model%"), ("%name%", "door"), ("origin", "300 300 300")],
    )
    kinds = genesis_bytes.typedef("light", genesis_bytes.LIGHT)
    inside, outside = genesis_bytes.light("0 0 0"), genesis_bytes.light("200 0 0")
    assert genesis.leaks.problems(genesis_map(walls(), door, inside, kinds)) == []
    (problem,) = genesis.leaks.problems(genesis_map(walls(), inside, outside, kinds))
    assert problem.place == "entity 2 (light, light1)" and "it stands outside" not in problem.message
    (problem,) = genesis.leaks.problems(genesis_map(walls(), genesis_bytes.light("136 0 0")))
    assert problem.place == "level" and "no entity stands in empty space" in problem.message
    assert genesis.leaks.problems(genesis_map(walls(), kinds)) == []  # `check` says that there is none


def test_an_editor_level_leaks_by_what_its_cuts_leave():
    shell = leaf("shell", low=(-128,) * 3, high=(128,) * 3)
    inside = leaf("cut", low=(-112,) * 3, high=(112,) * 3, flags=0x80)
    window = leaf("window", low=(100, -16, -16), high=(140, 16, 16), flags=0x80)
    lamp = editor_entity([("classname", "light"), ("origin", "0 0 0")])
    for parts, leaks in (([shell, inside], False), ([shell, inside, window], True)):
        text = editor_level((1, 31), parts, groups=[group("Default", 0)], entities=[lamp])
        level = genesis.read(text.encode("latin-1"))
        found = genesis.leaks.problems(level)
        assert bool(found) is leaks
        if leaks:
            assert "light" in found[0].place and found[0].severity == "error"


def test_what_a_level_leaves_out_as_hidden_does_not_leak():
    shell = leaf("shell", low=(-128,) * 3, high=(128,) * 3)
    inside = leaf("cut", low=(-112,) * 3, high=(112,) * 3, flags=0x80)
    lamps = [editor_entity([("classname", "light"), ("origin", f"{x} 0 0")], origin=(x, 0, 0), flags=4 * (x > 0))
             for x in (0, 200)]  # fmt: skip
    for settings, leaks in ((SETTINGS, True), (SETTINGS.replace("SuppressHidden 0", "SuppressHidden 1"), False)):
        text = editor_level((1, 31), [shell, inside], lamps, groups=[group("Default", 0)], settings=settings)
        found = genesis.leaks.problems(genesis.read(text.encode("latin-1")))
        assert [problem.place for problem in found] == ["entity 1 (light)"] * leaks


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e30, -3e38])
def test_numbers_that_are_none_stop_nothing(number):
    faces = genesis_bytes.box((-8, -8, -8), (8, 8, 8))
    bad = [genesis_bytes.brush([genesis_bytes.face((0, 1, 0), number), *faces[1:]]),
           genesis_bytes.brush([genesis_bytes.face((number, 1, 0), 8), *faces[1:]])]  # fmt: skip
    level = genesis_map([*walls(), *bad], genesis_bytes.light("64 0 0"), genesis_bytes.light(f"{number} 0 0"))
    found = genesis.leaks.problems(level)
    assert all(problem.place == "entity 2 (light, light1)" for problem in found)
    counts = examine(genesis.leaks.space(level)).counts()
    assert counts["brushes that aren't closed"] >= 1


def test_the_leak_file_of_genesis():
    data = genesis.leaks.leak_file(np.array([(1, 2, 3), (4.5, 5, 6)]))
    assert data == b"LEAK" + struct.pack("<i6f", 2, 1, 2, 3, 4.5, 5, 6)


@pytest.mark.parametrize("name", ["genesis_room.map", "genesis_room.3dt"])
def test_any_outer_wall_of_the_genesis_sample_that_is_gone_is_found(name):
    space = genesis.leaks.space(genesis.read((HERE / name).read_bytes()))
    outer = check_outer_walls(space)
    assert len(outer) == 6


def check_outer_walls(space: Space) -> list[int]:
    """Take away each brush that seals, in turn: it leaks without those that part the inside from the void."""
    sealing = examine(space)
    assert sealing.flood.is_sealed and sealing.flood.inside.any()
    outer = outer_walls(sealing)
    for brush in np.flatnonzero(space.solid).tolist():
        solid = space.solid.copy()
        solid[brush] = False
        assert flood(build(space.brushes, solid), space.points).is_sealed is (brush not in outer)
    return outer


def outer_walls(sealing: Sealing) -> list[int]:
    """Brushes with a face that is seen from inside and one that is seen from outside."""
    of, tree = sealing.space.brushes, sealing.tree
    windings, sides = of.sides(sealing.space.solid)
    pieces, face, leafs = tree.border(windings, of.normals[sides], np.zeros(len(sides), np.int64))
    owner = np.repeat(np.arange(len(of)), np.diff(of.first_side))[sides[face]]
    around = flood(tree, [[1e6, 0, 0]]).reached
    real = pieces.areas() > 1
    return np.intersect1d(*(owner[real & reached[leafs]] for reached in (sealing.flood.reached, around))).tolist()


# --------------------------------------------------------------------------------------------------------------- Source


def source_map(*names: str, entities: list[dict[str, str]] | None = None, left_out: int = -1) -> vmf.Map:
    """A map of six walls of these materials, one for all or one for each, and entities."""
    level = source.read(source_room.write(source_room.room()))
    lists = [{"classname": "worldspawn"}, *(entities or [{"classname": "info_player_start", "origin": "8 8 -127"}])]
    del level.entities[:]
    level.entities.extend(source.Entity(list(pairs.items())) for pairs in lists)
    lump = level.static_props
    assert lump is not None and lump.props is not None
    lump.props = lump.props[:0]
    kinds = names * 6 if len(names) == 1 else names
    solids = [wall(low, high, kinds[number]) for number, (low, high) in enumerate(room()) if number != left_out]
    return vmf.Map(level, vmf.joined(solids).numbered(), np.zeros(0, np.int64), {}, 0, 0)


def wall(low: np.ndarray, high: np.ndarray, material: str) -> vmf.VmfSolids:
    """A box."""
    (a, b, bottom), (c, d, top) = low, high
    loop = np.array([(a, b, 0), (a, d, 0), (c, d, 0), (c, b, 0)], np.float64)
    made = prism(loop, vmf.WORLD, material, material)
    dists = made.dists.copy()
    dists[0], dists[1] = top, -bottom
    return replace(made, dists=dists)


def source_problems(made: vmf.Map) -> list[str]:
    return [str(problem) for problem in examine(source_leaks.space_of(made)).problems(source_leaks.SEVERITY)]


@pytest.mark.parametrize("left_out", range(6))
def test_any_wall_of_a_source_room_that_is_gone_is_a_leak(left_out):
    assert source_problems(source_map("dev/wall")) == []
    (problem,) = source_problems(source_map("dev/wall", left_out=left_out))
    assert problem.startswith("warning: entity 1 (info_player_start): leaks: from (8, 8, -126) ")


@pytest.mark.parametrize(
    ("material", "seals"),
    [
        ("Brick/Wall", True),
        ("TOOLS/TOOLSNODRAW", True),
        ("tools/toolsskybox", True),
        ("tools/toolsskybox2d", True),
        ("tools/toolsblack", True),
        ("tools/toolsplayerclip", False),
        ("tools/toolstrigger", False),
        ("tools/toolshint", False),
        ("tools/toolsareaportal", False),
        ("tools/toolsinvisible", False),
    ],
)
def test_which_source_materials_seal(material, seals):
    made = source_map(*["dev/wall"] * 5, material)
    assert (source_problems(made) == []) is seals


def test_details_displacements_and_solids_of_entities_do_not_seal():
    made = source_map("dev/wall")
    count = len(made.solids)
    detail = np.arange(count) == 3
    assert source_problems(replace(made, solids=replace(made.solids, detail=detail))) != []
    owners = np.where(np.arange(count) == 3, 1, 0)
    assert source_problems(replace(made, solids=replace(made.solids, owners=owners))) != []
    displaced = np.where(np.arange(len(made.solids.dists)) == made.solids.first_side[3], 0, -1)
    assert source_problems(replace(made, solids=replace(made.solids, displacements=displaced))) != []


@pytest.mark.parametrize(
    ("classname", "origin", "counts"),
    [
        ("light", "400 0 0", True),
        ("prop_static", "400 0 0", True),
        ("light", "0 0 0", False),
        ("info_overlay", "400 0 0", False),
        ("env_cubemap", "400 0 0", False),
        ("light", "no place", False),
    ],
)
def test_which_source_entities_count(classname, origin, counts):
    inside = {"classname": "info_player_start", "origin": "8 8 8"}
    made = source_map("dev/wall", entities=[inside, {"classname": classname, "origin": origin}])
    assert bool(source_problems(made)) is counts


def test_static_props_count():
    made = source_map("dev/wall")
    before = source.read(source_room.write(source_room.room())).static_props
    lump = made.level.static_props
    assert lump is not None and before is not None and before.props is not None
    lump.props = before.props.copy()
    lump.props["origin"] = (8, 8, 8)
    assert source_problems(made) == []
    lump.props["origin"][1] = (400, 0, 0)
    assert source_problems(made)[0].startswith("warning: static prop 1: leaks: ")


def test_a_new_brush_is_what_brushes_of_its_material_are():
    made = source_map("dev/wall")
    level = made.level
    table = level.table(source.LumpId.BRUSHES).copy()
    assert len(table) >= 1
    table["contents"][0] = 2  # a window
    level.set_table(source.LumpId.BRUSHES, table)
    glass = replace(wall(np.full(3, 500.0), np.full(3, 510.0), "glass/pane"), brushes=np.array([0]))
    solids = vmf.joined([*(made.solids.taken(np.array([n])) for n in range(6)), glass])
    assert source_problems(replace(made, solids=solids)) == []
    names = [*solids.names]
    names[:6] = ["glass/pane"] * 6
    assert source_problems(replace(made, solids=replace(solids, names=names))) != []


def test_the_leak_file_of_vbsp():
    data = source_leaks.leak_file(np.array([(1, 2, 4), (4.5, 5, 6)]))
    assert data == b"4.500000 5.000000 6.000000\n1.000000 2.000000 3.000000\n"


# ------------------------------------------------------------------------------------------------ the command, and real


def test_check_says_what_leaks_and_writes_the_file(tmp_path, capsys):
    path = tmp_path / "room.map"
    path.write_bytes(genesis_bytes.level([genesis_bytes.entity(walls(left_out=2)), genesis_bytes.light()]))
    assert main(["check", str(path)]) == 1
    assert "error: entity 1 (light, light1): leaks: from (0, 0, 0)" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == [path]
    assert main(["check", "--leak-file", str(path)]) == 1
    assert (tmp_path / "room.Pnt").read_bytes()[:8] == b"LEAK\2\0\0\0"
    assert f"wrote {tmp_path / 'room.Pnt'}" in capsys.readouterr().out


def test_check_of_what_is_well(tmp_path, capsys):
    path = HERE / "genesis_room.3dt"
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out == f"ok {path}\n"
    assert main(["check", str(tmp_path / "none.map")]) == 1
    assert "refused" in capsys.readouterr().out


def test_real_genesis_levels_leak_as_their_compiler_says(corpus):
    """ok, model, ... compiled; leak.map did not (genesis.md §1.11); the real level is sealed."""
    made = corpus / "genesis" / "_generated_by_hand"
    for name in ("ok", "model", "garbage", "trail", "name31", "notypedef"):
        assert genesis.leaks.problems(genesis.read((made / f"{name}.map").read_bytes())) == []
    (problem,) = genesis.leaks.problems(genesis.read((made / "leak.map").read_bytes()))
    assert "leaks" in problem.message
    assert check_outer_walls(genesis.leaks.space(genesis.read((made / "ok.map").read_bytes()))) == list(range(6))
    real = corpus / "genesis" / "_generated_by_real_editor_code" / "genvs2.map"
    assert genesis.leaks.problems(genesis.read(real.read_bytes())) == []


@pytest.mark.slow
def test_outer_walls_of_a_real_genesis_level_are_missed(corpus):
    real = corpus / "genesis" / "_generated_by_real_editor_code" / "genvs2.map"
    space = genesis.leaks.space(genesis.read(real.read_bytes()))
    low, high = space.brushes.boxes()
    alone = [  # where brushes overlap, one of them may be gone without a leak
        brush
        for brush in outer_walls(examine(space))
        if ((low < high[brush] - 0.1) & (high > low[brush] + 0.1)).all(axis=1)[space.solid].sum() == 1
    ]
    assert len(alone) > 50
    for brush in alone[:: len(alone) // 8]:
        solid = space.solid.copy()
        solid[brush] = False
        assert not flood(build(space.brushes, solid), space.points).is_sealed, brush


def of_vmf(path: Path) -> Space:
    """What counts for leaks of a VMF as its editor wrote it."""
    whole = keyvalues.parse(path.read_bytes())
    solids = solids_of(whole)
    filling = [
        solid.classname == "worldspawn" and not solid.displaced and source_leaks.fills(np.array(solid.materials)).all()
        for solid in solids
    ]
    entities = [
        source.Entity([pair for pair in entity.entries if isinstance(pair[1], str)])
        for kind, entity in whole.blocks()
        if kind == "entity"
    ]
    places = [place for one in entities if (place := source_leaks.counted(one)) is not None]
    return Space(
        brushes(
            np.concatenate([solid.normals for solid in solids]),
            np.concatenate([solid.dists for solid in solids]),
            [len(solid.dists) for solid in solids],
        ),
        np.array(filling, np.bool_),
        np.array([solid.classname == "worldspawn" for solid in solids]),
        source_leaks.lifted(places),
        [""] * len(places),
        np.arange(len(places)),
    )


EDITORS = {
    "background02": "benjaminpants__portalmp/background02",
    "c1l1": "lambdaforever__fight-or-suffer/c1l1",
    "ch_shrekhub": "miracleflame__VTMB-Unofficial-Patch-by-Wesp/ch_shrekhub",
    "desert": "KitKatt-Mars__GigaBuilder/desert",
    "dissenter": "maybebata__msrc/dissenter",
    "gbtest": "KitKatt-Mars__GigaBuilder/test",
    "minigolf": "AwertaDreams__framework-for-minigolf/test",
    "rc_pyramid": "ricochet-game__ricochet-sourcemod/rc_pyramid",
    "rot_main": "TeamSpen210__srctools/rot_main",
    "sm_coffee_1": "miracleflame__VTMB-Unofficial-Patch-by-Wesp/sm_coffee_1",
    "test_physcollide": "snake-biscuits__bsp_tool/test_physcollide",
    "water": "KitKatt-Mars__GigaBuilder/water",
}


@pytest.fixture
def reference(corpus) -> Path:
    """What the real vbsp made of maps: .prt where they are sealed, .lin where they leak."""
    folder = corpus.parent / "reference" / "vbsp"
    if not folder.is_dir():
        pytest.skip("nothing that the real vbsp made (../shared/reference/vbsp)")
    return folder


@pytest.mark.parametrize("name", EDITORS)
def test_editors_maps_leak_as_vbsp_says(corpus, reference, name):
    made = examine(of_vmf(corpus / "bsp" / "vmf" / f"{EDITORS[name]}.vmf")).flood
    compiled = examine(source_leaks.space(source.read((reference / "editors" / f"{name}.bsp").read_bytes()))).flood
    leaks = (reference / "editors" / f"{name}.lin").is_file()
    sealed = (reference / "editors" / f"{name}.prt").is_file()
    assert made.is_sealed is compiled.is_sealed is not leaks
    assert bool(made.inside.any()) is (sealed or leaks)  # without an entity inside vbsp writes neither


@pytest.mark.parametrize("name", ["box", "ladder", "leak", "occ"])
def test_maps_made_by_hand_leak_as_vbsp_says(reference, name):
    leaks = (reference / "hand" / f"{name}.lin").is_file()
    assert leaks is (name == "leak")
    space = of_vmf(reference / "hand" / f"{name}.vmf")
    made = examine(space).flood
    assert made.is_sealed is not leaks
    if leaks:
        theirs = np.array((reference / "hand" / f"{name}.lin").read_text().split(), np.float64).reshape(-1, 3)
        ours = np.array(source_leaks.leak_file(made.line).split(), np.float64).reshape(-1, 3)
        assert (theirs[-1] == ours[-1]).all()  # the player's start
    else:
        assert len(check_outer_walls(space)) == 6


def test_what_is_solid_is_so_for_vbsp(reference):
    """Of sealed maps, what the flood doesn't reach is what vbsp filled: at random points, but in details.

    An occluder's brush is in no leaf of vbsp's, but among the brushes: that map is left out.
    """
    looked = 0
    for path in sorted(reference.glob("*/*.bsp")):
        level = source.read(path.read_bytes())
        made = vmf.of_level(level)
        sealing = examine(source_leaks.space_of(made))
        if not sealing.flood.is_sealed or not sealing.flood.inside.any() or path.name == "occ.bsp":
            continue
        of = sealing.space.brushes
        low, high = (box[sealing.space.solid & of.polygons.closed] for box in of.boxes())
        points = np.random.default_rng(3).uniform(low.min(axis=0), high.max(axis=0), (4000, 3))
        details = np.flatnonzero(made.solids.detail & sealing.space.still)
        points = points[~in_any(of, details, points)]
        contents = level.table(source.LumpId.LEAFS)["contents"].astype(np.int64)
        theirs = contents[LeafTree(level).of_points(points)] & 1 > 0
        ours = ~sealing.flood.reached[sealing.tree.leafs_of(points)]
        assert (ours == theirs).all() and theirs.any(), path.name
        looked += 1
    assert looked == 12


def in_any(of: Brushes, numbers: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Which points lie in some brush of these numbers."""
    found = np.zeros(len(points), np.bool_)
    for brush in numbers.tolist():
        sides = slice(int(of.first_side[brush]), int(of.first_side[brush + 1]))
        found |= (points @ of.normals[sides].T <= of.dists[sides]).all(axis=1)
    return found


@pytest.mark.slow
def test_real_maps_that_have_visibility_are_sealed(corpus):
    """vbsp makes no portals of what leaks, so no visibility. One map has an entity outside of its walls."""
    edited = {"sp_genesisdevice_1.bsp"}
    known = 0
    for path in sorted((corpus / "bsp").glob("*/*.bsp")):
        level = source.read(path.read_bytes())
        if level.visibility is None or path.name in edited:
            continue
        assert source_leaks.problems(level) == [], path.name
        known += 1
    assert known >= 20
