# SPDX-License-Identifier: GPL-3.0-or-later
"""Copying to the Spark editor and pasting from it: by files of the bytes that it has on the clipboard."""

import ctypes
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.ns2 import clipboard
from levelwright.addon.ns2.new_level import new_level
from levelwright.addon.ns2.settings import ExportSettings
from levelwright.addon.ns2.windows_clipboard import WindowsClipboard
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import ns2

from tests.addon.ns2.export_helpers import edited, exported, faces, geometry, imported, loops, sound
from tests.formats.ns2_bytes import HOLED, PROP, entity, whole
from tests.formats.ns2_bytes import clipboard as clipboard_bytes
from tests.formats.ns2_bytes import mesh as mesh_bytes

COPIED = clipboard_bytes(mesh_bytes(10, HOLED, clipboard=True), [entity(10, "prop_static", PROP)])


def select(*objects: bpy.types.Object) -> None:
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


def copied(level: bpy.types.Collection) -> bytes:
    return clipboard.copy(bpy.context, level, ExportSettings(), Report())


def entity_object(level: bpy.types.Collection, record: int) -> bpy.types.Object:
    marks = {obj: identity.stamped(obj) for obj in level.all_objects}
    return next(obj for obj, mark in marks.items() if mark and (mark.kind, mark.record) == ("entity", record))


@pytest.mark.parametrize("version", [4, 6, 7, 9, 10])
def test_whole_objects_are_copied_as_version_10(version):
    level = imported(whole(version))
    select(geometry(level), entity_object(level, 0))
    data = copied(level)
    made = ns2.clipboard.parse(data)
    assert loops(made) == loops(ns2.read(whole(version)))
    assert [one.class_name for one in made.entities] == ["prop_static"]
    assert made.mesh.triangles is None
    assert not made.mesh.face_layers.has.any()


