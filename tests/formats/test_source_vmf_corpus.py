# SPDX-License-Identifier: GPL-3.0-or-later
"""VMF from real maps against what their editors wrote: brushes, planes, axes, displacement fields, entity keys.

Compared are pairs of one revision. What differs, differs in the map already: vbsp turns planes that nearly lie along an
axis, gives sides without a face another texture, rounds cubemaps and leaves out instances.
"""

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

from formats.source import LumpId, geometry, read
from formats.source.content import keyvalues
from formats.source.faces import displacements
from formats.source.vmf import materials, of_level, plane_points, rules, write
from tests.formats.source_vmf import compiled_planes, same_sides, solids_of, written

pytestmark = pytest.mark.slow

# Pairs of one revision, with how many of the solids without displacements have the editor's planes, of how many.
EXACT = {
    "KitKatt-Mars__GigaBuilder/desert": (35, 35),
    "KitKatt-Mars__GigaBuilder/test": (45, 45),
    "KitKatt-Mars__GigaBuilder/water": (10, 10),
    "TeamSpen210__srctools/rot_main": (6, 6),
    "benjaminpants__portalmp/background02": (25, 25),
    "maybebata__msrc/dissenter": (71, 71),
    "miracleflame__VTMB-Unofficial-Patch-by-Wesp/ch_shrekhub": (305, 305),
    "miracleflame__VTMB-Unofficial-Patch-by-Wesp/sm_coffee_1": (391, 401),
    "ricochet-game__ricochet-sourcemod/rc_pyramid": (83, 83),
    "snake-biscuits__bsp_tool/test_physcollide": (9, 9),
}
# Pairs where the VMF was edited after the map was compiled, or before: how many solids are the same at least.
NEAR = {"AwertaDreams__framework-for-minigolf/test": 219, "lambdaforever__fight-or-suffer/c1l1": 169}
# Keys that the map has otherwise: class and key, with how many there are.
OTHERWISE = {
    ("color_correction", "filename"): 1,  # vbsp took its backslashes for escapes
    ("prop_static", "fademindist"): 26,  # where a prop doesn't fade: 0 or, once, 3 for -1
    ("prop_static", "lightingorigin"): 4,  # other names
    ("info_lighting", "targetname"): 3,
    ("prop_static", "mindxlevel"): 20,  # of records without the field
    ("prop_static", "maxdxlevel"): 20,
    ("env_cubemap", "origin"): 20,  # rounded
    ("env_cubemap", "sides"): 1,
}
MADE_IN_PARTS = ("func_detail", "func_instance")  # how they were joined is lost
SAME_NUMBER = 1e-3


# What vbsp will make otherwise, or isn't written.
_CLIPS = "will contain 0x{:x} instead of 0x{:x}, as no texture that is known makes that"
TOLD = {
    "Kolka2__FastDL/de_rats": [
        "brushes 1353, 1356 are left out: they are in no leaf, and the map is without them",
        "brushes 893, 1256 are written as func_ladder: their textures don't make them ladders",
    ],
    "miracleflame__VTMB-Unofficial-Patch-by-Wesp/hw_sinbin_1": [
        f"brushes 195 {_CLIPS.format(0x8020000, 0x8022000)}",
        f"brushes 155, 196, 201, 202, 203 {_CLIPS.format(0x8030000, 0x8032000)}",
    ],
}
# Maps with a brush of each tool texture, which name these in rows: 41, 29 and 36 brushes, 6 of each a room around.
TOOLS = {"csgo": 35, "l4d2": 23, "gmod": 30}


@pytest.fixture(scope="module")
def pairs(corpus):
    """What the editor wrote and what we write, by name."""
    found = {}
    for name in (*EXACT, *NEAR):
        level = read((corpus / "bsp" / f"{name}.bsp").read_bytes())
        theirs = keyvalues.parse((corpus / "bsp/vmf" / f"{name}.vmf").read_bytes())
        found[name] = level, theirs, keyvalues.parse(write(of_level(level)).data)
    return found


