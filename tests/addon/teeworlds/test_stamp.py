# SPDX-License-Identifier: GPL-3.0-or-later
"""The stamp tool's strokes: what they change in meshes and planes, what reaches the file, and what undo gives back."""

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.scene.view import stage
from levelwright.addon.teeworlds import layout, operators
from levelwright.addon.teeworlds.materials import physics
from levelwright.addon.teeworlds.stamp import held, stroke, targets
from levelwright.addon.teeworlds.structure.parts import groups_of
from levelwright.addon.teeworlds.tiles.grid import TileGrid
from levelwright.formats import teeworlds
from levelwright.formats.teeworlds import stamps
from levelwright.formats.teeworlds.tile_faces import UV_TILE

from tests.addon.teeworlds.export_helpers import exported, imported
from tests.formats import teeworlds_bytes as raw
from tests.formats.teeworlds_bytes import Map, tile

STORAGES: dict[str, dict[str, Any]] = {"mesh": {}, "image": {"large_layer": 1}}
EMPTY = bytes(4)


@pytest.fixture(autouse=True)
def _let_go() -> Iterator[None]:
    values = held.settings(bpy.context)
    yield
    held.drop()
    for name in ("mode", "erase", "size", "air", *held.FIELDS):
        values.property_unset(name)


def board() -> bytes:
    """A map of 6 x 4: a layer with a few tiles, and the game's."""
    m = Map()
    m.version()
    m.group("Art")
    rows = [tile(5) + tile(6, 1) + tile(7, 8) + EMPTY * 3, EMPTY * 6, tile(9) * 6, EMPTY * 6]
    m.tiles(6, 4, b"".join(rows), title="Ground")
    m.tiles(6, 4, tile(33) + EMPTY * 23, title="Over")
    m.group("Game")
    m.tiles(6, 4, EMPTY * 24, flags=raw.GAME)
    return m.build()


def layer(level: bpy.types.Collection, name: str) -> bpy.types.Object:
    return next(obj for obj in level.all_objects if obj.get("layer_name") == name)


def opened(storage: str) -> tuple[bpy.types.Collection, bpy.types.Object]:
    level = imported(board(), **STORAGES[storage])
    found = layer(level, "Ground")
    assert found.get(layout.STORAGE) == storage
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = found
    return level, found


def records(level: bpy.types.Collection, name: str = "Ground") -> tuple[list[list[int]], list[list[int]]]:
    """Index and flags of a layer of the file that is exported."""
    written = teeworlds.read(exported(level))
    for group in written.groups:
        for one in group.layers:
            if one.name == name and isinstance(one, teeworlds.TileLayer):
                tiles = one.tiles()
                return tiles["index"].tolist(), tiles["flags"].tolist()
    raise AssertionError(name)


def stamped(obj: bpy.types.Object, *cells: tuple[int, int], **settings: Any) -> bool:
    """A stroke of what is held over cells of a layer; True: something was changed."""
    parts = [None] if settings.pop("erase", False) else held.for_layers([obj])
    one = stroke.StampStroke([TileGrid(obj)], parts, **settings)
    for cell in cells:
        one.to(cell)
    return one.finish()


@pytest.mark.parametrize("storage", STORAGES)
def test_a_pencil_puts_tiles_over_old_ones_and_into_air(storage: str) -> None:
    level, obj = opened(storage)
    held.choose(bpy.context, "TILES", (2, 1, 2, 1))
    assert stamped(obj, (0, 1), (0, 2))
    index, flags = records(level)
    assert index == [[5, 6, 7, 0, 0, 0], [18, 19, 0, 0, 0, 0], [18, 19, 9, 9, 9, 9], [0] * 6]
    assert flags == [[0, 1, 8, 0, 0, 0], *[[0] * 6] * 3]


@pytest.mark.parametrize("storage", STORAGES)
def test_each_mode_covers_its_cells(storage: str) -> None:
    level, obj = opened(storage)
    held.choose(bpy.context, "TILES", (4, 0, 1, 1))
    stamped(obj, (3, 0), (5, 0), mode="LINE")
    stamped(obj, (0, 3), (5, 3), (1, 3), mode="RECTANGLE")
    stamped(obj, (2, 1), mode="FILL")
    stamped(obj, (1, 2), erase=True, size=2)
    index, _ = records(level)
    assert index == [[5, 6, 7, 4, 4, 4], [4] * 6, [9, 0, 0, 9, 9, 9], [4, 0, 0, 0, 0, 0]]


