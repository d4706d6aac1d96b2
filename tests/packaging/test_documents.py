# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents: links lead somewhere, tables of options are the options, pictures are small, files have licences."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path

import pytest

from tests.packaging.source_code import ROOT, modules, names

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
NOW = [page for page in PAGES if page.name != "CHANGELOG.md"]
"""Pages about what is there; the changes tell of what was, too."""
GAMES = sorted(path.parent.name for path in (ROOT / "addon").glob("*/settings.py"))
LINK = re.compile(r"!?\[(?:[^][]|\[[^][]*\](?:\([^()]*\))?)*\]\(([^()\s]+)\)")
QUOTED = re.compile(r"`([^`\s]+)`")
PLACEHOLDER = re.compile(r"<[^<>]+>|\*")
"""What stands for any name in a path: `addon/<game>`, `test_*.py`."""
WIDTH = 130
LARGEST_PICTURE = 60_000
README_LINES = 160


def prose(page: Path) -> Iterator[tuple[int, str]]:
    """Give the lines of a page that are no code, and their numbers."""
    code = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            code = not code
        elif not code and not line.startswith("    "):
            yield number, line


def links(text: str) -> list[str]:
    """Return what the links and pictures in a text lead to; pictures that are links themselves give both."""
    inner = [found for match in LINK.finditer(text) for found in LINK.findall(match[0][1 : match[0].rindex("](")])]
    return [*LINK.findall(text), *inner]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as they are made for the web: small letters, hyphens for blanks."""
    titles = [line.lstrip("#").strip() for _, line in prose(page) if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def option_tables(page: Path) -> set[tuple[str, str]]:
    """Return (option, of what) of the rows of a page's tables of options."""
    rows = set()
    inside = False
    for _, line in prose(page):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        inside = line.startswith("|") and (inside or cells[:2] == ["option", "of"])
        if inside and cells[0].startswith("`"):
            rows.add((cells[0].strip("`"), cells[1]))
    return rows


def declared(module: Path) -> set[tuple[str, str]]:
    """Return (field, what its class is of) of the classes FooSettings of a module: ("backup", "export")."""
    return {
        (line.target.id, cls.name.removesuffix("Settings").lower())
        for cls in ast.parse(module.read_text(encoding="utf-8")).body
        if isinstance(cls, ast.ClassDef) and cls.name.endswith("Settings")
        for line in cls.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    }


def tracked() -> list[str]:
    """Return the names of the repository's files; skips the test where this is no repository."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no git repository")
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def is_ours(path: str, tops: set[str]) -> bool:
    """Whether what a page quotes is meant as a path of the repository. tops: the folders at its root."""
    return path.endswith(".py") or ("/" in path and path.partition("/")[0] in tops)


def is_there(path: str, names: AbstractSet[str]) -> bool:
    """Whether there is such a file or folder, here or further down; `*` and `<game>` stand for any name."""
    if path.rstrip("/") in names:
        return True
    literal = (re.escape(part) for part in PLACEHOLDER.split(path.rstrip("/")))
    pattern = re.compile("(?:.*/)?" + "[^/]+".join(literal))
    return any(pattern.fullmatch(name) for name in names)


@cache
def repository() -> frozenset[str]:
    """Return the names of all files and folders of the repository, from its root."""
    files = tracked()
    return frozenset((*files, *(str(folder) for name in files for folder in Path(name).parents)))


def defined(module: str = "") -> set[str]:
    """Return what modules of a name in addon/ and formats/ define: functions, classes and their methods; "": all."""
    paths = [path for path in modules("addon", "formats") if module in ("", path.stem)]
    return {name for path in paths for name in (*names(path).classes, *names(path).functions)}


def as_pattern(path: str) -> re.Pattern[str]:
    """Return what a path of REUSE.toml means: `**` any names, `*` any letters of one name."""
    parts = re.split(r"(\*\*/|\*\*|\*)", path)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    wrong = []
    for link in links("\n".join(line for _, line in prose(page))):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.is_relative_to(ROOT) or not target.exists():
            wrong.append(f"{link} is not there")
        elif anchor and anchor not in anchors(target):
            wrong.append(f"{link}: {target.name} has no such heading")
    assert wrong == []


@pytest.mark.parametrize("page", NOW, ids=lambda page: str(page.relative_to(ROOT)))
def test_paths_are_there(page: Path) -> None:
    """Each path of ours that a page quotes."""
    there = repository()
    tops = {name.partition("/")[0] for name in there if "/" in name}
    quoted = [(number, path) for number, line in prose(page) for path in QUOTED.findall(line)]
    ours = [(number, path) for number, path in quoted if is_ours(path, tops)]
    assert [(number, path) for number, path in ours if not is_there(path, there)] == []


def test_the_check_sees_paths_that_are_not_there() -> None:
    names = {"addon", "addon/levels.py", "addon/fable", "addon/fable/game.py"}
    assert all(is_ours(path, {"addon"}) for path in ("levels.py", "addon/fable/", "addon/<game>/game.py"))
    assert not any(is_ours(path, {"addon"}) for path in ("gameinfo.txt", "levels/a.lev", "addon"))
    assert all(is_there(path, names) for path in ("levels.py", "addon/fable/", "addon/<game>/game.py", "lev*.py"))
    assert not any(is_there(path, names) for path in ("addon/games.py", "els.py", "addon/<game>/layout.py"))


def test_the_architectures_names_are_defined() -> None:
    """Each `module.name` that it quotes, of a module in addon/ or formats/, and each class that it says things of."""
    page = ROOT / "docs" / "architecture.md"
    quoted = {name for _, line in prose(page) for name in QUOTED.findall(line)}
    dotted = [name.split(".") for name in quoted if re.fullmatch(r"[a-z]\w*\.[A-Za-z]\w*", name)]
    stems = {path.stem for path in modules("addon", "formats")}
    ours = [(module, name) for module, name in dotted if module in stems and name != "py"]
    assert len(ours) >= 5
    assert [f"{module}.{name}" for module, name in ours if name not in defined(module)] == []
    classes = {name for name in quoted if re.fullmatch(r"[A-Z][a-z]+[A-Z]\w+", name)} - {"IntFlag"}  # Python's
    known = defined()
    assert sorted(classes - known) == []


def test_the_architecture_lists_the_things_of_each_game() -> None:
    """All folders of a game's in addon/ that hold modules, and no others."""
    page = ROOT / "docs" / "architecture.md"
    _, _, after = page.read_text(encoding="utf-8").partition("### The things of each game\n")
    rows = [line.strip("|").split("|") for line in after.partition("\n#")[0].splitlines() if "`" in line]
    listed = {tuple(sorted(name.strip("/") for name in QUOTED.findall(things))) for game, things in rows[1:]}
    folders = {
        tuple(sorted(path.parent.name for path in (ROOT / "addon" / game).glob("*/__init__.py"))) for game in GAMES
    }
    assert listed == folders


