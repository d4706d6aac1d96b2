# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures and materials, and `.3dt` levels: groups, cuts, hollows and their preview."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.genesis.preview import compiled
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.media import images
from levelwright.formats import binary, genesis

from tests.addon.genesis.export_helpers import brush, part
from tests.addon.genesis.test_import import ROOM, SAMPLES, reported
from tests.formats import genesis_bytes as raw


def looks(*shown: tuple[int, str]) -> bytes:
    """A level with a brush for each (flags of its faces, texture)."""
    shapes = [raw.brush(raw.box(flags=flags, name=name, alpha=100)) for flags, name in shown]
    pairs = [("TextureLib", "genesis_room.txl"), ("SkyTop", "sky"), ("SkyLeft", "sky")]
    return raw.level([raw.entity(shapes, pairs=pairs)])


def kinds(obj: bpy.types.Object) -> set[str]:
    return {node.type for node in obj.data.materials[0].node_tree.nodes}


def test_the_library_is_found_by_its_name_beside_the_level(tmp_path: Path) -> None:
    library = genesis.txl.read((SAMPLES / "genesis_room.txl").read_bytes())
    texture = next(iter(library))
    folder = tmp_path / "levels"
    folder.mkdir()
    (folder / "GEDIT.TXL").write_bytes((SAMPLES / "genesis_room.txl").read_bytes())
    data = raw.level(
        [raw.entity([raw.brush(raw.box(name=texture.name.upper()))], pairs=[("TextureLib", "..\\x\\Gedit.txl")])]
    )
    level, report = reported(data, folder / "own.map")
    assert report.missing_names == {}
    material = brush(level, 0).data.materials[0]
    assert material[layout.TEXTURE] == texture.name.upper()
    assert list(material[layout.TEXTURE_SIZE]) == list(texture.size)
    node = next(node for node in material.node_tree.nodes if node.type == "TEX_IMAGE")
    assert np.array_equal(images.to_rgba(node.image), texture.pixels())
    assert reported(data, tmp_path / "own.map")[1].missing_names == {"texture libraries": ["Gedit.txl"]}
    assert reported(data, tmp_path / "own.map", texture_library=str(folder))[1].missing_names == {}
    assert reported(data, "own.map", texture_library=str(folder / "GEDIT.TXL"))[1].missing_names == {}


def test_a_missing_texture_is_a_labelled_checker_and_named_once() -> None:
    level, report = reported(looks((0, "nowhere"), (2, "nowhere")), SAMPLES / "x.map")
    assert report.missing_names == {"textures": ["nowhere"]}
    material = brush(level, 0).data.materials[0]
    node = next(node for node in material.node_tree.nodes if node.type == "TEX_IMAGE")
    assert images.is_placeholder(node.image)
    assert node.image.name == "nowhere"


def test_textures_beyond_the_limit_of_pixels_are_checkers(monkeypatch: pytest.MonkeyPatch) -> None:
    library = genesis.txl.read((SAMPLES / "genesis_room.txl").read_bytes())
    one, other = list(library)[:2]
    monkeypatch.setattr(binary, "PIXEL_LIMIT", one.size[0] * one.size[1])
    boxes = [raw.brush(raw.box(name=texture.name)) for texture in (one, other)]
    data = raw.level([raw.entity(boxes, pairs=[("TextureLib", "genesis_room.txl")])])
    level, report = reported(data, SAMPLES / "x.map")
    shown = [
        next(node.image for node in brush(level, record).data.materials[0].node_tree.nodes if node.type == "TEX_IMAGE")
        for record in (0, 1)
    ]
    assert [images.is_placeholder(image) for image in shown] == [False, True]
    assert [warning for warning in report.warnings if f"texture {other.name} can't be read" in warning]


def test_each_kind_of_surface_has_its_material() -> None:
    level, _ = reported(
        looks((0, "a"), (0x10, "a"), (0x2, "a"), (0x1, "a"), (0x4, "a"), (0x12, "a")), SAMPLES / "x.map"
    )
    plain, translucent, bright, mirror, sky, both = (brush(level, number) for number in range(6))
    assert "BSDF_PRINCIPLED" in kinds(plain)
    assert {"BSDF_PRINCIPLED", "BSDF_TRANSPARENT", "ATTRIBUTE"} <= kinds(translucent)
    assert translucent.data.materials[0].surface_render_method == "BLENDED"
    assert "EMISSION" in kinds(bright)
    assert "BSDF_PRINCIPLED" not in kinds(bright)
    assert "BSDF_GLOSSY" in kinds(mirror)
    assert {"EMISSION", "GROUP", "NEW_GEOMETRY"} <= kinds(sky)
    assert {"EMISSION", "BSDF_TRANSPARENT"} <= kinds(both)
    assert len({obj.data.materials[0] for obj in (plain, translucent, bright, mirror, sky, both)}) == 6
    full, _ = reported(looks((0, "a"), (2, "a")), SAMPLES / "x.map", lighting="full_bright")
    assert brush(full, 0).data.materials[0] == brush(full, 1).data.materials[0]


