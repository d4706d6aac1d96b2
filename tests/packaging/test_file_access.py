# SPDX-License-Identifier: GPL-3.0-or-later
"""Files are looked for and read in one place, `formats/reach.py`, so that no path of a level's gets anywhere else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ASKING = {
    *("access", "exists", "expanduser", "glob", "is_dir", "is_file", "is_mount", "is_symlink", "isdir", "isfile"),
    *("iterdir", "listdir", "lstat", "open", "read_bytes", "read_text", "readlink", "realpath", "resolve"),
    *("rglob", "samefile", "scandir", "stat", "touch", "write_bytes", "write_text"),
}
"""Functions of paths, and of `os`, that ask the system about a path."""
LOADING = {"bpy.data.images.load", "bpy.data.sounds.load", "bpy.data.libraries.load", "bpy.data.movieclips.load"}
TEMPORARY = {"shutil", "tempfile"}
SUSPICIOUS = re.compile(rf"\b(?:{'|'.join({*ASKING, 'load'})})\s*\(|\b(?:{'|'.join(TEMPORARY)})\b")
"""What the code of a module says that has any of these."""
REACHES = {"reach", "self.reach", "content", "importing.reach"}
"""What `AllowedFolders` are called: their `open` is the right one."""
ALLOWED = {
    "formats/__init__.py": {"path.read_bytes"},
    "formats/__main__.py": {"Path(file).read_bytes", "os.open", "new.write_bytes", "path.is_dir", "path.read_bytes"},
    "formats/inventory.py": {"path.is_file", "path.parent.iterdir", "path.read_bytes"},
    "formats/source/content/gameinfo.py": {"directory.resolve", "os.path.expanduser"},
    "formats/source/content/search_path.py": {"directory.resolve"},
    "formats/source/content/steam.py": {"os.path.realpath"},
    "addon/teeworlds/image_tools/operators.py": {"bpy.data.images.load"},
    "addon/teeworlds/sounds/operators.py": {"bpy.data.sounds.load"},
    "addon/teeworlds/sounds/collect.py": {"Path(bpy.path.abspath(block.filepath)).read_bytes"},
}
"""Calls about what the user chose: a level's own file, a file for an operator, what the .blend plays."""


def may_ask(function: ast.Attribute) -> bool:
    """Whether the names alone leave open that it asks the system about a path."""
    owner = function.value
    return function.attr in {*ASKING, "load"} or (isinstance(owner, ast.Name) and owner.id in TEMPORARY)


def calls(code: str) -> Iterator[tuple[int, str]]:
    """The line and the text of each call that asks the system about a path."""
    for node in ast.walk(ast.parse(code)) if SUSPICIOUS.search(code) else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open":
            yield node.lineno, "open"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and may_ask(node.func):
            owner, _, name = (text := ast.unparse(node.func)).rpartition(".")
            is_path = name in ASKING and owner not in REACHES and owner != "theme_resolution"
            if is_path or text in LOADING or owner in TEMPORARY:
                yield node.lineno, text


def files() -> Iterator[tuple[str, str]]:
    """The names and the code of the games' modules, and of the library's."""
    folders = [ROOT / "formats", *(path.parent for path in (ROOT / "addon").glob("*/game.py"))]
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        if path != ROOT / "formats" / "reach.py":
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_files_are_read_through_allowed_folders() -> None:
    found = {(name, text): line for name, code in files() for line, text in calls(code)}
    allowed = {(name, text) for name, texts in ALLOWED.items() for text in texts}
    assert {f"{name}:{line}: {text}" for (name, text), line in found.items() if (name, text) not in allowed} == set()
    assert allowed <= found.keys(), "what isn't there any more needs no exception"


def test_folders_are_allowed_where_the_report_knows_of_them() -> None:
    made = [
        name
        for name, code in files()
        for node in (ast.walk(ast.parse(code)) if name.startswith("addon") and "AllowedFolders(" in code else ())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "AllowedFolders"
        if node.args and ast.unparse(node.args[0]) != "()"
    ]
    assert made == [], "they are made by addon.scene.disk.content_folders.reach, which tells the report"


@pytest.mark.parametrize(
    "line",
    [
        "open(name)", "path.read_bytes()", "(folder / name).is_file()", "Path(name).open('rb')", "folder.iterdir()",
        "os.scandir(name)", "bpy.data.images.load(str(path))", "folder.resolve().parent", "os.path.isdir(name)",
        "[one for one in folder.glob('*')]", "shutil.copy(name, folder)",
    ],
)  # fmt: skip
def test_the_check_sees_it(line: str) -> None:
    assert len(list(calls(f"def f():\n    return {line}\n"))) == 1
    assert list(calls("def f():\n    return reach.open(path), self.reach.read(path), reach.find('a')\n")) == []
