# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged maps in Blender: what an import leaves out an export lets be, byte for byte."""

import bpy
import pytest
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import exporter
from levelwright.addon.source.settings import ExportSettings
from levelwright.formats import source
from levelwright.formats.binary import FormatError

from tests.addon.source.rooms import imported
from tests.addon.source.test_damaged_sample import ALL, damaged


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 20, 40, 60])
def test_a_damaged_map_comes_out_as_it_came_in(first: int) -> None:
    exported = 0
    for seed in range(first, first + 10):
        data = damaged(seed)
        try:
            source.read(data)
        except FormatError:
            continue
        options = ALL | {"displacements": ("each", "joined")[seed % 2], "split": ("none", "cluster")[seed // 2 % 2]}
        level = imported(data, **options)
        assert exporter.export_level(bpy.context, level, ExportSettings(), Report()) == data, seed
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        exported += 1
    assert exported > 5