@pytest.fixture(scope="module")
def matched(pairs):
    """Solids without displacements: theirs, ours, and the pairs with the places of sides."""
    found = {}
    for name, (_, theirs, ours) in pairs.items():
        left = [solid for solid in solids_of(theirs) if not solid.displaced]
        right = [solid for solid in solids_of(ours) if not solid.displaced]
        free, same = list(right), []
        for solid in left:
            places = ((number, same_sides(solid, other)) for number, other in enumerate(free))
            number, sides = next(((n, s) for n, s in places if s is not None), (-1, None))
            if sides is not None:
                same.append((solid, free.pop(number), sides))
        found[name] = left, right, same
    return found


def test_brushes_and_their_planes(matched):
    for name, (same, count) in EXACT.items():
        left, right, both = matched[name]
        assert (len(left), len(right), len(both)) == (count, count, same), name
    for name, same in NEAR.items():
        assert len(matched[name][2]) >= same, name


def test_each_is_in_its_entity(matched):
    for name, (_, _, both) in matched.items():
        assert [one.classname for one, other, _ in both if one.classname != other.classname] == [], name


def test_materials_axes_and_luxels(matched):
    """All that has a face, and most of what has none. 5,971 of 5,977 sides of exact pairs have their material."""
    sides, materials, axes = 0, 0, 0
    for name in EXACT:
        for one, other, places in matched[name][2]:
            alike = np.array([a == other.materials[b] for a, b in zip(one.materials, places, strict=True)])
            tools = np.array([material.startswith("tools/") for material in one.materials])
            compared = alike & ~tools  # on tools, vbsp gives all one texinfo
            assert np.allclose(one.axes[compared, :, :3], other.axes[places][compared, :, :3], rtol=1e-4, atol=2e-4)
            assert np.abs(one.axes[compared, :, 3] - other.axes[places][compared, :, 3]).max(initial=0) < 0.01, name
            assert np.abs(one.luxels - other.luxels[places])[compared].max(initial=0) < 1e-3, name
            for side, place in zip(np.flatnonzero(compared), places[compared], strict=True):
                groups = (one.sides[side].get("smoothing_groups"), other.sides[place].get("smoothing_groups"))
                assert groups[0] == groups[1] or groups[1] == "0", name
            sides, materials, axes = sides + len(alike), materials + alike.sum(), axes + compared.sum()
    assert (sides, axes) == (5977, 4635)
    assert materials == 5971


def test_displacement_fields(pairs, corpus):
    """All displacements of exact pairs, and most of the others: distances, normals, alphas and tags."""
    compared = 0
    for name, (_, theirs, ours) in pairs.items():
        infos = [side.block("dispinfo") for solid in solids_of(ours) for side in solid.sides]
        infos = [info for info in infos if info is not None]
        _, fields = written(corpus / "bsp/vmf" / f"{name}.vmf")
        _, again = written_bytes(ours)
        tags = [tags_of(side) for solid in solids_of(theirs) for side in solid.sides if side.block("dispinfo")]
        assert len(infos) == len(again)
        for (start, edge, field, alphas), tag in zip(fields, tags, strict=True):
            near = [
                number
                for number, (other, size, own, _) in enumerate(again)
                if size == edge and np.abs(other - start).max() < 0.06 and np.abs(own - field).max() < 2e-3
            ]
            if not near and name in NEAR:
                continue
            assert near, (name, start)
            chosen = next((n for n in near if np.abs(again[n][3] - alphas).max() < 1e-3), None)
            assert chosen is not None, (name, start)
            assert any((tags_of_info(infos[n]) == tag).all() for n in near), (name, start)
            compared += 1
    assert compared == 41


def tags_of(side):
    return tags_of_info(side.block("dispinfo"))


def tags_of_info(info):
    rows = [text for _, text in info.block("triangle_tags").texts()]
    return np.array(" ".join(rows).split(), np.int64)


def written_bytes(whole):
    found = []
    for solid in solids_of(whole):
        for info in (side.block("dispinfo") for side in solid.sides if side.block("dispinfo")):
            edge = 2 ** int(info.get("power")) + 1
            start = np.array(info.get("startposition").strip("[]").split(), np.float64)
            parts = {}
            for name in ("normals", "distances", "offsets", "alphas"):
                texts = [text for _, text in info.block(name).texts()]
                parts[name] = np.array(" ".join(texts).split(), np.float64).reshape(edge * edge, -1)
            field = parts["normals"] * parts["distances"] + parts["offsets"]
            found.append((start, edge, field, parts["alphas"][:, 0]))
    return 0, found


