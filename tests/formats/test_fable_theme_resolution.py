# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of themes to three slots and strengths that add up to 255, and nothing that wasn't painted changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.fable.theme_resolution import NONE, BlendError, quantise, resolve
from tests import examples

THEMES = 5
THEME_OF = np.full(256, NONE)
THEME_OF[1:6] = range(5)
THEME_OF[6] = 2  # a palette may name a theme twice
SLOT_OF = np.array([1, 2, 3, 4, 5], np.uint8)

slot_triples = st.tuples(*[st.sampled_from([0, 1, 2, 3, 4, 5, 6])] * 3)
strength_pairs = st.tuples(st.integers(0, 255), st.integers(0, 255)).filter(lambda pair: sum(pair) <= 255)


def run(weights, touched, slots, **options):
    return resolve(
        np.array(weights, np.float32),
        np.array(touched, np.bool_),
        np.array(slots, np.uint8),
        THEME_OF,
        SLOT_OF,
        **options,
    )


def shown(slots, strengths):
    """Strength of each theme of one cell."""
    found = np.zeros(THEMES, int)
    for slot, strength in zip(slots, [*map(int, strengths), 255 - int(sum(map(int, strengths)))], strict=True):
        if THEME_OF[slot] != NONE:
            found[THEME_OF[slot]] += strength
    return found


def one(weights, touched, slots=(1, 2, 3), **options):
    made = run([weights], [touched], [slots], **options)
    return made.slots[0].tolist(), made.strengths[0].tolist()


def test_what_was_painted_counts_and_the_others_share_the_rest_as_they_did():
    # theme 1 painted to 0.5 over 51 : 102 : 102 of themes 0, 1, 2
    assert one([0.2, 0.6, 0.2, 0, 0], [0, 1, 0, 0, 0]) == ([1, 2, 3], [51, 153])
    assert one([0.2, 1.0, 0.4, 0, 0], [0, 1, 0, 0, 0]) == ([1, 2, 3], [0, 255])
    assert one([0.4, 0.0, 0.4, 0, 0], [0, 1, 0, 0, 0]) == ([1, 2, 3], [128, 0])


def test_a_theme_keeps_its_slot_and_a_new_one_gets_an_empty_slot_or_else_one_that_only_remembers():
    assert one([0.5, 0, 0, 0.5, 0], [1, 0, 0, 1, 0], (5, 1, 0)) == ([5, 1, 4], [0, 128])
    assert one([0.5, 0, 0, 0.5, 0], [1, 0, 0, 1, 0], (5, 1, 3)) == ([4, 1, 3], [127, 128])
    assert one([0, 0, 0, 0, 1.0], [1, 1, 1, 0, 1], (1, 2, 3)) == ([5, 2, 3], [255, 0])


def test_of_two_slots_of_one_theme_the_first_gets_all_of_it():
    assert one([0.4, 0, 0.6, 0, 0], [0, 0, 1, 0, 0], (6, 3, 1)) == ([6, 3, 1], [153, 0])


def test_of_new_themes_the_strongest_comes_first():
    assert one([0.2, 0.3, 0.5, 0, 0], [1, 1, 1, 0, 0], (0, 0, 0)) == ([3, 2, 1], [127, 77])


@pytest.mark.parametrize(
    ("weights", "touched", "what"),
    [
        ([0.8, 0.8, 0, 0, 0], [1, 1, 0, 0, 0], "more than 255"),
        ([0.5, 0, 0, 0, 0], [1, 0, 0, 0, 0], "less than 255"),
        ([0, 0, 0, 0, 0], [1, 1, 0, 0, 0], "no theme"),
        ([1.5, 0, 0, 0, 0], [1, 0, 0, 0, 0], "within 0 and 1"),
        ([float("nan"), 1, 0, 0, 0], [1, 0, 0, 0, 0], "that are NaN"),
        ([0.25, 0.25, 0.25, 0.25, 0], [1, 1, 1, 1, 0], "three themes"),
    ],
)
def test_what_is_no_blend_is_refused_with_its_cells(weights, touched, what):
    fine = [1.0, 0, 0, 0, 0], [1, 0, 0, 0, 0]
    with pytest.raises(BlendError, match=what) as caught:
        run([fine[0], weights, fine[0]], [fine[1], touched, fine[1]], [(1, 2, 3)] * 3)
    assert caught.value.cells.tolist() == [1]


