# SPDX-License-Identifier: GPL-3.0-or-later
"""Small changes of a module's code, each of which a test ought to notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SWAPS: dict[type, str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.LShift: ">>",
    ast.RShift: "<<",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.And: "or",
    ast.Or: "and",
}
_AXES = {"x": "y", "y": "z", "z": "x", "minimum": "maximum", "maximum": "minimum", "min": "max", "max": "min"}

_TYPES = frozenset(("dict", "list", "tuple", "set", "frozenset", "type", "NDArray", "Callable", "Mapping", "Sequence"))
"""What is in brackets behind these is a type."""


@dataclass(frozen=True, order=True)
class Mutation:
    """One change: the text between two places of a file becomes another."""

    path: Path
    line: int
    start: int
    """Characters from the file's beginning."""
    end: int
    text: str
    what: str
    """Of the kinds: sign, comparison, off by one, swapped axis, dropped field, dropped call, constant."""

    def apply(self, source: str) -> str:
        """The file with the change."""
        return source[: self.start] + self.text + source[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}: {self.text!r}"


def mutations(path: Path, source: str) -> list[Mutation]:
    """All changes of a module: of code that runs, so none of annotations, docstrings, decorators and errors' texts."""
    return sorted(set(_Finder(path, source).found(ast.parse(source))))


class _Finder:
    def __init__(self, path: Path, source: str) -> None:
        self._path, self._source = path, source
        self._starts = [0]
        self._equal = set[ast.AST]()
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def found(self, node: ast.AST) -> Iterator[Mutation]:
        """The changes of a node and of what is in it."""
        self._equal.update(self._nones(node))
        yield from self._of(node) if node not in self._equal else ()
        for child in self._children(node):
            yield from self.found(child)

    def _children(self, node: ast.AST) -> Iterator[ast.AST]:
        if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom | ast.JoinedStr):
            return
        if isinstance(node, ast.keyword) and node.arg == "strict":
            return  # whether zip checks what holds
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in _TYPES:
            return
        skipped: list[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            skipped += node.decorator_list
        if isinstance(node, ast.FunctionDef):
            skipped += [node.returns, node.args]
        if isinstance(node, ast.AnnAssign | ast.arg):
            skipped.append(node.annotation)
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Tuple):
            skipped.append(node.iter)  # the order of a handful of things means nothing
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            skipped += node.comparators
        if isinstance(node, ast.keyword) and node.arg == "strict":
            skipped.append(node.value)  # that two things are of one length is a promise, not what is done
        if isinstance(node, ast.Assign) and any(ast.unparse(each).endswith("AT_ONCE") for each in node.targets):
            skipped.append(node.value)  # nor does how many things are done at a time
        yield from (child for child in ast.iter_child_nodes(node) if child not in skipped)

    @staticmethod
    def _nones(node: ast.AST) -> Iterator[ast.AST]:
        """The 1 of each -1 that means none, where it is given back, chosen or the default: -2 means none, too. And that
        of a side of `reshape`, which numpy works out.
        """
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
            yield from (each.operand for each in node.args if isinstance(each, ast.UnaryOp))
        if isinstance(node, ast.Return | ast.IfExp) or (isinstance(node, ast.keyword) and node.arg == "default"):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.UnaryOp) and ast.unparse(child) == "-1":
                    yield child.operand

    def _of(self, node: ast.AST) -> Iterator[Mutation]:
        if isinstance(node, ast.BinOp) and not isinstance(node.left, ast.JoinedStr):
            yield from self._operator(node.left, node.op, node.right, "sign")
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from self._operator(node.left, node.ops[0], node.comparators[0], "comparison")
        elif isinstance(node, ast.BoolOp):
            yield from self._operator(node.values[0], node.op, node.values[1], "comparison")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
            yield self._made(node, self._text(node.operand), "sign")
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield self._made(node, str(not node.value), "constant")
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            yield self._made(node, str(node.value + 1), "off by one")
        elif isinstance(node, ast.Attribute) and node.attr in _AXES:
            yield self._made(node, f"{self._text(node.value)}.{_AXES[node.attr]}", "swapped axis")
        elif isinstance(node, ast.Tuple) and len(node.elts) in (2, 3) and isinstance(node.ctx, ast.Load):
            first, second, *rest = map(self._text, node.elts)
            if first != second and not any(isinstance(each, ast.Constant | ast.Starred) for each in node.elts):
                text = ", ".join((second, first, *rest))
                yield self._made(node, f"({text})" if self._text(node).startswith("(") else text, "swapped axis")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript):
            yield self._made(node, "pass", "dropped field")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield self._made(node, "pass", "dropped call")

    def _operator(self, left: ast.expr, operator: ast.AST, right: ast.expr, what: str) -> Iterator[Mutation]:
        """The operator stands between its operands, perhaps with brackets or an end of line."""
        other = _SWAPS.get(type(operator))
        if other is None:
            return
        start, end = self._place(left)[1], self._place(right)[0]
        between = self._source[start:end]
        bare = between.strip().strip("()").strip()
        if bare and "#" not in between and "\n" not in bare:
            text = between.replace(bare, other, 1)
            yield Mutation(self._path, left.lineno, start, end, text, what)

    def _made(self, node: ast.expr | ast.stmt, text: str, what: str) -> Mutation:
        start, end = self._place(node)
        return Mutation(self._path, node.lineno, start, end, text, what)

    def _text(self, node: ast.expr) -> str:
        start, end = self._place(node)
        return self._source[start:end]

    def _place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where a node begins and ends; columns are counted in bytes of UTF-8."""

        def at(line: int, column: int) -> int:
            start = self._starts[line - 1]
            text = self._source[start : self._starts[line]]
            return start + len(text.encode()[:column].decode())

        return at(node.lineno, node.col_offset), at(node.end_lineno or node.lineno, node.end_col_offset or 0)