def entities_of(whole):
    found = defaultdict(list)
    for kind, entity in whole.blocks():
        if kind in ("world", "entity"):
            found[entity.get("classname")].append(entity)
    return found


def keys_of(entity):
    return {key.lower(): value for key, value in entity.texts() if key != "id"}


def same_value(one, other):
    if one == other:
        return True
    try:
        numbers = [np.array(text.translate(str.maketrans("[]", "  ")).split(), np.float64) for text in (one, other)]
    except ValueError:
        return False
    return len(numbers[0]) == len(numbers[1]) > 0 and np.abs(numbers[0] - numbers[1]).max() <= SAME_NUMBER


def test_entities_and_their_keys(pairs):
    """14,616 keys and all outputs are the editor's, but for OTHERWISE; ids are kept where the map has them."""
    same, other, kept = 0, defaultdict(int), 0
    for name in EXACT:
        _, theirs, ours = pairs[name]
        left, right = entities_of(theirs), entities_of(ours)
        for classname, entities in left.items():
            if classname in MADE_IN_PARTS:
                continue
            assert len(right[classname]) == len(entities), (name, classname)
            free = [(keys_of(entity), entity) for entity in right[classname]]
            for entity in entities:
                keys = keys_of(entity)
                best = max(range(len(free)), key=lambda n: sum(free[n][0].get(k) == v for k, v in keys.items()))
                found, block = free.pop(best)
                for key, value in keys.items():
                    if same_value(value, found.get(key, "")):
                        same += 1
                    else:
                        other[classname, key] += 1
                outputs = [
                    list(e.block("connections").texts()) if e.block("connections") else [] for e in (entity, block)
                ]
                assert outputs[0] == outputs[1], (name, classname)
                kept += entity.get("id") == block.get("id")
    assert dict(other) == OTHERWISE
    assert (same, kept) == (14616, 50)


def test_planes_of_all_maps_come_back(corpus):
    """What vbsp, in float32, makes of the points: 99.8 % of all planes within 1e-6 and a thousandth at the corners."""
    total = near = whole = 0
    for path in sorted(corpus.glob("bsp/*/*.bsp")):
        solids = of_level(read(path.read_bytes())).solids
        points = plane_points.points(solids.normals, solids.dists, solids.corners, solids.first_corner)
        normals, dists = compiled_planes(points)
        owners = np.repeat(np.arange(len(dists)), np.diff(solids.first_corner))
        off = np.zeros(len(dists))
        heights = (solids.corners * normals[owners]).sum(axis=1) - dists[owners]
        np.maximum.at(off, owners, np.abs(heights))
        good = (np.abs(normals - solids.normals).max(axis=1) < 1e-6) & (off < 2e-3)
        assert good.mean() > 0.9, path
        total, near = total + len(good), near + int(good.sum())
        whole += int((points == np.round(points)).all(axis=(1, 2)).sum())
    assert near >= 0.998 * total  # 58,838 of 58,924
    assert whole >= 0.6 * total


def test_srctools_reads_them(corpus):
    vmf = pytest.importorskip("srctools.vmf")
    Keyvalues = pytest.importorskip("srctools").Keyvalues
    for path in sorted(corpus.glob("bsp/*/*.bsp"))[::2]:
        level = read(path.read_bytes())
        if level.version == 17:  # Bloodlines has seven fields in outputs, which srctools doesn't know
            continue
        made = write(of_level(level))
        text = made.data.decode(level.entities.encoding)
        peer = vmf.VMF.parse(Keyvalues.parse(text, allow_escapes=False), preserve_ids=True)
        solids = [*peer.brushes, *(solid for entity in peer.entities for solid in entity.solids)]
        assert len(solids) == made.counts["solids"], path
        assert sum(side.is_disp for solid in solids for side in solid.sides) == made.counts["displacements"], path
        assert len({side.id for solid in solids for side in solid.sides}) == sum(len(s.sides) for s in solids)
        ids = [entity.id for entity in peer.entities] + [solid.id for solid in solids]
        assert len(set(ids)) == len(ids), path
        outputs = sum(len(entity.outputs) for entity in level.entities)
        assert sum(len(entity.outputs) for entity in (*peer.entities, peer.spawn)) == outputs, path


