# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits that no step of the export wrote or spoke of before: written, refused or told by name."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene import attributes
from levelwright.addon.scene.fates import ledger
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.fates import FATES
from levelwright.addon.teeworlds.tiles import faces
from levelwright.formats.teeworlds.tile_faces import UV_TILE

from tests.addon.teeworlds.export_helpers import changes, exported, imported, layer, parse, part
from tests.formats.teeworlds_bytes import GAME, LAYER, Map, quad, small_map, tile, whole_map
from tests.samples import first_light

DECO, TELE = 3, 4


def warnings(level: bpy.types.Collection) -> list[str]:
    report = Report()
    exported(level, report)
    return report.warnings


@pytest.mark.parametrize("game_view", [False, True])
def test_playing_and_looking_edit_nothing(game_view: bool) -> None:
    level = imported(Path(first_light.TARGET).read_bytes(), game_view=game_view)
    ledger.enter(level, FATES)
    for frame in (1, 40, 77):
        bpy.context.scene.frame_set(frame)
        bpy.context.view_layer.update()
        report = Report()
        ledger.tell(level, FATES, report)
        assert not report.warnings
        assert not report.notes


def test_what_painting_makes_is_no_edit_that_is_told() -> None:
    level = imported(whole_map().build())
    ledger.enter(level, FATES)
    painted = layer(level, DECO)
    faces.paint(painted, [0], index=7)
    for expected in ([], ["the edit of attribute uv_tile isn't written"]):
        report = Report()
        ledger.tell(level, FATES, report)
        notes = [note for note in report.notes if "uv_tile" in note]
        assert [line for line in expected if line in "".join(notes)] == expected
        assert len(notes) == len(expected)
        made = attributes.read(painted.data, UV_TILE, "FACE")
        assert made is not None
        made[0] += 1
        attributes.write(painted.data, UV_TILE, "FACE", "INT", made)


@pytest.mark.slow
def test_all_that_real_maps_show_is_as_the_ledger_expects(corpus: Path) -> None:
    for path in sorted((corpus / "teeworlds").rglob("*.map"), key=lambda path: path.stat().st_size)[20:200:12]:
        level = imported(path.read_bytes())
        ledger.enter(level, FATES)
        report = Report()
        ledger.tell(level, FATES, report)
        assert report.lines()[1:] == [], path


def test_only_layers_of_tiles_have_a_colour() -> None:
    level = imported(whole_map().build())
    for record in (0, 9):
        layer(level, record).color[0] = 0.5
    assert warnings(level) == [
        "0 Sky: its colour isn't written: only layers of tiles have one",
        "9 Hum: its colour isn't written: only layers of tiles have one",
    ]


def test_materials_that_show_no_image_are_named_with_their_object() -> None:
    level = imported(whole_map().build())
    child = part(level, layout.QUAD, 1)
    child.material_slots[0].material = bpy.data.materials.new("plain")
    assert warnings(level) == [
        f"{child.name}: material 'plain' shows no image, the map will show 'art': a layer has one image, to be set in "
        "the sidebar"
    ]


def test_materials_of_others_on_layers_without_an_image_are_named() -> None:
    level = imported(whole_map().build())
    bare = next(
        obj
        for obj in level.all_objects
        if identity.kind_of(obj) == layout.LAYER and obj.get("image") == -1 and obj.type == "MESH"
    )
    assert warnings(level) == []
    bare.data.materials.append(bpy.data.materials.new("red"))
    assert f"{bare.name}: material 'red' shows no image, so that the map has nothing of it" in warnings(level)


def test_an_order_that_changes_nothing_is_noted() -> None:
    data = whole_map().build()
    level, report = imported(data), Report()
    layer(level, 8)[layout.ORDER] = 30  # the last one
    assert exported(level, report) == data
    assert "8 Tune: its order (30) leaves it where it was in its group" in report.notes


