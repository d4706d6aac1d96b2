# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of the project, as its design has it: which way imports point, how long files are, one version."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.packaging.source_code import ROOT, modules, names

LIMIT = 500
ALLOWED = {"numpy", *sys.stdlib_module_names}
BLENDER = {"blf", "bpy", "bpy_extras", "bmesh", "mathutils", "gpu", "gpu_extras", "rna_keymap_ui"}
SHARED = {
    *("arrays", "atlas", "binary", "convex", "convex_hull", "counting", "format", "linked", "luxel_pixels"),
    *("matrices", "ranges", "reach", "row_keys", "solid_leaks", "solid_tree", "srgb", "steps", "windings"),
}
"""Modules of formats/ that no game has to itself."""
CORE_MAY = {
    "__package__",
    "formats.binary.Problem",
    "formats.binary.FormatError",
    "formats.binary.Budget",
    "formats.bitmap_font",
    "formats.counting.alike",
    "formats.counting.number_of",
    "formats.counting.one_of",
    "formats.face_rings",
    "formats.format.LeakVerbs",
    "formats.linked",
    "formats.matrices",
    "formats.ranges",
    "formats.reach.AllowedFolders",
    "formats.solid_leaks.Sealing",
    "formats.srgb.to_light",
    "formats.steps.Steps",
    "formats.steps.Stepwise",
    "formats.steps.at_once",
    "formats.steps.drain",
    "formats.steps.steps_of",
    "formats.texture_planes.FlatTextures",
}
"""What addon/scene takes from outside: the extension's name in the preferences, what is wrong with levels, how much of
them may be decoded, what they may reach, where they leak, what light a screen shows, how counts are said and names are
drawn, how long work is stopped, what faces are as rings, and how arrays that are lists within lists are worked with.
"""
VOCABULARY = "formats.arrays"
"""What every folder may import: names of types, and nothing that does anything."""


@cache
def layer(dotted: str) -> str:
    """Return the layer of a dotted name: formats, formats/<game>, addon/scene, addon/<game>, or addon (the surface)."""
    parts = dotted.split(".")
    folder = ROOT.joinpath(*parts[:2])
    if len(parts) > 1 and folder.is_dir():
        return f"{parts[0]}/{parts[1]}"
    return parts[0]


def may_import(importer: str, imported: str) -> bool:
    """operators -> addon/<game> -> addon/scene, formats/<game> -> formats/binary; no game imports another."""
    if importer == imported:
        return True
    game = importer.partition("/")[2]
    if importer == "addon":
        return True
    if importer == "addon/scene":
        return False
    if importer.startswith("addon/"):
        return imported in ("addon/scene", "formats", f"formats/{game}")
    return importer == "formats" and imported.startswith("formats")


@pytest.mark.parametrize("folder", ["formats", "addon"])
def test_imports_point_one_way(folder: str) -> None:
    wrong = []
    for path in modules(folder):
        own = layer(".".join(path.relative_to(ROOT).with_suffix("").parts))
        allowed = ALLOWED | BLENDER if folder == "addon" else ALLOWED
        wrong += [f"{path.relative_to(ROOT)} imports {name}" for name in names(path).outside if name not in allowed]
        for name in names(path).inside:
            if own.startswith("formats/") and layer(name) == "formats":
                fine = name.split(".")[1] in SHARED
            elif own.startswith("addon/") and layer(name) == "addon":
                fine = name.startswith("addon.game.") and path.name == "game.py"  # what a game declares
            elif own == "addon/scene" and name in CORE_MAY:
                fine = True
            else:
                fine = may_import(own, layer(name)) or name.startswith(f"{VOCABULARY}.")
            if not fine:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def folder_arrows(package: Path) -> dict[str, set[str]]:
    """Which folders of a package in addon/ or formats/ import which others; a module that lies in none is its own."""
    arrows: dict[str, set[str]] = {}
    for path in package.rglob("*.py"):
        own = path.relative_to(package).with_suffix("").parts[0]
        for name in names(path).inside:
            parts = name.split(".")
            if parts[:2] == [package.parent.name, package.name] and len(parts) > 2:
                arrows.setdefault(own, set()).update({parts[2]} - {own})
    arrows.pop("__init__", None)
    return arrows


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """Folders that import one another round in a circle; none where imports point one way."""
    left = {own: set(others) for own, others in arrows.items()}
    while True:
        ends = {own for own in left if not left[own] & left.keys()}
        if not ends:
            return sorted(left)
        left = {own: others for own, others in left.items() if own not in ends}


GAMES = sorted(path.parent for path in (ROOT / "addon").glob("*/game.py"))
SHARED_BY_THINGS = {"layout", "settings", "context", "content", "cells"}
"""Modules at the top of a game's package that its things stand on; all others there stand on the things."""


@pytest.mark.parametrize("part", ["addon", "formats"])
@pytest.mark.parametrize("game", GAMES, ids=lambda path: path.name)
def test_no_circle_between_the_folders_of_a_game(game: Path, part: str) -> None:
    assert circle(folder_arrows(ROOT / part / game.name)) == []


