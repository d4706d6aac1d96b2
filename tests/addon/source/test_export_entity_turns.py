# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities that were turned: what wins, which of their keys say it, and which turns say nothing."""

import math

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import transforms
from levelwright.addon.scene.reports import SceneError
from levelwright.formats import source

from tests.addon.source.exports import Scene
from tests.addon.source.placed import a_map
from tests.addon.source.test_export_entities import LIGHT, edited, scene
from tests.formats import source_model_bytes as model_bytes


def test_a_new_entity_is_where_it_was_typed_until_it_is_turned() -> None:
    here = scene(LIGHT)
    for turn, move in ((0, 0), (10, 0), (0, 3)):
        made = bpy.data.objects.new("made", None)
        here.level.objects.link(made)
        made.parent = here.objects("root")[0]
        made["classname"], made["origin"], made["angles"] = "info_target", "1 2 3", "0 45 0"
        made.location, made.rotation_euler.z = (1, 2, 3), math.radians(90)
        transforms.remember(made)
        made.rotation_euler.z += math.radians(turn)
        made.location.y += move
    entities = here.export().entities[2:]
    assert [entity.get("angles") for entity in entities] == ["0 45 0", "0 100 0", "0 45 0"]
    assert [entity.get("origin") for entity in entities] == ["1 2 3"] * 3, "what is typed of its place stays"


@pytest.mark.parametrize("classname", ["keyframe_rope", "infodecal"])
def test_a_turn_that_no_entity_of_the_class_has_is_told(classname: str) -> None:
    rope = [
        ("classname", classname),
        ("origin", "1 2 3"),
        ("texture", "decals/x"),
        ("NextKey", "b"),
        ("targetname", "a"),
    ]
    end = [("classname", "keyframe_rope"), ("origin", "9 2 3"), ("targetname", "b")]
    here = scene(rope, end)
    obj = here.objects()[1]
    obj.rotation_euler.z += 1
    obj.scale.x = 2
    assert here.export().file.write() == here.data
    told = [warning for warning in here.report.warnings if warning.startswith(f"{obj.name}: its ")]
    assert [warning.partition(" so ")[2] for warning in told] == [
        "its rotation is ignored",
        "the object's scale is ignored",
    ]


@pytest.mark.parametrize("pitch", ["0", "-30", None])
def test_the_angles_of_a_light_with_and_without_a_pitch(pitch: str | None) -> None:
    """Where `pitch` says something, that of `angles` says nothing, and stays (source.md: lights look along both)."""
    pairs_of = [("classname", "light_spot"), ("origin", "0 0 64"), ("angles", "-45 10 5"), ("_light", "255 0 0 10")]
    here = scene([*pairs_of, *([("pitch", pitch)] if pitch else [])])
    obj = here.objects()[1]
    obj.rotation_euler.x += math.radians(15)
    obj.rotation_euler.z += math.radians(20)
    made = edited(here)
    if pitch == "-30":
        assert made == {"angles": "-45 30 5", "pitch": "-15"}
    else:
        assert made["angles"] == "-30 30 5"
        assert "pitch" not in made or made["pitch"] == "-30"
    again = Scene(bytes(here.export().file.write())).objects()[1]
    np.testing.assert_allclose(again.rotation_euler.to_matrix(), obj.rotation_euler.to_matrix(), atol=1e-5)


@pytest.mark.parametrize(("scale", "said"), [(1.2345678, "1.23457"), (0.5, "0.5"), (20.0, "20")])
def test_a_model_is_scaled_to_five_digits(scale: float, said: str) -> None:
    files = {f"models/a{ending}": data for ending, data in model_bytes.quad().items()}
    pairs = [("classname", "prop_dynamic"), ("origin", "1 2 3"), ("model", "models/a.mdl")]
    here = Scene(bytes(source.write(a_map([pairs], files))))
    here.objects()[1].scale = (scale, scale, scale)
    assert edited(here) == {"modelscale": said}
    here.objects()[1].scale = (scale, scale, scale * 1.1)
    with pytest.raises(SceneError, match="scaled alike along x, y and z"):
        here.export()


@pytest.mark.parametrize("size", ["2", "0.25", "0", "-1", "odd"])
@pytest.mark.parametrize("there", [True, False])
def test_a_scale_that_the_map_has_is_no_edit(size: str, there: bool) -> None:
    """Only what has its model in Blender shows it; one that is 0 or less, or no number, is none."""
    files = {f"models/a{ending}": data for ending, data in model_bytes.quad().items()} if there else {}
    pairs = [("classname", "prop_dynamic"), ("origin", "1 2 3"), ("model", "models/a.mdl"), ("modelscale", size)]
    here = Scene(bytes(source.write(a_map([pairs], files))))
    obj = here.objects()[1]
    assert obj.scale.x == (float(size) if there and size in ("2", "0.25") else 1)
    assert here.export().file.write() == here.data
    assert not here.report.warnings
    obj.scale *= 3
    if there:
        assert float(edited(here)["modelscale"]) == pytest.approx(obj.scale.x)
    else:
        assert here.export().file.write() == here.data
        assert any("its entity has no scale" in warning for warning in here.report.warnings)
