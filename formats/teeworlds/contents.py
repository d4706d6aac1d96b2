# SPDX-License-Identifier: GPL-3.0-or-later
"""What a map holds, for people to read: a summary, everything decoded, and which section a byte is of."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar
from uuid import UUID

from ..counting import number_of
from ..format import Document, tried
from .datafile import Item
from .items import Automapper, Image, Info, Record, Sound
from .layers import Group, Layer, QuadLayer, SoundLayer
from .level import PRE_0_4, Level
from .points import Envelope
from .records import AUTOMAPPER, ENVELOPE_TANGENTS, GROUP_EX, ItemKind, LayerKind
from .tile_layers import TileLayer

One = TypeVar("One", bound=Record)
_OF_ITEMS = {
    ItemKind.VERSION: "version",
    ItemKind.INFO: "info",
    ItemKind.IMAGE: "images",
    ItemKind.ENVELOPE: "envelopes",
    ItemKind.GROUP: "groups",
    ItemKind.LAYER: "layers",
    ItemKind.ENVELOPE_POINTS: "points of envelopes",
    ItemKind.SOUND: "sounds",
    ItemKind.UUID_INDEX: "item types of UUIDs",
}
_OF_UUIDS: dict[UUID | None, str] = {
    AUTOMAPPER: "automappers",
    ENVELOPE_TANGENTS: "tangents of envelopes",
    GROUP_EX: "extras of groups",
}
"""What items of a type hold, as people read it."""
_INFO_TEXTS = ("author", "map_version", "credits", "license")


def summary(level: Level) -> Document:
    """Return the outlines: numbers, sizes, names. Decodes names and little else."""
    file = level.file
    game = level.game_layer
    return {
        "era": level.era,
        "container": {
            "magic": file.magic.decode(),
            "version": file.version,
            "crude sizes": file.crude_size or file.crude_swaplen,
            "items": sum(len(row.items) for row in file.item_types),
            "blobs": len(file.blobs),
            "decoded bytes": sum(blob.size for blob in file.blobs),
        },
        "size": None if game is None else f"{game[1].width} x {game[1].height} tiles",
        "info": level.info and tried(_info, level.info),
        "images": [tried(_image_line, image) for image in level.images],
        "sounds": [tried(_sound_line, sound) for sound in level.sounds],
        "envelopes": [_envelope_line(envelope) for envelope in level.envelopes],
        "groups": [
            {"name": group.name, **_group_words(group), "layers": [_layer_line(layer) for layer in group.layers]}
            for group in level.groups
        ],
        "layers in no group": [_layer_line(layer) for layer in level.orphans],
        "unknown items": [f"type {item.type:#x} id {item.id}: {len(item)} words" for item in level.unknown],
    }


def contents(level: Level) -> Document:
    """Return everything decoded: words under their names, bulk data as arrays and bytes.

    Lists are iterators that decode a record when they come to it and let it go again, so that a big map never stands
    in memory as a whole: go through it once. What cannot be decoded is a FormatError in its place.
    """
    file = level.file
    parts: Document = {
        "era": level.era,
        "magic": file.magic.decode(),
        "container version": file.version,
        "item types": {_type_name(level, row.type): len(row.items) for row in file.item_types},
        "uuids": {str(kind): str(uuid) for kind, uuid in file.uuids().items()},
    }
    if level.era != PRE_0_4:
        parts |= {
            "version": [item.words.tolist() for item in file.items(ItemKind.VERSION)],
            "info": tried(_info, level.info) if level.info else None,
            "images": _each(level.images, _image),
            "sounds": _each(level.sounds, _sound),
            "envelopes": (_envelope(envelope) for envelope in level.envelopes),
            "groups": (_group(group) for group in level.groups),
            "layers in no group": _each(level.orphans, _layer),
        }
    return parts | {
        "unknown items": (_item(item) for item in level.unknown),
        "unnamed blobs": _unnamed_blobs(level),
    }


def section_at(level: Level, offset: int) -> str:
    """Name the part of the file, as it was read, that a byte is of."""
    file = level.file
    for number, blob in reversed(list(enumerate(file.blobs))):
        if blob.offset is not None and blob.offset <= offset:
            return f"blob {number}"
    for name, part in file.parts().items():
        if offset < len(part):
            return _item_at(file.all_items(), offset) if name == "items" else name
        offset -= len(part)
    return "end of the file"


def _item_at(items: Iterable[Item], offset: int) -> str:
    """Name the item that a byte of the items is of."""
    name = "items"
    for item in items:
        name = f"item {item.id} of type {item.type:#x}"
        offset -= 8 + 4 * len(item)
        if offset < 0:
            break
    return name


def _type_name(level: Level, kind: int) -> str:
    """An item type's number, and what such items hold, where that is known: "5 (layers)"."""
    held = _OF_UUIDS.get(level.file.uuids().get(kind), "")
    if level.era != PRE_0_4 and kind in set(ItemKind):
        held = _OF_ITEMS[ItemKind(kind)]
    return f"{kind} ({held})" if held else str(kind)


