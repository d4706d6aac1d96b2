# SPDX-License-Identifier: GPL-3.0-or-later
"""Assets of each game, dragged by mouse from the asset browser into a level: undo, redo, the file that is written."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from formats import genesis, ns2, source, teeworlds
from formats.fable import tng
from scripts.walks.walk import FABLE, GENESIS, NS2, SAMPLES, SOURCE, TEEWORLDS, Sample, Walk
from scripts.window import WindowError

LIBRARY = "Levelwright"
"""What Blender's preferences call the library."""
BROWSER = 0.42
"""Part of the 3D view's height that the asset browser gets."""
ITEM = (60, 60)
"""Where the first item is, from the upper left corner of the browser's list."""
DROP = (560, 250)
"""Where assets are dropped in the 3D view."""


def _in_map(file: Path) -> int:
    level = source.read(file.read_bytes())
    props = level.static_props
    count = len(props.props) if props is not None and props.props is not None else 0
    return len(level.entities) + count + len(level.table(source.LumpId.OVERLAYS))


def _in_genesis(file: Path) -> int:
    level = genesis.read(file.read_bytes())
    return len(level.entities) + (
        sum(len(one.brushes) for one in level.entities) if isinstance(level, genesis.MapLevel) else 0
    )


RECORDS: dict[str, Callable[[Path], int]] = {
    "teeworlds": lambda file: sum(len(group.layers) for group in teeworlds.read(file.read_bytes()).groups),
    "genesis": _in_genesis,
    "fable": lambda file: sum(len(one.things) for one in tng.read(file.with_suffix(".tng").read_bytes()).sections),
    "ns2": lambda file: len(ns2.read(file.read_bytes()).entities),
    "source": _in_map,
}
"""By game, how many records a level has of those that are dragged in."""


@dataclass(frozen=True)
class Dragged:
    """What is dragged into a sample's level."""

    sample: Sample
    names: tuple[str, ...]
    """Of objects, as the asset browser has them: what is looked for."""
    material: str = ""
    """One that is dragged onto a face; "" where faces have none of their own."""
    group: bool = False
    """Whether what is dragged in has to be put into a group."""


DRAGGED = (
    Dragged(TEEWORLDS, ("House", "Clouds quad 0", "wind"), group=True),
    Dragged(GENESIS, ("light", "56 x 56 x 192 brick"), "plaster"),
    Dragged(FABLE, ("OBJECT_VALE_FALLEN_PILLAR",)),
    Dragged(NS2, ("crate",), "floor"),
    Dragged(SOURCE, ("crate", "func_door_rotating", "sign"), "brick"),
)


def drag_assets(walk: Walk, dragged: Dragged) -> None:
    """A library is made of a sample, and shown in an asset browser below the 3D view. Assets are dragged by mouse into
    the level, each undone and redone; the level is written, and has the new records.
    """
    sample = dragged.sample
    walk.imported(sample)
    if sample in (NS2, SOURCE, GENESIS):  # from outside, things fall onto walls that aren't drawn
        walk.window.python("bpy.ops.levelwright.go_to_spawn()")
    _open_browser(walk, sample)
    for number, name in enumerate(dragged.names):
        _drag_object(walk, sample, name, (DROP[0] + 110 * number, DROP[1]))
        if dragged.group:
            walk.menu("Levelwright", "Teeworlds", "Layers", "Move Layer to Group")
            walk.expect("bpy.context.object.parent is not None", "the layer was not put into a group")
    walk.see("dropped", f"{', '.join(dragged.names)} in the level, dragged from the asset browser.")
    if dragged.material:
        _drag_material(walk, dragged.material)
    _written(walk, dragged)


def _drag_object(walk: Walk, sample: Sample, name: str, to: tuple[int, int]) -> None:
    """Drag an asset into the level, and undo and redo that."""
    count = f"len(bpy.data.collections[{sample.name!r}].all_objects)"
    before = walk.value(count)
    _drag(walk, name, to)
    walk.expect(f"{count} == {before} + 1", f"{name} was not dropped into the level")
    walk.over_view()
    walk.window.key("ctrl+z")
    walk.expect(f"{count} == {before}", "undo did not take the object away")
    walk.window.key("ctrl+shift+z")
    walk.expect(f"{count} == {before} + 1", "redo did not give the object back")


