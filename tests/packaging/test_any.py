# SPDX-License-Identifier: GPL-3.0-or-later
"""`Any` says nothing to readers and to mypy, nor does a name that stands for it: no more of them than there have been.

A use less is a lower number here; what none can go without says in its alias' docstring why.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.packaging import source_code
from tests.packaging.source_code import ROOT

MOST = 248
"""So many uses of Any and of all names for it there are at most, in the library, the add-on and the scripts."""
CASTS = 7
IGNORED = 19
"""Casts and ignored errors of mypy, which would hide the same."""

ANY = ("typing", "Any")
ALIAS = re.compile(r"^(\w+)(?:: TypeAlias)? = ([\w.]+)$", re.MULTILINE)
IMPORTS = re.compile(r"^ *from (\.*)([\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
MODULES = re.compile(r"(\w+)(?: as (\w+))?")

Name = tuple[str, str]
"""A module, and a name in it."""


@cache
def _sources(root: Path) -> dict[str, str]:
    """The source of each module, by its dotted name."""
    paths = source_code.modules("addon", "formats", "scripts", root=root)
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path.read_text("utf-8")
        for path in paths
    }


def _imported(module: str, is_package: bool, source: str) -> Iterator[tuple[str, Name]]:
    """The names that a module imports from others, and what they are there."""
    for dots, base, listed in IMPORTS.findall(source):
        above = module.split(".")[: len(module.split(".")) - len(dots) + is_package] if dots else []
        names = re.sub(r"#[^\n]*", "", listed)
        for name, own in MODULES.findall(names.strip("()")):
            yield own or name, (".".join(filter(None, [*above, base])), name)


@cache
def _names_of_any(root: Path) -> dict[str, dict[str, str]]:
    """Module -> its names for Any, `Any` too -> how each is called where it is defined."""
    leads_to: dict[Name, Name] = {}
    for module, source in _sources(root).items():
        is_package = (root / module.replace(".", "/")).is_dir()
        leads_to |= {(module, own): there for own, there in _imported(module, is_package, source)}
        leads_to |= {(module, own): (module, other) for own, other in ALIAS.findall(source) if own != other}
    found: dict[str, dict[str, str]] = {}
    for module, own in leads_to:
        way = [(module, own)]
        while way[-1] in leads_to and leads_to[way[-1]] not in way:
            way.append(leads_to[way[-1]])
        if way[-1] == ANY:
            defined = [name for _module, name in way if name != "Any"]
            found.setdefault(module, {})[own] = defined[-1] if defined else "Any"
    return found


def _uses(tree: ast.AST, names: dict[str, str]) -> Iterator[str]:
    """What a syntax tree names of these, also in annotations that are texts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            yield names[node.id]
        elif isinstance(node, ast.arg | ast.AnnAssign) and isinstance(node.annotation, ast.Constant):
            yield from _uses(ast.parse(str(node.annotation.value), mode="eval"), names)


@cache
def uses(root: Path) -> Counter[tuple[str, str]]:
    """How often each module names Any, and each of the names for it."""
    sources, counted = _sources(root), Counter[tuple[str, str]]()
    for module, names in _names_of_any(root).items():
        counted.update((module, name) for name in _uses(ast.parse(sources[module]), names))
    return counted


def test_any_and_names_for_it_grow_no_more() -> None:
    counted = Counter[str]()
    for (_module, name), times in uses(ROOT).items():
        counted[name] += times
    assert counted.total() <= MOST, counted.most_common()


def test_nothing_else_hides_types_more_often() -> None:
    sources = _sources(ROOT).values()
    assert sum(source.count("type: ignore") for source in sources) <= IGNORED
    assert sum(len(re.findall(r"(?<!\.)\bcast\((?=[\n\w\"])", source)) for source in sources) <= CASTS


def test_names_are_followed_to_any(tmp_path: Path) -> None:
    inside = tmp_path / "addon" / "inside"
    inside.mkdir(parents=True)
    (tmp_path / "addon" / "types.py").write_text("from typing import Any\n\nThing = Any\n")
    (inside / "__init__.py").write_text("from ..types import Thing as Thing\n\n\ndef of(thing: 'Thing') -> None: ...\n")
    (inside / "more.py").write_text(
        "from . import (\n    Thing as Other,  # again\n)\nown: list[Other] = []\nThing = 1\n"
    )
    assert uses(tmp_path) == {("addon.types", "Any"): 1, ("addon.types", "Thing"): 1} | {
        ("addon.inside", "Thing"): 1,
        ("addon.inside.more", "Thing"): 1,
    }


if __name__ == "__main__":
    for (module, name), times in uses(ROOT).most_common():
        print(times, name, module)
