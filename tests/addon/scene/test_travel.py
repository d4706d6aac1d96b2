# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is recomputed to decide "unchanged": what one Blender stored, another finds unchanged, on any CPU."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.geometry import transforms
from levelwright.addon.scene.kept import baselines, identity
from levelwright.addon.scene.media import images

from tests.addon import blenders
from tests.addon.scene.scene_helpers import grid, link
from tests.addon.scene.test_properties import Lamp
from tests.addon.scene.test_transforms import turn

LOOK = """
from levelwright.addon.scene.geometry import transforms
from levelwright.addon.scene.kept import baselines, identity
from levelwright.addon.scene.media import images
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
obj = bpy.data.objects["tiles"]
result = {
    "ids": identity.read_ids(obj.data, "FACE", identity.stamped(obj).token).tolist(),
    "moved": sorted(transforms.changed_channels(obj)),
    "image": images.unchanged(bpy.data.images["image"]),
    "same": baselines.same(obj, "angles", baselines.load(obj, "angles")),
    "fields": obj["levelwright_fields"],
}
"""


def scene(path: Path) -> None:
    token = identity.new_token(b"level")
    mesh = grid("tiles", 4, shared=False)
    identity.write_ids(mesh, "FACE", np.arange(1, 17), token)
    obj = link(bpy.data.objects.new("tiles", mesh))
    parent = link(bpy.data.objects.new("parent", None))
    obj.parent = parent
    identity.stamp(obj, token, "layer", 0)
    for seed, one in enumerate((obj, parent)):
        turn(one, "XYZ", seed)
        transforms.remember(one)
    image = images.from_rgba("image", np.random.default_rng(0).integers(0, 256, (9, 7, 4)).astype(np.uint8))
    image.use_fake_user = True
    properties.write(obj, Lamp())
    baselines.store(obj, "angles", np.sin(np.linspace(0, 6, 1000)) ** 2)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


@pytest.mark.parametrize("cpu", ["as it is", pytest.param("features off", marks=pytest.mark.slow)])
@pytest.mark.parametrize("python", blenders.pythons(), ids=blenders.name)
def test_unchanged_elsewhere(tmp_path: Path, python: str, cpu: str) -> None:
    path = tmp_path / "scene.blend"
    scene(path)
    environment = blenders.without_cpu_features(python) if cpu == "features off" else None
    found = blenders.run(LOOK, path, python=python, environment=environment)
    assert found["ids"] == list(range(1, 17))
    assert found["moved"] == []
    assert found["image"] is True
    assert found["same"] is True
    assert found["fields"] == bpy.data.objects["tiles"]["levelwright_fields"]


@pytest.mark.parametrize(
    "values",
    [
        np.array([1, 2, 3], np.int32),
        np.array([[0.1, -0.0], [np.nan, np.inf]], np.float64),
        np.float32(0.1),
        np.array([], np.float32),
        np.array([True, False]),
        np.arange(4, dtype=">i4"),
        np.zeros(3, [("a", "<i4"), ("b", "<f4")]),
        [1, 2, 3],
        0.5,
    ],
    ids=repr,
)
def test_baselines(values: object) -> None:
    obj = bpy.data.objects.new("o", None)
    assert not baselines.same(obj, "k", values)
    assert baselines.load(obj, "k") is None
    for _ in range(2):
        baselines.store(obj, "k", values)
        assert baselines.same(obj, "k", values)
        assert baselines.same(obj.copy(), "k", values)
    assert baselines.load(obj, "k").shape == np.shape(values)
    baselines.forget(obj, "k")
    baselines.forget(obj, "k")
    assert not baselines.same(obj, "k", values)


def test_baselines_see_every_bit() -> None:
    obj = bpy.data.objects.new("o", None)
    nan = np.array([0x7FC00001], np.uint32).view(np.float32)
    baselines.store(obj, "k", np.array([0.0, nan[0]], np.float32))
    assert not baselines.same(obj, "k", np.array([-0.0, nan[0]], np.float32))
    assert not baselines.same(obj, "k", np.array([0.0, np.nan], np.float32))
    assert not baselines.same(obj, "k", np.array([0.0, nan[0]], np.float64))
    assert not baselines.same(obj, "k", np.array([[0.0, nan[0]]], np.float32))
    assert np.array_equal(baselines.load(obj, "k").view(np.uint32), [0, 0x7FC00001])


def test_baselines_hold_numbers_and_survive_junk() -> None:
    obj = bpy.data.objects.new("o", None)
    with pytest.raises(TypeError, match="numbers"):
        baselines.store(obj, "k", np.array(["a", None], object))
    for junk in (b"", b"<f4 3\n\0\0", b"rubbish\n", "text", 4):
        obj[baselines.PREFIX + "k"] = junk
        assert baselines.load(obj, "k") is None
        assert not baselines.same(obj, "k", [1])
