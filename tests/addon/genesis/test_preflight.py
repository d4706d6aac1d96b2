# SPDX-License-Identifier: GPL-3.0-or-later
"""The list before an export: a line for each thing that the compiler and the game lack, which selects what it means."""

import bpy
import numpy as np
import pytest
from levelwright.addon import levels
from levelwright.addon.genesis import layout
from levelwright.addon.genesis.entities.operators import add_entity
from levelwright.addon.genesis.new_level import new_level
from levelwright.addon.genesis.settings import ExportSettings
from levelwright.addon.scene.issues import findings
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report
from levelwright.formats import genesis
from levelwright.formats.genesis import txl

from tests.addon.genesis.export_helpers import exported, imported, part
from tests.formats import genesis_3dt_text, genesis_txl_bytes
from tests.formats.genesis_bytes import LIGHT, box, brush, entity, light, model, room, typedef
from tests.formats.genesis_bytes import level as map_level

START = typedef("PlayerStart", (("origin", "point"),))


def start(place="0 0 0", name="start"):
    return entity(pairs=[("classname", "PlayerStart"), ("%name%", name), ("origin", place)])


def checked(level: bpy.types.Collection) -> list[findings.KeptFinding]:
    """What Check Export found to look at."""
    assert bpy.ops.levelwright.check_export(collection=level.name) == {"FINISHED"}
    return [line for line in findings.kept(level) if line.sort == "look"]


def messages(level):
    return [line.message for line in checked(level)]


def saved(folder, level, library="gedit.txl"):
    """A level in a .blend of its own, beside a library that has the texture rock."""
    rock = genesis_txl_bytes.gebm(4, 4, bytes(16), palette=genesis_txl_bytes.bgrx([(255, 0, 0), (0, 255, 0)]))
    (folder / library).write_bytes(genesis_txl_bytes.vf00([("Rock", rock)]))
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "level.blend"))
    return level


def test_a_level_with_all_that_it_needs_has_no_lines(tmp_path):
    level = saved(tmp_path, imported(room(start(), START)))
    assert checked(level) == []
    assert originals.ORIGINAL in level and findings.KEYS["export"] not in level


def test_a_level_made_of_nothing():
    level = new_level(bpy.context, "mine", "map")
    originals.make_active(bpy.context, level)
    bpy.ops.mesh.primitive_cube_add()
    lamp = add_entity(bpy.context, level, "light", (300, 0, 0))
    lines = checked(level)
    said = "TextureLib names no texture library: without one the compiler stops"
    assert (lines[0].message, lines[0].mend) == (said, "levelwright.genesis_write_textures")
    assert lines[1].message == "no player start: no entity is of a class whose name says Start"
    assert lines[-1].objects == [lamp.name]
    assert (lines[-1].message[:29], lines[-1].mend) == (
        "entity 1 (light, light1) leak",
        "levelwright.genesis_find_leaks",
    )
    text = levels.report_of(level).as_string()
    assert all(f"to look at: {line.message}" in text for line in lines)


def test_each_line_selects_its_object(tmp_path):
    outside, inside = start("900 0 0", "lost"), start("264 0 0", "stuck")
    odd = entity(pairs=[("classname", "Ghost"), ("%name%", "boo"), ("origin", "8 8 8")])
    door = model(brushes=[brush(box((-8, -8, -8), (8, 8, 8), name="wood"))])
    far = start("20000 0 0", "far")
    level = saved(tmp_path, imported(room(door, start(), outside, inside, far, odd, START)))
    plank = next(obj for obj in level.all_objects if obj.material_slots and "wood" in obj.material_slots[0].name)
    plank.hide_set(True)
    wanted = {
        "texture 'wood' isn't in gedit.txl: the compiler takes another": plank.name,
        "class 'Ghost' is not defined: the game doesn't see it": "boo",
        "entity 5 (PlayerStart, far) is outside of the world, which ends at 15192": "far",
        "entity 4 (PlayerStart, stuck) is inside a solid brush": "stuck",
        "entity 3 (PlayerStart, lost) is outside of the level: for the compiler that is a leak": "lost",
    }
    lines = checked(level)
    assert wanted.items() <= {line.message: line.objects[0] for line in lines if line.objects}.items()
    for number, line in enumerate(lines):
        assert bpy.ops.levelwright.select_finding(collection=level.name, number=number) == {"FINISHED"}
        assert sorted(obj.name for obj in bpy.context.selected_objects) == sorted(line.objects)
        assert bpy.context.view_layer.objects.active.name in line.objects
    bpy.data.objects.remove(bpy.data.objects["boo"])
    number = next(number for number, line in enumerate(lines) if line.objects == ["boo"])
    with pytest.raises(RuntimeError, match="boo: not in this scene any more"):
        bpy.ops.levelwright.select_finding(collection=level.name, number=number)


