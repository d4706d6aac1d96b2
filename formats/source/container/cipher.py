# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps of Tactical Intervention: each byte is XORed with one of a key of 32 (source.md §2.1).

The key shows where the header is empty: in the entries of lumps 23 to 25, which no map of the game fills.
"""

import numpy as np

from ...binary import Buffer
from ..lumps import MAGIC, VERSIONS

KEY_OFFSET, KEY_SIZE = 384, 32


def find_key(data: memoryview) -> bytes | None:
    """Return the key of an encrypted map; None if these bytes are none."""
    key = bytes(data[KEY_OFFSET : KEY_OFFSET + KEY_SIZE])
    if len(key) < KEY_SIZE or not any(key):
        return None
    head = apply(data[:8], key)
    return key if head[:4] == MAGIC and int.from_bytes(head[4:6], "little") in VERSIONS else None


def apply(data: Buffer, key: bytes) -> bytes:
    """Encrypt or decrypt, which is the same."""
    plain = np.frombuffer(data, np.uint8)
    repeated = np.resize(np.frombuffer(key, np.uint8), len(plain))
    return bytes((plain ^ repeated).data)
