# SPDX-License-Identifier: GPL-3.0-or-later
"""Light of new faces of brush models: that of the luxels nearest to where their entity is, as new faces of the world
have it.
"""

import math
from pathlib import Path

import numpy as np
import pytest

from formats.source import Entity, Level, LumpId, check, geometry, read, world, write
from formats.source.edits import brush_models
from formats.source.edits.brush_models import NEW, Face, Piece
from formats.source.light import changed_faces, lighting, rgbe
from formats.source.world import WorldEdits
from tests.formats import source_world_faces as proofs
from tests.formats.source_door import box
from tests.formats.source_lit_rooms import BUMPED, SWITCHED, lit_rooms

E = LumpId
LOW, HIGH = (-16, -32, -16), (16, 32, 16)
MIDDLE = np.array([-208.0, -48.0, 64.0])
"""In the west room, a whole number of luxels from the origin."""
SAMPLE = Path(__file__).parents[1] / "samples" / "source_room.bsp"
LUMPS = (E.LIGHTING, E.LIGHTING_HDR)


@pytest.fixture
def level() -> Level:
    made = lit_rooms()
    assert check(made) == []
    return made


def piece(low=LOW, high=HIGH, top: int = 2) -> Piece:
    """A box with a texinfo for each axis. top: that of the one across z."""
    normals = np.concatenate([[-np.eye(3)[axis], np.eye(3)[axis]] for axis in range(3)])
    dists = np.array([side for axis in range(3) for side in (-low[axis], high[axis])], np.float64)
    return Piece(normals, dists, np.array([0, 0, 1, 1, top, top]), 1)


def faces(low=LOW, high=HIGH, top: int = 2) -> list[Face]:
    return [Face(ring, texinfo) for ring, texinfo in zip(box(low, high), [0, 0, 1, 1, top, top], strict=True)]


def place(yaw: float = 0.0, origin: np.ndarray = MIDDLE) -> np.ndarray:
    made = np.eye(4)
    cos, sin = round(math.cos(math.radians(yaw)), 12), round(math.sin(math.radians(yaw)), 12)
    made[:2, :2] = (cos, -sin), (sin, cos)
    made[:3, 3] = origin
    return made


def with_model(level: Level, where: np.ndarray, yaw: float = 0.0, **of_box) -> tuple[Level, list[int]]:
    """The map with a brush model of a box and its entity, as read from its bytes, and the model's faces."""
    number = brush_models.add(level, [piece(**of_box)], faces(**of_box), place=where)
    origin = " ".join(f"{part:g}" for part in where[:3, 3])
    pairs = [("classname", "func_brush"), ("model", f"*{number}"), ("origin", origin), ("angles", f"0 {yaw:g} 0")]
    level.entities.append(Entity(pairs))
    after = read(write(level))
    assert check(after) == []
    row = after.table(E.MODELS)[number]
    return after, list(range(int(row["firstface"]), int(row["firstface"]) + int(row["numfaces"])))


def by_side(level: Level, which: list[int], lump: LumpId, turn: np.ndarray) -> dict[tuple, list]:
    """The luxels of faces, sorted, by the way that they look in the world."""
    found, data = lighting.lightmaps(level)[lump], level.bytes_of(lump)
    planes, made = level.table(E.PLANES)["normal"].astype(np.float64), {}
    for face in which:
        block = found.faces.tolist().index(face)
        colors = lighting.lightmap_colors(data, found.offset[block : block + 1], found.luxels[block : block + 1])
        normal = turn @ planes[level.table(E.FACES)["planenum"][face]]
        made[tuple(np.rint(normal).astype(int).tolist())] = sorted(colors["rgb"].tolist())
    return made


@pytest.mark.parametrize("yaw", [0.0, 90.0, 180.0])
def test_it_is_that_of_new_faces_of_the_world(level: Level, yaw: float) -> None:
    before, turn = read(write(level)), place(yaw)[:3, :3]
    half = np.abs(turn @ HIGH)
    other = read(write(level))
    world.apply(other, WorldEdits(added=[piece(MIDDLE - half, MIDDLE + half)]))
    other = read(write(other))
    after, own = with_model(level, place(yaw), yaw)
    for lump in LUMPS:
        wanted = by_side(other, proofs.new_faces(before, other)[0].tolist(), lump, np.eye(3))
        assert len(wanted) == 6 and by_side(after, own, lump, turn) == wanted
        assert bytes(after.bytes_of(lump)).startswith(bytes(before.bytes_of(lump))), "the others keep theirs"
    west = by_side(after, own, E.LIGHTING, turn)[-1, 0, 0]
    assert west != by_side(after, own, E.LIGHTING, turn)[1, 0, 0]