def test_no_circle_between_the_rooms_of_what_games_share() -> None:
    assert circle(folder_arrows(ROOT / "addon" / "scene")) == []


def test_the_check_sees_a_circle() -> None:
    assert circle({"faces": {"light"}, "light": {"sky"}, "sky": set()}) == []
    assert circle({"faces": {"light"}, "light": {"sky"}, "sky": {"faces"}, "pak": {"sky"}}) == [
        "faces",
        "light",
        "pak",
        "sky",
    ]


@pytest.mark.parametrize("game", GAMES, ids=lambda path: path.name)
def test_things_stand_on_nothing_above_them(game: Path) -> None:
    wrong = []
    for path in game.rglob("*.py"):
        if path.parent != game:
            for name in names(path).inside:
                parts = name.split(".")
                if parts[:2] == ["addon", game.name] and len(parts) > 2:
                    top = (game / f"{parts[2]}.py").exists()
                    if top and parts[2] not in SHARED_BY_THINGS:
                        wrong.append(f"{path.relative_to(game)} imports {name}")
    assert wrong == []


def test_the_check_sees_a_wrong_import(tmp_path: Path) -> None:
    game = tmp_path / "formats" / "quake"
    game.mkdir(parents=True)
    (game / "level.py").write_text("import bpy\nfrom ..doom import level\nfrom ..binary import Cursor\n")
    found = names(game / "level.py", tmp_path)
    assert (found.outside, found.inside) == (("bpy",), ("formats.doom.level", "formats.binary.Cursor"))
    assert not may_import("formats/quake", "formats/doom")
    assert not may_import("formats", "addon")


def test_files_are_one_thing_each() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    paths = [ROOT / name for name in tracked] or modules("formats", "addon", "tests")
    lengths = {str(path.relative_to(ROOT)): len(path.read_bytes().splitlines()) for path in paths if path.exists()}
    assert {name: length for name, length in lengths.items() if length > LIMIT} == {}


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a function or a statement, but not in functions within."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield child
            yield from inside(child)


def silent_waits(source: str) -> list[int]:
    """Lines where a generator tells numpy to be silent and then waits: whoever works meanwhile has it silent, too."""
    found = []
    for node in ast.walk(ast.parse(source)):
        waits = isinstance(node, (ast.With, ast.FunctionDef)) and any(
            isinstance(part, (ast.Yield, ast.YieldFrom)) for part in inside(node)
        )
        if isinstance(node, ast.With):
            said = [item.context_expr for item in node.items]
        else:
            said = node.decorator_list if isinstance(node, ast.FunctionDef) else []
        if waits and any("errstate" in ast.unparse(each) for each in said):
            found.append(node.lineno)
    return found


def test_numpy_is_silent_for_nobody_else() -> None:
    """Generators use `formats.steps.quietly`."""
    sources = {path: path.read_text(encoding="utf-8") for path in modules("addon", "formats")}
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path, source in sources.items()
        if "errstate" in source
        for line in silent_waits(source)
    ]
    assert found == []


def test_the_check_sees_a_silent_wait() -> None:
    head = 'with np.errstate(all="ignore"):\n'
    assert silent_waits(f"def steps():\n    {head}        yield\n") == [2]
    assert silent_waits("@np.errstate()\ndef steps():\n    yield\n") == [2]
    assert silent_waits(f"def plain():\n    {head}        def steps():\n            yield\n") == []


def test_one_version_everywhere() -> None:
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert manifest["version"] == project["project"]["version"]
    assert f"## {manifest['version']}" in changes


def test_the_website_is_the_same_everywhere() -> None:
    """In the manifest and in the library's description: the page that Blender's platform gives the extension's id."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    page = f"https://extensions.blender.org/add-ons/{manifest['id']}/"
    assert (manifest["website"], project["project"]["urls"]["Homepage"]) == (page, page)


def test_the_extension_does_nothing_the_platform_refuses() -> None:
    forbidden = {"exec", "eval", "compile", "__import__", "print", "breakpoint"}
    suspicious = re.compile(rf"(?<![\w.])(?:{'|'.join(forbidden)})\s*\(|\bsys\s*\.\s*path\b")
    wrong = []
    for path in [ROOT / "__init__.py", *modules("addon", "formats")]:
        printing = path == ROOT / "formats" / "__main__.py"  # a command line of its own
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if suspicious.search(source) else ():
            name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if name in forbidden and not (printing and name == "print"):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {name}")
            if isinstance(node, ast.Attribute) and node.attr == "path" and ast.unparse(node) == "sys.path":
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: sys.path")
        starts = path == ROOT / "addon/scene/disk/programs.py"  # what the user installed, when the user says so
        banned = {"threading"} if starts else {"threading", "subprocess"}
        wrong += [f"{path.relative_to(ROOT)}: {name}" for name in names(path).outside if name in banned]
    assert wrong == []


def test_the_library_needs_no_blender() -> None:
    code = "import sys, formats; sys.exit('bpy' in sys.modules or 'addon' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
