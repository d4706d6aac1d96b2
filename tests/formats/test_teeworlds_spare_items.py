# SPDX-License-Identifier: GPL-3.0-or-later
"""Items that no edit is about: those of unknown types, and those of known types that nobody reads. All of them stay."""

from collections.abc import Callable

import numpy as np
import pytest

from formats.teeworlds import (
    POINT,
    QUAD,
    SOURCE,
    Automapper,
    Envelope,
    EnvelopeKind,
    Group,
    Image,
    Level,
    QuadLayer,
    Sound,
    TileKind,
    TileLayer,
    read,
    write,
)
from formats.teeworlds.records import BEZIER
from tests.formats.teeworlds_edits import crowded, lost, spare


def points(*times: int) -> np.ndarray:
    made = np.zeros(len(times), POINT)
    made["time"] = times
    return made


def add_group(level: Level) -> None:
    level.groups.append(Group.new("new"))


def remove_group(level: Level) -> None:
    del level.groups[0]


def reverse_groups(level: Level) -> None:
    level.groups.reverse()


def add_layer(level: Level) -> None:
    level.groups[1].layers.insert(1, TileLayer.new(TileKind.TILES, 4, 3, "new"))


def remove_layer(level: Level) -> None:
    del level.groups[1].layers[1]


def move_layer(level: Level) -> None:
    level.groups[0].layers.append(level.groups[1].layers.pop(1))


def edit_tiles(level: Level) -> None:
    layer = level.groups[1].layers[1]
    assert isinstance(layer, TileLayer)
    layer.set_tiles(np.zeros_like(layer.tiles()))


def edit_quads(level: Level) -> None:
    layer = level.groups[0].layers[0]
    assert isinstance(layer, QuadLayer)
    layer.set_quads(np.zeros(5, QUAD))


def edit_sources(level: Level) -> None:
    level.groups[2].layers[0].set_sources(np.zeros(1, SOURCE))  # type: ignore[attr-defined]


def edit_info(level: Level) -> None:
    assert level.info is not None
    level.info.author, level.info.settings = "somebody else", ["a", "b"]


def edit_points(level: Level) -> None:
    level.envelopes[0].set_points(points(0, 10))


def edit_tangents(level: Level) -> None:
    envelope = level.envelopes[0]
    tangents = np.zeros(len(envelope.points), BEZIER)
    tangents["out_x"] = 9
    envelope.set_points(envelope.points, tangents)


def add_envelope(level: Level) -> None:
    level.envelopes.append(Envelope.new(EnvelopeKind.SOUND, "new", points(0, 5)))


def remove_envelopes(level: Level) -> None:
    while level.envelopes:
        level.remove_envelope(0)


def add_image(level: Level) -> None:
    level.images.append(Image.new("new", np.zeros((2, 2, 4), np.uint8)))


def remove_images(level: Level) -> None:
    while level.images:
        level.remove_image(0)


def add_sound(level: Level) -> None:
    level.sounds.append(Sound.new("new", b"OggS"))


def remove_sound(level: Level) -> None:
    level.remove_sound(0)


def add_automapper(level: Level) -> None:
    layer = level.groups[1].layers[0]
    assert isinstance(layer, TileLayer)
    layer.automapper = Automapper.new(5)


def remove_automapper(level: Level) -> None:
    layer = level.groups[1].layers[1]
    assert isinstance(layer, TileLayer)
    layer.automapper = None


def edit_zoom(level: Level) -> None:
    level.groups[-1].parallax_zoom = 12


def remove_zooms(level: Level) -> None:
    for group in level.groups:
        group.parallax_zoom = None


EDITS: tuple[Callable[[Level], None], ...] = (
    add_group, remove_group, reverse_groups, add_layer, remove_layer, move_layer, edit_tiles, edit_quads, edit_sources,
    edit_info, edit_points, edit_tangents, add_envelope, remove_envelopes, add_image, remove_images, add_sound,
    remove_sound, add_automapper, remove_automapper, edit_zoom, remove_zooms,
)  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_spare_items_stay_in_their_order(edit: Callable[[Level], None]) -> None:
    data = crowded().build()
    level = read(data)
    spares = spare(level)
    assert len(spares) >= 18, "one of each kind"
    edit(level)
    edited = write(level)
    assert edited != data
    assert lost(spares, edited) == []


def test_a_new_group_takes_no_spare_zoom() -> None:
    level = read(crowded().build())
    assert len(level.groups) == 4
    level.groups.append(Group.new("new"))
    zooms = [group.parallax_zoom for group in read(write(level)).groups]
    assert zooms[:4] == [50, 100, 0, 100]
    assert zooms[4] == 100, "what a group without the item has"
