# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels to blocks of 4 x 4: DXT1, DXT3, DXT5, ATI1N and ATI2N; the inverse of what `texels` decodes.

Two colours a block and four or three on the line between them: the line is the pixels' principal axis, then its ends
are solved anew, by least squares, for the choices that were made. All blocks at once.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bytes, Int32s, Ints, Singles
from .texels import ImageFormat

Blocks = Bytes

_AT_ONCE = 1 << 14  # blocks: their numbers stay in the cache
_REFINEMENTS = 2
_OPAQUE = 128  # alphas from here on are opaque, where there is one bit for them
_FIVE, _SIX = 31, 63
_CHANNELS = ((11, _FIVE), (5, _SIX), (0, _FIVE))
"""Of RGB565: lowest bit and largest value."""
_FOUR = np.array([[1, 0], [0, 1], [2 / 3, 1 / 3], [1 / 3, 2 / 3]], np.float32)
_THREE = np.array([[1, 0], [0, 1], [1 / 2, 1 / 2]], np.float32)
"""How much of the two ends there is in each choice."""


def encode(form: ImageFormat, pixels: Bytes) -> bytes:
    """The blocks of uint8[height, width, 4] pixels, top row first; sides that 4 doesn't divide are filled up with
    their last row and column. ValueError for a format that has no such blocks.
    """
    blocks = _blocks(pixels)
    parts = [_encoded(form, blocks[start : start + _AT_ONCE]) for start in range(0, len(blocks), _AT_ONCE)]
    return b"".join(part.tobytes() for part in parts)


def _blocks(pixels: Bytes) -> Blocks:
    """uint8[n, 16, 4]: the pixels of each block, row by row."""
    height, width = pixels.shape[:2]
    whole = np.pad(pixels, ((0, -height % 4), (0, -width % 4), (0, 0)), "edge")
    down, across = whole.shape[0] // 4, whole.shape[1] // 4
    return np.ascontiguousarray(whole.reshape(down, 4, across, 4, 4).swapaxes(1, 2)).reshape(-1, 16, 4)


def _encoded(form: ImageFormat, blocks: Blocks) -> Blocks:
    if form == ImageFormat.DXT1:
        return _colors(blocks)
    if form == ImageFormat.DXT1_ONEBITALPHA:
        return _with_holes(blocks)
    if form == ImageFormat.DXT3:
        nibbles = (blocks[..., 3].astype(np.uint16) * 15 + 127) // 255
        alpha = (nibbles[:, ::2] | nibbles[:, 1::2] << 4).astype(np.uint8)
        return np.concatenate([alpha, _colors(blocks)], axis=1)
    if form == ImageFormat.DXT5:
        return np.concatenate([_gradient(blocks[..., 3]), _colors(blocks)], axis=1)
    if form == ImageFormat.ATI1N:
        return _gradient(blocks[..., 0])
    if form == ImageFormat.ATI2N:
        return np.concatenate([_gradient(blocks[..., 1]), _gradient(blocks[..., 0])], axis=1)
    raise ValueError(f"{form.name} has no blocks that can be made")


# ------------------------------------------------------------------------------------------------------------- colours


def _colors(blocks: Blocks) -> Blocks:
    """uint8[n, 8]: blocks of four colours, all opaque."""
    colors = blocks[..., :3].astype(np.float32)
    ends, choices = _fitted(colors, np.ones(blocks.shape[:2], np.float32), _FOUR)
    flat = (blocks[..., :3] == blocks[:, :1, :3]).all(axis=(1, 2))
    if flat.any():
        ends[flat], choices[flat] = _flat(blocks[flat, 0, :3]), 2
    words = _packed(ends)
    swap = words[:, 0] < words[:, 1]  # the other way round there would be three colours
    words[swap] = words[swap, ::-1]
    choices[swap] ^= 1
    choices[words[:, 0] == words[:, 1]] = 0
    return _joined(words, choices)


