# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of real maps: lump by lump, with `check`, and read back with srctools and sourcepp, which others wrote.

Skipped where there is no corpus (../shared/corpus beside the repository, or $LEVELWRIGHT_SHARED/corpus); those that ask
the two packages also without them.
"""

from pathlib import Path

import numpy as np
import pytest

from formats import ranges
from formats.binary import FormatError
from formats.source import LumpId, check, geometry, read, write
from formats.source.container.segments import Span
from formats.source.edits import (
    cubemaps,
    entities,
    lightmaps,
    overlays,
    pak,
    static_props,
    texture_vectors,
    textures,
    worldlights,
)
from formats.source.edits import displacements as disp_edits
from formats.source.faces import displacements
from formats.source.light import lighting, rgbe
from formats.source.placed import overlay_quads

E = LumpId
SRCTOOLS_REFUSES = {"shack.360.bsp", "rot_main.bsp"}  # consoles; and what it makes of version 42


@pytest.fixture(scope="module")
def maps(corpus) -> dict[str, bytes]:
    found = {f"{path.parent.name}/{path.name}": path.read_bytes() for path in sorted(corpus.glob("bsp/*/*.bsp"))}
    if not found:
        pytest.skip(f"no Source maps in {corpus}")
    return found


def turned_texture(level) -> set[str] | None:
    """The texture of every 50th face is turned and shifted."""
    faces = level.table(geometry.drawn_faces(level))
    chosen = np.flatnonzero(geometry.valid_texinfos(level, faces))[::50]
    if not len(chosen):
        return None
    polygons = geometry.polygons(level)
    sizes = np.diff(polygons.first_corner)[chosen]
    corners = polygons.corners[ranges.flat(polygons.first_corner[chosen], sizes)]

    def texels():
        numbers = level.table(geometry.drawn_faces(level))["texinfo"][chosen]
        return geometry.texels(polygons.positions[corners], level.table(E.TEXINFO), np.repeat(numbers, sizes))

    lightmap = level.table(E.TEXINFO)["lightmap_vecs"][faces["texinfo"][chosen]].copy()
    wanted = texels() @ np.array([[0.8, 0.3], [-0.3, 0.9]]) + np.array([5, 7])
    texture_vectors.assign(level, chosen, texture_vectors.solve(level, polygons, chosen, wanted))
    assert np.abs(texels() - wanted).max() < 0.05
    numbers = level.table(geometry.drawn_faces(level))["texinfo"][chosen]
    assert (level.table(E.TEXINFO)["lightmap_vecs"][numbers] == lightmap).all()
    rows = level.table(E.TEXINFO)
    assert len({row.tobytes() for row in rows}) == len(rows)
    return {"TEXINFO", "FACES", "FACES_HDR", "ORIGINALFACES", "BRUSHSIDES"}


def moved_prop(level) -> set[str] | None:
    """A prop moves by a unit, the first goes, one is added."""
    props = level.static_props
    if props is None or props.props is None or not len(props.props):
        return None
    last = len(props.props) - 1
    place = props.props["origin"][last].astype(float)
    static_props.change(level, {last: {"origin": place + 1, "skin": 1}})
    static_props.remove(level, [0] if last else [])
    static_props.add(
        level, [{"model": "models/new/thing.mdl", "origin": place}], {"models/new/thing.mdl": ([-64] * 3, [64] * 3)}
    )
    return {"sprp", "PAKFILE"}


def raised_displacement(level) -> set[str] | None:
    """The first displacement rises, and neighbours with it; no border opens."""
    if not len(level.table(E.DISPINFO)):
        return None
    laid = displacements.displacements(level, geometry.polygons(level))
    old = laid.positions(level.table(E.DISP_VERTS))
    first, second = displacements.shared(laid, old)
    wanted, alphas = old + (laid.owner == 0)[:, None] * 8.0, level.table(E.DISP_VERTS)["alpha"].copy()
    alphas[laid.owner == 0] = 77
    disp_edits.change(level, wanted, alphas)
    made = laid.positions(level.table(E.DISP_VERTS))
    assert np.abs((made[first] - made[second]) - (old[first] - old[second])).max(initial=0) < 0.01
    kept = np.abs(made - old).max(axis=1) < 1e-3
    assert kept[~np.isin(laid.owner, laid.owner[first])].all() or kept.sum() < len(old)
    return {"DISP_VERTS", "PHYSDISP", "PHYSCOLLIDE"}  # older maps have the solids of displacements in the latter


def brighter_lightmap(level) -> set[str] | None:
    """The biggest lightmap of each lump is twice as bright; the others keep their bytes."""
    found = lighting.lightmaps(level)
    for lump, blocks in found.items():
        if not len(blocks.faces):
            continue
        offsets, owners = lighting.luxel_offsets(blocks)
        light = rgbe.decode(lighting.colors_at(level.bytes_of(lump), offsets))
        assert lightmaps.paint(level, lump, {(0, 0): light}) == 0
        light[owners == blocks.luxels.argmax()] += 0.25
        before = bytes(level.bytes_of(lump))
        assert lightmaps.paint(level, lump, {(0, 0): light}) > 0
        after = level.bytes_of(lump)
        changed = np.flatnonzero(np.frombuffer(before, "u1") != np.frombuffer(after, "u1"))
        block = int(blocks.luxels.argmax())
        assert changed.min() >= blocks.offset[block] - max(blocks.header[block], 0)
        assert changed.max() < blocks.offset[block] + blocks.luxels[block] * 4
    return {"LIGHTING", "LIGHTING_HDR", "FACES"} if found else None


def moved_cubemap(level) -> set[str] | None:
    """A cubemap moves: no name keeps its old place."""
    table = level.table(E.CUBEMAPS)
    if not len(table):
        return None
    old = table["origin"][0].tolist()
    cubemaps.change(level, 0, [old[0] + 1, old[1] + 2, old[2] + 3])
    token = "_".join(map(str, old))
    assert not [
        name
        for name in (*level.pak.names, *level.texture_names.names)
        if name.endswith((f"/c{token}.vtf", f"_{token}"))
    ]
    return {"CUBEMAPS", "PAKFILE", "TEXDATA_STRING_DATA", "TEXDATA_STRING_TABLE"}


def moved_overlay(level) -> set[str] | None:
    """The last overlay moves along itself, a copy of it is added, the first goes."""
    table = level.table(E.OVERLAYS)
    if not len(table) or not table["basis_normal"][-1].any():
        return None
    corners = overlay_quads.corners(table)[-1] + overlay_quads.bases(table)[0][-1] / 2
    overlays.change(level, {len(table) - 1: overlays.placed(corners, table[-1])})
    assert np.allclose(overlay_quads.corners(level.table(E.OVERLAYS))[-1], corners, atol=1e-3)
    overlays.add(level, [overlays.placed(corners) | {"texdata": 0}])
    assert np.allclose(overlay_quads.corners(level.table(E.OVERLAYS))[-1], corners, atol=1e-3)
    overlays.remove(level, [0])
    return {"OVERLAYS", "OVERLAY_FADES", "OVERLAY_SYSTEM_LEVELS", "TEXINFO"}


def moved_light(level) -> set[str] | None:
    """Of each list a light changes, one is added and one goes."""
    lists = [lump for lump in (E.WORLDLIGHTS, E.WORLDLIGHTS_HDR) if len(level.table(lump))]
    for lump in lists:
        place = level.table(lump)["origin"][0]
        worldlights.change(level, lump, {0: {"origin": place, "intensity": (1, 2, 3)}})
        worldlights.add(level, lump, [{"origin": place, "intensity": (1, 1, 1), "type": 5}])
        worldlights.remove(level, lump, [0])
    return {lump.name for lump in lists} or None


def other_texture(level) -> set[str] | None:
    """A texture has another name, size and colour, and there is a new one."""
    if not len(level.table(E.TEXDATA)):
        return None
    textures.change(level, 0, "a/longer/name/than/any/other/of/the/map", (128, 64), (0.1, 0.2, 0.3))
    textures.add(level, "another/new/one", (64, 64))
    return {"TEXDATA", "TEXDATA_STRING_DATA", "TEXDATA_STRING_TABLE"}


def other_entities(level) -> set[str]:
    """The world has another key, and there is a new entity."""
    entities.set_keys(level, 0, {"skyname": "sky_of_another_name"})
    entities.add(level, [("classname", "light"), ("origin", "0 0 0")])
    return {"ENTITIES"}


def new_file(level) -> set[str] | None:
    """The pak has a new file."""
    if level.file.cut(E.PAKFILE) or "__preload_section.pre" in level.pak:
        return None
    pak.put(level, {"materials/new/file.vmt": b"LightmappedGeneric {}" * 40})
    return {"PAKFILE"}


EDITS = (
    turned_texture, moved_prop, raised_displacement, brighter_lightmap, moved_cubemap, moved_overlay, moved_light,
    other_texture, other_entities, new_file,
)  # fmt: skip


def changed(before, after) -> set[str]:
    """The lumps that are other than before."""
    found = set()
    for lump in before.lumps:
        if lump == E.GAME_LUMP:  # its offsets count from the beginning of the file
            names = before.game_lumps.ids
            assert names == after.game_lumps.ids
            found |= {n for n in names if before.game_lumps.bytes_of(n) != after.game_lumps.bytes_of(n)}
        elif not before.file.cut(lump) and before.bytes_of(lump) != after.bytes_of(lump):
            found.add(LumpId(lump).name if lump < 64 else str(lump))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_only_the_lumps_that_must_change_do(maps, edit):
    done = 0
    for name, data in maps.items():
        level = read(data)
        may = edit(level)
        if may is None:
            assert write(level) == data, name
            continue
        done += 1
        before, after = read(data), read(write(level))
        assert changed(before, after) <= may, name
        problems = {str(problem) for problem in check(before)}
        assert [str(problem) for problem in check(after) if str(problem) not in problems] == [], name
        assert write(after) == write(level), name
        used = after.file.entries[after.file.entries["length"] > 0]
        was = before.file.entries["offset"][before.file.entries["length"] > 0]
        if not (was % 4).any():
            assert not (used["offset"] % 4).any(), name
        spans = sorted(Span(0, int(row["offset"]), int(row["offset"] + row["length"])).start for row in used)
        assert len(set(spans)) == len(spans), name
    assert done, "no map of the corpus has what is edited"


def test_a_lump_that_grows_moves_the_props(maps):
    """The game lump's offsets count from the beginning of the file: they follow when a lump before it grows."""
    for name, data in maps.items():
        level = read(data)
        entities.set_keys(level, 0, {"message": "x" * 999})
        after, before = read(write(level)), read(data)
        for lump in before.game_lumps.ids:
            assert after.game_lumps.bytes_of(lump) == before.game_lumps.bytes_of(lump), (name, lump)
        offset = int(before.file.entries["offset"][E.GAME_LUMP])
        behind = offset > int(before.file.entries["offset"][E.ENTITIES])
        if behind and not level.file.entries["size"][E.ENTITIES] and offset:
            assert int(after.file.entries["offset"][E.GAME_LUMP]) > offset, name


