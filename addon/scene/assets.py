# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a level becomes assets: things that Blender's asset browser has, to be dragged into other levels.

An asset is nobody's record: its stamp says what kind of thing it is, and names no level (token 0, record -1). So the
export of a level that it was dragged into writes it as a new one.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

from . import attributes
from .blender_types import always
from .geometry import shapes, transforms
from .kept import identity
from .level import root_of
from .media import materials
from .names import showable
from .view import kinds

CATALOGS = "blender_assets.cats.txt"
"""The file of a library's folder in which Blender looks for catalogs."""
MATERIALS = "Materials"
"""The catalog of materials; objects are in one that is called as their kind (`kinds.KINDS`)."""
_HEAD = "# This is an Asset Catalog Definition file for Blender.\n\nVERSION 1\n"
_NAMESPACE = uuid.UUID("6f2f3f0e-6c53-4c0c-8a6b-6c6576656c77")
"""Ours: a catalog's number is made of it and the catalog's path, so that it is the same in every library."""


def _nothing(_block: bpy.types.ID) -> str:
    """What a game says that has no assets of a sort."""
    return ""


def _no_keys(_obj: bpy.types.Object) -> Iterable[str]:
    """What a game says whose properties mean the same in every level."""
    return ()


def _leave(_obj: bpy.types.Object) -> None:
    """What is done to copies that are fine as they are."""


def _never(_obj: bpy.types.Object) -> bool:
    """What a game says of which nothing moves that becomes an asset."""
    return False


def _no_pieces(_level: bpy.types.Collection) -> Iterable[Candidate]:
    """What a game says of which all assets are objects of its levels."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetRules:
    """What a game declares of its assets."""

    object_key: Callable[[bpy.types.Object], str]
    """What an object is: equal ones are one asset, the first. "" for what becomes none. Its asset is called as
    what follows the last slash.
    """
    material_key: Callable[[bpy.types.Material], str] = _nothing
    """Likewise, of a material, which keeps its name."""
    forgets: Callable[[bpy.types.Object], Iterable[str]] = _no_keys
    """The custom properties that mean something in its level only: names, places, what refers to others."""
    stand_alone: Callable[[bpy.types.Object], None] = _leave
    """What else has to be done to an object's copy."""
    keeps_motion: Callable[[bpy.types.Object], bool] = _never
    """Whether an object's copy plays what the object plays."""
    pieces: Callable[[bpy.types.Collection], Iterable[Candidate]] = _no_pieces
    """Gives what is no object of its own in a level, made to be an asset: brushes, patterns of tiles."""
    upright: frozenset[str] = frozenset()
    """The stamps of objects whose assets stand as when nobody has turned them; others stand as the first one did."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Of the import of levels that assets are taken from, where they aren't the usual ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A data-block of a level that is to become an asset."""

    block: bpy.types.Object | bpy.types.Material
    key: str
    catalog: str
    is_piece: bool = False
    """Whether it was made to be the asset: it stands alone at the origin, in no collection."""


def candidates(level: bpy.types.Collection, rules: AssetRules, kind_of: kinds.KindOf) -> Iterator[Candidate]:
    """Give what of a level can become assets, one of each key: objects by their names, pieces, then materials."""
    known = set[str]()
    found = sorted(kinds.members(level, kind_of).items(), key=lambda each: each[0].name)
    for obj, kind in found:
        key = rules.object_key(obj)
        if key and key not in known:
            known.add(key)
            yield Candidate(obj, key, kind)
    for piece in rules.pieces(level):
        if piece.key not in known:
            known.add(piece.key)
            yield piece
    known.clear()
    for material in materials.of_level(level):
        key = rules.material_key(material)
        if key and key not in known:
            known.add(key)
            yield Candidate(material, key, MATERIALS)


def make(candidate: Candidate, game: str, rules: AssetRules) -> bpy.types.ID:
    """Make an asset of a candidate, and return it: a copy of an object, the material itself.

    game: begins the catalog's path. The view layer has to be up to date.
    """
    block = candidate.block
    made: bpy.types.ID = block
    if isinstance(block, bpy.types.Object) and not candidate.is_piece:
        made = alone(block, rules)
    _let_go(made)
    if isinstance(made, bpy.types.Object):
        title = candidate.key.rsplit("/", 1)[-1]
        other: bpy.types.Object | None = bpy.data.objects.get(showable(title))
        if other is not None and other.asset_data is None:
            other.name = showable(f".{title}")  # the asset gets the plain name, whatever of the level is called so
        made.name = showable(title)
    mark_asset(made, game, candidate.catalog, candidate.key)
    return made


