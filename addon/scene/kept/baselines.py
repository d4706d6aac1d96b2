# SPDX-License-Identifier: GPL-3.0-or-later
"""What the import made of a record, kept beside it, so that "unchanged" is decided by bits and never by recomputing.

numpy's sin, arctan2 and pow differ between CPUs and versions: a baseline that is computed again would see edits where
there are none.
"""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ....formats.arrays import Array

PREFIX = "levelwright_was_"
"""Baselines are bytes properties named PREFIX + key."""


def put_bytes(id_block: bpy.types.ID, key: str, data: bytes) -> None:
    """Set a bytes property: anew, for Blender cuts bytes at their first NUL when it overwrites bytes (4.2 to 5.2)."""
    if id_block.get(key) is not None:
        del id_block[key]
    id_block[key] = data


def store(id_block: bpy.types.ID, key: str, values: ArrayLike) -> None:
    """Keep values under a key (up to 47 bytes): dtype, shape and the exact bits; records come back as plain bytes."""
    array = np.asarray(values)
    if array.dtype.hasobject:
        raise TypeError(f"{key}: a baseline holds numbers, not {array.dtype}")
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    head = f"{array.dtype.str} {','.join(map(str, array.shape))}\n".encode()
    put_bytes(id_block, PREFIX + key, b"".join((head, array.data if array.flags.c_contiguous else array.tobytes())))


def load(id_block: bpy.types.ID, key: str) -> Array | None:
    """Return what was stored under the key (read-only), or None."""
    data = id_block.get(PREFIX + key)
    if not isinstance(data, bytes):
        return None
    head, _, body = data.partition(b"\n")
    try:
        dtype, _, shape = head.decode().partition(" ")
        return np.frombuffer(body, dtype).reshape([int(n) for n in shape.split(",") if n])
    except (ValueError, TypeError):
        return None


def same(id_block: bpy.types.ID, key: str, values: ArrayLike) -> bool:
    """Say whether values are bit for bit what was stored under the key (-0.0 and NaN payloads count)."""
    old = load(id_block, key)
    if old is None:
        return False
    new = np.asarray(values)
    new = new.astype(new.dtype.newbyteorder("<"), copy=False)
    return old.shape == new.shape and old.dtype.str == new.dtype.str and old.tobytes() == new.tobytes()


def forget(id_block: bpy.types.ID, key: str) -> None:
    """Drop the baseline of this key, if there is one."""
    if id_block.get(PREFIX + key) is not None:
        del id_block[PREFIX + key]
