# SPDX-License-Identifier: GPL-3.0-or-later
"""Light that Cycles bakes into lightmaps: as bright as it is, where it can, and written into the map."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.scene.view import baking
from levelwright.addon.source import layout
from levelwright.addon.source.lightmaps import bake
from levelwright.addon.source.lightmaps import build as lightmaps
from levelwright.addon.source.lightmaps import collect as collect_lightmaps
from levelwright.formats import source
from levelwright.formats.source import LumpId, geometry
from levelwright.formats.source.edits import brush_models
from levelwright.formats.source.light import lighting, rgbe

from tests.addon.source.exports import ROOM
from tests.addon.source.rooms import imported, of_kind, room, token_of
from tests.addon.source.surface_edits import edited, small_room
from tests.formats.source_door import box

FLOOR, WIDE = 4, 5
METRES = layout.SCALE


def lit_floor(style: int = 0) -> bytes:
    """The room of source_bytes, a block seen from outside, with light on its lower side alone: 5 x 5 luxels, 32 units
    apart.
    """
    level = source.read(room())
    faces, texinfos = level.table(LumpId.FACES).copy(), level.table(LumpId.TEXINFO).copy()
    faces["lightofs"] = -1
    faces["lightofs"][FLOOR], faces["lightmap_size"][FLOOR], faces["styles"][FLOOR, 0] = 4, WIDE - 1, style
    texinfos["lightmap_vecs"] = [[1 / 32, 0, 0, 2], [0, 1 / 32, 0, 2]]
    level.set_table(LumpId.FACES, faces)
    level.set_table(LumpId.TEXINFO, texinfos)
    level.set_bytes(LumpId.VERTNORMALINDICES, b"")
    level.set_bytes(LumpId.LIGHTING, bytes([9, 9, 9, 0]) * (1 + WIDE * WIDE))
    return source.write(level)


def lamp(place: tuple[float, float, float], power: float, **keys: str) -> bpy.types.Object:
    light = bpy.data.lights.new("lamp", "POINT")
    light.energy, light.shadow_soft_size = power, 0.0
    obj = bpy.data.objects.new("lamp", light)
    obj.location = np.array(place) * METRES
    for key, value in keys.items():
        obj[key] = value
    bpy.context.scene.collection.objects.link(obj)
    return obj


def luxels(made) -> np.ndarray:
    """The floor's light, float32[y, x, 3]."""
    found = lighting.lightmaps(made)[LumpId.LIGHTING]
    offsets, _ = lighting.luxel_offsets(found)
    return rgbe.decode(lighting.colors_at(made.bytes_of(LumpId.LIGHTING), offsets)).reshape(WIDE, WIDE, 3)


