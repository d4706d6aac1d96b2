# SPDX-License-Identifier: GPL-3.0-or-later
"""LZMA as lumps, game lumps and the pak have it (source.md "Lump compression", source.md §2.10)."""

import lzma
import struct

from ...binary import Budget, Buffer, FormatError

TAG = b"LZMA"
HEADER = struct.Struct("<4sII5s")  # little-endian in big-endian files too: tag, plain size, packed size, properties

_PROPERTIES = struct.Struct("<BI")
_DICTIONARY = 1 << 24  # what Valve's own packer takes at most
_SMALLEST_DICTIONARY = 1 << 12
_LC, _LP, _PB = 3, 0, 2


def is_compressed(data: Buffer) -> bool:
    """Whether bytes begin as compressed lumps do."""
    return len(data) >= HEADER.size and bytes(data[:4]) == TAG


def stored_size(data: Buffer, what: str) -> int:
    """How many of the bytes the compressed lump at their beginning takes. Raises FormatError."""
    if not is_compressed(data):
        raise FormatError(f"begins with {bytes(data[:4])!r}, not with {TAG!r}", what)
    size: int = HEADER.size + HEADER.unpack_from(data)[2]
    if size > len(data):
        raise FormatError(f"needs {size} bytes, there are {len(data)}", what)
    return size


def decode(data: Buffer, budget: Budget, what: str) -> bytes:
    """Decompress a lump with its 17-byte header; bytes behind it are ignored. Raises FormatError."""
    end = stored_size(data, what)
    _, size, _, properties = HEADER.unpack_from(data)
    return decode_stream(memoryview(data)[HEADER.size : end], properties, size, budget, what)


def decode_stream(stream: Buffer, properties: bytes, size: int, budget: Budget, what: str) -> bytes:
    """Decompress a bare LZMA stream of `size` plain bytes. Raises FormatError."""
    budget.spend(size, what)
    packed, dictionary = _PROPERTIES.unpack(properties)
    lc, lp, pb = packed % 9, packed // 9 % 5, packed // 45
    if pb > 4 or lc + lp > 4:
        raise FormatError(f"LZMA properties {properties.hex(' ')}", what)
    # A dictionary beyond the plain bytes only costs memory.
    dictionary = max(min(dictionary, size), _SMALLEST_DICTIONARY)
    filters = [{"id": lzma.FILTER_LZMA1, "lc": lc, "lp": lp, "pb": pb, "dict_size": dictionary}]
    try:
        plain = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters).decompress(stream, size) if size else b""
    except (lzma.LZMAError, EOFError) as error:
        raise FormatError(f"cannot be decompressed: {error}", what) from None
    if len(plain) != size:
        raise FormatError(f"decompresses to {len(plain)}, not {size} bytes", what)
    return plain


def encode(data: Buffer) -> bytes:
    """Compress bytes, with the header. The same bytes as Valve's packer never come out; they mean the same."""
    properties, stream = encode_stream(data)
    return HEADER.pack(TAG, len(data), len(stream), properties) + stream


def encode_stream(data: Buffer) -> tuple[bytes, bytes]:
    """Compress bytes: the five bytes of properties, and the bare stream with an end mark."""
    dictionary = _SMALLEST_DICTIONARY
    while dictionary < min(len(data), _DICTIONARY):
        dictionary *= 2
    filters = [{"id": lzma.FILTER_LZMA1, "lc": _LC, "lp": _LP, "pb": _PB, "dict_size": dictionary, "preset": 6}]
    return _PROPERTIES.pack((_PB * 5 + _LP) * 9 + _LC, dictionary), lzma.compress(
        data, lzma.FORMAT_RAW, filters=filters
    )
