# SPDX-License-Identifier: GPL-3.0-or-later
"""What the stamp tool holds, and its settings: of the session, not of a scene, so that undo leaves them alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import bpy

from ....formats.counting import number_of
from ....formats.teeworlds import stamps
from ....formats.teeworlds.stamps import Rectangle, TileStamp
from ....formats.teeworlds.tile_faces import TILE_FIELDS
from ....formats.teeworlds.tiles import ATLAS_CELLS
from ...scene.fields import declared
from ...scene.reports import SceneError
from ...scene.view import stage
from ..structure.parts import tile_kind

KEY = "levelwright_teeworlds_stamp"
"""The property of the window manager that holds the settings."""
FIELDS = ("number", "delay", "force", "max_speed", "angle")
"""Values of physics tiles that are settings of the tool."""
MODES = [
    ("PENCIL", "Pencil", "Stamp wherever the mouse goes", "GREASEPENCIL", 0),
    ("LINE", "Line", "Stamp along a straight line", "IPO_LINEAR", 1),
    ("RECTANGLE", "Rectangle", "Fill a rectangle with the stamp, repeated", "MESH_PLANE", 2),
    ("FILL", "Fill", "Fill all equal tiles that hang together with the stamp, repeated", "SNAP_FACE", 3),
]
MAX_SIZE = 64


class _Held:
    """The stamps that are held: one, or one for each layer that they were picked from."""

    def __init__(self) -> None:
        self.parts: list[TileStamp] = []
        self.palette: Rectangle | None = None
        """Where in the tileset it was cut out; None for a stamp of the map, or one that was turned."""
        self.picking = False
        """While a pick sets the tool's fields, these don't change the stamp."""


_held = _Held()


def _follow(name: str) -> Callable[[bpy.types.bpy_struct, bpy.types.Context], None]:
    """Let the stamp that is held follow a setting."""

    def changed(settings: bpy.types.bpy_struct, _context: bpy.types.Context) -> None:
        if not _held.picking:
            _held.parts = [part.with_field(name, getattr(settings, name)) for part in _held.parts]

    return changed


def _redraw(_settings: bpy.types.bpy_struct, context: bpy.types.Context) -> None:
    """Show a setting that a key changed: Blender draws headers and panels anew for those that were clicked on alone."""
    stage.redraw(context.window_manager)


class TeeworldsStamp(declared.Declared, bpy.types.PropertyGroup):
    """How the stamp tool works."""

    mode: str = declared.menu(name="Mode", items=MODES)
    erase: bool = declared.boolean(name="Erase", description="Take tiles away instead of stamping", update=_redraw)
    size: int = declared.integer(
        name="Size", description="How often the stamp is repeated in each direction", default=1, min=1, max=MAX_SIZE
    )
    air: bool = declared.boolean(name="Stamp Air", description="Empty cells of the stamp take tiles away", default=True)
    number: int = declared.integer(
        name="Number", description="Of teleporters, switches and tune zones", default=1, min=0, max=255,
        update=_follow("number"),
    )  # fmt: skip
    delay: int = declared.integer(
        name="Delay", description="Of switches: seconds", min=0, max=255,
        update=_follow("delay"),
    )  # fmt: skip
    force: int = declared.integer(
        name="Force", description="Of speedups", default=2, min=0, max=255,
        update=_follow("force"),
    )  # fmt: skip
    max_speed: int = declared.integer(
        name="Max Speed", description="Of speedups, 0 = no limit", min=0, max=255,
        update=_follow("max_speed"),
    )  # fmt: skip
    angle: int = declared.integer(
        name="Angle", description="Of speedups: degrees, 0 = to the right, clockwise", min=0, max=359,
        update=_follow("angle"),
    )  # fmt: skip

    fields_of: ClassVar[dict[str, tuple[str, ...]]] = {
        kind: tuple(name for name in FIELDS if name in fields.attributes) for kind, fields in TILE_FIELDS.items()
    }
    """By kind of layer, which settings its tiles have."""


def settings(context: bpy.types.Context) -> TeeworldsStamp:
    """The settings of the tool."""
    found: TeeworldsStamp = getattr(context.window_manager, KEY)
    return found


def parts() -> Sequence[TileStamp]:
    """The stamps that are held; none where none is."""
    return tuple(_held.parts)


def palette_area() -> Rectangle | None:
    """The part of the tileset that is held; None where it's something else."""
    return _held.palette


def choose(context: bpy.types.Context, kind: str, area: Rectangle) -> None:
    """Hold a part of the tileset (in its 16 x 16 cells), for a kind of layer, with the fields that are set.

    Raises SceneError where the game knows none of its tiles in such layers.
    """
    values = settings(context)
    fields = {name: int(getattr(values, name)) for name in values.fields_of[kind]}
    stamp = stamps.of_palette(kind, area, fields)
    indices = stamps.cells_of(area) @ (1, ATLAS_CELLS)
    if indices.any() and not stamp.values["index"].any():
        raise SceneError(stamps.unknown_in_words(kind, indices.tolist()))
    _held.parts, _held.palette = [stamp], area
    values.erase = False


def pick(context: bpy.types.Context, found: Sequence[TileStamp]) -> None:
    """Hold stamps of the map, one for each layer; the fields of the first tile that has some become the tool's."""
    values = settings(context)
    _held.parts, _held.palette = list(found), None
    values.erase = False
    _show_fields(values)


def turn(context: bpy.types.Context, way: str) -> None:
    """Flip or turn what is held (`stamps.FLIP_X`, ...), and its fields. Raises SceneError where nothing is."""
    if not _held.parts:
        raise SceneError("no stamp is held: choose tiles in the palette, or pick them from the map")
    _held.parts, _held.palette = [part.changed(way) for part in _held.parts], None
    _show_fields(settings(context))


def _show_fields(values: TeeworldsStamp) -> None:
    """Let the tool's fields be those of the first tile that is held, of each stamp that has some."""
    _held.picking = True
    try:
        for part in _held.parts:
            there = part.values["index"].reshape(-1).nonzero()[0]
            for name in values.fields_of[part.kind] if len(there) else ():
                setattr(values, name, int(part.values[name].reshape(-1)[there[0]]))
    finally:
        _held.picking = False


def drop() -> None:
    """Hold nothing."""
    _held.parts, _held.palette = [], None


def for_layers(layers: Sequence[bpy.types.Object]) -> list[TileStamp]:
    """What to put into each of these layers. Raises SceneError where nothing is held, or not a stamp for each."""
    if not _held.parts:
        raise SceneError(
            "no stamp is held: choose tiles in the palette (Space), or pick them from the map (Ctrl + drag)"
        )
    kinds = [tile_kind(layer) or "TILES" for layer in layers]
    if len(layers) == 1:
        same = next((part for part in _held.parts if part.kind == kinds[0]), _held.parts[0])
        return [same.as_kind(kinds[0])]
    if len(_held.parts) != len(layers):
        raise SceneError(
            f"the stamp has {number_of(len(_held.parts), 'layers')}, the group {len(layers)}: pick it from the group, "
            "or make one layer active"
        )
    return [part.as_kind(kind) for part, kind in zip(_held.parts, kinds, strict=True)]