def test_edits_that_fail_change_nothing(maps):
    tried = 0
    for name, data in maps.items():
        level = read(data)
        wrong = [
            lambda level=level: entities.set_keys(level, 0, {"a": '"b" c'}),
            lambda level=level: static_props.change(level, {0: {"origin": (1e9, 0, 0)}}),
            lambda level=level: textures.change(level, 0, "x" * 300, (1, 1)),
            lambda level=level: disp_edits.change(level, np.full((len(level.table(E.DISP_VERTS)), 3), 1e6)),
            lambda level=level: overlays.change(level, {0: {"origin": (1e6, 0, 0)}}),
            lambda level=level: cubemaps.change(level, 10**6, (0, 0, 0)),
            lambda level=level: worldlights.change(level, E.WORLDLIGHTS, {0: {"type": 77}}),
        ]
        for edit in wrong:
            if edit is wrong[3] and not len(level.table(E.DISPINFO)):
                continue  # there is nothing to move
            with pytest.raises(FormatError):
                edit()
            tried += 1
        assert write(level) == data, name
    assert tried > 100


# ------------------------------------------------------------------------------------- what others make of our files


@pytest.mark.slow
def test_srctools_reads_what_we_wrote(maps, tmp_path: Path):
    pytest.importorskip("srctools")
    from srctools.bsp import BSP

    compared = 0
    for name, data in maps.items():
        level = read(data)
        if level.version < 19 or name.split("/")[1] in SRCTOOLS_REFUSES or len(data) > 4 << 20:
            continue
        for edit in (turned_texture, moved_prop, moved_cubemap, moved_overlay, other_texture, other_entities, new_file):
            edit(level)
        path = tmp_path / "edited.bsp"
        path.write_bytes(write(level))
        theirs, ours = BSP(path), read(path.read_bytes())
        assert [_of_theirs(entity) for entity in [theirs.ents.spawn, *theirs.ents.entities]] == [
            _of_ours(entity) for entity in ours.entities
        ], name
        assert [info.mat.lower() for info in theirs.texinfo] == [
            ours.texture_names.names[ours.table(E.TEXDATA)["name_string_table_id"][number]].lower()
            for number in ours.table(E.TEXINFO)["texdata"].tolist()
        ], name
        assert np.allclose(
            [(*info.s_off, info.s_shift, *info.t_off, info.t_shift) for info in theirs.texinfo],
            ours.table(E.TEXINFO)["texture_vecs"].reshape(-1, 8),
        ), name
        assert [list(cube.origin) for cube in theirs.cubemaps] == ours.table(E.CUBEMAPS)["origin"].tolist(), name
        _overlays_agree(list(theirs.overlays), ours)
        _props_agree(theirs, ours)
        assert sorted(theirs.pakfile.namelist()) == sorted(ours.pak.names), name
        compared += 1
    assert compared > 9