def test_styles_bumped_light_and_averages(level: Level) -> None:
    west = next(n for n in range(6) if proofs.Map(level).normal(n)[0] == 1)
    assert level.table(E.FACES)["styles"][west, 1] == SWITCHED
    after, own = with_model(level, place(origin=np.array([-236.0, 0.0, 64.0])), top=BUMPED)
    table = after.table(E.FACES)
    for lump in LUMPS:
        found = lighting.lightmaps(after)[lump]
        mine = np.isin(found.faces, own)
        assert mine.sum() == 6 and sorted(np.unique(found.samples[mine]).tolist()) == [1, 4]
        assert (found.styles[mine] == 2).any() and not len(found.outside)
        assert found.offset[mine].max() < len(after.bytes_of(lump))
        for block in np.flatnonzero(mine).tolist():
            flat = lighting.lightmap_colors(
                after.bytes_of(lump), found.offset[block : block + 1], found.luxels[block : block + 1]
            )
            mean = lighting.colors_at(after.bytes_of(lump), found.averages()[block : block + 1])
            assert np.allclose(rgbe.decode(mean), rgbe.decode(flat).mean(axis=0), rtol=0.02)
    assert (table["styles"][own] == SWITCHED).any()


def test_large_faces_have_coarse_luxels_and_vectors_that_span_them(level: Level) -> None:
    """No more than 32 luxels along a side; a texinfo of the floor says nothing on a wall."""
    low, high = (-100, -60, -60), (100, 60, 60)
    rows = level.table(E.TEXINFO).copy()
    rows["lightmap_vecs"][:3] *= 8  # a luxel every 2 units
    level.set_table(E.TEXINFO, rows)
    level = read(write(level))
    number = brush_models.add(
        level,
        [piece(low, high)],
        [Face(ring, 2) for ring in box(low, high)],
        place=place(origin=np.array([-128, 0, 64])),
    )
    row = level.table(E.MODELS)[number]
    own = level.table(E.FACES)[int(row["firstface"]) :][: int(row["numfaces"])]
    assert own["lightmap_size"].max() == 32 and (own["lightmap_size"] > 0).all()
    normals = level.table(E.PLANES)["normal"][own["planenum"]]
    vectors = level.table(E.TEXINFO)["lightmap_vecs"][own["texinfo"]][:, :, :3]
    seen = np.abs(np.einsum("ni,ni->n", np.cross(vectors[:, 0], vectors[:, 1]), normals))
    assert (seen > 1e-3).all()


def test_what_is_rebuilt_is_lit_by_its_own_faces_too(level: Level) -> None:
    """A box that a model gets beside it has the light of the model's luxels, as far as these are nearer."""
    where = place()
    level, own = with_model(level, where)
    data = {lump: bytearray(level.bytes_of(lump)) for lump in LUMPS}
    found = lighting.lightmaps(level)
    for lump, blocks in found.items():
        for block in np.flatnonzero(np.isin(blocks.faces, own)).tolist():
            start, count = int(blocks.offset[block]), int(blocks.luxels[block])
            data[lump][start : start + 4 * count] = bytes([7, 8, 9, 0]) * count
        level.set_bytes(lump, bytes(data[lump]))
    level = read(write(level))
    second = ((20, -32, -16), (36, 32, 16))
    kept = brush_models.faces(level, 1)
    brush_models.rebuild(level, 1, [piece(), piece(*second)], [*kept, *faces(*second)], place=where)
    after = read(write(level))
    assert check(after) == [] and after.table(E.MODELS)["numfaces"][1] == 12
    old = read(write(level)).table(E.FACES)
    offsets = [int(old["lightofs"][face]) for face in own]
    row = after.table(E.MODELS)[1]
    mine = np.arange(int(row["firstface"]), int(row["firstface"]) + 12)
    assert len(np.unique(after.table(E.FACES)["lightofs"][mine])) == 12 and len(offsets) == 6
    blocks = lighting.lightmaps(after)[E.LIGHTING]
    fresh = np.isin(blocks.faces, mine) & (blocks.offset >= len(data[E.LIGHTING]))
    assert fresh.sum() == 6
    colors = lighting.lightmap_colors(after.bytes_of(E.LIGHTING), blocks.offset[fresh], blocks.luxels[fresh])
    assert (colors["rgb"] == [7, 8, 9]).all(axis=1).mean() > 0.8


