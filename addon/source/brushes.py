"""Brushes: the solids that collide, a mesh object for each kind of contents (source-bsp-seed "BRUSHES")."""

from __future__ import annotations

import bpy
import numpy as np

from ...formats.source import brushes, ranges
from ...formats.source.records import Contents
from ..scene import meshes
from . import layout
from .site import Site

_LONGEST = 40


def build_meshes(site: Site) -> list[tuple[str, bpy.types.Mesh]]:
    """Make a mesh for each kind of contents, with its title; polygons have the sides' numbers and the contents.

    Raises FormatError for lumps that don't fit together.
    """
    solids = brushes.solids(site.level)
    polygons = solids.polygons
    counts = np.diff(polygons.first_corner)
    brush = ranges.owners(np.diff(solids.first_side))
    contents = solids.brushes["contents"].astype(np.uint32)[brush]
    drawn = counts > 0
    made = []
    for value in np.unique(contents[drawn]).tolist():
        sides = np.flatnonzero(drawn & (contents == value))
        places = ranges.flat(polygons.first_corner[:-1][sides], counts[sides])
        vertices, corners = np.unique(polygons.corners[places], return_inverse=True)
        numbers = solids.sides[sides]
        mesh = meshes.build(
            f"{site.collection.name} {_title(value)}",
            polygons.positions[vertices],
            corners,
            ranges.starts(counts[sides])[:-1],
            attributes={
                layout.SIDE: ("FACE", "INT", numbers + 1),
                layout.CONTENTS: ("FACE", "INT", contents[sides].view(np.int32)),
                layout.BRUSH: ("FACE", "INT", brush[sides] + 1),
            },
            report=site.report,
        )
        made.append((_title(value), mesh))
    site.report.count("brushes", len(solids.brushes))
    open_ones = int((~polygons.closed).sum())
    if open_ones:
        site.report.left_out("brushes that enclose nothing", open_ones)
    return made


def place(site: Site, made: list[tuple[str, bpy.types.Mesh]]) -> None:
    """Make the objects of the meshes, in the hidden collection of brushes."""
    for number, (title, mesh) in enumerate(made):
        site.object_of(title, layout.BRUSHES, number, mesh, site.group(layout.BRUSH_HOME))


def _title(contents: int) -> str:
    """The names of contents: "PLAYERCLIP, DETAIL"."""
    names = [flag.name or "" for flag in Contents if flag & contents]
    return ", ".join(names)[:_LONGEST] or f"contents {contents:#x}"
