# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between two levels of a game, record by record: from what `contents` gives of each.

Lists and tables are laid beside each other so that what was put in or taken out moves nothing else: equal records at
their beginnings and ends first, then those that each has once, then the longest runs of equal records between. Of
tables whose rows name one another (`Columns.meaning`) rows are the same that mean the same: what only has other numbers
is one line a table, behind all that is other.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np

from . import BESIDE, format_of, read, row_keys
from .arrays import Array, Bools, Integers
from .binary import FormatError
from .counting import number_of
from .format import AnyLevel, Columns
from .row_keys import Meaning
from .steps import Steps

MOST_MATCHED = 4000
"""Records between equal ones that are matched by their contents; more are compared by number."""
ROWS = 20
"""Rows of a table, and elements of an array, that are told one by one."""
LISTED = 1000
"""Records of a list that are told one by one."""
VECTOR = 4
"""Elements of a row that are told as one: a place, a colour, a triangle."""
WIDTH = 100
"""Letters of a value that are shown."""
FARTHEST = float(np.finfo(np.float32).max)
"""The largest number of single precision."""
_NAMES = ("classname", "class", "definition", "name", "type", "targetname", "lump", "id", "kind")
"""What says which record it is, where it has one of these."""


class Unlike(NamedTuple):
    """One thing that differs."""

    place: str
    """Where: `entities[3] (light).origin`."""
    was: str
    """In the first level; "" where it isn't in it."""
    now: str
    """In the second; "" where it isn't in it."""
    rows: int = 1
    """For how many rows it stands."""
    is_numbering: bool = False
    """Whether it stands for rows of a table that only have other numbers, or name rows by other numbers."""

    def __str__(self) -> str:
        if not self.was:
            return f"+ {self.place}: {self.now}"
        return f"- {self.place}: {self.was}" if not self.now else f"  {self.place}: {self.was} -> {self.now}"


def compare(was: bytes, now: bytes, rows: int = ROWS) -> Iterator[Unlike]:
    """Give what differs between two levels of a format, or two files beside such, of their bytes. Raises FormatError.

    rows: how many of a table are told one by one.
    """
    return filter(None, comparing(was, now, rows))


def comparing(was: bytes, now: bytes, rows: int = ROWS) -> Iterator[Unlike | None]:
    """As `compare`, with None now and then where work can be stopped. What only has other numbers comes last."""
    if was == now:
        return
    one = read_any(was)
    yield None
    other = read_any(now)
    yield None
    form, its = format_of(one), format_of(other)
    if form is not its:
        yield Unlike("format", form.title, its.title)
        return
    is_told, numbering = False, []
    held = form.verbs.contents(one)
    yield None
    holds = form.verbs.contents(other)
    yield None
    for each in differing(held, holds, rows=rows):
        is_told |= each is not None
        if each is not None and each.is_numbering:
            numbering.append(each)
            each = None
        yield each
    yield from numbering
    if not is_told:
        offset = first_difference(was, now)
        yield Unlike(form.verbs.section_at(one, offset), "the same records", f"other bytes, from {offset} on")


def read_any(data: bytes) -> AnyLevel:
    """Return a level, or a file beside one. Raises FormatError."""
    beside = next((form for form in BESIDE if form.identify(data)), None)
    return read(data) if beside is None else beside.verbs.read(data)


def first_difference(first: bytes, second: bytes) -> int:
    """The offset of the first byte in which they differ; the length of the shorter if it is the other's beginning."""
    length = min(len(first), len(second))
    same = np.frombuffer(first, np.uint8, length) == np.frombuffer(second, np.uint8, length)
    return length if bool(same.all()) else int(np.argmin(same))


def differences(was: object, now: object, place: str = "", rows: int = ROWS) -> Iterator[Unlike]:
    """Give what differs between two documents, as `contents` makes them, in their order. place: of these two."""
    return filter(None, differing(was, now, place, rows))


