# SPDX-License-Identifier: GPL-3.0-or-later
""".3dt to .map and back, and levels of old editors in today's terms."""

import math

import numpy as np
import pytest

from formats import FormatError
from formats.genesis import (
    BrushFlag,
    EditorFaceFlag,
    FaceFlag,
    Level3dt,
    MapLevel,
    brushes,
    check,
    read,
    textures,
    typedefs,
    write,
)
from formats.genesis.convert import to_3dt, to_map
from formats.genesis.records import WORLD_BOUND
from formats.genesis.typedefs import Field, TypeDef
from formats.genesis.upgrade import CENTIMETERS, upgraded
from tests.formats import genesis_3dt_text as build
from tests.formats import genesis_bytes

DOOR = TypeDef("Door", [Field("origin", "point"), Field("Model", "model"), Field("Next", "Door"),
                        Field("Locked", "int", boolean=True)], origin="origin")  # fmt: skip
TYPES = (*typedefs.BUILTIN, DOOR)


LIBRARY = [("TextureLib", "a.txl")]


def level_of(text: str) -> Level3dt:
    level = read(text.encode("latin-1"))
    assert isinstance(level, Level3dt)
    return level


def mapped(*brushes_: str, **parts: object) -> MapLevel:
    return to_map(level_of(build.level(brushes=brushes_, **parts)), TYPES)[0]  # type: ignore[arg-type]


def test_the_world():
    world = mapped(build.leaf()).entities[0]
    assert world.pairs == [
        ("TextureLib", "..\\a b.txl"),
        ("SkyAxis", "1.000000 0.000000 0.000000"),
        ("SkyRotation", "10.000000"),
        ("SkyDrawScale", "1.500000"),
        ("SkyLeft", "lf"), ("SkyRight", "rt"), ("SkyBottom", "dn"), ("SkyFront", "ft"), ("SkyBack", "bk"),
    ]  # fmt: skip
    assert (world.flags, len(world.brushes)) == (0, 1)


def test_a_face():
    text = build.leaf(
        low=(0, 0, 0), high=(8, 16, 32), light=250, bias=0.5, translucency=100.0, reflectivity=2.0, texture="wall",
        rotate=90, shift=(5, -6), scale=(2.0, 4.0), light_scale=(4.0, 8.0),
    )  # fmt: skip
    text = text.replace("\t\tFlags 512", f"\t\tFlags {512 | 1 | 8 | 2048}")
    level = mapped(text)
    (brush,) = level.entities[0].brushes
    assert brush.flags == BrushFlag.SOLID
    face = brush.faces[2]  # the top
    assert face["normal"].tolist() == [0, 1, 0]
    assert face["dist"] == 16
    assert face["flags"] == FaceFlag.MIRROR | FaceFlag.LIGHT | FaceFlag.TRANSLUCENT
    assert (face["face_light"], face["mip_map_bias"], face["alpha"], face["reflective_scale"]) == (250, 0.5, 100, 2)
    assert bytes(face["tex_name"]) == b"wall".ljust(32, b"\0")
    assert face["u_vec"] == pytest.approx([0, 0, -0.25], abs=1e-7)  # turned by -90 degrees, a lumel is 16 * 4 units
    assert face["v_vec"] == pytest.approx([0.125, 0, 0], abs=1e-7)
    assert (face["draw_scale_x"], face["draw_scale_y"], face["offset_x"], face["offset_y"]) == (0.5, 0.5, 5, -6)


def test_flags_of_brushes():
    flags = {1: 1, 2: 2, 0x40: 4, 5: 1 | 16, 9: 1 | 32, 0x100: 64, 0x4000: 128, 0x8001: 1 | 256, 0x201: 1 | 512,
             0x801: 1 | 1024, 0x10001: 0x10001, -0x7FFFFFFF: 0x80000001, 0x2001: 1}  # fmt: skip
    level = level_of(build.level(brushes=[build.leaf(flags=each) for each in flags], settings=""))
    assert [brush.flags for brush in to_map(level)[0].entities[0].brushes] == list(flags.values())


