# SPDX-License-Identifier: GPL-3.0-or-later
"""Envelope points to F-curve keys and back: arrays only, no bpy.

Each channel of an envelope is an F-curve; a point is one key in all of them. What runs between two keys is the game's
own formula wherever Blender has it: step = CONSTANT, linear = LINEAR, slow a^3 = CUBIC ease in, fast 1-(1-a)^3 = CUBIC
ease out; smooth 3a^2-2a^3 = BEZIER with flat handles at the thirds; Bézier tangents (ms, value) = BEZIER handles,
kept between the ends in time as both programs do (teeworlds.md §3).

Reading back compares with the keys as they were built: points whose keys are the same bits keep their record, garbage
included; the others are computed from the keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..arrays import Bools, Floats, Indices, Int32s, Ints, Records, Singles
from .records import BEZIER, POINT, Curve

KEY = np.dtype(
    [
        ("frame", "<f4"),
        ("value", "<f4"),
        ("interpolation", "<i4"),
        ("easing", "<i4"),
        ("left", "<f4", (2,)),
        ("right", "<f4", (2,)),
    ]
)
"""A key of an F-curve, as Blender holds it."""

# Blender's numbers of `Keyframe.interpolation` and `.easing`.
CONSTANT, LINEAR_KEY, BEZIER_KEY, CUBIC = 0, 1, 2, 6
AUTO, EASE_IN, EASE_OUT = 0, 1, 2

_SHAPES = {
    Curve.STEP: (CONSTANT, AUTO),
    Curve.SLOW: (CUBIC, EASE_IN),
    Curve.FAST: (CUBIC, EASE_OUT),
    Curve.SMOOTH: (BEZIER_KEY, AUTO),
    Curve.BEZIER: (BEZIER_KEY, AUTO),
}
_CURVES = {
    (CONSTANT, AUTO): Curve.STEP,
    (LINEAR_KEY, AUTO): Curve.LINEAR,
    (CUBIC, AUTO): Curve.SLOW,  # Blender's automatic easing of cubic keys is ease in
    (CUBIC, EASE_IN): Curve.SLOW,
    (CUBIC, EASE_OUT): Curve.FAST,
}
_LIFTS = {
    Curve.STEP: (0.0, 0.0),
    Curve.LINEAR: (1 / 3, 2 / 3),
    Curve.SLOW: (0.0, 0.0),
    Curve.FAST: (1.0, 1.0),
    Curve.SMOOTH: (0.0, 1.0),
}
"""Heights of the inner corners of each curve as a cubic Bézier, as parts of its rise."""

APART = 1 / 64
"""Frames between keys of points that share a time: Blender merges keys nearer than 1/100."""
NEAR = 1e-3
"""How much (frames, or file units of a value) may differ where float32 keys are compared."""

Keys = Records
Points = Records


class CurveError(Exception):
    """A key that the game has no curve for."""


def frames(milliseconds: npt.ArrayLike, fps: float) -> Floats:
    """Times in ms as (fractional) frames, float64 of their shape; frame 0 is time 0."""
    return np.asarray(milliseconds, np.float64) * fps / 1000


def milliseconds(frame: npt.ArrayLike, fps: float) -> Ints:
    """Frames as whole ms, int64 of their shape, clipped to int32."""
    ms = np.rint(np.asarray(frame, np.float64) * 1000 / fps)
    return np.asarray(np.clip(ms, -(2**31), 2**31 - 1), np.int64)


def build_keys(points: Points, tangents: Points | None, factors: Sequence[float], fps: float) -> Keys:
    """The keys of an envelope, KEY [channels, rows].

    `points`: POINT [n]; `tangents`: BEZIER [n] or None; `factors`: Blender units a file unit, one a channel.
    There is a row a point, and one in front where the first point comes after time 0: until then the game holds the
    last value. Points whose times run backwards lie at the latest time so far (as in `formats.teeworlds.envelopes`).
    """
    held = leading_row(points)
    clock = _clock(points, fps)
    value = points["value"][:, : len(factors)].T.astype(np.float64)
    keys = np.zeros((len(factors), len(points) + held), KEY)
    rows = keys[:, held:]
    rows["frame"] = clock
    rows["value"] = value * np.array(factors)[:, None]
    curves = np.where((points["curve"] == Curve.BEZIER) & (tangents is None), Curve.LINEAR, points["curve"])
    rows["interpolation"] = LINEAR_KEY
    for curve, (interpolation, easing) in _SHAPES.items():
        rows["interpolation"][:, curves == curve] = interpolation
        rows["easing"][:, curves == curve] = easing
    if held:
        keys[:, 0] = rows[:, -1]
        keys["frame"][:, 0] = 0
        keys["interpolation"][:, 0] = CONSTANT
        keys["easing"][:, 0] = AUTO
    _place_handles(keys)
    if tangents is not None and len(points) > 1:
        scale = np.array([(fps / 1000, factor) for factor in factors])[:, None]
        span = np.diff(clock)[None]
        bezier = curves[:-1] == Curve.BEZIER
        for field, rel, end, low, high in (
            ("right", _handles(tangents, "out", len(factors))[:, :-1], rows[:, :-1], 0, span),
            ("left", _handles(tangents, "in", len(factors))[:, 1:], rows[:, 1:], -span, 0),
        ):
            offset = rel * scale
            offset[..., 0] = np.clip(offset[..., 0], low, high)
            corner = np.stack([end["frame"].astype(np.float64), end["value"].astype(np.float64)], -1)
            end[field][:, bezier] = (corner + offset)[:, bezier]
    return keys


def leading_row(points: Points) -> int:
    """1 where the keys start with one that belongs to no point (see `build_keys`), else 0."""
    return int(len(points) > 1 and points["time"][0] > 0)


def same_keys(keys: Keys, built: Keys) -> bool:
    """Say whether the keys [n] of an F-curve are bit for bit those that were built, where that can be seen."""
    return (
        len(keys) == len(built)
        and all(np.array_equal(keys[name], built[name]) for name in ("frame", "value", "interpolation"))
        and np.array_equal(
            keys["easing"][built["interpolation"] == CUBIC], built["easing"][built["interpolation"] == CUBIC]
        )
        and np.array_equal(keys["right"][:-1][_curved(built)], built["right"][:-1][_curved(built)])
        and np.array_equal(keys["left"][1:][_curved(built)], built["left"][1:][_curved(built)])
    )


def read_points(
    curves: Sequence[Keys],
    built: Keys | None,
    points: Points,
    tangents: Points | None,
    factors: Sequence[float],
    fps: float,
) -> tuple[Points, Points | None]:
    """The points and tangents that F-curves stand for.

    `curves`: KEY [n] a channel, in Blender units; `built`: the keys KEY [channels, rows] that the import made of
    `points` and `tangents`, or None for a new envelope (`points` is then empty). A point is kept as it is, garbage
    included, where its keys are; so is the way to the next one. Channels with keys at different times get points at
    all of them: the segments between are divided, which Béziers allow exactly. Channels that run differently between
    the same points become Béziers. Raises CurveError for interpolations that the game doesn't have.
    """
    if built is not None and all(same_keys(keys, was) for keys, was in zip(curves, built, strict=True)):
        return points, tangents
    held = leading_row(points)
    origin = _Origin(points, tangents, held, bool(held) and built is not None and _still_held(curves, built))
    channels = [
        _knots(keys, None if built is None else built[number], origin, number, factors[number], fps)
        for number, keys in enumerate(curves)
    ]
    return _merge(_aligned(channels), origin)


# ------------------------------------------------------------------------------------------------------------- building


def _clock(points: Points, fps: float) -> Floats:
    """Frames of points: never running back, and equal times just so far apart that Blender keeps all of them."""
    clock = np.maximum.accumulate(points["time"].astype(np.int64)) if len(points) else np.zeros(0, np.int64)
    result = frames(clock, fps)
    distinct, first, count = np.unique(clock, return_index=True, return_counts=True)
    for time, start, many in zip(distinct.tolist(), first.tolist(), count.tolist(), strict=True):
        if many > 1:
            room = (time - clock[start - 1]) * fps / 1000 if start else np.inf
            result[start : start + many] -= np.arange(many - 1, -1, -1) * min(APART, room / many)
    return result


def _place_handles(keys: Keys) -> None:
    """Put all handles flat at the thirds of their segments: the game's "smooth", and a start for whoever edits them."""
    frame = keys["frame"].astype(np.float64)
    third = np.diff(frame, axis=1) / 3
    edge = np.ones((len(keys), 1))
    for field, reach in (("left", -np.concatenate([edge, third], 1)), ("right", np.concatenate([third, edge], 1))):
        if keys.shape[1]:
            keys[field][..., 0] = frame + reach
            keys[field][..., 1] = keys["value"]


