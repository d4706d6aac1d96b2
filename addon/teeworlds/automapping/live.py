# SPDX-License-Identifier: GPL-3.0-or-later
"""What draws on a layer: after each edit, or when it is asked to."""

from __future__ import annotations

import random
from dataclasses import dataclass

import bpy

from ....formats.arrays import Bytes
from ....formats.teeworlds.automap import automap, automap_region
from ....formats.teeworlds.automap_rules import RuleSet
from ....formats.teeworlds.stamps import Rectangle
from ...scene.reports import SceneError
from ..layout import TileLayerProperties, read_properties
from ..structure.parts import tile_kind
from .rules import rule_sets


@dataclass(frozen=True)
class Automapping:
    """An automapper, ready to draw on the tiles of its layer."""

    rules: RuleSet
    seed: int

    def run(self, index: Bytes, flags: Bytes, region: Rectangle | None = None) -> Rectangle:
        """Draw on tiles in place; index, flags: uint8 [h, w], of the whole layer.

        region: the rectangle that was edited (column, row, width, height); None: draw the whole layer. Returns the
        rectangle in which tiles may have changed.
        """
        if region is not None:
            return automap_region(index, flags, self.rules, self.seed, region)
        automap(index, flags, self.rules, self.seed)
        return 0, 0, index.shape[1], index.shape[0]


def automapping(level: bpy.types.Collection, layer: bpy.types.Object) -> Automapping:
    """A layer's automapper, by its properties; seed 0 stands for another one each time.

    Raises SceneError for a layer that no rules draw.
    """
    if tile_kind(layer) != "TILES":
        raise SceneError(f"{layer.name} is not a layer of drawn tiles: only those have an automapper", [layer])
    values, _ = read_properties(layer, TileLayerProperties)
    sets = rule_sets(level, layer)
    if not sets:
        raise SceneError(
            f"{layer.name}: no rules were found for its image (<image>.rules in DDNet's editor/automap)", [layer]
        )
    if not 0 <= values.automapper_config < len(sets):
        names = ", ".join(f"{number} {one.name}" for number, one in enumerate(sets))
        raise SceneError(f"{layer.name}: its automapper is {values.automapper_config}; its image has {names}", [layer])
    return Automapping(sets[values.automapper_config], values.automapper_seed or new_seed())


def live(level: bpy.types.Collection, layer: bpy.types.Object) -> Automapping | None:
    """What draws round each edit of a layer; None where nothing does, as with seed 0 in the game's editor."""
    if not layer.get("automapper_automatic") or not layer.get("automapper_seed"):
        return None
    try:
        return automapping(level, layer)
    except SceneError:
        return None


def new_seed() -> int:
    """A seed other than 0."""
    return random.randint(1, 2**31 - 1)  # noqa: S311 - for looks
