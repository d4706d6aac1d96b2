# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours that models are tinted with: of entities by their keys, of static props by their records."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ....formats.binary import FormatError
from ....formats.source.entities.entity_values import number
from ....formats.source.entities.text import MODEL, vector
from ..context import ImportContext
from .models import is_model

Color = tuple[float, float, float, float]

COLOR, ALPHA, MODE = "rendercolor", "renderamt", "rendermode"
TINT = "diffuse_modulation"
_FULL = 255.0


def of_entity(values: Mapping[str, str]) -> Color:
    """The colour and alpha that an entity's model has, 0 to 1, of its values in small letters: alpha counts only where
    its way of rendering isn't the usual one.
    """
    red, green, blue = vector(values.get(COLOR)) or (_FULL,) * 3
    alpha = number(values, ALPHA, _FULL) if number(values, MODE) else _FULL
    r, g, b, a = (
        min(max(part / _FULL, 0.0), 1.0) if math.isfinite(part) else 1.0 for part in (red, green, blue, alpha)
    )
    return r, g, b, a


def fade(importing: ImportContext) -> bool:
    """Whether some model of the map is seen through by its own alpha. What can't be read, other parts report."""
    try:
        if any(MODE in values and _fades(values) for values in importing.values):
            return True
        lump = importing.level.static_props
    except FormatError:
        return False
    props = None if lump is None else lump.props
    return props is not None and TINT in (props.dtype.names or ()) and bool((props[TINT][:, 3] < _FULL).any())


def _fades(values: Mapping[str, str]) -> bool:
    return is_model(values.get(MODEL, "")) and of_entity(values)[3] < 1
