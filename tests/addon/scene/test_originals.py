# SPDX-License-Identifier: GPL-3.0-or-later
"""The original travels in the .blend: saved, appended, linked, overridden, copied; what is said when it's gone."""

import hashlib
import os
import zlib
from pathlib import Path

import bpy
import pytest
from levelwright.addon.scene.kept import baselines, identity, originals
from levelwright.addon.scene.reports import SceneError

from tests.addon import blenders

DATA = bytes(range(256)) * 40 + b"\0tail\xff"
PARTS = {"level.tng": b"things\0", "level.wld": os.urandom(5000)}
OPTIONS = {"physics": True, "folders": ["a", "b"], "scale": 0.5}


def new_level(
    name: str = "dm1", data: bytes | None = DATA, parts: dict[str, bytes] | None = None
) -> bpy.types.Collection:
    collection = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(collection)
    token = identity.new_token(data)
    originals.attach(collection, "teeworlds", data, token, OPTIONS, f"{name}.map", parts)
    root = bpy.data.objects.new(name, None)
    identity.stamp(root, token, identity.ROOT, 0)
    collection.objects.link(root)
    thing = bpy.data.objects.new("thing", None)
    thing.parent = root
    identity.stamp(thing, token, "thing", 3)
    collection.objects.link(thing)
    return collection


def assert_complete(collection: bpy.types.Collection) -> None:
    found = originals.find(collection)
    assert found is not None
    assert found.data == DATA
    assert found.parts == PARTS
    assert (found.format, found.options, found.file_name) == ("teeworlds", OPTIONS, "dm1.map")
    assert found.sha256 == found.token.digest == hashlib.sha256(DATA).hexdigest()


def save(path: Path) -> str:
    bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)
    return str(path)


def test_attach_and_find() -> None:
    level = new_level(parts=PARTS)
    assert_complete(level)
    assert identity.stamped(level).kind == identity.LEVEL
    assert originals.find(bpy.data.collections.new("plain")) is None
    assert originals.describe(bpy.data.collections.new("plain")) is None


def test_attaching_again_replaces_everything() -> None:
    level = new_level(parts=PARTS)
    originals.attach(level, "source", b"short", 5)
    found = originals.find(level)
    assert (found.data, found.parts, found.format, found.token, found.options) == (b"short", {}, "source", 5, {})
    assert not [key for key in level.keys() if key.startswith(originals.PART)]  # noqa: SIM118


@pytest.mark.parametrize(
    ("data", "smaller"),
    [(b"", False), (b"\0", False), (b"ab" * 5000, True), (os.urandom(3000), False), (os.urandom(2_000_000), False)],
    ids=["empty", "one byte", "text", "noise", "much noise"],
)
def test_compressed_only_where_that_saves_a_tenth(data: bytes, smaller: bool) -> None:
    level = new_level(data=data)
    assert level[originals.ORIGINAL] == data
    originals.deflate()
    assert originals.find(level).data == data
    assert (len(level[originals.ORIGINAL]) < len(data) * 0.9) == smaller


@pytest.mark.parametrize(
    ("data", "shrinks"),
    [(b"ab" * (3 << 20), True), (b"N" + os.urandom(5 << 20), False), (b"Z" + b"ab" * (3 << 20), False)],
    ids=["text", "noise", "begins with the mark"],
)
def test_a_file_is_deflated_when_the_blend_is_saved(tmp_path: Path, data: bytes, shrinks: bool) -> None:
    level = new_level(data=data, parts={"beside.tng": data})
    assert level[originals.ORIGINAL] == data
    path = save(tmp_path / "level.blend")
    for key in (originals.ORIGINAL, f"{originals.PART}0"):
        assert (level[key] != data) == shrinks
    originals.deflate()  # as for the next save: what is deflated stays as it is
    bpy.ops.wm.open_mainfile(filepath=path)
    found = originals.find(originals.level_named(bpy.context.scene))
    assert (found.data, found.parts) == (data, {"beside.tng": data})


def test_a_large_file_that_shrinks_a_little() -> None:
    data = b"A" + os.urandom(750_000) + bytes(250_000)  # one that begins with Z stays as it is
    level = new_level(data=data)
    originals.deflate()
    assert originals.find(level).data == data
    assert len(level[originals.ORIGINAL]) < len(data) * 0.9


