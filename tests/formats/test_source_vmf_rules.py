# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of vbsp that a VMF has to keep: what is mended, what is told by name, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from formats.source import LumpId, read
from formats.source.content import keyvalues
from formats.source.entities.text import Entity
from formats.source.records import Contents
from formats.source.tables import geometry
from formats.source.vmf import RuleError, of_level, rules, write
from tests.formats.source_room import room, rows
from tests.formats.source_vmf import same_sides, solids_of
from tests.formats.source_vmf_maps import (
    add_box,
    add_entity,
    areas,
    box_of,
    entities_of,
    grown,
    portals,
    texture,
    written,
)

NODRAW = "tools/toolsnodraw"
SOLID, LADDER = int(Contents.SOLID), int(Contents.LADDER)
SQUARE = [(0, -16, 16), (0, 16, 16), (0, 16, 48), (0, -16, 48)]


def said(made):
    return [finding.message for finding in made.findings]


# -------------------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize("pair", [("message", "x" * 1024), ("message", "é" * 512), ("OnUser1", "a," + "y" * 1022)])
def test_values_that_vbsp_cannot_read_are_refused_by_name(pair):
    level = room()
    level.entities[1].set("targetname", "lamp")
    level.entities[1].pairs.append(pair)
    with pytest.raises(RuleError, match=rf"light lamp: the value of '{pair[0]}' has 1024 characters") as error:
        write(of_level(level))
    assert [finding.entity for finding in error.value.findings if finding.refused] == [1]


def test_the_longest_value_is_written():
    level = room()
    level.entities[1].set("message", "x" * rules.LONGEST)
    made, whole, _ = written(level)
    assert entities_of(whole, "light")[0].get("message") == "x" * 1023
    assert made.findings == []


def test_lists_of_sides_that_are_too_long_are_parted(monkeypatch):
    """Of overlays, faces without shadows and cubemaps: each side is in one of the lists still."""
    level = room()
    ids = np.arange(10) + 500
    level.set_table(LumpId.FACEIDS, rows(geometry.FACEID, hammer_face_id=ids))
    faces = level.table(LumpId.FACES).copy()
    faces["num_prims"][[0, 1, 4]] |= 0x8000
    level.set_table(LumpId.FACES, faces)
    sides = level.table(LumpId.BRUSHSIDES).copy()
    sides["planenum"][6] = faces["planenum"][4]
    level.set_table(LumpId.BRUSHSIDES, sides)
    overlays = level.table(LumpId.OVERLAYS).copy()
    overlays["faces"][0, :3], overlays["face_count_and_render_order"] = (0, 1, 4), 3
    level.set_table(LumpId.OVERLAYS, overlays)
    cubemaps = level.table(LumpId.CUBEMAPS).copy()
    cubemaps["origin"] = [(-100, 0, 64), (10, 20, 30)]  # the patched wall is the farther one's
    level.set_table(LumpId.CUBEMAPS, cubemaps)
    _, whole, _ = written(level)
    assert [entity.get("sides") for entity in entities_of(whole, "info_overlay")] == ["500 501 504"]
    assert [entity.get("sides") for entity in entities_of(whole, "info_no_dynamic_shadow")] == ["500 501 504"]
    assert [entity.get("sides") for entity in entities_of(whole, "env_cubemap")] == ["", "504"]
    source = of_level(level)
    monkeypatch.setattr(rules, "LONGEST", 7)
    monkeypatch.setattr(rules, "values", lambda blocks, entities: iter(()))
    whole = keyvalues.parse(write(source).data)
    found = entities_of(whole, "info_overlay")
    assert [entity.get("sides") for entity in found] == ["500 501", "504"]
    assert len({entity.get("origin") for entity in found}) == 1
    assert [entity.get("sides") for entity in entities_of(whole, "info_no_dynamic_shadow")] == ["500 501", "504"]


def test_cubemaps_list_only_sides_that_are_seen():
    """A side without a face has a copy for a cubemap, too: nobody sees that one, and lists are short."""
    level = room()
    cubemaps = level.table(LumpId.CUBEMAPS).copy()
    cubemaps["origin"] = [(-100, 0, 64), (10, 20, 30)]
    level.set_table(LumpId.CUBEMAPS, cubemaps)
    source = of_level(level)
    assert len(source.copies[10, 20, 30]) == 6
    seen = set(source.copies[10, 20, 30].tolist()) & set(source.faces.tolist())
    listed = [entity.get("sides") for entity in entities_of(written(level)[1], "env_cubemap")]
    assert listed == ["", " ".join(map(str, seen))]
    assert len(seen) == 1


# ----------------------------------------------------------------------------------------------- brushes of no leaf


