# SPDX-License-Identifier: GPL-3.0-or-later
"""An edit of each game by keys, with undo and redo in the middle; Check Export; the file that is written."""

from __future__ import annotations

import functools
from collections.abc import Callable

from scripts.walks.walk import ALL, Sample, Walk

MOVED = {
    "teeworlds": "1 Sun quad 0",
    "genesis": "light1",
    "fable": "OBJECT_VALE_FALLEN_PILLAR",
    "ns2": "crate",
    "source": "Prop 0 crate",
}
"""What is moved of each sample."""

SIDEBAR = ("issues", (1028, 84, 1312, 533))
"""For the documents: the part of the sidebar with the list of issues."""


def edit(walk: Walk, sample: Sample) -> None:
    """An object is moved by G, the move undone and redone; Check Export, then Export Level from the menu: the file is
    another one, and a level of the game.
    """
    window = walk.window
    walk.imported(sample)
    name = MOVED[sample.key]
    walk.select(name)
    place = f"list(bpy.data.objects[{name!r}].location)"
    before = walk.value(place)
    walk.over_view()
    window.key("g", "x", "1", "Return")
    walk.expect(f"{place} != {before!r}", "G did not move the object")
    after = walk.value(place)
    window.key("ctrl+z")
    walk.expect(f"{place} == {before!r}", "undo did not bring the object back")
    window.key("ctrl+shift+z")
    walk.expect(f"{place} == {after!r}", "redo did not move the object")
    walk.sidebar()
    walk.menu("Levelwright", "Check Export")
    window.press("Check", near=(window.at[0] - 20, window.at[1] + 90))
    walk.over_view()
    walk.see(
        "checked",
        f"{name} was moved, undone, redone; Check Export lists what is to be looked at.",
        SIDEBAR if sample.key == "source" else None,
    )
    walk.menu("Levelwright", "What Would Change")
    window.press("Compare", near=(window.at[0] - 20, window.at[1] + 90))
    walk.over_view()
    walk.see("changes", "What Would Change? compares, record by record, what would be written with what was imported.")
    walk.menu("Levelwright", "Export Level")
    walk.browse_folder()
    walk.overwrite(sample.file)
    walk.see("written", "The level was written.")
    walk.differs(sample)


PATHS: dict[str, Callable[[Walk], None]] = {
    f"edit-{sample.key}": functools.partial(edit, sample=sample) for sample in ALL
}
