# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials back to the map's textures: renamed ones, and those that are new to it.

A texture is renamed by the property `material` of its material; all faces that have it, overlays too, go along. A
material of another map or of one's own stands for the texture that its property names, or else the material itself.
"""

from __future__ import annotations

import re

import bpy
import numpy as np

from ....formats import source
from ....formats.binary import FormatError
from ....formats.counting import number_of
from ....formats.source import LumpId, edits
from ....formats.source.sections.texdata import MAX_NAME
from ....formats.source.vmf.uv import UNKNOWN_SIZE
from ...scene.kept import identity, originals
from ...scene.media import images
from ...scene.media.materials import picture_nodes
from ...scene.names import showable
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..collecting.scene_level import SceneLevel, shows_faces

_GREY = (0.5, 0.5, 0.5)
_TOOLS = "tools/"
"""What the names of tool textures begin with: they are of UNKNOWN_SIZE, and nobody sees them."""
_LETTERS = re.compile(r"[ !#-~]+")
"""What a texture's name is of: no quotes, which would end it in a material's or an editor's file."""
_AS_FILE = re.compile(r"(?:/|materials/)*(.*?)(?:\.vmt)?", re.IGNORECASE | re.DOTALL)
"""A texture's name, with what the path of its material's file has around it."""


_READ = frozenset((layout.MODEL, layout.DISPLACEMENT, layout.DISPLACEMENTS, layout.OVERLAY, layout.BRUSHES))
"""Kinds of objects whose materials are textures of the map."""


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Rename textures. Raises SceneError for names that a map cannot hold."""
    _report_others(scene, report)
    held = originals.resources(scene.collection, layout.MATERIAL_KIND)
    if not held:  # the import made none, maybe as the names can't be read
        return
    names = scene.before.texture_names.names
    renamed: list[str] = []
    texdata = scene.before.table(LumpId.TEXDATA)["name_string_table_id"]
    for number, material in held.items():
        if not isinstance(material, bpy.types.Material) or _number(material, scene.token) != number:
            continue
        wanted = material.get(layout.MATERIAL)
        if wanted is None or number >= len(names):
            continue
        if wanted == showable(names[number]):
            if not identity.is_named(material.name, wanted):
                renamed.append(f"{material.name!r} ({wanted})")
            continue
        name = _checked(wanted, material, scene)
        for texture in np.flatnonzero(texdata == number).tolist():
            edits.textures.change(level, texture, name=name)
        report.count("textures renamed")
        report.note(f"texture {names[number]} is now {name}")
    if renamed:
        report.warn(
            f"{number_of(len(renamed), 'materials have')} another name in Blender than the texture, which keeps its "
            f"own: {listed(renamed)}. The property {layout.MATERIAL!r} of a material renames its texture"
        )


def _report_others(scene: SceneLevel, report: Report) -> None:
    """Warn of materials of models and decals whose property was edited: what they name is in files and entities."""
    edited: dict[bpy.types.Material, bool] = {}
    for obj in list(scene.collection.all_objects):
        is_read = identity.kind_of(obj) in _READ or shows_faces(obj)
        for slot in obj.material_slots:
            own: object = None if slot.material is None else slot.material.get(layout.OWN_NAME)
            if slot.material is not None and own is not None and own != slot.material.get(layout.MATERIAL):
                edited[slot.material] = edited.get(slot.material, False) or is_read
    names = [material.name for material, is_read in edited.items() if not is_read]
    if names:
        report.warn(
            f"{listed(names)}: the edit of the property {layout.MATERIAL!r} isn't written: what models and decals "
            "have for materials is said by their files and their entities"
        )


def _number(material: bpy.types.Material, token: int) -> int:
    """The number of a material's name in the original's table, -1 for a material that isn't the import's."""
    mark = identity.stamped(material)
    return mark.record if mark is not None and mark.token == token and mark.kind == layout.MATERIAL_KIND else -1


def texture_name_of(text: str) -> str:
    """A texture's name, of a text that may be the path of its material's file, as it is typed or copied."""
    found = _AS_FILE.fullmatch(text.strip().replace("\\", "/"))
    return found[1] if found is not None else ""


def _checked(name: object, material: bpy.types.Material, scene: SceneLevel) -> str:
    """A name as maps have them. Raises SceneError, with the objects that have the material."""
    plain = texture_name_of(name) if isinstance(name, str) else ""
    if len(plain) > MAX_NAME or not _LETTERS.fullmatch(plain):
        raise SceneError(
            f"material {material.name!r}: {name!r} can't be the name of a texture: 1 to {MAX_NAME} Latin letters, "
            "digits and signs, no quotes",
            _users(material, scene),
        )
    return plain


def _users(material: bpy.types.Material, scene: SceneLevel) -> list[bpy.types.Object]:
    """The level's objects that have a material."""
    return [
        obj
        for obj in list(scene.collection.all_objects)
        if any(slot.material is not None and slot.material == material for slot in obj.material_slots)
    ]