def occlusion(level, loops):
    """An occluder for each polygon."""
    points = np.concatenate(loops)
    first = grown(level, LumpId.VERTEXES, rows(geometry.VERTEX, point=points))
    count = len(loops)
    starts = np.cumsum([0, *(len(loop) for loop in loops)])
    parts = [np.array([count], "<i4").tobytes()]
    for number in range(count):
        parts += [np.array([0, number, 1], "<i4").tobytes(), np.zeros(6, "<f4").tobytes()]
    parts.append(np.array([count], "<i4").tobytes())
    parts += [np.array([starts[n], len(loops[n]), 0], "<i4").tobytes() for n in range(count)]
    parts.append(np.array([starts[-1], *(first + np.arange(starts[-1]))], "<i4").tobytes())
    level.set_bytes(LumpId.OCCLUSION, b"".join(parts))


def test_occluders_get_their_brushes_back():
    level = room()
    boxes = [((-200, -50, 10), (-190, 50, 90)), ((100, -50, 10), (110, 50, 90))]
    for low, high in boxes:
        add_box(level, low, high, SOLID, listed=False)
    loops = [[(high[0], -50, 10), (high[0], 50, 10), (high[0], 50, 90), (high[0], -50, 90)] for _, high in boxes]
    occlusion(level, loops)
    names = [add_entity(level, "func_occluder", occludernumber=number, targetname=f"o{number}") for number in (1, 0)]
    made, _, found = written(level)
    assert len(names) == len(found["func_occluder"]) == 2
    assert {s.entity.get("targetname"): tuple(box_of(s)) for s in found["func_occluder"]} == {
        "o0": boxes[0],
        "o1": boxes[1],
    }
    assert sorted(found["func_occluder"][0].materials) == [NODRAW] * 5 + ["tools/toolsoccluder"]
    assert len(found["worldspawn"]) == 4
    assert made.findings == []


def test_brushes_that_are_nowhere_in_the_map_are_left_out_and_told():
    level = room()
    inside = add_box(level, (-50, -50, 10), (-40, 50, 90), SOLID, listed=False)
    add_box(level, (-50, -50, -900), (-40, 50, -800), SOLID, listed=False)  # in matter: it is there
    made, _, found = written(level)
    assert [message for message in said(made) if "left out" in message] == [
        f"brushes {inside} are left out: they are in no leaf, and the map is without them"
    ]
    lowest = {box_of(solid)[0] for solid in found["worldspawn"] if not solid.displaced}
    assert (-50, -50, -900) in lowest
    assert (-50, -50, 10) not in lowest


# ------------------------------------------------------------------------------------------------------------- ladders


def box_keys(low, high):
    ends = {"mins": low, "maxs": high}
    return {f"{end}__{axis}": f"{v:.2f}" for end, point in ends.items() for axis, v in zip("xyz", point, strict=True)}


def test_ladders_go_back_to_their_entities():
    """Two brushes fill the box of one, which has an id of the editor; another one's box has no brush: it stays."""
    level = room()
    nodraw = texture(level, NODRAW)
    add_box(level, (-90, 0, 0), (-80, 20, 50), SOLID | LADDER, nodraw)
    add_box(level, (-90, 0, 50), (-80, 20, 128), SOLID | LADDER, nodraw)
    add_entity(level, "info_ladder", hammerid=901, team=1, **box_keys((-90, 0, 0), (-80, 20, 128)))
    add_entity(level, "info_ladder", **box_keys((-90, 0, 0), (-80, 20, 200)))
    made, whole, found = written(level)
    ladder, other = entities_of(whole, "func_ladder")[0], entities_of(whole, "info_ladder")
    assert (ladder.get("id"), ladder.get("team"), ladder.get("mins.x")) == ("901", "1", None)
    assert [entity.get("maxs.z") for entity in other] == ["200.00"]
    assert [set(solid.materials) for solid in found["func_ladder"]] == [{NODRAW}] * 2
    assert len(found["worldspawn"]) == 4
    assert made.findings == []


def test_ladders_without_a_ladder_texture():
    """Of one that was seen through, a tool is left; solid ones of an ordinary texture become a func_ladder."""
    level = room()
    wood = texture(level, "wood/planks")
    add_box(level, (-90, 0, 0), (-80, 20, 50), LADDER | Contents.GRATE | Contents.TRANSLUCENT, texture(level, NODRAW))
    brush = add_box(level, (-90, 0, 60), (-80, 20, 128), SOLID | LADDER, wood)
    faces = level.table(LumpId.FACES).copy()
    faces["texinfo"][4] = wood  # seen on a wall, which isn't one
    level.set_table(LumpId.FACES, faces)
    sides = level.table(LumpId.BRUSHSIDES).copy()
    sides["planenum"][6] = faces["planenum"][4]
    level.set_table(LumpId.BRUSHSIDES, sides)
    made, _, found = written(level)
    invisible = [solid for solid in found["worldspawn"] if "tools/toolsinvisibleladder" in solid.materials]
    assert [box_of(solid)[1] for solid in invisible] == [(-80, 20, 50)]
    assert [box_of(solid)[1] for solid in found["func_ladder"]] == [(-80, 20, 128)]
    assert said(made) == [f"brushes {brush} are written as func_ladder: their textures don't make them ladders"]
    assert made.counts["func_ladder"] == 1


