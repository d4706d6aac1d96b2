# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import makes of each part of a level. The levels are built byte by byte, not by our writer."""

import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import importer, layout
from levelwright.addon.genesis.classes import values
from levelwright.addon.genesis.light import kinds
from levelwright.addon.genesis.motions.build import baseline_key, key_table
from levelwright.addon.genesis.settings import ImportSettings
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import baselines, identity, originals
from levelwright.addon.scene.media import animation
from levelwright.addon.scene.reports import Report
from levelwright.formats import genesis
from levelwright.formats.binary import FormatError
from levelwright.formats.genesis.convert import to_map
from mathutils import Vector

from tests.addon.genesis.export_helpers import brush, imported, part, positions, uvs
from tests.formats import genesis_3dt_text as text
from tests.formats import genesis_bytes as raw

SAMPLES = Path(__file__).parents[2] / "samples"
ROOM = SAMPLES / "genesis_room.3dt"


def reported(data: bytes, file: str | Path = "test.map", **settings: object) -> tuple[bpy.types.Collection, Report]:
    report = Report()
    return importer.import_level(bpy.context, data, file, ImportSettings(**settings), report), report


def faces(obj: bpy.types.Object, name: str) -> list:
    found = meshes.read(obj).attribute(name, "FACE")
    assert found is not None
    return found.tolist()


def world_of(obj: bpy.types.Object) -> np.ndarray:
    bpy.context.view_layer.update()
    matrix = np.array(obj.matrix_world)
    return positions(obj) @ matrix[:3, :3].T + matrix[:3, 3]


def test_a_brush_is_where_it_is_in_the_level() -> None:
    box = raw.brush(raw.box((10, 20, 30), (74, 36, 41)))
    level = imported(raw.level([raw.entity([box])]))
    obj = brush(level, 0)
    assert tuple(obj.location) == (42, -36, 28)  # the middle in whole units: of two equally near, the even one
    own = positions(obj) + np.array(obj.location)
    assert own.min(axis=0).tolist() == [10, -41, 20]
    assert own.max(axis=0).tolist() == [74, -30, 36]
    assert world_of(obj).max(axis=0) == pytest.approx([74 * 0.0254, -30 * 0.0254, 36 * 0.0254])
    assert not obj.data.validate()
    normals = {tuple(round(one) for one in face.normal) for face in obj.data.polygons}
    assert len(normals) == 6
    middle = own.mean(axis=0) - np.array(obj.location)
    assert all((np.array(face.center) - middle) @ np.array(face.normal) > 0 for face in obj.data.polygons)  # outwards


def test_the_scale_is_the_roots_alone() -> None:
    level = imported(raw.room(), scale=0.5)
    assert tuple(part(level, identity.ROOT, 0).scale) == (0.5, 0.5, 0.5)
    assert {tuple(obj.scale) for obj in level.all_objects if obj.type == "MESH"} == {(1, 1, 1)}


def test_face_fields_are_attributes_bit_for_bit() -> None:
    data = raw.whole_level()
    level = imported(data)
    record = genesis.read(data).entities[0].brushes[1].faces
    obj = brush(level, 1)
    rows = meshes.read(obj).ids("FACE", originals.describe(level).token) - 1 - 6
    assert len(rows) == 6
    for name in layout.FACE_FIELDS:
        assert np.array_equal(
            np.array(faces(obj, name), np.float32), record[name].astype(np.float32)[rows], equal_nan=True
        )
    for name in ("u_vec", "v_vec"):
        found = meshes.read(obj).attribute(name, "FACE")
        assert found.tobytes() == np.ascontiguousarray(record[name][rows]).tobytes()  # -0.0, denormals, NaN
    assert faces(obj, "draw_scale") == np.column_stack([record["draw_scale_x"], record["draw_scale_y"]])[rows].tolist()


def test_uvs_are_those_of_the_texture_formula(tmp_path: Path) -> None:
    tall = {"u": (0.5, 0, 0), "v": (0, -0.5, 0), "scale": (0.25, 0.5), "offset": (3, 5), "name": "door"}
    level = imported(raw.level([raw.entity([raw.brush(raw.box((0, 0, 0), (32, 64, 16), **tall))])]))
    obj = brush(level, 0)
    front = next(face for face in obj.data.polygons if face.normal.y < -0.9)  # +z of the game
    place = np.array(obj.location)
    for corner in front.loop_indices:
        x, _, z = positions(obj)[obj.data.loops[corner].vertex_index] + place
        assert uvs(obj)[corner].tolist() == [(x * 2 + 3) / 128, 1 - (-z + 5) / 128]


