# SPDX-License-Identifier: GPL-3.0-or-later
"""Cubemaps as light probes, which share their settings."""

from __future__ import annotations

import bpy

from ....formats.arrays import Records
from ....formats.source import LumpId
from ...scene.geometry import transforms
from ...scene.kept import identity
from ...scene.work.progress import Steps
from .. import layout
from ..context import ImportContext

HOME = "Cubemaps"
CUBEMAP_SIZE = "cubemapsize"
"""Key on cubemaps: 2**(size - 1) pixels square; 0 is the default."""
_PROBE_REACH = 512.0
"""Units: how far light probes reach; in the game, the nearest cubemap counts."""


def prepare(importing: ImportContext) -> Steps[None]:
    """Read where cubemaps are; what is returned makes light probes, which share their settings. Raises FormatError."""
    cubemaps = importing.level.table(LumpId.CUBEMAPS)
    return _place(importing, cubemaps)


def _place(importing: ImportContext, cubemaps: Records) -> Steps[None]:
    if not len(cubemaps):
        return
    home = importing.group(HOME)
    probe = bpy.data.lightprobes.new("Cubemap", "SPHERE")
    probe.influence_distance = _PROBE_REACH  # Blender scales it with the object
    probe.show_influence = False  # circles as large as that, of hundreds, would hide the level
    width = len(str(len(cubemaps)))
    places, sizes = cubemaps["origin"].tolist(), cubemaps["size"].tolist()
    for number, (place, size) in enumerate(zip(places, sizes, strict=True)):
        obj = bpy.data.objects.new(f"Cubemap {number:0{width}}", probe)
        obj.parent = importing.root
        identity.stamp(obj, importing.token, layout.CUBEMAP, number)
        obj.location = place
        obj[CUBEMAP_SIZE] = int(size)
        transforms.remember_new(obj)
        home.objects.link(obj)
        yield
    importing.report.count("cubemaps", len(cubemaps))