def _handles(tangents: Points, side: str, channels: int) -> Floats:
    """One side's tangents as float64 [channels, n, 2]: ms and file units."""
    return np.asarray(np.stack([tangents[f"{side}_{axis}"][:, :channels].T for axis in "xy"], -1), np.float64)


def _curved(keys: Keys) -> Bools:
    return np.asarray(keys["interpolation"][:-1] == BEZIER_KEY)


# -------------------------------------------------------------------------------------------------------------- reading


@dataclass(frozen=True)
class _Origin:
    points: Points
    tangents: Points | None
    held: int  # rows of keys in front of the points'
    holds: bool  # whether those still show what the game does before the first point


@dataclass(frozen=True)
class _Knot:
    """A key in file terms. The handles belong to the segment to the next knot: the start's, and the end's."""

    time: int  # ms
    value: float
    curve: Curve
    out: tuple[float, float] = (0, 0)  # ms, value; from this knot
    into: tuple[float, float] = (0, 0)  # from the next knot
    point: int = -1  # the record's point that this key was built from
    kept: bool = False  # the segment is as it was built


def _knots(keys: Keys, built: Keys | None, origin: _Origin, channel: int, factor: float, fps: float) -> list[_Knot]:
    """One channel's keys as knots in order of time; values and times of untouched keys are the record's own."""
    rows = np.full(len(keys), -1) if built is None else _match(keys["frame"], built["frame"])
    clock = (
        np.maximum.accumulate(origin.points["time"].astype(np.int64)) if len(origin.points) else np.zeros(0, np.int64)
    )
    knots: list[_Knot] = []
    times = milliseconds(keys["frame"], fps)
    values = np.rint(keys["value"].astype(np.float64) / factor)
    for number, (key, row) in enumerate(zip(keys, rows.tolist(), strict=True)):
        time, value, point = int(times[number]), float(values[number]), -1
        if built is not None and row >= 0:
            point = row - origin.held
            same_time, same_value = key["frame"] == built["frame"][row], key["value"] == built["value"][row]
            if point < 0 and origin.holds:
                continue
            if point >= 0:
                time = int(clock[point]) if same_time else time
                value = float(origin.points["value"][point, channel]) if same_value else value
        if knots:
            time = max(time, knots[-1].time)
        knot = _Knot(time, value, Curve.LINEAR, point=point)
        if number + 1 < len(keys):
            following = keys[number + 1]
            kept = (
                built is not None and point >= 0 and rows[number + 1] == row + 1 and _same_way(keys, built, number, row)
            )
            knot = replace(_segment(knot, key, following, factor, fps), kept=kept)
        elif built is not None and 0 <= point == len(origin.points) - 1:
            knot = replace(knot, kept=bool(key["interpolation"] == built["interpolation"][row]))
        knots.append(knot)
    if len(knots) > 1 and knots[0].time > 0 and not origin.holds:
        # Before the first key Blender shows its value, the game the last one's.
        knots.insert(0, _Knot(0, knots[0].value, Curve.LINEAR))
    return knots


