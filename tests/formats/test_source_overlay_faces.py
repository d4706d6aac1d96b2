# SPDX-License-Identifier: GPL-3.0-or-later
"""Which faces overlays are painted on once they were moved, on the room of source_room and on real maps."""

from pathlib import Path

import numpy as np
import pytest

from formats import source
from formats.binary import FormatError
from formats.source import LumpId, edits
from formats.source.placed import overlay_quads
from formats.source.tables.fields import overlay_counts
from tests.formats import source_room
from tests.formats.source_room import FLOOR_LEFT, FLOOR_RIGHT, NORTH_LEFT, NORTH_RIGHT, WEST

HEIGHT = 40.0


def room(listed: list[int] | None = None, **fields: object) -> source.Level:
    """The room, whose overlay has other fields; its list as well."""
    level = source_room.room()
    table = level.table(LumpId.OVERLAYS).copy()
    for name, value in fields.items():
        table[name][0] = value
    if listed is not None:
        table["faces"][0] = 0
        table["faces"][0, : len(listed)] = listed
        table["face_count_and_render_order"] = len(listed) | 2 << 14
    level.set_table(LumpId.OVERLAYS, table)
    return level


def on_the_hill(vec: tuple[float, float, float] = (0, 0, 1), **fields: object) -> source.Level:
    """The room whose floor is lifted, with the overlay on it."""
    square = [(-16, -16, 1), (-16, 16, 0), (16, 16, 0), (16, -16, 0)]
    given = {"origin": (-100, 0, HEIGHT), "basis_normal": (0, 0, 1), "uv_points": square, **fields}
    level = room([FLOOR_LEFT], **given)
    verts = level.table(LumpId.DISP_VERTS).copy()
    verts["vec"], verts["dist"] = vec, HEIGHT
    level.set_table(LumpId.DISP_VERTS, verts)
    return level


def faces(level: source.Level, number: int = 0) -> list[int]:
    table = level.table(LumpId.OVERLAYS)
    return table["faces"][number][: overlay_counts(table)[0][number]].tolist()


def place(level: source.Level) -> dict[str, object]:
    """The fields of the overlay that say how it lies."""
    row = level.table(LumpId.OVERLAYS)[0]
    return {name: row[name].tolist() for name in ("basis_normal", "uv_points", "u", "v")}


def moved(level: source.Level, x: float, y: float, z: float) -> source.Level:
    edits.overlays.change(level, {0: {"origin": (x, y, z)}})
    return level


def test_an_overlay_slides_over_displacements() -> None:
    assert faces(moved(on_the_hill(), -99, 0, HEIGHT)) == [FLOOR_LEFT]
    assert faces(moved(on_the_hill(), 0, 0, HEIGHT)) == [FLOOR_LEFT, FLOOR_RIGHT]
    assert faces(moved(on_the_hill(), 100, 0, HEIGHT)) == [FLOOR_RIGHT]


def test_a_displacement_is_found_where_it_is_and_not_where_its_face_was() -> None:
    with pytest.raises(FormatError, match="no face of the world"):
        moved(on_the_hill(), -100, 0, HEIGHT + 24)  # the overlay is 32 units wide: it reaches 16 * sqrt(2)
    assert faces(moved(on_the_hill(), -100, 0, HEIGHT + 22)) == [FLOOR_LEFT]
    with pytest.raises(FormatError, match="no face of the world"):
        moved(on_the_hill((0, 0, 0), origin=(-100, 0, 0)), -100, 0, 24)


def test_a_new_overlay_is_painted_on_a_displacement() -> None:
    level = on_the_hill()
    (number,) = edits.overlays.add(level, [place(level) | {"origin": (50, 0, HEIGHT), "texdata": 0}])
    assert faces(level, number) == [FLOOR_RIGHT]


@pytest.mark.parametrize("away", [4, 30, -3])
def test_an_overlay_hovers_as_far_from_its_faces_as_it_did(away: float) -> None:
    at = 128 - away
    level = room([NORTH_LEFT], origin=(-100, at, 64))
    assert faces(moved(level, -99, at, 64)) == [NORTH_LEFT]
    assert faces(moved(level, -5, at, 64)) == [NORTH_LEFT, NORTH_RIGHT]
    level = room([NORTH_LEFT], origin=(-100, at, 64))
    assert faces(moved(level, 100, 128, 64)) == [NORTH_RIGHT], "put flat onto a wall"


