# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages models of Source and of Bloodlines that were built by hand, in seeded ways, and reads what is left."""

import struct

from tests.formats import content_damage as damage
from tests.formats import source_model_bytes as build
from tests.fuzz.driver import Fuzzer

_COARSE = [[[[([0, 1, 2, 3], [(1, [0, 1, 2])])]]]]
_QUAD = [[[[([0, 1, 2, 3], [(1, [0, 1, 2, 0, 2, 3])])]]]]
_WHOLE = b"".join(struct.pack("<4B4h8f", 255, 0, 0, 1, 0, 0, 0, 0, *vertex) for vertex in build.QUAD)
_SMALL = b"".join(struct.pack("<3H1H2H", *corner, 24, 0, 0) for corner in ((0, 0, 0), (9, 0, 0), (9, 9, 0), (0, 9, 9)))
_TINY = b"".join(struct.pack("<3B1B2H", *corner, 24, 0, 0) for corner in ((0, 0, 0), (9, 0, 0), (9, 9, 0), (0, 9, 9)))
_SQUARE = [0, 1, 2, 0, 2, 3]

_LIT = {
    **build.quad(),
    ".dx90.vtx": build.vtx(_QUAD, coarser=[_COARSE]),
    ".vhv": build.vhv([(0, [(9, 9, 9)] * 4), (1, [(9, 0, 9)] * 4)]),
}

FILES: tuple[damage.Seed, ...] = (
    (damage.source_model, build.quad()),
    (damage.source_model, _LIT),
    (damage.source_model, build.quad(topology=True)),
    (damage.source_model, {**build.quad(), ".dx90.vtx": build.vtx(_QUAD, coarser=[_COARSE], renamed={0: "far"})}),
    (damage.source_model, {".mdl": build.troika(0, _WHOLE, 4), ".dx80.vtx": build.troika_vtx(_SQUARE, 4)}),
    (damage.source_model, {".mdl": build.troika(1, _SMALL, 4), ".vtx": build.troika_vtx(_SQUARE, 4, plain=True)}),
    (damage.source_model, {".mdl": build.troika(2, _TINY, 4), ".dx80.vtx": build.troika_vtx(_SQUARE, 4)}),
)


def mutation(seed: int) -> tuple[object, tuple[tuple[str, bytes], ...]]:
    """The same damaged files for the same seed, everywhere; and what reads them."""
    read, files = damage.damaged(seed, FILES)
    return read, tuple(files.items())


def decode(one: tuple[object, tuple[tuple[str, bytes], ...]]) -> bool:
    """See `content_damage.attempt`."""
    return damage.attempt((damage.source_model, dict(one[1])))


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=decode,
    whole=tuple((read, tuple(files.items())) for read, files in FILES),
    accepted=(1 / 5, 0.95),
    thorough=range(300, 900),
)
