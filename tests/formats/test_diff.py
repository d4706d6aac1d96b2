# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between two levels, record by record."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import __main__ as library
from formats import format_of, read, teeworlds
from formats.diff import Unlike, compare, differences
from formats.format import Columns

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
LEVELS = ("first-light.map", "fable_vale.lev", "genesis_room.3dt", "genesis_room.map", "ns2_room.level")


def lines(was: object, now: object) -> list[str]:
    """What is told of two documents."""
    return [str(each) for each in differences(was, now, "x")]


def test_values_and_keys() -> None:
    assert lines({"a": 1, "b": [1, 2]}, {"a": 2, "b": [1, 2]}) == ["  x.a: 1 -> 2"]
    assert lines({"a": 1}, {"b": 1}) == ["- x.a: 1", "+ x.b: 1"]
    assert lines({"a": b"ab"}, {"a": b"ac"}) == ["  x.a: 2 bytes 6162 -> 2 bytes 6163"]


def test_a_record_put_in_moves_no_other() -> None:
    was = [{"name": word, "order": len(word)} for word in ("one", "three", "four")]
    now = [*was[:1], {"name": "two", "order": 9}, *was[1:]]
    assert lines(was, now) == ["+ x[1] (two): {'name': 'two', 'order': 9}"]
    assert lines(now, was) == ["- x[1] (two): {'name': 'two', 'order': 9}"]
    moved = [*now[1:], {"name": "five", "order": 5}]  # one taken out, and one put in
    assert lines(now, moved) == [
        "- x[0] (one): {'name': 'one', 'order': 3}",
        "+ x[3] (five): {'name': 'five', 'order': 5}",
    ]


def test_a_record_is_named_by_what_it_says() -> None:
    was = [{"pairs": [("classname", "light"), ("origin", "0 0 0")]}]
    now = [{"pairs": [("classname", "light"), ("origin", "0 0 1")]}]
    assert lines(was, now) == ["  x[0] (light).pairs[1] (origin)[1]: '0 0 0' -> '0 0 1'"]


def test_rows_of_tables() -> None:
    was = np.zeros(30, [("id", "<i4"), ("at", "<f4", 3)])
    now = was.copy()
    now["at"][7, 1] = 2.5
    assert lines(was, now) == ["  x[7].at: [0.0, 0.0, 0.0] -> [0.0, 2.5, 0.0]"]
    assert lines(was, np.concatenate([was, now[7:8]])) == ["+ x[30]: (0, [0.0, 2.5, 0.0])"]
    many = np.concatenate([was, now[:25], now[7:8]])
    assert lines(was, many)[-1] == "  x (rows): 30 -> 56", "not each is told one by one"
    now["id"] = 1
    assert len(lines(was, now)) == 22
    assert lines(was, now)[-1] == "  x (more): 10 more rows -> other values"
    assert sum(each.rows for each in differences(was, now)) == 31, "one row differs in two fields"
    assert len(list(differences(was, now, rows=5))) == 6


def test_numbers_have_the_digits_that_tell_them_apart() -> None:
    single = float(np.float32(537.8717))
    assert lines({"at": [single, 2.0]}, {"at": [single, 3.0]}) == ["  x.at: [537.8717, 2.0] -> [537.8717, 3.0]"]
    assert lines({"at": 0.1}, {"at": float(np.float32(0.1))}) == ["  x.at: 0.1 -> 0.10000000149011612"]
    table = np.array([0.1, 0.2], np.float32)
    assert lines(table, table[::-1].copy()) == ["  x[0]: 0.1 -> 0.2", "  x[1]: 0.2 -> 0.1"]


def test_item_types_of_a_map_say_what_they_hold() -> None:
    data = (SAMPLES / "first-light.map").read_bytes()
    level = teeworlds.read(data)
    level.groups[-1].layers.pop()
    told = [str(each) for each in compare(data, teeworlds.write(level))]
    assert "  item types.5 (layers): 21 -> 20" in told


def test_records_that_lie_in_rows_are_told_one_by_one() -> None:
    was = np.zeros((30, 40), [("height", "<f4"), ("theme", "u1")])
    now = was.copy()
    now["height"][3, 17] = 2.5
    assert lines(was, now) == ["  x[3][17].height: 0.0 -> 2.5"]
    now["theme"] = 1
    assert len(lines(was, now)) == 21 and lines(was, now)[-1] == "  x (more): 1,180 more rows -> other values"


