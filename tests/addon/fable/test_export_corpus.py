# SPDX-License-Identifier: GPL-3.0-or-later
"""Real levels through Blender and back: unedited the same bytes, and edits that change only what they mean."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.fable.exporter import export_level
from levelwright.addon.fable.palettes import lists
from levelwright.addon.fable.settings import ExportSettings
from levelwright.addon.scene.reports import Report
from levelwright.formats import fable

from tests.addon import blenders
from tests.addon.fable.export_helpers import (
    changed_cells,
    exported,
    imported,
    paint,
    place,
    positions,
    reopened,
    set_values,
    terrain,
)

NAMES = ("BarrowFields", "StartOakValeEast", "StartOakvaleMemorialGarden")
EXPORT = """
from pathlib import Path
import levelwright
levelwright.register()
from tests.addon.fable.export_helpers import exported
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
level = next(one for one in bpy.data.collections if one.get("levelwright_level") is not None)
Path(sys.argv[1]).with_suffix(".out").write_bytes(exported(level))
result = 1
"""


@pytest.fixture(params=NAMES)
def path(request: pytest.FixtureRequest, corpus: Path) -> Path:
    found = sorted(corpus.glob(f"lev/*/{request.param}.lev"))
    if not found:
        pytest.skip(f"the corpus has no {request.param}")
    return found[0]


def test_it_comes_back_as_it_was(path):
    data = path.read_bytes()
    report = Report()
    made = export_level(bpy.context, imported(data, path), ExportSettings(), report)
    assert isinstance(made, Mapping)
    assert made == {".lev": data, ".tng": path.with_suffix(".tng").read_bytes()}
    assert not report.notes and not report.warnings and "left out" not in report.summary(), report.lines()


def test_also_after_saving_and_reopening_and_in_another_blender(path, tmp_path):
    data = path.read_bytes()
    level = reopened(imported(data, path), tmp_path)
    assert exported(level) == data
    others = [python for python in blenders.pythons() if blenders.name(python) != "this"]
    for python in others:
        blenders.run(EXPORT, tmp_path / "level.blend", python=python)
        assert (tmp_path / "level.out").read_bytes() == data, blenders.name(python)


@pytest.mark.slow
def test_numpys_special_instructions_make_no_difference(path, tmp_path):
    imported(path.read_bytes(), path)
    blend = tmp_path / "level.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    blenders.run(EXPORT, blend, environment=blenders.without_cpu_features())
    assert blend.with_suffix(".out").read_bytes() == path.read_bytes()


def test_without_its_things(path, tmp_path):
    shutil.copy(path, tmp_path / path.name)
    data = path.read_bytes()
    assert export_level(bpy.context, imported(data, tmp_path / path.name), ExportSettings(), Report()) == data


def test_a_few_edits_and_back(path):
    data = path.read_bytes()
    level = imported(data, path)
    obj, before = terrain(level), fable.read(data)
    columns = before.cells.shape[1]
    values = positions(obj)
    was = values[7 * columns + 5].copy()
    values[7 * columns + 5, 2] += 1
    place(obj, values)
    set_values(obj, "path", 9 * columns + 3, before.cells["path"][9, 3] == 0)
    slots = before.cells["themes"]
    theme = int(np.bincount(slots[:, :, 0].reshape(-1)).argmax())
    y, x = (int(part) for part in np.argwhere((slots != theme).all(axis=-1))[0])
    paint(obj, lists.get(level).layers()[theme], [y * columns + x], 1.0)
    report = Report()
    after = exported(level, report)
    found = changed_cells(data, after)
    assert found.pop((5, 7)) == {"height"} and found.pop((3, 9)) == {"path"}
    assert list(found) == [(x, y)] and found[x, y] <= {"themes", "strengths"}
    assert theme in fable.read(after).cells["themes"][y, x]
    values[7 * columns + 5] = was
    place(obj, values)
    assert set(changed_cells(data, exported(level))) == {(3, 9), (x, y)}


def test_navigation_follows_the_ground(path):
    data = path.read_bytes()
    level, before = imported(data, path), fable.read(data)
    if not before.sections:
        pytest.skip("has no navigation")
    ground = before.cells
    columns = ground.shape[1]
    walked = fable.raster(before.sections[0].navigation, 0)[2::4, 2::4] >= 0
    y, x = (int(part) for part in np.argwhere(walked)[len(np.argwhere(walked)) // 2])
    set_values(terrain(level), "walkable", y * columns + x, False)
    kept, report = Report(), Report()
    left = exported(level, kept)
    assert changed_cells(data, left) == {(x, y): {"walkable"}}
    assert any("where creatures can walk is as it was" in line for line in kept.warnings)
    after = fable.read(exported(level, report, ground_navigation="patch"))
    assert fable.check(after) == [problem for problem in fable.check(after) if problem.severity == "warning"]
    for was, now in zip(before.sections, after.sections, strict=True):
        old, new = (fable.raster(one.navigation, 0) >= 0 for one in (was, now))
        lost = old & ~new
        assert not (new & ~old).any()
        assert set(map(tuple, (np.argwhere(lost) // 4).tolist())) <= {(y, x)}
    assert any("cannot be walked on any more" in line for line in report.notes)
    assert not any("where creatures" in line for line in report.warnings)


def test_what_a_rebuild_forgets_is_told(path):
    data = path.read_bytes()
    level, before = imported(data, path), fable.read(data)
    if not before.sections:
        pytest.skip("has no navigation")
    report = Report()
    after = fable.read(exported(level, report, ground_navigation="rebuild"))
    assert any("as by outlines of objects" in line for line in report.warnings)
    assert any("square units of ground can be walked on now" in line for line in report.warnings)
    for was, now in zip(before.sections, after.sections, strict=True):
        doors = [int(np.count_nonzero(one.navigation.nodes["switchable"])) for one in (was, now)]
        assert doors[1] <= doors[0]
    assert not [problem for problem in fable.check(after) if problem.severity == "error"]