def test_faces_without_a_material_are_no_texture_that_the_library_lacks(tmp_path):
    level = saved(tmp_path, imported(room(start(), START)))
    originals.make_active(bpy.context, level)
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 0))
    assert [line.message for line in checked(level) if "isn't in" in line.message] == []


def test_a_leak_is_one_line(tmp_path):
    made = genesis.read(room(start(), START))
    del made.entities[0].brushes[0]
    level = saved(tmp_path, imported(genesis.write(made)))
    (line,) = checked(level)
    assert " leaks: from (0, 0, 0) the outside of the level can be reached" in line.message
    assert len(line.objects) == 1 and line.mend == "levelwright.genesis_find_leaks"


def test_an_export_writes_and_keeps_the_list(tmp_path):
    level = saved(tmp_path, imported(room()))
    report = Report()
    levels.export_file(bpy.context, level, tmp_path / "a.map", ExportSettings(), report)
    assert (tmp_path / "a.map").read_bytes() == room()
    assert [line.message for line in findings.kept(level)] == [one.message for one in report.findings]
    assert findings.kept(level)[0].message.startswith("no player start")


def test_the_library_is_looked_for_where_the_level_came_from(tmp_path):
    saved(tmp_path, None)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    (tmp_path / "a.map").write_bytes(room(start(), START))
    assert bpy.ops.import_scene.genesis_map(filepath=str(tmp_path / "a.map")) == {"FINISHED"}
    assert checked(originals.levels()[0]) == []


def test_only_lights_and_starts_need_room(tmp_path):
    """Real levels have joints and paths in brushes."""
    joint = entity(pairs=[("classname", "Joint"), ("%name%", "joint"), ("origin", "264 0 0")])
    level = saved(
        tmp_path, imported(room(start(), joint, light("264 0 0"), START, typedef("Joint", (("origin", "point"),))))
    )
    assert messages(level) == ["entity 3 (light, light1) is inside a solid brush"]


def test_a_refusal_is_a_line_that_selects_what_is_at_fault():
    level = imported(room(start(), START))
    wall = part(level, layout.BRUSH, 0)
    wall.scale.x = 0
    with pytest.raises(RuntimeError):
        bpy.ops.levelwright.check_export(collection=level.name)
    (line,) = findings.kept(level)
    assert line.objects == [wall.name]


def test_a_3dt_without_its_library_and_headers(tmp_path):
    data = genesis_3dt_text.whole_level().encode("latin-1")
    level = imported(data, "a.3dt")
    found = messages(level)
    assert found[0].startswith("the texture library") and found[0].endswith("isn't found, so what it lacks isn't known")
    assert not any("is not defined" in line for line in found), "nobody knows its classes"


@pytest.mark.parametrize("kind", ["map", "3dt"])
def test_the_texture_library_of_the_root(kind):
    level = new_level(bpy.context, "mine", kind)
    add_entity(bpy.context, level, "light", (0, 0, 0))
    root = next(obj for obj in level.all_objects if obj.parent is None)
    root["TextureLib"] = "own.txl"
    made = genesis.read(exported(level))
    assert (made.world.get("TextureLib") if kind == "map" else made.texture_library) == "own.txl"
    level["TextureLib"] = "other.txl"
    report = Report()
    made = genesis.read(exported(level, report))
    assert (made.world.get("TextureLib") if kind == "map" else made.texture_library) == "other.txl"
    assert any("its TextureLib isn't written: the one of the collection counts" in line for line in report.warnings)
    root["TextureLib"] = "\u6771.txl"
    del level["TextureLib"]
    with pytest.raises(Exception, match="Latin-1"):
        exported(level)