def test_a_lamp_in_front_of_a_face() -> None:
    level, report = imported(lit_floor()), Report()
    power, height = 20.0, 48.0
    lamp((0, 0, -64 - height), power)
    scenery = bpy.data.objects.new("sky", of_kind(level, layout.MODEL)[0].data)  # of a 3D skybox: it casts no shadow
    scenery.parent, scenery.location.z = of_kind(level, layout.ROOT)[0], -height
    identity.stamp(scenery, token_of(level), layout.PREVIEW, 1)
    level.objects.link(scenery)
    kept = bpy.context.scene.render.engine
    group = originals.resources(level, layout.BAKED_LIGHT)[0]
    (image,) = bake.bake(bpy.context, level, bake.BakeSettings(samples=16, bounces=0), report)
    assert report.counts["luxels (LDR)"] == WIDE * WIDE
    made, changed = edited(level, collect_lightmaps.apply)
    assert changed == {"LIGHTING"}
    light = luxels(made)
    far = (np.arange(WIDE) - WIDE // 2) * 32.0
    away = far[:, None] ** 2 + far[None, :] ** 2 + height**2
    wanted = power / (4 * np.pi**2 * away * METRES**2) * height / np.sqrt(away)
    inner = slice(1, 4)  # the outer ones lie on the edge, and have their neighbours' light
    assert np.allclose(light[inner, inner], wanted[inner, inner, None], rtol=0.15)
    assert (light > 0).all()
    assert (light[..., 0] == light[..., 2]).all()
    assert image.packed_file is not None
    assert not image.is_dirty
    assert bpy.context.scene.render.engine == kept
    assert not scenery.hide_render
    assert group.nodes[lightmaps.BAKED].outputs[0].default_value == 1
    assert not [one for one in bpy.data.images if one.name.startswith("levelwright bake")]
    world = of_kind(level, layout.MODEL)[0]
    assert all(node.image != image for node in world.data.materials[0].node_tree.nodes if node.type == "TEX_IMAGE")


def test_lamps_that_can_be_switched_do_not_shine() -> None:
    level = imported(lit_floor())
    switched = lamp((0, 0, -112), 20.0, targetname="lamp1")
    level.objects.link(switched)
    bake.bake(bpy.context, level, bake.BakeSettings(samples=1, bounces=0), Report())
    assert (luxels(edited(level, collect_lightmaps.apply)[0]) == 0).all()
    assert not switched.hide_render


def test_the_sky_shines_as_the_maps_sun_says() -> None:
    level = imported(lit_floor())
    sun = bpy.data.objects.new("sun", None)
    sun["classname"], sun["_ambient"] = "light_environment", "255 255 255 127.5"
    level.objects.link(sun)
    world = bpy.context.scene.world
    assert world is not None
    bake.bake(bpy.context, level, bake.BakeSettings(samples=8, bounces=0), Report())
    assert np.allclose(luxels(edited(level, collect_lightmaps.apply)[0]), 0.5, atol=0.02)
    assert bpy.context.scene.world == world
    bake.bake(bpy.context, level, bake.BakeSettings(samples=8, bounces=0, scene_world=True), Report())
    assert np.allclose(luxels(edited(level, collect_lightmaps.apply)[0])[2, 2], world.color, atol=0.02)


def test_a_lightmap_of_another_style_is_left() -> None:
    unlit, report = source.read(lit_floor(style=3)), Report()
    unlit.set_bytes(LumpId.WORLDLIGHTS, b"")
    level = imported(source.write(unlit))
    lamp((0, 0, -112), 20.0)
    bake.bake(bpy.context, level, bake.BakeSettings(samples=1, bounces=0), report)
    assert any("fully bright" in line for line in report.warnings)
    assert edited(level, collect_lightmaps.apply)[1] == set()
    assert any("first style" in line for line in report.lines())


def test_what_cannot_be_baked_is_told() -> None:
    plain = imported(lit_floor(), lightmaps="none")
    with pytest.raises(SceneError, match="no such lightmaps"):
        bake.bake(bpy.context, plain, bake.BakeSettings(), Report())
    level = imported(lit_floor())
    for obj in level.all_objects:
        obj.select_set(False)
    with pytest.raises(SceneError, match="visible and selected"):
        bake.bake(bpy.context, level, bake.BakeSettings(selected=True), Report())
    with pytest.raises(SceneError, match="no such lightmaps"):
        bake.bake(bpy.context, level, bake.BakeSettings(images=bake.HDR), Report())
    world = next(obj for obj in of_kind(level, layout.MODEL) if len(obj.data.polygons) == 5)
    world.data.materials.clear()
    with pytest.raises(SceneError, match="no material"):
        bake.bake(bpy.context, level, bake.BakeSettings(), Report())


def test_the_operator() -> None:
    assert not bpy.ops.levelwright.source_bake.poll()
    level = imported(lit_floor())
    lamp((0, 0, -112), 20.0)
    assert bpy.ops.levelwright.source_bake(samples=1, bounces=0) == {"FINISHED"}
    assert edited(level, collect_lightmaps.apply)[1] == {"LIGHTING"}
    with pytest.raises(RuntimeError, match="no such lightmaps"):
        bpy.ops.levelwright.source_bake(images="hdr")


def moved_floor(tmp_path) -> bytes:
    """The room as it was, in a file: its floor, and that alone, lies 8 units deeper there."""
    data = lit_floor()
    earlier = source.read(data)
    points, polygons = earlier.table(LumpId.VERTEXES).copy(), geometry.polygons(earlier)
    first, end = polygons.first_corner[FLOOR : FLOOR + 2]
    fresh = points[polygons.corners[first:end]]
    fresh["point"][:, 2] -= 8
    edges = earlier.table(LumpId.EDGES).copy()
    walked = earlier.table(LumpId.SURFEDGES).copy()
    row = earlier.table(LumpId.FACES)[FLOOR]
    own = np.zeros(len(fresh), edges.dtype)
    own["v"] = [(len(points) + n, len(points) + (n + 1) % len(fresh)) for n in range(len(fresh))]
    walked["edge"][row["firstedge"] : row["firstedge"] + row["numedges"]] = len(edges) + np.arange(len(fresh))
    earlier.set_table(LumpId.VERTEXES, np.concatenate([points, fresh]))
    earlier.set_table(LumpId.EDGES, np.concatenate([edges, own]))
    earlier.set_table(LumpId.SURFEDGES, walked)
    (tmp_path / "earlier.bsp").write_bytes(source.write(earlier))
    return data


def test_new_faces_alone_are_baked(tmp_path) -> None:
    level = imported(moved_floor(tmp_path))
    lamp((0, 0, -112), 20.0)
    settings = {"samples": 1, "bounces": 0, "faces": "new"}
    with pytest.raises(RuntimeError, match="choose its file"):
        bpy.ops.levelwright.source_bake(**settings)
    with pytest.raises(RuntimeError, match="there is no such file"):
        bpy.ops.levelwright.source_bake(**settings, before=str(tmp_path / "none.bsp"))
    (tmp_path / "same.bsp").write_bytes(lit_floor())
    with pytest.raises(RuntimeError, match="no visible surface is new against same"):
        bpy.ops.levelwright.source_bake(**settings, before=str(tmp_path / "same.bsp"))
    (tmp_path / "broken.bsp").write_bytes(lit_floor()[:50])
    with pytest.raises(RuntimeError):
        bpy.ops.levelwright.source_bake(**settings, before=str(tmp_path / "broken.bsp"))
    assert edited(level, collect_lightmaps.apply)[1] == set()
    for faces in ("new", "reach"):
        report = Report()
        wanted = bake.BakeSettings(samples=1, bounces=0, faces=faces, before=str(tmp_path / "earlier.bsp"))
        bake.bake(bpy.context, level, wanted, report)
        assert report.counts["luxels (LDR)"] == WIDE * WIDE
    assert edited(level, collect_lightmaps.apply)[1] == {"LIGHTING"}


def test_new_brush_entities_alone_are_baked(tmp_path) -> None:
    """Where they stand: the lamp is before one side of the box, and its other sides are dark."""
    earlier, later = tmp_path / "earlier.bsp", source.read(ROOM)
    earlier.write_bytes(ROOM)
    place, (low, high) = np.eye(4), ((-8, -8, -8), (8, 8, 8))
    place[:3, 3] = -128, 0, 64
    normals = np.concatenate([[-axis, axis] for axis in np.eye(3)])
    solid = brush_models.Piece(normals, np.full(6, 8.0), np.zeros(6, np.int64), 1)
    drawn = [brush_models.Face(ring, 0) for ring in box(low, high)]
    number = brush_models.add(later, [solid], drawn, place=place)
    keys = [("classname", "func_brush"), ("model", f"*{number}"), ("origin", "-128 0 64")]
    later.entities.append(source.Entity(keys))
    level = imported(source.write(later), entities=True)
    lamp((-128, 0, 100), 20.0)
    report = Report()
    bake.bake(bpy.context, level, bake.BakeSettings(samples=1, bounces=0, faces="new", before=str(earlier)), report)
    made, lumps = edited(level, collect_lightmaps.apply)
    assert lumps == {"LIGHTING", "LIGHTING_HDR"}
    row = later.table(LumpId.MODELS)[number]
    own = np.arange(int(row["firstface"]), int(row["firstface"]) + 6)
    for lump in (LumpId.LIGHTING, LumpId.LIGHTING_HDR):
        old = len(source.read(ROOM).bytes_of(lump))
        assert bytes(made.bytes_of(lump)[:old]) == bytes(later.bytes_of(lump)[:old])
        found = lighting.lightmaps(made)[lump]
        mine = np.flatnonzero(np.isin(found.faces, own))
        assert 0 < report.counts[f"luxels ({lightmaps.TITLES[lump]})"] <= found.luxels[mine].sum()
        bright = []
        for block in mine.tolist():
            colors = lighting.lightmap_colors(
                made.bytes_of(lump), found.offset[block : block + 1], found.luxels[block : block + 1]
            )
            bright.append(float(rgbe.decode(colors).mean()))
        planes = made.table(LumpId.PLANES)["normal"][made.table(LumpId.FACES)["planenum"][found.faces[mine]]]
        assert planes[int(np.argmax(bright))].tolist() == [0, 0, 1] and max(bright) > 0 and min(bright) == 0


def test_displacements_are_baked_on_the_faces_that_they_lie_on() -> None:
    level = small_room(displacements="joined")
    (hills,) = of_kind(level, layout.DISPLACEMENTS)
    token = originals.describe(level).token
    assert bake._faces_of(hills, token, 10).tolist() == [0, 1]
    (world,) = of_kind(level, layout.MODEL)
    assert bake._faces_of(world, token, 10).tolist() == list(range(2, 10))
    assert {*baking.surfaces(level, bake._KINDS, layout.LIGHTMAP_UV, False)} == {world, hills}
