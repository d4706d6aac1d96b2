# SPDX-License-Identifier: GPL-3.0-or-later
"""What fields of dataclasses are stands in a line below each, not in one paragraph above all of them."""

import ast
import re
from collections.abc import Iterator

from tests.packaging.source_code import ROOT, modules


def in_a_paragraph(source: str) -> Iterator[str]:
    """Give fields that the docstring of their dataclass tells of: "points: float64[n, 3]."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and any("dataclass" in ast.unparse(each) for each in node.decorator_list):
            text = ast.get_docstring(node) or ""
            named = [part.target for part in node.body if isinstance(part, ast.AnnAssign)]
            fields = [target.id for target in named if isinstance(target, ast.Name)]
            yield from (
                f"{node.name}.{field}"
                for field in fields
                if re.search(rf"(?:^|[.;,]\s){field}(?:, \w+)*(?:,? \w+\[[^]]*\])*: ", text)
            )


def test_fields_of_dataclasses_have_lines_of_their_own() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in modules("addon", "formats", "scripts")}
    found = [
        f"{path.relative_to(ROOT)}: {field}"
        for path, source in sources.items()
        if "@dataclass" in source
        for field in in_a_paragraph(source)
    ]
    assert found == []


def test_the_check_sees_a_paragraph() -> None:
    head = "@dataclass\nclass Brushes:\n"
    fields = "    normals: Floats\n    dists: Floats\n"

    def told(source: str) -> list[str]:
        return [field.removeprefix("Brushes.") for field in in_a_paragraph(source)]

    assert told(f'{head}    """b brushes. normals, dists: their planes."""\n{fields}') == ["normals", "dists"]
    assert told(f'{head}    """normals float64[n, 3]: of all."""\n{fields}') == ["normals"]
    assert told(f'{head}    """b brushes with normals."""\n{fields}') == []
