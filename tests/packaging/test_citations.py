# SPDX-License-Identifier: GPL-3.0-or-later
"""Every citation in the code names a section that its page in docs/ has.

A citation is a page's name, and where in it: numbers, ranges of numbers, titles in quotes, a step of a list.

    source.md §2.4      genesis.md §1.7-1.9, §2      fable.md §2 and §5      source.md "Visibility", §2.3 (step 8)
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_NUMBER = r"\d+(?:\.\d+)*"
_PLACE = rf'§(?P<first>{_NUMBER})(?:-(?P<last>{_NUMBER}))?(?: \(step (?P<step>\d+)\))?|"(?P<title>[^"\n]+)"'
_BARE_PLACE = re.sub(r"\?P<\w+>", "?:", _PLACE)
_GAP = r"(?:\s|#(?!\w))+"  # blanks, and what a comment's next line begins with
_CITATION = re.compile(
    rf"\b(?P<page>[a-z][a-z0-9-]*)\.md{_GAP}(?P<places>(?:{_BARE_PLACE})(?:(?:[,;]{_GAP}|{_GAP}and{_GAP})(?:{_BARE_PLACE}))*)"
)
_OTHER_SIGN = re.compile(r"(?<!RFC \d{4} )§")
_HEADING = re.compile(rf"#{{2,}} (?:(?P<number>{_NUMBER}) )?(?P<title>.+)")
_STEP = re.compile(r"(\d+)\. ")
# Documents that the pages were written from; they are not in the repository.
_LOST = re.compile(
    r"\b(?:map|lev|level|bsp|platform)-(?:notes|seed)\b|\bnotes?'? (?:§|section|found|say|tell)|\b[Tt]he notes' "
    r"|\b(?:from|of) the notes\b|\bseed (?:document|page)s?\b|\bshared/spec\b"
)
_WORDS = (".md", "§", "note", "seed", "shared/spec")  # each of the patterns needs one of them


@dataclass
class Page:
    """What of a page can be cited: the sections with the steps of their lists, by number and by title."""

    numbers: dict[str, set[int]] = field(default_factory=dict)
    titles: set[str] = field(default_factory=set)


def page_of(text: str) -> Page:
    """The sections of a page's text."""
    page, code = Page(), False
    steps: set[int] = set()
    for line in text.splitlines():
        code ^= line.startswith("```")
        heading, step = _HEADING.fullmatch(line), _STEP.match(line)
        if code:
            continue
        if heading:
            page.titles.add(heading["title"])
            steps = page.numbers.setdefault(heading["number"], set()) if heading["number"] else set()
        elif step:
            steps.add(int(step[1]))
    return page


def unresolved(text: str, pages: dict[str, Page]) -> list[str]:
    """What is wrong with the citations in a text, a line each: what a page doesn't have, and what can't be followed."""
    wrong = []
    rest = text
    for citation in _CITATION.finditer(text):
        cited = " ".join(citation[0].split())
        rest = rest.replace(citation[0], "", 1)
        page = pages.get(citation["page"])
        if page is None:
            wrong.append(f"{cited}: there is no such page")
            continue
        wrong += [f"{cited}: {missing}" for missing in _missing(citation["places"], page)]
        if re.match(r"[,;]? \d", text[citation.end() :]):
            wrong.append(f"{cited}: a number without § follows")
    wrong += [f"{_around(rest, sign.start())}: of no page" for sign in _OTHER_SIGN.finditer(rest)]
    wrong += [f"{_around(text, lost.start())}: is not in the repository" for lost in _LOST.finditer(text)]
    return wrong


def _missing(places: str, page: Page) -> Iterator[str]:
    for place in re.finditer(_PLACE, places):
        if place["title"] is not None:
            if place["title"] not in page.titles:
                yield f'no section "{place["title"]}"'
            continue
        for number in _numbers(place["first"], place["last"]):
            if number not in page.numbers:
                yield f"no section {number}"
        if place["step"] is not None and int(place["step"]) not in page.numbers.get(place["first"], ()):
            yield f"no step {place['step']}"


def _numbers(first: str, last: str | None) -> list[str]:
    """The numbers of a range: "1.7", "1.9" -> 1.7, 1.8, 1.9."""
    if last is None:
        return [first]
    before, _, begin = first.rpartition(".")
    until, _, end = last.rpartition(".")
    if before != until or int(begin) >= int(end):
        return [first, f"{first}-{last}"]
    return [f"{before}.{number}" if before else str(number) for number in range(int(begin), int(end) + 1)]


def _around(text: str, place: int) -> str:
    return " ".join(text[max(place - 40, 0) : place + 40].split())


def test_citations_resolve() -> None:
    # docs/source.md is for users; what the code cites is docs/formats/source.md.
    paths = [*DOCS.glob("*.md"), *(DOCS / "formats").glob("*.md")]
    pages = {path.stem: page_of(path.read_text("utf-8")) for path in paths}
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = listed.stdout.splitlines() or [
        str(path) for part in ("addon", "formats", "tests") for path in (ROOT / part).rglob("*.py")
    ]
    wrong: list[str] = []
    count = 0
    for path in (ROOT / name for name in names):
        if path.is_file() and path != Path(__file__).resolve():
            text = path.read_text("utf-8")
            if any(word in text for word in _WORDS):
                count += len(_CITATION.findall(text))
                wrong += [f"{path.relative_to(ROOT)}: {each}" for each in unresolved(text, pages)]
    assert wrong == []
    assert count > 100


@pytest.mark.parametrize("name", ["teeworlds", "genesis", "fable", "ns2", "source"])
def test_pages_refer_to_sections_that_they_have(name: str) -> None:
    text = (DOCS / "formats" / f"{name}.md").read_text("utf-8")
    page = page_of(text)
    for reference in re.finditer(rf"§({_NUMBER})", text):
        assert reference[1] in page.numbers, reference[0]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("(page.md §2.9)", "no section 2.9"),
        ("(page.md §1, §3.1)", "no section 3.1"),
        ("# page.md §1,\n    # §3.1 says so", "no section 3.1"),
        ("(page.md §1 and §4)", "no section 4"),
        ("(page.md §1-3)", "no section 3"),
        ("(page.md §2.1-2.3)", "no section 2.3"),
        ("(page.md §2.2-2.1)", "no section 2.2-2.1"),
        ('(page.md "Thing")', 'no section "Thing"'),
        ('(page.md §1, "Thing")', 'no section "Thing"'),
        ("(page.md §2.1 (step 3))", "no step 3"),
        ("(other.md §1)", "no such page"),
        ("see §1", "of no page"),
        ("(page.md §2.1, 2)", "a number without §"),
        ("(page.md §1; of props: §2)", "of no page"),
        ("what the notes found", "not in the repository"),
        ("see genesis-map-notes", "not in the repository"),
    ],
)
def test_wrong_citations_are_found(text: str, what: str) -> None:
    page = page_of(
        "# Page\n\n## 1 One\n\n## 2 Two\n\n### 2.1 First things\n\n1. A\n2. B\n\n### 2.2 Others\n\n#### Others' own\n"
    )
    good = '(page.md §1, §2.1-2.2; "First things", "Others\' own") page.md §2.1 (step 2), RFC 6716 §3.1, page.md alone'
    assert unresolved(good, {"page": page}) == []
    found = unresolved(text, {"page": page})
    assert len(found) == 1
    assert what in found[0]