# -------------------------------------------------------------------------------------------------------- area portals


def portal_room(boxes, polygons, keys):
    level = room()
    areas(level, 1, 2)
    for low, high in boxes:
        add_box(level, low, high, Contents.AREAPORTAL)
    portals(level, polygons)
    for key in keys:
        add_entity(level, "func_areaportalwindow", portalnumber=key, targetname=f"p{key}")
    return level


def portal_boxes(found):
    return {solid.entity.get("targetname"): box_of(solid)[0] for solid in found["func_areaportalwindow"]}


LOW, HIGH, ABOVE = ((-2, -16, 16), (2, 16, 48)), ((-2, -16, 60), (2, 16, 90)), ((-2, -16, 100), (2, 16, 120))
UPPER = [(0, y, z + 44) for _, y, z in SQUARE]


def test_portals_with_one_polygon_are_matched_by_their_order():
    level = portal_room(
        [LOW, HIGH, ABOVE], {1: SQUARE, 2: SQUARE, 3: [(0, y, z * 0.4 + 95) for _, y, z in SQUARE]}, [3, 1, 2]
    )
    made, _, found = written(level)
    assert portal_boxes(found) == {"p1": LOW[0], "p2": HIGH[0], "p3": ABOVE[0]}
    assert made.findings == []


def test_portals_are_matched_by_their_polygons_where_brushes_are_missing():
    level = portal_room([HIGH, LOW], {1: SQUARE, 2: UPPER, 3: SQUARE}, [1, 2, 3])
    _, _, found = written(level)
    boxes = portal_boxes(found)
    assert (boxes["p1"], boxes["p2"]) == (LOW[0], HIGH[0])
    assert boxes["p3"][0] == -1  # a new brush, as thick as two units


def test_portals_that_vbsp_would_stop_at():
    level = portal_room([LOW], {1: SQUARE}, [1, 2])
    number = len(level.entities) - 1
    made, whole, _ = written(level)
    assert [entity.get("targetname") for entity in entities_of(whole, "func_areaportalwindow")] == ["p1"]
    assert [finding.entity for finding in made.findings] == [number]
    assert "func_areaportalwindow p2: left out, as it has no brush" in said(made)[0]
    source = of_level(level)
    own = source.solids.taken(np.flatnonzero(source.solids.owners == number - 1))
    twice = source.edited(np.zeros(0, np.int64), [replace(own, brushes=np.array([-1]))])
    with pytest.raises(RuleError, match="p1: an area portal has one brush, and this one 2"):
        write(twice)


@pytest.mark.parametrize(("left", "right", "told"), [(1, 2, False), (1, 1, True), (0, 1, True)])
def test_portals_between_areas(left, right, told):
    level = portal_room([LOW], {1: SQUARE}, [1])
    areas(level, left, right)
    made = written(level)[0]
    assert any("func_areaportalwindow p1: its brush is not between two areas" in line for line in said(made)) == told


def test_brushes_of_entities_that_have_a_place():
    """vbsp moves these by it, though it leaves them in the world then."""
    level = portal_room([LOW], {1: SQUARE}, [1])
    level.entities[-1].set("origin", "100 0 10")
    _, _, found = written(level)
    assert box_of(found["func_areaportalwindow"][0]) == [(98, -16, 26), (102, 16, 58)]


# ------------------------------------------------------------------------------------------------------------ contents


def test_the_side_that_says_what_a_brush_is_stands_first():
    """All but what is seen through comes from the first side: here that of the clip texture, the map's last one."""
    level = room()
    wall, clip = texture(level, NODRAW), texture(level, "tools/toolsplayerclip")
    brush = add_box(level, (-90, 0, 0), (-80, 20, 50), Contents.PLAYERCLIP | Contents.DETAIL, [wall] * 5 + [clip])
    made, _, found = written(level)
    solid = next(solid for solid in found["worldspawn"] if "tools/toolsplayerclip" in solid.materials)
    assert solid.materials == ["tools/toolsplayerclip", *[NODRAW] * 5]
    assert solid.normals[0].tolist() == [0, 0, 1]
    assert made.findings == []
    assert brush == 2


def test_contents_that_no_texture_makes_are_told():
    level = room()
    brush = add_box(level, (-90, 0, 0), (-80, 20, 50), 0x8032000, texture(level, "tools/toolsclip"))
    message = f"brushes {brush} will contain 0x8030000 instead of 0x8032000, as no texture that is known makes that"
    assert said(written(level)[0]) == [message]