def test_flags_and_contents_are_named_properties() -> None:
    level = imported(raw.level([raw.entity([raw.brush(raw.box(), 0x30020 | 0x1 | 0x800)])]))
    obj = brush(level, 0)
    values_, changed = properties.read(obj, layout.BrushProperties)
    assert (values_.solid, values_.detail, values_.window) == (True, True, False)
    assert (values_.contents, values_.other_flags, changed) == (3, 0x800, frozenset())
    assert "water" in obj.id_properties_ui("contents").as_dict()["description"]


def test_clip_and_hint_brushes_are_wire() -> None:
    shapes = [raw.brush(raw.box(), flags) for flags in (0x1, 0x40, 0x80, 0x100, 0x101)]
    level = imported(raw.level([raw.entity(shapes)]))
    assert [brush(level, number).display_type for number in range(5)] == [
        "TEXTURED",
        "WIRE",
        "WIRE",
        "WIRE",
        "TEXTURED",
    ]
    assert [brush(level, number).hide_render for number in range(5)] == [False, True, True, True, False]


def test_an_unclosed_brush_comes_in_with_a_warning() -> None:
    level, report = reported(raw.level([raw.entity([raw.brush(raw.sliver()), raw.brush(raw.box())])]))
    assert any("not closed" in line and ": 0." in line for line in report.warnings)
    assert identity.stamped(brush(level, 0)).kind == layout.BRUSH
    assert len(brush(level, 1).data.polygons) == 6


def test_baselines_hold_what_the_meshes_hold() -> None:
    level = imported(raw.room())
    starts = baselines.load(level, layout.VERTEX_STARTS)
    everything = baselines.load(level, layout.POSITIONS)
    corners = baselines.load(level, layout.CORNER_STARTS)
    for number in range(6):
        obj = brush(level, number)
        assert everything[starts[number] : starts[number + 1]].tobytes() == positions(obj).tobytes()
        rows = slice(corners[6 * number], corners[6 * number + 6])
        assert baselines.load(level, layout.UVS)[rows].tobytes() == uvs(obj).tobytes()
        assert baselines.load(level, layout.ORIGINS)[number].tolist() == list(obj.location)


def test_many_brushes_share_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "SHARED", 4)
    flags = [1, 0x20001, 1, 1, 1, 0x80000000]
    shapes = [raw.brush(raw.box((n * 100, 0, 0), (n * 100 + 64, 64, 64)), flag) for n, flag in enumerate(flags)]
    door = raw.model(brushes=[raw.brush(raw.box())])
    level, report = reported(raw.level([raw.entity(shapes), door]), many_brushes=3)
    first, second, of_door = (part(level, layout.BRUSHES, number) for number in (0, 4, 6))
    assert faces(first, layout.BRUSH) == [0] * 6 + [1] * 6 + [2] * 6 + [3] * 6
    assert faces(second, layout.BRUSH_FLAGS) == [1] * 6 + [-(2**31)] * 6
    assert positions(second).min(axis=0).tolist() == [400, -64, 0]
    assert identity.stamped(of_door.parent).kind == layout.MOTION
    assert not any(obj.data.validate() for obj in (first, second, of_door))
    assert any("share one" in line for line in report.warnings)
    assert layout.BRUSH not in brush(imported(raw.level([raw.entity(shapes)])), 0).data.attributes


def test_a_model_stands_at_its_origin_and_moves() -> None:
    motion = raw.motion(events=[("1.000000", "open"), ("2.500000", "shut it")])
    level = imported(raw.level([raw.entity(), raw.model(motion)]))
    empty, moved = part(level, layout.MODEL, 1), part(level, layout.MOTION, 1)
    assert tuple(empty.location) == (16, -8, 0)
    assert (moved.parent, moved.rotation_mode, tuple(moved.location)) == (empty, "QUATERNION", (0, 0, 0))
    obj = brush(level, 0)
    assert obj.parent == moved
    assert world_of(obj).min(axis=0) == pytest.approx([-64 * 0.0254] * 3)
    action = moved.animation_data.action
    height = animation.find_fcurve(action, animation.slot(action), "location", 2)
    keys = animation.read_keys(height)
    assert keys.frames.tolist() == [0, 36, 96]
    assert keys.values.tolist() == [0, 96.5, 0]
    assert key_table(height).tobytes() == baselines.load(action, baseline_key(height)).tobytes()
    assert [(marker.name, marker.frame) for marker in action.pose_markers] == [("open", 24), ("shut it", 60)]
    turn = [
        animation.find_fcurve(action, animation.slot(action), "rotation_quaternion", n).evaluate(36) for n in range(4)
    ]
    assert turn == pytest.approx([0.707107, 0, 0, 0.707107])  # about the game's y, Blender's z
    bpy.context.scene.frame_set(36)
    # A corner at x = -64 turns a quarter about (16, -8), and rises by 96.5.
    assert world_of(obj)[:, 2].max() == pytest.approx((64 + 96.5) * 0.0254)
    assert world_of(obj)[:, 0].min() == pytest.approx((16 - (64 + 8)) * 0.0254, abs=1e-4)