def test_a_list_that_need_not_change_stays_as_it_is() -> None:
    level = room([WEST, NORTH_LEFT], origin=(-100, 128, 64))
    edits.overlays.change(level, {0: {"origin": (-99, 128, 64)}})
    assert faces(level) == [WEST, NORTH_LEFT], "it does not reach the west wall, but that is in its list"
    edits.overlays.add(level, [place(level) | {"origin": (-98, 128, 64), "texdata": 0, "render_order": 1}], [0])
    assert faces(level, 1) == [WEST, NORTH_LEFT]
    assert overlay_counts(level.table(LumpId.OVERLAYS))[1].tolist() == [2, 1]
    assert faces(moved(level, 100, 128, 64)) == [NORTH_RIGHT]


def test_faces_that_were_not_chosen_stay_bare() -> None:
    level = room([NORTH_LEFT], origin=(0, 128, 64))
    assert faces(moved(level, 2, 128, 64)) == [NORTH_LEFT]
    assert faces(moved(level, 100, 128, 64)) == [NORTH_RIGHT], "there is no other one"


def test_an_overlay_goes_round_a_corner_with_a_list_that_says_so() -> None:
    slanted = np.array([-1, -1, 0]) / np.sqrt(2)  # both the north and the east wall look its way
    east = 5
    square = [(-40, -16, slanted[1]), (-40, 16, -slanted[0]), (40, 16, 0), (40, -16, 0)]
    level = room([NORTH_RIGHT, east], origin=(240, 112, 64), basis_normal=slanted, uv_points=square)
    assert faces(moved(level, 240, 112, 65)) == [NORTH_RIGHT, east]
    level = room([NORTH_RIGHT], origin=(240, 112, 64), basis_normal=slanted, uv_points=square)
    assert faces(moved(level, 240, 112, 65)) == [NORTH_RIGHT]


def test_an_overlay_reaches_as_deep_down_as_the_faces_of_its_list() -> None:
    """One half of the floor is 80 units higher: an overlay across the edge is painted on both."""

    def ledge() -> source.Level:
        level = on_the_hill(origin=(-5, 0, 80))
        table, verts = level.table(LumpId.OVERLAYS).copy(), level.table(LumpId.DISP_VERTS).copy()
        table["faces"][0, 1], table["face_count_and_render_order"] = FLOOR_RIGHT, 2
        verts["dist"][:25], verts["dist"][25:] = 80, 0
        level.set_table(LumpId.OVERLAYS, table)
        level.set_table(LumpId.DISP_VERTS, verts)
        return level

    assert faces(moved(ledge(), -4, 9, 80)) == [FLOOR_LEFT, FLOOR_RIGHT]
    assert faces(moved(ledge(), 100, 0, 80)) == [FLOOR_RIGHT]
    with pytest.raises(FormatError, match="no face of the world"):
        moved(ledge(), 100, 0, 82)  # 1 unit is what faces may be off


def test_an_overlay_on_nothing_stays_on_nothing() -> None:
    level = room([], origin=(-100, 0, 64))
    assert faces(moved(level, -99, 0, 64)) == []


def test_every_overlay_of_real_maps_slides_scales_and_is_copied(corpus: Path) -> None:
    """One unit in its own plane, with the same list; 10 % larger; and in its place, with the same list."""
    count = 0
    for path in sorted(corpus.glob("bsp/*/*.bsp")):
        data = path.read_bytes()
        table = source.read(data).table(LumpId.OVERLAYS)
        names = [name for name in table.dtype.names if name not in ("faces", "id", "face_count_and_render_order")]
        along, corners = overlay_quads.bases(table)[0], overlay_quads.corners(table)
        for number in range(len(table)):
            row, known = table[number], np.sort(faces(source.read(data), number)).tolist()
            origin = row["origin"].astype(np.float64)
            slid, scaled, more = (source.read(data) for _ in range(3))
            edits.overlays.change(slid, {number: {"origin": (origin + along[number]).tolist()}})
            larger = edits.overlays.placed(origin + (corners[number] - origin) * 1.1, table[number : number + 1])
            edits.overlays.change(scaled, {number: larger})
            (added,) = edits.overlays.add(more, [{name: row[name].tolist() for name in names}], [number])
            assert sorted(faces(slid, number)) == known, (path.name, number)
            assert sorted(faces(more, added)) == known, (path.name, number)
            assert bool(faces(scaled, number)) == bool(known), (path.name, number)
            count += 1
    assert count >= 46