def test_entities_that_add_to_what_their_brushes_contain():
    """A func_water is water whatever its textures; what an area portal closes with is a window."""
    level = portal_room([LOW], {1: SQUARE}, [1])
    level.entities[-1].set("target", "pane")
    nodraw = texture(level, NODRAW)
    water = add_box(level, (-90, 0, 0), (-80, 20, 50), Contents.WATER | Contents.TRANSLUCENT, nodraw, listed=False)
    pane = add_box(level, (-90, 0, 60), (-80, 20, 90), Contents.WINDOW | Contents.TRANSLUCENT, nodraw, listed=False)
    listed = level.table(LumpId.LEAFBRUSHES)["brush"].tolist()
    level.set_table(LumpId.LEAFBRUSHES, rows(level.table(LumpId.LEAFBRUSHES).dtype, brush=[*listed, water, pane]))
    leafs = np.concatenate([level.table(LumpId.LEAFS), level.table(LumpId.LEAFS)[[0, 0]]])
    leafs["firstleafbrush"][3:], leafs["numleafbrushes"][3:] = [len(listed), len(listed) + 1], 1
    level.set_table(LumpId.LEAFS, leafs)
    models = np.concatenate([level.table(LumpId.MODELS)] * 3)
    models["headnode"][1:], models["numfaces"][1:] = [-4, -5], 0
    level.set_table(LumpId.MODELS, models)
    add_entity(level, "func_water", model="*1")
    add_entity(level, "func_brush", model="*2", targetname="pane")
    made, _, found = written(level)
    assert set(found["func_water"][0].materials) == {NODRAW}
    assert set(found["func_brush"][0].materials) <= {NODRAW, "tools/toolsblockbullets"}
    assert made.findings == []


# -------------------------------------------------------------------------------------------------------------- luxels


@pytest.mark.parametrize(("count", "scale"), [(126, 16), (127, 17), (128, 17), (256, 33)])
def test_displacements_with_too_many_luxels(count, scale):
    level = room()
    texinfos = level.table(LumpId.TEXINFO).copy()
    texinfos["lightmap_vecs"][0] = [(1 / 16, 0, 0, 0), (0, -1 / 16, 0, 0)]
    level.set_table(LumpId.TEXINFO, texinfos)
    faces = level.table(LumpId.FACES).copy()
    faces["lightmap_size"][0], faces["lightmap_size"][1] = (4, count), (4, 4)
    level.set_table(LumpId.FACES, faces)
    made, _, found = written(level)
    scales = sorted(
        solid.luxels[solid.materials.index("dev/floor")] for solid in found["worldspawn"] if solid.displaced
    )
    assert scales == [16, scale]
    assert len(made.findings) == (scale != 16)
    if scale != 16:
        assert said(made)[0].startswith(f"displacement 0: its lightmapscale is {scale} instead of 16")


# ------------------------------------------------------------------------------------------------ what vbsp itself made


@pytest.fixture(scope="module")
def hand(corpus):
    folder = corpus.parent / "reference" / "vbsp" / "hand"
    if not folder.is_dir():
        pytest.skip("no maps compiled by vbsp beside this repository (../shared/reference)")
    return folder


@pytest.mark.parametrize(
    ("name", "classname"), [("box", None), ("leak", None), ("ladder", "func_ladder"), ("occ", "func_occluder")]
)
def test_what_vbsp_compiled_comes_back(hand, name, classname):
    """All solids, each in its entity, with its textures; keys and ids of entities."""
    theirs = keyvalues.parse((hand / f"{name}.vmf").read_bytes())
    made, ours, _ = written(read((hand / f"{name}.bsp").read_bytes()))
    left, right = solids_of(theirs), solids_of(ours)
    assert len(left) == len(right)
    for solid in left:
        places = [(other, same_sides(solid, other)) for other in right]
        other, sides = next((other, sides) for other, sides in places if sides is not None)
        assert other.classname == solid.classname
        if classname == solid.classname:
            assert [other.materials[place] for place in sides] == solid.materials
    if classname:
        one, other = (entities_of(whole, classname)[0] for whole in (theirs, ours))
        keys = [{key: value for key, value in entity.texts() if key != "model"} for entity in (one, other)]
        assert keys[0] == keys[1]
    assert made.findings == []


def test_an_entity_is_named_by_what_it_has():
    level = room()
    level.entities.extend([Entity([("classname", "a"), ("hammerid", "7")]), Entity([("classname", "b")])])
    assert [rules.named(level.entities, number) for number in (2, 3, 4)] == ["info_target a", "a 7", "b number 4"]
    assert rules.listed(np.arange(25)) == ", ".join(map(str, range(20))) + " and 5 more"
