# SPDX-License-Identifier: GPL-3.0-or-later
"""Navigation of imported levels that are built as new: what the scene shows of it, or refused."""

import struct
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.importer import import_level
from levelwright.addon.fable.settings import ImportSettings
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import fable
from mathutils import Matrix

from tests.addon.fable.export_helpers import LEVEL, exported, imported, set_values, terrain
from tests.addon.genesis.export_helpers import part
from tests.formats import fable_bytes as fb
from tests.samples import fable_vale

SECTIONS = fb.Lev(sections=((b"NULL", fb.DOORS), (b"Q_Quest", fb.ONE_ROOT)))
DATA = SECTIONS.build()

Leaf = tuple[int, int, float, float]


def parsed(data: bytes) -> dict[str, tuple[dict[Leaf, tuple[object, ...]], list[tuple[float, float, int]]]]:
    """Leaves and action points of each section, read with struct and nothing of ours.

    Leaf -> its region, preference, keys, whether it is closed, and the leaves that it names.
    """
    at = struct.unpack_from("<I", data, 21)[0]
    _, count = struct.unpack_from("<II", data, at)
    at += 8
    found = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<I", data, at)
        name = data[at + 4 : at + 4 + length].decode()
        (offset,) = struct.unpack_from("<I", data, at + 4 + length)
        at += 8 + length
        found[name] = _section(data, offset + 4)
    return found


def _section(data: bytes, at: int) -> tuple[dict[Leaf, tuple[object, ...]], list[tuple[float, float, int]]]:
    version, _, _, _, count = struct.unpack_from("<IffII", data, at)
    at += 20
    points = [struct.unpack_from("<ffi", data, at + 12 * number) for number in range(count)]
    at += 12 * count
    _, nodes = struct.unpack_from("<Ii", data, at)
    at += 8
    leaves: dict[Leaf, tuple[object, ...]] = {}
    places: dict[int, Leaf] = {}
    for _ in range(nodes):
        switchable, _, blocked = struct.unpack_from("<BBB", data, at)
        at += 3
        if blocked and not switchable:
            continue
        leaf, level, layer, x, y, index = struct.unpack_from("<BBBffi", data, at)
        at += 15
        if not leaf:
            at += 16
            continue
        region, preference, n = struct.unpack_from("<iBi" if version > 6 else "<ixi", data, at)
        at += 9
        names = struct.unpack_from(f"<{n}i", data, at)
        at += 4 * n
        keys: tuple[int, ...] = ()
        if switchable:
            (k,) = struct.unpack_from("<I", data, at)
            keys = struct.unpack_from(f"<{k}Q", data, at + 4)
            at += 4 + 8 * k
        places[index] = (layer, level, x, y)
        leaves[places[index]] = (region, preference, keys, blocked, names)
    assert struct.unpack_from("<I", data, at)[0] == fb.END_MARK
    linked = {leaf: (*rest, {places[index] for index in names}) for leaf, (*rest, names) in leaves.items()}
    return linked, points


def test_sections_layers_doors_costs_links_and_points_are_those_of_the_scene():
    report = Report()
    after = exported(imported(DATA), report, build_as_new=True)
    assert parsed(after) == parsed(DATA)
    assert not fable.check(fable.read(after))
    assert parsed(exported(imported(after))) == parsed(DATA)
    assert "navigation: 2 sections" in report.notes


def test_the_sample_has_both_its_sections():
    data = fable_vale.LEVEL.read_bytes()
    level = import_level(bpy.context, data, Path("vale.lev"), ImportSettings(things=False), Report())
    assert parsed(exported(level, build_as_new=True)) == parsed(data)


def test_edits_of_leaves_count():
    level = imported(DATA)
    upper = part(level, layout.LEAVES, layout.leaves_record(0, 1))
    set_values(upper, "preference", 0, 7)
    set_values(upper, layout.CLOSED, 2, False)
    before, after = parsed(DATA)["NULL"][0], parsed(exported(level, build_as_new=True))["NULL"][0]
    changed = {leaf for leaf in before if before[leaf][:4] != after[leaf][:4]}
    assert len(changed) == 2
    assert sorted(after[leaf][1] for leaf in changed) == sorted({7, *(before[x][1] for x in changed if before[x][2])})


def test_a_leaf_that_is_deleted_is_blocked_ground_and_its_links_are_told():
    level, report = imported(DATA), Report()
    upper = part(level, layout.LEAVES, layout.leaves_record(0, 1))
    before = parsed(DATA)["NULL"][0]
    gone = [leaf for leaf in before if leaf[0] == 1 and any(other[0] == 0 for other in before[leaf][4])]
    mesh = upper.data
    middles = [tuple(np.mean([mesh.vertices[n].co[:2] for n in face.vertices], axis=0)) for face in mesh.polygons]
    keep = [number for number, middle in enumerate(middles) if middle not in {leaf[2:] for leaf in gone}]
    assert 0 < len(keep) < len(middles)
    _only_faces(upper, keep)
    after = parsed(exported(level, report, build_as_new=True))["NULL"][0]
    assert set(after) == set(before) - set(gone)
    assert any("between layers with their leaves" in line for line in report.warnings)


