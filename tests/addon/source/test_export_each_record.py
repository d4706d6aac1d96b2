# SPDX-License-Identifier: GPL-3.0-or-later
"""Of several records of a kind, no two of which are alike, each is edited, copied and deleted by itself."""

from functools import cache

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import baselines, identity
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.placed import overlay_quads

from tests.addon.source.exports import Scene, close, copied, removed
from tests.formats import source_room

LDR, HDR = LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR
OVERLAY_PLACES = [(-100, 128, 64), (-180, 128, 40), (60, 128, 80)]
LIGHT_PLACES = [(-100, 10, 100), (100, 20, 90), (-50, 30, 80)]
CUBEMAP_PLACES = [(10, 20, 30), (50, 60, 70), (-90, 40, 35)]
PROP_PLACES = [(-200, 10, 8), (150, -20, 9), (-60, 30, 10)]


@cache
def crowd() -> bytes:
    """The room with three overlays, cubemaps, compiled lights and static props; the HDR lights are brighter and stand
    the other way round.
    """
    level = source_room.room()
    overlays = level.table(LumpId.OVERLAYS)[[0, 0, 0]]
    overlays["id"], overlays["origin"] = [4, 7, 9], OVERLAY_PLACES
    overlays["u"], overlays["v"] = [(0, 1), (0.25, 2), (0.5, 3)], [(0, 2), (0.125, 1), (0.75, 4)]
    overlays["face_count_and_render_order"] = [1, 1 | 2 << 14, 1 | 3 << 14]
    overlays["faces"][:, 0] = [source_room.NORTH_LEFT, source_room.NORTH_LEFT, source_room.NORTH_RIGHT]
    level.set_table(LumpId.OVERLAYS, overlays)
    fades = np.array([(100.0, 900.0), (400.0, 1600.0), (-1.0, 0.0)], level.table(LumpId.OVERLAY_FADES).dtype)
    level.set_table(LumpId.OVERLAY_FADES, fades)
    level.set_bytes(LumpId.OVERLAY_SYSTEM_LEVELS, bytes(range(12)))
    cubemaps = level.table(LumpId.CUBEMAPS)[[0, 1, 1]]
    cubemaps["origin"], cubemaps["size"] = CUBEMAP_PLACES, [0, 6, 7]
    level.set_table(LumpId.CUBEMAPS, cubemaps)
    lights = level.table(LDR)[[0, 1, 0]]
    lights["origin"], lights["intensity"] = LIGHT_PLACES, [(9, 8, 7), (6, 5, 4), (3, 2, 1)]
    lights["quadratic_attn"], lights["style"], lights["radius"] = 1, [0, 32, 33], [0, 400, 500]
    lights["type"], lights["normal"] = [1, 2, 1], [(0, 0, 0), (0, 0.6, -0.8), (0, 0, 0)]
    lights["stopdot"], lights["stopdot2"], lights["exponent"] = 0.8, 0.5, [0, 1, 2]
    level.set_table(LDR, lights)
    hdr = lights[::-1].copy()
    hdr["intensity"] *= 2
    level.set_table(HDR, hdr)
    props = level.static_props.props.copy()
    props["origin"], props["skin"], props["prop_type"] = PROP_PLACES, [1, 2, 3], [0, 1, 0]
    props["angles"] = [(0, 30, 0), (5, 0, 0), (0, 0, 7)]
    level.static_props.props = props
    return bytes(source.write(source.read(source.write(level))))


PLACES = {
    layout.OVERLAY: OVERLAY_PLACES, layout.CUBEMAP: CUBEMAP_PLACES, layout.WORLDLIGHT: LIGHT_PLACES,
    layout.STATIC_PROP: PROP_PLACES,
}  # fmt: skip
KINDS = pytest.mark.parametrize("kind", PLACES)


def table(level: source.Level, kind: str) -> np.ndarray:
    if kind == layout.STATIC_PROP:
        return level.static_props.props
    return level.table({layout.OVERLAY: LumpId.OVERLAYS, layout.CUBEMAP: LumpId.CUBEMAPS, layout.WORLDLIGHT: LDR}[kind])


def others(records: np.ndarray, *but: str) -> list[bytes]:
    """Each record without some fields, which are found anew where a thing goes."""
    names = [name for name in records.dtype.names if name not in but]
    return [b"".join(record[name].tobytes() for name in names) for record in records]


FOUND_ANEW = ("origin", "cluster", "faces", "first_leaf", "leaf_count", "flags", "lighting_origin")


