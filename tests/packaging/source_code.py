# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules import and define: each is parsed once, however many tests ask."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a module that its source says."""

    inside: tuple[str, ...]
    """What it imports relatively: dotted names from the root."""
    outside: tuple[str, ...]
    """What it imports besides: top-level names."""
    classes: tuple[str, ...]
    """Its classes, those within others too."""
    functions: tuple[str, ...]
    """Its functions and methods."""


def modules(*folders: str, root: Path = ROOT) -> list[Path]:
    """The modules of some folders at the root, sorted."""
    return [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]


def names(path: Path, root: Path = ROOT) -> Names:
    """What the source of a module says."""
    return _names(path, root)


@cache
def _names(path: Path, root: Path) -> Names:
    package = path.relative_to(root).parts[:-1]
    inside, outside, classes, functions = list[str](), list[str](), list[str](), list[str]()
    for node in _statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            outside += (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            outside.append((node.module or "").partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
            inside += (".".join([*base, alias.name]) for alias in node.names)
        elif isinstance(node, ast.ClassDef):
            classes.append(node.name)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append(node.name)
    return Names(tuple(inside), tuple(outside), tuple(classes), tuple(functions))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements below a node, without their expressions: a twelfth of all nodes."""
    for part in ("body", "handlers", "orelse", "finalbody", "cases"):
        for each in getattr(node, part, ()):
            yield each
            yield from _statements(each)