def differing(was: object, now: object, place: str = "", rows: int = ROWS) -> Iterator[Unlike | None]:
    """As `differences`, with None now and then where work can be stopped."""
    if isinstance(was, Iterator) or isinstance(now, Iterator):
        was, now = (yield from _listed(was)), (yield from _listed(now))
    if isinstance(was, Columns) and isinstance(now, Columns):
        tables = _joined(was), _joined(now)
        meanings = (yield from _meanings(was, now)) if tables[0].dtype == tables[1].dtype else None
        if meanings is not None:
            yield from _tables(tables, meanings, place, rows)
            return
        was, now = tables
    if isinstance(was, dict) and isinstance(now, dict):
        for key in {**was, **now}:
            inner = f"{place}.{key}" if place else str(key)
            if key not in now:
                yield Unlike(inner, _short(was[key]), "")
            elif key not in was:
                yield Unlike(inner, "", _short(now[key]))
            else:
                yield from differing(was[key], now[key], inner, rows)
    elif isinstance(was, np.ndarray) and isinstance(now, np.ndarray) and was.dtype == now.dtype and was.ndim:
        yield from _arrays(was, now, place, rows)
    elif _is_records(was) and _is_records(now):
        yield from _lists(list(was), list(now), place, rows)  # type: ignore[call-overload]
    elif _digest(was) != _digest(now):
        yield _unlike(place, was, now)


def _joined(table: Columns) -> Array:
    """A table as an array of records."""
    fields = {name: _joined(column) if isinstance(column, Columns) else column for name, column in table.items()}
    kinds = [(name, column.dtype, column.shape[1:]) for name, column in fields.items()]
    made = np.zeros(len(next(iter(fields.values()), ())), kinds)
    for name, column in fields.items():
        made[name] = column
    return made


def _listed(value: object) -> Steps[object]:
    """What an iterator gives as a list, a step each, and so with those in its dictionaries: they can be read once."""
    if isinstance(value, Iterator):
        return (yield from _each_listed(value))
    if isinstance(value, dict):
        for key, part in value.items():
            if isinstance(part, Iterator | dict):
                value[key] = yield from _listed(part)
    return value


def _each_listed(values: Iterable[object]) -> Steps[list[object]]:
    made = []
    for one in values:
        made.append((yield from _listed(one)) if isinstance(one, Iterator | dict) else one)
        yield
    return made


def _is_records(value: object) -> bool:
    """Whether a value is a list of more than plain values."""
    return isinstance(value, list | tuple) and not all(isinstance(one, int | float | bool | None) for one in value)


def _lists(was: list[object], now: list[object], place: str, rows: int) -> Iterator[Unlike | None]:
    was, now = (yield from _each_listed(was)), (yield from _each_listed(now))
    digests = yield from _digests(was)
    found = list(_unlike_records(digests, (yield from _digests(now))))
    for one, other in found[:LISTED]:
        number, record = (one, was[one]) if one is not None else (other, now[other or 0])
        named = f"{place}[{number}]{_name(record)}"
        if one is not None and other is not None:
            yield from differing(was[one], now[other], named, rows)
        elif other is None:
            yield Unlike(named, _short(record), "")
        else:
            yield Unlike(named, "", _short(record))
    if len(found) > LISTED:
        yield _more(place, len(found) - LISTED, "records")


def _unlike_records(was: Sequence[bytes], now: Sequence[bytes]) -> Iterator[tuple[int | None, int | None]]:
    """Give the numbers of records that differ, before and after, None where there is none; of their digests."""
    for first, last, begin, end in _unequal(was, now):
        both = min(last - first, end - begin)
        yield from zip(range(first, first + both), range(begin, begin + both), strict=True)
        yield from ((number, None) for number in range(first + both, last))
        yield from ((None, number) for number in range(begin + both, end))


def _more(place: str, count: int, what: str) -> Unlike:
    return Unlike(f"{place} (more)", number_of(count, f"more {what}"), "other values", count)


def _digests(records: Sequence[object]) -> Generator[None, None, list[bytes]]:
    made = []
    for one in records:
        made.append(_digest(one))
        yield
    return made