def test_attributes_of_animated_quads_are_written() -> None:
    data = whole_map().build()
    level = imported(data)
    child = part(level, layout.QUAD, 1)
    child.data.attributes["color_envelope_offset"].data[0].value = 77
    after = exported(level)
    (number,) = changes(data, after)[1]
    assert np.frombuffer(parse(after)[1][number], "<i4").reshape(-1, 38)[1, 34:].tolist() == [0, 250, 1, 77]
    child.data.attributes["position_envelope"].data[0].value = 0
    after = exported(level)
    assert np.frombuffer(parse(after)[1][number], "<i4").reshape(-1, 38)[1, 34] == -1


def test_a_size_of_the_other_shape_is_told() -> None:
    data = whole_map().build()
    level = imported(data)
    circle = next(obj for obj in level.all_objects if obj.get("shape") is not None)
    circle["width"] = 7.0
    assert warnings(level) == [f"{circle.name}: its width isn't written: a circle has no such size"]
    circle["shape"] = 0
    assert not warnings(level)


@pytest.mark.parametrize("storage", ["", "other", layout.MESH])
def test_how_a_layer_is_shown_is_not_edited(storage: str) -> None:
    m = small_map()
    m.tiles(20, 20, tile(1) * 400, title="large")
    level = imported(m.build(), large_layer=100)
    layer(level, 1)[layout.STORAGE] = storage
    with pytest.raises(SceneError, match="1 large: its property storage"):
        exported(level)


def test_faces_in_a_layer_that_could_not_be_read_are_refused() -> None:
    m = Map()
    m.version()
    m.group("Game")
    m.tiles(4, 3, bytes(48), flags=GAME)
    m.tiles(4, 3, bytes(8), title="short")
    m.quads([quad()])
    m.layer((0, 3, 0, 2, 9, 2, -1, 0, 0, 0))
    data = m.build()
    level = imported(data)
    assert exported(level) == data
    for record in (1, 3):
        obj = layer(level, record)
        assert obj[layout.STORAGE] == layout.KEPT
        mesh = obj.data
        obj.data = layer(level, 2).data
        with pytest.raises(SceneError, match="can't get faces") as caught:
            exported(level)
        assert caught.value.objects == [obj]
        obj.data = mesh
    layer(level, 3)["detail"] = True
    assert changes(data, exported(level)) == ({(LAYER, 3): [2]}, [])


def test_attributes_that_faces_have_lost_are_told_by_name() -> None:
    data = whole_map().build()
    level = imported(data)
    deco, tele, quads = layer(level, DECO), layer(level, TELE), layer(level, 0)
    for obj, name in ((deco, "flags"), (deco, layout.UV), (tele, "number"), (quads, "color_envelope")):
        attributes = obj.data.attributes
        attributes.remove(attributes[name])
    report = Report()
    assert exported(level, report) == data
    assert report.warnings == [
        f"{obj.name}: attribute {name} of faces is gone, or is of another type: what it told stays as it was"
        for obj, name in ((quads, "color_envelope"), (deco, "flags"), (deco, layout.UV), (tele, "number"))
    ]


def test_a_material_on_a_layer_without_an_image_is_told() -> None:
    data = whole_map().build()
    level = imported(data)
    tele = layer(level, TELE)
    tele.material_slots[0].material = layer(level, DECO).material_slots[0].material
    report = Report()
    assert exported(level, report) == data
    assert [line.partition(":")[0] for line in report.warnings] == [tele.name]
    tele.material_slots[0].material = bpy.data.materials.new("paint")
    assert warnings(level) == [
        f"{tele.name}: material 'paint' isn't written: only tile layers that are seen have an image"
    ]


def test_a_layer_without_its_size_keeps_that_of_the_file() -> None:
    data = whole_map().build()
    level = imported(data)
    ledger.enter(level, FATES)
    deco = layer(level, DECO)
    del deco["width"], deco["height"]
    report = Report()
    assert exported(level, report) == data
    ledger.tell(level, FATES, report)
    assert sorted(line for line in report.warnings if "was deleted" in line) == [
        f"{deco.name}: property {name} was deleted, but that isn't written: without it the file keeps what it says"
        for name in ("height", "width")
    ]
