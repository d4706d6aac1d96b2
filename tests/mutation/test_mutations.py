# SPDX-License-Identifier: GPL-3.0-or-later
"""The bugs that `scripts/mutate` plants are code that runs, each another one, and none is in a text, an annotation."""

import ast
from pathlib import Path

import pytest

from tests.mutation.__main__ import GAMES, ROOT, SECONDS, Tried, chosen, modules, sample, table
from tests.mutation.mutations import mutations

HERE = Path("addon/made/collect.py")


def texts(source: str) -> set[tuple[str, str]]:
    return {(each.what, each.apply(source).strip()) for each in mutations(HERE, source)}


@pytest.mark.parametrize(
    ("source", "what", "changed"),
    [
        ("a = b + c", "sign", "a = b - c"),
        ("a = -b", "sign", "a = b"),
        ("a = not b", "sign", "a = b"),
        ("a = b < c", "comparison", "a = b <= c"),
        ("a = b in c", "comparison", "a = b not in c"),
        ("a = b and c", "comparison", "a = b or c"),
        ("a = b[0]", "off by one", "a = b[1]"),
        ("a = b.x", "swapped axis", "a = b.y"),
        ("a = (b, c, d)", "swapped axis", "a = (c, b, d)"),
        ("a.b = c", "dropped field", "pass"),
        ("a['b'] = c", "dropped field", "pass"),
        ("f(a)", "dropped call", "pass"),
        ("a = True", "constant", "a = False"),
    ],
)
def test_each_kind(source: str, what: str, changed: str) -> None:
    assert (what, changed) in texts(source)


def test_names_beyond_ascii_do_not_move_the_place() -> None:
    assert ("sign", 'a = "ä…", b - c') in texts('a = "ä…", b + c')


@pytest.mark.parametrize(
    "source",
    [
        "def f(a: Literal[1]) -> Literal[2]: ...",
        'raise ValueError(f"{1 + 1}")',
        "from a import b",
        "A = dict[tuple[int, str], NDArray[b]]",
        "a = zip(b, c, strict=True)",
        'a: "int | None"',
        '"""1 + 1"""',
        "FACES_AT_ONCE = 1 << 16",
        "a = zip(b, c, strict=True)",
    ],
)
def test_what_does_not_run_is_left_alone(source: str) -> None:
    assert texts(source) == set()


@pytest.mark.parametrize("source", ["return -1", "a = b if c else -1", "a = min(b, default=-1)"])
def test_a_minus_one_that_stands_for_none_may_be_any_number_below_0(source: str) -> None:
    found = {what for what, changed in texts(source) if "-2" in changed}
    assert found == set() and ("sign", source.replace("-1", "1")) in texts(source)
    assert ("off by one", "a = b[-2]") in texts("a = b[-1]")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_bug_of_a_game_is_code_and_another_one(game: str) -> None:
    assert len(modules(game)) >= 5
    for path in modules(game):
        source = (ROOT / path).read_text(encoding="utf-8")
        found = mutations(path, source)
        assert len({each.apply(source) for each in found}) == len(found)
        for each in found[::7]:
            ast.parse(each.apply(source))
            assert each.apply(source) != source


def test_any_negative_side_is_the_one_that_numpy_works_out() -> None:
    assert {what for what, _ in texts("a.reshape(-1)")} == {"sign", "dropped call"}
    assert "off by one" in {what for what, _ in texts("a.reshape(-1, 3)")}


def test_a_seed_gives_the_same_bugs() -> None:
    assert sample("ns2", 20, 1) == sample("ns2", 20, 1) != sample("ns2", 20, 2)


def test_the_table_names_what_survived() -> None:
    first, second = mutations(HERE, "a = b + c\nf(a)\n")
    text = table("ns2", [Tried(first, True, True), Tried(second, False, False)])
    assert "## ns2: 1 of 2 caught (50%)" in text
    assert "- `addon/made/collect.py`, line 2: dropped call (no test comes by)" in text


def test_tests_that_do_what_few_do_come_first() -> None:
    module = {"1": ["a", "b", "c"], "2": ["a", "b", "c"], "3": ["c"]}
    assert chosen("abc", {"a": 0.2, "b": 0.1, "c": 0.3}, module) == ["c", "b", "a"]
    assert chosen("abc", {"a": SECONDS, "b": 0.1, "c": 0.3}, module) == ["c", "b"]
    assert chosen("a", {"a": 2 * SECONDS}, module) == ["a"]
    assert chosen("", {}, {}) == []
