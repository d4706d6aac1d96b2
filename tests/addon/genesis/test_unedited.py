# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels that are odd or damaged, unedited: the same bytes; and what an edit of them changes. Found by the fuzzer."""

import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.scene.reports import Report
from levelwright.formats import genesis

from tests.addon.genesis.export_helpers import brush, exported, imported, laid_box, part, sample
from tests.formats import genesis_3dt_text as text
from tests.formats import genesis_compiled_bytes as compiled
from tests.formats.genesis_bytes import HINGE, LIGHT, entity, face, level, light, model, motion, typedef
from tests.formats.genesis_bytes import brush as brush_bytes


def unedited(data: bytes, name: str = "test.map", **options: object) -> None:
    report = Report()
    assert exported(imported(data, name, **options), report) == data
    assert not report.notes, report.lines()


@pytest.mark.parametrize("version", text.VERSIONS, ids=lambda version: f"1.{version[1]}")
def test_a_3dt_of_every_version(version):
    """Also where a model stands far along its way: going there and back leaves a rounding that is no edit."""
    unedited(text.whole_level(version).encode("latin-1"), "test.3dt")


def test_keys_that_brushes_and_materials_use_are_an_entitys_own():
    data = level([entity([brush_bytes(laid_box())]), light("8 16 -24", order="2", texture="rock")])
    scene = imported(data)
    assert exported(scene) == data
    obj = part(scene, layout.ENTITY, 1)
    obj["texture"], obj["order"] = "wood", 3
    pairs = genesis.read(exported(scene)).entities[1]
    assert (pairs.get("texture"), pairs.get("order")) == ("wood", "3")


def test_a_brush_that_a_mesh_of_many_cannot_show_is_not_removed():
    nothing = brush_bytes([face((1, 0, 0), 64), face((0, 0, 0), 0)])
    boxes = [brush_bytes(laid_box()), nothing, brush_bytes(laid_box((96, 0, 0), (128, 64, 64)))]
    for order in (boxes, boxes[1:], boxes[1::-1]):
        data = level([entity(order), light(), typedef("light", LIGHT)])
        unedited(data, many_brushes=1)


def repeated(low: tuple[float, float, float] = (-64, -64, -64)) -> str:
    """A brush with a face that it has twice, one of a corner twice, and one of two corners."""
    made = text.leaf("box", low=low)
    first = made[made.index("\t\tNumPoints") : made.index("\t\tNumPoints", made.index("\t\tNumPoints") + 1)]
    rows = [line for line in first.splitlines(keepends=True) if "Vec3d" in line]
    twice = first.replace(rows[1], rows[0])
    short = first.replace("NumPoints 4", "NumPoints 2").replace(rows[2] + rows[3], "")
    return made.replace("BrushFaces 6", "BrushFaces 9") + first + twice + short


def test_faces_that_no_mesh_can_hold_go_along_with_their_brush():
    data = text.level(brushes=[repeated()]).encode("latin-1")
    unedited(data, "test.3dt")
    scene = imported(data, "test.3dt")
    brush(scene, 0).location.x += 32
    after = genesis.read(exported(scene))
    assert after.leaves()[0].faces[0].points.tolist() != genesis.read(data).leaves()[0].faces[0].points.tolist()
    for before, now in zip(genesis.read(data).leaves()[0].faces, after.leaves()[0].faces, strict=True):
        assert now.points.tolist() == [[x + 32, y, z] for x, y, z in before.points.tolist()]


@pytest.mark.parametrize(
    "data",
    [
        sample(more=[model(motion(HINGE, events=[("1e30", "far"), ("1.000000", "\xe9" * 63)]))]),
        sample(more=[light(light="1e38", color="1e30 0 0"), light(light="-9", color="-5 300 0")]),
        sample(more=[light("nan 1e39 0")]),
        sample(more=[entity([brush_bytes(laid_box())], pairs=[("classname", "%Model%"), ("origin", "nan 0 0")])]),
    ],
    ids=["events", "light", "place", "model"],
)
def test_numbers_that_blender_has_no_room_for(data):
    unedited(data)


def test_a_compiled_level_without_entities_has_a_world_when_it_is_decompiled():
    data = compiled.room(chunks={compiled.ENTITIES: compiled.entities([])})
    scene = imported(data, "test.bsp", compiled="brushes")
    assert len(genesis.read(exported(scene)).world.brushes) == 8
    unedited(data, "test.bsp")
    unedited(compiled.room(chunks={compiled.ENTITIES: None}), "test.bsp")


def test_levels_without_entities_get_a_world_when_something_is_added():
    unedited(level([]))
    scene = imported(level([]))
    scene["TextureLib"] = "a.txl"
    (world,) = genesis.read(exported(scene)).entities
    assert world.get("TextureLib") == "a.txl"


def test_a_model_of_a_compiled_level_that_no_entity_is():
    everyone = [compiled.everyone()[0], *compiled.everyone()[2:]]
    data = compiled.room(chunks={compiled.ENTITIES: compiled.entities(everyone)})
    unedited(data, "test.bsp")
