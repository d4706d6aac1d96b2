# SPDX-License-Identifier: GPL-3.0-or-later
"""Names for arrays whose exact dtype doesn't matter to who takes them."""

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