def test_details_may_hide_what_is_behind_them():
    detail = build.leaf(flags=9)
    assert mapped(detail).entities[0].brushes[0].flags == BrushFlag.SOLID  # VisDetail is set in this level
    plain = build.SETTINGS.replace("VisDetail 1", "VisDetail 0")
    assert mapped(detail, settings=plain).entities[0].brushes[0].flags == BrushFlag.SOLID | BrushFlag.DETAIL


def test_hidden_things_are_left_out_where_that_is_set():
    hidden = build.leaf("shy", flags=1 | 0x1000)
    lamp = build.entity([("classname", "light"), ("%name%", "l")], flags=4)
    suppressed = build.SETTINGS.replace("SuppressHidden 0", "SuppressHidden 1")
    assert len(mapped(hidden, entities=[lamp]).entities[0].brushes) == 1
    level, left_out = to_map(level_of(build.level(brushes=[hidden], entities=[lamp], settings=suppressed)))
    assert (level.entities[0].brushes, level.points) == ([], [])
    assert left_out == ["hidden brush 'shy'", "hidden entity 'l'"]


def test_models_in_the_order_of_their_numbers():
    parts = [build.leaf("two", model=2), build.leaf("one", model=1), build.leaf("lost", model=7)]
    models = [build.model("second", 2, origin=(1, 2.5, -3)), build.model("first", 1, motion=None)]
    level, left_out = to_map(level_of(build.level(brushes=parts, models=models)))
    first, second = level.models
    assert first.pairs == [("classname", "%Model%"), ("%name%", "first"), ("origin", "0.000000 0.000000 0.000000")]
    assert second.pairs[2] == ("origin", "1.000000 2.500000 -3.000000")
    assert (first.flags, first.motion, second.flags) == (0, None, 1)
    assert (len(first.brushes), len(second.brushes)) == (1, 1)
    assert left_out == ["brush 'lost' of model 7, which there is not"]
    assert second.motion is not None
    assert write(level).count(b"NameChecksum 2679\nEvents 0\nNameArray 1\nSBLK 0.F0\nStrings 1\nFixedPath\n") == 1


def test_a_motion_of_one_key_is_none():
    still = build.MOTION.replace("Keys 2", "Keys 1").replace("2.500000 1.000000 0.000000 0.000000 0.000000\n", "")
    still = still.replace("2.500000 0.000000 128.000000 0.000000\n", "")
    (model,) = mapped(build.leaf(model=1), models=[build.model("m", 1, motion=still)]).models
    assert (model.flags, model.motion) == (0, None)


def test_brushes_are_put_where_their_motion_begins():
    parts = build.leaf("door", low=(0, 128, 0), high=(8, 136, 8), model=1)
    (model,) = mapped(parts, models=[build.model("m", 1, time=2.5)]).models
    assert sorted(zip(model.brushes[0].faces["normal"][:, 1], model.brushes[0].faces["dist"], strict=True))[0] == (
        -1,
        0,
    )


def test_turned_brushes_are_turned_back():
    half = math.sqrt(0.5)
    turned = build.MOTION.replace(
        "2.500000 1.000000 0.000000 0.000000 0.000000", f"2.500000 {half:.6f} 0.000000 {half:.6f} 0.000000"
    ).replace("128.000000", "0.000000")
    parts = build.leaf("door", low=(10, 0, 0), high=(30, 4, 8), model=1)  # about (10, 0, 0), by 90 degrees about y
    (model,) = mapped(parts, models=[build.model("m", 1, time=2.5, origin=(10, 0, 0), motion=turned)]).models
    solid = brushes.polygons(model.brushes[0].faces, [6])
    assert solid.positions.min(axis=0) == pytest.approx([2, 0, 0], abs=1e-3)
    assert solid.positions.max(axis=0) == pytest.approx([10, 4, 20], abs=1e-3)


