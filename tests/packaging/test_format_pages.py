# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of records in docs/formats/source.md, held against the dtypes that read them."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from formats.source import records
from formats.source.collision import physcollide_surface
from formats.source.tables import displacements, geometry, lights, overlays, props, tree

PAGE = Path(__file__).parents[2] / "docs" / "formats" / "source.md"
MODULES: tuple[ModuleType, ...] = (
    geometry,
    tree,
    displacements,
    lights,
    overlays,
    props,
    physcollide_surface,
)
_ROW = re.compile(r"^\| `(?P<name>[A-Z0-9_]+)` \| (?P<size>\d+) \| (?P<fields>[^|]*) \|", re.MULTILINE)


def tables(module: ModuleType) -> "dict[str, np.dtype[Any]]":
    """Every record that a module has, by name."""
    found = vars(module).items()
    return {name: value for name, value in found if isinstance(value, np.dtype) and value.names and name != "RGBE"}


def described(dtype: "np.dtype[Any]") -> str:
    """A record as a row of the page: each field's offset, name and type."""
    nested = {records.RGBE: "RGBE"} | {each: name for module in MODULES for name, each in tables(module).items()}

    def kind(field: "np.dtype[Any]") -> str:
        base, shape = field.base, "".join(f"[{count}]" for count in field.shape)
        plain = f"{base.kind}{8 * base.itemsize}" if base.kind in "uif" else f"bytes[{base.itemsize}]"
        return (nested[base] if base.names else plain) + shape

    fields = [(name, *(dtype.fields or {})[name][:2]) for name in dtype.names or ()]
    return ", ".join(f"{offset} {name} {kind(field)}" for name, field, offset in fields)


def test_records_are_as_the_page_says():
    rows = {row["name"]: (int(row["size"]), row["fields"]) for row in _ROW.finditer(PAGE.read_text("utf-8"))}
    known = {name: dtype for module in MODULES for name, dtype in tables(module).items()}
    assert sorted(rows) == sorted(known)
    for name, dtype in known.items():
        assert rows[name] == (dtype.itemsize, described(dtype)), name
