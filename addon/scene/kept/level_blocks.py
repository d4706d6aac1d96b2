# SPDX-License-Identifier: GPL-3.0-or-later
"""The data-blocks of a level, and which of its records each is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import bpy

from . import identity, originals

_NO_RECORD = " -1"
"""What keys end in of what the file has no record of."""
TEXTURE = "texture"
"""The kind of images that materials show and that are no records of the level: it has their names at most."""


class LevelBlock(NamedTuple):
    """A data-block of a level, and which it is."""

    kind: str
    """As it is stamped; of one without a stamp the kind of the level's resource, or its type."""
    key: str
    """Its kind and record: several objects may be parts of one record."""
    id_block: bpy.types.ID

    @property
    def entry(self) -> str:
        """What its fingerprints are kept under: a collection and an object of one record have different aspects.

        What is no record has nothing but its name to be told from others by.
        """
        sort = f"{self.key} {type(self.id_block).__name__}"
        return f"{sort} {identity.unnumbered(self.id_block.name)}" if self.key.endswith(_NO_RECORD) else sort

    @property
    def sort(self) -> str:
        """Its key and type."""
        return f"{self.key} {type(self.id_block).__name__}"

    @property
    def is_no_record(self) -> bool:
        """Whether the file has no record of it."""
        return self.key.endswith(_NO_RECORD)


def blocks(collection: bpy.types.Collection) -> Iterator[LevelBlock]:
    """Give all data-blocks that a level's import made, and their copies: objects, collections, materials, resources."""
    info = originals.describe(collection)
    token = None if info is None else int(info.token)
    given: set[int] = set()
    for kind, record, id_block in _candidates(collection):
        known = id_block.session_uid
        if known in given:
            continue
        given.add(known)
        mark = identity.stamped(id_block)
        if mark is None and record:
            yield LevelBlock(kind, f"{kind} {record}", id_block)
        elif mark is not None and mark.token == token:
            yield LevelBlock(mark.kind, f"{mark.kind} {mark.record}", id_block)


def _candidates(collection: bpy.types.Collection) -> Iterator[tuple[str, str, bpy.types.ID]]:
    """Data-blocks with what they are without a stamp; "" for those that are nothing then."""
    yield "level", "0", collection
    for child in collection.children_recursive:
        yield "collection", "", child
    materials: dict[bpy.types.Material, None] = {}
    objects = list(collection.all_objects)  # what reads them may make and remove meshes
    for obj in objects:
        yield "object", "", obj
    for obj in objects:
        for slot in obj.material_slots if obj.data is not None else ():
            if slot.material is not None:
                materials[slot.material] = None
    for material in materials:
        yield "material", material.name, material
    for kind in originals.kinds_of_resources(collection):
        for record, id_block in originals.resources(collection, kind).items():
            if kind != originals.REPORTS:
                yield kind, str(record), id_block
    for image in dict.fromkeys(image for material in materials for image in _images_of(material)):
        yield TEXTURE, _NO_RECORD.strip(), image
    for world in list(bpy.data.worlds):
        yield "world", "", world


def _images_of(material: bpy.types.Material) -> Iterator[bpy.types.Image]:
    """The images that the nodes of a material show."""
    for node in material.node_tree.nodes if material.node_tree is not None else ():
        if isinstance(node, bpy.types.ShaderNodeTexImage) and node.image is not None:
            yield node.image
