# SPDX-License-Identifier: GPL-3.0-or-later
"""What an export changes in the map's pak: a list on the level's collection, of files to put there and to remove.

A file is put there as bytes, which the collection holds, or as what a text or an image of the .blend then is: images
become textures (VTF). The list travels with the collection; files of the pak that aren't in it stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import bpy

from ....formats.source.content import vtf_write
from ....formats.source.content.texels import ImageFormat
from ....formats.source.content.vtf import TextureFlags
from ...scene.kept import originals
from ...scene.kept.baselines import put_bytes
from ...scene.media import images
from ...scene.names import showable, showable_lines
from ...scene.reports import Report, SceneError

KEY, BYTES = "levelwright_pak", "levelwright_pak_"
"""Keys on the level's collection: the list as JSON, and the bytes of entry n."""
TEXTS, IMAGES = "pak_texts", "pak_images"
"""Kinds of resources: the texts and images of entries, by their numbers."""
FILE, TEXT, IMAGE, REMOVED = "file", "text", "image", "removed"
"""What an entry is."""
MATERIALS, TEXTURE, MATERIAL = "materials/", ".vtf", ".vmt"
_LONGEST = 259
"""Characters that the engine has for a path."""


@dataclass(frozen=True, slots=True)
class PakEntry:
    """A file of the pak: put there, or removed."""

    name: str
    """Its path in the pak."""
    kind: str
    """What gives its bytes, or that it is removed."""
    number: int
    """Of its bytes, text or image among the level's resources."""
    form: str = ImageFormat.DXT5.name
    """Of images: the name of the texture's `ImageFormat`."""
    flags: int = 0
    """Of images: `TextureFlags`."""
    mipmaps: bool = True
    """Of images: whether smaller ones are stored, too."""


def entries(level: bpy.types.Collection) -> list[PakEntry]:
    """All entries, in the order in which they were made. Raises SceneError for a list that can't be read."""
    text = level.get(KEY)
    if not isinstance(text, str):
        return []
    try:
        return [PakEntry(**each) for each in json.loads(text)]
    except (ValueError, TypeError) as error:
        raise SceneError(f"{level.name}: its list of files for the pak can't be read: {error}") from error


def put_file(level: bpy.types.Collection, name: str, data: bytes) -> PakEntry:
    """Have the pak hold a file. Raises SceneError for names that can't be in a pak."""
    made = _added(level, PakEntry(checked(name), FILE, _free(level)))
    put_bytes(level, f"{BYTES}{made.number}", data)
    return made


def put_text(level: bpy.types.Collection, name: str, text: bpy.types.Text) -> PakEntry:
    """Have the pak hold a text, as it is when the map is exported. Raises SceneError as `put_file` does."""
    made = _added(level, PakEntry(checked(name), TEXT, _free(level)))
    originals.set_resource(level, TEXTS, made.number, text)
    return made


def put_image(
    level: bpy.types.Collection,
    name: str,
    image: bpy.types.Image,
    form: ImageFormat = ImageFormat.DXT5,
    flags: int = 0,
    mipmaps: bool = True,
) -> PakEntry:
    """Have the pak hold an image as a texture, as it is when the map is exported.

    name: "brick/wall", below materials/ and without ending, or its whole path. Raises SceneError as `put_file` does.
    """
    path = checked(name)
    if not path.lower().endswith(TEXTURE):
        path = checked(path + TEXTURE)
    if not path.lower().startswith(MATERIALS):
        path = checked(MATERIALS + path)
    made = _added(level, PakEntry(path, IMAGE, _free(level), form.name, int(flags), mipmaps))
    originals.set_resource(level, IMAGES, made.number, image)
    return made


