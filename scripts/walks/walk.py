# SPDX-License-Identifier: GPL-3.0-or-later
"""What all walks are made of: a window, pictures with sentences, and what has to be true of the session."""

from __future__ import annotations

import ast
import importlib
import os
from dataclasses import dataclass, field
from pathlib import Path

from scripts.window import Window, WindowError

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "samples"
MIDDLE = (560, 450)
"""A place over the 3D view, away from its tools: keys go to the editor that the mouse is over."""
OVER_OUTLINER = (1430, 160)
"""A place over the outliner."""
FILE_NAME = (600, 857)
"""The field in a file browser for the name of the file that is written."""
TABS = 40
"""How wide the tabs of a sidebar are, at most: pixels."""
PAGES = 9
"""Of what is scrolled, at the most."""
SCROLLED = "r.view2d.region_to_view(0, 0)[1]"
"""How far down a region is."""
COMPILING = 45.0
"""Seconds that shaders get: without a graphics card they need minutes, and pictures in Solid need none."""


Box = tuple[int, int, int, int]
"""Left, upper, right and lower edge, in pixels."""
Area = tuple[int, int, int, int]
"""A part of the screen: x, y, width and height, in pixels."""


@dataclass(frozen=True)
class Sample:
    """A level of our own, and what one sees of it."""

    game: str
    """What the game is called in the menu *Levelwright*."""
    key: str
    """What operators begin with."""
    file: str
    entry: str
    """In File > Import > Game Level."""
    button: str
    """In the file browser, as far as Blender shows it there."""

    @property
    def name(self) -> str:
        """The level's name in Blender."""
        return Path(self.file).stem


TEEWORLDS = Sample("Teeworlds", "teeworlds", "first-light.map", "Teeworlds / DDNet map", "Import Teeworlds")
GENESIS = Sample("Genesis3D", "genesis", "genesis_room.map", "Genesis3D level", "Import Genesis3D")
FABLE = Sample("Fable", "fable", "fable_vale.lev", "Fable: The Lost Chapters level (.lev)", "Import Fable Level")
NS2 = Sample("NS2", "ns2", "ns2_room.level", "Natural Selection 2 level", "Import NS2 Level")
SOURCE = Sample("Source", "source", "source_room.bsp", "Source map (.bsp)", "Import Source Map")
ALL = (TEEWORLDS, GENESIS, FABLE, NS2, SOURCE)