def test_entities_keep_the_keys_of_their_class():
    pairs = [("classname", "Door"), ("%name%", "d1"), ("Model", "M"), ("Next", "<null>"), ("Locked", "True"),
             ("colour", "red"), ("origin", "9 9 9")]  # fmt: skip
    other = [("classname", "Unknown"), ("%name%", "u"), ("anything", "1"), ("Next", "<null>")]
    again = [("classname", "Door"), ("%name%", "d2"), ("Next", "D1"), ("Model", "none"), ("Locked", "False")]
    entities = [build.entity(pairs, origin=(1, -2, 3)), build.entity(other), build.entity(again)]
    entities.append(build.entity([("classname", "Camera")]))
    level = level_of(build.level(entities=entities, models=[build.model("m", 1)]))
    made, left_out = to_map(level, TYPES)
    assert [entity.pairs for entity in made.points] == [
        [("classname", "Door"), ("%name%", "d1"), ("Model", "M"), ("Locked", "1"), ("origin", "1 -2 3")],
        [("classname", "Unknown"), ("%name%", "u"), ("anything", "1")],
        [("classname", "Door"), ("%name%", "d2"), ("Next", "D1"), ("Locked", "0"), ("origin", "0 0 0")],
    ]
    assert left_out == ["colour 'red' of entity 'd1'", "Model 'none' of entity 'd2'"]
    assert [entity.get("%typename%") for entity in made.typedefs] == [
        "Door",
        "Camera",
        "ModelOrigin",
        "spotlight",
        "light",
    ]


def test_keys_in_another_case_get_the_spelling_of_their_class():
    """The editor finds such a key, but leaves it out of the map."""
    pairs = [("classname", "Door"), ("%name%", "d"), ("ORIGIN", "9 9 9"), ("model", "m"), ("Origin", "8 8 8")]
    text = build.level(entities=[build.entity(pairs, origin=(1, -2, 3))], models=[build.model("m", 1)])
    made, left_out = to_map(level_of(text), TYPES)
    assert made.points[0].pairs == [
        ("classname", "Door"), ("%name%", "d"), ("origin", "1 -2 3"), ("Model", "m"),
    ]  # fmt: skip
    assert left_out == []


def test_entities_of_unknown_classes_keep_their_place():
    text = build.level(entities=[build.entity([("classname", "Unknown"), ("%name%", "u")], origin=(1, -2, 3))])
    made, _ = to_map(level_of(text), TYPES)
    assert made.points[0].pairs == [("classname", "Unknown"), ("%name%", "u"), ("origin", "1 -2 3")]


def test_a_locked_face_takes_its_axes_from_its_matrix():
    transform = (0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0)  # u along y, v along z
    text = build.leaf("lock", (1, 32), transform=transform, position=(1, 2, 3), scale=(2.0, 4.0), shift=(7, 8))
    text = text.replace("\t\tFlags 512", "\t\tFlags 768")
    level = level_of(build.level((1, 32), [text]))
    face = to_map(level)[0].entities[0].brushes[0].faces[0]
    assert face["u_vec"].tolist() == [0, 0.5, 0]
    assert face["v_vec"].tolist() == [0, 0, 0.5]
    assert (face["draw_scale_x"], face["draw_scale_y"]) == (1, 2)
    assert (face["offset_x"], face["offset_y"]) == (7 - 2 / 2, 8 - 3 / 4)


@pytest.mark.parametrize("face", range(6))
def test_a_locked_face_of_an_old_level_lies_in_its_plane(face):
    text = build.leaf("lock").replace("\t\tFlags 512", "\t\tFlags 768")
    made = mapped(text).entities[0].brushes[0].faces[face]
    u, v = made["u_vec"].astype(float), made["v_vec"].astype(float)
    assert (u @ made["normal"], v @ made["normal"], u @ v) == pytest.approx((0, 0, 0), abs=1e-6)
    assert (u @ u, v @ v) == pytest.approx((0.25, 0.25))