def put_material(level: bpy.types.Collection, name: str) -> PakEntry:
    """Have the pak hold a material that shows the texture of its own name on walls, as a text that can be edited.

    name: "brick/wall", or the whole path of its texture or its own. Raises SceneError as `put_file` does.
    """
    plain = checked(name)
    if plain.lower().startswith(MATERIALS):
        plain = plain[len(MATERIALS) :]
    if plain.lower().endswith((TEXTURE, MATERIAL)):
        plain = plain[: -len(TEXTURE)]
    text = bpy.data.texts.new(showable(f"{plain.rpartition('/')[2]}{MATERIAL}"))
    text.write(showable_lines(f'"LightmappedGeneric"\n{{\n\t"$basetexture" "{plain}"\n}}\n'))
    return put_text(level, f"{MATERIALS}{plain}{MATERIAL}", text)


def remove(level: bpy.types.Collection, name: str) -> PakEntry:
    """Have the pak lose a file. Raises SceneError as `put_file` does."""
    return _added(level, PakEntry(checked(name), REMOVED, _free(level)))


def forget(level: bpy.types.Collection, name: str) -> None:
    """Leave a file of the pak as it is in the map."""
    kept = []
    for entry in entries(level):
        if entry.name.lower() != name.lower():
            kept.append(entry)
            continue
        for kind in (TEXTS, IMAGES):
            if entry.number in originals.resources(level, kind):
                originals.set_resource(level, kind, entry.number, None)
        if level.get(f"{BYTES}{entry.number}") is not None:
            del level[f"{BYTES}{entry.number}"]
    level[KEY] = json.dumps([asdict(entry) for entry in kept])


def contents(level: bpy.types.Collection, report: Report) -> Iterator[tuple[str, bytes | None]]:
    """The names and bytes of all entries, None for files to remove. Raises SceneError where an image or text is gone,
    and FormatError for images that can't be textures.
    """
    texts, pictures = (originals.resources(level, kind) for kind in (TEXTS, IMAGES))
    for entry in entries(level):
        if entry.kind == REMOVED:
            yield entry.name, None
            continue
        data = level.get(f"{BYTES}{entry.number}")
        text, image = texts.get(entry.number), pictures.get(entry.number)
        if entry.kind == FILE and isinstance(data, bytes):
            yield entry.name, data
        elif entry.kind == TEXT and isinstance(text, bpy.types.Text):
            yield entry.name, text.as_string().encode("utf-8")
        elif entry.kind == IMAGE and isinstance(image, bpy.types.Image):
            yield entry.name, _texture(entry, image, report)
        else:
            raise SceneError(f"pak: what {entry.name} was to be made of is gone from the .blend")


def _texture(entry: PakEntry, image: bpy.types.Image, report: Report) -> bytes:
    try:
        pixels = images.to_rgba(image)
    except ValueError as error:
        raise SceneError(str(error)) from error
    fitting = vtf_write.resized(pixels)
    if fitting.shape != pixels.shape:
        sizes = " to ".join(f"{each.shape[1]} x {each.shape[0]}" for each in (pixels, fitting))
        report.warn(f"image {image.name!r} is resized from {sizes} pixels: the sides of textures are powers of two")
    if entry.form not in ImageFormat.__members__:
        raise SceneError(f"pak: {entry.name}: there is no image format {entry.form!r}")
    return vtf_write.write(fitting, ImageFormat[entry.form], TextureFlags(entry.flags), entry.mipmaps)


def checked(name: str) -> str:
    """A path as paks have them. Raises SceneError."""
    path = name.strip().replace("\\", "/").strip("/")
    parts = path.split("/")
    latin = all(" " <= letter <= "ÿ" and letter not in ':*?"<>|' for letter in path)
    if not path or len(path) > _LONGEST or not latin or any(part in ("", ".", "..") for part in parts):
        raise SceneError(f"{name!r} can't be the path of a file in a map: folders and a name in Latin letters")
    return path


def _free(level: bpy.types.Collection) -> int:
    return max((entry.number for entry in entries(level)), default=-1) + 1


def _added(level: bpy.types.Collection, entry: PakEntry) -> PakEntry:
    """Put an entry into the list, in place of an older one of its name."""
    forget(level, entry.name)
    level[KEY] = json.dumps([asdict(each) for each in [*entries(level), entry]])
    return entry