def test_in_edit_mode_the_selected_faces_are_copied_with_what_they_need():
    level = imported(whole(10), invisible="show")
    obj = geometry(level)
    with edited(obj) as mesh:
        mesh.select_mode = {"FACE"}
        for face in mesh.faces:
            face.select_set(False)
        faces(mesh, 2)[0].select_set(True)
    select(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    data = copied(level)
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh = ns2.clipboard.parse(data).mesh
    assert len(mesh.faces) == 1
    assert len(mesh.vertices) == 4
    assert mesh.materials == [HOLED.materials[0]]
    assert not ns2.clipboard.parse(data).entities


def test_nothing_selected_is_an_error():
    level = imported(whole(10))
    select()
    with pytest.raises(SceneError, match="is selected"):
        copied(level)


@pytest.mark.parametrize("behind", [b"", bytes(13), b"\xcd" * 64])
def test_what_was_copied_is_pasted_as_new_faces_and_entities(behind):
    level = imported(whole(10))
    made = clipboard.paste(bpy.context, level, COPIED + behind, Report())
    assert len(made) == 2
    after = ns2.read(exported(level))
    before = ns2.read(whole(10))
    assert len(after.mesh.faces) == 6
    assert len(after.entities) == len(before.entities) + 1
    assert loops(after)[:3] == loops(before)
    assert [len(face) for face in loops(after)[3:]] == [2, 1, 1]  # the hole is one again
    assert after.mesh.vertices[:10].tobytes() == before.mesh.vertices.tobytes()
    assert np.array_equal(after.mesh.positions[10:], before.mesh.positions)
    sound(after)
    prop = after.entities[-1]
    assert prop.get("origin") == pytest.approx((1.5, -2.0, 0.1))
    assert prop.get("model") == "models/props/rock.model"


def test_pasted_mapping_groups_get_ids_of_their_own_and_lie_as_they_did():
    level = imported(whole(10))
    clipboard.paste(bpy.context, level, COPIED, Report())
    clipboard.paste(bpy.context, level, COPIED, Report())
    mesh = ns2.read(exported(level)).mesh
    assert mesh.mapping_groups["id"].tolist() == [7, 8, 9]
    assert mesh.faces.records["mapping_group"][[0, 3, 6]].tolist() == [7, 8, 9]
    for name in ("angle", "scale", "offset", "normal"):
        assert mesh.mapping_groups[name][1].tolist() == mesh.mapping_groups[name][0].tolist()


def test_pasting_into_a_new_level_and_copying_gives_the_geometry_again():
    level = new_level(bpy.context, "made")
    made = clipboard.paste(bpy.context, level, COPIED, Report())
    select(*made)
    again = ns2.clipboard.parse(copied(level))
    source = ns2.clipboard.parse(COPIED)
    assert np.array_equal(np.sort(again.mesh.positions, axis=0), np.sort(source.mesh.positions, axis=0))
    assert [[len(loop) for loop in face] for face in loops(again)] == [[4, 4], [4], [4]]
    assert again.mesh.materials == list(HOLED.materials)
    assert [one.class_name for one in again.entities] == ["prop_static"]


def test_other_bytes_are_refused_and_leave_the_level_alone():
    level = imported(whole(10))
    with pytest.raises(ValueError, match="clipboard"):
        clipboard.paste(bpy.context, level, b"text on the clipboard", Report())
    assert exported(level) == whole(10)


def test_operators_copy_to_files_and_paste_from_them(tmp_path: Path):
    level = imported(whole(10))
    select(geometry(level), entity_object(level, 0))
    file = tmp_path / "part.spark"
    assert bpy.ops.levelwright.ns2_copy(filepath=str(file)) == {"FINISHED"}
    assert ns2.clipboard.identify(file.read_bytes())
    assert bpy.ops.levelwright.ns2_paste(filepath=str(file)) == {"FINISHED"}
    assert len(ns2.read(exported(level)).mesh.faces) == 6
    assert len(bpy.context.selected_objects) == 2
    file.write_bytes(b"no")
    with pytest.raises(RuntimeError, match="no block"):
        bpy.ops.levelwright.ns2_paste(filepath=str(file))


def test_without_windows_operators_ask_for_a_file():
    imported(whole(10))
    with pytest.raises(RuntimeError, match="name a file"):
        bpy.ops.levelwright.ns2_paste()


# ------------------------------------------------------------------------------------------ the clipboard of Windows


class Function:
    """A function of a library, with the types that ctypes lets one set."""

    def __init__(self, call):
        self.call, self.restype, self.argtypes = call, None, None

    def __call__(self, *arguments):
        assert len(arguments) == len(self.argtypes)
        return self.call(*arguments)


class Windows:
    """user32 and kernel32 as far as the clipboard needs them; blocks are rounded up to 16 bytes."""

    def __init__(self, busy: int = 0):
        self.blocks, self.formats, self.data = {}, {}, {}
        self.opened, self.locked, self.busy, self.freed = 0, 0, busy, []
        for name in dir(self):
            if name[0].isupper():
                setattr(self, name, Function(getattr(self, name)))

    def RegisterClipboardFormatW(self, name):
        return self.formats.setdefault(name, 0xC000 + len(self.formats))

    def OpenClipboard(self, _window):
        self.busy -= 1
        if self.busy >= 0:
            return 0
        self.opened += 1
        return 1

    def CloseClipboard(self):
        self.opened -= 1
        return 1

    def EmptyClipboard(self):
        assert self.opened == 1
        self.data.clear()
        return 1

    def GetClipboardData(self, number):
        assert self.opened == 1
        return self.data.get(number, 0)

    def SetClipboardData(self, number, block):
        assert self.opened == 1
        self.data[number] = block
        return block

    def GlobalAlloc(self, flags, size):
        assert flags == 2
        block = 1 + len(self.blocks)
        self.blocks[block] = ctypes.create_string_buffer(b"\xcd" * (-(-size // 16) * 16), -(-size // 16) * 16)
        return block

    def GlobalFree(self, block):
        self.freed.append(block)

    def GlobalLock(self, block):
        self.locked += 1
        return ctypes.addressof(self.blocks[block])

    def GlobalUnlock(self, _block):
        self.locked -= 1
        return 1

    def GlobalSize(self, block):
        return len(self.blocks[block])


def test_the_clipboard_of_windows_gives_back_what_was_put_there_and_some_bytes_behind_it():
    system = Windows(busy=2)
    one = WindowsClipboard(ns2.clipboard.FORMAT, system, system)
    assert list(system.formats) == ["application/spark editor"]
    assert one.get() is None
    one.put(COPIED)
    found = WindowsClipboard(ns2.clipboard.FORMAT, system, system).get()
    assert found[: len(COPIED)] == COPIED
    assert len(found) % 16 == 0
    assert len(ns2.clipboard.parse(found).mesh.faces) == 3
    assert (system.opened, system.locked, system.freed) == (0, 0, [])


def test_a_clipboard_that_stays_busy_is_an_error_and_the_memory_is_given_back(monkeypatch):
    monkeypatch.setattr("levelwright.addon.ns2.windows_clipboard.PAUSE", 0)
    system = Windows(busy=1000)
    with pytest.raises(OSError, match="another program"):
        WindowsClipboard("x", system, system).put(b"data")
    assert system.freed == [1]
