# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/contract`: the whole contract suite, as a page."""

import os
import sys
import tempfile

# Blender reads this once, when it starts
os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="levelwright-contract-")

from scripts.extension import load, run


def main() -> int:
    """Run it for the games that the command line names, or write the page."""
    extension = load()
    extension.register()
    try:
        from . import page

        return page.main(sys.argv[1:])
    finally:
        extension.unregister()


if __name__ == "__main__":
    run(main)