@pytest.mark.parametrize("held", [b"R" + DATA, b"L" + DATA, b"Z" + zlib.compress(DATA)], ids=["R", "L", "Z"])
def test_originals_of_older_scenes(held: bytes) -> None:
    level = new_level()
    baselines.put_bytes(level, originals.ORIGINAL, held)
    assert originals.find(level).data == DATA
    originals.deflate()  # saved again
    assert originals.find(level).data == DATA


def test_importing_twice_gives_two_levels() -> None:
    first, second = new_level(), new_level()
    assert originals.describe(first).token != originals.describe(second).token
    assert originals.levels() == [first, second]


def test_save_and_reopen(tmp_path: Path) -> None:
    new_level(parts=PARTS)
    path = save(tmp_path / "level.blend")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert_complete(bpy.data.collections["dm1"])


@pytest.mark.parametrize("python", blenders.pythons(), ids=blenders.name)
def test_reopen_in_another_process(tmp_path: Path, python: str) -> None:
    new_level(parts=PARTS)
    path = save(tmp_path / "level.blend")
    code = """
from levelwright.addon.scene.kept import originals
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
found = originals.find(originals.level_named(bpy.context.scene))
result = [found.data.hex(), {name: part.hex() for name, part in found.parts.items()}, found.options]
"""
    data, parts, options = blenders.run(code, path, python=python)
    assert (bytes.fromhex(data), options) == (DATA, OPTIONS)
    assert {name: bytes.fromhex(part) for name, part in parts.items()} == PARTS


def test_append(tmp_path: Path) -> None:
    new_level(parts=PARTS)
    path = save(tmp_path / "level.blend")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=False) as (_, into):
        into.collections = ["dm1"]
    assert_complete(into.collections[0])


def test_link_and_override(tmp_path: Path) -> None:
    new_level(parts=PARTS)
    path = save(tmp_path / "level.blend")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.collections = ["dm1"]
    linked = into.collections[0]
    assert_complete(linked)
    bpy.context.scene.collection.children.link(linked)
    overridden = linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    assert overridden.override_library is not None
    assert_complete(overridden)
    assert originals.levels() == [overridden], "not the linked one beside it, which nobody can edit"
    again = save(tmp_path / "override.blend")
    bpy.ops.wm.open_mainfile(filepath=again)
    local = next(one for one in bpy.data.collections if one.override_library)
    assert_complete(local)


def test_of_an_instance_it_is_said_what_to_do(tmp_path: Path) -> None:
    """File > Link makes one unless told not to."""
    new_level(parts=PARTS)
    path = save(tmp_path / "level.blend")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.link(directory=f"{path}/Collection/", filename="dm1", instance_collections=True)
    assert originals.levels() == []
    with pytest.raises(SceneError, match="dm1 only shows dm1, as an instance"):
        originals.level_named(bpy.context.scene)


def test_copy_of_the_collection() -> None:
    level = new_level(parts=PARTS)
    copy = level.copy()
    assert_complete(copy)
    bpy.data.collections.remove(level)
    assert_complete(copy)


def test_a_copy_in_the_scene_is_a_level_of_its_own() -> None:
    level = new_level(parts=PARTS)
    copy = level.copy()
    bpy.context.scene.collection.children.link(copy)
    assert originals.levels() == [level, copy]


def test_undo_keeps_it() -> None:
    new_level(parts=PARTS)
    bpy.ops.ed.undo_push(message="import")
    del bpy.data.collections["dm1"][originals.ORIGINAL]
    bpy.ops.ed.undo_push(message="loss")
    bpy.ops.ed.undo()
    assert_complete(bpy.data.collections["dm1"])


@pytest.mark.parametrize("damage", ["missing", "cut", "other", "text"])
def test_damage_is_told_with_the_hash_and_mended_by_it(damage: str) -> None:
    level = new_level()
    if damage == "missing":
        del level[originals.ORIGINAL]
    else:
        level[originals.ORIGINAL] = {"cut": level[originals.ORIGINAL][:-9], "other": b"Rnot it", "text": "hello"}[
            damage
        ]
    digest = hashlib.sha256(DATA).hexdigest()
    with pytest.raises(SceneError, match=digest):
        originals.find(level)
    with pytest.raises(SceneError, match=digest):
        originals.require(level)
    assert originals.require(level, build_as_new=True) is None
    with pytest.raises(SceneError, match=digest[:16]):
        originals.reattach(level, b"another file")
    originals.reattach(level, DATA)
    assert originals.find(level).data == DATA
    assert originals.find(level).options == OPTIONS


