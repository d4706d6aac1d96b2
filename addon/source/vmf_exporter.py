# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a VMF, for Hammer and vbsp: the way of all edits of geometry that a compiled map can't take.

All but brushes comes from the map that `exporter.export_level` makes; those are what is in their collection.
"""

from __future__ import annotations

import bpy

from ...formats import source
from ...formats.source import vmf
from ...formats.source.content import keyvalues
from ..scene import originals
from ..scene.reports import Report
from . import exporter, layout
from .brushes import collect as brushes
from .brushes import contents
from .collecting import scene_level
from .faces import mapping, normals, numbers
from .settings import IGNORE, REFUSE, ExportSettings, VmfSettings

VMF_NOTE = (
    "Brushes are those in the collection Brushes, which an import with the option Brushes makes. All else is the map "
    "as it would be exported."
)
"""What has to be known before an export."""
_LOST = {
    mapping.FLAGGED: "vbsp gives faces those of their materials",
    normals.SHADED: "vbsp makes them by the smoothing groups",
    numbers.REDIRECTED: "vbsp numbers them",
}
"""What an export as .bsp counts and no VMF can say, and where it comes from instead."""


def export_vmf(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: VmfSettings, report: Report
) -> bytes:
    """The text of a level as Hammer has it. Raises SceneError, with objects and faces at fault, or FormatError."""
    geometry = IGNORE if settings.faces == "ignore" else REFUSE
    own = Report()
    data = exporter.export_level(context, collection, ExportSettings(geometry=geometry, world=IGNORE), own)
    level = source.read(data)
    original = originals.require(collection)
    if original is None:  # export_level has refused that
        raise ValueError(collection.name)
    with scene_level.read(context, collection, original) as scene:
        made = brushes.apply(scene, level, vmf.of_level(level), report)
        contents.warn_of_vmf(scene, level, report)
        if not scene.is_shown(layout.BRUSHES):
            report.note("the map's brushes aren't in the scene: import with the option Brushes to edit them")
    text = vmf.write(made)
    for what, count in text.counts.items():
        report.count(what, count)
    for what, instead in _LOST.items():
        if own.counts.get(what):
            report.warn(f"{what}: {own.counts[what]}. A VMF has none: {instead}")
    for warning in own.warnings:
        if not warning.endswith(brushes.LEFT_OUT) and not warning.startswith(contents.EDITED):
            report.warn(warning)
    for what in text.lost:
        report.note(f"not as in the editor: {what}")
    return text.data


def check_vmf(data: bytes) -> None:
    """Read a file back as far as can be done without Hammer. Raises FormatError."""
    keyvalues.parse(data)
