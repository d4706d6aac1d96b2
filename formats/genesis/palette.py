# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours of a picture reduced to a palette: median cut."""

import numpy as np

from ..arrays import Bytes, Floats, Indices

_WEIGHTS = np.array([0.30, 0.59, 0.11])  # how much the eye minds differences of red, green and blue


def quantized(picture: Bytes, limit: int = 256) -> tuple[Bytes, Bytes]:
    """Reduce a picture uint8[h, w, 3] to at most `limit` colours.

    Returns the colours uint8[n, 3] and the number of each pixel's colour uint8[h, w]. Exact if the picture has no more
    colours than that. Else the colours are cut into boxes: the one with the largest error, weighted for the eye, is cut
    at its mean across its longest axis, again and again; a box's colour is the mean of its pixels.
    """
    height, width = picture.shape[:2]
    codes = picture.reshape(-1, 3).astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
    found, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    colors = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=1).astype(np.float64)
    if len(colors) > limit:
        labels = _boxes(colors, counts.astype(np.float64), limit)
        weights = np.bincount(labels, counts)
        means = [np.bincount(labels, counts * colors[:, axis]) / weights for axis in range(3)]
        colors, inverse = np.rint(np.stack(means, axis=1)), labels[inverse]
    return colors.astype(np.uint8), inverse.astype(np.uint8).reshape(height, width)


def nearest(picture: Floats, colors: Bytes) -> Bytes:
    """The number of the colour, uint8[n, 3], that is nearest to each pixel of a picture [h, w, 3]: uint8[h, w]."""
    found, inverse = np.unique(np.rint(picture).reshape(-1, 3), axis=0, return_inverse=True)
    away: Floats = ((found[:, None] - colors.astype(np.float64)) ** 2) @ _WEIGHTS
    numbers = away.argmin(axis=1).astype(np.uint8)[inverse.reshape(-1)]
    return np.asarray(numbers.reshape(picture.shape[:2]), np.uint8)


def _boxes(colors: Floats, counts: Floats, limit: int) -> Indices:
    """The number of the box of each colour."""
    labels = np.zeros(len(colors), np.intp)
    boxes = [np.arange(len(colors))]
    errors = [_error(colors, counts)]
    while len(boxes) < limit:
        worst = max(range(len(boxes)), key=lambda box: errors[box][0])
        error, axis, middle = errors[worst]
        if error <= 0:
            break
        members = boxes[worst]
        above = colors[members, axis] > middle
        for number, part in ((worst, members[~above]), (len(boxes), members[above])):
            if number == len(boxes):
                boxes.append(part)
                errors.append(_error(colors[part], counts[part]))
                labels[part] = number
            else:
                boxes[number], errors[number] = part, _error(colors[part], counts[part])
    return labels


def _error(colors: Floats, counts: Floats) -> tuple[float, int, float]:
    """A box's weighted squared error along its longest axis, that axis, and the mean on it."""
    total = counts.sum()
    means = (counts[:, None] * colors).sum(axis=0) / total
    errors = (counts[:, None] * (colors - means) ** 2).sum(axis=0) * _WEIGHTS
    axis = int(errors.argmax())
    return float(errors[axis]) if len(colors) > 1 else 0.0, axis, float(means[axis])
