# SPDX-License-Identifier: GPL-3.0-or-later
"""New maps, and maps in the form that one of the games' editors writes (teeworlds.md §3)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from ..arrays import Int32s, Records
from ..binary import FormatError
from ..counting import number_of
from .datafile import Datafile, Item, ItemType
from .items import Automapper, Image, Info, Sound
from .layers import Group, Layer, QuadLayer, SoundLayer
from .level import PRE_0_4, Level
from .points import WIDE_VERSION, Envelope
from .records import TILE_RECORDS, WORD, Curve, EnvelopeKind, ItemKind, TileKind
from .save import datafile_of
from .tile_layers import TileLayer

Profile = Literal["preserve", "ddnet", "vanilla07"]
T = TypeVar("T")

RESOURCE_LIMIT = 64  # images, and sounds, that a client loads
NEW_SIZE = (50, 50)  # tiles; what DDNet's editor begins with
SOLID, SPAWN = 1, 192  # tiles of the game layer (teeworlds.md §3.8)


@dataclass(frozen=True, slots=True)
class _Target:
    """What a game's maps can hold, and the form they have."""

    title: str
    tile_kinds: tuple[TileKind, ...]
    tile_version: int
    tile_words: int
    image_version: int
    image_words: int
    info_words: int
    extras: bool  # DDNet's: sounds, sound envelopes, server settings, automappers
    wide_points: bool  # tangents stand in the points, not in an item of their own
    smallest_side: int  # of a tile layer
    strict_text: bool  # UTF-8 only


_TARGETS = {
    "ddnet": _Target("DDNet", tuple(TILE_RECORDS), 3, 23, 1, 6, 6, True, False, 2, True),
    "vanilla07": _Target("Teeworlds 0.7", (TileKind.TILES, TileKind.GAME), 4, 18, 2, 7, 5, False, True, 1, False),
}


def new_level(width: int = NEW_SIZE[0], height: int = NEW_SIZE[1]) -> Level:
    """Return a map that DDNet loads: an empty info, and the game group with a game layer of air (sizes in tiles)."""
    level = _empty()
    level.info = Info.new()
    group = Group.new("Game")
    group.layers.append(TileLayer.new(TileKind.GAME, width, height, "Game"))
    level.groups.append(group)
    return level


