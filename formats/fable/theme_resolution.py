# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of themes, as they were painted, to what a cell holds: three slots, and strengths that add up to 255.

A cell's blend is what its three slots and two stored strengths say (the third one has what is left of 255). Painting
knows nothing of slots: there is a weight a theme. What was painted in a cell counts as it is; themes that weren't
touched there share what is left, in the proportion that they had. Cells are resolved all at once: arrays in, arrays
out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import Bools, Bytes, Floats, Indices, Reals

FULL, SLOTS = 255, 3
NONE = -1
"""Theme of a slot whose theme has no weights."""
NOTICED = 0.5 / FULL
"""What rounds to a strength of 1. Less than that is nobody's paint."""

Otherwise = Literal["refuse", "fit"]


class BlendError(Exception):
    """Cells whose weights aren't a blend."""

    message: str
    """What is wrong with them."""
    cells: Indices
    """[m], which of the rows they were."""

    def __init__(self, message: str, cells: Bools) -> None:
        super().__init__(message)
        self.message = message
        self.cells = np.flatnonzero(cells)


@dataclass(frozen=True, slots=True)
class Resolved:
    """What cells hold in the file."""

    slots: Bytes
    """uint8[n, 3]"""
    strengths: Bytes
    """uint8[n, 2]; the third one is what is left of 255."""
    reduced: Bools
    """bool[n], whether a fourth theme was dropped."""


def resolve(
    weights: Reals,
    touched: Bools,
    slots: Bytes,
    theme_of: Indices,
    slot_of: Bytes,
    *,
    sums: Otherwise = "refuse",
    fourth: Otherwise = "refuse",
) -> Resolved:
    """Slots and strengths of n cells with the weights of t themes.

    weights: [n, t], 0 to 1. touched: [n, t], whether a weight was edited. slots: [n, 3], those that the cells had: a
    theme stays in its slot, and one that isn't shown any more stays where its slot isn't needed. theme_of: [256], the
    theme of each slot or NONE. slot_of: [t], the slot of a theme for cells that didn't have it. sums: refuse cells
    whose weights can't add up to 1, or scale them. fourth: refuse cells of more than three themes, or drop the weakest.
    Raises BlendError.
    """
    shares = _shares(np.asarray(weights, np.float64), touched, sums)
    if shares.shape[1] < SLOTS:
        shares = np.pad(shares, ((0, 0), (0, SLOTS - shares.shape[1])))
    order = np.argsort(-shares, axis=1, kind="stable")
    ranked = np.take_along_axis(shares, order, axis=1)
    reduced = (ranked[:, SLOTS:] >= NOTICED).any(axis=1)
    if fourth == "refuse" and reduced.any():
        raise BlendError("more than three themes", reduced)
    strengths = quantise(ranked[:, :SLOTS])
    themes = np.where(strengths > 0, order[:, :SLOTS], NONE)
    return Resolved(*_place(themes, strengths, slots, theme_of, slot_of), reduced)


def paint(shares: Floats, slot: int, amounts: Floats, erase: bool) -> tuple[Floats, Bools]:
    """Blend a slot into cells, or out of them: the others keep what is left, in their proportion.

    shares: [n, slots], what each slot has of a cell, at most 1 in all. amounts: [n], 0 to 1. Returns the new shares,
    and which cells have a blend then, bool[n]: a cell's only theme can't be taken away.
    """
    own = shares[:, slot]
    goal = own * (1 - amounts) if erase else own + (1 - own) * amounts
    others = np.delete(shares, slot, axis=1).sum(axis=1)
    scale = np.divide(1 - goal, others, out=np.zeros_like(others), where=others > 0)
    painted: Floats = shares * scale[:, None]
    painted[:, slot] = goal
    return painted, (painted.sum(axis=1) > 0) & ~(erase & (others == 0))


def quantise(shares: Floats) -> Indices:
    """Whole numbers [n, k] in the proportion of `shares` [n, k] that add up to 255: the largest fractions round up."""
    exact = shares / shares.sum(axis=1, keepdims=True) * FULL
    whole = np.floor(exact)
    missing = FULL - whole.sum(axis=1, keepdims=True)
    rank = np.argsort(np.argsort(whole - exact, axis=1, kind="stable"), axis=1, kind="stable")
    found: Indices = (whole + (rank < missing)).astype(np.intp)
    return found


def _shares(weights: Floats, touched: Bools, sums: Otherwise) -> Floats:
    """Weights that add up to 1 in each cell."""
    _refuse("weights that are NaN", np.isnan(weights).any(axis=1))
    if sums == "refuse":
        _refuse("weights that aren't within 0 and 1", ~((weights >= 0) & (weights <= 1)).all(axis=1))
    weights = np.clip(weights, 0.0, 1.0)
    painted, kept = np.where(touched, weights, 0.0), np.where(touched, 0.0, weights)
    sum_painted, sum_kept = painted.sum(axis=1, keepdims=True), kept.sum(axis=1, keepdims=True)
    rest = 1.0 - sum_painted
    _refuse("no theme at all", (sum_painted + sum_kept == 0)[:, 0])
    if sums == "refuse":
        _refuse("strengths of more than 255 in all", (rest < -NOTICED)[:, 0])
        _refuse("strengths of less than 255 in all", ((sum_kept == 0) & (rest > NOTICED))[:, 0])
    filled = painted + kept * np.divide(rest.clip(0.0), sum_kept, out=np.zeros_like(rest), where=sum_kept > 0)
    shares: Floats = filled / filled.sum(axis=1, keepdims=True)
    return shares


def _refuse(what: str, cells: Bools) -> None:
    if cells.any():
        raise BlendError(what, cells)


def _place(themes: Indices, strengths: Indices, slots: Bytes, theme_of: Indices, slot_of: Bytes) -> tuple[Bytes, Bytes]:
    """Give up to three themes a cell (strongest first) their places among its slots."""
    rows = np.arange(len(slots))
    had = theme_of[slots]
    placed, values = slots.copy(), np.zeros(slots.shape, np.intp)
    free = np.ones(slots.shape, np.bool_)
    homeless = []
    for theme, strength in zip(themes.T, strengths.T, strict=True):
        same = (had == theme[:, None]) & free & (theme[:, None] != NONE)
        at, home = same.argmax(axis=1), same.any(axis=1)
        values[rows[home], at[home]] = strength[home]
        free[rows[home], at[home]] = False
        homeless.append((theme, strength, ~home & (theme != NONE)))
    for theme, strength, new in homeless:
        # An empty slot rather than one that remembers a theme; the first of either.
        at = np.where(free, np.where(slots == 0, 0, 1), 2).argmin(axis=1)
        placed[rows[new], at[new]] = slot_of[theme[new]]
        values[rows[new], at[new]] = strength[new]
        free[rows[new], at[new]] = False
    return placed, values[:, : SLOTS - 1].astype(np.uint8)