@pytest.mark.parametrize("storage", STORAGES)
def test_a_fill_goes_on_over_tiles_that_differ_in_what_nobody_sees(storage: str) -> None:
    level = imported(
        board().replace(tile(9) * 6, tile(9) * 2 + tile(9, teeworlds.TileFlag.OPAQUE) * 4), **STORAGES[storage]
    )
    bpy.context.view_layer.update()
    held.choose(bpy.context, "TILES", (3, 0, 1, 1))
    stamped(layer(level, "Ground"), (0, 2), mode="FILL")
    assert records(level)[0][2] == [3] * 6


def test_the_angle_that_is_set_follows_a_turn() -> None:
    values = held.settings(bpy.context)
    values.angle, values.force = 45, 9
    held.choose(bpy.context, "SPEEDUP", (12, 1, 1, 1))
    assert bpy.ops.levelwright.teeworlds_turn_stamp(way="FLIP_X") == {"FINISHED"}
    assert (
        (values.angle, values.force)
        == (135, 9)
        == tuple(held.parts()[0].values[name][0, 0] for name in ("angle", "force"))
    )
    held.drop()
    assert bpy.ops.levelwright.teeworlds_turn_stamp(way="FLIP_X") == {"CANCELLED"}


@pytest.mark.parametrize("storage", STORAGES)
def test_a_stamp_of_the_map_comes_back_turned(storage: str) -> None:
    level, obj = opened(storage)
    held.pick(bpy.context, stroke.picked([TileGrid(obj)], (2, 0), (0, 0)))
    held.turn(bpy.context, "FLIP_X")
    stamped(obj, (3, 1))
    index, flags = records(level)
    assert index[1] == [0, 0, 0, 7, 6, 5]
    assert flags[1] == [0, 0, 0, 10, 0, 1]


@pytest.mark.parametrize("storage", STORAGES)
def test_what_was_not_stamped_stays_byte_for_byte(storage: str) -> None:
    level, obj = opened(storage)
    before = exported(level)
    held.choose(bpy.context, "TILES", (5, 0, 1, 1))
    assert not stamped(obj, (0, 0))  # it is there already
    assert exported(level) == before
    one = stroke.StampStroke([TileGrid(obj)], held.for_layers([obj]), "RECTANGLE")
    one.to((0, 0))
    one.to((5, 3))
    one.abandon()
    assert exported(level) == before
    stamped(obj, (4, 3))
    stamped(obj, (4, 3), erase=True)
    assert records(level) == records(imported(before, **STORAGES[storage]))


def test_stamped_air_takes_away_where_it_is_asked_to() -> None:
    level, obj = opened("mesh")
    held.choose(bpy.context, "TILES", (0, 0, 2, 1))
    stamped(obj, (0, 2), air=False)
    stamped(obj, (2, 2))
    assert records(level)[0][2] == [9, 1, 0, 1, 9, 9]
    assert len(obj.data.polygons) == 3 + 5  # no face is left of what was taken away


def test_faces_and_their_other_attributes_stay() -> None:
    _, obj = opened("mesh")
    mesh = obj.data
    mesh.attributes.new("mine", "FLOAT", "FACE").data.foreach_set("value", np.arange(9, dtype=np.float32))
    material = mesh.materials[0]
    held.choose(bpy.context, "TILES", (1, 0, 1, 1))
    stamped(obj, (5, 3))
    stamped(obj, (0, 0), erase=True)
    values = np.empty(len(mesh.polygons), np.float32)
    mesh.attributes["mine"].data.foreach_get("value", values)
    assert values.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 0]
    assert list(mesh.materials) == [material]
    assert not mesh.validate()
    assert mesh.uv_layers.active.name == layout.UV