def _of_ours(entity) -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
    """Keys and outputs of an entity, as both sides can tell them."""
    outputs = entity.outputs
    names = {output.name for output in outputs}
    keys = {key.lower(): value for key, value in entity.pairs if key not in names and key.lower() != "hammerid"}
    return sorted(keys.items()), sorted((output.name.lower(), output.target, output.input) for output in outputs)


def _of_theirs(entity) -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
    keys = {key.lower(): value for key, value in entity.items() if key.lower() != "hammerid"}
    return sorted(keys.items()), sorted(
        (output.output.lower(), output.target, output.input) for output in entity.outputs
    )


def _overlays_agree(theirs, ours) -> None:
    table = ours.table(E.OVERLAYS)
    assert [overlay.id for overlay in theirs] == table["id"].tolist()
    counts = table["face_count_and_render_order"] & 0x3FFF
    listed = [row[:count].tolist() for row, count in zip(table["faces"], counts, strict=True)]
    assert [list(overlay.faces) for overlay in theirs] == listed
    for overlay, row, corners in zip(theirs, table, overlay_quads.corners(table), strict=True):
        assert np.allclose([*overlay.origin], row["origin"])
        assert np.allclose([*overlay.normal], row["basis_normal"])
        sign = -1 if overlay.basis_v_flipped else 1
        u = np.array([*overlay.basis_u])
        v = sign * np.cross([*overlay.normal], u)
        uvs = [overlay.uv1, overlay.uv2, overlay.uv3, overlay.uv4]
        assert np.allclose([np.array([*overlay.origin]) + uv.x * u + uv.y * v for uv in uvs], corners, atol=0.01)


