# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities of models in the middle of a map are deleted, or made brushes of the world, and made again, by operators:
numbers stay, and nothing is left of what went.
"""

from pathlib import Path

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.collision import physcollide_surface
from levelwright.formats.source.tree import brushes
from levelwright.formats.source.tree.empty_models import empty

import formats.source as library
from tests.addon.source.exports import Scene
from tests.addon.source.test_make_brush_entities import SAMPLE, chosen, imported
from tests.formats import source_door, source_hall, source_rows

E = LumpId
MAPS = {
    "door": source.write(source_door.with_door()),
    "hall": source.write(source_hall.hall()),
    "sample": SAMPLE.read_bytes(),
}
TEXTURES = ("TEXDATA", "TEXDATA_STRING_TABLE")


def nameless(level: source.Level) -> dict[str, int]:
    return source_rows.nameless(library.read(source.write(level)))


def unlit_bytes(level: source.Level) -> list[int]:
    return source_rows.unlit_bytes(library.read(source.write(level)))


def boxes(data: bytes, *classnames: str) -> bytes:
    """A map with boxes, at the 3D cursor."""
    scene = imported(data)
    for number, classname in enumerate(classnames):
        bpy.context.scene.cursor.location = (1.3 + number, 0.1, 0.6)
        assert bpy.ops.levelwright.source_add_brush_entity(what=classname) == {"FINISHED"}
    made = source.write(scene.export())
    bpy.ops.wm.read_homefile(use_empty=True)
    return made


def of_model(scene: Scene, model: int) -> bpy.types.Object:
    return next(obj for obj in scene.objects().values() if obj.get("model") == f"*{model}")


def exported(scene: Scene) -> source.Level:
    """What an export of all edits writes, in a Blender without anything."""
    level = scene.export(world="edit", geometry="rebuild")
    known = {problem.kind for problem in source.check(source.read(scene.data))}
    assert {problem.kind for problem in source.check(level)} <= known
    bpy.ops.wm.read_homefile(use_empty=True)
    return level


def sizes(level: source.Level) -> dict[str, int]:
    """How many rows tables have that an edit grows for each brush, face and model."""
    lumps = (E.MODELS, E.FACES, E.BRUSHES, E.BRUSHSIDES, E.LEAFBRUSHES, E.PLANES)
    return {lump.name: len(level.table(lump)) for lump in lumps}


def collides(level: source.Level) -> list[tuple[int, int]]:
    """Models and brushes of all hulls: a brush collides in the model that it is of."""
    owners, found = brushes.of_models(level), []
    for entry in level.physcollide.models:
        for hull in physcollide_surface.read(entry.solids[0]).hulls:
            assert owners[hull.brush] == entry.model
            corners = brushes.solids(level, np.array([hull.brush])).polygons.positions
            assert (hull.points >= corners.min(axis=0) - 0.01).all()
            assert (hull.points <= corners.max(axis=0) + 0.01).all()
            found.append((entry.model, hull.brush))
    return found


@pytest.mark.parametrize("name", MAPS)
def test_deleted_and_added_again(name: str) -> None:
    data = boxes(MAPS[name], "func_brush", "trigger_multiple")
    before = source.read(data)
    model = len(before.table(E.MODELS)) - 2
    scene = imported(data)
    bpy.data.objects.remove(of_model(scene, model))
    left = exported(scene)
    assert np.flatnonzero(empty(left)).tolist() == [model] and nameless(left) == nameless(before)
    assert set(unlit_bytes(left)) <= {0} and f"model *{model}, which no entity has any more" in str(scene.report.notes)
    kept = ("mins", "maxs", "numfaces")
    assert all((left.table(E.MODELS)[-1][key] == before.table(E.MODELS)[-1][key]).all() for key in kept)
    scene = imported(source.write(left))
    bpy.context.scene.cursor.location = (1.3, 0.1, 0.6)
    assert bpy.ops.levelwright.source_add_brush_entity(what="func_brush") == {"FINISHED"}
    again = exported(scene)
    assert again.entities[-1].model == model and not empty(again).any()
    assert sizes(again) == sizes(before) and nameless(again) == nameless(before)
    assert sorted(model for model, _ in collides(again)) == sorted(model for model, _ in collides(before))


def test_one_goes_and_one_comes_in_one_export() -> None:
    data = boxes(MAPS["hall"], "func_brush", "func_brush")
    before, scene = source.read(data), imported(data)
    bpy.data.objects.remove(of_model(scene, 1))
    bpy.context.scene.cursor.location = (1.3, 0.1, 0.6)
    assert bpy.ops.levelwright.source_add_brush_entity(what="func_brush") == {"FINISHED"}
    level = exported(scene)
    assert [entity.model for entity in level.entities[-2:]] == [2, 1]
    assert sizes(level) == sizes(before) and nameless(level) == nameless(before)
    assert "model *3, which is new, has the number *1, which was free" in scene.report.notes
    collides(level)


def test_numbers_that_something_names_are_not_taken() -> None:
    """By an output, or by an export that isn't asked to change models."""
    data = boxes(MAPS["hall"], "func_brush", "func_brush")
    scene = imported(data)
    bpy.data.objects.remove(of_model(scene, 1))
    of_model(scene, 2)["OnUser1"] = ["!self,AddOutput,model *1,0,-1"]
    level = scene.export(world="edit")
    assert not empty(level).any() and level.table(E.MODELS)["numfaces"][1] == 6
    del of_model(scene, 2)["OnUser1"]
    assert not empty(scene.export()).any()
    empty_one = source.write(scene.export(world="edit"))
    bpy.ops.wm.read_homefile(use_empty=True)
    scene = imported(empty_one)
    assert source.write(scene.export(world="edit", geometry="rebuild")) == empty_one
    of_model(scene, 2)["OnUser1"] = ["!self,AddOutput,model *1,0,-1"]
    assert bpy.ops.levelwright.source_add_brush_entity(what="func_brush") == {"FINISHED"}
    assert scene.export().entities[-1].model == 3
    del of_model(scene, 2)["OnUser1"]
    assert scene.export().entities[-1].model == 1, "also where models aren't rebuilt"


