# SPDX-License-Identifier: GPL-3.0-or-later
"""Where windows are drawn by software, levels are shown solid: materials would take most of a minute."""

from types import SimpleNamespace

import pytest
from levelwright.addon.scene.view import drawing


@pytest.mark.parametrize(
    ("device", "renderer", "shading"),
    [
        ("SOFTWARE", "llvmpipe (LLVM 22.1.8, 256 bits)", "SOLID"),
        ("UNKNOWN", "Google SwiftShader", "SOLID"),
        ("UNKNOWN", "Microsoft Basic Render Driver", "SOLID"),
        ("NVIDIA", "NVIDIA GeForce RTX 3060/PCIe/SSE2", "MATERIAL"),
        ("INTEL", "Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "MATERIAL"),
        ("APPLE", "Apple M1", "MATERIAL"),
    ],
)
def test_levels_are_shown_with_materials_where_a_graphics_processor_draws(
    device: str, renderer: str, shading: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform = SimpleNamespace(device_type_get=lambda: device, renderer_get=lambda: renderer)
    monkeypatch.setattr(drawing, "gpu", SimpleNamespace(platform=platform))
    monkeypatch.setattr(drawing, "bpy", SimpleNamespace(app=SimpleNamespace(background=False)))
    assert drawing.view_shading() == shading


def test_without_windows_nothing_is_asked_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "gpu", None)
    assert drawing.view_shading() == "MATERIAL"
