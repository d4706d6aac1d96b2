# SPDX-License-Identifier: GPL-3.0-or-later
"""Mapping groups that were pasted into a level: kept on its collection, as the original keeps those of the file."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.ns2.records import MAPPING_GROUP, Records
from ...scene import baselines

_KEY = "mapping_groups"


def added(collection: bpy.types.Collection) -> Records:
    """MAPPING_GROUP records of pasted groups; most levels have none."""
    found = baselines.load(collection, _KEY)
    if found is None or found.dtype.itemsize != MAPPING_GROUP.itemsize:
        return np.zeros(0, MAPPING_GROUP)
    return found.view(MAPPING_GROUP).reshape(-1)


def add(collection: bpy.types.Collection, groups: Records) -> None:
    """Keep further groups; their ids are none of the level's."""
    baselines.store(collection, _KEY, np.concatenate([added(collection), groups]))
