# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs together: parts of anything that links connect."""

import numpy as np

from .arrays import Ints


def components(count: int, first: Ints, second: Ints) -> Ints:
    """The lowest number among all that links connect, for each of `count`: int64[count].

    first, second: int64[k], what each link connects, both ways round.
    """
    label = np.arange(count)
    while True:
        lowest = label.copy()
        np.minimum.at(lowest, label[first], label[second])  # whole components join at a time
        lowest = np.minimum(lowest, lowest[label])
        while not np.array_equal(lowest, jumped := lowest[lowest]):
            lowest = jumped
        if np.array_equal(lowest, label):
            return label
        label = lowest