@KINDS
@pytest.mark.parametrize("number", range(3))
def test_one_is_moved(kind: str, number: int) -> None:
    here = Scene(crowd())
    was = table(source.read(crowd()), kind)
    here.objects(kind)[number].location.x += 12
    made = here.export()
    now = table(made, kind)
    places = np.array(PLACES[kind])
    places[number, 0] += 12
    assert now["origin"].tolist() == places.tolist()
    assert others(now, *FOUND_ANEW) == others(was, *FOUND_ANEW)
    rest = np.arange(3) != number
    assert others(now[rest], "first_leaf") == others(was[rest], "first_leaf")
    assert Scene(crowd()).export().file.write() == crowd()


@KINDS
@pytest.mark.parametrize("number", range(3))
def test_one_is_deleted_and_one_is_copied(kind: str, number: int) -> None:
    here = Scene(crowd())
    was = table(source.read(crowd()), kind)
    objects = here.objects(kind)
    copied(objects[(number + 1) % 3]).location.x += 7
    removed(objects[number])
    now = table(here.export(), kind)
    rows = [*(each for each in range(3) if each != number), (number + 1) % 3]
    assert others(now[:2], *FOUND_ANEW) == others(was[rows[:2]], *FOUND_ANEW)
    assert others(now[2:], *FOUND_ANEW, "id") == others(was[rows[2:]], *FOUND_ANEW, "id")
    places = np.array(PLACES[kind])[rows]
    places[-1, 0] += 7
    assert now["origin"].tolist() == places.tolist()


@pytest.mark.parametrize("kind", [*PLACES, layout.ENTITY])
def test_one_that_the_map_has_not(kind: str) -> None:
    """As of another version of the map: three records have the numbers 0 to 2."""
    here = Scene(crowd())
    obj = here.objects(kind)[2]
    identity.stamp(obj, identity.stamped(obj).token, kind, 3)
    with pytest.raises(SceneError, match=r"3 isn't there, there are 3") as caught:
        here.export()
    assert caught.value.objects == [obj]


@pytest.mark.parametrize("kind", [layout.OVERLAY, layout.CUBEMAP, layout.WORLDLIGHT])
def test_what_a_property_that_is_gone_said_stays(kind: str) -> None:
    here = Scene(crowd())
    obj = here.objects(kind)[1]
    own = [key for key in obj.keys() if not key.startswith("levelwright")]  # noqa: SIM118
    assert own
    for key in own:
        del obj[key]
    assert here.export().file.write() == crowd()


@pytest.mark.parametrize("key", [layout.OVERLAY_CORNERS, layout.OVERLAY_UVS])
def test_overlays_need_what_the_import_remembers(key: str) -> None:
    here = Scene(crowd())
    kept = baselines.load(here.level, key)
    baselines.store(here.level, key, kept[:2])  # of two of them
    with pytest.raises(SceneError, match="made of it is lost") as caught:
        here.export()
    assert caught.value.objects == [here.objects(layout.OVERLAY)[2]]
    baselines.forget(here.level, key)
    with pytest.raises(SceneError, match="made of it is lost"):
        here.export()


# ------------------------------------------------------------------------------------------------------------- overlays


@pytest.mark.parametrize("number", range(3))
def test_the_properties_of_one_overlay(number: int) -> None:
    here = Scene(crowd())
    before = source.read(crowd())
    obj = here.objects(layout.OVERLAY)[number]
    obj["overlay_id"], obj["render_order"], obj["fade_max_dist"], obj["max_cpu_level"] = 11, 1, 50.0, 99
    made = here.export()
    was, now = table(before, layout.OVERLAY), table(made, layout.OVERLAY)
    assert now["id"].tolist() == [11 if each == number else was["id"][each] for each in range(3)]
    orders = [1 if each == number else [0, 2, 3][each] for each in range(3)]
    assert (now["face_count_and_render_order"] >> 14).tolist() == orders
    fades = before.table(LumpId.OVERLAY_FADES).tolist()
    fades[number] = (fades[number][0], 2500.0)
    assert made.table(LumpId.OVERLAY_FADES).tolist() == fades
    levels = np.arange(12).reshape(3, 4)
    levels[number, 1] = 99
    assert [list(row) for row in made.table(LumpId.OVERLAY_SYSTEM_LEVELS).tolist()] == levels.tolist()
    assert others(now, "id", "face_count_and_render_order") == others(was, "id", "face_count_and_render_order")


