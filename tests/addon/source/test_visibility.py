# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters as boxes; and only what the game draws from a place, in a room of two clusters that are parted at x = 0."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.source import exporter, layout
from levelwright.addon.source.settings import ExportSettings
from levelwright.addon.source.visibility import show
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.tables import tree

from tests.addon.source.placed import objects, shown
from tests.formats import source_room

LEFT, RIGHT = (-100.0, 0.0, 64.0), (100.0, 0.0, 64.0)
ALONE = [[0b01], [0b10]]


def room(rows: list[list[int]] | None = ALONE) -> bytes:
    """Each half sees what `rows` say; faces with even numbers are in the left one, but for displacements."""
    level = source.read(source.write(source_room.room()))
    faces = np.arange(2, 10)
    order = np.concatenate([faces[faces % 2 == 0], faces[faces % 2 == 1]])
    level.set_table(LumpId.LEAFFACES, source_room.rows(tree.LEAFFACE, face=order))
    leafs = level.table(LumpId.LEAFS).copy()
    leafs["firstleafface"], leafs["numleaffaces"] = [0, 0, 4], [0, 4, 4]
    level.set_table(LumpId.LEAFS, leafs)
    if rows is not None:
        bits = np.array(rows, np.uint8)
        level.visibility = source.Visibility(bits, bits)
    level.entities.append(source.Entity([("classname", "info_player_start"), ("origin", "-100 0 1")]))
    level.entities.append(source.Entity([("classname", "info_player_start"), ("origin", "100 0 1")]))
    level.entities.append(source.Entity([("classname", "logic_auto"), ("origin", "0 0 9000")]))
    return source.write(level)


def in_metres(place: tuple[float, float, float]) -> np.ndarray:
    return np.array(place) * layout.SCALE


def faces_of(collection: bpy.types.Collection) -> set[int]:
    """The faces of the world that are shown, by a copy or by themselves: each is its own original face."""
    found: set[int] = set()
    for obj in collection.all_objects:
        if obj.type == "MESH" and not obj.hide_viewport:
            numbers = meshes.read(obj).attribute(layout.ORIGINAL_FACE, "FACE")
            found.update([] if numbers is None else numbers.tolist())
    return found


def test_clusters_are_boxes():
    assert objects(shown(room())[0], layout.CLUSTERS) == {}
    collection, _ = shown(room(), leafs=True)
    (boxes,) = objects(collection, layout.CLUSTERS).values()
    data = meshes.read(boxes)
    assert data.attribute(layout.CLUSTER, "FACE").tolist() == [1] * 6 + [2] * 6
    assert data.positions[:8].min(axis=0).tolist() == [-256, -128, 0]
    assert data.positions[8:].max(axis=0).tolist() == [256, 128, 128]
    assert boxes.users_collection[0].name == layout.LEAF_HOME
    assert boxes.users_collection[0].hide_viewport


def test_only_what_is_seen_is_shown():
    collection, _ = shown(room(), leafs=True, worldlights=True)
    before = {obj.name: (obj.hide_viewport, obj.hide_render) for obj in collection.all_objects}
    assert show.show_seen(bpy.context, collection, in_metres(LEFT)) == 0
    assert faces_of(collection) == {2, 4, 6, 8}
    kinds = [layout.ENTITY, layout.STATIC_PROP, layout.OVERLAY, layout.CUBEMAP, layout.WORLDLIGHT, layout.DISPLACEMENT]
    seen = {kind: {n for n, obj in objects(collection, kind).items() if not obj.hide_viewport} for kind in kinds}
    assert seen == {
        layout.ENTITY: {1, 2, 3}, layout.STATIC_PROP: {0, 1, 2}, layout.OVERLAY: {0}, layout.CUBEMAP: set(),
        layout.WORLDLIGHT: {0}, layout.DISPLACEMENT: {0, 1},
    }  # fmt: skip  # the displacements touch at x = 0, and so does the light
    (copy,) = [obj for obj in collection.all_objects if obj.name.startswith("Clusters") and not obj.hide_viewport]
    assert len(copy.data.polygons) == 6
    assert identity.read_ids(copy.data, "FACE", originals.describe(collection).token).max() == 0

    assert show.show_seen(bpy.context, collection, in_metres(RIGHT)) == 1
    assert faces_of(collection) == {3, 5, 7, 9}
    assert objects(collection, layout.OVERLAY)[0].hide_viewport

    show.show_all(collection)
    assert {obj.name: (obj.hide_viewport, obj.hide_render) for obj in collection.all_objects} == before
    assert not show.is_limited(collection)
    assert faces_of(collection) == set(range(2, 10))