def mark_asset(made: bpy.types.ID, game: str, catalog: str, description: str) -> None:
    """Make an asset of a data-block, in a catalog of a game."""
    made.asset_mark()
    data = always(made.asset_data)
    data.catalog_id = catalog_id(f"{game}/{catalog}")
    data.description = showable(description)
    for tag in (game, catalog):
        data.tags.new(tag, skip_if_exists=True)


def let_go_of_resources() -> None:
    """Make what assets of the open .blend show and play nobody's: a level was imported to take assets from it.

    Meshes of models know their materials by what these are stamped as.
    """
    for block in (*bpy.data.materials, *bpy.data.images, *bpy.data.actions, *bpy.data.sounds):
        _let_go(block)
    for mesh in list(bpy.data.meshes):
        if shapes.is_known(mesh):
            shapes.remember(mesh)


def _let_go(block: bpy.types.ID) -> None:
    """Let a stamp say what a data-block is, but not of which level."""
    mark = identity.stamped(block)
    if mark is not None:
        identity.stamp(block, identity.Token(0), mark.kind, -1)


def alone(obj: bpy.types.Object, rules: AssetRules) -> bpy.types.Object:
    """A copy of an object that stands alone, at the origin, as large as its level shows it."""
    made = obj.copy()
    _, turn, scale = obj.matrix_world.decompose()
    if not rules.keeps_motion(obj):
        made.animation_data_clear()
    made.parent = None
    made.matrix_basis = Matrix.LocRotScale(None, None if identity.kind_of(obj) in rules.upright else turn, scale)
    made.hide_render = made.hide_viewport = False
    for key in (transforms.BASELINE, *rules.forgets(obj)):
        if made.get(key) is not None:
            del made[key]
    if obj.data is not None and not isinstance(obj.data, bpy.types.Mesh):
        made.data = obj.data.copy()  # what a light says is its own; a mesh is that of all with one model
    rules.stand_alone(made)
    return made


def piece(name: str, mesh: bpy.types.Mesh, level: bpy.types.Collection, kind: str) -> bpy.types.Object:
    """An object of a mesh that was made of parts of a level, stamped as nobody's, as large as the level shows it."""
    made: bpy.types.Object = bpy.data.objects.new(showable(name), mesh)
    root = root_of(level)
    made.scale = root.scale if root is not None else (1.0, 1.0, 1.0)
    identity.stamp(made, identity.Token(0), kind, -1)
    return made


def lie_flat(obj: bpy.types.Object) -> None:
    """Give an object of a flat mesh one that lies in its plane z = 0, its front up: so it is dropped onto surfaces."""
    mesh = obj.data
    if not isinstance(mesh, bpy.types.Mesh) or not mesh.polygons:
        return
    points, ring = attributes.read(mesh, "position", "POINT"), list(mesh.polygons[0].vertices)
    if points is None:
        return
    along, normal = points[ring[1]] - points[ring[0]], np.array(mesh.polygons[0].normal)
    along = along / max(float(np.sqrt(along @ along)), 1e-9)
    axes = np.stack([along, np.cross(normal, along), normal])
    obj.data = mesh = mesh.copy()
    flat = (points - points.mean(axis=0)) @ axes.T
    attributes.write(mesh, "position", "POINT", "FLOAT_VECTOR", flat.astype(np.float32))
    mesh.update()


def catalog_id(path: str) -> str:
    """The number of the catalog with this path, the same in every library."""
    return str(uuid.uuid5(_NAMESPACE, path))


def write_catalogs(folder: Path, paths: Iterable[str]) -> bytes:
    """What a library's file of catalogs has to hold so that it has these, too; those of others stay as they are."""
    file = folder / CATALOGS
    text = file.read_text(encoding="utf-8") if file.is_file() else _HEAD
    known = {line.partition(":")[0] for line in text.splitlines()}
    added = [
        f"{catalog_id(path)}:{path}:{path.replace('/', '-')}\n"
        for path in sorted(set(paths))
        if catalog_id(path) not in known
    ]
    gap = "" if text.endswith("\n") else "\n"
    return (text + gap + "".join(added)).encode()


def text_property(block: bpy.types.ID, key: str) -> str:
    """A custom property that is text; "" where it isn't, or isn't there."""
    value = block.get(key)
    return value if isinstance(value, str) else ""
