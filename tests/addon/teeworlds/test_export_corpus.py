# SPDX-License-Identifier: GPL-3.0-or-later
"""Real maps through Blender and back, unedited: the same bytes. Also from an older Blender into a newer one."""

import os
import subprocess
import sys
from pathlib import Path

import bmesh
import bpy
import pytest
from levelwright.addon.scene.reports import Report
from levelwright.addon.teeworlds import layout
from levelwright.formats.binary import FormatError
from levelwright.formats.teeworlds.tile_faces import TILE_FIELDS

from tests.addon.teeworlds.export_helpers import changes, corners, exported, imported, place, reopened

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "scripts" / "extension.py"
QUICK = [  # one of each sort: design map, 0.7, race map, mod, own samples
    "ddnet__ddnet/coverage.maps.map",
    "teeworlds__teeworlds/grass_template.map",
    "ddnet__ddnet/gravity.map",
    "Siile__Ninslash",
    "infclass__teeworlds-infclassR",
]


def maps(corpus: Path) -> list[Path]:
    found = sorted(corpus.glob("teeworlds/*/*.map"))
    if not found:
        pytest.skip("no maps in the corpus")
    return found


def refused(path: Path) -> bool:
    """Whether no import is possible: the file is damaged or from before 0.4. Else it must come back as it was."""
    data = path.read_bytes()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    try:
        level = imported(data)
    except FormatError:
        return True
    report = Report()
    assert exported(level, report) == data, f"{path}: {report.lines()}"
    assert not report.notes and "left out" not in report.summary(), f"{path}: {report.lines()}"
    return False


def test_some_real_maps_come_back_as_they_were(corpus):
    for start in QUICK:
        path = next(path for path in maps(corpus) if f"{path.parent.name}/{path.name}".startswith(start))
        assert not refused(path)


@pytest.mark.slow
def test_made_maps_come_back_as_they_were(corpus):
    made = [path for path in maps(corpus) if path.parent.name == "synthetic__edge"]
    gone = [path.name[:2] for path in made if refused(path)]
    assert gone == ["05", "06", "39", "40"], "trailing and truncated bytes, absurd counts: no datafiles"


@pytest.mark.slow
def test_every_real_map_comes_back_as_it_was(corpus):
    real = [path for path in maps(corpus) if path.parent.name != "synthetic__edge"]
    gone = [path.name for path in real if refused(path)]
    assert len(gone) <= 5, f"truncated, or from before 0.4: {gone}"


@pytest.mark.slow
def test_also_after_saving_and_reopening(corpus, tmp_path):
    for path in maps(corpus)[::12]:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        try:
            level = imported(path.read_bytes())
        except FormatError:
            continue
        assert exported(reopened(level, tmp_path)) == path.read_bytes(), path


@pytest.mark.slow
def test_one_edit_of_a_real_map_changes_one_thing(corpus):
    """A tile deleted, one renumbered, one turned; a corner of a quad moved; a layer renamed."""
    for path in [path for path in maps(corpus) if path.parent.name != "synthetic__edge"][3::9]:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        data = path.read_bytes()
        try:
            level = imported(data)
        except FormatError:
            continue
        meshes = [obj for obj in level.all_objects if obj.get(layout.STORAGE) == layout.MESH and len(obj.data.polygons)]
        tiles = [obj for obj in meshes if "tile_kind" in obj and TILE_KINDS[obj["tile_kind"]] in ("TILES", "GAME")]
        quads = [obj for obj in meshes if "tile_kind" not in obj]
        for edit, objects in ((delete, tiles), (renumber, tiles), (turn, tiles), (move_corner, quads)):
            for obj in objects[-1:]:
                original = obj.data
                obj.data = original.copy()
                edit(obj)
                words, blobs = changes(data, exported(level))
                assert not words and len(blobs) == 1, f"{path}: {edit.__name__} of {obj.name}"
                obj.data = original
        for obj in tiles[-1:]:
            obj["layer_name"] = "renamed"
            words, blobs = changes(data, exported(level))
            assert len(words) == 1 and not blobs, path


TILE_KINDS = list(TILE_FIELDS)


def delete(obj: bpy.types.Object) -> None:
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    mesh.faces.ensure_lookup_table()
    bmesh.ops.delete(mesh, geom=[mesh.faces[0]], context="FACES")
    mesh.to_mesh(obj.data)


def renumber(obj: bpy.types.Object) -> None:
    value = obj.data.attributes["index"].data[0]
    value.value = value.value % 255 + 1


def turn(obj: bpy.types.Object) -> None:
    positions = corners(obj)
    positions[0] = positions[0][[1, 2, 3, 0]]
    place(obj, positions)


def move_corner(obj: bpy.types.Object) -> None:
    obj.data.vertices[0].co.x += 3


@pytest.mark.slow
@pytest.mark.skipif(
    "LEVELWRIGHT_OTHER_PYTHON" not in os.environ, reason="LEVELWRIGHT_OTHER_PYTHON names no Python with bpy"
)
def test_another_blender_exports_what_this_one_imported(corpus, tmp_path):
    """With the file saved here: baselines travel, so neither its version nor numpy's makes an edit."""
    wanted = {}
    for number, path in enumerate(maps(corpus)[5::40]):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        try:
            imported(path.read_bytes())
        except FormatError:
            continue
        blend = tmp_path / f"{number}.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(blend))
        wanted[blend] = path
    assert wanted
    for blend, path in wanted.items():
        out = blend.with_suffix(".map")
        command = [os.environ["LEVELWRIGHT_OTHER_PYTHON"], str(PROGRAM), "convert", str(blend), str(out)]
        subprocess.run(command, check=True)
        assert out.read_bytes() == path.read_bytes(), path


@pytest.mark.slow
def test_numpys_special_instructions_make_no_difference(tmp_path):
    """numpy's sin, arctan2 and pow differ with the CPU's features: what was imported with them exports without."""
    sample = ROOT / "tests" / "samples" / "first-light.map"
    imported(sample.read_bytes())
    blend, out = tmp_path / "level.blend", tmp_path / "out.map"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    command = [sys.executable, str(PROGRAM), "convert", str(blend), str(out)]
    environment = os.environ | {
        "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
    }
    subprocess.run(command, check=True, env=environment, capture_output=True)
    assert out.read_bytes() == sample.read_bytes()