def tiles(walk: Walk) -> None:
    """A pattern of tiles is dragged from the asset browser and put into a layer; a stamp is saved as an asset."""
    walk.imported(TEEWORLDS)
    _open_browser(walk, TEEWORLDS)
    layer = "next(o for o in bpy.data.objects if o.get('layer_name') == 'Fence')"
    before = walk.value(f"len({layer}.data.polygons)")
    _drag_object(walk, TEEWORLDS, "first_light 7 x 6", DROP)
    walk.window.python(f"layer = {layer}\nlayer.select_set(True)\nbpy.context.view_layer.objects.active = layer")
    walk.menu("Levelwright", "Teeworlds", "Tiles", "Put Tiles into Layer")
    walk.expect(f"len({layer}.data.polygons) > {before}", "the tiles are not in the layer")
    walk.see("put", "Tiles that were dragged from the asset browser are in the layer.")
    walk.window.python("bpy.ops.levelwright.teeworlds_choose_tile(index=8)")
    walk.menu("Levelwright", "Teeworlds", "Tiles", "Save Stamp as Asset")
    walk.expect("any(o.asset_data and o.name == 'Stamp' for o in bpy.data.objects)", "the stamp is no asset")
    walk.window.python(
        "lower = next(one for one in window.screen.areas if one.ui_type == 'ASSETS')\n"
        "lower.spaces.active.params.asset_library_reference = 'LOCAL'\n"
        "lower.spaces.active.params.filter_search = ''"
    )
    walk.see("saved", "The stamp is in the library Current File.")


def _open_browser(walk: Walk, sample: Sample) -> None:
    """Make the library, and have the lower part of the 3D view be an asset browser that shows it."""
    walk.window.python(
        "import os\n"
        f"bpy.ops.levelwright.make_asset_library(directory=os.getcwd(), files=[{{'name': {sample.file!r}}}], "
        "library=os.path.join(os.getcwd(), 'assets'))\n"
        f"bpy.ops.screen.area_split(direction='HORIZONTAL', factor={BROWSER})\n"
        "lower = min((one for one in window.screen.areas if one.type == 'VIEW_3D'), key=lambda one: one.y)\n"
        "lower.ui_type = 'ASSETS'"
    )
    space = "next(a for a in window.screen.areas if a.ui_type == 'ASSETS').spaces.active"
    walk.expect(f"{space}.params is not None", "no asset browser opened")
    walk.window.python(f"{space}.params.asset_library_reference = {LIBRARY!r}")


def _drag(walk: Walk, name: str, to: tuple[int, int] = DROP) -> None:
    """Look for an asset, and drag it into the 3D view."""
    walk.window.python(
        "lower = next(one for one in window.screen.areas if one.ui_type == 'ASSETS')\n"
        f"lower.spaces.active.params.filter_search = {name!r}\nlower.tag_redraw()"
    )
    walk.see("found", f"The asset browser shows {name}.")
    left, top, *_ = walk.region("ASSETS")
    x, y = left + ITEM[0], top + ITEM[1]
    walk.window.drag([(x, y), (x + 30, y - 30), (to[0] - 20, to[1] - 20), to])


def _drag_material(walk: Walk, name: str) -> None:
    """Drag a material onto what the mouse is over."""
    slots = "[s.material.name for o in bpy.context.scene.objects for s in o.material_slots if s.material]"
    before = walk.value(slots)
    _drag(walk, name, (DROP[0] + 150, DROP[1] + 60))
    walk.expect(f"{slots} != {before!r}", f"{name} was not dropped onto anything")
    walk.see("material", f"{name} was dragged onto a face.")


def _written(walk: Walk, dragged: Dragged) -> None:
    """Write the level by the menu, and look for the new records in the file."""
    sample = dragged.sample
    walk.menu("Levelwright", "Export Level")
    walk.browse_folder()
    walk.overwrite(sample.file)
    walk.see("written", "The level was written.")
    walk.differs(sample)
    before, after = (RECORDS[sample.key](folder / sample.file) for folder in (SAMPLES, walk.window.home))
    if after != before + len(dragged.names):
        raise WindowError(f"there are {after} records where there were {before}")


PATHS: dict[str, Callable[[Walk], None]] = {
    **{f"assets-{one.sample.key}": functools.partial(drag_assets, dragged=one) for one in DRAGGED},
    "assets-tiles": tiles,
}
