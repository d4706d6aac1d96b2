# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a level is visible: layers and groups may be hidden, and what the game doesn't draw. It is for show only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import ns2
from ....formats.arrays import Bools
from ....formats.counting import number_of
from ....formats.ns2.records import MASK_WORDS, NO_GROUP
from ...scene import attributes
from ...scene.attributes import Domain
from ...scene.blender_types import expect, mesh_of
from ...scene.geometry.edit_mode import readable
from ...scene.kept import identity
from ...scene.media.materials import Nodes, node_group
from ...scene.reports import Report
from .. import layout
from . import lists

MOSTLY = 0.4
"""Share of the faces: a level of which so much is switched off looks empty, which the import warns of."""
HIDDEN_BY_US = "levelwright_unseen"
"""On objects in no layer and no group that `show` hid."""


def geometry(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """The mesh objects that a level's faces were imported as."""
    return [obj for obj in collection.all_objects if obj.type == "MESH" and identity.kind_of(obj) == layout.GEOMETRY]


@dataclass(frozen=True, slots=True)
class Hidden:
    """What of a level is not to be seen."""

    layers: frozenset[int]
    """Ids of layers of which nothing is, ..."""
    groups: frozenset[int]
    """... and of groups."""
    only_layers: frozenset[int] = frozenset()
    """Ids of the layers that are alone to be seen, also where they are among those above, ..."""
    only_groups: frozenset[int] = frozenset()
    """... and of the groups; with none of both all that the others leave is."""
    from_commanders: bool = False
    """Also entities that say that commanders don't see them."""

    @property
    def solo(self) -> bool:
        """Whether only some layers or groups are to be seen."""
        return bool(self.only_layers or self.only_groups)

    def hides(self, masks: NDArray[np.uint32], groups: NDArray[np.uint32]) -> Bools:
        """Which of n things aren't to be seen, bool[n], that are in the layers of masks [n, words], and in a group."""
        if self.solo:
            return ~_are_in(masks, groups, self.only_layers, self.only_groups)
        return _are_in(masks, groups, self.layers, self.groups)

    def of_file(self, mesh: ns2.Mesh) -> Bools:
        """Which faces of a file's mesh aren't to be seen, bool[faces]."""
        masks = mesh.face_layers.masks
        return self.hides(
            masks if masks.shape[1] == MASK_WORDS else masks[:, :1],  # version 4: the other word is no mask
            mesh.geometry_groups.faces.assignment(len(mesh.faces)),
        )


def _are_in(
    masks: NDArray[np.uint32], groups: NDArray[np.uint32], layers: frozenset[int], in_groups: frozenset[int]
) -> Bools:
    """Which of n things are in any of these layers or groups, bool[n]."""
    words = np.frombuffer(ns2.mask_of([one for one in layers if one < 256]).to_bytes(4 * MASK_WORDS, "little"), "<u4")
    return np.asarray((masks & words[: masks.shape[1]]).any(axis=1) | np.isin(groups, sorted(in_groups)), np.bool_)


def hidden(collection: bpy.types.Collection) -> Hidden:
    """What the lists of a level say, and the switches above them."""
    held = lists.lists_of(collection)
    names = lists.UNDRAWN if held.hide_undrawn or held.commander else frozenset[str]()
    if held.commander:
        names |= lists.FROM_COMMANDERS
    if held.overview:
        names |= lists.FROM_OVERVIEW
    is_all = held.show_all or held.overview  # the switches are the editor's: the game draws what is in all layers
    off = [
        frozenset(lists.unsigned(item.number) for item in items if not (item.visible or is_all))
        for items in (held.layers, held.groups)
    ]
    only = [
        frozenset(lists.unsigned(item.number) for item in items if item.solo and not held.overview)
        for items in (held.layers, held.groups)
    ]
    unseen = frozenset(lists.unsigned(item.number) for item in held.groups if item.name in names)
    return Hidden(off[0], off[1] | unseen, only[0], only[1], held.commander)


def tell_hidden(collection: bpy.types.Collection, mesh: ns2.Mesh, report: Report) -> None:
    """Say how many faces of a level aren't seen because their layers or groups are switched off."""
    held = lists.lists_of(collection)
    off = [
        frozenset(lists.unsigned(item.number) for item in items if not item.visible)
        for items in (held.layers, held.groups)
    ]
    count, total = int(Hidden(off[0], off[1]).of_file(mesh).sum()), len(mesh.faces)
    report.count("faces in layers that are switched off", count)
    if count >= MOSTLY * total > 0 and not held.show_all:
        report.warn(
            f"{count:,} of {number_of(total, 'faces are')} in layers or groups that are switched off: Show All Layers, "
            "in the sidebar, shows them"
        )


def tell_edits(collection: bpy.types.Collection, report: Report) -> None:
    """Tell of faces that somebody hid otherwise than the lists of a level say."""
    hiding = hidden(collection)
    for obj in geometry(collection):
        with readable(obj) as plain:
            values = attributes.read(plain, layout.HIDDEN, "FACE")
            if values is None or (values == hidden_faces(plain, hiding)).all():
                continue
        report.note(
            f"{obj.name}: the edit of attribute {layout.HIDDEN} isn't written: what is hidden follows from the lists "
            "of layers and groups"
        )


def is_applied(collection: bpy.types.Collection) -> bool:
    """Whether the modifier that hides faces of a level was applied: it is gone with all that it hid, while its
    attribute stays.
    """
    for obj in geometry(collection):
        if obj.modifiers.get(layout.HIDING) is None:
            with readable(obj) as plain:
                values = attributes.read(plain, layout.HIDDEN, "FACE")
            if values is not None and not values.any():
                return True
    return False


def colors(collection: bpy.types.Collection, kind: lists.Kind) -> dict[int, tuple[float, ...]]:
    """The colours of the layers, or groups, that have one, by their ids, in the order of the list: red, green, blue, 1.

    Transparent is none.
    """
    listed = lists.entries(collection, kind)
    return {lists.unsigned(item.number): (*item.color[:3], 1.0) for item in listed if item.color[3] > 0}


def show(collection: bpy.types.Collection) -> None:
    """Show and hide faces and objects as the lists of layers and groups say: whatever is in one that is hidden is.

    Where only some are to be seen, what is in none is hidden, too. Objects also get the colour of the first of their
    layers that has one, or that of their group (ambient lights have their own): the viewport shows it where it shows
    objects' colours.
    """
    if len(collection.all_objects) < 2:
        return  # an import fills the lists when only the root is there: each entry of them asks for this
    gone = hidden(collection)
    for obj in geometry(collection):
        _show_faces(obj, gone)
    of_layers, of_all_groups = colors(collection, "layers"), colors(collection, "groups")
    appearances: dict[tuple[int, ...], tuple[bool, tuple[float, ...] | None]] = {}
    memberships = lists.memberships(collection)
    for obj, (own, of_groups) in memberships.items():
        key = (own, *of_groups)
        if key not in appearances:  # most objects are in the same layers as others
            found = [color for number, color in of_layers.items() if own >> number & 1]
            found += [of_all_groups[number] for number in of_groups if number in of_all_groups]
            appearances[key] = _hides_object(gone, own, of_groups), found[0] if found else None
        unseen, color = appearances[key]
        unseen |= gone.from_commanders and _is_hidden_from_commanders(obj)
        if obj.hide_viewport != unseen:
            obj.hide_viewport = obj.hide_render = unseen
        if color is not None and obj.get(layout.CLASS) != layout.AMBIENT_LIGHT:
            obj.color = color
    _show_others(collection, gone, memberships)


def _hides_object(gone: Hidden, layers: int, groups: list[int]) -> bool:
    """Whether an object in these layers (a mask) and groups isn't to be seen."""
    mask = np.frombuffer(layers.to_bytes(4 * MASK_WORDS, "little"), "<u4")
    rows = np.broadcast_to(mask, (max(len(groups), 1), MASK_WORDS))
    each = gone.hides(rows, np.array(groups or [NO_GROUP], np.uint32))
    return bool(each.all() if gone.solo else each.any())


def _show_others(collection: bpy.types.Collection, gone: Hidden, memberships: lists.Memberships) -> None:
    """Hide objects in no layer and no group where only some are to be seen, or what commanders don't see isn't; and
    show those that were hidden so.
    """
    held = lists.lists_of(collection)
    if not (gone.solo or gone.from_commanders or held.others_hidden):
        return
    held.others_hidden = gone.solo or gone.from_commanders
    for obj in list(collection.all_objects):  # what is hidden changes them
        if obj in memberships or identity.kind_of(obj) not in (None, layout.ENTITY):
            continue
        unseen = gone.solo or (gone.from_commanders and _is_hidden_from_commanders(obj))
        if unseen and not obj.hide_viewport:
            obj.hide_viewport = obj.hide_render = obj[HIDDEN_BY_US] = True
        elif not unseen and obj.get(HIDDEN_BY_US) is not None:
            obj.hide_viewport = obj.hide_render = False
            del obj[HIDDEN_BY_US]


def _is_hidden_from_commanders(obj: bpy.types.Object) -> bool:
    """Whether an entity's properties say that commanders don't see it."""
    alpha = obj.get("commAlpha")
    return bool(obj.get("commanderInvisible")) or (isinstance(alpha, float) and alpha <= 0)


def _show_faces(obj: bpy.types.Object, hiding: Hidden) -> None:
    mesh = mesh_of(obj)
    with readable(obj) as plain:
        gone = hidden_faces(plain, hiding)
    if mesh.is_editmode:
        working = bmesh.from_edit_mesh(mesh)
        for face, hide in zip(working.faces, gone.tolist(), strict=True):
            face.hide_set(hide)
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
        return
    modifier: bpy.types.Modifier | None = obj.modifiers.get(layout.HIDING)
    if not gone.any() and modifier is None:
        return
    attributes.write(mesh, layout.HIDDEN, "FACE", "BOOLEAN", gone)
    _hide_elements(mesh, gone)
    mesh.update_tag()  # Blender 4.2 doesn't see that attributes were written
    if gone.any() and modifier is None:
        made = expect(bpy.types.NodesModifier, obj.modifiers.new(layout.HIDING, "NODES"))
        made.node_group = node_group("Levelwright hidden faces", 1, _build_hiding, "GeometryNodeTree")
    elif modifier is not None and not gone.any():
        obj.modifiers.remove(modifier)
        mesh.attributes.remove(mesh.attributes[layout.HIDDEN])  # `is_applied`


def hidden_faces(mesh: bpy.types.Mesh, gone: Hidden) -> Bools:
    """Which faces of a mesh aren't to be seen: bool[faces]. The mesh isn't in edit mode."""
    count = len(mesh.polygons)
    if not (gone.layers or gone.groups or gone.solo):
        return np.zeros(count, np.bool_)
    masks, groups = np.zeros((count, MASK_WORDS), np.uint32), np.zeros(count, np.uint32)
    columns = [(f"{layout.LAYERS}{word}", masks[:, word]) for word in range(MASK_WORDS)]
    for name, column in (*columns, (layout.FACE_GROUP, groups)):
        values = attributes.read(mesh, name, "FACE")
        if values is not None and values.dtype == np.int32:
            column[:] = values.view(np.uint32)
    return gone.hides(masks, groups)


def _hide_elements(mesh: bpy.types.Mesh, gone: Bools) -> None:
    """Hide faces in edit mode, with the edges and vertices that only they have."""
    starts = attributes.face_starts(mesh)
    corners = np.repeat(gone, np.diff(starts, append=np.int32(len(mesh.loops))))
    kinds: tuple[tuple[str, str, Domain, int], ...] = (
        (".hide_vert", ".corner_vert", "POINT", len(mesh.vertices)),
        (".hide_edge", ".corner_edge", "EDGE", len(mesh.edges)),
    )
    for name, of_corner, domain, count in kinds:
        elements = attributes.read(mesh, of_corner)
        hide = np.zeros(count, np.bool_)
        if elements is not None:
            hide[elements[corners]] = True
            hide[elements[~corners]] = False
        attributes.write(mesh, name, domain, "BOOLEAN", hide)
    attributes.write(mesh, ".hide_poly", "FACE", "BOOLEAN", gone)


def _build_hiding(nodes: Nodes) -> None:
    """Geometry nodes that take the HIDDEN faces away."""
    nodes.sockets({"Geometry": "Geometry"}, {"Geometry": "Geometry"})
    expect(bpy.types.GeometryNodeTree, nodes.tree).is_modifier = True
    entry = nodes.add("NodeGroupInput")
    name = nodes.feed(nodes.add("GeometryNodeInputNamedAttribute", data_type="BOOLEAN"), Name=layout.HIDDEN)
    delete = nodes.add("GeometryNodeDeleteGeometry", domain="FACE", mode="ALL")
    leave = nodes.add("NodeGroupOutput")
    nodes.link(entry.outputs[0], delete.inputs["Geometry"])
    nodes.link(next(one for one in name.outputs if one.enabled), delete.inputs["Selection"])
    nodes.link(delete.outputs[0], leave.inputs[0])


@contextmanager
def nothing_hidden(collection: bpy.types.Collection) -> Iterator[None]:
    """Switch the hiding of faces off for a while: their objects are then read as they are, hidden faces too."""
    modifiers: list[bpy.types.Modifier | None] = [obj.modifiers.get(layout.HIDING) for obj in geometry(collection)]
    found = [modifier for modifier in modifiers if modifier is not None]
    were = [modifier.show_viewport for modifier in found]
    for modifier in found:
        modifier.show_viewport = False
    try:
        yield
    finally:
        for modifier, was in zip(found, were, strict=True):
            modifier.show_viewport = was