def material(name, image=None):
    made = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0):  # later ones always have nodes
        made.use_nodes = True
    if image is not None:
        made.node_tree.nodes.new("ShaderNodeTexImage").image = image
    return made


@pytest.mark.parametrize("kind", ["map", "3dt"])
def test_a_library_of_the_materials_used(kind, tmp_path):
    level = new_level(bpy.context, "mine", kind)
    add_entity(bpy.context, level, "light", (0, 0, 0))
    root = next(obj for obj in level.all_objects if obj.parent is None)
    pixels = np.zeros((48, 300, 4), np.uint8)
    pixels[..., 3] = 255
    pixels[:, :150, 0] = 200
    plain = material("plaster")
    plain.diffuse_color = (1, 0, 0, 1)
    for number, each in enumerate((material("brick", images.from_rgba("brick", pixels)), plain, material("x" * 20))):
        mesh = bpy.data.meshes.new("box")
        mesh.from_pydata(
            [(x, y, z) for x in (0, 32) for y in (0, 32) for z in (0, 32)], [],
            [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)],
        )  # fmt: skip
        obj = bpy.data.objects.new("box", mesh)
        obj.parent, obj.location = root, (64 * number, 0, 0)
        mesh.materials.append(each)
        level.objects.link(obj)
    originals.make_active(bpy.context, level)
    path = tmp_path / "mine.txl"
    assert bpy.ops.levelwright.genesis_write_textures(filepath=str(path)) == {"FINISHED"}
    library = txl.read(path.read_bytes())
    assert sorted(texture.name for texture in library) == ["brick", "plaster"]
    brick = library.get("brick").pixels()
    assert brick.shape == (64, 256, 4)
    assert (brick[:, :127, 0] == 200).all() and (brick[:, 129:, 0] == 0).all()
    assert library.get("plaster").pixels()[0, 0].tolist() == [255, 0, 0, 255]
    assert level["TextureLib"] == ".\\mine.txl"
    bpy.data.objects.remove(level.objects["box.002"])
    assert not any("texture" in line.lower() for line in messages(level)), "it is found where it was written"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "mine.blend"))
    made = genesis.read(exported(level))
    assert (made.world.get("TextureLib") if kind == "map" else made.texture_library) == ".\\mine.txl"
    assert not any("texture" in line.lower() for line in messages(level))
    before = path.read_bytes()
    library.remove("plaster")
    path.write_bytes(txl.write(library))
    assert bpy.ops.levelwright.genesis_write_textures(filepath=str(path)) == {"FINISHED"}
    again = txl.read(path.read_bytes())
    assert sorted(texture.name for texture in again) == ["brick", "plaster"] and len(before) == len(path.read_bytes())


def test_a_damaged_texture_library_stays_as_it_is(tmp_path):
    level = imported(room(START))
    originals.make_active(bpy.context, level)
    path = tmp_path / "a.txl"
    path.write_bytes(b"VF00")
    with pytest.raises(RuntimeError, match=r"a\.txl is there already, and is no texture library or damaged"):
        bpy.ops.levelwright.genesis_write_textures(filepath=str(path))
    assert path.read_bytes() == b"VF00"


def test_there_is_nothing_to_write_without_materials(tmp_path):
    level = new_level(bpy.context, "mine", "map")
    originals.make_active(bpy.context, level)
    with pytest.raises(RuntimeError, match="no brush has a material"):
        bpy.ops.levelwright.genesis_write_textures(filepath=str(tmp_path / "a.txl"))
    assert not (tmp_path / "a.txl").exists()


def test_many_lines_of_a_kind_are_shortened(tmp_path):
    stuck = [start("264 0 0", f"stuck{number}") for number in range(30)]
    level = saved(tmp_path, imported(room(start(), *stuck, START)))
    lines = checked(level)
    assert len(lines) == 21
    assert (lines[-1].message, len(lines[-1].objects)) == ("and 10 more like that", 10)


def test_what_is_kept_is_read_whatever_it_is():
    level = imported(map_level([entity([brush(box())]), light(), typedef("light", LIGHT)]))
    for text in ("no JSON", "[1]", "3", '[["a", 3, ""]]'):
        level[findings.KEYS["export"]] = text
        assert findings.kept(level) == []
    level[findings.KEYS["export"]] = 5
    assert findings.kept(level) == []
