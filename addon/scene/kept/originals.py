# SPDX-License-Identifier: GPL-3.0-or-later
"""The level's collection: what marks it, the imported bytes that travel on it, and the resources it holds.

A level is one collection with three kinds of properties: LEVEL (JSON: format, token, import options, file name, hash),
ORIGINAL (the imported bytes; deflated when the .blend is saved, where that saves a tenth) and one group of data-block
pointers for each kind of resource. All of it survives saving, append, link, library override and copies of the
collection. A level made in Blender has no bytes and is exported whole.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import bpy
from bpy.types import ID, Text

from ....formats.counting import number_of
from ..blender_types import Value
from ..reports import SceneError
from . import identity
from .baselines import PREFIX, put_bytes

LEVEL = "levelwright_level"
ORIGINAL = "levelwright_original"
PART = "levelwright_part_"
RESOURCES = "levelwright_"
ATTACH = "levelwright.attach_original"
"""The operator that gives a level its imported file back."""
REPORTS = "reports"
"""The kind of resource that the texts are with what an import or export said."""

LARGE = 1 << 18
"""Bytes of an original that is deflated as quickly as can be."""
DEFLATED = b"Z"
"""First byte of an original that is kept deflated."""
MARKED_ONCE = (b"R", b"L")
"""First bytes, by way of marks, of originals that aren't deflated, in scenes of version 0.3.0 and before."""
SAMPLE, SAMPLES = 1 << 14, 8
"""Bytes and number of the pieces of a large file by which `attach` guesses whether it shrinks."""


@dataclass(frozen=True)
class LevelInfo:
    """What a level's collection says about itself. sha256 is hex, "" for a level that was made in Blender."""

    format: str
    token: identity.Token
    options: dict[str, Value] = field(default_factory=dict)
    file_name: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class Original(LevelInfo):
    """A level's imported file."""

    data: bytes = b""
    parts: dict[str, bytes] = field(default_factory=dict)
    """Further files of the same level, by name (Fable's .tng beside the .lev)."""


def attach(
    collection: bpy.types.Collection,
    format_key: str,
    data: bytes | None,
    token: int,
    options: Mapping[str, object] | None = None,
    file_name: str = "",
    parts: Mapping[str, bytes] | None = None,
) -> None:
    """Make a collection a level and put the imported bytes on it.

    data: None for a level made in Blender. token: of these bytes (`identity.new_token(data)`). options: the import's
    settings, as JSON can hold them: an export needs them to know what was imported. parts: further files that the level
    was read from.
    """
    _forget(collection)
    info: dict[str, Value] = {"format": format_key, "token": int(token), "options": dict(options or {})}
    info["file_name"] = file_name
    if data is not None:
        info["sha256"] = getattr(token, "digest", "") or hashlib.sha256(data).hexdigest()
        put_bytes(collection, ORIGINAL, data)
        info["parts"] = {name: hashlib.sha256(part).hexdigest() for name, part in (parts or {}).items()}
        for number, part in enumerate((parts or {}).values()):
            put_bytes(collection, f"{PART}{number}", part)
    collection[LEVEL] = json.dumps(info)
    identity.stamp(collection, identity.Token(token, info.get("sha256", "")), identity.LEVEL, 0)


def describe(collection: bpy.types.Collection) -> LevelInfo | None:
    """Return what a level's collection says about itself; None for a collection that is no level."""
    info = _info(collection)
    return None if info is None else LevelInfo(**_fields(info))


def format_of(collection: bpy.types.Collection) -> str:
    """Return the key of a level's format; "" for a collection that is no level."""
    info = describe(collection)
    return "" if info is None else info.format


def options_of(collection: bpy.types.Collection) -> dict[str, Value]:
    """Return the options of a level's import, as far as they were kept; none for a collection that is no level."""
    info = describe(collection)
    return {} if info is None else info.options


