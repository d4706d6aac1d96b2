# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints how many bytes a process takes at most to open and `save`, or to `decode`, the map that it is called with."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from formats import source
from tests.formats.source_parts import decode


def _kilobytes(key: str) -> int:
    """A line of this process's status (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split(key + ":")[1].split()[0])


def save(data: bytes) -> object:
    """Open and save."""
    return source.write(source.read(data))


def decode_all(data: bytes) -> object:
    """Decode everything, part after part."""
    return decode(source.read(data))


def main() -> None:
    """Measure what the command line names."""
    way: Callable[[bytes], object] = {"save": save, "decode": decode_all}[sys.argv[1]]
    way(source.write(source.new_level()))  # what is loaded and made once
    before = _kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    way(Path(sys.argv[2]).read_bytes())
    print((_kilobytes("VmHWM") - before) * 1024)


if __name__ == "__main__":
    main()