def test_a_row_taken_out_and_another_put_in_move_no_other() -> None:
    was = np.zeros(9, [("id", "<i4"), ("at", "<f4")])
    was["id"] = np.arange(9)
    now = np.roll(was, -1)
    now["id"][-1] = 50
    assert lines(was, now) == ["- x[0]: (0, 0.0)", "+ x[8]: (50, 0.0)"]
    assert len(lines(was, was[::-1].copy())) <= 8 * 2, "where all have moved, however it is told"


def test_in_a_long_list_what_was_put_in_moves_nothing() -> None:
    was = [{"name": f"n{number}", "value": number % 7} for number in range(9000)]
    now = [*was[:5], {"name": "new", "value": 1}, *was[5:8000], *was[8001:8999], {"name": "n8999", "value": 70}]
    told = lines(was, now)
    assert told[0].startswith("+ x[5] (new)") and told[1].startswith("- x[8000] (n8000)")
    assert told[2:] == ["  x[8999] (n8999).value: 4 -> 70"]
    assert len(lines(was, [{"name": f"m{number}"} for number in range(9000)])) <= 2001, "however it is told"
    assert lines(was, was[:10])[-1] == "  x (more): 7,990 more records -> other values"


def test_a_table_in_columns_is_told_by_rows() -> None:
    was = Columns(at=np.arange(12.0).reshape(4, 3), inner=Columns(id=np.arange(4, dtype=np.int32)))
    now = Columns(at=was["at"] + [[0.0], [0.0], [1.0], [0.0]], inner=was["inner"])
    assert lines(was, now) == ["  x[2].at: [6.0, 7.0, 8.0] -> [7.0, 8.0, 9.0]"]
    less = Columns(at=was["at"][1:], inner=Columns(id=was["inner"]["id"][1:]))
    assert lines(was, less) == ["- x[0]: ([0.0, 1.0, 2.0], (0,))"]


def test_not_a_number_is_itself() -> None:
    table = np.array([np.nan, 1.0], "<f4")
    assert lines(table, table.copy()) == []
    assert lines({"a": float("nan")}, {"a": float("nan")}) == []


def test_iterators_are_read_once() -> None:
    assert lines({"a": iter([{"b": iter([1, 2])}])}, {"a": iter([{"b": iter([1, 3])}])}) == [
        "  x.a[0].b: [1, 2] -> [1, 3]"
    ]


documents = st.recursive(
    st.integers(-3, 3) | st.text(max_size=3) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


@given(documents, documents)
def test_nothing_is_told_of_equal_documents_and_something_of_others(was: object, now: object) -> None:
    assert not lines(was, was)
    assert bool(lines(was, now)) == (was != now)


@pytest.mark.parametrize("name", [*LEVELS, "source_room.bsp"])
def test_a_level_differs_in_nothing_from_itself(name: str) -> None:
    data = (SAMPLES / name).read_bytes()
    one, other = read(data), read(data)
    verbs = format_of(one).verbs
    assert not list(differences(verbs.contents(one), verbs.contents(other)))


def test_files_are_compared_by_their_bytes() -> None:
    was = (SAMPLES / "genesis_room.3dt").read_bytes()
    assert list(compare(was, was)) == []
    (one,) = compare(was, was.replace(b'Key Wait Value "2.5', b'Key Wait Value "4.5', 1))
    assert (one.was, one.now) == ("'2.5'", "'4.5'")
    (other,) = compare(was, (SAMPLES / "ns2_room.level").read_bytes())
    assert other.place == "format"
    spaced = was.replace(b"Key Wait Value", b"Key  Wait Value", 1)
    (same,) = compare(was, spaced)
    assert same.was == "the same records"


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    was, now = SAMPLES / "genesis_room.3dt", tmp_path / "now.3dt"
    now.write_bytes(was.read_bytes().replace(b'Key Wait Value "2.5', b'Key Wait Value "4.5', 1))
    assert library.main(["diff", str(was), str(was)]) == 0
    assert capsys.readouterr().out == ""
    assert library.main(["diff", str(was), str(now)]) == 1
    out = capsys.readouterr().out
    assert "2.5" in out
    assert "4.5" in out
    assert len(out.splitlines()) == 1
    assert library.main(["diff", str(was), str(SAMPLES / "ns2_room.level")]) == 2
    assert "a Natural Selection 2" in capsys.readouterr().err
    (tmp_path / "no.map").write_bytes(b"nothing")
    assert library.main(["diff", str(was), str(tmp_path / "no.map")]) == 2
    assert "refused" in capsys.readouterr().err


def test_a_difference_in_words() -> None:
    assert str(Unlike("a", "1", "2")) == "  a: 1 -> 2"
