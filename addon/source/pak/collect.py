# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of `files` to the map's pak: files added, replaced and removed."""

from __future__ import annotations

import bpy

from ....formats import source
from ....formats.source import edits
from ...scene.kept import identity, originals
from ...scene.media import images
from ...scene.reports import Report, SceneError
from .. import layout
from ..collecting.scene_level import SceneLevel
from . import files


def _report_painted(scene: SceneLevel, report: Report) -> None:
    """Warn of textures of the map that were painted but are not in the list: a map has them as files."""
    held = set(originals.resources(scene.collection, files.IMAGES).values())
    for image in bpy.data.images:
        mark = identity.stamped(image)
        own = mark is not None and mark.token == scene.token and mark.kind == layout.IMAGE
        if own and image not in held and images.seems_painted(image):
            report.warn(
                f"image {image.name!r} was painted, but a map has it as a file: Add Image as Texture puts it there"
            )


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Put files into the pak, and take others out. Raises SceneError, FormatError."""
    _report_painted(scene, report)
    put: dict[str, bytes] = {}
    gone: list[str] = []
    for name, data in files.contents(scene.collection, report):
        if data is not None:
            put[name] = data
        elif name in level.pak:
            gone.append(name)
        elif name not in scene.before.pak:
            raise SceneError(f"pak: {name} is to be removed, but the map has no such file")
    if not put and not gone:
        return
    there = [name for name in put if name in level.pak]
    same = [name for name in there if bytes(level.pak.read(name)) == put[name]]
    edits.pak.remove(level, gone)
    edits.pak.put(level, put)
    report.count("files replaced in the pak", len(there) - len(same))
    report.count("files added to the pak", len(put) - len(there))
    report.count("files removed from the pak", len(gone))
    for name, data in put.items():
        if name not in same:
            report.note(f"pak: {name}, {len(data)} bytes")