def test_exports_take_no_notice():
    data = room()
    collection, _ = shown(data, leafs=True)
    show.show_seen(bpy.context, collection, in_metres(LEFT))
    assert exporter.export_level(bpy.context, collection, ExportSettings(), Report()) == data


def test_what_the_artist_hid_stays_hidden():
    collection, _ = shown(room())
    mine = objects(collection)[3]
    mine.hide_viewport = True
    show.show_seen(bpy.context, collection, in_metres(RIGHT))
    show.show_all(collection)
    assert mine.hide_viewport
    assert not mine.hide_render


def test_all_that_is_seen_needs_no_copies():
    collection, _ = shown(room([[0b11], [0b11]]))
    count = len(collection.all_objects)
    show.show_seen(bpy.context, collection, in_metres(LEFT))
    assert len(collection.all_objects) == count
    assert [obj.get("classname") for obj in collection.all_objects if obj.hide_viewport] == ["logic_auto"]


@pytest.mark.parametrize(
    ("place", "rows", "told"), [((0, 0, -999), ALONE, "outside the map"), (LEFT, None, "without visibility")]
)
def test_places_from_which_nothing_is_known(place, rows, told):
    collection, _ = shown(room(rows))
    with pytest.raises(SceneError, match=told):
        show.show_seen(bpy.context, collection, in_metres(place))
    assert not any(obj.hide_viewport for obj in collection.all_objects)


def test_the_operators(tmp_path: Path):
    path = tmp_path / "room.bsp"
    path.write_bytes(room())
    bpy.ops.import_scene.source_bsp(filepath=str(path), leafs=True)
    (collection,) = originals.levels()
    root = objects(collection, layout.ROOT)[0]
    root.location = (5, 0, 0)  # moving the level edits nothing
    bpy.context.scene.cursor.location = in_metres(RIGHT) + np.array([5, 0, 0])
    assert not bpy.ops.levelwright.source_show_all.poll()
    assert bpy.ops.levelwright.source_show_seen(place="CURSOR") == {"FINISHED"}
    assert collection[layout.UNSEEN] == 1
    bpy.context.view_layer.objects.active = objects(collection)[3]
    assert bpy.ops.levelwright.source_show_seen(place="ACTIVE") == {"FINISHED"}
    assert collection[layout.UNSEEN] == 0
    with pytest.raises(RuntimeError, match="no camera"):
        bpy.ops.levelwright.source_show_seen(place="CAMERA")
    assert bpy.ops.levelwright.source_show_all() == {"FINISHED"}
    assert not any(obj.hide_viewport for obj in collection.all_objects)


def test_real_maps(corpus: Path):
    path = next(corpus.glob("bsp/*/gm_oasis.bsp"), None)
    if path is None:
        pytest.skip("the corpus has no gm_oasis")
    data = path.read_bytes()
    level = source.read(data)
    collection, _ = shown(data, lightmaps="none")
    start = next(level.entities.of_class("info_player_start"))
    show.show_seen(bpy.context, collection, in_metres(tuple(start.origin)))
    spawn = next(obj for obj in objects(collection).values() if obj.get("classname") == "info_player_start")
    assert not spawn.hide_viewport
    hidden = [obj for obj in objects(collection).values() if obj.hide_viewport]
    assert 0 < len(hidden) < len(objects(collection))
