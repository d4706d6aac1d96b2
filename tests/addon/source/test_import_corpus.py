# SPDX-License-Identifier: GPL-3.0-or-later
"""Real maps in Blender: every face, corner and luxel, displacements as the editor has them."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene import attributes
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import baselines, identity, originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import importer, layout
from levelwright.addon.source.lightmaps import build as lightmaps
from levelwright.addon.source.settings import ImportSettings
from levelwright.formats import source
from levelwright.formats.source import LumpId, geometry
from levelwright.formats.source.faces import displacements
from levelwright.formats.source.light import lighting, rgbe
from levelwright.formats.source.tree import brushes

from tests.formats.source_vmf import written


def maps(corpus: Path) -> list[Path]:
    return sorted((corpus / "bsp").rglob("*.bsp"))


def imported(path: Path, **options) -> tuple[bpy.types.Collection, source.Level, Report]:
    data, report = path.read_bytes(), Report()
    settings = ImportSettings(entities=False, static_props="none", **options)
    return importer.import_level(bpy.context, data, path, settings, report), source.read(data), report


def of_kind(level: bpy.types.Collection, *kinds: str) -> list[bpy.types.Object]:
    return [obj for obj in level.all_objects if (mark := identity.stamped(obj)) and mark.kind in kinds]


@pytest.mark.slow
def test_every_face_of_every_map_is_there_once(corpus: Path) -> None:
    seen = bare = 0
    for path in maps(corpus):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        collection, level, report = imported(path)
        assert report.warnings == [] or "own files" in report.warnings[0], (path.name, report.warnings)
        token = originals.describe(collection).token
        faces = level.table(geometry.drawn_faces(level))
        polygons = geometry.polygons(level)
        texinfos = level.table(LumpId.TEXINFO)
        found = np.zeros(len(faces), np.int64)
        for obj in of_kind(collection, layout.MODEL):
            data = meshes.read(obj)
            numbers = data.ids("FACE", token) - 1
            assert (numbers >= 0).all(), (path.name, obj.name)
            assert len(meshes.dropped(obj.data)) == 0
            if (number := identity.stamped(obj).record) and not level.table(LumpId.MODELS)["numfaces"][number]:
                bare += _are_sides(level, number, data)
                continue
            np.add.at(found, numbers, 1)
            sizes = np.diff(polygons.first_corner)[numbers]
            assert np.array_equal(data.face_sizes, sizes), path.name
            file_corners = np.concatenate(
                [
                    first + (size - np.arange(size)) % size
                    for first, size in zip(polygons.first_corner[numbers].tolist(), sizes.tolist(), strict=True)
                ]
                or [np.zeros(0, np.int64)]
            )
            vertices = polygons.corners[file_corners]
            assert np.array_equal(data.positions[data.corner_verts], polygons.positions[vertices]), path.name
            ids = data.attribute(layout.VERTEX_ID, "POINT")
            assert np.array_equal(ids[data.corner_verts] - 1, vertices)
            assert np.array_equal(data.attribute(layout.TEXINFO), faces["texinfo"][numbers])
            assert np.array_equal(data.attribute(layout.ORIGINAL_FACE), faces["orig_face"][numbers])
            flags = texinfos["flags"][faces["texinfo"][numbers]].astype(np.uint32).view(np.int32)
            assert np.array_equal(data.attribute(layout.FLAGS), flags)
            lit = len(level.bytes_of(LumpId.LIGHTING)) + len(level.bytes_of(LumpId.LIGHTING_HDR)) > 0
            assert list(data.uvs) == ([layout.UV, layout.LIGHTMAP_UV] if lit else [layout.UV])
            if lit:
                placed = data.uv(layout.LIGHTMAP_UV)
                assert ((placed >= 0) & (placed <= 1)).all(), path.name
            styles = faces["styles"][numbers]
            for slot, name in enumerate(layout.LIGHT_STYLES[: styles.shape[1]]):
                given = data.attribute(name, "FACE")
                assert given is None or np.array_equal(given, styles[:, slot]), (path.name, name)
            texinfo = np.repeat(faces["texinfo"][numbers], sizes)
            points = polygons.positions[vertices]
            wanted = geometry.texture_coordinates(points, texinfos, level.table(LumpId.TEXDATA), texinfo)
            assert np.allclose(
                data.uv(layout.UV), np.column_stack([wanted[:, 0], 1 - wanted[:, 1]]), rtol=1e-5, atol=1e-4
            )
        assert np.array_equal(found, (faces["dispinfo"] < 0) & (faces["numedges"] > 2)), path.name
        shown = {identity.stamped(obj).record for obj in of_kind(collection, layout.MODEL)}
        assert shown - {0} == set(range(1, len(level.table(LumpId.MODELS)))), path.name
        assert len(of_kind(collection, layout.DISPLACEMENT)) == len(level.table(LumpId.DISPINFO))
        seen += len(faces)
    assert seen > 50_000 and bare == 31


def _are_sides(level: source.Level, model: int, data: meshes.MeshData) -> bool:
    """Whether a mesh shows all sides of the brushes of a model without faces, which look outwards."""
    own = np.flatnonzero(brushes.of_models(level) == model)
    table, planes = level.table(LumpId.BRUSHES), level.table(LumpId.PLANES)
    sides = level.table(LumpId.BRUSHSIDES)[
        np.concatenate(
            [np.arange(first, first + count) for first, count in table[["firstside", "numsides"]][own].tolist()]
        )
    ]
    sides = sides[sides["bevel"] == 0]
    assert np.array_equal(data.attribute(layout.TEXINFO), sides["texinfo"]), model
    for plane, first, size in zip(
        planes[sides["planenum"]], data.face_starts.tolist(), data.face_sizes.tolist(), strict=True
    ):
        ring = data.positions[data.corner_verts[first : first + size]].astype(np.float64)
        assert np.abs(ring @ plane["normal"] - plane["dist"]).max() < 0.02, model
        arms = ring - ring[0]
        assert np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0) @ plane["normal"] > 0, model
    return True


def test_faces_are_seen_from_their_front(corpus: Path) -> None:
    for name in ("desert", "wall", "gm_oasis"):
        collection, level, _ = imported(next((corpus / "bsp").rglob(f"{name}.bsp")))
        faces, planes = level.table(geometry.drawn_faces(level)), level.table(LumpId.PLANES)["normal"]
        token = originals.describe(collection).token
        front = seen = 0
        for obj in of_kind(collection, layout.MODEL):
            normals = np.empty(len(obj.data.polygons) * 3, np.float32)
            obj.data.polygons.foreach_get("normal", normals)
            numbers = identity.read_ids(obj.data, "FACE", token) - 1
            if numbers.max(initial=0) >= len(faces):
                continue  # sides, which have other planes
            facing = (normals.reshape(-1, 3) * planes[faces["planenum"][numbers]]).sum(axis=1)
            front += int((facing > 0.9).sum())
            seen += len(numbers)
        assert front > seen * 0.99 > 0, name


def test_displacements_lie_where_the_editor_has_them(corpus: Path) -> None:
    compared = 0
    for vmf in sorted((corpus / "bsp" / "vmf").rglob("*.vmf")):
        revision, sides = written(vmf)
        path = corpus / "bsp" / vmf.parent.name / f"{vmf.stem}.bsp"
        if not sides or source.read(path.read_bytes()).revision != revision:
            continue
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        collection, level, _ = imported(path)
        made = displacements.displacements(level, geometry.polygons(level))
        objects = {identity.stamped(obj).record: obj for obj in of_kind(collection, layout.DISPLACEMENT)}
        for start, edge, field, alphas in sides:
            near = np.abs(made.infos["start_position"] - start).max(axis=1) < 1
            errors = []
            for number in np.flatnonzero(near & (made.edge == edge)).tolist():
                data = meshes.read(objects[number])
                own = slice(made.first_vertex[number], made.first_vertex[number] + edge * edge)
                grey = data.attribute(layout.ALPHA, "POINT")[:, 0] * 255
                moved = np.abs(data.positions - made.flat[own] - field).max()
                errors.append((float(moved), float(np.abs(grey - alphas).max())))
            error, alpha = min(errors)
            assert error < 1e-2, path.name  # float32 positions, up to thousands of units from 0
            assert alpha < 1e-4
            compared += 1
    assert compared > 20


@pytest.mark.parametrize("mode", ["each", "joined"])
def test_the_field_of_displacements_is_kept_exactly(corpus: Path, mode: str) -> None:
    collection, level, _ = imported(next((corpus / "bsp").rglob("wall.bsp")), displacements=mode)
    token = layout.displacement_token(originals.describe(collection).token)
    verts, tags = level.table(LumpId.DISP_VERTS), level.table(LumpId.DISP_TRIS)["tags"]
    polygons = geometry.polygons(level)
    made = displacements.displacements(level, polygons)
    positions = made.positions(verts)
    seen, triangles = np.zeros(len(verts), np.int64), np.zeros(len(tags), np.int64)
    border = np.zeros(len(verts), np.int64)
    objects = of_kind(collection, layout.DISPLACEMENT, layout.DISPLACEMENTS)
    assert len(objects) == (1 if mode == "joined" else len(made.faces))
    for obj in objects:
        data = meshes.read(obj)
        numbers = data.attribute(layout.VERTEX_ID, "POINT") - 1
        check = data.attribute(layout.VERTEX_CHECK, "POINT")
        assert np.array_equal(check, identity.checks(token, numbers + 1))
        seen[numbers] += 1
        border[numbers] = data.attribute(layout.BORDER, "POINT")
        assert data.attribute(layout.DISTANCE, "POINT").tobytes() == verts["dist"][numbers].tobytes()
        assert data.attribute(layout.DIRECTION, "POINT").tobytes() == verts["vec"][numbers].tobytes()
        assert np.array_equal(data.positions, positions[numbers].astype(np.float32))
        rows = data.ids("FACE", token) - 1
        triangles[rows] += 1
        assert np.array_equal(data.attribute(layout.TAGS, "FACE"), tags[rows])
        assert np.array_equal(numbers[data.corner_verts].reshape(-1, 3), made.triangles[rows][:, ::-1])
    assert (seen == 1).all()
    assert (triangles == 1).all()
    first, second = displacements.shared(made, positions)
    assert len(first) > 100
    assert np.array_equal(border[first], border[second])
    assert (border[first] > 0).all()
    assert (border > 0).sum() == len(np.unique(first))


def test_pixels_are_the_luxels(corpus: Path) -> None:
    for name, shown in (("wall", 2), ("gm_oasis", 8), ("background02", 4)):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        collection, level, report = imported(next((corpus / "bsp").rglob(f"{name}.bsp")))
        assert report.counts["lightmap images"] == shown
        atlas = np.array(baselines.load(collection, layout.ATLAS)).reshape(-1, 2)
        for lump, blocks in lighting.lightmaps(level).items():
            image = originals.resources(collection, layout.LIGHTMAP)[lightmaps.record(lump)]
            assert image.packed_file is not None
            assert image.packed_file.size < image.size[0] * image.size[1] * 4.2
            pixels = np.empty((image.size[1], image.size[0], 4), np.float32)
            image.pixels.foreach_get(pixels.reshape(-1))
            pixels = pixels[::-1]
            for block in range(0, len(blocks.faces), 37):
                face, width, height = (int(part[block]) for part in (blocks.faces, blocks.width, blocks.height))
                offsets = blocks.offset[block] + 4 * np.arange(width * height)
                light = rgbe.decode(lighting.colors_at(level.bytes_of(lump), offsets)).reshape(height, width, 3)
                x, y = atlas[face]
                found = pixels[y : y + height, x : x + width, :3] / np.float32(255)
                assert np.allclose(found, light, rtol=1e-6), (name, face)


def test_lightmap_coordinates_meet_their_luxels(corpus: Path) -> None:
    collection, level, _ = imported(next((corpus / "bsp").rglob("wall.bsp")))
    image = next(iter(originals.resources(collection, layout.LIGHTMAP).values()))
    atlas = np.array(baselines.load(collection, layout.ATLAS)).reshape(-1, 2)
    faces = level.table(geometry.drawn_faces(level))
    token = originals.describe(collection).token
    checked = 0
    for obj in of_kind(collection, layout.MODEL):
        data = meshes.read(obj)
        numbers = np.repeat(data.ids("FACE", token) - 1, data.face_sizes)
        uv = data.uv(layout.LIGHTMAP_UV)
        pixels = np.column_stack([uv[:, 0] * image.size[0], (1 - uv[:, 1]) * image.size[1]])
        lit = atlas[numbers, 0] >= 0
        luxels = (pixels - atlas[numbers])[lit]
        room = (faces["lightmap_size"][numbers] + 1)[lit]
        assert ((luxels > 0.4) & (luxels < room - 0.4)).all()
        checked += int(lit.sum())
    assert checked > 1000


@pytest.mark.parametrize("split", ["material", "cluster"])
def test_a_split_world_has_the_same_faces(corpus: Path, split: str) -> None:
    path = next((corpus / "bsp").rglob("gm_oasis.bsp"))
    found = []
    for option in ("none", split):
        collection, _, _ = imported(path, split=option)
        token = originals.describe(collection).token
        world = [obj for obj in of_kind(collection, layout.MODEL) if identity.stamped(obj).record == 0]
        found.append(np.concatenate([identity.read_ids(obj.data, "FACE", token) for obj in world]))
        if option == "material":
            assert all(len(obj.data.materials) == 1 for obj in world)
    assert len(world) > 10
    assert np.array_equal(np.sort(found[0]), np.sort(found[1]))


def test_brushes_are_a_choice(corpus: Path) -> None:
    collection, level, report = imported(next((corpus / "bsp").rglob("wall.bsp")), brushes=True)
    objects = of_kind(collection, layout.BRUSHES)
    assert report.counts["brushes"] == len(level.table(LumpId.BRUSHES))
    seen = np.concatenate([attributes.read(obj.data, layout.BRUSH, "FACE") for obj in objects])
    assert np.array_equal(np.unique(seen), np.arange(1, len(level.table(LumpId.BRUSHES)) + 1))
    sides, planes = level.table(LumpId.BRUSHSIDES), level.table(LumpId.PLANES)
    for obj in objects:
        normals = np.empty(len(obj.data.polygons) * 3, np.float32)
        obj.data.polygons.foreach_get("normal", normals)
        wanted = planes["normal"][sides["planenum"][attributes.read(obj.data, layout.SIDE, "FACE") - 1]]
        assert ((normals.reshape(-1, 3) * wanted).sum(axis=1) > 0.99).mean() > 0.99
        assert not obj.visible_get(), "what collides is hidden"


def test_t_junctions_never_tear(corpus: Path) -> None:
    """Faces that the map cuts into triangles at T-junctions keep all of their corners, and Blender's triangles of them
    cover them, as the map's do."""
    checked = 0
    for name in ("trade_weed420-3sb", "surf_ski_2", "c1l1"):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        collection, level, _ = imported(next((corpus / "bsp").rglob(f"{name}.bsp")))
        token = originals.describe(collection).token
        polygons = geometry.polygons(level)
        _, cut = geometry.triangles(level, polygons)
        areas = np.linalg.norm(geometry.area_normals(polygons), axis=1)
        for obj in of_kind(collection, layout.MODEL):
            numbers = identity.read_ids(obj.data, "FACE", token) - 1
            obj.data.calc_loop_triangles()
            covered, owner = (np.empty(len(obj.data.loop_triangles), kind) for kind in (np.float32, np.int32))
            obj.data.loop_triangles.foreach_get("area", covered)
            obj.data.loop_triangles.foreach_get("polygon_index", owner)
            sums = np.bincount(owner, covered, len(numbers))
            junctions = np.isin(numbers, cut)
            alike = np.isclose(sums[junctions], areas[numbers[junctions]], rtol=0.01, atol=0.5)
            assert alike.sum() >= 0.98 * len(alike), (name, obj.name)  # a few are folded lines
            checked += int(junctions.sum())
    assert checked > 100
