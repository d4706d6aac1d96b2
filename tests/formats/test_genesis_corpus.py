# SPDX-License-Identifier: GPL-3.0-or-later
"""Real maps, and those that the editor's own code made: byte for byte, at once, and all their brushes solid.

Skipped where there is no corpus (../shared/corpus beside the repository, or $LEVELWRIGHT_SHARED/corpus).
"""

from pathlib import Path

import numpy as np
import pytest

from formats import FormatError
from formats.genesis import (
    Compression,
    check,
    check_map,
    contents,
    headers,
    identify,
    motion_file,
    read,
    summary,
    typedefs,
    write,
)
from formats.genesis.brushes import planes, polygons
from formats.genesis.textures import fit, from_uv, lay, parameters, texels, to_uv

FIELDS = ("u_vec", "v_vec", "draw_scale_x", "draw_scale_y", "offset_x", "offset_y")


@pytest.fixture(scope="module")
def folder(corpus) -> Path:
    if not (corpus / "genesis").is_dir():
        pytest.skip(f"no Genesis3D levels in {corpus}")
    return corpus / "genesis"


@pytest.fixture(scope="module")
def genvs2(folder) -> bytes:
    return (folder / "_generated_by_real_editor_code" / "genvs2.map").read_bytes()


def binary_maps(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*/*.map")) if "quake-text" not in path.name]


def test_every_map_comes_out_as_it_came_in(folder):
    names = set()
    for path in binary_maps(folder):
        data = path.read_bytes()
        if path.name == "badhdr.map":
            assert not identify(data)
            with pytest.raises(FormatError, match=r"at byte 0x4: reading header: tag b'XXXX' of version 7"):
                read(data)
            continue
        assert identify(data)
        level = read(data)
        assert write(level) == data, path
        assert summary(level)["brushes"] == len(level.table()[0])
        assert len(list(contents(level)["entities"])) == len(level.entities)
        names.add(path.name)
    assert {"ok.map", "trail.map", "q2_basic_nodefs.map", "genvs2.map", "hinge.map", "only-typedefs-e3d.map"} <= names


def test_quakes_text_maps_are_not_ours(folder):
    found = list(folder.glob("*/*.quake-text.map"))
    assert found
    assert not any(identify(path.read_bytes()) for path in found)


def test_brushes_turn_into_polygons(genvs2):
    table, faces = read(genvs2).table()
    solid = polygons(faces, table["num_faces"])
    assert (len(table), len(faces)) == (1729, 10464)
    assert solid.closed.all()
    assert (np.diff(solid.first_corner) > 2).all()


def test_every_brush_is_a_closed_solid(genvs2):
    table, faces = read(genvs2).table()
    solid = polygons(faces, table["num_faces"])
    owners = solid.corner_face
    following = np.arange(1, len(owners) + 1)
    following[solid.first_corner[1:] - 1] = solid.first_corner[:-1]
    start, end = solid.corners, solid.corners[following]
    edges = set(zip(start.tolist(), end.tolist(), strict=True))
    assert len(edges) == len(start)
    assert all((b, a) in edges for a, b in edges)
    points = solid.positions[solid.corners]
    off = (points * faces["normal"][owners]).sum(axis=1) - faces["dist"][owners]
    assert np.abs(off).max() < 1e-3
    normals, _, flat = planes(solid.positions.astype(np.float32), solid.corners, solid.first_corner)
    assert np.abs(normals - faces["normal"]).max() < 1e-3
    assert flat.max() < 0.01
    middles = np.array([np.bincount(owners, column) for column in points.T]).T / np.diff(solid.first_corner)[:, None]
    assert np.abs((middles * faces["normal"]).sum(axis=1) - faces["dist"]).max() < 1e-3


def test_the_editors_texture_vectors(genvs2):
    """The editor's rule gives what its code wrote, to the bit; in 65 of 10,464 faces but for the last place."""
    _, faces = read(genvs2).table()
    found = parameters(faces)
    assert found["fits"].all()
    again = faces.copy()
    lay(again, found["rotate"], found["scale"], found["shift"], found["light_scale"])
    for name in FIELDS:
        assert np.abs(again[name] - faces[name]).max() < 1e-6
    same = np.all(
        [(again[n].view("<u4") == faces[n].view("<u4")).reshape(len(faces), -1).all(axis=1) for n in FIELDS], 0
    )
    assert same.mean() > 0.993


def test_uvs_in_single_precision_change_no_face(genvs2):
    table, faces = read(genvs2).table()
    solid = polygons(faces, table["num_faces"])
    points, owners = solid.positions[solid.corners].astype(np.float32).astype(float), solid.corner_face
    uv = to_uv(texels(faces, points, owners), (64, 128)).astype(np.float32)
    found = fit(faces, points, owners, from_uv(uv, (64, 128)))
    assert found.faces.tobytes() == faces.tobytes()


def test_motions_of_the_editor(folder, genvs2):
    hinge = read((folder / "_generated_by_real_editor_code" / "hinge.map").read_bytes())
    level = read(genvs2)
    assert sum(entity.motion is not None for entity in level.models) == 25
    for entity in (*level.models, *hinge.models):
        if entity.motion is not None:
            text, entity.motion.source = entity.motion.source, None
            assert motion_file.write(entity.motion) == text
    (door,) = [entity for entity in hinge.models if entity.name == "door2"]
    assert [(event.time, event.text) for event in door.motion.events] == [(1, "door open"), (5, "closed")]
    assert door.motion.paths[0].rotation.compression == Compression.HINGE
    assert door.motion.paths[0].rotation.hinge()[1] == pytest.approx([0.250001, 0.5, 1.000002, 1.500001])


def test_motions_of_actors(folder):
    count = rewritten = 0
    for path in folder.glob("*/Actors/*.act"):
        data = path.read_bytes()
        at = data.find(b"MTNB")
        while at >= 0:
            found, end = motion_file.read(data, at)
            assert motion_file.write(found) == data[at:end]
            found.source = None
            rewritten += motion_file.write(found) == data[at:end]
            count += 1
            at = data.find(b"MTNB", end)
    assert count == 15
    assert rewritten >= 14  # in one, a turn is as near to one axis as the writer's tolerance


@pytest.mark.parametrize(("game", "name"), [("gtest", "gtest"), ("entidad3d", "e3d")])
def test_headers_give_the_classes_that_editors_wrote(folder, game, name):
    base = folder / "rtxa__q2togbsp"
    files = [base / "headers" / "fixedentdefs_gtest.h", *sorted((base / "headers" / f"{game}_headers").rglob("*.h"))]
    declared = headers.parse(path.read_text("latin-1") for path in files)
    made = {each.name: [(field.name, field.type) for field in each.fields] for each in declared.types}
    level = read((base / f"only-typedefs-{name}.map").read_bytes())
    written = {
        each.name: [(field.name, field.type) for field in each.fields]
        for each in typedefs.read(level.entities).values()
    }
    assert made == written
    assert [typedefs.from_entity(entity).entity().pairs for entity in level.typedefs] == [
        entity.pairs for entity in level.typedefs
    ]
    assert declared.contents["Water"] == 0x10000


def test_values_of_entities_come_back(genvs2):
    level = read(genvs2)
    classes = typedefs.read(level.entities)
    for entity in level.points:
        definition = classes[entity.classname.lower()]
        before = list(entity.pairs)
        values = typedefs.values(entity, definition)
        assert len(values) == len(before) - sum(key in ("classname", "%name%") for key, _ in before)
        for key, value in values.items():
            typedefs.assign(entity, definition, key, value)
        assert entity.pairs == before


def verdicts(folder: Path) -> dict[str, list[str]]:
    """What the compiler would say of maps made to try it: only errors."""
    return {
        path.stem: [problem.message for problem in check(read(path.read_bytes())) if problem.severity == "error"]
        for path in binary_maps(folder)
        if path.name != "badhdr.map"
    }


def test_verdicts_are_the_compilers(folder):
    """The refusals of genesis.md §1.11; only a compiler sees that leak.map leaks, between brushes."""
    found = verdicts(folder)
    for name in ("ok", "garbage", "notypedef", "trail", "model", "name31", "leak", "genvs2", "hinge", "q2_basic_gtest"):
        assert found[name] == [], name
    for name in ("noorigin", "count_short"):
        assert found[name] == ["no entity but the world and models has an origin: the compiler finds no valid entities"]
    assert found["inv"][0] == "no brush encloses anything: are normals turned inwards?"
    assert set(found["inv"][1:]) == {check_map.INWARDS} and len(found["inv"]) == 7
    assert "no end within 32 bytes" in found["name32"][0]  # the compiler runs on into the vectors
