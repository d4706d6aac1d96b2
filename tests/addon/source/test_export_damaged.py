"""Scenes that are not as the import left them in ways that no tool makes: refused by name, or exported all the same."""

import bpy
import pytest
from levelwright.addon.scene import baselines, identity, originals, transforms
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout

from tests.addon.source.exports import Scene

KINDS = (layout.ENTITY, layout.STATIC_PROP, layout.OVERLAY, layout.CUBEMAP, layout.WORLDLIGHT)


@pytest.mark.parametrize("kind", KINDS)
def test_records_that_are_not_there(kind: str) -> None:
    here = Scene()
    obj = here.objects(kind)[max(here.objects(kind))]
    identity.stamp(obj, originals.describe(here.level).token, kind, 900)
    with pytest.raises(SceneError, match="900 isn't there") as caught:
        here.export()
    assert caught.value.objects == [obj]


@pytest.mark.parametrize("kind", KINDS)
def test_objects_that_do_not_know_where_they_were(kind: str) -> None:
    """Places that are still right are not written, though nothing says so."""
    here = Scene()
    for obj in here.objects(kind).values():
        del obj[transforms.BASELINE]
    assert here.export().file.write() == here.data
    obj.location.x += 2 if kind != layout.OVERLAY else 1
    assert len(here.changed(here.export())) > 0


@pytest.mark.parametrize("key", [layout.OVERLAY_CORNERS, layout.OVERLAY_UVS])
def test_what_the_import_made_of_overlays_is_lost(key: str) -> None:
    here = Scene()
    baselines.forget(here.level, key)
    with pytest.raises(SceneError, match="is lost") as caught:
        here.export()
    assert caught.value.objects == [here.objects(layout.OVERLAY)[0]]


def test_other_things_that_are_lost_change_nothing() -> None:
    here = Scene()
    for key in (layout.SKINS, layout.SHADES):
        baselines.forget(here.level, key)
    del here.level[layout.SHOWN]  # nothing is deleted then
    for kind in (layout.STATIC_PROP, layout.CUBEMAP):
        bpy.data.objects.remove(here.objects(kind)[0])
    assert here.export().file.write() == here.data


def test_a_root_too_many_or_none() -> None:
    here = Scene()
    root = here.objects("root")[0]
    second = root.copy()
    here.level.objects.link(second)
    with pytest.raises(SceneError, match="2 root empties") as caught:
        here.export()
    assert set(caught.value.objects) == {root, second}
    bpy.data.objects.remove(second)
    root.location, root.rotation_euler, root.scale = (1, 2, 3), (0.1, 0.2, 0.3), (2, 2, 2)
    assert here.export().file.write() == here.data, "moving the level edits nothing"


@pytest.mark.parametrize(
    ("kind", "key", "value", "says"),
    [
        (layout.STATIC_PROP, "skin", "three", "skin"),
        (layout.STATIC_PROP, "lighting_origin", [1.0, 2.0], "shape"),
        (layout.CUBEMAP, "cubemapsize", "big", "no whole number"),
        (layout.CUBEMAP, "cubemapsize", 70000000000, "no whole number"),
        (layout.WORLDLIGHT, "intensity", [1.0], "shape"),
        (layout.WORLDLIGHT, "style", "fast", "no number"),
        (layout.OVERLAY, "render_order", -1, "render order -1"),
    ],
)
def test_values_that_are_none(kind: str, key: str, value: object, says: str) -> None:
    here = Scene()
    obj = here.objects(kind)[0]
    obj[key] = str(value) if isinstance(value, int) and value > 2**31 else value
    with pytest.raises(SceneError, match=says) as caught:
        here.export()
    assert caught.value.objects == [obj]


@pytest.mark.parametrize("kind", KINDS)
def test_places_that_are_none(kind: str) -> None:
    here = Scene()
    obj = here.objects(kind)[max(here.objects(kind))]
    obj.location.x = float("nan")
    with pytest.raises(SceneError, match="is no number") as caught:
        here.export()
    assert caught.value.objects == [obj]
