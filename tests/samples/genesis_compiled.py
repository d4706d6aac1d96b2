# SPDX-License-Identifier: GPL-3.0-or-later
"""A small compiled Genesis3D level, made byte by byte: `python -m tests.samples.genesis_compiled` writes it.

It is a lit room with water and a lift (see `tests.formats.genesis_compiled_bytes`).
"""

from pathlib import Path

from tests.formats import genesis_compiled_bytes

TARGET = Path(__file__).with_name("genesis_compiled.bsp")


def main() -> None:
    """Write the level beside this file."""
    TARGET.write_bytes(genesis_compiled_bytes.room())


if __name__ == "__main__":
    main()
