# SPDX-License-Identifier: GPL-3.0-or-later
"""One meaning a class name in the whole tree: who reads `Hull` need not ask which one."""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from tests.packaging import source_code
from tests.packaging.source_code import ROOT

CONTRACT = {
    "ImportContext": "what all parts of one import share: the core's, and each game's own with more fields",
    "ImportSettings": "the options of a game's import, which game.py declares",
    "ExportSettings": "the options of a game's export, which game.py declares",
    "NewSettings": "what can be chosen of a game's level that is made from nothing, which game.py declares",
    "LevelProperties": "the properties of a level's collection, which the sidebar shows",
    "Level": "what a format's verbs read, write and check",
    "Materials": "the materials that one import makes, each by its name in the game once",
}
"""Names that are the same thing in every game by contract, and what that is: each is once in a package."""

TERMS = {
    "Choice",
    "Chunk",
    "ChunkId",
    "Entity",
    "EntityClass",
    "Field",
    "Group",
    "GroupProperties",
    "Hull",
    "Layer",
    "Material",
    "Model",
    "Polygons",
    "SceneLevel",
    "Solid",
    "Solids",
    "Texture",
}
"""The formats' own words for their records, and what a scene or a level holds of them: once in a package, too."""


@cache
def classes(root: Path) -> dict[str, list[str]]:
    """The classes of addon/ and formats/, public or not, by name: the modules that define them, from the root."""
    found = defaultdict(list)
    for path in source_code.modules("addon", "formats", root=root):
        for name in source_code.names(path, root).classes:
            found[name].append(path.relative_to(root).as_posix())
    return dict(found)


def clashes(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """Those that are defined twice: anywhere, or where every game may have its own, within one package.

    What begins with an underscore is a module's own business, so it is looked for within one module only.
    """
    twice = {}
    for name, modules in found.items():
        if name.startswith("_"):
            if len(set(modules)) < len(modules):
                twice[name] = modules
            continue
        places = ["/".join(module.split("/")[:2]) if name in CONTRACT or name in TERMS else "" for module in modules]
        if len(set(places)) < len(places):
            twice[name] = modules
    return twice


def test_a_class_name_has_one_meaning() -> None:
    assert clashes(classes(ROOT)) == {}


def test_what_the_contract_names_is_there() -> None:
    assert CONTRACT.keys() - classes(ROOT).keys() == set()


@pytest.mark.parametrize(
    ("modules", "wrong"),
    [
        ({"formats/doom/wad.py": "class Lump: ...", "addon/quake/pak.py": "class Lump: ..."}, ["Lump"]),
        ({"formats/doom/wad.py": "class _Part: ...\nclass Wad:\n    class _Part: ..."}, ["_Part"]),
        ({"formats/doom/wad.py": "class Level: ...", "formats/quake/bsp.py": "class Level: ..."}, []),
        ({"formats/doom/wad.py": "class Level: ...", "formats/doom/maps/udmf.py": "class Level: ..."}, ["Level"]),
        ({"formats/doom/wad.py": "class Lump: ...", "addon/quake/pak.py": "class Pak: ..."}, []),
    ],
)
def test_the_check_sees_a_name_with_two_meanings(tmp_path: Path, modules: dict[str, str], wrong: list[str]) -> None:
    for module, text in modules.items():
        (tmp_path / module).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / module).write_text(text, encoding="utf-8")
    assert sorted(clashes(classes(tmp_path))) == wrong


VOCABULARY = "formats/arrays.py"
"""What types of arrays are called."""
ARRAY_TYPE = re.compile(r"^(\w+)\b[^=\n]* = (?:npt\.|numpy\.typing\.)?NDArray\[", re.MULTILINE)


def array_types(root: Path) -> dict[str, list[str]]:
    """The names that modules give to types of arrays, by module."""
    paths = source_code.modules("addon", "formats", root=root)
    return {path.relative_to(root).as_posix(): ARRAY_TYPE.findall(path.read_text(encoding="utf-8")) for path in paths}


def test_a_type_of_arrays_has_one_name() -> None:
    """What is no word of a format's (cells, quads, luxels) is called as in the whole tree: `Floats`, `Ints`."""
    found = array_types(ROOT)
    common = set(found.pop(VOCABULARY))
    assert {"Bools", "Floats", "Indices", "Ints", "Singles"} <= common
    assert {module: names for module, names in found.items() if common & set(names)} == {}