def test_hermite_curves_are_the_engines() -> None:
    times, heights = (0.0, 1.0, 3.0, 4.0), (0.0, 8.0, 8.0, -4.0)
    rows = "".join(f"{time:f} 0.000000 {height:f} 0.000000\n" for time, height in zip(times, heights, strict=True))
    level = imported(
        raw.level([raw.entity(), raw.model(raw.motion("Rotation 0 4\n", f"Translation 1 1\nKeys 4 1 0 0\n{rows}"))])
    )
    action = part(level, layout.MOTION, 1).animation_data.action
    curve = animation.find_fcurve(action, animation.slot(action), "location", 2)

    def hermite(key: int, share: float) -> float:
        slopes = [8.0, 8 / 3, -12 / 3, -12.0]  # chords at the ends, else those between the neighbours; per second
        span = times[key + 1] - times[key]
        one, two = heights[key], heights[key + 1]
        a, b = slopes[key] * span, slopes[key + 1] * span
        t = share
        return (
            (2 * t**3 - 3 * t**2 + 1) * one
            + (t**3 - 2 * t**2 + t) * a
            + (3 * t**2 - 2 * t**3) * two
            + (t**3 - t**2) * b
        )

    for key, share in ((0, 0.25), (1, 0.5), (1, 0.75), (2, 0.5)):
        frame = 24 * (times[key] + share * (times[key + 1] - times[key]))
        assert curve.evaluate(frame) == pytest.approx(hermite(key, share), abs=1e-3)


def test_entities_have_typed_properties() -> None:
    fields = (
        ("Origin", "point"),
        ("Speed", "float"),
        ("Count", "int"),
        ("Tint", "color"),
        ("Next", "Stop"),
        ("Model", "model"),
    )
    pairs = [
        ("classname", "Stop"), ("Speed", "1.50"), ("Count", "7 of"), ("Tint", "1 2 255"), ("Next", "stop2"),
        ("Origin", "8 16 -24"), ("%name%", "stop1"), ("Count", "8"), ("Odd", "12"), ("Speed2", "fast"),
    ]  # fmt: skip
    level = imported(raw.level([raw.entity(), raw.entity(pairs=pairs), raw.typedef("Stop", fields)]))
    obj = part(level, layout.ENTITY, 1)
    assert (obj.name, obj.type, tuple(obj.location)) == ("stop1", "EMPTY", (8, 24, 16))
    assert (obj["Speed"], obj["Count"], list(obj["Tint"]), obj["Next"], obj["Odd"]) == (
        1.5,
        7,
        [1, 2, 255],
        "stop2",
        "12",
    )
    assert "Origin" not in obj
    assert obj.id_properties_ui("Next").as_dict()["description"] == "Stop Next, name of an entity of the class Stop"
    text = originals.resources(level, layout.TYPEDEFS)[0].as_string()
    assert "struct Stop {" in text
    assert "    color Tint;" in text


def test_lights_shine() -> None:
    spot = raw.entity(
        pairs=[("classname", "spotlight"), ("light", "300"), ("color", "255 0 51"), ("arc", "30"),
               ("origin", "0 64 0"), ("angles", "0 0 -90")]
    )  # fmt: skip
    level = imported(raw.level([raw.entity(), raw.light("1 2 3"), spot]))
    point, cone = part(level, layout.ENTITY, 1), part(level, layout.ENTITY, 2)
    assert (point.type, point.data.type, point.data.cutoff_distance) == ("LIGHT", "POINT", pytest.approx(150 * 0.0254))
    assert (cone.data.type, cone.data.spot_size) == ("SPOT", pytest.approx(math.radians(60)))
    assert list(cone.data.color) == pytest.approx([1, 0, 0.2])
    assert kinds.brightness_of(kinds.LIGHT_CLASSES["spotlight"], cone.data.energy, 0, 0.0254) == pytest.approx(300)
    bpy.context.view_layer.update()
    along = cone.matrix_world.to_3x3().normalized() @ Vector((0, 0, -1))
    assert tuple(along) == pytest.approx((0, 0, -1), abs=1e-6)  # the engine's x, turned by -90 degrees about its z
    half = imported(raw.level([raw.entity(), raw.light("1 2 3")]), scale=0.0127)
    assert part(half, layout.ENTITY, 1).data.energy == pytest.approx(point.data.energy / 4)


