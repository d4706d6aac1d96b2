# SPDX-License-Identifier: GPL-3.0-or-later
"""The collision of real worlds: what vphysics made of their brushes, read and built again hull by hull.

Skipped where there is no corpus (../shared/corpus beside the repository, or $LEVELWRIGHT_SHARED/corpus).
"""

import numpy as np
import pytest

from formats.binary import FormatError
from formats.source import read
from formats.source.collision import physcollide_build, physcollide_surface
from formats.source.collision.physcollide_surface import Hull


@pytest.fixture(scope="module")
def solids(corpus) -> dict[str, tuple[bytes, list[Hull]]]:
    """The world's solids of hulls, by map and number: not those of displacements, which have no volume."""
    found = {}
    for path in sorted(corpus.glob("bsp/*/*.bsp")):
        level = read(path.read_bytes())
        world = level.physcollide.of_model(0) if path.parent.name != "derived" and level.byte_order == "<" else None
        for number, data in enumerate(() if world is None else world.solids):
            try:
                hulls = physcollide_surface.read(data).hulls
            except FormatError:  # a MOPP
                continue
            if physcollide_build.volume(hulls) > 0:
                found[f"{path.parent.name}/{path.name} {number}"] = bytes(data), hulls
    if not found:
        pytest.skip(f"no Source maps in {corpus}")
    return found


def known(hulls: list[Hull]) -> dict[tuple[int, bytes], Hull]:
    """Hulls by brush and place; -0.0 is 0."""
    return {(hull.brush, (hull.points[hull.triangles] + 0.0).tobytes()): hull for hull in hulls}


@pytest.mark.slow
def test_a_world_that_is_built_again_is_the_same_hull_by_hull(solids):
    """Bit for bit, each triangle with its material and what lies across; only the tree over them is another."""
    triangles, materials, seen = 0, set(), 0
    for name, (data, hulls) in solids.items():
        made = physcollide_build.build(hulls, data[:4] == b"VPHY", with_outer=False)
        before, after = known(hulls), known(physcollide_surface.read(made).hulls)
        assert before.keys() == after.keys() and len(before) == len(hulls), name
        for key, hull in before.items():
            assert np.array_equal(hull.materials, after[key].materials), name
            assert np.array_equal(hull.across, after[key].across), name
            materials.update(hull.materials.tolist())
            triangles += len(hull.triangles)
        seen += len(hulls)
    assert (seen, triangles) == (7689, 98588) and materials == set(range(22))
