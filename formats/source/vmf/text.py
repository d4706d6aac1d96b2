# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing VMF: the text that Hammer and vbsp read (Valve Developer Community, "VMF documentation").

Nothing can be escaped there: a value ends at the next quotation mark.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ..content.keyvalues import Block

_QUOTE, _INSTEAD = '"', "'"


def numbers(values: npt.ArrayLike) -> list[str]:
    """Floats as texts that give the same float32 again, with six digits where these do, otherwise nine.

    What is no number becomes 0.
    """
    with np.errstate(invalid="ignore"):
        flat = np.nan_to_num(np.asarray(values, np.float64).reshape(-1), posinf=0.0, neginf=0.0) + 0.0  # no -0
    short = [f"{value:.6g}" for value in flat.tolist()]
    if not short:
        return short
    with np.errstate(over="ignore"):
        same = np.array(short, np.float64).astype(np.float32) == flat.astype(np.float32)
    for place in np.flatnonzero(~same).tolist():
        short[place] = f"{flat[place]:.9g}"
    return short


def plain(text: str) -> tuple[str, bool]:
    """A text as it can stand between quotation marks, and whether it had to be changed for that."""
    if _QUOTE not in text and "\0" not in text:
        return text, False
    return text.replace("\\" + _QUOTE, _INSTEAD).replace(_QUOTE, _INSTEAD).replace("\0", ""), True


def write(whole: Block, encoding: str = "utf-8") -> bytes:
    """A file's bytes: tabs and lines as Hammer writes them. What the encoding lacks becomes a question mark."""
    lines: list[str] = []
    _put(whole.entries, "", lines)
    return "".join(lines).encode(encoding, "replace")


def _put(entries: Iterable[tuple[str, "str | Block"]], indent: str, lines: list[str]) -> None:
    for key, value in entries:
        if isinstance(value, str):
            lines.append(f'{indent}"{key}" "{value}"\n')
        else:
            lines.append(f"{indent}{key}\n{indent}{{\n")
            _put(value.entries, indent + "\t", lines)
            lines.append(f"{indent}}}\n")