@dataclass
class Walk:
    """One path in one window: what is done, and what has been seen so far."""

    window: Window
    name: str
    level: Path | None = None
    """A big level, for what only such a one shows."""
    seen: list[tuple[Path, str]] = field(default_factory=list)
    """Pictures, each with its sentence."""
    for_docs: dict[str, tuple[Path, Box]] = field(default_factory=dict)
    """Pictures of the documents by name, and which part of them is shown."""

    def see(self, what: str, sentence: str, docs: tuple[str, Box] | None = None) -> None:
        """Take a picture: `what` is a word for its file's name. docs: its name in the documents, and what of it."""
        picture = self.window.shot(f"{self.name}-{len(self.seen) + 1:02}-{what}")
        self.seen.append((picture, sentence))
        if docs is not None:
            self.for_docs[docs[0]] = picture, docs[1]

    def see_now(self, what: str, sentence: str) -> None:
        """Take a picture of what changes while one looks."""
        self.seen.append((self.window.snap(f"{self.name}-{len(self.seen) + 1:02}-{what}"), sentence))

    def expect_now(self, expression: str, says: str) -> None:
        """Ask the session for something that has to be true at this moment. Raises WindowError."""
        if not self.value(f"bool({expression})"):
            raise WindowError(f"{says}: {expression}")

    def expect(self, expression: str, says: str) -> None:
        """Ask the session for something that has to be true. Raises WindowError."""
        try:
            self.window.until(expression)
        except WindowError as error:
            raise WindowError(f"{says}: {error}") from error

    def value(self, expression: str) -> object:
        """Return what an expression is in the session: numbers, texts, lists."""
        said: object = ast.literal_eval(self.window.python(f"print(repr({expression}))"))
        return said

    def region(self, editor: str, kind: str = "WINDOW") -> Area:
        """Return where a part of the first editor of a type (`ui_type`) is on the screen. Raises WindowError."""
        found = self.of_region("(w.x + r.x, w.y + r.y, r.width, r.height)", editor, kind)
        x, low, width, height = ast.literal_eval(str(found))
        return x, self.window.size[1] - low - height, width, height

    def of_region(self, expression: str, editor: str, kind: str) -> object:
        """Return what an expression is of a part of the first editor of a type, in whatever window: `w` the window, `a`
        the area, `r` its region. Raises WindowError where there is none.
        """
        found = self.value(
            f"[{expression} for w in bpy.context.window_manager.windows for a in w.screen.areas "
            f"if a.ui_type == {editor!r} for r in a.regions if r.type == {kind!r}]"
        )
        if not isinstance(found, list) or not found:
            raise WindowError(f"no window shows a {editor}")
        return found[0]

    def scroll(self, editor: str, kind: str, word: str, sentence: str) -> None:
        """Take pictures of an editor's part, a page after another to its end, and go back to its top. Raises
        WindowError.
        """
        left, top, width, height = self.region(editor, kind)
        self.window.move(left + width // 3, top + height // 2)
        for number in range(1, PAGES + 1):
            self.see(f"{word}-{number}", sentence)
            before = self.of_region(SCROLLED, editor, kind)
            self.window.key("Next")
            if self.of_region(SCROLLED, editor, kind) == before:
                self.window.key(*["Prior"] * (number - 1))
                return
        raise WindowError(f"there are more than {PAGES} pages")

    def over_view(self) -> None:
        """Move the mouse over the 3D view."""
        self.window.move(*MIDDLE)

    def put(self, sample: Sample) -> None:
        """Copy a sample into Blender's home."""
        self.window.put(SAMPLES / sample.file)

    def drop(self, sample: Sample) -> None:
        """Drop a level onto the 3D view."""
        self.put(sample)
        self.drop_files(sample.file)

    def drop_files(self, *names: str, on: tuple[int, int] = MIDDLE) -> None:
        """Drag files of Blender's home from another program's window onto a place. Raises WindowError."""
        said = self.window.drop(names, on)
        if said != "taken":
            raise WindowError(f"{', '.join(names)}: dropped, and {said}")

    def browse_folder(self) -> None:
        """Go to Blender's home in the file browser that is open: Ctrl+L, and its path."""
        self.expect("any(a.type == 'FILE_BROWSER' for a in window.screen.areas)", "no file browser opened")
        self.window.move(700, 500)
        self.window.key("ctrl+l", "ctrl+a")
        self.window.type(f"{self.window.inside}/")
        self.window.key("Return")

    def browse(self, name: str) -> None:
        """Choose a file of Blender's home in the file browser that is open."""
        self.browse_folder()
        self.window.press(name, near=(300, 130))

    def select(self, name: str) -> None:
        """Select an object by a click on its name in the outliner, looked for by Ctrl+F. Raises WindowError.

        The outliner is as large as the window meanwhile, by Ctrl+Space: else the names of deep rows are cut off.
        """
        left, top, width, height = self.region("OUTLINER")
        self.window.move(left + width // 2, top + height // 2)
        self.window.key("ctrl+space")
        self.expect("len(window.screen.areas) == 1", "the outliner did not get the whole window")
        self.window.key("ctrl+f", "ctrl+a")
        self.window.type(name)
        self.window.key("Return")
        rows = self.region("OUTLINER")
        self.window.click(*self.window.find(name, rows[:2], rows)[:2])
        self.expect(f"bpy.context.object and bpy.context.object.name == {name!r}", f"a click did not select {name}")
        self.window.key("ctrl+space")
        self.expect("len(window.screen.areas) > 1", "the outliner kept the whole window")

    def save_as(self, name: str) -> None:
        """Save the new .blend by Ctrl+S and the file browser's fields. Raises WindowError."""
        self.over_view()
        self.window.key("ctrl+s")
        self.browse_folder()
        for _ in range(2):  # a double click
            self.window.click(*FILE_NAME)
        self.window.key("ctrl+a")
        self.window.type(name)
        self.window.key("Return")
        self.window.press("Save Blender File", near=(1528, 857))
        self.expect(f"bpy.data.filepath.endswith({name!r})", f"{name} was not saved")

    def overwrite(self, name: str) -> None:
        """Write over a file in the file browser that is open, and wait until that is done. Raises WindowError."""
        os.utime(self.window.home / name, (0, 0))
        self.window.press("Overwrite", near=(1500, 850))
        self.expect(f"__import__('os').path.getmtime({name!r}) > 1", f"{name} was not written")
        self.expect("not window.modal_operators", "the export did not end")

    def differs(self, sample: Sample) -> None:
        """Compare all files of a level in Blender's home with the sample's. Raises WindowError where all are equal, or
        one is no level of the game any more.
        """
        files = [file for file in self.window.home.glob(f"{sample.name}.*") if (SAMPLES / file.name).exists()]
        if all(file.read_bytes() == (SAMPLES / file.name).read_bytes() for file in files):
            raise WindowError(f"the edit is in no file of {sample.file}")
        written = (self.window.home / sample.file).read_bytes()
        if not importlib.import_module(f"formats.{sample.key}").identify(written):
            raise WindowError(f"{sample.file} is no level of {sample.game} any more")

    def solid(self) -> None:
        """Show the level in Solid, by Z and 6: that needs no shaders. A Blender that still draws misses keys."""
        for _ in range(3):
            self.over_view()
            self.window.key("z", "6")
            if self.value("area.spaces.active.shading.type") == "SOLID":
                return
            self.window.key("Escape")
        self.expect("area.spaces.active.shading.type == 'SOLID'", "Z did not lead to Solid")

    def drawn(self) -> None:
        """Give the shaders of Material Preview some time to be compiled."""
        self.window.gone("Compiling", (20, 60, 500, 120), COMPILING)

    def imported(self, sample: Sample) -> None:
        """Import a sample: drop it, and confirm the dialog by Return."""
        self.drop(sample)
        self.confirm()
        self.is_imported(sample)
        self.solid()

    def confirm(self, near: tuple[int, int] = MIDDLE) -> None:
        """Press Import in the dialog after a drop, once it is there: other things of that name are there before."""
        x, y, _ = self.window.find("Cancel", near=near)
        self.window.press("Import", near=(x, y))

    def is_imported(self, sample: Sample) -> None:
        """Wait until a level is there, whole."""
        self.expect(f"bpy.data.collections.get({sample.name!r})", f"{sample.file} was not imported")
        self.expect(f"bpy.context.object and bpy.context.object.name == {sample.name!r}", "its root is not active")

    def sidebar(self) -> None:
        """Open the sidebar by N, at its tab Levelwright."""
        self.over_view()
        self.window.key("n")
        left, top, width, height = self.region("VIEW_3D", "UI")
        self.window.press_tab("Levelwright", (left + width - TABS, top, TABS, height))

    def menu(self, *entries: str) -> None:
        """Choose from the menus of the 3D view's header, by mouse."""
        self.window.press(entries[0], near=(400, 40))
        for entry in entries[1:]:
            self.window.press(entry, near=(self.window.at[0] + 150, self.window.at[1]))
