# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of mapping groups to the level's list of them."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import ns2
from ....formats.arrays import Records
from ...scene.kept import originals
from .collect import FIELDS, collect_groups, held, shown


def build_groups(collection: bpy.types.Collection, records: Records, known: int) -> None:
    """List these groups (MAPPING_GROUP records) and no others. known: the first that many are those of the file."""
    state = held(collection)
    items = state.groups
    items.clear()
    for _ in range(len(records)):
        items.add()
    numbers = np.arange(len(records), dtype=np.int32)
    items.foreach_set("number", records["id"].astype(np.uint32).view(np.int32))
    items.foreach_set("record", np.where(numbers < known, numbers, np.int32(-1)))
    for name in FIELDS:
        items.foreach_set(name, np.ascontiguousarray(shown(name, records[name]), np.float32).reshape(-1))
    state.listed = True


def add_groups(collection: bpy.types.Collection, records: Records) -> None:
    """List further groups; their ids are none of the level's."""
    before = of_file(collection)
    groups = collect_groups(collection, before)
    listed = held(collection)
    if not listed.listed:
        build_groups(collection, np.concatenate([groups, records]), len(before))
        return
    items = listed.groups
    for record in records:
        item = items.add()
        item["number"], item["record"] = int(record["id"].view(np.int32)), -1
        for name in FIELDS:
            item[name] = shown(name, record[name]).tolist()


def of_file(collection: bpy.types.Collection) -> Records:
    """The mapping groups of the file that a level was imported from: MAPPING_GROUP records."""
    original = originals.find(collection)
    return (ns2.read(original.data) if original is not None else ns2.new_level()).mesh.mapping_groups
