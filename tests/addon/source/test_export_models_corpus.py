# SPDX-License-Identifier: GPL-3.0-or-later
"""Doors of real maps in another shape: moved in Blender, exported, and what collides compared with what is seen.

Skipped where there is no corpus.
"""

from pathlib import Path

import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.collision import physcollide_surface
from levelwright.formats.source.tree import brushes

from tests.addon.source.exports import Scene

E = LumpId
STRETCH = np.array([1.25, 1.0, 1.5], np.float32)
MAPS = (
    ("AwertaDreams__framework-for-minigolf/test.bsp", 10),
    pytest.param("Corcho4433__padersons-fastdl/wall.bsp", 14, marks=pytest.mark.slow),
    pytest.param("krd0xFF__fast-dl/gm_oasis.bsp", 22, marks=pytest.mark.slow),
    pytest.param("evgeniyfimushkin__cs-source/surf_ski_2.bsp", 66, marks=pytest.mark.slow),
    pytest.param("undyneimortal__l4d2-fastdl/zoo_jukebox.bsp", 2),
    pytest.param("miracleflame__VTMB-Unofficial-Patch-by-Wesp/hw_sinbin_1.bsp", 34, marks=pytest.mark.slow),
)


@pytest.mark.parametrize(("name", "count"), MAPS)
def test_brush_models_of_a_map_in_another_shape(corpus: Path, name: str, count: int) -> None:
    path = corpus / "bsp" / name
    if not path.exists():
        pytest.skip(f"{path} isn't there")
    data = path.read_bytes()
    scene = Scene(data, lightmaps="none", static_props="none", entities=False)
    before = source.read(data)
    shown = {}
    for obj in scene.level.all_objects:
        mark = identity.stamped(obj)
        if mark is not None and mark.kind == layout.MODEL and mark.record > 0 and len(obj.data.polygons):
            shown[mark.record] = obj
    for obj in shown.values():
        positions = meshes.read(obj).positions * STRETCH
        obj.data.attributes["position"].data.foreach_set("vector", positions.ravel())
        obj.data.update()
    with pytest.raises(SceneError, match="other than the map's"):
        scene.export()
    made = scene.export(geometry="rebuild")
    assert scene.report.counts["brush models built anew"] == len(shown) == count
    owners = brushes.of_models(made)
    for number, obj in shown.items():
        solid = physcollide_surface.read(made.physcollide.of_model(number).solids[0])
        own = np.flatnonzero(owners == number)
        assert sorted(hull.brush for hull in solid.hulls) == own.tolist()
        found = brushes.solids(made, own).polygons
        seen = meshes.read(obj).positions
        low, high = found.positions.min(axis=0), found.positions.max(axis=0)
        assert np.allclose(made.table(E.MODELS)["mins"][number], low, atol=1e-3), number
        assert (seen >= low - 1e-2).all() and (seen <= high + 1e-2).all(), number
        was = before.table(E.MODELS)[number]
        if np.linalg.svd(seen - seen.mean(axis=0), full_matrices=False)[1][2] > 1:  # of panes only a side is seen
            assert np.allclose(np.stack([was["mins"], was["maxs"]]) * STRETCH, [low, high], atol=0.3), number
        for hull, first, end in zip(
            sorted(solid.hulls, key=lambda hull: hull.brush),
            found.first_vertex[:-1],
            found.first_vertex[1:],
            strict=True,
        ):
            corners = found.positions[first:end]
            apart = np.sqrt(((hull.points[:, None] - corners[None]) ** 2).sum(axis=2))
            assert apart.min(axis=0).max() < 4, (number, hull.brush)  # half a unit inwards along each side
    untouched = [number for number in range(len(before.table(E.MODELS))) if number not in shown]
    assert (made.table(E.MODELS)[untouched] == before.table(E.MODELS)[untouched]).all()
    again = Scene(source.write(made), lightmaps="none", static_props="none", entities=False)
    assert source.write(again.export()) == source.write(made)