def test_of_a_sheet_only_the_first_face_is_seen() -> None:
    level, _ = reported(raw.level([raw.entity([raw.brush(raw.box(), 0x404)])]))
    obj = brush(level, 0)
    token = originals.describe(level).token
    order = meshes.read(obj).ids("FACE", token) - 1
    slots = meshes.read(obj).material_index
    seen = ["invisible" not in obj.data.materials[slot].name for slot in slots[np.argsort(order)]]
    assert seen == [True, False, False, False, False, False]


def test_the_sample_room_as_the_editor_keeps_it() -> None:
    level, report = reported(ROOM.read_bytes(), ROOM)
    record = genesis.read(ROOM.read_bytes())
    assert report.missing_names == {}
    assert report.counts["brushes"] == len(record.leaves())
    numbered = list(record.numbered_brushes())
    for number, one, parent in numbered:
        obj = brush(level, number)
        written, changed = properties.read(obj, layout.EditorBrushProperties)
        assert not changed
        assert (written.brush_name, written.cut, written.hollow) == (one.name, one.is_cut, one.is_hollow)
        assert (obj.type == "EMPTY") == one.is_multi
        assert (obj.display_type == "WIRE") >= (one.is_cut or one.is_hollow)
        if parent >= 0:
            assert obj.parent == brush(level, parent)
        if not one.is_multi:
            points = np.concatenate([face.points for face in one.faces])
            bpy.context.view_layer.update()
            matrix = part(level, identity.ROOT, 0).matrix_world.inverted() @ obj.matrix_world
            own = np.array([matrix @ vertex.co for vertex in obj.data.vertices])
            expected = layout.to_blender(points)
            assert own.min(axis=0) == pytest.approx(expected.min(axis=0), abs=1e-3)
            assert own.max(axis=0) == pytest.approx(expected.max(axis=0), abs=1e-3)
            assert len(obj.data.polygons) == len(one.faces)
    groups = [child for child in level.children if identity.stamped(child).kind == layout.GROUP]
    assert [child["group_name"] for child in groups] == [group.name for group in record.groups]
    home = {obj.name: child for child in groups for obj in child.objects}
    for number, one, parent in numbered:
        if parent < 0:
            assert record.groups[identity.stamped(home[brush(level, number).name]).record].group_id == one.group_id
    assert (
        originals.resources(level, layout.SETTINGS)[0].as_string().strip()
        == record.settings.replace("\r\n", "\n").strip()
    )


def test_the_same_face_has_the_same_uvs_in_both_kinds_of_file() -> None:
    """The `.map` was computed by other means: it holds vectors, the `.3dt` the editor's parameters."""

    def by_place(path: Path) -> dict[tuple[int, ...], list[tuple[float, float]]]:
        level, _ = reported(path.read_bytes(), path)
        found = {}
        for obj in level.all_objects:
            if obj.type != "MESH":
                continue
            data = meshes.read(obj)
            for start, size in zip(data.face_starts, data.face_sizes, strict=True):
                corners = slice(start, start + size)
                place = np.round(data.positions[data.corner_verts[corners]] + np.array(obj.location)).astype(int)
                order = np.lexsort(place.T)
                found[tuple(place[order].reshape(-1))] = data.uv(layout.UV)[corners][order]
        return found

    one, other = by_place(ROOM), by_place(ROOM.with_suffix(".map"))
    shared = one.keys() & other.keys()
    assert len(shared) > 20
    for key in shared:
        assert one[key] == pytest.approx(other[key], abs=1e-4)


def test_the_preview_shows_what_cuts_leave_and_goes_again() -> None:
    level, report = reported(ROOM.read_bytes(), ROOM, preview_cuts="csg")
    home = compiled.collection_of(level)
    assert home is not None
    solid = next(obj for obj in level.all_objects if obj.type == "MESH" and obj.name not in home.all_objects)
    assert (solid.display_type, solid.hide_render) == ("WIRE", True)
    made = genesis.read(ROOM.with_suffix(".map").read_bytes())
    assert report.counts["convex parts in the preview"] == sum(len(one.brushes) for one in made.entities)
    faces = sum(len(obj.data.polygons) for obj in home.objects)
    assert faces == len(made.table()[1])
    assert bpy.ops.levelwright.genesis_hide_preview() == {"FINISHED"}
    assert compiled.collection_of(level) is None
    shown = [obj.display_type for obj in level.all_objects if obj.type == "MESH"]
    assert "TEXTURED" in shown
    before = len(bpy.data.materials)
    assert bpy.ops.levelwright.genesis_preview_cuts() == {"FINISHED"}
    assert sum(len(obj.data.polygons) for obj in compiled.collection_of(level).objects) == faces
    assert len(bpy.data.materials) == before


def test_the_preview_follows_a_cut_that_was_moved() -> None:
    level, _ = reported(ROOM.read_bytes(), ROOM)
    bpy.ops.levelwright.genesis_preview_cuts()
    before = sum(len(obj.data.polygons) for obj in compiled.collection_of(level).objects)
    cut = next(obj for obj in level.all_objects if obj.get("cut") and not obj.get("hollow_cut") and obj.type == "MESH")
    cut.location.z += 5000
    assert bpy.ops.levelwright.genesis_preview_cuts() == {"FINISHED"}
    assert sum(len(obj.data.polygons) for obj in compiled.collection_of(level).objects) < before