@pytest.mark.parametrize("number", range(3))
def test_a_copy_of_one_overlay_has_its_rows(number: int) -> None:
    here = Scene(crowd())
    before = source.read(crowd())
    copied(here.objects(layout.OVERLAY)[number]).location.z += 3
    made = here.export()
    was, now = (table(level, layout.OVERLAY) for level in (before, made))
    assert others(now[3:], *FOUND_ANEW, "id") == others(was[[number]], *FOUND_ANEW, "id")
    assert now["id"].tolist() == [4, 7, 9, 10]
    for lump in (LumpId.OVERLAY_FADES, LumpId.OVERLAY_SYSTEM_LEVELS):
        rows = before.table(lump).tolist()
        assert made.table(lump).tolist() == [*rows, rows[number]]


def test_a_new_texture_of_an_overlay_has_the_size_of_the_old_one() -> None:
    """Wide or high: the texinfo's texture is told by its texdata, the material by its slot."""
    level = source.read(crowd())
    texdata = level.table(LumpId.TEXDATA).copy()
    texdata["width"], texdata["height"] = [128, 16], [32, 64]
    level.set_table(LumpId.TEXDATA, texdata)
    here = Scene(source.write(level))
    obj = here.objects(layout.OVERLAY)[1]
    obj.data.materials.append(bpy.data.materials.new("sign/other"))
    assert here.export().file.write() == here.data, "no face has the second slot"
    obj.data.polygons[0].material_index = 1
    made = here.export()
    row = made.table(LumpId.TEXDATA)[2]
    assert (int(row["width"]), int(row["height"])) == (128, 32)
    assert made.texture_names.names[int(row["name_string_table_id"])] == "sign/other"
    texinfos = made.table(LumpId.OVERLAYS)["texinfo"]
    assert made.table(LumpId.TEXINFO)["texdata"][texinfos].tolist() == [0, 2, 0]
    assert here.report.counts["textures added"] == 1
    obj.data.polygons[0].material_index = 7  # Blender shows the last slot
    assert here.export().file.write() == made.file.write()
    obj.data.materials.clear()
    assert here.export().file.write() == here.data


def test_an_overlay_without_a_texinfo_may_be_given_a_texture() -> None:
    level = source.read(crowd())
    overlays = level.table(LumpId.OVERLAYS).copy()
    overlays["texinfo"][1] = -1
    level.set_table(LumpId.OVERLAYS, overlays)
    here = Scene(source.write(level))
    assert here.export().file.write() == here.data
    obj = here.objects(layout.OVERLAY)[1]
    obj.data.materials.clear()
    with pytest.raises(SceneError, match="an overlay needs a material") as caught:
        here.export()
    assert caught.value.objects == [obj]
    obj.data.materials.append(bpy.data.materials.new("sign/new"))
    made = here.export()
    row = made.table(LumpId.TEXDATA)[made.table(LumpId.TEXINFO)["texdata"][made.table(LumpId.OVERLAYS)["texinfo"][1]]]
    assert made.texture_names.names[int(row["name_string_table_id"])] == "sign/new"
    assert (int(row["width"]), int(row["height"])) == (64, 64)


def test_an_overlay_that_is_mirrored_or_turned_in_space() -> None:
    here = Scene(crowd())
    obj = here.objects(layout.OVERLAY)[2]
    before = table(source.read(crowd()), layout.OVERLAY)
    corners = overlay_quads.corners(before)[2] - OVERLAY_PLACES[2]
    obj.scale = (-1, 1, 1)
    mirrored = overlay_quads.corners(table(here.export(), layout.OVERLAY))[2]
    assert close(mirrored, corners * (-1, 1, 1) + OVERLAY_PLACES[2])
    obj.scale = (1, 1, 1)
    obj.rotation_euler.y = 0.5
    turned = np.array([[np.cos(0.5), 0, np.sin(0.5)], [0, 1, 0], [-np.sin(0.5), 0, np.cos(0.5)]])
    for stretch in (1, 2):
        obj.scale.z = stretch
        made = overlay_quads.corners(table(here.export(), layout.OVERLAY))[2]
        assert close(made, (corners * (1, 1, stretch)) @ turned.T + OVERLAY_PLACES[2])


# --------------------------------------------------------------------------------------------------------------- lights