def test_what_is_no_blend_is_made_one_when_asked():
    assert one([0.8, 0.8, 0, 0, 0], [1, 1, 0, 0, 0], sums="fit") == ([1, 2, 3], [128, 127])
    assert one([0.5, 0, 0, 0, 0], [1, 0, 0, 0, 0], sums="fit") == ([1, 2, 3], [255, 0])
    assert one([7.0, -3.0, 0, 0, 0], [1, 1, 0, 0, 0], sums="fit") == ([1, 2, 3], [255, 0])
    with pytest.raises(BlendError, match="that are NaN"):
        one([7.0, float("nan"), 0, 0, 0], [1, 1, 0, 0, 0], sums="fit")
    made = run([[0.4, 0.1, 0.3, 0.2, 0]], [[1, 1, 1, 1, 0]], [(1, 2, 3)], fourth="fit")
    assert made.reduced.tolist() == [True]
    assert shown(made.slots[0], made.strengths[0]).tolist() == [113, 0, 85, 57, 0]
    with pytest.raises(BlendError, match="no theme"):
        one([0, 0, 0, 0, 0], [1, 1, 0, 0, 0], sums="fit")


@given(st.lists(st.tuples(slot_triples, strength_pairs), min_size=1, max_size=8), st.integers(0, 2**32 - 1))
def test_a_cell_that_was_touched_but_not_changed_shows_what_it_showed(cells, seed):
    slots = np.array([cell[0] for cell in cells], np.uint8)
    strengths = np.array([cell[1] for cell in cells], np.uint8)
    was = np.array([shown(*cell) for cell in zip(slots, strengths, strict=True)])
    whole = was.sum(axis=1) == 255  # what slot 0 shows has no weight
    slots, was = slots[whole], was[whole]
    weights = was.astype(np.float32) / np.float32(255)
    touched = np.random.default_rng(seed).random(weights.shape) < 0.5
    made = resolve(weights, touched, slots, THEME_OF, SLOT_OF)
    now = np.array([shown(*cell) for cell in zip(made.slots, made.strengths, strict=True)]).reshape(was.shape)
    assert np.array_equal(now, was)
    assert np.array_equal(made.slots, slots)


@given(
    st.lists(
        st.tuples(
            st.lists(st.floats(0, 1, width=32), min_size=THEMES, max_size=THEMES),
            st.lists(st.booleans(), min_size=THEMES, max_size=THEMES),
            slot_triples,
        ),
        min_size=1,
        max_size=8,
    )
)
@examples.at_most(300)
def test_whatever_was_painted_fits_when_asked(cells):
    cells = [cell for cell in cells if sum(cell[0]) > 0]
    if not cells:
        return
    weights, touched, slots = (np.array(part) for part in zip(*cells, strict=True))
    made = run(weights, touched, slots, sums="fit", fourth="fit")
    assert (made.strengths.astype(int).sum(axis=1) <= 255).all()
    for number, (painted, hit, had) in enumerate(cells):
        now = shown(made.slots[number], made.strengths[number])
        assert now.sum() == 255  # no strength on a slot that shows nothing
        fixed = sum(w for w, t in zip(painted, hit, strict=True) if t)
        loose = sum(w for w, t in zip(painted, hit, strict=True) if not t)
        if fixed <= 1 and loose > 0 and not made.reduced[number]:
            wanted = [w * 255 if t else w * 255 * (1 - fixed) / loose for w, t in zip(painted, hit, strict=True)]
            assert np.abs(now - wanted).max() <= 3
        kept = [a == b for a, b in zip(had, made.slots[number].tolist(), strict=True)]
        missing = set(np.flatnonzero(now).tolist()) - {int(THEME_OF[slot]) for slot in had}
        assert kept.count(False) <= len(missing)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=6).filter(lambda row: sum(row) > 0))
def test_quantised_parts_add_up(row):
    found = quantise(np.array([row]))[0]
    exact = np.array(row) / sum(row) * 255
    assert found.sum() == 255
    assert np.abs(found - exact).max() < 1