def test_a_moved_layer_is_stamped_where_it_is_seen() -> None:
    _, obj = opened("mesh")
    obj.location.x, obj.location.y = 1, -1
    grid = TileGrid(obj)
    assert grid.values["index"][1].tolist() == [0, 5, 6, 7, 0, 0]
    held.choose(bpy.context, "TILES", (1, 0, 1, 1))
    one = stroke.StampStroke([grid], held.for_layers([obj]))
    one.to((5, 3))
    one.finish()
    stamped(obj, (1, 2), (6, 2), erase=True, mode="LINE")
    stamped(obj, (1, 3), (6, 3), erase=True, mode="LINE")
    assert TileGrid(obj).values["index"].sum() == 5 + 6 + 7
    stamped(obj, (0, 0))
    obj.data.update()
    assert TileGrid(obj).values["index"][0, 0] == 1
    obj.rotation_euler.z = 0.5
    with pytest.raises(SceneError, match="Ground is turned"):
        TileGrid(obj)


def test_physics_values_are_settings_of_the_tool() -> None:
    level = operators.new_map(bpy.context, "new", 8, 4)
    group = groups_of(level)[0]
    values = held.settings(bpy.context)
    wanted = {
        "TELE": ({"number": 7}, 26),
        "SWITCH": ({"number": 3, "delay": 9}, 22),
        "SPEEDUP": ({"force": 20, "max_speed": 5, "angle": 270}, 28),
        "TUNE": ({"number": 4}, 68),
    }
    for kind, (fields, index) in wanted.items():
        obj = operators.add_tile_layer(level, group, kind, kind.title(), (8, 4))
        for name, value in fields.items():
            setattr(values, name, value)
        held.choose(bpy.context, kind, (index % 16, index // 16, 1, 1))
        stamped(obj, (2, 1))
        for name in fields:  # set afterwards, it changes the stamp that is held
            setattr(values, name, 1)
        stamped(obj, (5, 1))
    written = {one.tile_kind.name: one.tiles() for one in teeworlds.read(exported(level)).groups[0].layers}
    for kind, (fields, index) in wanted.items():
        tiles = written[kind]
        assert tiles["type"][1].tolist() == [0, 0, index, 0, 0, index, 0, 0]
        for name, value in fields.items():
            assert tiles[name][1].tolist() == [0, 0, value, 0, 0, 1, 0, 0]
    held.pick(bpy.context, stroke.picked([TileGrid(layer(level, "Tele"))], (2, 1), (2, 1)))
    assert values.number == 7


def test_the_layers_of_a_group_are_picked_and_stamped_together() -> None:
    level = imported(board())
    bpy.context.view_layer.update()
    group = groups_of(level)[0]
    bpy.context.view_layer.objects.active = next(obj for obj in group.objects if obj.type == "EMPTY")
    both = targets.layers(bpy.context)
    assert [obj.get("layer_name") for obj in both] == ["Ground", "Over"]
    grids = targets.grids(bpy.context)
    held.pick(bpy.context, stroke.picked(grids, (0, 0), (1, 0)))
    one = stroke.StampStroke(grids, held.for_layers(both))
    one.to((4, 3))
    assert one.finish()
    assert records(level)[0][3] == [0, 0, 0, 0, 5, 6]
    assert records(level, "Over")[0][3] == [0, 0, 0, 0, 33, 0]
    held.choose(bpy.context, "TILES", (1, 0, 1, 1))
    with pytest.raises(SceneError, match="1 layer, the group 2"):
        held.for_layers(both)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_stroke_is_one_undo_step(storage: str) -> None:
    level, obj = opened(storage)
    name, before = obj.name, exported(level)
    held.choose(bpy.context, "TILES", (3, 0, 1, 1))
    bpy.ops.ed.undo_push(message="before")
    paint: Any = bpy.ops.levelwright.teeworlds_stamp
    assert paint("EXEC_DEFAULT", True, mode="RECTANGLE", x=1, y=1, to_x=3, to_y=2) == {"FINISHED"}
    after = TileGrid(bpy.data.objects[name]).values["index"].copy()
    assert after[1].tolist() == [0, 3, 3, 3, 0, 0]
    bpy.ops.ed.undo()
    assert TileGrid(bpy.data.objects[name]).values["index"][1].tolist() == [0] * 6
    bpy.ops.ed.redo()
    assert np.array_equal(TileGrid(bpy.data.objects[name]).values["index"], after)
    bpy.ops.ed.undo()
    assert exported(originals.levels()[0]) == before


def test_undo_of_a_stroke_keeps_what_was_painted_by_hand() -> None:
    """Blender's undo has no pixels that a script or a brush wrote: they are packed before the stroke."""
    _, obj = opened("image")
    name, image = obj.name, obj[layout.FIELD_IMAGES[0]]
    pixels = np.empty(6 * 4 * 4, np.float32)
    image.pixels.foreach_get(pixels)
    pixels.reshape(4, 6, 4)[0, 5, 0] = 77 / 255
    image.pixels.foreach_set(pixels)
    bpy.ops.ed.undo_push(message="painted")
    held.choose(bpy.context, "TILES", (3, 0, 1, 1))
    paint: Any = bpy.ops.levelwright.teeworlds_stamp
    assert paint("EXEC_DEFAULT", True) == {"FINISHED"}
    bpy.ops.ed.undo()
    index = TileGrid(bpy.data.objects[name]).values["index"]
    assert (index[0, 0], index[3, 5]) == (5, 77)
    assert records(originals.levels()[0])[0][3][5] == 77


def test_layers_that_cannot_be_painted_are_refused_by_name() -> None:
    _, obj = opened("mesh")
    held.choose(bpy.context, "TILES", (1, 0, 1, 1))
    obj.modifiers.new("Wave", "WAVE")
    with pytest.raises(SceneError, match="Ground has modifiers"):
        TileGrid(obj)
    obj.modifiers.clear()
    obj.hide_set(True)
    with pytest.raises(SceneError, match="Ground is hidden"):
        targets.grids(bpy.context)
    obj.hide_set(False)
    held.drop()
    with pytest.raises(SceneError, match="no stamp is held"):
        held.for_layers([obj])
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(SceneError, match="Ground is in edit mode"):
        TileGrid(obj)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_mesh_of_an_older_version_is_stamped_too() -> None:
    """0.3 had no UV_TILE: faces are what they show."""
    level, obj = opened("mesh")
    obj.data.attributes.remove(obj.data.attributes[UV_TILE])
    before = exported(level)
    held.choose(bpy.context, "TILES", (1, 0, 1, 1))
    one = stroke.StampStroke([TileGrid(obj)], held.for_layers([obj]))
    one.to((0, 0))
    one.abandon()
    assert obj.data.attributes.get(UV_TILE) is None
    assert exported(level) == before
    stamped(obj, (0, 0))
    assert records(level)[0][0] == [1, 6, 7, 0, 0, 0]
    assert records(level)[1][0] == [0, 1, 8, 0, 0, 0]


class Roof:
    """An automapper that puts tile 99 over whatever was edited."""

    def run(self, index: np.ndarray, _flags: np.ndarray, region: tuple[int, int, int, int]) -> tuple[int, ...]:
        x, y, width, _ = region
        index[y - 1, x : x + width] = 99
        return x, y - 1, width, 1


@pytest.mark.parametrize("storage", STORAGES)
def test_an_automapper_follows_a_stroke(storage: str) -> None:
    level, obj = opened(storage)
    held.choose(bpy.context, "TILES", (1, 0, 1, 1))
    mapper: Any = Roof()
    one = stroke.StampStroke([TileGrid(obj)], held.for_layers([obj]), mappers=[mapper])
    one.to((1, 3))
    one.to((3, 3))
    assert one.finish()
    assert records(level)[0][2:] == [[9, 99, 99, 99, 9, 9], [0, 1, 1, 1, 0, 0]]


def test_of_two_faces_in_a_cell_one_is_left() -> None:
    """An export refuses such tiles: a stroke over them mends it."""
    level, obj = opened("mesh")
    positions = np.empty(3 * len(obj.data.vertices), np.float32)
    obj.data.attributes["position"].data.foreach_get("vector", positions)
    points = positions.reshape(-1, 4, 3)
    points[1] = points[0]
    obj.data.attributes["position"].data.foreach_set("vector", positions)
    held.choose(bpy.context, "TILES", (1, 0, 1, 1))
    with pytest.raises(SceneError, match="overlapping"):
        exported(level)
    stamped(obj, (0, 0))
    assert records(level)[0][0] == [1, 0, 7, 0, 0, 0]


def test_tiles_that_the_game_does_not_know_in_a_layer_are_not_offered_and_are_told() -> None:
    m = Map()
    m.version()
    m.group("Game")
    m.tiles(4, 3, EMPTY * 12, flags=raw.GAME)
    m.tiles(4, 3, bytes(6 * 12), flags=raw.SPEEDUP, title="Fast")
    obj = layer(imported(m.build(), physics=True), "Fast")
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = obj
    with pytest.raises(RuntimeError, match=r"27: no speedup of the game's, which knows 28, 29: it does nothing there"):
        bpy.ops.levelwright.teeworlds_choose_tile(index=27)
    assert not held.parts()
    assert bpy.ops.levelwright.teeworlds_choose_tile(index=28) == {"FINISHED"}
    held.choose(bpy.context, "SPEEDUP", (10, 1, 4, 1))  # 26 to 29
    assert held.parts()[0].values["index"].tolist() == [[0, 0, 28, 29]]
    held.pick(bpy.context, [held.parts()[0].with_field("index", 27)])  # of a map that has it
    one = stroke.StampStroke([TileGrid(obj)], held.for_layers([obj]))
    one.to((0, 0))
    assert one.finish()
    assert one.unknown() == [f"{obj.name}: 27: no speedup of the game's, which knows 28, 29: it does nothing there"]


def test_all_that_ddnet_knows_has_a_word_in_its_picture() -> None:
    for kind, known in stamps.KNOWN.items():
        worded = set(physics._rows(physics._TABLES.get(kind, "")))
        assert kind == "SPEEDUP" or worded <= known | set(range(203, 256)), kind
    assert stamps.unknown("GAME", np.array([3, 77])) == []
    assert stamps.unknown("TUNE", np.array([0, 68, 69])) == [69]


def test_the_layer_to_paint_is_chosen_by_its_name() -> None:
    level, _ = opened("mesh")
    over = layer(level, "Over")
    assert bpy.ops.levelwright.teeworlds_paint_layer(layer=over.name) == {"FINISHED"}
    assert targets.layers(bpy.context) == [over] and not bpy.context.selected_objects
    held.choose(bpy.context, "TILES", (2, 1, 1, 1))
    assert bpy.ops.levelwright.teeworlds_stamp(x=0, y=3, to_x=1, to_y=3) == {"FINISHED"}
    assert records(level, "Over")[0][3] == [18, 18, 0, 0, 0, 0]
    over.hide_set(True)
    for name, said in ((over.name, "hidden"), ("Cube", "isn't a tile layer")):
        with pytest.raises(RuntimeError, match=said):
            bpy.ops.levelwright.teeworlds_paint_layer(layer=name)


@pytest.mark.parametrize(
    ("name", "domain", "kind"),
    [
        ("index", "POINT", "INT"),
        ("flags", "CORNER", "INT"),
        ("uv_tile", "FACE", "FLOAT_VECTOR"),
        ("index", "FACE", "FLOAT"),
    ],
)
def test_attributes_that_hold_no_whole_number_a_face_are_refused(name: str, domain: str, kind: str) -> None:
    """Nodes write points where nobody says otherwise."""
    level, obj = opened("mesh")
    obj.data.attributes.remove(obj.data.attributes[name])
    made = obj.data.attributes.new(name, kind, domain)
    if kind == "FLOAT":
        made.data.foreach_set("value", np.full(len(made.data), 3.5, np.float32))
    held.choose(bpy.context, "TILES", (2, 1, 1, 1))
    count = len(obj.data.polygons)
    with pytest.raises(SceneError, match=f"attribute {name} must hold one whole number a face"):
        stamped(obj, (0, 0), (0, 3))
    assert len(obj.data.polygons) == count
    with pytest.raises(SceneError, match=name):
        exported(level)


def test_what_the_key_for_erasing_sets_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    monkeypatch.setattr(stage, "redraw", drawn.append)
    opened("mesh")
    held.settings(bpy.context).erase = True
    assert drawn == [bpy.context.window_manager]
