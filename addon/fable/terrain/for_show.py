# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of the terrain that are made for show. The brush, *Show* and *Refresh* make them anew; what anybody else
did to them reaches no file, and is told.
"""

from __future__ import annotations

import zlib

import bpy
from numpy.typing import ArrayLike

from ...scene import attributes
from ...scene.attributes import Domain
from ...scene.geometry.edit_mode import readable
from ...scene.reports import Report

_MADE = "levelwright_made_"
"""On the mesh: _MADE + the name of an attribute is a fingerprint of it as it was made last."""


def write(mesh: bpy.types.Mesh, name: str, domain: Domain, colors: ArrayLike) -> None:
    """Write an attribute of colours, [n, 4]; not in edit mode. Raises ValueError where they are too many or too few."""
    attributes.write(mesh, name, domain, "FLOAT_COLOR", colors)
    mesh[_MADE + name] = _fingerprint(mesh, name)


def remove(mesh: bpy.types.Mesh, name: str) -> None:
    """Take an attribute away again."""
    mesh.attributes.remove(mesh.attributes[name])
    mesh.pop(_MADE + name, None)


def tell_edits(terrain: bpy.types.Object, report: Report) -> None:
    """Warn of attributes of a terrain that others edited, or took away."""
    with readable(terrain) as mesh:
        made = [key.removeprefix(_MADE) for key in mesh.keys() if key.startswith(_MADE)]  # noqa: SIM118 - no dict
        edited = [name for name in made if mesh[_MADE + name] != _fingerprint(mesh, name)]
    for name in edited:
        report.warn(
            f"{terrain.name}: the edit of attribute {name} isn't written: it follows from the themes and what *Show* "
            "shows",
            [terrain],
        )


def _fingerprint(mesh: bpy.types.Mesh, name: str) -> str:
    """A text that differs where an attribute does; "" where there is none."""
    values = attributes.read(mesh, name)
    return "" if values is None else f"{zlib.crc32(values.tobytes()):08x}"
