# SPDX-License-Identifier: GPL-3.0-or-later
"""Names for types of arrays: of one dtype, and where the exact dtype doesn't matter to who takes them."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""Of a dtype that only the values tell: a mesh's attribute, a field of records."""
Integers = npt.NDArray[np.integer[Any]]
"""Of integers of any width: row numbers, counts, ids."""
Reals = npt.NDArray[np.floating[Any]]
"""Of floats of either precision."""
Records = npt.NDArray[np.void]
"""Of a structured dtype: a row a record."""

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Int32s = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Indices = npt.NDArray[np.intp]
"""Of the integers that numpy itself gives for places in arrays."""
Singles = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