def test_sheets_and_back():
    data = genesis_bytes.level([genesis_bytes.entity([genesis_bytes.brush(genesis_bytes.box(), 0x402)])])
    level, left_out = to_3dt(read(data))
    assert left_out == []
    (brush,) = level.brushes
    assert brush.flags == 0x802
    assert [face.flags & ~256 for face in brush.faces] == [512 | 1024, 0, 0, 0, 0, 0]
    (again,) = to_map(level)[0].entities[0].brushes
    assert again.flags == 0x402


def test_a_map_as_the_editor_can_open_it():
    data = genesis_bytes.whole_level()
    level = read(data)
    assert isinstance(level, MapLevel)
    made, left_out = to_3dt(level)
    text = write(made)
    again = read(text)
    assert isinstance(again, Level3dt)
    back, _ = to_map(again)
    kept = sum(len(brush.faces) for entity in back.entities for brush in entity.brushes)
    lost = [line for line in left_out if "no solid" in line]
    assert kept == sum(len(leaf.faces) for leaf in made.leaves())
    assert [model.name for model in back.models] == [entity.name for entity in level.models]
    assert [entity.pairs for entity in back.points] == [
        [pair for pair in entity.pairs if pair[1] != "<null>"] for entity in level.points
    ] or lost
    for entity, other in zip(level.models, back.models, strict=True):
        if entity.motion is not None and other.motion is not None:
            for one, two in zip(entity.motion.paths, other.motion.paths, strict=False):
                assert np.array_equal(one.translation.values, two.translation.values)


def test_texture_vectors_of_any_kind_survive_both_ways():
    """What the editor's rule cannot say becomes a texture-locked face of a 1.32 level."""
    angle = 0.3
    u = (0.5 * math.cos(angle), 0.0, 0.5 * math.sin(angle))
    v = (-0.5 * math.sin(angle), 0.0, 0.5 * math.cos(angle))
    faces = genesis_bytes.box()
    faces[2] = genesis_bytes.face((0, 1, 0), 64, u=u, v=v, scale=(0.5, 0.25), offset=(3.25, -7.5))
    level, _ = to_3dt(read(genesis_bytes.level([genesis_bytes.entity([genesis_bytes.brush(faces)])])))
    assert level.version == (1, 32)
    again = read(write(level))
    assert isinstance(again, Level3dt)
    made = to_map(again)[0].entities[0].brushes[0].faces[2]
    assert made["u_vec"] == pytest.approx(u, abs=1e-6)
    assert made["v_vec"] == pytest.approx(v, abs=1e-6)
    assert (made["draw_scale_x"], made["draw_scale_y"]) == pytest.approx((0.5, 0.25))
    assert (made["offset_x"], made["offset_y"]) == pytest.approx((3.25, -7.5), abs=1e-4)


@pytest.mark.parametrize("axis", [0, 2])
@pytest.mark.parametrize("more", [0.0, 1e-7, 1e-6, 2e-6, 1e-5, 1e-3])
def test_textures_of_faces_between_two_axes_are_not_turned(more, axis):
    """Which axis such a face looks along is decided by the last bits of its points, and those are written anew."""
    normal = np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5)]) + (np.arange(3) == axis) * more
    normal = (normal / np.linalg.norm(normal)).astype(np.float32)
    u = (0.0, 0.0, 0.5) if normal[0] >= normal[2] else (0.5, 0.0, 0.0)
    brushes_ = []
    for place in (-3017.3, -211.7, 1009.9, 3003.1):  # the further away, the coarser the points
        sides = genesis_bytes.box((place, -8, place), (place + 30, 19, place + 31))
        v = (0.0, -0.5, 0.0)
        sides = [genesis_bytes.face(n, d, u=w, v=v) for n, d, w in zip(
            genesis_bytes.AXES[:2], (place + 30, -place), ((0, 0, 0.5),) * 2, strict=True)] + sides[4:]  # fmt: skip
        ends = [genesis_bytes.face((0, s, 0), d, u=(0.5, 0, 0), v=(0, 0, 0.5)) for s, d in ((1, 19), (-1, 8))]
        slope = genesis_bytes.face(normal.tolist(), float(normal @ (place + 30.0, 0, place + 20.0)), u=u, v=v)
        brushes_.append(genesis_bytes.brush([*sides, *ends, slope]))
    before = read(genesis_bytes.level([genesis_bytes.entity(brushes_), genesis_bytes.light()]))
    assert isinstance(before, MapLevel)
    after = read(write(to_3dt(before)[0]))
    assert isinstance(after, Level3dt)
    for was, now, shown in zip(before.world.brushes, to_map(after)[0].world.brushes, after.brushes, strict=True):
        for name in ("u_vec", "v_vec", "draw_scale_x", "draw_scale_y", "offset_x", "offset_y"):
            assert now.faces[6][name] == pytest.approx(was.faces[6][name], abs=1e-6), name
        locked = [bool(face.flags & EditorFaceFlag.TEXTURELOCKED) for face in shown.faces]
        assert not any(locked[:6])
        assert locked[6] or more > 5e-7


