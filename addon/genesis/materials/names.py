# SPDX-License-Identifier: GPL-3.0-or-later
"""What materials are called, and which texture a material stands for: its property says so, or its new name."""

from __future__ import annotations

import bpy

from ....formats.genesis.geometry import FaceAppearance
from ...scene.kept import identity
from ...scene.names import showable
from .. import layout

NAMED = "levelwright_named"
"""Property of materials: the name that the import gave."""
APPEARANCE = "levelwright_look"
"""Property of materials: the FaceAppearance that they were made for."""


def title_of(texture: str, appearance: FaceAppearance) -> str:
    """The name of the material of a texture and an appearance: "brick, mirror"."""
    return f"{showable(texture) or '(no name)'}{_ways(appearance)}"


def _ways(appearance: FaceAppearance) -> str:
    return "".join(f", {way.name.lower()}" for way in FaceAppearance if way & appearance and way.name)


def texture_of(material: bpy.types.Material | None) -> tuple[str | None, str]:
    """The texture that a material stands for, None for none; and what is to be told of it, mostly "".

    That is its property TEXTURE; of a material that was renamed since the import, whose property nobody edited, the
    new name; and the name of a material without the property.
    """
    if material is None:
        return None, ""
    texture = material.get(layout.TEXTURE)
    if not isinstance(texture, str):
        return material.name, ""
    look = material.get(APPEARANCE)
    appearance = FaceAppearance(look) if isinstance(look, int) else FaceAppearance(0)
    named = material.get(NAMED)
    title = title_of(texture, appearance)
    if identity.is_named(material.name, named if isinstance(named, str) else title):
        return texture, ""
    if named == title:
        return identity.unnumbered(material.name).removesuffix(_ways(appearance)), ""
    return texture, f"{material.name}: its property {layout.TEXTURE} counts, {texture!r}, and not its name"