def brush_selected(scene: Scene, level: source.Level, corners: np.ndarray) -> None:
    """Select, in Edit Mode, a face of the brush of the world whose corners are these, in the map's units."""
    own = np.flatnonzero(brushes.of_models(level) == 0)
    solids = brushes.solids(level, own).polygons
    parts = [solids.positions[a:b] for a, b in zip(solids.first_vertex[:-1], solids.first_vertex[1:], strict=True)]
    away = [
        np.abs(part[:, None] - corners[None]).max(axis=2).min(axis=1).max() if len(part) == len(corners) else np.inf
        for part in parts
    ]
    assert min(away) < 0.01
    for obj in scene.objects(layout.BRUSHES).values():
        numbers = meshes.read(obj).attribute(layout.BRUSH, "FACE")
        mine = np.flatnonzero(numbers == own[int(np.argmin(away))] + 1)
        if len(mine):
            chosen(obj)
            bpy.ops.object.mode_set(mode="EDIT")
            bpy.ops.mesh.select_mode(type="FACE")
            bpy.ops.mesh.select_all(action="DESELECT")
            edited = bmesh.from_edit_mesh(obj.data)
            edited.faces.ensure_lookup_table()
            edited.faces[int(mine[0])].select_set(True)
            bmesh.update_edit_mesh(obj.data)
            return
    raise AssertionError("no object shows the brush")


def made_world_and_entity_again(data: bytes, model: int) -> tuple[source.Level, source.Level]:
    """A model's entity made a brush of the world, exported and opened; and made an entity again, exported."""
    before, scene = source.read(data), imported(data)
    entity = next(each for each in before.entities if each.model == model)
    owners = brushes.of_models(before)
    solid = brushes.solids(before, np.flatnonzero(owners == model)).polygons
    place = np.array(entity.origin if entity.origin is not None else (0, 0, 0))
    chosen(of_model(scene, model))
    assert bpy.ops.levelwright.source_make_world_brush() == {"FINISHED"}
    left = exported(scene)
    assert np.flatnonzero(empty(left)).tolist() == [model]
    collides(left)
    scene = imported(source.write(left))
    brush_selected(scene, left, solid.positions + place)
    assert bpy.ops.levelwright.source_make_brush_entity(what="func_brush") == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    again = exported(scene)
    assert again.entities[-1].model == model and not empty(again).any()
    collides(again)
    return left, again


@pytest.mark.parametrize("name", ["door", "hall"])
def test_a_brush_of_the_world_and_an_entity_again(name: str) -> None:
    data = boxes(MAPS[name], "func_brush", "func_brush")
    before = source.read(data)
    model = len(before.table(E.MODELS)) - 2
    left, again = made_world_and_entity_again(data, model)
    assert nameless(left) == nameless(before) == nameless(again)
    assert set(unlit_bytes(again)) <= {0} and len(left.table(E.BRUSHES)) == len(before.table(E.BRUSHES))
    if name == "hall":  # in the other one, sides of the room have no faces, and get some where the brush stood
        assert sizes(again) == sizes(before)


REAL = (
    ("ata4__bspsrc/wall.bsp", 13),
    ("miracleflame__VTMB-Unofficial-Patch-by-Wesp/hw_sinbin_1.bsp", 17),
    ("maybebata__msrc/gm_oasis.bsp", 1),
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "model"), REAL)
def test_in_real_maps(corpus: Path, name: str, model: int) -> None:
    paths = list((corpus / "bsp").rglob(Path(name).name))
    if not paths:
        pytest.skip(f"{name} isn't there")
    data = paths[0].read_bytes()
    before = source.read(data)
    left, again = made_world_and_entity_again(data, model)
    for level in (left, again):
        dead = nameless(level)
        assert all(dead[key] <= size for key, size in nameless(before).items() if key not in TEXTURES)
        assert unlit_bytes(level) == unlit_bytes(before)
    for lump in (E.MODELS, E.BRUSHES):
        assert len(again.table(lump)) == len(before.table(lump))
