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


COMPILING = 45.0
"""Seconds that shaders get: without a graphics card they need minutes, and pictures in Solid need none."""


Box = tuple[int, int, int, int]
"""Left, upper, right and lower edge, in pixels."""


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
    """In the file browser."""

    @property
    def name(self) -> str:
        """The level's name in Blender."""
        return Path(self.file).stem


TEEWORLDS = Sample("Teeworlds", "teeworlds", "first-light.map", "Teeworlds / DDNet map", "Import Teeworlds Map")
GENESIS = Sample("Genesis3D", "genesis", "genesis_room.map", "Genesis3D level", "Import Genesis3D Level")
FABLE = Sample("Fable", "fable", "fable_vale.lev", "Fable: The Lost Chapters level (.lev)", "Import Fable Level")
NS2 = Sample("Natural Selection 2", "ns2", "ns2_room.level", "Natural Selection 2 level", "Import NS2 Level")
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

    def drop_files(self, *names: str) -> None:
        """Drop files of Blender's home: what a drop runs is called, as no program drops files by mouse here."""
        self.over_view()
        files = [{"name": name} for name in names]
        self.window.python(
            f"import os\nbpy.ops.wm.drop_import_file('INVOKE_DEFAULT', directory=os.getcwd() + '/', files={files!r})"
        )

    def browse_folder(self) -> None:
        """Go to Blender's home in the file browser that is open."""
        self.expect("any(a.type == 'FILE_BROWSER' for a in window.screen.areas)", "no file browser opened")
        self.window.python(
            "import os\nfor one in window.screen.areas:\n"
            "    if one.type == 'FILE_BROWSER': one.spaces.active.params.directory = os.getcwd().encode() + b'/'"
        )

    def browse(self, name: str) -> None:
        """Choose a file of Blender's home in the file browser that is open."""
        self.browse_folder()
        self.window.press(name, near=(300, 130))

    def overwrite(self, name: str) -> None:
        """Write over a file in the file browser that is open, and wait until that is done. Raises WindowError."""
        os.utime(self.window.home / name, (0, 0))
        self.window.press("Overwrite", near=(1500, 850))
        self.expect(f"__import__('os').path.getmtime({name!r}) > 1", f"{name} was not written")

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
        """Show the level in Solid, by Z and 6: that needs no shaders."""
        self.over_view()
        self.window.key("z", "6")
        self.expect("area.spaces.active.shading.type == 'SOLID'", "Z did not lead to Solid")

    def drawn(self) -> None:
        """Give the shaders of Material Preview some time to be compiled."""
        self.window.gone("Compiling", (20, 60, 500, 120), COMPILING)

    def imported(self, sample: Sample) -> None:
        """Import a sample: drop it, and confirm the dialog by Return."""
        self.drop(sample)
        self.window.press("Import", near=MIDDLE)
        self.is_imported(sample)
        self.solid()

    def is_imported(self, sample: Sample) -> None:
        """Wait until a level is there, whole."""
        self.expect(f"bpy.data.collections.get({sample.name!r})", f"{sample.file} was not imported")
        self.expect(f"bpy.context.object and bpy.context.object.name == {sample.name!r}", "its root is not active")

    def sidebar(self) -> None:
        """Open the sidebar by N, at its tab Levelwright: tabs can be chosen once they are drawn."""
        self.over_view()
        self.window.key("n")
        self.window.shot("sidebar")
        self.window.python("next(r for r in area.regions if r.type == 'UI').active_panel_category = 'Levelwright'")

    def menu(self, *entries: str) -> None:
        """Choose from the menus of the 3D view's header, by mouse."""
        self.window.press(entries[0], near=(400, 40))
        for entry in entries[1:]:
            self.window.press(entry, near=(self.window.at[0] + 150, self.window.at[1]))