def find(collection: bpy.types.Collection) -> Original | None:
    """Return the level's imported file; None for a level made in Blender, or a collection that is no level.

    Raises SceneError, naming the hash, when the bytes are gone or aren't those that were imported.
    """
    info = _info(collection)
    if info is None or not info.get("sha256"):
        return None
    data = _unpack(collection, ORIGINAL, info["sha256"], info["file_name"])
    parts = {
        name: _unpack(collection, f"{PART}{number}", digest, name)
        for number, (name, digest) in enumerate(info.get("parts", {}).items())
    }
    return Original(**_fields(info), data=data, parts=parts)


def reattach(
    collection: bpy.types.Collection,
    data: bytes,
    format_key: str = "",
    options: Mapping[str, object] | None = None,
    file_name: str = "",
) -> None:
    """Give a level its lost original back, or make a level of a collection of objects that lost theirs.

    data must be the very bytes of the import: their hash is compared with the one that the level, or else the stamps of
    its objects, carry. format_key, options and file_name are used where the level itself is gone.
    Raises SceneError for any other file, and where nothing in the collection says which file it came from.
    """
    digest = hashlib.sha256(data).hexdigest()
    info = _info(collection)
    if info is not None and info.get("sha256"):
        wanted = {info["sha256"][:16]}
        token = info["token"]
    else:
        stamps = [mark for obj in collection.all_objects if (mark := identity.stamped(obj)) and mark.digest]
        wanted = {mark.digest for mark in stamps}
        token = next((mark.token for mark in stamps if digest.startswith(mark.digest)), 0)
    if not wanted:
        raise SceneError(f"{collection.name}: nothing in it says which file it came from")
    if digest[:16] not in wanted:
        names = " or ".join(sorted(wanted))
        raise SceneError(
            f"{collection.name}: this isn't the file that was imported: its SHA-256 begins with {digest[:16]}, "
            f"that of the imported one with {names}"
        )
    if info is not None and info.get("sha256"):
        put_bytes(collection, ORIGINAL, data)
    else:
        attach(collection, format_key, data, token, options, file_name)


def require(collection: bpy.types.Collection, build_as_new: bool = False) -> Original | None:
    """Return the original to lay the scene over, or None to build the level whole.

    Raises SceneError, with how to attach the original (by hash), when it is missing: the bytes are gone, or objects in
    the collection are records of an import that isn't this level's (one object appended to another file).
    build_as_new: build all of it whole instead: no object is anyone's record then.
    """
    if build_as_new:
        return None
    original = find(collection)
    info = describe(collection)
    if info is None or not info.sha256:
        _refuse_orphans(collection, info.token if info else 0)
    return original


def _refuse_orphans(collection: bpy.types.Collection, token: int) -> None:
    """Raise SceneError if objects are records of an import, in a level that has no original."""
    present = {int(info.token) for level in bpy.data.collections if (info := describe(level)) and info.sha256}
    orphans = [
        (obj, mark)
        for obj in collection.all_objects
        if (mark := identity.stamped(obj)) and mark.token != token and mark.token not in present and mark.record >= 0
    ]
    if not orphans:
        return
    digests = sorted({mark.digest for _, mark in orphans if mark.digest})
    files = f" (SHA-256 begins with {' or '.join(digests)})" if digests else ""
    raise SceneError(
        f"{collection.name}: {number_of(len(orphans), 'objects come')} from an imported level whose original "
        f"file{files} isn't in this .blend, first {orphans[0][0].name}. Attach that file to the collection, or export "
        "with Build as New",
        objects=[obj for obj, _ in orphans],
        mend=ATTACH,
    )


def holds(collection: bpy.types.Collection, data: bytes) -> bool:
    """Say whether these are the bytes of one of the files that a level was imported from."""
    info = _info(collection) or {}
    return hashlib.sha256(data).hexdigest() in (info.get("sha256"), *info.get("parts", {}).values())


def digests(collection: bpy.types.Collection) -> dict[str, str]:
    """Return the SHA-256, hex, of the files that a level was imported from, by their names."""
    info = _info(collection) or {}
    return {info["file_name"]: info["sha256"], **info.get("parts", {})} if info.get("sha256") else {}


def levels(scene: bpy.types.Scene | None = None) -> list[bpy.types.Collection]:
    """Return the level collections of a scene (default: the current one), in outliner order.

    Of a linked one and its library override in the same scene it is the override, which is the one that can be edited.
    """
    scene = scene or bpy.context.scene
    found = _levels_below(scene.collection) if scene is not None else []
    overridden = [level.override_library.reference for level in found if level.override_library]
    return [level for level in found if level not in overridden]


