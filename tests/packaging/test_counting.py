# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages say "1 face" and "2 faces": whatever puts a number before a noun does it by `formats.counting.number_of`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPOKEN = (
    "addon/**/*.py",
    *(f"formats/{name}.py" for name in ("__main__", "diff", "inventory", "surfaces", "convex_solids", "solid_leaks")),
    *(f"formats/*/{name}.py" for name in ("check*", "contents*", "convert", "profiles", "editing/*", "shaping/*")),
)
"""What tells users of levels; the rest of formats/ tells of bytes that aren't as they have to be."""
MEASURES = {
    "bytes",
    "pixels",
    "units",
    "texels",
    "characters",
    "degrees",
    "words",
    "numbers",
    "bits",
    "seconds",
    "values",
}
"""Nouns that are hardly ever one."""
BEHIND = re.compile(r" (?:[a-z-]+ ){0,2}?(?P<noun>[a-z]+s|vertices|indices)\b")
NO_NUMBER = re.compile(r"(?:names?|title|shape|format|lower\(\)|options\.to|collection\.name)$|'no'|number_of|!r")
"""What isn't a number, or is one that `number_of` made."""
NO_NOUNS = frozenset(
    "across always and as becomes begins calls claims comes counts defines does ends follows for from gets goes has "  # noqa: SIM905
    "holds in is its keeps lies lists loses makes means names needs of on physics plus reaches repeats says sees shows "
    "stands stays takes tells the this times to unless uses was with".split()
)

INSERTED = re.compile(r"\}(?:([\"'])\s*f?[\"'])?" + BEHIND.pattern)
"""How the source of an f-string looks there; a string of its own may follow what is inserted."""


def _is_suspicious(source: str) -> bool:
    """Whether anything in a file looks like an inserted number before a noun."""
    return any(map(_is_counted, INSERTED.finditer(source)))


def _is_counted(match: re.Match[str]) -> bool:
    """Whether what stands behind a number is a noun that there may be one of."""
    return NO_NOUNS.isdisjoint(match[0].split()) and match["noun"] not in MEASURES


def _uncounted(path: Path) -> Iterator[tuple[int, str]]:
    """The f-strings of a file with a number right before a noun."""
    source = path.read_text("utf-8")
    for node in ast.walk(ast.parse(source)) if _is_suspicious(source) else ():
        parts = [ast.Constant(""), *node.values] if isinstance(node, ast.JoinedStr) else []
        for before, value, behind in zip(parts, parts[1:], parts[2:], strict=False):
            if isinstance(value, ast.FormattedValue) and isinstance(behind, ast.Constant):
                is_part = isinstance(before, ast.Constant) and str(before.value).endswith((" x ", " by ", "of "))
                match = BEHIND.match(str(behind.value))
                if match is not None and not is_part and _is_counted(match) and _may_be_one(value):
                    yield node.lineno, ast.unparse(node)


def _may_be_one(value: ast.FormattedValue) -> bool:
    """Whether what stands before a noun is a number that isn't a limit."""
    said = ast.unparse(value.value)
    is_limit = said.split(".")[-1].isupper()
    is_hex = value.format_spec is not None and "x" in ast.unparse(value.format_spec)
    is_text = is_hex or value.conversion != -1 or NO_NUMBER.search(said) is not None
    return not is_limit and not is_text


def test_numbers_stand_before_nouns_by_one_function() -> None:
    files = sorted({path for pattern in SPOKEN for path in ROOT.glob(pattern)})
    found = [f"{path.relative_to(ROOT)}:{line}: {text}" for path in files for line, text in _uncounted(path)]
    assert len(files) > 400
    assert not found, "\n" + "\n".join(found)


def test_a_bare_number_is_found(tmp_path: Path) -> None:
    file = tmp_path / "said.py"
    lines = (
        'f"{len(faces)} bent faces are left"',
        "f\"{number_of(n, 'faces')} are\"",
        'f"{w} x {h} tiles"',
        'f"{MOST} tiles"',
        'f"{n}" " tiles"',
    )
    file.write_text("\n".join(lines))
    assert [line for line, _ in _uncounted(file)] == [1, 5]