def _with_holes(blocks: Blocks) -> Blocks:
    """uint8[n, 8]: blocks of three colours and clear where alpha is low, of four where it isn't."""
    made = _colors(blocks)
    clear = blocks[..., 3] < _OPAQUE
    holed = clear.any(axis=1)
    if not holed.any():
        return made
    some, gone = blocks[holed], clear[holed]
    ends, choices = _fitted(some[..., :3].astype(np.float32), (~gone).astype(np.float32), _THREE)
    words = _packed(ends)
    swap = words[:, 0] > words[:, 1]
    words[swap] = words[swap, ::-1]
    turned = choices[swap]
    choices[swap] = np.where(turned < 2, turned ^ 1, turned)
    choices[gone] = 3
    made[holed] = _joined(words, choices)
    return made


def _fitted(colors: Singles, weights: Singles, shares: Singles) -> tuple[Ints, Bytes]:
    """Ends int64[n, 2, 3] in steps of RGB565, and choices uint8[n, 16], of colours float32[n, 16, 3] that count as much
    as weights float32[n, 16]. shares: _FOUR or _THREE.
    """
    total = np.maximum(weights.sum(axis=1), 1)[:, None]
    middle = (colors * weights[..., None]).sum(axis=1) / total
    arms = (colors - middle[:, None]) * weights[..., None]
    spread = np.einsum("npi,npj->nij", arms, arms)
    axis = arms[np.arange(len(arms)), (arms * arms).sum(axis=2).argmax(axis=1)]
    for _ in range(6):  # power iteration, from the farthest pixel
        axis = np.einsum("nij,nj->ni", spread, axis)
        axis /= np.maximum(np.abs(axis).max(axis=1, keepdims=True), 1e-20)
    along = np.einsum("npi,ni->np", arms, axis) / np.maximum((axis * axis).sum(axis=1), 1e-20)[:, None]
    ends = _quantised(
        np.stack([middle + along.max(axis=1)[:, None] * axis, middle + along.min(axis=1)[:, None] * axis], axis=1)
    )
    choices, error = _chosen(colors, weights, ends, shares)
    for _ in range(_REFINEMENTS):
        again = _quantised(_solved(colors, weights, shares[choices], ends))
        other, left = _chosen(colors, weights, again, shares)
        better = left < error
        ends[better], choices[better], error[better] = again[better], other[better], left[better]
    return ends, choices


def _solved(colors: Singles, weights: Singles, shares: Singles, ends: Ints) -> Singles:
    """Ends that fit choices best, float32[n, 2, 3]; the old ones where one choice was made everywhere."""
    weighted = shares * weights[..., None]
    normal = np.einsum("npi,npj->nij", weighted, shares)
    right = np.einsum("npi,npc->nic", weighted, colors)
    determinant = normal[:, 0, 0] * normal[:, 1, 1] - normal[:, 0, 1] ** 2
    known = determinant > 1e-4
    inverse = np.stack([normal[:, 1, 1], -normal[:, 0, 1], -normal[:, 0, 1], normal[:, 0, 0]], axis=1)
    inverse = inverse.reshape(-1, 2, 2) / np.where(known, determinant, 1)[:, None, None]
    return np.where(known[:, None, None], inverse @ right, _expanded(ends))


def _chosen(colors: Singles, weights: Singles, ends: Ints, shares: Singles) -> tuple[Bytes, Singles]:
    """The nearest colour for each pixel, and the squared error of each block."""
    palette = np.einsum("ki,nic->nkc", shares, _expanded(ends))
    away = np.stack([((colors - palette[:, k, None]) ** 2).sum(axis=2) for k in range(len(shares))], axis=2)
    choices = away.argmin(axis=2)
    least = np.take_along_axis(away, choices[..., None], axis=2)[..., 0]
    return choices.astype(np.uint8), (least * weights).sum(axis=1)


