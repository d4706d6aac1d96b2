# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a map: by the rules of DDNet, or by what can be read at all."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..arrays import Records
from ..binary import FormatError, Problem
from ..counting import number_of
from . import ddnet_rules
from .layers import Layer, QuadLayer, SoundLayer
from .level import PRE_0_4, Level
from .records import TileKind
from .save import datafile_of
from .tile_layers import TileLayer

TILESET_CELLS = 16  # DDNet takes an image off a tile layer if its sides are no multiples of this


def check(
    level: Level, rules: Literal["ddnet", "lenient"] = "ddnet", without: frozenset[int] = frozenset()
) -> list[Problem]:
    """What a game would refuse or misread in the map that `write` would make of the level.

    `ddnet`: errors are what DDNet refuses to load, warnings blobs that it does without; agrees with its `map_test`.
    `lenient`: errors are parts that cannot be decoded, warnings numbers that name nothing and other things worth a
    look; whatever `read` opened is usable without those parts. Raises ValueError for another name of rules.

    without: numbers of blobs of the file that was read, which `ddnet` doesn't look into; decoding them is what takes
    time. See `unedited_blobs`.
    """
    if rules == "lenient":
        return list(_lenient(level))
    if rules != "ddnet":
        raise ValueError(f"there are the rules 'ddnet' and 'lenient', not {rules!r}")
    try:
        return ddnet_rules.problems(datafile_of(level), [level.file.blobs[number] for number in without])
    except FormatError as error:
        return [Problem("map", f"cannot be written: {error}")]


def unedited_blobs(level: Level) -> frozenset[int]:
    """The numbers of the blobs that the level still has of the file that was read: nothing in them is new.

    Raises FormatError where the level can't be written.
    """
    numbers = {id(blob): number for number, blob in enumerate(level.file.blobs)}
    return frozenset(numbers[id(blob)] for blob in datafile_of(level).blobs if id(blob) in numbers)


def _lenient(level: Level) -> Iterator[Problem]:
    if level.era == PRE_0_4:
        yield Problem("map", "is of 2007, before 0.4: only its container is understood", "warning")
        return
    yield from _resources(level)
    games = [layer for layer in level.layers if isinstance(layer, TileLayer) and layer.tile_kind == TileKind.GAME]
    if len(games) != 1:
        yield Problem("map", f"has {number_of(len(games), 'game layers')}", "warning", abs(len(games) - 1))
    for number, group in enumerate(level.groups):
        for position, layer in enumerate(group.layers):
            yield from _layer(level, layer, f"layer {position} of group {number}")
        if level.before.groups[number : number + 1] == [group] and group.num_layers > len(level.before.layers[number]):
            yield Problem(f"group {number}", "claims layers that the map does not have", "warning")
    for orphan in level.orphans:
        yield from _layer(level, orphan, f"{orphan.title} in no group")


def _resources(level: Level) -> Iterator[Problem]:
    """Info, images, sounds and envelopes."""
    info = level.info
    if info is not None:
        for name in ("author", "map_version", "credits", "license", "settings"):
            yield from _decodes("info", partial(getattr, info, name))
    for number, image in enumerate(level.images):
        place = f"image {number}"
        yield from _decodes(place, partial(getattr, image, "name"))
        yield from _decodes(place, image.pixels)
        if not image.external and image.blob(5) is None:
            yield Problem(place, "is embedded, but has no pixels", "warning")
    for number, sound in enumerate(level.sounds):
        place = f"sound {number}"
        yield from _decodes(place, partial(getattr, sound, "name"))
        yield from _decodes(place, sound.data)
    for number, envelope in enumerate(level.envelopes):
        points = envelope.points
        if envelope.own_points is None and len(points) != envelope.num_points:
            message = f"claims {number_of(envelope.num_points, 'points')}, the map has {len(points)} of them"
            yield Problem(f"envelope {number}", message, "warning", abs(envelope.num_points - len(points)))
        back = int((np.diff(points["time"].astype(np.int64)) < 0).sum())
        if back:
            yield Problem(f"envelope {number}", "its points run back in time", "warning", back)


def _layer(level: Level, layer: Layer, place: str) -> Iterator[Problem]:
    if isinstance(layer, TileLayer):
        yield from _decodes(place, layer.tiles)
        yield from _refers(place, "image", layer.image, len(level.images))
        yield from _refers(place, "envelope", layer.color_envelope, len(level.envelopes))
        if 0 <= layer.image < len(level.images):
            image = level.images[layer.image]
            if image.width % TILESET_CELLS or image.height % TILESET_CELLS:
                size = f"{image.width} x {image.height} px"
                yield Problem(place, f"image {layer.image} has {size}: no multiples of {TILESET_CELLS}", "warning")
    elif isinstance(layer, QuadLayer):
        yield from _refers(place, "image", layer.image, len(level.images))
        yield from _records(level, place, layer.quads, ("position_envelope", "color_envelope"))
    elif isinstance(layer, SoundLayer):
        yield from _refers(place, "sound", layer.sound, len(level.sounds))
        yield from _records(level, place, layer.sources, ("position_envelope", "sound_envelope"))
    else:
        yield Problem(place, f"is of kind {layer.kind}, which is unknown", "warning")


def _records(level: Level, place: str, read: Callable[[], Records], envelopes: tuple[str, ...]) -> Iterator[Problem]:
    """Quads or sources: whether they decode, and what envelopes they name."""
    try:
        records = read()
    except FormatError as error:
        yield Problem(place, str(error))
        return
    for name in envelopes:
        yield from _refers(place, "envelope", records[name], len(level.envelopes))


def _refers(place: str, kind: str, numbers: npt.ArrayLike, count: int) -> Iterator[Problem]:
    """Whether numbers name one of `count` things; negative ones name none on purpose. Of others the least is named."""
    beyond = np.atleast_1d(numbers)[np.atleast_1d(numbers) >= count]
    if len(beyond):
        yield Problem(place, f"names {kind} {beyond.min()}, the map has {count}", "warning", len(beyond))


def _decodes(place: str, read: Callable[[], object]) -> Iterator[Problem]:
    try:
        read()
    except FormatError as error:
        yield Problem(place, str(error))
