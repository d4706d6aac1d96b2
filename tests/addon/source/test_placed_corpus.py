# SPDX-License-Identifier: GPL-3.0-or-later
"""What is placed in real maps: every entity and prop is there, where the map has it, with all of its texts."""

from collections import Counter
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.source import layout
from levelwright.addon.source.entities import custom_properties
from levelwright.addon.source.overlays import build as overlays
from levelwright.formats import source
from levelwright.formats.source import LumpId, geometry

from tests.addon.source.placed import objects, shown


def maps(corpus: Path) -> list[Path]:
    files = sorted(corpus.glob("bsp/*/*.bsp"))
    if not files:
        pytest.skip("no Source maps in the corpus")
    return files


@pytest.mark.slow
def test_every_entity_is_an_object_with_all_of_its_texts(corpus):
    places = total = 0
    for path in maps(corpus):
        data = path.read_bytes()
        level = source.read(data)
        entities, models = level.entities, level.table(LumpId.MODELS)["numfaces"]
        collection, report = shown(data, lightmaps="none", static_props="none")
        made = objects(collection)
        classes = Counter(entity.classname for entity in entities)
        classes["worldspawn"] -= 1
        assert Counter(str(obj.get("classname", "")) for obj in made.values()) == +classes, path.name
        for record, obj in made.items():
            entity = entities[record]
            for key, values in custom_properties.shown(entity).items():
                assert custom_properties.as_values(obj[key]) == values, (path.name, record, key)
            if entity.origin is not None:
                assert tuple(obj.location) == tuple(np.float32(entity.origin).tolist()), (path.name, record)
                places += 1
            if entity.model is not None:
                assert obj.data is not None or not models[entity.model : entity.model + 1].any(), (path.name, record)
        assert not [warning for warning in report.warnings if "left out" in warning], path.name
        total += len(made)
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert total > 5000
    assert places > 4000


@pytest.mark.slow
def test_every_static_prop_is_where_the_map_has_it(corpus):
    total = 0
    for path in maps(corpus):
        data = path.read_bytes()
        lump = source.read(data).static_props
        collection, _ = shown(data, lightmaps="none", entities=False)
        made = objects(collection, layout.STATIC_PROP)
        assert len(made) == (0 if lump is None or lump.props is None else len(lump.props)), path.name
        for record, obj in made.items():
            prop = lump.props[record]
            assert tuple(obj.location) == tuple(prop["origin"].tolist())
            assert np.degrees(np.roll(obj.rotation_euler, -1)).tolist() == pytest.approx(
                prop["angles"].tolist(), abs=1e-4
            )
            assert obj["model"] == lump.models[prop["prop_type"]]
            assert (obj["skin"], obj["solid"]) == (prop["skin"], prop["solid"])
        assert len({obj.data for obj in made.values()}) <= len({(obj["model"], obj["skin"]) for obj in made.values()})
        total += len(made)
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert total > 500


def test_overlays_lie_on_their_faces(corpus):
    checked = climbed = 0
    for path in maps(corpus):
        data = path.read_bytes()
        level = source.read(data)
        records = level.table(LumpId.OVERLAYS)
        if not len(records):
            continue
        faces, planes = level.table(geometry.drawn_faces(level)), level.table(LumpId.PLANES)
        collection, _ = shown(data, lightmaps="none", static_props="none")
        made = objects(collection, layout.OVERLAY)
        hills = objects(collection, layout.DISPLACEMENT)
        assert len(made) == len(records)
        for record, obj in made.items():
            face = faces[records["faces"][record, 0]]
            if not records["basis_normal"][record].any():
                continue  # one map has an overlay without a place
            plane = planes[face["planenum"]]
            corners = meshes.read(obj).positions.astype(np.float64) + np.array(obj.location)
            corners += np.array(obj.delta_location)
            if face["dispinfo"] >= 0:  # what rises below it doesn't hide it
                ground = meshes.read(hills[int(face["dispinfo"])]).positions
                inside = ((ground >= corners.min(axis=0))[:, :2] & (ground <= corners.max(axis=0))[:, :2]).all(axis=1)
                assert (ground[inside][:, 2] < corners[:, 2].min()).all(), (path.name, record)
                climbed += int(inside.sum())
                continue
            height = corners @ plane["normal"] - plane["dist"]
            assert height.min() > overlays.LIFT * 0.9, (path.name, record)
            assert height.max() < overlays.LIFT * 5, (path.name, record)
            (polygon,) = obj.data.polygons
            assert polygon.normal.dot(records["basis_normal"][record].tolist()) > 0.99
            checked += 1
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert checked > 20
    assert climbed > 5


@pytest.mark.slow
def test_decals_lie_on_faces(corpus):
    seen = quads = 0
    for path in maps(corpus):
        data = path.read_bytes()
        entities = source.read(data).entities
        if not any(entity.classname == "infodecal" for entity in entities):
            continue
        collection, _ = shown(data, lightmaps="none", static_props="none")
        for record, obj in objects(collection).items():
            if entities[record].classname == "infodecal":
                seen += 1
                if obj.type == "MESH":
                    quads += 1
                    away = meshes.read(obj).positions
                    assert np.linalg.norm(away.mean(axis=0)) < 24
                    assert obj.data.materials[0] is not None
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert quads > 0.8 * seen > 100


@pytest.mark.slow
def test_all_that_is_optional(corpus):
    """Detail props, compiled lights and cubemaps: as many as the lumps have."""
    counts: Counter[str] = Counter()
    for path in maps(corpus):
        data = path.read_bytes()
        level = source.read(data)
        collection, _ = shown(data, lightmaps="none", static_props="none", detail_props=True, worldlights=True)
        lights = level.table(LumpId.WORLDLIGHTS)
        lights = lights if len(lights) else level.table(LumpId.WORLDLIGHTS_HDR)
        assert len(objects(collection, layout.WORLDLIGHT)) == len(lights)
        cubemaps = objects(collection, layout.CUBEMAP)
        assert len(cubemaps) == len(level.table(LumpId.CUBEMAPS))
        for record, obj in cubemaps.items():
            assert tuple(obj.location) == tuple(level.table(LumpId.CUBEMAPS)["origin"][record].tolist())
        details = level.detail_props
        sprites = objects(collection, layout.DETAIL_SPRITES)
        shown_details = len(objects(collection, layout.DETAIL_PROP))
        for sheet in sprites.values():
            shown_details += len(np.unique(meshes.read(sheet).attribute(layout.DETAIL, "FACE")))
        assert shown_details == (0 if details is None else len(details.details)), path.name
        counts.update(lights=len(lights), cubemaps=len(cubemaps), details=shown_details)
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert all(counts[key] > 0 for key in ("lights", "cubemaps", "details")), counts
