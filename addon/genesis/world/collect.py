# SPDX-License-Identifier: GPL-3.0-or-later
"""What the collection says of the level itself: pairs of a `.map`'s world, head and settings of a `.3dt`."""

from __future__ import annotations

import bpy

from ....formats.genesis.editor_level import SKY_SIDES, Level3dt, Sky
from ....formats.genesis.entities import KeyValues
from ...scene.fates import aspects
from ...scene.fields import properties
from ...scene.kept import originals
from ...scene.reports import SceneError
from .. import layout
from ..context import ExportContext
from ..entities.collect import collect_pairs
from .build import editor_properties

_ATTRIBUTES = {
    "TextureLib": "texture_library",
    "HeadersDir": "headers_directory",
    "ActorsDir": "actors_directory",
    "PawnIni": "pawn_ini",
}
"""Property -> attribute of the level."""
_LATER = {"ActorsDir", "PawnIni"}
"""What levels have since version 1.33."""


def collect_map_world(exporting: ExportContext, world: KeyValues, root: bpy.types.Object | None) -> None:
    """Give a `.map`'s world the pairs that properties say. Raises SceneError for values that no text can hold."""
    edited = collect_pairs(exporting.collection, world, exporting.report, whole=exporting.token is not None)
    library = _library_of(root, world.get(layout.TEXTURE_LIBRARY) or "", exporting)
    if library:
        world.set(layout.TEXTURE_LIBRARY, library)
        edited.append(layout.TEXTURE_LIBRARY)
    if edited:
        exporting.note(f"world changed: {', '.join(edited)}")


def _library_of(root: bpy.types.Object | None, named: str, exporting: ExportContext) -> str:
    """The texture library that the root names, for a level whose collection names none; else "".

    named: what the collection says.
    """
    said = root.get(layout.TEXTURE_LIBRARY) if root is not None else None
    if root is None or not isinstance(said, str) or not said or said == named:
        return ""
    if named:
        exporting.report.warn(
            f"{root.name}: its {layout.TEXTURE_LIBRARY} isn't written: the one of the collection counts"
        )
        return ""
    if "\0" in said or said.encode("latin-1", "ignore").decode("latin-1") != said:
        raise SceneError(
            f"{root.name}: property {layout.TEXTURE_LIBRARY}: a level's text is Latin-1, without NULs", [root]
        )
    return said


def collect_editor_level(exporting: ExportContext, level: Level3dt, root: bpy.types.Object | None) -> None:
    """Give a `.3dt` its textures, headers, sky and editor settings. Raises SceneError for values of a wrong type."""
    try:
        values, edited = properties.read(exporting.collection, layout.EditorLevelProperties)
    except ValueError as error:
        raise SceneError(str(error)) from error
    if exporting.token is None and exporting.collection.get(properties.BASELINE) is not None:
        fresh = vars(editor_properties(level))  # nothing is known but what the scene says
        edited |= {key for key, value in vars(values).items() if value != fresh[key]}
    for key, attribute in _ATTRIBUTES.items():
        if key in edited:
            setattr(level, attribute, getattr(values, key))
    library = _library_of(root, level.texture_library, exporting)
    if library:
        level.texture_library = library
        edited |= {layout.TEXTURE_LIBRARY}
    for key in _LATER & edited if level.version < (1, 33) else ():
        exporting.report.warn(f"{exporting.collection.name}: {key} isn't written: a .3dt has it since version 1.33")
    if any(key.startswith("Sky") for key in edited):
        _collect_sky(level, values, edited)
    if edited:
        exporting.note(f"level changed: {', '.join(sorted(edited))}")
    more = [each.name for each in aspects.custom_properties(exporting.collection)]
    known = {f"{aspects.PROPERTY}{each.name}" for each in properties.fields(layout.EditorLevelProperties)}
    for name in more:
        if name not in known:
            exporting.report.warn(f"{exporting.collection.name}: {name} isn't written: a .3dt has no place for it")
    _collect_settings(exporting, level)


def _collect_sky(level: Level3dt, values: layout.EditorLevelProperties, edited: frozenset[str]) -> None:
    sky = level.sky = level.sky or Sky()
    x, y, z = values.SkyAxis
    if "SkyAxis" in edited:
        sky.axis = (x, y, z)
    if "SkyRotation" in edited:
        sky.speed = values.SkyRotation
    if "SkyDrawScale" in edited:
        sky.scale = values.SkyDrawScale
    for side, face in zip(SKY_SIDES, sky.faces, strict=False):
        if f"Sky{side}" in edited:
            text = str(getattr(values, f"Sky{side}"))
            face.apply, face.texture = int(bool(text) and not text.startswith("-")), text.removeprefix("-")


def _collect_settings(exporting: ExportContext, level: Level3dt) -> None:
    """The editor's settings, if their text was edited."""
    held = originals.resources(exporting.collection, layout.SETTINGS).get(0)
    if not isinstance(held, bpy.types.Text):
        return
    body = held.as_string()
    was = level.settings.replace("\r\n", "\n").replace("\0", "")
    if body.rstrip("\n") != was.rstrip("\n"):
        level.settings = body.rstrip("\n").replace("\n", level.newline) + level.newline
        exporting.note("settings of the editor changed")
