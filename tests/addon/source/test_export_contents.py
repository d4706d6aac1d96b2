# SPDX-License-Identifier: GPL-3.0-or-later
"""What brushes contain: written to the map, to a VMF as far as that can say it, refused where faces differ."""

import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.addon.source.brushes import contents
from levelwright.formats import source
from levelwright.formats.source import LumpId

from tests.addon.source.exports import Scene, copied
from tests.addon.source.surface_edits import paint
from tests.addon.source.test_export_vmf import BrushPolygons, move_top, of_class

CLIP, DETAIL, SOLID = 0x10000, 0x8000000, 1


def contain(scene: BrushPolygons, value: int, brush: int, obj=None, only: slice = slice(None)) -> np.ndarray:
    """Give the faces of a brush other contents; the faces' numbers."""
    obj = obj or scene.brushes
    data = meshes.read(obj)
    values = data.attribute(layout.CONTENTS).copy()
    chosen = np.flatnonzero(data.attribute(layout.BRUSH) == brush + 1)[only]
    values[chosen] = value
    paint(obj, layout.CONTENTS, values, "value")
    return chosen


def test_contents_are_written_and_shown_again() -> None:
    scene = BrushPolygons()
    contain(scene, CLIP, 1)
    made = scene.export()
    assert scene.changed(made) == ["BRUSHES"]
    assert made.table(LumpId.BRUSHES)["contents"].tolist() == [SOLID, CLIP]
    assert made.table(LumpId.LEAFS)["contents"].tolist() == [1, 0, 0]
    assert scene.report.counts[contents.EDITED] == 1
    assert any(contents.STAYS in warning for warning in scene.report.warnings)
    again = Scene(source.write(made), brushes=True)
    shown = [meshes.read(obj).attribute(layout.CONTENTS) for obj in again.objects(layout.BRUSHES).values()]
    assert sorted(set(np.concatenate(shown).tolist())) == [SOLID, CLIP]
    assert source.write(again.export()) == again.data


def test_the_highest_bit_is_one_too() -> None:
    scene = BrushPolygons()
    contain(scene, -0x80000000 + 1, 0)
    assert scene.export().table(LumpId.BRUSHES)["contents"].tolist() == [0x80000001, SOLID]


def test_faces_of_one_brush_that_differ_are_refused() -> None:
    scene = BrushPolygons()
    contain(scene, CLIP, 1, only=slice(2))
    with pytest.raises(SceneError, match="1 brush has faces that differ in their 'contents'") as caught:
        scene.export()
    own = np.flatnonzero(meshes.read(scene.brushes).attribute(layout.BRUSH) == 2)
    assert caught.value.faces[scene.brushes].tolist() == own.tolist()


def test_a_copy_that_says_something_else_is_refused() -> None:
    scene = BrushPolygons()
    contain(scene, CLIP, 1, copied(scene.brushes))
    with pytest.raises(SceneError, match="and of its copies"):
        scene.export()


def test_an_attribute_that_is_gone_is_told() -> None:
    scene = BrushPolygons()
    scene.brushes.data.attributes.remove(scene.brushes.data.attributes[layout.CONTENTS])
    assert source.write(scene.export()) == scene.data
    assert any("'contents' is gone" in warning for warning in scene.report.warnings)


@pytest.mark.parametrize("moved", [False, True])
def test_a_vmf_has_detail_as_func_detail(moved: bool) -> None:
    scene = BrushPolygons()
    assert not of_class(scene.whole(), "func_detail")
    contain(scene, SOLID | DETAIL, 0)
    if moved:
        move_top(scene, 8)
    assert len(of_class(scene.whole(), "func_detail")) == 1
    assert not any("contents" in warning for warning in scene.report.warnings)


def test_contents_that_a_vmf_cannot_say_are_told() -> None:
    scene = BrushPolygons()
    contain(scene, SOLID | 0x40000, 0)  # a current
    before = BrushPolygons().text()
    assert scene.text() == before
    assert [warning for warning in scene.report.warnings if "a VMF has none" in warning]


def test_other_flags_are_told_to_be_no_part_of_a_vmf() -> None:
    scene = BrushPolygons()
    world = scene.objects(layout.MODEL)[0]
    paint(world, layout.FLAGS, meshes.read(world).attribute(layout.FLAGS) | 0x1000, "value")
    paint(world, layout.SMOOTHING_GROUPS, np.full(len(world.data.polygons), 3, np.int32), "value")
    text = scene.text()
    assert any("faces with other flags: 8. A VMF has none" in warning for warning in scene.report.warnings)
    assert text.count(b'"smoothing_groups" "3"') > 0
    move_top(scene, 8)
    assert scene.text().count(b'"smoothing_groups" "3"') == text.count(b'"smoothing_groups" "3"')