def image_of(material: bpy.types.Material) -> bpy.types.Image | None:
    """The first image of a material's nodes that stands for itself; None where there is none."""
    found = (node.image for node in picture_nodes(material.node_tree))
    return next(
        (image for image in found if image is not None and image.size[0] and not images.is_placeholder(image)), None
    )


class TextureTable:
    """The textures that materials stand for, in a level as it is edited."""

    def __init__(self, scene: SceneLevel, level: source.Level, report: Report) -> None:
        self.scene, self.level, self.report = scene, level, report
        self._names = scene.before.texture_names.names
        self._found: dict[bpy.types.Material, str] = {}

    def name(self, material: bpy.types.Material) -> str:
        """The texture's name: of the import's materials what the table now has. Raises SceneError."""
        if material not in self._found:
            self._found[material] = self._name(material)
        return self._found[material]

    def _name(self, material: bpy.types.Material) -> str:
        number = _number(material, self.scene.token)
        given = material.get(layout.MATERIAL)
        if 0 <= number < len(self._names):
            held = originals.resources(self.scene.collection, layout.MATERIAL_KIND).get(number)
            if given == showable(self._names[number]) or (held is not None and given == held.get(layout.MATERIAL)):
                return self.level.texture_names.names[self._now(number)]
        return _checked(material.name if given is None else given, material, self.scene)

    def is_nameless(self, material: bpy.types.Material) -> bool:
        """Whether a material is the import's of faces that have no texture."""
        mark = identity.stamped(material)
        own = mark is not None and mark.token == self.scene.token and mark.record < 0
        return own and not material.get(layout.MATERIAL)

    def _now(self, number: int) -> int:
        """The number that texdata now have which had this one: renaming gives them another where names are shared."""
        texdata = self.scene.before.table(LumpId.TEXDATA)["name_string_table_id"]
        users = np.flatnonzero(texdata == number)
        return int(self.level.table(LumpId.TEXDATA)["name_string_table_id"][users[0]]) if len(users) else number

    def texdata(self, material: bpy.types.Material, size: tuple[int, int]) -> int:
        """The number of the texdata of a material's texture, added where the level has none yet.

        size: of the texture, in pixels, where neither the level nor an image of the material says how large it is.
        """
        name, image = self.name(material), image_of(material)
        color = _GREY
        before = len(self.level.table(LumpId.TEXDATA))
        if image is not None:
            size, color = (int(image.size[0]), int(image.size[1])), images.mean_color(image)
        try:
            number = edits.textures.add(self.level, name, size, color)
        except FormatError as error:
            raise SceneError(f"texture {name}: {error.message}", _users(material, self.scene)) from error
        if number == before:
            self.report.count("textures added")
            if image is None and not (name.lower().startswith(_TOOLS) and size == UNKNOWN_SIZE):
                self.report.warn(
                    f"texture {name}: its size isn't known, since its material has no image: {size[0]:g} x {size[1]:g} "
                    "is taken"
                )
        return number