def _each(records: Iterable[One], show: Callable[[One], object]) -> Iterator[object]:
    """Show one record after the other; each is let go when the next is asked for."""
    for record in records:
        yield tried(show, record)
        record.forget()


def _info(info: Info) -> Document:
    return {name: getattr(info, name) for name in _INFO_TEXTS} | {"settings": info.settings}


def _image_line(image: Image) -> str:
    return f"{image.name} ({'external' if image.external else 'embedded'}, {image.width} x {image.height})"


def _image(image: Image) -> Document:
    return {
        "name": image.name,
        "version": image.version,
        "width": image.width,
        "height": image.height,
        "external": image.external,
        "variant": image.variant,
        "rgba": tried(image.pixels),
    }


def _sound_line(sound: Sound) -> str:
    blob = sound.blob(sound.DATA)
    return f"{sound.name} ({'external' if sound.external or blob is None else f'embedded, {blob.size} bytes'})"


def _sound(sound: Sound) -> Document:
    return {"name": sound.name, "external": sound.external, "data": tried(sound.data)}


def _envelope_line(envelope: Envelope) -> str:
    return f"{envelope.name or '(no name)'} ({envelope.kind.name.lower()}, {number_of(len(envelope.points), 'points')})"


def _envelope(envelope: Envelope) -> Document:
    return {
        "name": envelope.name,
        "version": envelope.version,
        "channels": envelope.channels,
        "synchronized": envelope.synchronized,
        "points": envelope.points,
        "tangents": envelope.tangents,
    }


def _group_words(group: Group) -> Document:
    words: Document = {
        "offset": [group.offset_x, group.offset_y],
        "parallax": [group.parallax_x, group.parallax_y],
        "clip": [group.clip_x, group.clip_y, group.clip_w, group.clip_h] if group.use_clip else None,
    }
    return words if group.parallax_zoom is None else words | {"parallax_zoom": group.parallax_zoom}


def _group(group: Group) -> Document:
    return {
        "name": group.name,
        "version": group.version,
        **_group_words(group),
        "layers": _each(group.layers, _layer),
    }


def _kind(layer: Layer) -> str:
    if isinstance(layer, TileLayer):
        return str(layer.tile_kind.name).lower()
    return layer.kind.name.lower() if isinstance(layer.kind, LayerKind) else f"unknown ({layer.kind})"


def _layer_line(layer: Layer) -> str:
    size = ""
    if isinstance(layer, TileLayer):
        size = f" {layer.width} x {layer.height}"
    elif isinstance(layer, QuadLayer | SoundLayer):
        size = f" {layer.count}"
    image = f" image {layer.image}" if isinstance(layer, TileLayer | QuadLayer) and layer.image >= 0 else ""
    return f"{_kind(layer)}{size} {layer.name!r}{image}{' (detail)' if layer.detail else ''}"


def _layer(layer: Layer) -> Document:
    shown: Document = {"kind": _kind(layer), "name": layer.name, "version": layer.version, "flags": layer.flags}
    if isinstance(layer, TileLayer):
        mapper = layer.automapper
        shown |= {
            "tile_flags": layer.tile_flags,
            "width": layer.width,
            "height": layer.height,
            "color": list(layer.color),
            "color_envelope": layer.color_envelope,
            "color_envelope_offset": layer.color_envelope_offset,
            "image": layer.image,
            "automapper": None if mapper is None else _automapper(mapper),
            "tiles": tried(layer.tiles),
        }
    elif isinstance(layer, QuadLayer):
        shown |= {"image": layer.image, "quads": tried(layer.quads)}
    elif isinstance(layer, SoundLayer):
        shown |= {"sound": layer.sound, "deprecated": layer.deprecated, "sources": tried(layer.sources)}
    else:
        shown |= {"words": layer.item.words}
    return shown


def _automapper(mapper: Automapper) -> Document:
    return {
        "version": mapper.version,
        "config": mapper.config,
        "seed": mapper.seed,
        "automatic": mapper.automatic,
    }


def _item(item: Item) -> Document:
    return {"type": item.type, "id": item.id, "words": item.words}


def _unnamed_blobs(level: Level) -> Iterator[Document]:
    """Decode what no record names, and the dummies beside the tiles of physics layers."""
    shown = set() if level.era == PRE_0_4 else level.before.blobs
    for number, blob in enumerate(level.file.blobs):
        if number not in shown:
            yield {"blob": number, "data": tried(blob.data)}
            blob.forget()