def _levels_below(root: bpy.types.Collection) -> list[bpy.types.Collection]:
    """Return the level collections that a collection is or holds, in outliner order."""
    found: dict[bpy.types.Collection, None] = {}
    stack = [root]
    while stack:
        collection = stack.pop()
        if collection.get(LEVEL) is not None:
            found[collection] = None
        else:
            stack.extend(reversed(collection.children))
    return list(found)


def level_of(context: bpy.types.Context) -> bpy.types.Collection | None:
    """Return the level that the active collection is, or lies in; else the scene's only level; else None."""
    scene = context.scene
    candidates = levels(scene)
    layer = context.view_layer.active_layer_collection if context.view_layer else None
    if layer is not None:
        for level in candidates:
            if layer.collection == level or layer.collection in level.children_recursive:
                return level
    return candidates[0] if len(candidates) == 1 else None


def make_active(context: bpy.types.Context, collection: bpy.types.Collection) -> None:
    """Make a level, or a collection in it, the active one: what is added becomes part of it, and exports are of it."""
    view_layer = context.view_layer
    stack = [view_layer.layer_collection] if view_layer is not None else []
    while stack:
        layer = stack.pop()
        if view_layer is not None and layer.collection == collection:
            view_layer.active_layer_collection = layer
            return
        stack.extend(layer.children)


def level_named(scene: bpy.types.Scene, name: str = "") -> bpy.types.Collection:
    """Return the scene's level of this name, or its only one when no name is given; raises SceneError otherwise."""
    candidates = levels(scene)
    if name:
        candidates = [level for level in candidates if level.name == name or _file_name(level) == name]
    if len(candidates) == 1:
        return candidates[0]
    names = ", ".join(level.name for level in (candidates or levels(scene)))
    if not names:
        raise SceneError(_no_level(scene))
    if name:
        raise SceneError(
            f"there is {'more than one' if candidates else 'no'} level named {name}; the scene has {names}"
        )
    raise SceneError(f"the scene has several levels, {names}: make one the active collection, or name it")


def _no_level(scene: bpy.types.Scene) -> str:
    """Return what is said where a scene has no level: why not, where it shows one."""
    for obj in scene.objects:
        shown = obj.instance_collection if obj.instance_type == "COLLECTION" else None
        for level in _levels_below(shown) if shown is not None else ():
            return (
                f"there is no level to export in this scene: {obj.name} only shows {level.name}, as an instance. "
                "Append or link it once more, without the file browser's option Instance Collections"
            )
    return "there is no level to export in this scene: no collection of it was imported or made as one"


def set_resource(collection: bpy.types.Collection, kind: str, record: int, id_block: bpy.types.ID | None) -> None:
    """Hold a data-block (image, sound, action, text) on the level as record number `record` of its kind (plural).

    Held like this it is saved and appended with the level, whether used or not. None lets go of it.
    """
    key = RESOURCES + kind
    group: Value = _group(collection, key)
    if group is None:
        if collection.get(key) is not None:  # a script, or a hand, made something else of it
            del collection[key]
        collection[key] = {}
        group = collection[key]
    if id_block is not None:
        group[str(record)] = id_block
        if isinstance(id_block, Text):  # Blender would keep texts for ever: these go with their level
            id_block.use_fake_user = False
    elif str(record) in group:
        del group[str(record)]


def resources(collection: bpy.types.Collection, kind: str) -> dict[int, bpy.types.ID]:
    """Return the level's data-blocks of a kind by record number, ascending; deleted ones are absent."""
    group: Value = _group(collection, RESOURCES + kind)
    if group is None:
        return {}
    held = {
        int(record): id_block for record, id_block in group.items() if isinstance(id_block, ID) and record.isdecimal()
    }
    return dict(sorted(held.items()))


def _group(collection: bpy.types.Collection, key: str) -> Value:
    """The group of data-blocks under a key; None where there is none, or something else."""
    group: Value = collection.get(key)
    return group if hasattr(group, "to_dict") else None