def _still_held(curves: Sequence[Keys], built: Keys) -> bool:
    """Say whether the keys in front of the points are as built, have the last keys' values, and end together."""
    return all(
        len(keys) > 1
        and keys[["frame", "value", "interpolation"]][0] == was[["frame", "value", "interpolation"]][0]
        and keys["value"][-1] == was["value"][0]
        and keys["frame"][1] == curves[0]["frame"][1]
        for keys, was in zip(curves, built, strict=True)
    )


def _match(frame: Singles, built: Singles) -> Indices:
    """The built row of each key, -1 where there is none: those at the same frame, then moved ones by their order.

    Between two keys that stayed, moved ones are told by counting: as many as there were.
    """
    rows = np.full(len(frame), -1)
    _, here, there = np.intersect1d(frame, built, return_indices=True)
    rows[here] = there
    ends = [(-1, -1), *sorted(zip(here.tolist(), there.tolist(), strict=True)), (len(frame), len(built))]
    for (key, row), (next_key, next_row) in pairwise(ends):
        if next_key - key == next_row - row:
            rows[key + 1 : next_key] = np.arange(row + 1, next_row)
    return rows


def _same_way(keys: Keys, built: Keys, number: int, row: int) -> bool:
    """Say whether the segment after a key is built as it was, wherever its ends were moved to."""
    now, was = keys[number : number + 2], built[row : row + 2]
    if now["interpolation"][0] != was["interpolation"][0]:
        return False
    if was["interpolation"][0] == CUBIC:
        return bool(now["easing"][0] == was["easing"][0])
    if was["interpolation"][0] != BEZIER_KEY:
        return True

    def shape(pair: Keys) -> Floats:
        start, end = (np.array((key["frame"], key["value"]), np.float64) for key in pair)
        return np.concatenate([pair["right"][0] - start, pair["left"][1] - end, end[:1] - start[:1]])

    return bool(np.allclose(shape(now), shape(was), rtol=1e-6, atol=1e-6))