def _only_faces(obj: bpy.types.Object, keep: list[int]) -> None:
    import bmesh

    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face.index not in keep], context="FACES")
    mesh.to_mesh(obj.data)
    mesh.free()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda obj: setattr(obj, "location", (1, 0, 0)), "was moved, turned or scaled"),
        (lambda obj: setattr(obj.data.vertices[4], "co", (1, 2, 3)), "1 face: not a square of 32 units"),
        (lambda obj: obj.data.transform(Matrix.Translation((0.125, 0, 0))), "are no navigation: .*not a square of the"),
        (lambda obj: set_values(obj, "preference", 1, 256), "isn't within 0 and 255"),
        (lambda obj: set_values(obj, layout.CLOSED, 0, True), "closed, but not a door"),
        (lambda obj: set_values(obj, layout.DOOR, 0, 9), "property door_9 must have the UIDs"),
        (lambda obj: bpy.data.objects.remove(obj), "section NULL of navigation: the objects of its layers are gone"),
    ],
)
def test_what_no_section_can_have_is_refused(edit, message):
    level = imported(DATA)
    edit(part(level, layout.LEAVES, layout.leaves_record(0, 1)))
    with pytest.raises(SceneError, match=message):
        exported(level, build_as_new=True)


def test_a_level_that_was_opened_without_navigation_is_refused_or_gets_that_of_its_ground():
    level, report = imported(DATA, navigation=False), Report()
    with pytest.raises(SceneError, match="opened without its navigation"):
        exported(level, build_as_new=True)
    made = exported(level, report, build_as_new=True, ground_navigation="rebuild")
    assert list(parsed(made)) == ["NULL"]
    assert any("one section, made of the ground" in line for line in report.warnings)


def test_a_section_that_cannot_be_read_is_refused():
    broken = fb.section([fb.leaf(0, 16.0, 16.0, 1)], mark=0)
    level = imported(SECTIONS.but(sections=((b"NULL", fb.ONE_ROOT), (b"Q_Bad", broken))).build())
    with pytest.raises(SceneError, match="section Q_Bad of navigation can't be read"):
        exported(level, build_as_new=True)
    assert list(parsed(exported(level, build_as_new=True, ground_navigation="rebuild"))) == ["NULL", "Q_Bad"]


def test_rebuilding_makes_the_lowest_layer_of_the_ground_and_keeps_the_others():
    level = imported(DATA)
    set_values(terrain(level), "walkable", [31 * 33 + 31], False)
    report = Report()
    kept = parsed(exported(level, report, build_as_new=True))
    assert kept == parsed(DATA)
    assert any("1 square can be walked on where the ground is blocked" in line for line in report.warnings)
    made = parsed(exported(level, build_as_new=True, ground_navigation="rebuild"))["NULL"][0]
    was = parsed(DATA)["NULL"][0]
    upper = {leaf: value[:4] for leaf, value in made.items() if leaf[0] == 1}
    assert upper == {leaf: value[:4] for leaf, value in was.items() if leaf[0] == 1}
    assert (0, 5, 31.5, 31.5) not in made and (0, 5, 30.5, 31.5) in made


def test_patching_wants_the_imported_file():
    report = Report()
    after = exported(imported(DATA), report, build_as_new=True, ground_navigation="patch")
    assert parsed(after) == parsed(DATA)
    assert any("to patch it, the imported file" in line for line in report.warnings)


def test_a_collection_that_was_added_is_made_of_the_ground():
    level = imported(LEVEL.but(sections=((b"NULL", fb.ONE_ROOT),)).build())
    level.children["Navigation"].children.link(bpy.data.collections.new("Q_New"))
    made = fable.read(exported(level, build_as_new=True))
    assert [one.name for one in made.sections] == ["NULL", "Q_New"]
    ground = fable.new_navigation(fable.weights(made.cells))
    assert made.sections[1].navigation.nodes.tobytes() == ground.nodes.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["BarrowFields", "StartOakValeEast"])
def test_a_real_level_built_as_new_has_all_its_navigation(corpus, name):
    path = next(iter(corpus.glob(f"lev/*/{name}.lev")), None)
    if path is None:
        pytest.skip(f"the corpus has no {name}")
    data = path.read_bytes()
    after = exported(imported(data, path), build_as_new=True)
    assert parsed(after) == parsed(data)