def _quantised(colors: Singles) -> Ints:
    """Colours [..., 3] of 0 to 255 in steps of RGB565."""
    steps = np.array([most for _, most in _CHANNELS])
    return np.asarray(np.rint(np.clip(colors, 0, 255) * steps / 255), np.int64)


def _expanded(ends: Ints) -> Singles:
    """The inverse of `_quantised`, as `texels` has it."""
    steps = np.array([most for _, most in _CHANNELS])
    return np.asarray((ends * 255 + steps // 2) // steps, np.float32)


def _packed(ends: Ints) -> NDArray[np.uint16]:
    """uint16[n, 2]."""
    words = sum(ends[..., channel] << low for channel, (low, _) in enumerate(_CHANNELS))
    return np.asarray(words, np.uint16)


def _joined(words: NDArray[np.uint16], choices: Bytes) -> Blocks:
    rows = choices.reshape(-1, 4, 4)
    bits = (rows << np.array([0, 2, 4, 6], np.uint8)).sum(axis=2, dtype=np.uint8)
    return np.concatenate([words.astype("<u2").view(np.uint8).reshape(-1, 4), bits], axis=1)


def _flat(colors: Bytes) -> Ints:
    """Ends int64[n, 2, 3] whose third colour is nearest to colours [n, 3]: better than either end could be."""
    return np.stack([_best_pairs(most)[colors[:, channel]] for channel, (_, most) in enumerate(_CHANNELS)], axis=2)


@cache
def _best_pairs(most: int) -> Ints:
    """int64[256, 2]: the steps whose two thirds and one third are nearest to each value; of several the closest."""
    steps = np.arange(most + 1)
    values = (steps * 255 + most // 2) // most
    mixed = (2 * values[:, None] + values + 1) // 3
    apart = np.abs(mixed.reshape(-1) - np.arange(256)[:, None]) * 1000 + np.abs(steps[:, None] - steps).reshape(-1)
    return np.column_stack(np.divmod(apart.argmin(axis=1), most + 1))


# ---------------------------------------------------------------------------------------------------------- one channel


def _gradient(values: Blocks) -> Blocks:
    """uint8[n, 8]: one channel uint8[n, 16], of eight steps, or of six and both extremes, whichever is nearer."""
    wide = values.astype(np.int32)
    eight = np.column_stack([wide.max(axis=1), wide.min(axis=1)])
    inside = (wide > 0) & (wide < 255)
    low = np.where(inside, wide, 255).min(axis=1)
    high = np.where(inside, wide, 0).max(axis=1)
    none = ~inside.any(axis=1)
    six = np.column_stack([np.where(none, 0, low), np.where(none, 255, high)])
    palettes = [_steps(eight, 7), _steps(six, 5)]
    chosen = [np.abs(wide[..., None] - palette[:, None]).argmin(axis=2) for palette in palettes]
    errors = [
        ((wide - np.take_along_axis(palette, choice, axis=1)) ** 2).sum(axis=1)
        for palette, choice in zip(palettes, chosen, strict=True)
    ]
    by_six = errors[1] < errors[0]
    ends = np.where(by_six[:, None], six, eight)
    choices = np.where(by_six[:, None], chosen[1], chosen[0]).astype(np.uint64)
    choices[(ends[:, 0] == ends[:, 1]) & ~by_six] = 0
    bits: NDArray[np.uint64] = (choices << np.arange(0, 48, 3, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    return np.concatenate([ends.astype(np.uint8), bits.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :6]], axis=1)


def _steps(ends: Int32s, parts: int) -> Int32s:
    """int32[n, 8]: what the choices mean for ends int32[n, 2], as `texels` has it."""
    inner = np.arange(1, parts)
    palette = np.empty((len(ends), 8), np.int32)
    palette[:, :2] = ends
    palette[:, 2 : parts + 1] = (ends[:, :1] * (parts - inner) + ends[:, 1:] * inner + parts // 2) // parts
    if parts < 7:
        palette[:, 6], palette[:, 7] = 0, 255
    return palette
