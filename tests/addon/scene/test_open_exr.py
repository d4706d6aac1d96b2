# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of light: Blender reads each number back as it was."""

import bpy
import numpy as np
from levelwright.addon.scene.media import images
from levelwright.formats import open_exr


def test_blender_reads_them_back():
    light = np.random.default_rng(5).random((3, 5, 3)).astype(np.float16) * np.float16(900)
    light[0, 0] = 0, 65504, 2.0**-24
    made = images.from_file_bytes("light", open_exr.encode(light), non_color=True)
    read = np.empty(3 * 5 * 4, np.float32)
    made.pixels.foreach_get(read)
    assert made.is_float
    assert tuple(made.size) == (5, 3)
    np.testing.assert_array_equal(read.reshape(3, 5, 4)[::-1, :, :3], light.astype(np.float32))
    assert bpy.data.images["light"] == made