def _unequal(was: Sequence[bytes], now: Sequence[bytes]) -> Iterator[tuple[int, int, int, int]]:
    """Give runs that differ: of `was` those from first to before last, of `now` those from begin to before end."""
    most = min(len(was), len(now))
    head = next((number for number in range(most) if was[number] != now[number]), most)
    tail = next((number for number in range(most - head) if was[-1 - number] != now[-1 - number]), most - head)
    between = was[head : len(was) - tail], now[head : len(now) - tail]
    if not between[0] and not between[1]:
        return
    is_as_long = len(between[0]) == len(between[1])
    if is_as_long and not _is_shifted(*between):
        yield head, len(was) - tail, head, len(now) - tail
    elif max(map(len, between)) > MOST_MATCHED:
        yield from ((head + a, head + b, head + c, head + d) for a, b, c, d in _between_anchors(*between))
    else:
        for word, first, last, begin, end in SequenceMatcher(None, *between, autojunk=False).get_opcodes():
            if word != "equal":
                yield head + first, head + last, head + begin, head + end


def _between_anchors(was: Sequence[bytes], now: Sequence[bytes]) -> Iterator[tuple[int, int, int, int]]:
    """As `_unequal`, of many records: between those that both have once, as many of these as are in the same order."""
    anchors = _anchors(was, now)
    if not anchors:
        yield 0, len(was), 0, len(now)
        return
    first = begin = 0
    for one, other in (*anchors, (len(was), len(now))):
        for a, b, c, d in _unequal(was[first:one], now[begin:other]):
            yield first + a, first + b, begin + c, begin + d
        first, begin = one + 1, other + 1


def _anchors(was: Sequence[bytes], now: Sequence[bytes]) -> list[tuple[int, int]]:
    """The longest ascending run of pairs of records that either has just once (patience sorting)."""
    counts = Counter(was), Counter(now)
    places = {one: number for number, one in enumerate(now) if counts[1][one] == 1}
    pairs = [(number, places[one]) for number, one in enumerate(was) if counts[0][one] == 1 and one in places]
    ends: list[int] = []
    tails: list[int] = []
    before: list[int] = []
    for number, (_, other) in enumerate(pairs):
        length = bisect_left(ends, other)
        before.append(tails[length - 1] if length else -1)
        ends[length : length + 1] = [other]
        tails[length : length + 1] = [number]
    found, number = [], tails[-1] if tails else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _is_shifted(was: Sequence[bytes], now: Sequence[bytes]) -> bool:
    """Whether most records that differ stand elsewhere in the other list: some were taken out, and as many put in."""
    unlike = [(one, other) for one, other in zip(was, now, strict=True) if one != other]
    there = {one for one, _ in unlike}
    return 2 * sum(other in there for _, other in unlike) > len(unlike)


def _meanings(was: Columns, now: Columns) -> Steps[tuple[Meaning, Meaning] | None]:
    """What rows of two tables mean, None where that isn't known of both."""
    if was.meaning is None or now.meaning is None:
        return None
    one = yield from was.meaning()
    other = yield from now.meaning()
    if one is None or other is None or one.named.keys() != other.named.keys():
        return None
    return one, other