def _props_agree(theirs, ours) -> None:
    found = ours.static_props
    if found is None or found.props is None or ours.game_lumps.version_of("sprp") == 4:
        return
    props = list(theirs.props)
    assert [prop.model for prop in props] == [found.models[kind] for kind in found.props["prop_type"]]
    for number, (prop, row) in enumerate(zip(props, found.props, strict=True)):
        assert [*prop.origin] == row["origin"].tolist()
        if np.isfinite(row["lighting_origin"]).all():  # some have whatever lay in the compiler's memory
            assert [*prop.lighting] == row["lighting_origin"].tolist()
        assert prop.skin == row["skin"]
        leafs = {theirs.visleafs.index(leaf) for leaf in prop.visleafs}
        assert leafs == set(found.leafs_of(number).tolist())


@pytest.mark.slow
def test_sourcepp_reads_what_we_wrote(maps, tmp_path: Path):
    pytest.importorskip("sourcepp")
    from sourcepp import bsppp

    compared = 0
    for name, data in maps.items():
        level = read(data)
        if level.version == 42 or len(data) > 4 << 20:
            continue
        for edit in EDITS:
            edit(level)
        path = tmp_path / "edited.bsp"
        path.write_bytes(write(level))
        theirs, ours = bsppp.BSP(str(path), False), read(path.read_bytes())
        assert theirs, name
        assert theirs.version == ours.version
        for lump in range(64):
            if lump == E.GAME_LUMP or ours.file.cut(lump):
                continue
            found = theirs.get_lump_data(bsppp.BSP.Lump(lump))
            assert bytes(found or b"") == bytes(ours.bytes_of(lump)), (name, lump)
        compared += 1
    assert compared > 15
