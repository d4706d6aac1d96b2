# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes as mesh objects. All that can be is worked out for the whole level at once, in arrays; see `layout`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import bpy
import numpy as np

from ....formats.arrays import Ints, Singles
from ....formats.counting import number_of
from ....formats.genesis.geometry import Geometry
from ...scene.fields import properties
from ...scene.kept import identity
from ...scene.names import showable
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import Destination, ImportContext
from ..faces.build import MeshMaker
from .flags import is_see_through, map_properties

UNCLOSED_SHOWN = 8
"""Brushes that a warning about them names."""


def one_each(count: int) -> Ints:
    """The starts of meshes of a brush each."""
    return np.arange(count + 1)


def shared(row_of: Ints) -> Ints:
    """The starts of meshes of up to SHARED neighbours that have the same destination. row_of: int[b]."""
    ends = np.flatnonzero(np.diff(row_of, prepend=-1, append=-1))
    rows = [np.arange(first, last, layout.SHARED) for first, last in pairwise(ends)]
    return np.concatenate([*rows, [len(row_of)]]).astype(np.int64)


def build_brushes(
    importing: ImportContext, maker: MeshMaker, geometry: Geometry, destinations: list[Destination], row_of: Ints
) -> Steps[None]:
    """Make the brushes of a `.map`, as many in an object as the maker's meshes have.

    row_of: int[b], the number in `destinations` of each brush.
    """
    kind, name = (layout.BRUSHES, "Brushes") if maker.shared else (layout.BRUSH, "Brush")
    starts = maker.brushes.tolist()
    # Blender keeps names sorted: names that come in order need no search for their place.
    digits = len(str(len(row_of)))
    titles = [f"{name} {first:0{digits}}" for first in starts[:-1]]
    # All meshes before the first object: giving a mesh a material looks through all objects of the .blend.
    with progress(2) as part:
        made = yield from maker.make_all(titles)
        part()
        with progress(len(row_of), "brushes") as step:
            for title, mesh, (first, last) in zip(titles, made, pairwise(starts), strict=True):
                obj = bpy.data.objects.new(showable(title), mesh)
                if not maker.shared:
                    write_flags(obj, int(geometry.flags[first]))
                identity.stamp(obj, importing.token, kind, first)
                obj[layout.ORDER] = int(first)
                put(obj, destinations[int(row_of[first])], maker.arrays.origins[first])
                yield step(last - first)
    importing.report.count("brushes", len(row_of))


def put(obj: bpy.types.Object, destination: Destination, origin: Singles) -> None:
    """Put a brush where it belongs: below its parent, at its origin below the root, in its collection."""
    obj.parent = destination.parent
    if destination.inverse is not None:
        obj.matrix_parent_inverse = destination.inverse
    obj.location = origin.tolist()
    destination.collection.objects.link(obj)


def write_flags(obj: bpy.types.Object, flags: int) -> None:
    """Give the object of a `.map`'s brush the properties of its flags."""
    _writer(flags)(obj)
    if is_see_through(flags):
        obj.display_type = "WIRE"
        obj.hide_render = True


@lru_cache(256)
def _writer(flags: int) -> Callable[[bpy.types.ID], None]:
    """What writes the properties: a level has few different flags."""
    return properties.writer(map_properties(flags))


def warn_of_unclosed(importing: ImportContext, geometry: Geometry) -> None:
    """Tell which brushes aren't closed: they were imported as they are, and go back unchanged."""
    numbers = geometry.numbers[~geometry.polygons.closed]
    if not len(numbers):
        return
    shown = ", ".join(map(str, numbers[:UNCLOSED_SHOWN])) + (", ..." if len(numbers) > UNCLOSED_SHOWN else "")
    importing.report.warn(
        f"{number_of(len(numbers), 'brushes are')} not closed, and enclose nothing: {shown}. Such a brush is shown as "
        "far as it goes, and is written back as it is unless it is edited"
    )
