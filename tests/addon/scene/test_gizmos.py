# SPDX-License-Identifier: GPL-3.0-or-later
"""How large the marks of lights and speakers are drawn."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.view import gizmos


def test_what_stands_close_is_drawn_small_and_what_stands_alone_large() -> None:
    row = np.arange(5)[:, None] * np.array([[2.0, 0.0, 0.0]])
    assert gizmos.size_among(row) == pytest.approx(0.6)
    assert gizmos.size_among(row / 100) == gizmos.SMALLEST
    assert gizmos.size_among(row * 100) == gizmos.LARGEST
    assert gizmos.size_among(np.zeros((0, 3))) == gizmos.LARGEST
    assert gizmos.size_among([(np.nan, 0, 0), (0, 0, 0), (1, 0, 0), (np.inf, 0, 0)]) == pytest.approx(0.3)


@pytest.mark.parametrize(("kind", "natural"), [("SPOT", 10.0), ("SPEAKER", 1.0), ("POINT", None)])
def test_they_are_as_large_in_any_unit(kind: str, natural: float | None) -> None:
    data = bpy.data.speakers.new("s") if kind == "SPEAKER" else bpy.data.lights.new("l", kind)
    obj = bpy.data.objects.new("o", data)
    assert gizmos.draw(obj, 0.5, 0.0254) == (natural is not None)
    assert tuple(obj.scale) == (1.0, 1.0, 1.0)
    if natural is not None:
        assert natural * obj.delta_scale[0] * 0.0254 == pytest.approx(0.5, rel=1e-5)