def _segment(knot: _Knot, key: np.void, following: np.void, factor: float, fps: float) -> _Knot:
    """The knot with what runs from this key to the following one."""
    shape = int(key["interpolation"]), int(key["easing"])
    if shape[0] == BEZIER_KEY:
        span = float(following["frame"]) - float(key["frame"])
        out, into = (
            (float(end[field][0]) - float(end["frame"]), (float(end[field][1]) - float(end["value"])) / factor)
            for end, field in ((key, "right"), (following, "left"))
        )
        out, into = (min(max(out[0], 0.0), span), out[1]), (min(max(into[0], -span), 0.0), into[1])
        third = span / 3
        smooth = abs(out[0] - third) < NEAR and abs(into[0] + third) < NEAR and max(abs(out[1]), abs(into[1])) < 0.5
        return replace(
            knot,
            curve=Curve.SMOOTH if smooth else Curve.BEZIER,
            out=(out[0] * 1000 / fps, out[1]),
            into=(into[0] * 1000 / fps, into[1]),
        )
    curve = _CURVES.get(shape if shape[0] == CUBIC else (shape[0], AUTO))
    if curve is None:
        raise CurveError(
            f"the key at frame {float(key['frame']):g} has an interpolation that the game doesn't know: it has "
            "Constant, Linear, Bezier, and Cubic with ease in or ease out"
        )
    return replace(knot, curve=curve)


def _aligned(channels: list[list[_Knot]]) -> list[list[_Knot]]:
    """The channels with knots at the same times: where one lacks a knot, its segment is divided there.

    A time that a channel has twice (a jump) is there twice in all of them.
    """
    times = [[knot.time for knot in knots] for knots in channels]
    if all(time == times[0] for time in times):
        return channels
    wanted = sorted({time for channel in times for time in channel})
    often = {time: max(channel.count(time) for channel in times) for time in wanted}
    return [_with_knots_at(knots, wanted, often) for knots in channels]


def _with_knots_at(knots: list[_Knot], wanted: list[int], often: dict[int, int]) -> list[_Knot]:
    result: list[_Knot] = []
    rest = list(knots)
    for time in wanted:
        have = 0
        while rest and rest[0].time == time:
            result.append(rest.pop(0))
            have += 1
        if not have:
            if not result:  # before the first key the curve holds its value
                result.append(_Knot(time, rest[0].value, Curve.LINEAR))
            elif not rest:
                result.append(_Knot(time, result[-1].value, Curve.LINEAR))
            else:
                result[-1:] = _divided(result[-1], rest[0], time)
            have = 1
        for _ in range(often[time] - have):
            last = result[-1]
            result[-1:] = [replace(last, curve=Curve.LINEAR, kept=False), replace(last, point=-1, kept=False)]
    return result


def _divided(start: _Knot, end: _Knot, time: int) -> tuple[_Knot, _Knot]:
    """A segment as two, divided at a time between its ends (de Casteljau)."""
    if start.curve is Curve.STEP:
        return replace(start, kept=False), _Knot(time, start.value, Curve.STEP)
    corners = _corners(start, end)
    low, high = 0.0, 1.0
    for _ in range(52):  # the bits of a float64
        place = (low + high) / 2
        low, high = (place, high) if _split(corners, place)[3][0] <= time else (low, place)
    cut = _split(corners, low)
    middle = _Knot(time, round(float(cut[3][1])), start.curve if start.curve is Curve.LINEAR else Curve.BEZIER)

    def relative(handle: Floats, end: Floats) -> tuple[float, float]:
        return float(handle[0] - end[0]), float(handle[1] - end[1])

    return (
        replace(start, curve=middle.curve, kept=False, out=relative(cut[1], cut[0]), into=relative(cut[2], cut[3])),
        replace(middle, out=relative(cut[4], cut[3]), into=relative(cut[5], cut[6])),
    )


def _split(corners: Floats, place: float) -> list[Floats]:
    """The seven corners of a cubic Bézier [4, 2] cut in two at `place`; the fourth is the point on the curve."""
    a, b, c, d = corners
    ab, bc, cd = a + (b - a) * place, b + (c - b) * place, c + (d - c) * place
    abc, bcd = ab + (bc - ab) * place, bc + (cd - bc) * place
    return [a, ab, abc, abc + (bcd - abc) * place, bcd, cd, d]