def test_an_unclosed_brush_is_left_out_by_name():
    sliver = genesis_bytes.brush(genesis_bytes.sliver()[:3])
    level, left_out = to_3dt(read(genesis_bytes.level([genesis_bytes.entity([sliver])])))
    assert level.brushes == []
    assert "brush 'World1', which encloses nothing" in left_out


@pytest.mark.parametrize("faces", [genesis_bytes.sliver(), genesis_bytes.box()[:5], genesis_bytes.box()[1:5]])
def test_an_unclosed_brush_ends_where_the_world_does(faces):
    """Slivers that the CSG left: harmless in a `.map`, and so in the `.3dt`, in which they are told."""
    world = genesis_bytes.entity([genesis_bytes.brush(genesis_bytes.box()), genesis_bytes.brush(faces)], pairs=LIBRARY)
    data = genesis_bytes.level([world, genesis_bytes.light(), genesis_bytes.typedef("light", genesis_bytes.LIGHT)])
    before = read(data)
    level, left_out = to_3dt(before)
    assert left_out == []
    assert [str(one) for one in check(level)] == ["warning: brush 'World2': its planes do not close"]
    points = np.concatenate([face.points for face in level.brushes[1].faces])
    assert np.abs(points).max() <= WORLD_BOUND
    assert isinstance(before, MapLevel)
    (_, planes), (_, made) = (one.entities[0].brushes for one in (before, to_map(level)[0]))
    assert made.faces["dist"] == pytest.approx(planes.faces["dist"], abs=2e-3)
    assert made.faces["normal"] == pytest.approx(planes.faces["normal"], abs=1e-4)


def test_a_solid_that_reaches_out_of_the_world_is_a_problem_still():
    box = genesis_bytes.brush(genesis_bytes.box((-64, -64, -64), (64, 64, 20000)))
    level, _ = to_3dt(read(genesis_bytes.level([genesis_bytes.entity([box], pairs=LIBRARY), genesis_bytes.light()])))
    assert [one.message for one in check(level)] == ["reaches out of the world, which ends at 15192"]


def test_a_sky_that_is_no_numbers_is_refused():
    data = genesis_bytes.level([genesis_bytes.entity(pairs=[("SkyRotation", "fast")])])
    with pytest.raises(FormatError, match="the world's sky"):
        to_3dt(read(data))


# ------------------------------------------------------------------------------------------------------- old editors


def test_todays_levels_are_not_changed():
    text = build.whole_level()
    level = level_of(text)
    made = upgraded(level)
    assert write(made) == text.encode()
    made.leaves()[0].faces[0].points[0] = 9
    made.entities[0].set("light", "1")
    assert write(level) == text.encode()


@pytest.mark.parametrize("version", build.VERSIONS, ids=lambda version: f"1.{version[1]}")
def test_every_version_can_be_upgraded_and_compiled(version):
    level = level_of(build.whole_level(version))
    made = upgraded(level)
    assert made.version == max(version, (1, 31))
    assert level_of(write(made).decode("latin-1")).version == made.version
    compiled, _ = to_map(level)
    world = compiled.entities[0]
    solid = brushes.polygons(
        np.concatenate([brush.faces for brush in world.brushes]), [len(brush.faces) for brush in world.brushes]
    )
    assert solid.closed.all()
    assert write(compiled)


