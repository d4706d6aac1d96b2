# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender shows of the classes of entities: tooltips, limits and choices of their properties."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from ....formats.binary import FormatError
from ....formats.ns2 import editor_setup
from ....formats.ns2.editor_setup import Choice, Parameter
from ....formats.ns2.entity_classes import Classes
from ....formats.ns2.records import FLOAT_TYPES, INT_TYPES, TEXT_TYPES, PropertyType
from ...scene.reports import Report
from ..context import ImportContext

FILE = "editor_setup.xml"
_LIMITS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s*(?:to|and|-)\s*(\d+(?:\.\d+)?)(?![\w])")
"""Limits that a label or help gives: "Volume (0 to 1)"."""
_SUBTYPES = {PropertyType.COLOR: "COLOR_GAMMA", PropertyType.ANGLE: "ANGLE", PropertyType.DISTANCE: "DISTANCE"}


def find_classes(importing: ImportContext, report: Report) -> Classes:
    """The classes that the game's `editor_setup.xml` describes, if it is there."""
    file = importing.find(FILE)
    if file is None:
        return Classes()
    try:
        return Classes(editor_setup.read(importing.content.read(file)))
    except (FormatError, OSError) as error:
        report.warn(f"{file}: {error}")
        return Classes()


class Descriptions:
    """What `id_properties_ui` shows of properties, worked out once for each."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self._known: dict[tuple[str, str, int, int], dict[str, object]] = {}

    def of(self, class_name: str, name: str, kind: int, components: int) -> Mapping[str, object]:
        """Tooltip, limits and choices of a property of an object of a class."""
        key = (class_name, name, kind, components)
        if key not in self._known:
            self._known[key] = _describe(self.classes.parameters(class_name).get(name), kind, components)
        return self._known[key]


def _describe(parameter: Parameter | None, kind: int, components: int) -> dict[str, object]:
    shown: dict[str, object] = {}
    if kind in _SUBTYPES and not (kind == PropertyType.DISTANCE and components > 1):  # a place has no limits
        shown["subtype"] = _SUBTYPES[PropertyType(kind)]
        if kind != PropertyType.ANGLE:
            shown |= {"min": 0.0, "soft_min": 0.0}
        if kind == PropertyType.COLOR:
            shown["soft_max"] = 1.0
    if parameter is None:
        return shown
    text = _tooltip(parameter)
    if text:
        shown["description"] = text
    limits = _LIMITS.search(f"{parameter.label} {parameter.help}")
    if limits is not None and kind in (PropertyType.REAL, PropertyType.INTEGER):
        lowest, highest = sorted(float(limit) for limit in limits.groups())
        convert = float if kind in FLOAT_TYPES else int
        shown |= {"soft_min": convert(lowest), "soft_max": convert(highest)}
    if parameter.choices and kind in (PropertyType.CHOICE, PropertyType.INTEGER):
        shown["items"] = _items(parameter.choices)
    value = parameter.value
    if kind in FLOAT_TYPES and components == 1 and isinstance(value, tuple) and len(value) == 1:
        shown["default"] = value[0]
    elif kind in INT_TYPES | TEXT_TYPES and isinstance(value, int | str) and "items" not in shown:
        shown["default"] = value
    return shown


def _tooltip(parameter: Parameter) -> str:
    """Label, help and what files are meant, as far as they say anything."""
    label = parameter.label if parameter.label != parameter.name else ""
    ending = f"({parameter.filter})" if parameter.filter and parameter.filter not in parameter.help else ""
    text = f"{label}: {parameter.help}" if label and parameter.help else label or parameter.help
    return " ".join(part for part in (text, ending) if part)


def _items(choices: Iterable[Choice]) -> list[tuple[str, str, str, int]]:
    """A menu's entries: each value once, each under a name of its own."""
    items: dict[int, tuple[str, str, str, int]] = {}
    for each in choices:
        items.setdefault(each.value, (f"{each.label} ({each.value})", each.label, each.help, each.value))
    return list(items.values())


def numbers(value: object, count: int) -> tuple[float, ...] | None:
    """A property's value as so many finite numbers; None where it is something else."""
    found = value if isinstance(value, tuple) else (value,)
    if len(found) != count or not all(isinstance(one, int | float) and math.isfinite(one) for one in found):
        return None
    return tuple(float(one) for one in found)
