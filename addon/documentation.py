# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of `docs/`, which travel with the extension: shown in the browser, at the heading that is asked for.

Panels have a button for it, menus an entry, and *Online Manual* of a right click on an operator leads there, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import bpy

from . import games, markdown
from .game import Game
from .scene.fields import declared
from .scene.fields.declared import Declared
from .scene.interface.sidebar import DOCUMENTATION, Result
from .scene.registering import Both, in_turn

FOLDER = Path(__file__).resolve().parent.parent / "docs"
"""Where the pages are: in a clone, and in the extension's zip as far as they are for artists."""
FIRST = "using.md"
"""What is the same for all games."""
_PLACES = {
    "import": ("import_scene.game_level",),
    "edit": (
        *("levelwright.show_report", "levelwright.copy_report", "levelwright.activate_level"),
        *("levelwright.interior_view", "levelwright.go_to_spawn", "levelwright.fly_from_spawn"),
        *("levelwright.camera_at_spawn", "levelwright.show_kind"),
    ),
    "export": (
        *("levelwright.check_export", "levelwright.export_level", "levelwright.show_changes"),
        *("levelwright.select_finding", "levelwright.mend_finding", "levelwright.attach_original"),
    ),
    "assets": ("levelwright.make_asset_library",),
    "folders-of-games": (
        *("levelwright.find_games", "levelwright.check_setup", "levelwright.set_game_folder"),
        *("levelwright.add_folder", "levelwright.remove_folder", "levelwright.move_folder"),
    ),
}
SHARED = {name: anchor for anchor, names in _PLACES.items() for name in names}
"""Operators of no game: the heading in `FIRST`."""


def page_of(game: Game) -> str:
    """The file name of a game's page."""
    return f"{game.key}.md"


def links() -> Iterator[tuple[str, str]]:
    """Give what Blender calls an operator or a property, in small letters and with `*` at its end, and its page.

    Blender takes the first that fits. It has no names for custom properties, which so lead nowhere.
    """
    for game in games.GAMES:
        page = page_of(game)
        for section in game.menu:
            for name in (entry.idname(game.key) for entry in section.entries):
                if name.startswith("levelwright."):  # Blender's own are told of in its manual
                    yield f"bpy.ops.{name}", f"{page}#{section.anchor}" if section.anchor else page
        for kind in (*game.files, *game.forms):
            for category in ("import_scene", "export_scene"):
                yield f"bpy.ops.{category}.{kind.operator}*", f"{page}#options"
        yield f"bpy.ops.levelwright.{game.key}_*", page
        yield from ((f"bpy.types.{name}.*", page) for name in _groups(f"{__package__}.{game.key}."))
        yield f"bpy.types.*.levelwright_{game.key}*", page
    yield from ((f"bpy.ops.{name}*", f"{FIRST}#{anchor}") for name, anchor in SHARED.items())
    for name in ("levelwrightpreferences", "contentpath"):
        yield f"bpy.types.{name}.*", f"{FIRST}#folders-of-games"
    yield "bpy.ops.levelwright.*", FIRST
    yield "bpy.types.levelwright*", FIRST


def _groups(package: str) -> list[str]:
    """The names, in small letters, of the groups of properties that a package's modules have."""
    found, waiting = [], bpy.types.PropertyGroup.__subclasses__()
    while waiting:
        cls = waiting.pop()
        waiting += cls.__subclasses__()
        if cls.__module__.startswith(package):
            found.append(cls.__name__.lower())
    return sorted(found)


def address(page: str) -> str:
    """Write a page as HTML, if it isn't there yet, and return where: an address for browsers, with the heading.

    page: "teeworlds.md#animation". Raises OSError.
    """
    name, _, anchor = page.partition("#")
    made = _written() / f"{Path(name).stem}.html"
    return made.as_uri() + (f"#{anchor}" if anchor else "")


def _written() -> Path:
    """The folder with the pages as HTML: a temporary one, which Blender removes when it ends."""
    folder = Path(bpy.app.tempdir, "levelwright-docs")
    if not (folder / f"{Path(FIRST).stem}.html").exists():
        files = [*FOLDER.glob("*.md"), *FOLDER.glob("how-to/*.md")]
        pages = {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in sorted(files)}
        for name, text in sorted(pages.items(), key=lambda page: page[0] == FIRST):  # it last: then all are there
            made = (folder / name).with_suffix(".html")
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(markdown.page(text, set(pages), name.rpartition("/")[0]), encoding="utf-8")
    return folder


class LEVELWRIGHT_OT_documentation(Declared, bpy.types.Operator):
    """Open the page that tells of this in the browser; it comes with Levelwright, so no network is needed"""

    bl_idname = DOCUMENTATION
    bl_label = "Documentation"

    page: str = declared.string(default=FIRST, options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, _context: bpy.types.Context) -> Result:
        """Open it."""
        try:
            where = address(self.page)
        except OSError as error:
            self.report({"ERROR"}, f"the page can't be shown: {error}")
            return {"CANCELLED"}
        bpy.ops.wm.url_open(url=where)
        return {"FINISHED"}


def _manual() -> tuple[str, tuple[tuple[str, str], ...]]:
    """What *Online Manual* asks: what all addresses begin with, and the rest of each."""
    prefix = _written().as_uri() + "/"
    return prefix, tuple((name, page.replace(".md", ".html", 1)) for name, page in links())


register, unregister = in_turn(
    LEVELWRIGHT_OT_documentation,
    Both(partial(bpy.utils.register_manual_map, _manual), partial(bpy.utils.unregister_manual_map, _manual)),
)
"""The operator, and the pages for *Online Manual*."""