def kinds_of_resources(collection: bpy.types.Collection) -> list[str]:
    """Return the kinds of data-blocks that a level holds."""
    large = (ORIGINAL, PART, PREFIX)  # what may be, and is no group: asking for it copies it
    groups = (key for key in _keys(collection) if key.startswith(RESOURCES) and not key.startswith(large))
    return [key.removeprefix(RESOURCES) for key in groups if _group(collection, key) is not None]


def deflate() -> None:
    """Deflate all originals: before a .blend is saved, so that no import waits for it."""
    collections = bpy.data.collections
    for collection in collections:
        if collection.get(LEVEL) is None or collection.library or collection.override_library:
            continue
        for key in _keys(collection):
            if key == ORIGINAL or key.startswith(PART):
                held = collection[key]
                # A file that begins with a Z itself stays as it is: the mark wouldn't tell it from a deflated one.
                if isinstance(held, bytes) and held[:1] != DEFLATED:
                    deflated = _deflated(held)
                    if deflated is not held:
                        put_bytes(collection, key, deflated)


def _deflated(data: bytes) -> bytes:
    """Return the bytes deflated, behind the mark that says so; or themselves if that doesn't save a tenth."""
    if _shrinks(data):
        # At 3 nearly as small as at 6, in half the time; what is large is worth the least time.
        deflated = zlib.compress(data, 1 if len(data) > LARGE else 3)
        if len(deflated) <= len(data) * 9 // 10:
            return DEFLATED + deflated
    return data


def _shrinks(data: bytes) -> bool:
    """Guess by samples whether deflating saves a tenth: most levels are compressed already, and trying takes time."""
    if len(data) <= SAMPLE * SAMPLES:
        return True
    view = memoryview(data)
    starts = range(0, len(data) - SAMPLE, (len(data) - SAMPLE) // (SAMPLES - 1))
    return sum(len(zlib.compress(view[start : start + SAMPLE], 1)) for start in starts) < SAMPLE * len(starts) * 0.93


def _unpack(collection: bpy.types.Collection, key: str, sha256: str, name: str) -> bytes:
    """Return the bytes of the file under a key: of the ways in which they may be kept, the one that gives its hash."""
    held = collection.get(key)
    for data in _readings(held) if isinstance(held, bytes) else ():
        if hashlib.sha256(data).hexdigest() == sha256:
            return data
    raise SceneError(
        f"{collection.name}: the bytes of the imported file {name or 'original'} are missing or damaged. Attach "
        f"the file whose SHA-256 is {sha256} to the collection, or export with Build as New",
        mend=ATTACH,
    )


def _readings(held: bytes) -> Iterator[bytes]:
    """What kept bytes may stand for; those of 0.3.0 are deflated with their mark when they are saved again."""
    plain = [held]
    if held[:1] == DEFLATED:
        with suppress(zlib.error):
            plain.insert(0, zlib.decompress(memoryview(held)[1:]))
    for data in plain:
        yield data
        if data[:1] in MARKED_ONCE:
            yield data[1:]


def _info(collection: bpy.types.Collection) -> dict[str, Value] | None:
    text = collection.get(LEVEL)
    if not isinstance(text, str):
        return None
    try:
        info = json.loads(text)
        return info if isinstance(info, dict) and "format" in info and "token" in info else None
    except ValueError:
        return None


def _fields(info: dict[str, Value]) -> dict[str, Value]:
    sha256 = info.get("sha256", "")
    return {
        "format": info["format"],
        "token": identity.Token(info["token"], sha256),
        "options": info.get("options", {}),
        "file_name": info.get("file_name", ""),
        "sha256": sha256,
    }


def _file_name(collection: bpy.types.Collection) -> str:
    info = describe(collection)
    return info.file_name if info else ""


def _forget(collection: bpy.types.Collection) -> None:
    """Drop an older original, with its parts."""
    for key in [key for key in _keys(collection) if key == ORIGINAL or key.startswith(PART)]:
        del collection[key]


def _keys(id_block: bpy.types.ID) -> Iterator[str]:
    keys: Iterable[str] = id_block.keys()
    yield from list(keys)
