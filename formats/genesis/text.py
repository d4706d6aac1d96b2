# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as the editor writes them."""

from decimal import ROUND_HALF_UP, Decimal

_SIX = Decimal("0.000001")


def fixed(value: float) -> str:
    """A float as the editor's `%f`: six decimals, ties away from zero (genesis.md §2.3).

    Python's own `%f` rounds ties to even. A binary number lies between two sixth decimals only if it is an odd multiple
    of 1/128, so few values need the slow way.
    """
    if (value * 128.0) % 2.0 == 1.0:
        return str(Decimal(value).quantize(_SIX, ROUND_HALF_UP))
    return f"{value:.6f}"
