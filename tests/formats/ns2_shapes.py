# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces for tests: random simple polygons with holes, on planes of all directions, as plain arrays."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st


@dataclass
class Faces:
    """Arrays as the library's functions take them; each loop has vertices of its own."""

    positions: np.ndarray
    corners: np.ndarray
    face_loops: np.ndarray
    loop_members: np.ndarray

    @property
    def arrays(self):
        return self.positions, self.corners, self.face_loops, self.loop_members


def faces_of(loops_of_faces) -> Faces:
    """Faces of loops of points."""
    loops = [np.asarray(loop, float).reshape(-1, 3) for loops in loops_of_faces for loop in loops]
    sizes = [len(loop) for loop in loops]
    counts = [len(loops) for loops in loops_of_faces]
    positions = np.concatenate(loops).astype(np.float32)
    return Faces(
        positions,
        np.arange(len(positions)),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.intp),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp),
    )


def planes(axis: int, up: bool):
    """A function from points of a plane to space: the face's area normal is along the axis."""

    def place(flat, tilt=0.0):
        u, v = np.asarray(flat, float).T
        # Right-handed: u cross v is the axis.
        columns = [None, None, None]
        columns[(axis + 1) % 3], columns[(axis + 2) % 3] = (u, v) if up else (v, u)
        columns[axis] = tilt * u + 3.0
        return np.stack(columns, axis=1)

    return place


def star(count: int, rng: np.random.Generator, radius: float, center=(0.0, 0.0)) -> np.ndarray:
    """A simple polygon that turns left: corners at random distances round a point."""
    angles = (np.arange(count) + rng.uniform(0.1, 0.9, count)) * 2 * np.pi / count
    lengths = radius * rng.uniform(0.5, 1.0, count)
    return np.stack([np.cos(angles) * lengths, np.sin(angles) * lengths], axis=1) + center


def holed(rng: np.random.Generator, count: int, holes: int) -> list[np.ndarray]:
    """A star with holes in the cells of a grid in its middle, which run the other way round."""
    loops = [star(count, rng, 40.0)]
    cells = [(x, y) for x in (-4, 0, 4) for y in (-4, 0, 4)]
    for cell in rng.permutation(len(cells))[:holes]:
        loops.append(star(int(rng.integers(3, 9)), rng, 1.8, cells[cell])[::-1])
    return loops


@st.composite
def random_faces(draw, most=4, holes=5):
    """Some faces with and without holes, on different planes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    result, flats = [], []
    for _ in range(draw(st.integers(1, most))):
        # Stars of seven corners and more hold the middle, where holes are.
        count = draw(st.integers(7, 24))
        flat = holed(rng, count, draw(st.integers(0, holes)))
        place = planes(draw(st.integers(0, 2)), draw(st.booleans()))
        tilt = draw(st.sampled_from([0.0, 0.3, -0.5]))
        result.append([place(loop, tilt) for loop in flat])
        flats.append(flat)
    return faces_of(result), flats


def area(flat: np.ndarray) -> float:
    """The signed area of a polygon."""
    u, v = flat.T
    return float((u * np.roll(v, -1) - np.roll(u, -1) * v).sum() / 2)


def inside(points: np.ndarray, loops: list[np.ndarray]) -> np.ndarray:
    """Which points lie inside a face: rays cross its loops an odd number of times."""
    result = np.zeros(len(points), bool)
    for loop in loops:
        following = np.roll(loop, -1, axis=0)
        for (u1, v1), (u2, v2) in zip(loop, following, strict=True):
            crosses = (v1 > points[:, 1]) != (v2 > points[:, 1])
            with np.errstate(divide="ignore", invalid="ignore"):
                at = u1 + (points[:, 1] - v1) / (v2 - v1) * (u2 - u1)
            result ^= crosses & (points[:, 0] < at)
    return result