def test_one_object_appended_elsewhere_is_refused_by_hash(tmp_path: Path) -> None:
    new_level()
    path = save(tmp_path / "level.blend")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=False) as (_, into):
        into.objects = ["thing"]
    other = bpy.data.collections.new("elsewhere")
    bpy.context.scene.collection.children.link(other)
    other.objects.link(into.objects[0])
    digest = hashlib.sha256(DATA).hexdigest()[:16]
    with pytest.raises(SceneError, match=digest) as caught:
        originals.require(other)
    assert into.objects[0] in caught.value.objects
    assert originals.require(other, build_as_new=True) is None
    with pytest.raises(SceneError, match="isn't the file"):
        originals.reattach(other, b"wrong", "teeworlds")
    originals.reattach(other, DATA, "teeworlds", OPTIONS, "dm1.map")
    assert originals.require(other).data == DATA
    assert originals.describe(other).token == identity.stamped(into.objects[0]).token


def test_new_level_without_original() -> None:
    level = new_level(data=None)
    assert originals.find(level) is None
    assert originals.require(level) is None
    assert originals.describe(level).sha256 == ""
    assert originals.levels() == [level]


def test_stray_objects_in_a_level_of_its_own_are_no_obstacle() -> None:
    level, other = new_level("a"), new_level("b", b"other data")
    stray = next(obj for obj in other.objects if obj.name.startswith("thing"))
    level.objects.link(stray)
    assert originals.require(level).data == DATA


def test_nothing_to_reattach_to() -> None:
    collection = bpy.data.collections.new("plain")
    with pytest.raises(SceneError, match="nothing in it says"):
        originals.reattach(collection, DATA)


def test_level_of_the_active_collection() -> None:
    first, second = new_level("a"), new_level("b")
    inner = bpy.data.collections.new("inner")
    second.children.link(inner)
    layers = bpy.context.view_layer.layer_collection.children
    bpy.context.view_layer.active_layer_collection = layers["b"].children["inner"]
    assert originals.level_of(bpy.context) == second
    bpy.context.view_layer.active_layer_collection = layers["a"]
    assert originals.level_of(bpy.context) == first
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection
    assert originals.level_of(bpy.context) is None
    bpy.data.collections.remove(second)
    assert originals.level_of(bpy.context) == first


def test_level_named() -> None:
    with pytest.raises(SceneError, match="no level to export"):
        originals.level_named(bpy.context.scene)
    first = new_level("a")
    assert originals.level_named(bpy.context.scene) == first
    second = new_level("b")
    second.name = "renamed"
    with pytest.raises(SceneError, match="a, renamed"):
        originals.level_named(bpy.context.scene)
    assert originals.level_named(bpy.context.scene, "renamed") == second
    assert originals.level_named(bpy.context.scene, "b.map") == second
    with pytest.raises(SceneError, match="no level named c; the scene has a, renamed"):
        originals.level_named(bpy.context.scene, "c")


def test_unused_resources_stay_with_the_level(tmp_path: Path) -> None:
    level = new_level()
    names = ["ten", "two", "zero"]
    for record, name in zip((10, 2, 0), names, strict=True):
        originals.set_resource(level, "images", record, bpy.data.images.new(name, 4, 4))
    originals.set_resource(level, "texts", 0, bpy.data.texts.new("settings"))
    path = save(tmp_path / "level.blend")
    bpy.ops.wm.open_mainfile(filepath=path)
    level = bpy.data.collections["dm1"]
    assert {record: image.name for record, image in originals.resources(level, "images").items()} == {
        0: "zero",
        2: "two",
        10: "ten",
    }
    assert list(originals.resources(level, "images")) == [0, 2, 10]
    bpy.data.images.remove(bpy.data.images["two"])
    assert list(originals.resources(level, "images")) == [0, 10]
    originals.set_resource(level, "images", 0, None)
    assert list(originals.resources(level, "images")) == [10]
    assert originals.resources(level, "sounds") == {}
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=False) as (_, into):
        into.collections = ["dm1"]
    assert [image.name for image in originals.resources(into.collections[0], "images").values()] == [
        "zero",
        "two",
        "ten",
    ]


def test_resources_of_a_copy() -> None:
    level = new_level()
    image = bpy.data.images.new("i", 4, 4)
    originals.set_resource(level, "images", 0, image)
    assert originals.resources(level.copy(), "images") == {0: image}
