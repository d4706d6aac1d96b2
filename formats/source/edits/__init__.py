# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of maps that keep every lump right that is linked with what is edited (source.md §3).

Each function takes a `Level` and changes it, or raises FormatError, which names what is wrong, and leaves it as it was:
`check` finds no error in the level afterwards that it didn't find before. What they don't touch stays byte for byte.
Numbers are those of records in the level as it is: after a removal, those behind have others, so remove last.
"""

from . import (
    area_portals,
    brush_contents,
    brush_models,
    cubemaps,
    displacements,
    entities,
    face_fields,
    lightmaps,
    occluders,
    overlays,
    pak,
    static_props,
    texture_vectors,
    textures,
    worldlights,
)

__all__ = [
    "area_portals",
    "brush_contents",
    "brush_models",
    "cubemaps",
    "displacements",
    "entities",
    "face_fields",
    "lightmaps",
    "occluders",
    "overlays",
    "pak",
    "static_props",
    "texture_vectors",
    "textures",
    "worldlights",
]
