# SPDX-License-Identifier: GPL-3.0-or-later
"""Light that the compiler baked into static props: a mesh of its own for each prop that has some, with the light of its
vertices as a colour attribute, which the level's node group of baked light shows (`lightmaps.build`).

Such a mesh shares all but that attribute with the others of its model. The pak's files stay as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import bpy
import numpy as np

from ....formats import source
from ....formats.arrays import Records, Singles
from ....formats.binary import FormatError
from ....formats.counting import number_of
from ....formats.source.content import vhv
from ....formats.source.content.vhv import VertexOrder
from ...scene import attributes
from ...scene.names import showable
from .. import layout
from ..context import ImportContext
from ..settings import ImportSettings
from . import models
from .models import Models

HDR, NONE = "hdr", "none"
"""Of the import's option `lightmaps`."""
_LDR_NAME, _HDR_NAME = "sp_{}.vhv", "sp_hdr_{}.vhv"
_NAME = re.compile(r"sp_(?:hdr_)?\d+\.vhv", re.IGNORECASE)
_NOT_LIT = 0x40
"""Of a prop's flags: the game takes no notice of the light of its vertices."""
_BLACK = 1e-6
"""Light of what is black: 0 is what there is without the attribute."""


def is_shown(level: source.Level, settings: ImportSettings) -> bool:
    """Whether an import of a map shows light of static props."""
    if not settings.prop_light or settings.lightmaps == NONE or settings.static_props != "models":
        return False
    return bool(names(level))


def names(level: source.Level) -> frozenset[str]:
    """The names of the pak's files with light of props, in small letters; none where it can't be read."""
    try:
        return frozenset(name.lower() for name in level.pak.names if _NAME.fullmatch(name))
    except FormatError:  # the content's own part of the import reports that
        return frozenset()


@dataclass
class PropLight:
    """The light of an import's static props."""

    importing: ImportContext
    known: Models
    wrong: dict[str, int] = field(default_factory=dict)
    """How many props have light that isn't of their model, by why."""
    _names: frozenset[str] = frozenset()
    _orders: dict[str, VertexOrder | str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._names = names(self.importing.level) if self.importing.lit_props else frozenset()

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._names)

    def has(self, number: int, prop: Records) -> bool:
        """Whether a prop of the map has light. prop: its record."""
        flags = int(prop["flags"]) if "flags" in (prop.dtype.names or ()) else 0
        return not flags & _NOT_LIT and self._file(number) is not None

    def lit(self, number: int, path: str, shared: bpy.types.Mesh) -> bpy.types.Mesh:
        """A mesh like that of a prop's model, with the prop's light; the same mesh where that can't be read."""
        name = models.normal(path)
        try:
            light = self._light(number, name)
        except FormatError as error:
            self.wrong[str(error)] = self.wrong.get(str(error), 0) + 1
            return shared
        if len(light) != len(shared.vertices):
            return shared
        made = shared.copy()
        made.name = showable(f"{shared.name} prop {number}")
        rgba = np.ones((len(light), 4), np.float32)
        np.maximum(light, _BLACK, out=rgba[:, :3])
        attributes.create(made, layout.VERTEX_LIGHT, "POINT", "FLOAT_COLOR", rgba)
        self.importing.report.count("static props with baked light")
        return made

    def tell(self) -> None:
        """Report the light that couldn't be shown."""
        for why, count in self.wrong.items():
            self.importing.report.note(f"the baked light of {number_of(count, 'static props')} isn't shown: {why}")

    def _file(self, number: int) -> str | None:
        """The name of the file with a prop's light: of the kind that is asked for, or the other."""
        kinds = [_HDR_NAME, _LDR_NAME] if self.importing.settings.lightmaps == HDR else [_LDR_NAME, _HDR_NAME]
        return next((name for kind in kinds if (name := kind.format(number)) in self._names), None)

    def _light(self, number: int, name: str) -> Singles:
        """The light of a prop's vertices, float32[v, 3], those that its model's mesh has. Raises FormatError."""
        file = self._file(number)
        if name not in self._orders:
            try:
                self._orders[name] = self._order(name)
            except FormatError as error:
                self._orders[name] = str(error)
        order = self._orders[name]
        if file is None or isinstance(order, str):
            raise FormatError(str(order), name)
        return vhv.light_of(vhv.read(self.importing.level.pak.read(file)), order)

    def _order(self, name: str) -> VertexOrder:
        """Where the vertices of a model's mesh stand in its props' light. Raises FormatError."""
        model = self.known.model(name)
        if model is None:
            raise FormatError("its model is missing", name)
        order = VertexOrder.of(self.known.groups(name), model.checksum, len(model.positions))
        return order.take(np.unique(model.triangles))
