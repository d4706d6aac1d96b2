# SPDX-License-Identifier: GPL-3.0-or-later
"""Real maps through Blender and back: byte for byte without an edit, and read by others with one of each kind."""

import shutil
from pathlib import Path

import bpy
import pytest
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import exporter, layout
from levelwright.addon.source.settings import ExportSettings
from levelwright.formats import source
from levelwright.formats.source import LumpId

from tests.addon.source.exports import Scene, copied, removed

OPTIONS = (
    {"lightmaps": "hdr", "bump_lightmaps": True, "brushes": True, "detail_props": True},
    {"lightmaps": "ldr", "displacements": "joined", "split": "cluster"},
    {"lightmaps": "none", "entities": False, "static_props": "none", "worldlights": False, "split": "material"},
)


def maps(corpus: Path) -> list[Path]:
    return sorted((corpus / "bsp").rglob("*.bsp"))


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=["all", "joined", "little"])
def test_every_map_comes_out_as_it_came_in(corpus: Path, options: dict[str, object]) -> None:
    for path in maps(corpus):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        here = Scene(path.read_bytes(), **options)
        assert here.export().file.write() == here.data, path.name


def reopened(here: Scene, blend: Path) -> bytes:
    """What is exported after the scene was saved, the file moved, and opened again."""
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    moved = blend.parent / "elsewhere" / "moved.blend"
    moved.parent.mkdir()
    shutil.move(blend, moved)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(moved))
    (level,) = originals.levels()
    return exporter.export_level(bpy.context, level, ExportSettings(), Report())


def test_a_saved_scene_is_still_the_map(tmp_path: Path) -> None:
    here = Scene(lightmaps="hdr")
    assert reopened(here, tmp_path / "room.blend") == here.data


def test_edits_are_saved(tmp_path: Path) -> None:
    here = Scene()
    here.objects(layout.STATIC_PROP)[1].location.x = 30
    removed(here.objects(layout.OVERLAY)[0])
    wanted = here.export().file.write()
    assert reopened(here, tmp_path / "room.blend") == wanted


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wall", "rc_pyramid", "de_rats", "shack.360", "rot_main", "hw_sinbin_1"])
def test_a_saved_real_map_is_still_the_map(corpus: Path, name: str, tmp_path: Path) -> None:
    here = Scene(next(path for path in maps(corpus) if path.stem == name).read_bytes(), lightmaps="hdr")
    assert reopened(here, tmp_path / "map.blend") == here.data


def one_edit_of_each_kind(here: Scene) -> dict[str, object]:
    """Edit what there is; what others should then find, by kind."""
    found: dict[str, object] = {}
    entities = here.objects()
    points = [obj for _, obj in sorted(entities.items()) if not str(obj.get("model", "")).startswith("*")]
    if points:
        points[0].location.x += 8
        points[-1]["targetname"] = "levelwright_was_here"
        copied(points[0]).location.z += 8
        found["entities"] = len(entities) + 2  # the world, and the copy
    props = here.objects(layout.STATIC_PROP)
    if props and not source.read(here.data).file.form.version_first:
        copied(props[0]).location.z += 4
        props[max(props)].rotation_euler.z += 0.5
        found["props"] = len(props) + 1
    overlays = here.objects(layout.OVERLAY)
    if len(overlays) > 1:
        removed(overlays[0])
        found["overlays"] = len(overlays) - 1
    cubemaps = here.objects(layout.CUBEMAP)
    if cubemaps:
        cubemaps[0].location.z += 3
        found["cubemaps"] = [round(value) for value in cubemaps[0].location]
    return found


@pytest.fixture
def edited(corpus: Path, tmp_path: Path):
    """Maps with one edit of each kind: their files, and what should be in them."""

    def made():
        for path in maps(corpus):
            if path.stat().st_size > 4 << 20:
                continue
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            here = Scene(path.read_bytes(), worldlights=False)
            found = one_edit_of_each_kind(here)
            level = here.export()
            allowed = {"ENTITIES", "GAME_LUMP, sprp", "PAKFILE", "OVERLAYS", "OVERLAY_FADES", "OVERLAY_SYSTEM_LEVELS",
                       "CUBEMAPS", "TEXDATA_STRING_DATA", "TEXDATA_STRING_TABLE"}  # fmt: skip
            assert set(here.changed(level)) <= allowed, path.name
            target = tmp_path / path.name
            target.write_bytes(level.file.write())
            yield target, level, found

    return made


@pytest.mark.slow
def test_srctools_reads_what_we_wrote(edited) -> None:
    pytest.importorskip("srctools")
    from srctools.bsp import BSP

    compared = 0
    for path, level, found in edited():
        if level.version < 19 or path.name in ("shack.360.bsp", "rot_main.bsp"):  # which it can't read
            continue
        theirs = BSP(path)
        if "entities" in found:
            listed = [theirs.ents.spawn, *theirs.ents.entities]
            assert len(listed) == found["entities"]
            assert [each["classname"] for each in listed] == [each.classname for each in level.entities]
            assert [each["origin"] for each in listed] == [each.get("origin") or "" for each in level.entities]
            assert any(each["targetname"] == "levelwright_was_here" for each in listed)
        if "props" in found and level.game_lumps.version_of("sprp") != 4:
            props = list(theirs.props)
            assert len(props) == found["props"]
            for number, prop in enumerate(props):
                assert [*prop.origin] == level.static_props.props["origin"][number].tolist()
                leafs = {theirs.visleafs.index(leaf) for leaf in prop.visleafs}
                assert leafs == set(level.static_props.leafs_of(number).tolist())
        if "overlays" in found:
            assert [each.id for each in theirs.overlays] == level.table(LumpId.OVERLAYS)["id"].tolist()
            assert len(theirs.overlays) == found["overlays"]
        if "cubemaps" in found:
            assert [*theirs.cubemaps[0].origin] == found["cubemaps"]
        compared += 1
    assert compared > 9


@pytest.mark.slow
def test_sourcepp_reads_what_we_wrote(edited) -> None:
    pytest.importorskip("sourcepp")
    from sourcepp import bsppp

    compared = 0
    for path, level, _ in edited():
        if level.version == 42:
            continue
        theirs = bsppp.BSP(str(path), False)
        assert theirs, path.name
        for lump in range(64):
            if lump != LumpId.GAME_LUMP and not level.file.cut(lump):
                data = theirs.get_lump_data(bsppp.BSP.Lump(lump))
                assert bytes(data or b"") == bytes(level.bytes_of(lump)), (path.name, lump)
        compared += 1
    assert compared > 15
