# SPDX-License-Identifier: GPL-3.0-or-later
"""Genesis3D levels made on the spot for tests and benchmarks: as big as wanted, the same for the same arguments."""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from tests.formats import genesis_bytes
from tests.samples import genesis_art

FACE = np.dtype(
    [
        ("flags", "<i4"), ("bias", "<f4"), ("alpha", "<f4"), ("light", "<f4"), ("reflect", "<f4"), ("name", "S32"),
        ("u", "<f4", (3,)), ("scale_x", "<f4"), ("offset_x", "<f4"), ("v", "<f4", (3,)), ("scale_y", "<f4"),
        ("offset_y", "<f4"), ("normal", "<f4", (3,)), ("dist", "<f4"),
    ]
)  # fmt: skip
"""A face of a `.map` (genesis.md §1), written down again: `formats` is measured and tested with it."""
Planes = tuple[NDArray[np.float64], NDArray[np.float64]]

SPACING, CELLS = 160.0, 180
"""Brushes stand on a grid this wide, units, with this many to a side."""


def prisms(sides: int) -> Planes:
    """Normals and dists of an upright prism about the origin: its sides, top and bottom."""
    angles = 2 * np.pi * np.arange(sides) / sides
    normals = np.column_stack([np.cos(angles), np.zeros(sides), np.sin(angles)])
    return np.concatenate([normals, [(0, 1, 0), (0, -1, 0)]]), np.full(sides + 2, 32.0)


def wedges() -> Planes:
    """Normals and dists of a ramp about the origin."""
    slope = np.sqrt(0.5)
    normals = np.array([(0, 0, 1), (0, 0, -1), (0, -1, 0), (1, 0, 0), (-slope, slope, 0)])
    return normals, np.array([32.0, 32.0, 32.0, 32.0, 0.0])


def brush_map(polygons: int, seed: int = 0) -> bytes:
    """A map of at least that many polygons: boxes, ramps and hexagonal prisms, each turned and with textures turned.

    It has no walls round it: programs that look for leaks would refuse it.
    """
    random = np.random.default_rng(seed)
    kinds = (prisms(4), wedges(), prisms(6))
    each = -(-polygons // sum(len(dists) for _, dists in kinds))
    data, start = [], 0
    for normals, dists in kinds:
        data.append(_brushes(random, normals, dists, start, each))
        start += each
    light = genesis_bytes.light("0 0 0")
    world = struct.pack("<i", start) + b"".join(data) + struct.pack("<Ii", 0, 1)
    world += genesis_bytes.string("TextureLib") + genesis_bytes.string("genesis_room.txl")
    return genesis_bytes.level([world, light, genesis_bytes.typedef("light", genesis_bytes.LIGHT)])


def _brushes(
    random: np.random.Generator, normals: NDArray[np.float64], dists: NDArray[np.float64], start: int, count: int
) -> bytes:
    """The bytes of `count` brushes of one shape, the first of which stands at grid place `start`."""
    brushes = np.zeros(count, [("flags", "<u4"), ("count", "<i4"), ("faces", FACE, (len(dists),))])
    brushes["flags"], brushes["count"] = 1, len(dists)
    angles = random.integers(0, 24, count) * (np.pi / 12)
    cosines, sines = np.cos(angles)[:, None], np.sin(angles)[:, None]
    turned = np.empty((count, len(dists), 3))
    turned[..., 0] = normals[:, 0] * cosines - normals[:, 2] * sines
    turned[..., 1] = normals[:, 1]
    turned[..., 2] = normals[:, 0] * sines + normals[:, 2] * cosines
    number = np.arange(start, start + count)
    cells = np.column_stack([number % CELLS, number // CELLS**2, number // CELLS % CELLS])
    places = (cells - (CELLS // 2, 4, CELLS // 2)) * SPACING
    faces = brushes["faces"]
    faces["normal"], faces["dist"] = turned, dists + np.einsum("bfi,bi->bf", turned, places)
    faces["bias"], faces["reflect"], faces["alpha"], faces["light"] = 1, 1, 255, 300
    faces["name"] = random.choice(np.array(list(genesis_art.TEXTURES), "S32"), faces.shape)
    faces["scale_x"] = faces["scale_y"] = 0.5
    faces["offset_x"] = random.integers(0, 64, faces.shape)
    turn = random.integers(0, 4, faces.shape) * (np.pi / 2)
    axis = np.abs(turned).argmax(axis=2)
    for name, along, across in (("u", np.cos(turn), np.sin(turn)), ("v", -np.sin(turn), np.cos(turn))):
        vectors = np.zeros(turned.shape)
        np.put_along_axis(vectors, np.array([1, 0, 0])[axis][..., None], along[..., None] / 2, axis=2)
        np.put_along_axis(vectors, np.array([2, 2, 1])[axis][..., None], across[..., None] / 2, axis=2)
        faces[name] = vectors
    return brushes.tobytes()