@pytest.mark.parametrize("number", range(3))
def test_one_compiled_light_in_both_lists(number: int) -> None:
    """The lists are the other way round, and twice as bright in HDR: it becomes as much brighter there."""
    here = Scene(crowd())
    before = source.read(crowd())
    obj = here.objects(layout.WORLDLIGHT)[number]
    obj["intensity"] = [value * 3 for value in obj["intensity"]]
    made = here.export()
    for lump, place in ((LDR, number), (HDR, 2 - number)):
        was, now = before.table(lump), made.table(lump)
        wanted = was["intensity"].copy()
        wanted[place] *= 3
        assert now["intensity"].tolist() == wanted.tolist()
        assert others(now, "intensity") == others(was, "intensity")


@pytest.mark.parametrize("gone", [False, True])
def test_a_compiled_light_that_the_other_list_has_not(gone: bool) -> None:
    level = source.read(crowd())
    level.set_table(HDR, level.table(HDR)[[0, 2]])
    here = Scene(source.write(level))
    obj = here.objects(layout.WORLDLIGHT)[1]
    if gone:
        removed(obj)
    else:
        obj.location.x += 4
    made = here.export()
    assert here.changed(made) == ["WORLDLIGHTS"]
    assert any(each.startswith("1 edited compiled light is not in WORLDLIGHTS_HDR") for each in
               here.report.warnings)  # fmt: skip
    level.set_table(HDR, level.table(HDR)[:0])
    here = Scene(source.write(level))
    here.objects(layout.WORLDLIGHT)[1].location.x += 4
    assert here.changed(here.export()) == ["WORLDLIGHTS"]
    assert not [each for each in here.report.warnings if "compiled lights" in each], "it has none at all"


# ------------------------------------------------------------------------------------------------------------ cubemaps


def test_cubemaps_that_show_what_was_there_are_counted() -> None:
    here = Scene(crowd())
    objects = here.objects(layout.CUBEMAP)
    objects[0].location.x += 3
    objects[1]["cubemapsize"] = 5
    for number in (1, 2):
        copied(objects[number]).location.z += 9
    removed(objects[2])
    made = here.export().table(LumpId.CUBEMAPS)
    assert made["origin"].tolist() == [[13, 20, 30], [50, 60, 70], [-90, 40, 44], [50, 60, 79]]
    assert made["size"].tolist() == [0, 5, 7, 5]
    for obj in here.objects(layout.CUBEMAP).values():
        if "cubemapsize" in obj:
            del obj["cubemapsize"]
    assert sorted(here.export().table(LumpId.CUBEMAPS)["size"].tolist()) == [0, 0, 5, 7], "of a new one: the game's"
    assert [each.partition(" show")[0] for each in here.report.warnings if "cubemaps" in each] == ["4 cubemaps"]


# ------------------------------------------------------------------------------------------------------------- of none


@pytest.mark.parametrize("kind", [layout.OVERLAY, layout.CUBEMAP])
def test_the_first_of_a_kind_is_one_of_another_map(kind: str) -> None:
    lump = {layout.OVERLAY: LumpId.OVERLAYS, layout.CUBEMAP: LumpId.CUBEMAPS}[kind]
    level = source.read(crowd())
    level.set_table(lump, level.table(lump)[:0])
    for beside in (LumpId.OVERLAY_FADES, LumpId.OVERLAY_SYSTEM_LEVELS):
        level.set_bytes(beside, b"")
    here, there = Scene(source.write(level)), Scene(crowd())
    assert here.export().file.write() == here.data
    obj = there.objects(kind)[1]
    for collection in obj.users_collection:
        collection.objects.unlink(obj)
    here.level.objects.link(obj)
    obj.parent = here.objects("root")[0]
    for key in ("fade_min_dist", "fade_max_dist", *(f"{a}_{b}_level" for a in ("min", "max") for b in ("cpu", "gpu"))):
        if key in obj:
            del obj[key]
    assert here.export().table(lump)["origin"].tolist() == [list(PLACES[kind][1])]


@KINDS
def test_all_of_a_kind_are_deleted(kind: str) -> None:
    here = Scene(crowd())
    for obj in here.objects(kind).values():
        removed(obj)
    made = here.export()
    assert len(table(made, kind)) == 0
    for other in PLACES.keys() - {kind}:
        assert others(table(made, other)) == others(table(source.read(crowd()), other))


def test_a_compiled_light_of_another_map_is_refused() -> None:
    here, there = Scene(crowd()), Scene(crowd())
    obj = copied(there.objects(layout.WORLDLIGHT)[0])
    here.level.objects.link(obj)
    with pytest.raises(SceneError, match="a compiled light of another map: copy one of this map's") as caught:
        here.export()
    assert caught.value.objects == [obj]