def _corners(start: _Knot, end: _Knot) -> Floats:
    """A segment as a cubic Bézier [4, 2] in (ms, value): every curve of the game is one (a step: until its end)."""
    span = end.time - start.time
    reached = start.value if start.curve is Curve.STEP else end.value
    first, last = np.array((start.time, start.value), np.float64), np.array((end.time, reached), np.float64)
    if start.curve is Curve.BEZIER:
        return np.array([first, first + start.out, last + start.into, last])
    rise = reached - start.value
    lift = _LIFTS[start.curve]
    out, into = np.array(((span / 3, rise * lift[0]), (-span / 3, rise * (lift[1] - 1))))
    return np.array([first, first + out, last + into, last])


def _merge(channels: list[list[_Knot]], origin: _Origin) -> tuple[Points, Points | None]:
    """One point a row of knots, which lie at the same times in all channels."""
    rows = list(zip(*channels, strict=True))
    records = [_record(row, origin) for row in rows]
    result: list[tuple[Points, Points]] = []
    for row, following, (point, tangent), (_, arriving) in zip(rows, rows[1:], records, records[1:], strict=False):
        result.append((point, tangent))
        if all(knot.kept for knot in row):
            _keep_tangents(row[0].point, tangent, arriving, origin)
            continue
        segments = list(zip(row, following, strict=True))
        jumps = any(knot.curve is Curve.STEP and knot.value != end.value for knot, end in segments)
        moving = {knot.curve for knot, end in segments if not _flat(knot, end)}
        if jumps and moving:
            # Some channels step while others move: the step happens between two points at the same time.
            arrival, arriving = np.zeros(1, POINT), np.zeros(1, BEZIER)
            arrival["time"], arrival["curve"] = following[0].time, Curve.LINEAR
            stops = [knot.value if knot.curve is Curve.STEP else end.value for knot, end in segments]
            arrival["value"][0, : len(stops)] = _int32(stops)
            result.append((arrival, arriving))
        if moving:
            curve = next(iter(moving)) if len(moving) == 1 else Curve.BEZIER
        else:
            curve = Curve.STEP if jumps else Curve.LINEAR if row[0].curve is Curve.BEZIER else row[0].curve
        point["curve"] = curve
        if curve is Curve.BEZIER:
            for channel, (knot, end) in enumerate(segments):
                first, out, into, last = _corners(knot, end)
                for field, offset in (("out", out - first), ("in", into - last)):
                    store = tangent if field == "out" else arriving
                    store[f"{field}_x"][0, channel], store[f"{field}_y"][0, channel] = _int32(offset)
    result += records[-1:]
    points = np.concatenate([np.zeros(0, POINT), *(point for point, _ in result)])
    tangents = np.concatenate([np.zeros(0, BEZIER), *(tangent for _, tangent in result)])
    needed = origin.tangents is not None or bool((points["curve"] == Curve.BEZIER).any())
    return points, tangents if needed else None


def _record(row: tuple[_Knot, ...], origin: _Origin) -> tuple[Points, Points]:
    """The point of a row of knots: the record that all of them come from, or a new one, with their times and values."""
    number = row[0].point
    known = number >= 0 and all(knot.point == number for knot in row)
    point = origin.points[number : number + 1].copy() if known else np.zeros(1, POINT)
    if not known:
        point["curve"] = Curve.LINEAR
    if not known or row[0].time != np.maximum.accumulate(origin.points["time"])[number]:
        point["time"] = _int32(row[0].time)
    point["value"][0, : len(row)] = _int32([knot.value for knot in row])
    return point, np.zeros(1, BEZIER)


def _keep_tangents(number: int, tangent: Points, arriving: Points, origin: _Origin) -> None:
    if origin.tangents is None:
        return
    for axis in "xy":
        tangent[f"out_{axis}"] = origin.tangents[f"out_{axis}"][number]
        arriving[f"in_{axis}"] = origin.tangents[f"in_{axis}"][number + 1]


def _flat(knot: _Knot, end: _Knot) -> bool:
    """Say whether a segment holds its first value until it ends."""
    if knot.curve is Curve.BEZIER:
        return knot.value == end.value and max(abs(knot.out[1]), abs(knot.into[1])) < 0.5
    return knot.curve is Curve.STEP or knot.value == end.value


def _int32(values: npt.ArrayLike) -> Int32s:
    return np.clip(np.rint(np.asarray(values, np.float64)), -(2**31), 2**31 - 1).astype(np.int32)