def new_room(width: int = NEW_SIZE[0], height: int = NEW_SIZE[1]) -> Level:
    """Return a new map whose game layer has walls all around, and a spawn on the middle of the floor, if it fits."""
    level = new_level(width, height)
    found = level.game_layer
    if found is None:
        raise ValueError("a new map has a game layer")
    tiles = found[1].tiles().copy()
    walls = np.ones(tiles.shape, np.bool_)
    walls[1:-1, 1:-1] = False
    tiles["index"][walls] = SOLID
    if not walls.all():
        tiles["index"][-2, width // 2] = SPAWN
    found[1].set_tiles(tiles)
    return level


def convert(level: Level, profile: Profile, drop: bool = False) -> tuple[Level, list[str]]:
    """Return the map in another form, and what was dropped from it; the given level stays as it is.

    `preserve`: the same bytes. `ddnet`: as DDNet's editor writes (tiles v3, images v1, tangents in their own item).
    `vanilla07`: as Teeworlds 0.7 writes (run-length tiles v4, images v2, wide points where there are bezier curves).
    What the target cannot hold is refused with one FormatError that names all of it, or dropped and listed (`drop`).
    Numbers that name no image, sound or envelope become -1, which means the same.
    """
    if profile == "preserve":
        return Level(Datafile.read(datafile_of(level).write())), []
    if profile not in _TARGETS:
        raise ValueError(f"there are the profiles preserve, {', '.join(_TARGETS)}, not {profile!r}")
    target = _TARGETS[profile]
    if level.era == PRE_0_4:
        raise FormatError(f"{target.title} cannot hold anything of a map of 2007")
    conversion = _Conversion(level, target)
    converted = conversion.run()
    if conversion.lost and not drop:
        raise FormatError(f"{target.title} cannot hold: {'; '.join(conversion.lost)}")
    if converted.game_layer is None:
        raise FormatError(f"{target.title} needs a game layer, and there is none")
    return converted, conversion.lost


def _empty() -> Level:
    version = Item(ItemKind.VERSION, 0, np.array([1], WORD))
    return Level(Datafile(item_types=[ItemType(ItemKind.VERSION, [version])]))


class _Conversion:
    """One map on its way to a target: fresh records with the old ones' values, and a list of what was lost."""

    def __init__(self, level: Level, target: _Target) -> None:
        self.level = level
        self.target = target
        self.lost: list[str] = []
        self.result = _empty()
        self.bezier = any((envelope.points["curve"] == Curve.BEZIER).any() for envelope in level.envelopes)

    def run(self) -> Level:
        level, result = self.level, self.result
        self._info()
        images = self._kept("image", level.images, self._image, result.images)
        sounds = self._kept("sound", level.sounds, self._sound, result.sounds)
        envelopes = self._kept("envelope", level.envelopes, self._envelope, result.envelopes)
        self._widen_points()
        self.images, self.sounds, self.envelopes = images, sounds, envelopes
        for number, group in enumerate(level.groups):
            result.groups.append(self._group(group, number))
        self._rest()
        return result

    def lose(self, place: str, what: str) -> None:
        """Note that something cannot be held."""
        self.lost.append(f"{place}: {what}")

    def _kept(self, kind: str, old: Sequence[T], make: Callable[[T, str], T | None], new: list[T]) -> Int32s:
        """Put what can be held into `new`. Returns the new number of each old one, -1 for what is lost."""
        numbers = np.full(len(old), -1, np.int32)
        for number, thing in enumerate(old):
            place = f"{kind} {number}"
            if kind != "envelope" and len(new) >= RESOURCE_LIMIT:
                self.lose(place, f"more than {RESOURCE_LIMIT}")
                continue
            made = make(thing, place)
            if made is not None:
                numbers[number] = len(new)
                new.append(made)
        return numbers

    def _text(self, text: str, place: str) -> str:
        """Return a text as the target can hold it."""
        raw = text.encode("utf-8", "surrogateescape")
        readable = raw.decode("utf-8", "ignore")
        if not self.target.strict_text or readable == text:
            return text
        self.lose(place, f"the text {text!r} is no UTF-8")
        return readable

    def _info(self) -> None:
        old = self.level.info
        if old is None:
            return
        new = self.result.info = Info.new()
        new.item.words = new.item.words[: self.target.info_words]
        for name in ("author", "map_version", "credits", "license"):
            text = getattr(old, name)
            setattr(new, name, self._text(text, name) if text else None)
        if self.target.extras:
            new.settings = [self._text(line, "setting") for line in old.settings]
        elif old.settings:
            self.lose("info", f"{number_of(len(old.settings), 'server settings')}")

    def _image(self, old: Image, place: str) -> Image | None:
        new = Image.fresh()
        new.item.words = np.array([*Image.NEWEST, 1], WORD)[: self.target.image_words]
        new.item.words[0] = self.target.image_version
        new.name = self._text(old.name, place)
        new.width, new.height, new.external = old.width, old.height, True
        try:
            pixels = old.pixels()
        except FormatError as error:
            self.lose(place, f"its pixels ({error.message})")
            return new
        if pixels is not None and pixels.size:
            new.set_pixels(pixels)
        elif not old.external:
            self.lose(place, "it is embedded, but has no pixels")
        return new

    def _sound(self, old: Sound, place: str) -> Sound | None:
        if not self.target.extras:
            self.lose(place, f"the sound {old.name!r}")
            return None
        try:
            return Sound.new(self._text(old.name, place), old.data(), old.external)
        except FormatError as error:
            self.lose(place, f"its data ({error.message})")
            return Sound.new(self._text(old.name, place), None, external=True)

    def _envelope(self, old: Envelope, place: str) -> Envelope | None:
        if old.kind == EnvelopeKind.SOUND and not self.target.extras:
            self.lose(place, f"the sound envelope {old.name!r}")
            return None
        tangents = old.tangents if self.bezier else None
        return Envelope.new(old.kind, self._text(old.name, place), old.points, tangents, old.synchronized)

    def _widen_points(self) -> None:
        """Give a vanilla map points with tangents, if it needs them."""
        envelopes = self.result.envelopes
        if self.target.wide_points and any(envelope.tangents is not None for envelope in envelopes):
            for envelope in envelopes:
                envelope.item.set(0, WIDE_VERSION)

    def _group(self, old: Group, number: int) -> Group:
        place = f"group {number}"
        new = Group.new(self._text(old.name, place))
        for name in ("offset_x", "offset_y", "parallax_x", "parallax_y"):
            setattr(new, name, getattr(old, name))
        for name in ("use_clip", "clip_x", "clip_y", "clip_w", "clip_h"):
            setattr(new, name, getattr(old, name))
        usual = min(max(old.parallax_x, old.parallax_y, 0), 100)
        if old.parallax_zoom not in (None, usual):
            self.lose(place, f"a parallax zoom of {old.parallax_zoom}")
        for position, layer in enumerate(old.layers):
            layer_place = f"layer {position} of group {number}"
            try:
                made = self._layer(layer, layer_place)
            except FormatError as error:
                self.lose(layer_place, error.message)
            else:
                new.layers.append(made)
        return new

    def _layer(self, old: Layer, place: str) -> Layer:
        """The layer for the target; raises FormatError where it cannot be held."""
        new: Layer
        if isinstance(old, TileLayer):
            new = self._tile_layer(old, place)
        elif isinstance(old, QuadLayer):
            quads = _renumbered(old.quads(), self.envelopes, ("position_envelope", "color_envelope"))
            new = QuadLayer.new(image=_number(self.images, old.image), quads=quads)
        elif isinstance(old, SoundLayer) and self.target.extras:
            sources = _renumbered(old.sources(), self.envelopes, ("position_envelope", "sound_envelope"))
            new = SoundLayer.new(sound=_number(self.sounds, old.sound), sources=sources)
        elif isinstance(old, SoundLayer):
            raise FormatError(f"the sound layer {old.name!r}")
        else:
            raise FormatError(f"a layer of kind {old.kind}")
        new.name = self._text(old.name, place)
        new.flags = old.flags
        return new

    def _tile_layer(self, old: TileLayer, place: str) -> TileLayer:
        kind, target = old.tile_kind, self.target
        if kind not in target.tile_kinds:
            raise FormatError(f"the {(kind.name or '').lower()} layer")
        if old.tile_flags & sum(TILE_RECORDS) != kind:
            raise FormatError(f"flags {old.tile_flags} make it several physics layers at once")
        tiles = old.tiles()
        if tiles.dtype != TILE_RECORDS[kind]:
            raise FormatError(f"the {(kind.name or '').lower()} layer has records {tiles.dtype.names}")
        self._check_size(kind, tiles.shape)
        new = TileLayer.fresh()
        new.item.words = new.item.words[: target.tile_words].copy()
        new.item.words[3] = target.tile_version
        new.tile_flags = old.tile_flags
        new.set_tiles(self._plain_tiles(tiles, place))
        new.color = self._color(old, place)
        new.image = _number(self.images, old.image)
        new.color_envelope = _number(self.envelopes, old.color_envelope)
        new.color_envelope_offset = old.color_envelope_offset
        self._automapper(old, new, place)
        return new

    def _check_size(self, kind: TileKind, shape: tuple[int, ...]) -> None:
        if min(shape) < self.target.smallest_side:
            raise FormatError(f"{shape[1]} x {shape[0]} tiles: each side must be at least {self.target.smallest_side}")
        game = self.level.game_layer
        if game and kind and shape[0] * shape[1] < game[1].width * game[1].height:
            raise FormatError(f"{shape[1]} x {shape[0]} tiles: the game layer has more")

    def _plain_tiles(self, tiles: Records, place: str) -> Records:
        """The tiles without bytes that must be 0."""
        for name in ("skip", "reserved"):
            if name in (tiles.dtype.names or ()) and tiles[name].any():
                self.lose(place, f"the {name} bytes of {number_of(np.count_nonzero(tiles[name]), 'tiles')}")
                tiles = tiles.copy()
                tiles[name] = 0
        return tiles

    def _color(self, old: TileLayer, place: str) -> tuple[int, int, int, int]:
        red, green, blue, alpha = (min(max(channel, 0), 255) for channel in old.color)
        if (red, green, blue, alpha) != old.color:
            self.lose(place, f"the colour {old.color}, which leaves 0 to 255")
        return red, green, blue, alpha

    def _automapper(self, old: TileLayer, new: TileLayer, place: str) -> None:
        mapper = old.automapper
        if mapper is None:
            return
        if self.target.extras and old.tile_kind == TileKind.TILES:
            new.automapper = Automapper.new(mapper.config, mapper.seed, mapper.automatic)
        elif mapper.config >= 0:
            self.lose(place, f"automapper rules {mapper.config}")

    def _rest(self) -> None:
        """What stands in no place that an editor writes."""
        for layer in self.level.orphans:
            self.lose(layer.title, "is in no group")
        unknown = self.level.unknown
        for kind in sorted({item.type for item in unknown}):
            ids = ", ".join(str(item.id) for item in unknown if item.type == kind)
            self.lose(f"items of type {kind}", f"that type is unknown (their ids: {ids})")


def _number(numbers: Int32s, old: int) -> int:
    """The new number of an image, sound or envelope; -1 if it names none."""
    return int(numbers[old]) if 0 <= old < len(numbers) else -1


def _renumbered(records: Records, numbers: Int32s, fields: tuple[str, ...]) -> Records:
    """Quads or sources with the new numbers of their envelopes."""
    records = records.copy()
    table = np.append(numbers, np.int32(-1))
    for name in fields:
        old = records[name]
        records[name] = table[np.where((old >= 0) & (old < len(numbers)), old, len(numbers))]
    return records


def is_seven(level: Level) -> bool:
    """Whether a map was made with Teeworlds 0.7: only that writes runs of tiles or wide envelope points."""
    layers = (layer for group in level.groups for layer in group.layers)
    return any(isinstance(layer, TileLayer) and layer.runs for layer in layers) or any(
        envelope.version >= 3 for envelope in level.envelopes
    )