def _tables(
    tables: tuple[Array, Array], meanings: tuple[Meaning, Meaning], place: str, most: int
) -> Iterator[Unlike | None]:
    """Compare tables of records whose rows name one another: those that are other first, at most so many; and of those
    that only have other numbers, or name rows by other numbers, how many there are.
    """
    was, now = tables
    match = row_keys.matched(meanings[0].rows, meanings[1].rows)
    yield None
    before, after = row_keys.replaced(match, len(now))
    if not meanings[0].are_things:  # where the same numbers name others, it is told of those
        others = row_keys.of_rows(was)[before] != row_keys.of_rows(now)[after]
        match[before[~others]] = after[~others]
        before, after = before[others], after[others]
    same = np.flatnonzero(match >= 0)
    moved = int(((match[same] != same) | (row_keys.of_rows(was)[same] != row_keys.of_rows(now)[match[same]])).sum())
    yield None
    names = was.dtype.names or ()
    unlike = np.array([_fields_differ(tables, meanings, name, before, after) for name in names]).reshape(len(names), -1)
    alike = unlike.sum(axis=0) <= max(len(names) // 2, 2)  # others have nothing in common: one is gone, the other new
    before, after, unlike = before[alike], after[alike], unlike[:, alike]
    gone = np.setdiff1d(np.flatnonzero(match < 0), before)
    new = np.setdiff1d(np.arange(len(now)), np.concatenate([match[same], after]))
    for number, (one, other) in enumerate(zip(before[:most].tolist(), after[:most].tolist(), strict=True)):
        for name in (name for name, differs in zip(names, unlike[:, number].tolist(), strict=True) if differs):
            told = _unlike(f"{place}[{one}].{name}", was[name][one], now[name][other])
            yield told if told.was != told.now else told._replace(now=f"{told.now}: other rows")
    left = max(most - len(before), 0)
    yield from (Unlike(f"{place}[{row}]", _short(was[row]), "") for row in gone[:left].tolist())
    shown = new[: max(left - len(gone), 0)]
    yield from (Unlike(f"{place}[{row}]", "", _short(now[row])) for row in shown.tolist())
    hidden = len(before) + len(gone) + len(new) - most
    if hidden > 0:
        yield _more(place, hidden, "rows")
    if moved:
        counts = {"added": len(new), "gone": len(gone), "changed": len(before), "renumbered": moved}
        said = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
        yield Unlike(place, number_of(len(was), "rows"), f"{number_of(len(now), 'rows')}: {said}", is_numbering=True)


def _fields_differ(
    tables: tuple[Array, Array], meanings: tuple[Meaning, Meaning], name: str, before: Integers, after: Integers
) -> Bools:
    """Whether a field of rows is another one, bool[n]: of what names rows, whether it names others."""
    own, others = (row_keys.of_rows(table[name]) for table in tables)
    differ = own[before] != others[after]
    if name in meanings[0].named:
        named = meanings[0].named[name][before] != meanings[1].named[name][after]
        differ = named if meanings[0].are_things else differ & named
    return np.asarray(differ)


def _arrays(was: Array, now: Array, place: str, most: int) -> Iterator[Unlike]:
    if was.shape[1:] != now.shape[1:]:
        yield Unlike(place, f"{was.shape} elements", f"{now.shape} elements")
        return
    if len(was) == len(now) and not _are_rows_shifted(was, now):
        yield from _rows(was, now, place, most)
        return
    told = hidden = 0
    for first, last, begin, end in _unequal([row.tobytes() for row in was], [row.tobytes() for row in now]):
        both = min(last - first, end - begin)
        yield from _rows(was[first : first + both], now[begin : begin + both], place, most, first)
        gone = [Unlike(f"{place}[{number}]", _short(was[number]), "") for number in range(first + both, last)]
        new = [Unlike(f"{place}[{number}]", "", _short(now[number])) for number in range(begin + both, end)]
        shown = [*gone, *new][: max(most - told, 0)]
        yield from shown
        told += len(shown)
        hidden += len(gone) + len(new) - len(shown)
    if hidden and len(was) != len(now):
        yield Unlike(f"{place} (rows)", str(len(was)), str(len(now)))


def _changed(was: Array, now: Array) -> Integers:
    """The numbers of the rows that differ, of tables of equal length."""
    width = was.dtype.itemsize * int(np.prod(was.shape[1:], dtype=np.int64))
    if not width or not len(was):
        return np.zeros(0, np.intp)
    bytes_of = [np.ascontiguousarray(table).view(np.uint8).reshape(len(table), width) for table in (was, now)]
    return np.flatnonzero((bytes_of[0] != bytes_of[1]).any(axis=1))


def _are_rows_shifted(was: Array, now: Array) -> bool:
    """As `_is_shifted`, of tables of records of equal length."""
    changed = _changed(was, now)
    if was.dtype.names is None or not 2 < len(changed) <= MOST_MATCHED:
        return False
    return _is_shifted([was[row].tobytes() for row in changed], [now[row].tobytes() for row in changed])


def _rows(was: Array, now: Array, place: str, most: int, begin: int = 0) -> Iterator[Unlike]:
    """Compare tables of equal length. most: rows that are told one by one; of records in rows, most of these. begin:
    the number of their first row.
    """
    shape = was.shape if was.dtype.names else was.shape[:1]
    was, now = (table.reshape(-1, *table.shape[len(shape) :]) for table in (was, now))
    changed = _changed(was, now)
    for row in changed[:most].tolist():
        first, *others = map(int, np.unravel_index(row, shape))
        where = "".join([place, *(f"[{number}]" for number in (begin + first, *others))])
        if was.dtype.names:
            for name in was.dtype.names:
                if was[name][row].tobytes() != now[name][row].tobytes():
                    yield _unlike(f"{where}.{name}", was[name][row], now[name][row])
        elif was.ndim > 2 or (was.ndim == 2 and was.shape[1] > VECTOR):
            yield from _rows(was[row], now[row], where, most)
        else:
            yield _unlike(where, was[row], now[row])
    if len(changed) > most:
        yield _more(place, len(changed) - most, "rows")


def _name(record: object) -> str:
    """Which record it is, in brackets, if it says so; of a pair its key."""
    if _is_pair(record):
        return f" ({record[0][:40]})"  # type: ignore[index]
    if isinstance(record, list) and record and all(map(_is_pair, record)):
        record = dict(record)
    if not isinstance(record, dict):
        return ""
    pairs = record.get("pairs")
    named = {**record, **(dict(pairs) if isinstance(pairs, list) and all(_is_pair(one) for one in pairs) else {})}
    found = next((named[key] for key in _NAMES if isinstance(named.get(key), str) and named[key]), "")
    return f" ({found[:40]})" if found else ""


def _is_pair(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str)


def _unlike(place: str, was: object, now: object) -> Unlike:
    """A value that is another one now: with all digits where fewer don't tell them apart."""
    before, after = _short(was), _short(now)
    return Unlike(place, before, after) if before != after else Unlike(place, _short(was, True), _short(now, True))


def _rounded(value: object) -> object:
    """A value with no more digits than single precision has, where it has no more."""
    if isinstance(value, list | tuple):
        return list(map(_rounded, value)) if isinstance(value, list) else tuple(map(_rounded, value))
    if isinstance(value, float) and abs(value) < FARTHEST and np.float32(value) == value:
        return float(str(np.float32(value)))
    return value


def _short(value: object, is_exact: bool = False) -> str:
    """A value for people, on one line."""
    if isinstance(value, np.ndarray | np.generic) and value.ndim == 0 and value.dtype.names is None:
        value = value.item()
    if isinstance(value, FormatError):
        text = f"damaged: {value}"
    elif isinstance(value, np.ndarray) and value.size > 16:
        text = f"{' x '.join(map(str, value.shape))} values"
    elif isinstance(value, bytes):
        text = f"{len(value)} bytes {value[:16].hex()}{'...' if len(value) > 16 else ''}"
    elif isinstance(value, np.void) and value.dtype.names:
        whole = tuple(value[name].tolist() for name in value.dtype.names)
        text = str(whole if is_exact else _rounded(whole))
    elif isinstance(value, np.ndarray | np.void):
        text = str(value.tolist() if is_exact else _rounded(value.tolist()))
    else:
        text = repr(value if is_exact else _rounded(value))
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


def _digest(value: object) -> bytes:
    """A digest of all that a document holds, which has no iterators."""
    found = hashlib.blake2b(digest_size=16)
    if isinstance(value, np.ndarray):
        found.update(f"{value.dtype} {value.shape}".encode())
        found.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, dict):
        for key, part in value.items():
            found.update(repr(key).encode() + _digest(part))
    elif isinstance(value, list | tuple):
        for part in value:
            found.update(_digest(part))
        found.update(b"list")
    elif isinstance(value, FormatError):
        found.update(str(value).encode("utf-8", "surrogatepass"))
    else:
        found.update(repr(value).encode("utf-8", "surrogatepass"))
    return found.digest()
