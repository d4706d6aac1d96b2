# SPDX-License-Identifier: GPL-3.0-or-later
"""Real levels through Blender and back: unedited the same bytes, and edits that change only what they mean."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.scene.reports import Report
from levelwright.formats import genesis
from levelwright.formats.binary import FormatError

from tests.addon import blenders
from tests.addon.genesis.export_helpers import brush, changes, exported, imported, part, place, positions, reopened

REFUSED = {"badhdr.map"}  # its tag is another one
BIG = "_generated_by_real_editor_code/genvs2.map"
EDITOR = "paradoxnj__Genesis3D/genvs2.3dt"

EXPORT = """
from pathlib import Path
from tests.addon.genesis.export_helpers import exported
out = []
for path in sys.argv[1:]:
    bpy.ops.wm.open_mainfile(filepath=path)
    level = next(one for one in bpy.data.collections if one.get("levelwright_level") is not None)
    Path(path).with_suffix(".out").write_bytes(exported(level))
result = len(sys.argv) - 1
"""


def levels(corpus: Path) -> list[Path]:
    files = sorted([*corpus.glob("genesis/*/*.map"), *corpus.glob("genesis/*/*.3dt")])
    found = [path for path in files if not path.name.endswith(".quake-text.map")]
    if not found:
        pytest.skip("no Genesis3D levels in the corpus")
    return found


def level(corpus: Path, name: str) -> Path:
    path = corpus / "genesis" / name
    if not path.is_file():
        pytest.skip(f"the corpus has no {name}")
    return path


@pytest.mark.slow
def test_every_level_comes_back_as_it_was(corpus):
    refused = set()
    for path in levels(corpus):
        data = path.read_bytes()
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        try:
            scene = imported(data, path)
        except FormatError:
            refused.add(path.name)
            continue
        report = Report()
        assert exported(scene, report) == data, f"{path}: {report.lines()}"
        assert not report.notes and "left out" not in report.summary(), f"{path}: {report.lines()}"
    assert refused == REFUSED


@pytest.mark.slow
@pytest.mark.parametrize("name", [BIG, EDITOR])
def test_also_after_saving_and_reopening_and_in_another_blender(corpus, tmp_path, name):
    path = level(corpus, name)
    data = path.read_bytes()
    scene = reopened(imported(data, path), tmp_path)
    assert exported(scene) == data
    blend = tmp_path / "level.blend"
    for python in blenders.pythons():
        assert blenders.run(EXPORT, blend, python=python) == 1
        assert blend.with_suffix(".out").read_bytes() == data, blenders.name(python)


@pytest.mark.slow
def test_numpys_special_instructions_make_no_difference(corpus, tmp_path):
    path = level(corpus, BIG)
    imported(path.read_bytes(), path)
    blend = tmp_path / "level.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    blenders.run(EXPORT, blend, environment=blenders.without_cpu_features())
    assert blend.with_suffix(".out").read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_a_few_edits_of_a_real_map(corpus):
    path = level(corpus, BIG)
    data = path.read_bytes()
    scene = imported(data, path)
    table = genesis.read(data).world.brushes
    upright = [np.abs(one.faces["normal"]).max(axis=1).min() > 1 - 1e-6 for one in table]
    boxes = [n for n, one in enumerate(table) if len(one.faces) == 6 and upright[n]]
    moved, raised = boxes[10], boxes[40]
    brush(scene, moved).location.x += 32
    obj = brush(scene, raised)
    values = positions(obj)
    values[values[:, 2] > values[:, 2].max() - 0.01, 2] += 4
    place(obj, values)
    report = Report()
    after = exported(scene, report, texture_lock=False)
    found = changes(data, after)
    assert {key[1] for key in found} == {moved, raised}
    top = int(table[raised].faces["normal"][:, 1].argmax())
    assert found[0, raised, top] == {"dist"} and sum(key[1] == raised for key in found) == 1
    assert all(fields == {"dist"} for fields in found.values())
    assert len(report.notes) == 2 and len(after) == len(data)


@pytest.mark.slow
def test_all_brushes_of_a_real_map_moved_and_moved_back(corpus):
    path = level(corpus, BIG)
    data = path.read_bytes()
    scene = imported(data, path)
    solid = [one for one in scene.all_objects if one.type == "MESH"]
    for obj in solid:
        obj.location.z += 64
    moved = genesis.read(exported(scene))
    was = genesis.read(data)
    for one, other in zip(was.world.brushes, moved.world.brushes, strict=True):
        assert one.faces["normal"].tobytes() == other.faces["normal"].tobytes()
        wanted = one.faces["dist"] + 64 * one.faces["normal"][:, 1]
        np.testing.assert_allclose(other.faces["dist"], wanted, rtol=1e-6)
    for obj in solid:
        obj.location.z -= 64
    assert exported(scene) == data


@pytest.mark.slow
def test_a_door_of_a_real_map_gets_another_key(corpus):
    path = level(corpus, BIG)
    data = path.read_bytes()
    scene = imported(data, path)
    was = genesis.read(data)
    number = next(n for n, one in enumerate(was.entities) if one.motion is not None)
    action = part(scene, layout.MOTION, number).animation_data.action
    action["motion_name"] = "slow"
    report = Report()
    after = genesis.read(exported(scene, report))
    assert after.entities[number].motion.name == "slow"
    assert len(report.notes) == 1
    same = [
        a.pairs == b.pairs and len(a.brushes) == len(b.brushes)
        for a, b in zip(was.entities, after.entities, strict=True)
    ]
    assert all(same)


@pytest.mark.slow
def test_a_real_3dt_is_compiled_as_the_editor_does(corpus):
    path = level(corpus, EDITOR)
    scene = imported(path.read_bytes(), path)
    report = Report()
    made = genesis.read(exported(scene, report, container="map"))
    wanted = genesis.read(level(corpus, BIG).read_bytes())
    assert len(made.models) == len(wanted.models)
    counts = [sum(len(one.brushes) for one in each.entities) for each in (made, wanted)]
    assert abs(counts[0] - counts[1]) <= counts[1] * 0.01


@pytest.mark.slow
def test_a_level_of_the_editor_is_built_as_new(corpus):
    """Each face of its brushes has corners of its own, which are rounded by themselves."""
    path = level(corpus, EDITOR)
    before = genesis.read(path.read_bytes())
    after = genesis.read(exported(imported(path.read_bytes(), path), build_as_new=True))
    assert (len(after.brushes), len(after.entities)) == (len(before.brushes), len(before.entities))
