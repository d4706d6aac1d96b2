# SPDX-License-Identifier: GPL-3.0-or-later
"""What every import begins and ends with, and what is found again of it."""

from dataclasses import dataclass, field

import bpy
import pytest
from levelwright.addon.scene.interface.sidebar import active_level
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.kept.instances import Instance, mark_copies
from levelwright.addon.scene.level import ImportContext, first_of, only, root_of
from levelwright.addon.scene.reports import Report, SceneError, listed


@dataclass(frozen=True)
class Settings:
    size: int = field(default=3, metadata={"tooltip": "How large"})
    folder: str = field(default="", metadata={"tooltip": "Where content is", "subtype": "DIR_PATH"})


def begun(data: bytes | None = b"bytes", file: str = "maps/dm 1.5.map", **more) -> ImportContext[str, Settings]:
    settings = Settings(size=4, folder="/somewhere")
    return ImportContext.begin(bpy.context, "tiny", "records", data, file, settings, Report(), **more)


def test_an_import_begins_with_a_collection_a_root_and_the_original() -> None:
    importing = begun(scale=0.5, display_size=8.0, options={"kind": "x"}, parts={"dm.TNG": b"things"})
    assert importing.collection.name == "dm 1.5"
    assert importing.root.name == "dm 1.5"
    assert (importing.root.scale[:], importing.root.empty_display_size) == ((0.5,) * 3, 8.0)
    original = originals.find(importing.collection)
    assert original is not None
    assert (original.data, original.file_name, original.token) == (b"bytes", "dm 1.5.map", importing.token)
    assert original.options == {"size": 4, "kind": "x"}, "where things are on this machine is nobody's business"
    assert original.parts == {"dm.TNG": b"things"}
    assert importing.part(".tng") == b"things"
    assert importing.part(".txt") is None
    assert importing.alone


def test_it_is_in_the_scene_when_it_is_finished() -> None:
    importing = begun()
    assert originals.levels() == []
    assert importing.finish() == importing.collection
    assert originals.levels() == [importing.collection]
    assert active_level(bpy.context, "tiny") == importing.collection
    assert active_level(bpy.context, "other") is None


def test_a_level_made_in_blender_has_its_whole_name_and_no_original() -> None:
    importing = begun(None, "dm 1.5")
    assert importing.collection.name == "dm 1.5"
    assert originals.find(importing.collection) is None


def test_what_is_made_is_stamped_and_below_the_root() -> None:
    importing = begun()
    home = importing.collection_of("Par\nts\0", "parts", 2)
    made = importing.object_of("a\udcffb", "part", 7, homes=(home,))
    assert (home.name, made.name) == ("Par ts", "a?b")
    assert made.parent == importing.root
    assert identity.kind_of(made) == "part"
    assert identity.record_of(made, importing.token) == 7
    assert identity.record_of(made, importing.token + 1) == identity.record_of(made, None) == -1
    assert list(home.objects) == [made]
    assert importing.object_of("b", "part", 8).users_collection == (importing.collection,)


def test_a_level_has_one_root_and_one_of_what_it_has_one_of() -> None:
    importing = begun()
    assert root_of(importing.collection) == importing.root
    assert only(importing.collection, "ground") is None
    ground = importing.object_of("ground", "ground")
    assert only(importing.collection, "ground") == ground
    for obj in (ground, importing.root):
        importing.collection.objects.link(obj.copy())
    assert first_of(importing.collection, "ground") == ground
    assert first_of(importing.collection, "sky") is None
    with pytest.raises(SceneError, match="has 2 root empties: a level has one"):
        root_of(importing.collection)
    with pytest.raises(SceneError, match=r"has several objects of which a level has one: ground, ground\.001"):
        only(importing.collection, "ground")


def test_of_several_instances_the_one_that_stays_is_the_record() -> None:
    def instances(*records: int) -> list[Instance]:
        return [Instance(bpy.data.objects.new(f"{n}", None), record) for n, record in enumerate(records)]

    found = instances(1, 0, 1, -1, -1)
    mark_copies(found)
    assert [one.copied for one in found] == [False, False, True, False, False]
    assert [one.is_record for one in found] == [True, True, False, False, False]
    found = instances(1, 1, 1)
    mark_copies(found, lambda one: one.object.name.startswith("2"))
    assert [one.copied for one in found] == [True, True, False]


def test_a_message_names_five() -> None:
    assert listed([]) == ""
    assert listed(list("abcde")) == "a, b, c, d, e"
    assert listed(list("abcdef")) == "a, b, c, d, e and 1 more"
