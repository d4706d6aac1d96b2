# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of the project, as its design has it: which way imports point, how long files are, one version."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 500
ALLOWED = {"numpy", *sys.stdlib_module_names}
BLENDER = {"blf", "bpy", "bpy_extras", "bmesh", "mathutils", "gpu", "gpu_extras", "rna_keymap_ui"}
SHARED = {
    *("arrays", "atlas", "binary", "convex", "convex_hull", "format", "luxel_pixels", "ranges", "reach"),
    *("solid_leaks", "solid_tree", "windings"),
}
"""Modules of formats/ that no game has to itself."""
CORE_MAY = {
    "__package__",
    "formats.binary.Problem",
    "formats.binary.FormatError",
    "formats.binary.Budget",
    "formats.format.LeakVerbs",
    "formats.reach.AllowedFolders",
    "formats.solid_leaks.Sealing",
    "formats.texture_planes.FlatTextures",
}
"""What addon/scene takes from outside: the extension's name in the preferences, what is wrong with levels, how much of
them may be decoded, what they may reach, and where they leak.
"""
VOCABULARY = "formats.arrays"
"""What every folder may import: names of types, and nothing that does anything."""


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Give what a module imports: the dotted name from the root, and 0, or the top-level name outside, and 1."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], 1) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0], 1
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
            yield from ((".".join([*base, alias.name]), 0) for alias in node.names)


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
    return importer == "formats"


@pytest.mark.parametrize("folder", ["formats", "addon"])
def test_imports_point_one_way(folder: str) -> None:
    wrong = []
    for path in modules(folder):
        own = layer(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for name, outside in imports(path):
            if outside:
                fine = name in ALLOWED or (folder == "addon" and name in BLENDER)
            elif own.startswith("formats/") and layer(name) == "formats":
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


def folder_arrows(game: Path) -> dict[str, set[str]]:
    """Which folders of a game's package in addon/ import which others; what lies in none is ".", the game's top."""
    arrows: dict[str, set[str]] = {}
    for path in game.rglob("*.py"):
        own = path.relative_to(game).parts[0] if path.parent != game else "."
        for name, outside in imports(path):
            parts = name.split(".")
            if not outside and parts[:2] == ["addon", game.name]:
                other = parts[2] if len(parts) > 2 and (game / parts[2]).is_dir() else "."
                arrows.setdefault(own, set()).update({other} - {own})
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


@pytest.mark.parametrize("game", GAMES, ids=lambda path: path.name)
def test_no_circle_between_the_folders_of_a_game(game: Path) -> None:
    arrows = folder_arrows(game)
    arrows.pop(".", None)
    assert circle(arrows) == []


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
            for name, outside in imports(path):
                parts = name.split(".")
                if not outside and parts[:2] == ["addon", game.name] and len(parts) > 2:
                    top = (game / f"{parts[2]}.py").exists()
                    if top and parts[2] not in SHARED_BY_THINGS:
                        wrong.append(f"{path.relative_to(game)} imports {name}")
    assert wrong == []


def test_the_check_sees_a_wrong_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = tmp_path / "formats" / "quake"
    game.mkdir(parents=True)
    (game / "level.py").write_text("import bpy\nfrom ..doom import level\nfrom ..binary import Cursor\n")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    found = list(imports(game / "level.py"))
    assert found == [("bpy", 1), ("formats.doom.level", 0), ("formats.binary.Cursor", 0)]
    assert not may_import("formats/quake", "formats/doom")


def test_files_are_one_thing_each() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    paths = [ROOT / name for name in tracked] or [*modules("formats"), *modules("addon"), *modules("tests")]
    lengths = {str(path.relative_to(ROOT)): len(path.read_bytes().splitlines()) for path in paths if path.exists()}
    assert {name: length for name, length in lengths.items() if length > LIMIT} == {}


def test_one_version_everywhere() -> None:
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert manifest["version"] == project["project"]["version"]
    assert f"## {manifest['version']}" in changes


def test_the_website_is_the_same_everywhere() -> None:
    """In the manifest and in the library's description; in neither as long as there is none."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert manifest.get("website") == project["project"].get("urls", {}).get("Repository")


def test_the_extension_does_nothing_the_platform_refuses() -> None:
    forbidden = {"exec", "eval", "compile", "__import__", "print", "breakpoint"}
    wrong = []
    for path in [ROOT / "__init__.py", *modules("addon"), *modules("formats")]:
        printing = path == ROOT / "formats" / "__main__.py"  # a command line of its own
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if name in forbidden and not (printing and name == "print"):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {name}")
            if isinstance(node, ast.Attribute) and node.attr == "path" and ast.unparse(node) == "sys.path":
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: sys.path")
        starts = path == ROOT / "addon" / "scene" / "programs.py"  # what the user installed, when the user says so
        banned = {"threading"} if starts else {"threading", "subprocess"}
        wrong += [f"{path.relative_to(ROOT)}: {name}" for name, _ in imports(path) if name in banned]
    assert wrong == []


def test_the_library_needs_no_blender() -> None:
    code = "import sys, formats; sys.exit('bpy' in sys.modules or 'addon' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
