# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaks of Source maps in Blender, as vbsp would find them in the VMF; and the faces that nobody sees."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene import leaks as shared
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import layout, leaks, vmf_exporter
from levelwright.addon.source.adding.open_map import importing_into
from levelwright.addon.source.settings import VmfSettings
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.content import keyvalues

from tests.addon.source.exports import ROOM, Scene
from tests.formats.solid_worlds import room
from tests.formats.source_vmf import solids_of

QUADS = np.array([(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)])


def own_map() -> bytes:
    """The room with nothing outside of its middle: one entity, and no props."""
    level = source.read(ROOM)
    del level.entities[1:]
    level.entities.append(source.Entity([("classname", "info_player_start"), ("origin", "10 20 64")]))
    props = level.static_props
    assert props is not None and props.props is not None
    props.props = props.props[:0]
    return source.write(level)


class Walled(Scene):
    """A map with six walls of 700 units drawn around it, and the brushes that it had."""

    def __init__(self, left_out: int = -1) -> None:
        super().__init__(own_map(), brushes=True)
        originals.make_active(bpy.context, self.level)
        importing = importing_into(bpy.context, self.level, Report())
        self.home = importing.group(layout.BRUSH_HOME)
        self.walls = [
            self.box(importing, low, high) for number, (low, high) in enumerate(room(700.0)) if number != left_out
        ]

    def box(self, importing, low, high, material: str = "dev/wall") -> bpy.types.Object:
        corners = np.array([[(low, high)[n >> axis & 1][axis] for axis in range(3)] for n in range(8)])
        mesh = meshes.build("Wall", corners, QUADS.reshape(-1), np.arange(6) * 4, report=Report())
        mesh.materials.append(importing.materials.of(material))
        made = bpy.data.objects.new("Wall", mesh)
        made.parent = importing.root
        self.home.objects.link(made)
        return made

    def text(self) -> bytes:
        return vmf_exporter.export_vmf(bpy.context, self.level, VmfSettings(), Report())

    def materials(self) -> list[list[str]]:
        return [solid.materials for solid in solids_of(keyvalues.parse(self.text()))]


def test_a_sealed_map_has_no_curve():
    scene = Walled()
    assert bpy.ops.levelwright.source_find_leaks() == {"FINISHED"}
    assert shared.curve_of(scene.level) is None
    assert f"{scene.level.name} is sealed: " in bpy.data.texts[f"{scene.level.name} leaks"].as_string()


@pytest.mark.parametrize("wall", [0, 3, 4])
def test_a_wall_that_is_gone_is_found_and_drawn(wall, tmp_path):
    scene = Walled(left_out=wall)
    before = scene.text()
    assert bpy.ops.levelwright.source_find_leaks() == {"FINISHED"}
    curve = shared.curve_of(scene.level)
    line = shared.line_of(curve)
    assert line[0].tolist() == [10, 20, 65]  # vbsp lifts entities by a unit
    axis, sign = divmod(wall, 2)
    assert line[-1][axis] * (1 - 2 * sign) > 700
    start = scene.objects()[1]
    assert bpy.context.view_layer.objects.active == start and start.select_get() and curve.select_get()
    assert scene.text() == before  # the curve is for show
    assert scene.export(world="ignore").bytes_of(LumpId.ENTITIES) == source.read(scene.data).bytes_of(LumpId.ENTITIES)
    path = tmp_path / "room.lin"
    assert bpy.ops.levelwright.source_write_leak(filepath=str(path)) == {"FINISHED"}
    assert path.read_text().splitlines()[-1] == "10.000000 20.000000 64.000000"
    assert bpy.ops.levelwright.source_remove_leak() == {"FINISHED"}
    assert shared.curve_of(scene.level) is None


def test_a_map_without_brushes_in_the_scene_is_looked_at_as_well():
    scene = Scene(own_map())
    originals.make_active(bpy.context, scene.level)
    assert bpy.ops.levelwright.source_find_leaks() == {"FINISHED"}
    assert shared.curve_of(scene.level) is not None  # two brushes are no room
    with pytest.raises(RuntimeError, match="import with the option Brushes"):
        bpy.ops.levelwright.source_select_hidden()


def test_a_wall_of_a_tool_that_is_no_wall_leaks():
    scene = Walled(left_out=5)
    importing = importing_into(bpy.context, scene.level, Report())
    scene.box(importing, *room(700.0)[5], material="tools/toolsplayerclip")
    bpy.ops.levelwright.source_find_leaks()
    assert shared.curve_of(scene.level) is not None


def test_hidden_faces_are_selected_and_marked():
    scene = Walled()
    bpy.ops.levelwright.source_select_hidden()
    for wall in scene.walls:
        assert [face.select for face in wall.data.polygons].count(False) == 1
    assert bpy.ops.levelwright.source_mark_hidden() == {"FINISHED"}
    for names in scene.materials()[-6:]:
        assert sorted(names) == ["dev/wall", *["tools/toolsnodraw"] * 5]
    assert f"{scene.level.name}: " in bpy.data.texts[f"{scene.level.name} leaks"].as_string()
    assert bpy.ops.levelwright.source_mark_hidden() == {"CANCELLED"}  # nothing is left to mark
    bpy.ops.levelwright.source_find_leaks()
    assert shared.curve_of(scene.level) is None  # what isn't drawn seals as well


def test_tools_and_what_is_not_solid_keep_their_textures():
    scene = Walled()
    importing = importing_into(bpy.context, scene.level, Report())
    clip = scene.box(importing, (710, 0, 0), (712, 64, 64), material="tools/toolsplayerclip")
    glass = scene.box(importing, (710, 100, 0), (712, 164, 64), material="glass/pane")
    values = np.full(6, 2, np.int32)  # a window
    attribute = glass.data.attributes.new(layout.CONTENTS, "INT", "FACE")
    attribute.data.foreach_set("value", values)
    inner = scene.box(importing, (710, 200, 0), (712, 264, 64))
    leaks.mark_hidden(bpy.context, scene.level, Report())
    names = [
        {obj.material_slots[face.material_index].material.get(layout.MATERIAL) for face in obj.data.polygons}
        for obj in (clip, glass, inner)
    ]
    assert names == [{"tools/toolsplayerclip"}, {"glass/pane"}, {"tools/toolsnodraw"}]


def test_brushes_of_entities_are_left_alone():
    scene = Walled()
    brushes = scene.objects(layout.BRUSHES)
    assert brushes
    found = {shown.object: shown for shown in leaks.FINDER.faces(bpy.context, scene.level)}
    for obj in brushes.values():
        own = found[obj].data.attribute(layout.BRUSH, "FACE")
        assert own is not None and found[obj].still.all()  # this map's are the world's
        mesh = found[obj].data
        assert leaks._of_world(mesh, np.zeros(0, np.int64)).sum() == 0