def test_the_check_sees_broken_links() -> None:
    text = "See [a\nlink](there.md#x), ![b](pictures/b.webp) and [![c](pictures/c.webp)](c.md)."
    assert links(text) == ["there.md#x", "pictures/b.webp", "c.md", "pictures/c.webp"]
    assert "what-is-refused" in anchors(ROOT / "docs" / "source.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_are_wrapped(page: Path) -> None:
    long = [number for number, line in prose(page) if len(line) > WIDTH and not line.startswith("|")]
    assert long == []


@pytest.mark.parametrize("game", GAMES)
def test_a_games_page_lists_its_options(game: str) -> None:
    """All of them, and no others."""
    assert option_tables(ROOT / "docs" / f"{game}.md") == declared(ROOT / "addon" / game / "settings.py")


def test_the_command_lines_page_lists_the_options_of_pictures_and_blends() -> None:
    declaring = [ROOT / "addon" / name for name in ("picture.py", "conversion.py")]
    known = {option for path in declaring for option in declared(path)}
    assert option_tables(ROOT / "docs" / "command-line.md") == known


def test_every_game_has_its_pages_and_its_picture() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {"fable", "genesis", "ns2", "source", "teeworlds"} <= set(GAMES)
    for game in GAMES:
        assert {f"docs/{game}.md", f"docs/formats/{game}.md", f"docs/pictures/{game}.webp"} <= set(links(readme))
        picture = ROOT / "docs" / "pictures" / f"{game}.webp"
        assert picture.stat().st_size < LARGEST_PICTURE


def test_the_page_of_all_games_names_their_operators() -> None:
    """Those that import, export and make levels, for scripts."""
    declared = [path.read_text(encoding="utf-8") for path in (ROOT / "addon").glob("*/game.py")]
    operators = {name for text in declared for name in re.findall(r'operator="(\w+)"', text)}
    scripts = (ROOT / "docs" / "using.md").read_text(encoding="utf-8").partition("## Scripts")[2]
    assert len(operators) > 10
    assert {name for name in operators if f"{name}`" not in scripts} == set()


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= README_LINES


def test_the_package_indexs_page_stands_alone() -> None:
    """Links into the repository would lead nowhere there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = ROOT / project["readme"]
    assert page.name == "library.md"
    targets = links("\n".join(line for _, line in prose(page)))
    assert [link for link in targets if not link.startswith(("https://", "#"))] == []


def test_every_file_names_its_licence() -> None:
    annotations = tomllib.loads((ROOT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
    covered = [as_pattern(path) for each in annotations for path in each["path"]]
    bare = []
    for name in tracked():
        head = (ROOT / name).read_bytes()[:300]
        says = b"SPDX-License-Identifier: GPL-3.0-or-later" in head
        if not says and name != "LICENSE" and not any(pattern.fullmatch(name) for pattern in covered):
            bare.append(name)
    assert bare == []
    assert not any(pattern.fullmatch("addon/games.py") or pattern.fullmatch("tests/conftest.py") for pattern in covered)
