# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush models of real maps: what vphysics made of their brushes, and what is made of them when they are built anew.

Skipped where there is no corpus (../shared/corpus beside the repository, or $LEVELWRIGHT_SHARED/corpus).
"""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from formats.binary import FormatError
from formats.source import LumpId, check, read, write
from formats.source.collision import physcollide_build, physcollide_surface
from formats.source.edits import brush_models
from formats.source.edits.brush_models import Face, Piece
from formats.source.tree import brushes
from formats.source.tree.leaf_tree import LeafTree

pytestmark = pytest.mark.slow

E = LumpId
STRETCH = np.array([1.25, 1.0, 0.5])
SHRUNK = (0.0, 0.25, 0.5)  # units that vbsp moves sides inwards by; it has a quarter in maps of Bloodlines

MAY_BE_REFUSED = ("encloses nothing", "too thin", "isn't flat")  # slivers


@pytest.fixture(scope="module")
def maps(corpus) -> dict[str, bytes]:
    paths = [path for path in sorted(corpus.glob("bsp/*/*.bsp")) if path.parent.name != "derived"]
    found = {f"{path.parent.name}/{path.name}": path.read_bytes() for path in paths}
    if not found:
        pytest.skip(f"no Source maps in {corpus}")
    return {name: data for name, data in found.items() if len(read(data).table(E.MODELS)) > 1}


def solids(level):
    """The solid of each brush model, its number and its bytes."""
    for entry in level.physcollide.models:
        if entry.model:
            assert len(entry.solids) == 1
            yield entry.model, bytes(entry.solids[0]), physcollide_surface.read(entry.solids[0])


def planes_of(level, brush: int) -> np.ndarray:
    """The planes of a brush without its bevels, float64[n, 4]."""
    row, sides, planes = level.table(E.BRUSHES)[brush], level.table(E.BRUSHSIDES), level.table(E.PLANES)
    own = sides[row["firstside"] : row["firstside"] + row["numsides"]]
    used = planes[own["planenum"][own["bevel"] == 0]]
    return np.column_stack([used["normal"], used["dist"]]).astype(np.float64)


def test_hulls_are_those_of_the_models_own_brushes(maps):
    count, amounts = 0, Counter()
    for name, data in maps.items():
        level = read(data)
        models = brushes.of_models(level)
        for model, _, solid in solids(level):
            assert sorted(hull.brush for hull in solid.hulls) == np.flatnonzero(models == model).tolist(), name
            for hull in solid.hulls:
                planes = planes_of(level, hull.brush)
                over = (hull.points @ planes[:, :3].T - planes[:, 3]).max(axis=0)
                near = [min(SHRUNK, key=lambda amount, way=-way: abs(way - amount)) for way in over.tolist()]
                amounts.update(amount for amount, way in zip(near, over, strict=True) if abs(amount + way) < 0.02)
                amounts["else"] += sum(abs(amount + way) >= 0.02 for amount, way in zip(near, over, strict=True))
                count += 1
    assert count == 878
    assert amounts["else"] < 0.01 * sum(amounts.values())  # corners of slivers, which vphysics merges


def test_solids_that_are_built_of_these_hulls_are_those_of_vphysics(maps):
    """Apart from the order of triangles, and of the hulls in a tree."""
    seen: Counter[str] = Counter()
    for data in maps.values():
        for _, raw, solid in solids(read(data)):
            tagged = raw[:4] == b"VPHY"
            try:
                made = physcollide_build.build(
                    sorted(solid.hulls, key=lambda hull: hull.brush), tagged, solid.outer is not None
                )
            except FormatError as error:
                assert "no volume" in str(error)  # glass that an old compiler shrank to nothing
                seen["flat"] += 1
                continue
            again = physcollide_surface.read(made)
            seen["all"] += 1
            seen["size"] += len(made) == len(raw)
            seen["centre"] += bool(np.abs(again.mass_center - solid.mass_center).max() < 0.06)
            seen["inertia"] += bool(np.allclose(again.rotation_inertia, solid.rotation_inertia, rtol=1e-3))
            seen["radius"] += abs(again.radius - solid.radius) < 0.06
            seen["deviation"] += again.deviation == solid.deviation
            before, after = (sorted(each.hulls, key=lambda hull: hull.brush) for each in (solid, again))
            for one, other in zip(before, after, strict=True):
                assert np.abs(one.points[:, None] - other.points[None]).max(axis=2).min(axis=0).max() < 1e-4
    assert seen["flat"] == 9 and seen["all"] == 488
    assert seen["deviation"] == 488
    assert min(seen["centre"], seen["inertia"], seen["radius"]) >= 487
    assert seen["size"] >= 474  # others have a hull around them that counts corners on its edges


def some(level) -> list[int]:
    """A few models of a map."""
    return list(range(1, len(level.table(E.MODELS))))[:: max(1, len(level.table(E.MODELS)) // 6)]


@pytest.mark.slow
def test_models_that_nobody_edited_are_built_as_they_were(maps):
    built, same = 0, 0
    for name, data in maps.items():
        before, level = read(data), read(data)
        for model in some(before):
            try:
                brush_models.rebuild(level, model, brush_models.pieces(level, model), brush_models.faces(level, model))
            except FormatError as error:
                assert any(each in str(error) for each in MAY_BE_REFUSED), (name, model, error)
                continue
            built += 1
        after = read(write(level))
        known = {str(problem) for problem in check(before)}
        assert not [problem for problem in check(after) if str(problem) not in known], name
        for lump in (E.PLANES, E.BRUSHES, E.BRUSHSIDES, E.PHYSCOLLIDE, E.VERTEXES, E.EDGES, E.SURFEDGES, E.TEXINFO,
                     E.ORIGINALFACES, E.LIGHTING, E.ENTITIES):  # fmt: skip
            assert after.bytes_of(lump) == before.bytes_of(lump), (name, lump)
        same += write(level) == data
    assert built > 80 and same > len(maps) / 4  # of others the tree is another, or bounds are rounded otherwise


def stretched(level, model: int) -> tuple[list[Piece], list[Face]]:
    """A model that is wider and lower."""
    pieces = []
    for piece in brush_models.pieces(level, model):
        normals = piece.normals / STRETCH
        lengths = np.sqrt((normals * normals).sum(axis=1))
        pieces.append(Piece(normals / lengths[:, None], piece.dists / lengths, piece.texinfos, piece.contents))
    faces = [Face(face.points * STRETCH, face.texinfo, face.record) for face in brush_models.faces(level, model)]
    return pieces, faces


def reshaped(level) -> list[int]:
    """Some models of a map are stretched; returns which."""
    done = []
    for model in some(level):
        try:
            brush_models.rebuild(level, model, *stretched(level, model))
        except FormatError as error:
            assert any(each in str(error) for each in MAY_BE_REFUSED), error
            continue
        done.append(model)
    return done


@pytest.mark.slow
def test_doors_of_real_maps_in_another_shape(maps):
    """What collides lies within the brushes, shrunk; the tree says solid where they are; all else keeps its numbers."""
    count = 0
    for name, data in maps.items():
        before, level = read(data), read(data)
        done = reshaped(level)
        after = read(write(level))
        known = {str(problem) for problem in check(before)}
        assert not [problem for problem in check(after) if str(problem) not in known], name
        owners = brushes.of_models(after)
        others = [model for model in range(len(before.table(E.MODELS))) if model not in done]
        assert (after.table(E.MODELS)[others] == before.table(E.MODELS)[others]).all(), name
        for lump in (E.NODES, E.LEAFS, E.BRUSHES):
            assert len(after.table(lump)) >= len(before.table(lump))
        for model in done:
            bounds = before.table(E.MODELS)[model]
            assert np.allclose(after.table(E.MODELS)["maxs"][model], bounds["maxs"] * STRETCH, atol=0.26), (name, model)
            solid = physcollide_surface.read(after.physcollide.of_model(model).solids[0])
            assert sorted(hull.brush for hull in solid.hulls) == np.flatnonzero(owners == model).tolist(), (name, model)
            tree = LeafTree(after, int(after.table(E.MODELS)["headnode"][model]))
            for hull in solid.hulls:
                planes = planes_of(after, hull.brush)
                over = hull.points @ planes[:, :3].T - planes[:, 3]
                assert over.max() < 1e-3, (name, model, hull.brush)
                assert np.median(-over.max(axis=0)) < 0.51, (name, model, hull.brush)  # some sides bound nothing
                inside = tree.of_points(hull.points.mean(axis=0)[None])
                assert after.table(E.LEAFS)["contents"][inside][0] & int(after.table(E.BRUSHES)["contents"][hull.brush])
                count += 1
    assert count > 150


def test_a_model_is_added_to_every_map(maps):
    """A copy of one of its models: behind the others, with the same tree, collision and light; nothing else changes."""
    count = 0
    for name, data in maps.items():
        before, level = read(data), read(data)
        model = some(before)[0]
        old, faces = brush_models.pieces(before, model), brush_models.faces(before, model)
        copies = [Face(face.points, face.texinfo, like=face.record) for face in faces]
        try:
            number = brush_models.add(level, old, copies, like=old)
        except FormatError as error:
            assert any(each in str(error) for each in MAY_BE_REFUSED), name
            assert write(level) == data, "what is refused leaves no trace"
            continue
        after = read(write(level))
        models = after.table(E.MODELS)
        assert number == len(models) - 1 == len(before.table(E.MODELS))
        assert (models[:-1] == before.table(E.MODELS)).all(), name
        assert np.allclose(models[number]["maxs"], models[model]["maxs"], atol=0.3), name
        first = int(models["firstface"][number])
        assert first == len(before.table(E.FACES) if len(before.bytes_of(E.FACES)) else before.table(E.FACES_HDR))
        for lump in (E.FACES, E.FACES_HDR):
            if len(before.bytes_of(lump)):
                light = [face.record for face in faces]
                made = after.table(lump)[first:]
                assert sorted(made["lightofs"]) == sorted(before.table(lump)["lightofs"][light]), name
        shapes = [sorted(map(tuple, np.column_stack([one.normals, one.dists]))) for one in old]
        again = brush_models.pieces(after, number)
        assert [sorted(map(tuple, np.column_stack([one.normals, one.dists]))) for one in again] == shapes, name
        for lump in (E.LIGHTING, E.LIGHTING_HDR, E.VISIBILITY, E.ENTITIES, E.TEXDATA):
            assert after.bytes_of(lump) == before.bytes_of(lump), (name, lump)
        known = {problem.kind for problem in check(before)}
        found = [problem for problem in check(after) if problem.kind not in known]
        assert all("no entity has model" in problem.message for problem in found), name
        count += 1
    assert count == 18


# ------------------------------------------------------------------------------------- what others make of our files


def test_srctools_reads_models_that_were_built_anew(maps, tmp_path: Path):
    pytest.importorskip("srctools")
    from srctools.bsp import BSP

    compared = 0
    for name, data in maps.items():
        level = read(data)
        if level.version < 19 or level.version == 42 or len(data) > 4 << 20:
            continue
        done = reshaped(level)
        path = tmp_path / "built.bsp"
        path.write_bytes(write(level))
        if max((entity.model or 0 for entity in level.entities), default=0) >= len(level.table(E.MODELS)):
            continue  # one of them names a model that isn't there
        theirs = BSP(path)
        models = {entity.model: number for number, entity in enumerate(level.entities) if entity.model}
        table = level.table(E.MODELS)
        for model in done:
            found, row = theirs.bmodels[theirs.ents.entities[models[model] - 1]], table[model]
            assert np.allclose([*found.mins], row["mins"]) and np.allclose([*found.maxes], row["maxs"]), name
            assert len(found.faces) == row["numfaces"] and len(found._phys_solids) == 1, name
            assert {brush.contents.value for leaf in leafs_of(found.node) for brush in leaf.brushes} == {
                piece.contents for piece in brush_models.pieces(level, model)
            }
        assert len(theirs.brushes) == len(level.table(E.BRUSHES))
        compared += len(done)
    assert compared > 20


def leafs_of(node) -> list:
    """The leafs of a tree of srctools'."""
    if not hasattr(node, "child_neg"):
        return [node]
    return leafs_of(node.child_neg) + leafs_of(node.child_pos)


def test_sourcepp_reads_models_that_were_built_anew(maps, tmp_path: Path):
    pytest.importorskip("sourcepp")
    from sourcepp import bsppp

    compared = 0
    for name, data in maps.items():
        level = read(data)
        if len(data) > 4 << 20 or not reshaped(level):
            continue
        path = tmp_path / "built.bsp"
        path.write_bytes(write(level))
        theirs, ours = bsppp.BSP(str(path), False), read(path.read_bytes())
        assert theirs, name
        for lump in (E.PLANES, E.NODES, E.LEAFS, E.FACES, E.BRUSHES, E.BRUSHSIDES, E.PHYSCOLLIDE, E.MODELS):
            found = theirs.get_lump_data(bsppp.BSP.Lump(int(lump)))
            assert bytes(found or b"") == bytes(ours.bytes_of(lump)), (name, lump)
        compared += 1
    assert compared > 8
