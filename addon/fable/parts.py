# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level's collection holds, found by stamps and never by names."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ..scene import identity, originals
from ..scene.reports import SceneError
from . import layout


def kind_of(id_block: bpy.types.ID) -> str | None:
    """The kind of a data-block's stamp (see layout); None for what the user added."""
    mark = identity.stamped(id_block)
    return None if mark is None else mark.kind


def part(collection: bpy.types.Collection, kind: str) -> bpy.types.Object | None:
    """The object of a level that is of a kind of which there is one. Raises SceneError where there are several."""
    found = [obj for obj in collection.all_objects if kind_of(obj) == kind]
    if len(found) > 1:
        names = ", ".join(obj.name for obj in found)
        raise SceneError(f"{collection.name!r} has {len(found)} of what a level has one of: {names}", found)
    return found[0] if found else None


def active_level(context: bpy.types.Context) -> bpy.types.Collection | None:
    """The active level, if it is one of Fable."""
    level = originals.level_of(context)
    info = originals.describe(level) if level is not None else None
    return level if info is not None and info.format == layout.FORMAT else None


def listed(names: Sequence[str]) -> str:
    """Up to five of the names, for a message."""
    return ", ".join(names[:5]) + (" and others" if len(names) > 5 else "")