@pytest.mark.parametrize("angles", [(0, 0, 0), (10, 20, 30), (-170, 45, 90.5)])
@pytest.mark.parametrize("is_light", [False, True])
def test_angles_come_back(angles: tuple[float, float, float], is_light: bool) -> None:
    assert values.angles(values.rotation(list(angles), is_light), is_light) == pytest.approx(angles)


def test_values_are_typed_only_if_they_fit() -> None:
    assert values.as_property("int", "12x") == 12
    assert values.as_property("int", "x12") == "x12"
    assert values.as_property("int", str(2**40)) == str(2**40)
    assert values.as_property("point", "1 2.5 -3") == [1.0, 2.5, -3.0]
    assert values.as_property("string", "a\0b") == b"a\0b"
    assert values.as_text([1, 2, 3]) == "1 2 3"


def test_the_world_is_on_the_collection_and_the_original_inside() -> None:
    data = raw.room(pairs=(("TextureLib", ".\\gedit.txl"), ("SkyAxis", "0 1 0"), ("SkyRotation", "2.5"), ("note", "x")))
    level = imported(data, "dm1.map")
    assert level.name == "dm1"
    assert (level["TextureLib"], list(level["SkyAxis"]), level["SkyRotation"], level["note"]) == (
        ".\\gedit.txl", [0, 1, 0], 2.5, "x",
    )  # fmt: skip
    kept = originals.find(level)
    assert (kept.data, kept.file_name, kept.options[layout.KIND]) == (data, "dm1.map", "map")


def test_everything_odd_comes_in() -> None:
    level, report = reported(raw.whole_level())
    assert report.counts["models"] == 4
    assert report.counts["brushes"] == 7
    assert sum(obj.type == "MESH" for obj in level.all_objects) == 7


def test_what_is_no_level_is_refused() -> None:
    with pytest.raises(FormatError):
        imported(b"\1\0\0\0BCFN" + bytes(40))
    with pytest.raises(FormatError):
        imported(raw.room()[:-3])


def test_operators_and_several_levels(tmp_path: Path) -> None:
    path = tmp_path / "own.map"
    path.write_bytes(raw.room())
    assert bpy.ops.import_scene.genesis_map(filepath=str(path)) == {"FINISHED"}
    assert bpy.ops.import_scene.genesis_3dt(filepath=str(ROOM)) == {"FINISHED"}
    assert bpy.ops.import_scene.game_level(filepath=str(path)) == {"FINISHED"}
    tokens = {originals.describe(level).token for level in originals.levels(bpy.context.scene)}
    assert len(tokens) == 3


@pytest.mark.parametrize("name", ["genvs2.map", "hinge.map"])
def test_real_levels(corpus: Path, name: str) -> None:
    path = corpus / "genesis" / "_generated_by_real_editor_code" / name
    if not path.is_file():
        pytest.skip("no corpus")
    level, report = reported(path.read_bytes(), path)
    assert (report.counts["brushes"], report.counts["models"], report.counts["lights"]) == (1729, 59, 226)
    assert report.missing_names == {"texture libraries": ["gedit.txl"]}
    assert not any(obj.data.validate() for obj in level.all_objects if obj.type == "MESH")


@pytest.mark.parametrize("version", [(1, 31), (1, 32)])
def test_locked_textures_lie_as_the_compiler_will_lay_them(version: tuple[int, int]) -> None:
    """A `.3dt` with texture-locked faces looks like the `.map` that is made of it."""
    own = {"transform": (0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0), "position": (1, 2, 3)} if version > (1, 31) else {}
    leaf = text.leaf("lock", version, scale=(2.0, 4.0), shift=(7, 8), rotate=30, **own)
    data = text.level(version, [leaf.replace("\t\tFlags 512", "\t\tFlags 768")]).encode("latin-1")
    plain = text.level(version, [leaf]).encode("latin-1")
    level = genesis.read(data)
    assert isinstance(level, genesis.Level3dt)
    compiled = to_map(level)[0]

    def corners(data: bytes) -> np.ndarray:
        obj = brush(imported(data), 0)
        mesh = meshes.read(obj)
        place = mesh.positions[mesh.corner_verts] + np.array(obj.location)
        return np.array(sorted(map(tuple, np.round(np.column_stack([place, uvs(obj)]), 3).tolist())))

    assert np.allclose(corners(data), corners(genesis.write(compiled)), atol=2e-3)
    assert not np.allclose(corners(data), corners(plain), atol=0.1), "the world's rule lays them otherwise"