def test_new_faces_are_known_where_their_entity_is(level: Level) -> None:
    """What Bake Lightmaps asks: new against the map before, not against itself; a door that was moved is new."""
    before = read(write(level))
    after, own = with_model(level, place(90.0), 90.0)
    assert np.flatnonzero(changed_faces.new(before, after)).tolist() == own
    assert not changed_faces.new(after, after).any()
    moved = read(write(after))
    moved.entities[-1].set("origin", "-200 -48 64")
    assert np.flatnonzero(changed_faces.new(after, read(write(moved)))).tolist() == own
    assert np.flatnonzero(changed_faces.within_reach(before, after)).tolist() == own, "models throw no shadows"


def test_a_map_without_light_gets_none(level: Level) -> None:
    for lump in LUMPS:
        level.set_bytes(lump, b"")
    table = level.table(E.FACES).copy()
    table["lightofs"] = -1
    for lump in (E.FACES, E.FACES_HDR):
        level.set_table(lump, table)
    after, own = with_model(read(write(level)), place())
    assert (after.table(E.FACES)["lightofs"][own] == -1).all() and not len(after.bytes_of(E.LIGHTING))


MAPS = (
    "AwertaDreams__framework-for-minigolf/test.bsp",
    pytest.param("undyneimortal__l4d2-fastdl/zoo_jukebox.bsp", marks=pytest.mark.slow),
    pytest.param("miracleflame__VTMB-Unofficial-Patch-by-Wesp/hw_sinbin_1.bsp", marks=pytest.mark.slow),
)


def test_a_new_model_of_the_sample() -> None:
    lit_where_the_player_starts(SAMPLE)


@pytest.mark.parametrize("name", MAPS)
def test_new_models_of_real_maps(corpus: Path, name: str) -> None:
    path = corpus / "bsp" / name
    if not path.exists():
        pytest.skip(f"{path} isn't there")
    lit_where_the_player_starts(path)


def lit_where_the_player_starts(path: Path) -> None:
    """A box there: its light is in the map's own form, and the others keep theirs."""
    level = read(path.read_bytes())
    before = read(path.read_bytes())
    start = next(one for one in level.entities if one.classname.startswith("info_player") and one.origin)
    number = brush_models.add(
        level, [Piece(piece().normals, piece().dists, np.zeros(6, np.int64), 1)],
        [Face(ring, 0, flags=0) for ring in box(LOW, HIGH)], place=place(origin=np.add(start.origin, (0, 0, 40))),
    )  # fmt: skip
    after = read(write(level))
    row = after.table(E.MODELS)[number]
    own = np.arange(int(row["firstface"]), int(row["firstface"]) + 6)
    was, now = lighting.lightmaps(before), lighting.lightmaps(after)
    assert was.keys() == now.keys() and now
    for lump, blocks in now.items():
        mine = np.isin(blocks.faces, own)
        assert mine.sum() == 6 and not np.isin(blocks.outside, own).any()
        assert (blocks.extra, blocks.interleaved) == (was[lump].extra, was[lump].interleaved)
        assert (np.sort(blocks.offset[mine]) >= len(before.bytes_of(lump))).all()
        assert bytes(after.bytes_of(lump)).startswith(bytes(before.bytes_of(lump)))
        colors = lighting.lightmap_colors(after.bytes_of(lump), blocks.offset[mine], blocks.luxels[mine])
        known = lighting.lightmap_colors(before.bytes_of(lump), was[lump].offset, was[lump].luxels)
        assert np.isin(colors.view("<u4"), known.view("<u4")).all(), "luxels of the map"
    assert geometry.drawn_faces(after) == geometry.drawn_faces(before) and NEW == -1
