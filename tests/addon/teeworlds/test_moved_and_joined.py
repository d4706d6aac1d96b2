# SPDX-License-Identifier: GPL-3.0-or-later
"""Quads and sources put into another group, and layers joined into one: what the map gets, and what is refused."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import teeworlds

from tests.addon.teeworlds.export_helpers import exported, group, imported, layer, part
from tests.formats import teeworlds_bytes as raw
from tests.formats.teeworlds_bytes import Map, quad, tile

FAR = 32 * 1024
"""A tile, in the file's units."""


def square(x: int) -> tuple[tuple[int, int], ...]:
    return ((x, 0), (x + FAR, 0), (x, FAR), (x + FAR, FAR))


def two_groups() -> bytes:
    """A layer of a still and a moving quad in the first group, another group after it, and the game's."""
    m = Map()
    m.version()
    m.envelope(3, [(0, 1, 0, 0, 0, 0), (1000, 1, FAR, 0, 0, 0)])
    art = m.image("art", 16, 16, bytes(4 * 256))
    m.group("from")
    m.quads([quad(square(0)), quad(square(FAR), envelopes=(0, 0, -1, 0))], image=art, title="sky")
    m.group("to", parallax=(50, 50))
    m.tiles(2, 2, tile(1) * 4, image=art, title="tiles")
    m.group("Game")
    m.tiles(2, 2, bytes(16), flags=raw.GAME)
    return m.build()


def xs(data: bytes) -> list[list[list[int]]]:
    """By group and layer of quads the left edges of the quads, in tiles."""
    level = teeworlds.read(data)
    return [
        [
            (one.quads()["points"][:, 0, 0] // FAR).tolist()
            for one in group.layers
            if isinstance(one, teeworlds.QuadLayer)
        ]
        for group in level.groups
    ]


def move(obj: bpy.types.Object, target: bpy.types.Collection) -> None:
    for old in obj.users_collection:
        old.objects.unlink(obj)
    target.objects.link(obj)


def moving_quad(level: bpy.types.Collection) -> bpy.types.Object:
    return next(iter(layer(level, 0).children))


def test_a_quad_moved_into_another_groups_collection_goes_there() -> None:
    data = two_groups()
    level = imported(data)
    one = moving_quad(level)
    move(one, group(level, 1))
    report = Report()
    after = exported(level, report)
    assert xs(data) == [[[0, 1]], [], []] and xs(after) == [[[0]], [[1]], []]
    before, layers = teeworlds.read(data), teeworlds.read(after).groups[1].layers
    assert [one.name for one in layers] == ["tiles", "sky"]
    assert layers[1].image == 0 and layers[1].quads().tobytes() == before.groups[0].layers[0].quads()[1:].tobytes()
    assert any(repr(one.name) in note and "sky" in note for note in report.notes)


def test_a_copy_of_a_quad_in_another_group_goes_there_too() -> None:
    data = two_groups()
    level = imported(data)
    twin = moving_quad(level).copy()
    twin.data = twin.data.copy()
    group(level, 1).objects.link(twin)
    assert xs(exported(level)) == [[[0, 1]], [[1]], []]


def test_a_quad_in_both_groups_stays_with_its_layer() -> None:
    data = two_groups()
    level = imported(data)
    group(level, 1).objects.link(moving_quad(level))
    assert exported(level) == data


def test_a_mesh_moved_before_the_group_of_its_layer_leaves_the_record_there() -> None:
    m = Map()
    m.version()
    m.group("before")
    m.group("home")
    m.quads([quad(square(0))], title="sky")
    m.group("Game")
    m.tiles(2, 2, bytes(16), flags=raw.GAME)
    data = m.build()
    level = imported(data)
    home = layer(level, 0)
    extra = bpy.data.objects.new("extra", home.data.copy())
    extra.parent = home
    group(level, 0).objects.link(extra)
    assert xs(exported(level)) == [[[0]], [[0]], []]


def test_a_layers_copy_in_another_group_takes_its_quads_along() -> None:
    data = two_groups()
    level = imported(data)
    home = layer(level, 0)
    twin, one = home.copy(), moving_quad(level).copy()
    one.parent = twin
    for obj in (twin, one):
        group(level, 1).objects.link(obj)
    assert xs(exported(level)) == [[[0, 1]], [[0, 1]], []]


def join(level: bpy.types.Collection, first: int, second: int) -> bpy.types.Object:
    bpy.context.view_layer.update()
    bpy.ops.object.select_all(action="DESELECT")
    into = layer(level, first)
    for obj in (into, layer(level, second)):
        obj.select_set(True)
    bpy.context.view_layer.objects.active = into
    bpy.ops.object.join()
    return into


def two_layers(kind: str, same: bool) -> bytes:
    m = Map()
    m.version()
    first = m.image("art", 16, 16, bytes(range(256)) * 4)
    second = first if same else m.image("other", 16, 16, bytes(1024))
    m.group("drawn")
    if kind == "quads":
        m.quads([quad(square(0))], image=first)
        m.quads([quad(square(FAR))], image=second)
    else:
        m.tiles(2, 2, tile(1) * 2 + bytes(8), image=first)
        m.tiles(2, 2, (tile(2) if kind == "tiles over tiles" else bytes(4)) * 2 + tile(2) * 2, image=second)
    m.group("Game")
    m.tiles(2, 2, bytes(16), flags=raw.GAME)
    return m.build()


@pytest.mark.parametrize(("kind", "faces"), [("tiles", [2, 3]), ("tiles over tiles", [2, 3, 4, 5]), ("quads", [1])])
def test_joining_layers_of_different_images_is_refused_with_both_names(kind: str, faces: list[int]) -> None:
    level = imported(two_layers(kind, same=False))
    joined = join(level, 0, 1)
    with pytest.raises(SceneError, match="image 'art' and image 'other'") as caught:
        exported(level)
    assert caught.value.objects == [joined]
    assert caught.value.faces[joined].tolist() == faces


@pytest.mark.parametrize("kind", ["tiles", "quads"])
def test_layers_of_one_image_can_be_joined(kind: str) -> None:
    level = imported(two_layers(kind, same=True))
    join(level, 0, 1)
    (only,) = teeworlds.read(exported(level)).groups[0].layers
    if kind == "tiles":
        assert only.tiles()["index"].tolist() == [[1, 1], [2, 2]]
    else:
        assert len(only.quads()) == 2


def test_a_source_moved_into_another_groups_collection_goes_there() -> None:
    m = Map()
    m.version()
    m.group("from")
    m.sounds([raw.source(0, 0), raw.source(FAR, 0)], sound=-1, title="wind")
    m.group("to")
    m.group("Game")
    m.tiles(2, 2, bytes(16), flags=raw.GAME)
    level = imported(m.build())
    speaker = part(level, "source", 1)
    move(speaker, group(level, 1))
    groups = teeworlds.read(exported(level)).groups
    assert [[one.sources()["x"].tolist() for one in group.layers] for group in groups[:2]] == [[[0]], [[FAR]]]
    assert np.array_equal(groups[1].layers[0].sources()["x"], [FAR])
