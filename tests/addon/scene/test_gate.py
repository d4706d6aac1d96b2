# SPDX-License-Identifier: GPL-3.0-or-later
"""What an export may not bring into a level: by kind, place and count, with renumbering followed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from levelwright.addon.scene.fates.gate import brought_in, refuse_new
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats.binary import Problem


def nan(place: int, count: int = 1) -> Problem:
    return Problem(f"mesh {place}", f"{count} vertices are NaN", count=count)


def test_a_fresh_problem_is_refused_by_name() -> None:
    with pytest.raises(SceneError, match=r"the game would refuse the map: error: mesh 4: 1 vertices are NaN$"):
        refuse_new(lambda level: [nan(4)] if level else [], True, lambda: False, Report(), "map")


def test_one_more_beside_an_old_one_is_refused() -> None:
    assert brought_in([nan(4)], [nan(4, 3)]) == [(nan(4, 3), 2)]
    assert brought_in([nan(4)], [nan(4), nan(7)]) == [(nan(7), 1)]
    with pytest.raises(SceneError, match=r"mesh 4: 3 vertices are NaN \(2 of them new\)"):
        refuse_new(lambda count: [nan(4, count)], 3, lambda: 1, Report())


def test_an_old_one_is_let_through_where_it_was_and_where_it_is_now() -> None:
    assert brought_in([nan(4)], [nan(4)]) == []
    assert brought_in([nan(4), nan(6, 2)], [nan(5), nan(7, 2)]) == [], "something was added before them"
    assert brought_in([nan(4), nan(6)], [nan(4)]) == [], "one was mended"


def test_a_moved_one_does_not_hide_a_fresh_one() -> None:
    assert brought_in([nan(4)], [nan(5), nan(9)]) == [(nan(9), 1)]
    other = Problem("mesh 4", "has no faces")
    assert brought_in([nan(4)], [other]) == [(other, 1)], "of another kind at the old one's place"
    assert brought_in([Problem("mesh 4", "has no faces", "warning")], [other]) == [(other, 1)], "worse than it was"


def test_warnings_are_told_and_refuse_nothing() -> None:
    report = Report()
    refuse_new(lambda names: [Problem(name, "is dark", "warning") for name in names], "ab", lambda: "a", report)
    assert report.warnings == ["b: is dark"]


def test_a_level_made_in_blender_came_with_nothing() -> None:
    with pytest.raises(SceneError, match="and 2 more"):
        refuse_new(lambda _: [nan(place) for place in range(7)], None, None, Report())


def test_the_original_is_only_asked_if_there_is_a_problem() -> None:
    def before() -> None:
        raise AssertionError("nothing is wrong")

    refuse_new(lambda _: [], None, before, Report())


PROBLEMS = st.lists(
    st.builds(
        lambda place, kind, count: Problem(f"part {place}", kind, count=count),
        st.integers(0, 4),
        st.sampled_from(["is NaN", "is gone", "has -3.5e+2 sides"]),
        st.integers(1, 3),
    )
)


@given(PROBLEMS, PROBLEMS)
def test_what_is_new_is_what_there_is_more_of(before: list[Problem], after: list[Problem]) -> None:
    for kind in {one.kind for one in after}:
        had = sum(one.count for one in before if one.kind == kind)
        has = sum(one.count for one in after if one.kind == kind)
        assert sum(count for one, count in brought_in(before, after) if one.kind == kind) == max(has - had, 0)


@given(PROBLEMS)
def test_renumbering_brings_in_nothing(before: list[Problem]) -> None:
    after = [Problem(one.place + "0", one.message.replace("3", "7"), count=one.count) for one in before]
    assert brought_in(before, after) == []