def test_displaced_solids_have_their_face(corpus):
    """The first side of each solid lies on its face: vbsp takes the corner that is next to the start."""
    for path in sorted(corpus.glob("bsp/*/*.bsp")):
        level = read(path.read_bytes())
        if not len(level.bytes_of(LumpId.DISPINFO)):
            continue
        polygons = geometry.polygons(level)
        found = displacements.displacements(level, polygons)
        solids = of_level(level).solids
        upper = np.flatnonzero(solids.displacements >= 0)
        corners = polygons.positions[polygons.corners[found.corners]].astype(np.float64)
        heights = np.einsum("nki,ni->nk", corners, solids.normals[upper]) - solids.dists[upper][:, None]
        assert np.abs(heights).max() < 0.05, path


@pytest.mark.slow
def test_what_vbsp_will_make_otherwise(corpus):
    """Of 31 maps two: all brushes of the others will contain what they do, as far as textures are known."""
    told = {}
    for path in sorted(corpus.glob("bsp/*/*.bsp")):
        made = write(of_level(read(path.read_bytes())))
        if made.findings:
            told[f"{path.parent.name}/{path.stem}"] = [finding.message for finding in made.findings]
        values = [len(line) - line.index(b'" "') - 4 for line in made.data.split(b"\n") if b'" "' in line]
        assert max(values) <= rules.LONGEST, path
    assert told == TOLD


def test_each_tool_texture_comes_back(corpus):
    """vbsp left other textures on most of these brushes: what they contain says which one it was."""
    for name, count in TOOLS.items():
        level = read((corpus / "bsp" / "ata4__bspsrc" / f"{name}_tooltextures.bsp").read_bytes())
        wanted = {
            (8 + 32 * column, 8 + 32 * row): texture
            for row, names in enumerate(level.entities[0].get("textureNames").split(";"))
            for column, texture in enumerate(names.split())
        }
        assert len(wanted) == count
        solids = of_level(level).solids
        for solid, (first, end) in enumerate(pairwise(solids.first_side.tolist())):
            corners = solids.corners[solids.first_corner[first] : solids.first_corner[end]]
            place = tuple(corners.min(axis=0)[:2].astype(int).tolist())
            if place in wanted and corners.max(axis=0)[0] - place[0] < 32:
                assert set(solids.names[first:end]) == {wanted.pop(place)}, (name, solid)
        assert wanted == {}


def test_ladders_of_a_real_map(corpus):
    """Seven, each with the brush that fills its box."""
    level = read((corpus / "bsp/evgeniyfimushkin__cs-source/surf_ski_2.bsp").read_bytes())
    whole = keyvalues.parse(write(of_level(level)).data)
    ladders = [solid for solid in solids_of(whole) if solid.classname == "func_ladder"]
    assert [set(solid.materials) for solid in ladders] == [{"tools/toolsinvisible"}] * 7
    assert entities_of(whole)["info_ladder"] == []


def test_copies_of_old_compilers(corpus):
    """Whole materials for the default cubemap: eight in one map; two posters of an author stay."""
    level = read((corpus / "bsp/miracleflame__VTMB-Unofficial-Patch-by-Wesp/hw_sinbin_1.bsp").read_bytes())
    names = [name for name in level.texture_names.names if name.lower().startswith("maps/")]
    assert len(names) == 10
    assert [name for name in materials.originals(level, names) if name.lower().startswith("maps/")] == []
    level = read((corpus / "bsp/krd0xFF__fast-dl/gm_oasis.bsp").read_bytes())
    names = [name for name in level.texture_names.names if name.lower().startswith("maps/")]
    kept = [name for name in materials.originals(level, names) if name.lower().startswith("maps/")]
    assert kept == ["MAPS/GM_OASIS/MEATWAD-DANCE", "MAPS/GM_AMBI_APTS/IDA"]