def test_left_handed_levels_are_turned():
    level = level_of(build.level((1, 3), [build.leaf("a", (1, 3), (0, 0, 0), (1, 2, 3))],
                                 [build.entity([("classname", "light")], (1, 3), (10, 20, 30))]))  # fmt: skip
    made = upgraded(level)
    assert made.brushes[0].faces[0].points.tolist() == [[1, 2, 0], [1, 2, -3], [1, 0, -3], [1, 0, 0]]
    assert made.entities[0].place == pytest.approx((10 / 2.54, 20 / 2.54, -30 / 2.54))


def test_centimetres():
    text = build.level(
        (1, 5), [build.leaf("a", (1, 5), scale=(2.54, 5.08), model=1)], models=[build.model("m", 1, (1, 5))]
    )
    made = upgraded(level_of(text))
    assert made.brushes[0].faces[0].scale == pytest.approx((1, 2))
    assert made.models[0].motion.paths[0].translation.values[1].tolist() == pytest.approx([0, 128 * CENTIMETERS, 0])
    newer = upgraded(level_of(build.whole_level((1, 10))))
    assert newer.models[0].motion.paths[0].translation.values[1].tolist() == [0, 128, 0]


@pytest.mark.parametrize(
    ("version", "before", "after"),
    [
        ((1, 10), 0x1 | 0x8 | 0x40 | 0x100 | 0x80, 0x1 | 0x8 | 0x80),
        ((1, 24), 0x201, 0x1),
        ((1, 25), 0x201, 0x201),
        ((1, 28), 0x801, 0x1),
        ((1, 29), 0x801, 0x801),
        ((1, 31), 0x21, 0x1),
    ],
)
def test_old_flags_of_brushes(version, before, after):
    made = upgraded(level_of(build.level(version, [build.leaf("a", version, flags=before)])))
    assert made.brushes[0].flags == after
    assert bool(made.brushes[0].faces[0].flags & 2048) == bool(before & 0x20)


@pytest.mark.parametrize(
    ("version", "before", "after"),
    [
        ((1, 10), 4 | 8 | 16 | 32, 8 | 512),
        ((1, 12), 4 | 8 | 16 | 32, 8 | 1 | 2 | 4 | 512),
        ((1, 13), 1 | 2 | 4 | 8, 1 | 2 | 4 | 8 | 512),
        ((1, 24), 64 | 128 | 16, 512),
        ((1, 25), 64, 64 | 512),
        ((1, 29), 2048 | 512, 512),
        ((1, 30), 2048, 2048),
    ],
)
def test_old_flags_of_faces(version, before, after):
    text = build.leaf("a", version).replace("\t\tFlags 512", f"\t\tFlags {before}")
    assert upgraded(level_of(build.level(version, [text]))).brushes[0].faces[0].flags == after


def test_translucency_moves_from_brushes_to_faces():
    made = upgraded(level_of(build.level((1, 26), [build.leaf("a", (1, 26), haze=300)])))
    assert made.brushes[0].faces[0].translucency == 255
    assert upgraded(level_of(build.level((1, 12), [build.leaf("a", (1, 12))]))).brushes[0].faces[0].translucency == 0


def test_textures_parameters_come_back():
    """`textures.parameters` gives of a face what the .3dt said."""
    look = {"rotate": -30, "shift": (5, -6), "scale": (1.5, 3.0), "light_scale": (4.0, 2.0)}
    faces = mapped(build.leaf(**look)).entities[0].brushes[0].faces
    found = textures.parameters(faces)
    assert found["fits"].all()
    assert found["rotate"].tolist() == [-30] * 6
    assert found["scale"][0] == pytest.approx([1.5, 3])
    assert found["shift"][0].tolist() == [5, -6]
    assert found["light_scale"][0] == pytest.approx([4, 2])
