# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries for the asset browser: what is in them, and that what is dragged into a level is written as new."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon import asset_library, asset_operators, commands, games, levels
from levelwright.addon.game import Game
from levelwright.addon.scene import assets
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis, ns2, source, teeworlds
from levelwright.formats.fable import tng
from levelwright.formats.source import LumpId
from mathutils import Vector

from tests.addon.contract.registered import ALL, IDS
from tests.addon.contract.registered import SAMPLES as FOLDER
from tests.fuzz.scenes import empty_file

GIVING = [(game, sample) for game, sample in ALL if game.assets is not None]
NAMES = [name for name, (game, _) in zip(IDS, ALL, strict=True) if game.assets is not None]
EACH = pytest.mark.parametrize(("game", "sample"), GIVING, ids=NAMES)
KINDS: dict[str, dict[str, int]] = {
    "first-light.map": {"Quads": 12, "Sounds": 1, "Tiles": 9},
    "genesis_room.map": {"Brushes": 19, "Entities": 1, "Lights": 2, "Materials": 11, "Spawns": 1, "Tools": 1},
    "genesis_room.3dt": {"Brushes": 10, "Entities": 2, "Lights": 2, "Materials": 11, "Spawns": 1, "Tools": 1},
    "genesis_compiled.bsp": {"Lights": 1, "Materials": 4},
    "fable_vale.lev": {"Buildings": 1, "Creatures": 2, "Markers": 4, "Spawns": 1, "Things": 4},
    "ns2_room.level": {
        "Ambient Lights": 1,
        "Entities": 1,
        "Geometry": 2,
        "Lights": 2,
        "Materials": 6,
        "Props": 1,
        "Spawns": 1,
        "Triggers": 1,
    },
    "source_room.bsp": {
        "Brush Entities": 1,
        "Lights": 2,
        "Materials": 15,
        "Overlays": 2,
        "Props": 2,
        "Sounds": 1,
        "Spawns": 1,
    },
}
"""By sample, how many assets it gives by catalog."""
PAINTED = ("source_room.bsp", "genesis_room.map", "genesis_room.3dt", "ns2_room.level")
"""Samples whose faces have materials that can be dragged onto them."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of all samples, each for itself: what two of them have in common is in both."""
    folder = tmp_path_factory.mktemp("library")
    empty_file()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asset_library, "MOST_RENDERED", 4)  # of each sample: the others get cards, which take no time
        for _, sample in GIVING:
            made = asset_library.AssetLibrary(folder)
            made.add(sample, {}, Report())
    return folder


def file_of(library: Path, game: Game, sample: Path) -> Path:
    return library / game.title / f"{sample.name}.blend"


def imported(game: Game, sample: Path) -> bpy.types.Collection:
    (level,) = levels.import_files(bpy.context, [sample], lambda one: one.import_settings(), Report(), game)
    return level


def appended(file: Path) -> tuple[list[bpy.types.Object], list[bpy.types.Material]]:
    """What the asset browser would give of a library's file: its assets, appended."""
    with bpy.data.libraries.load(str(file), assets_only=True) as (there, wanted):
        wanted.objects, wanted.materials = there.objects, there.materials
    return list(wanted.objects), list(wanted.materials)


def records(sample: Path, file: Path) -> list[str]:
    """What a level holds of what assets become, a text each."""
    data = file.read_bytes()
    if sample.suffix == ".lev":
        things = tng.read(file.with_suffix(".tng").read_bytes())
        return [f"{thing.kind} {thing.definition_type}" for section in things.sections for thing in section.things]
    if source.identify(data):
        return _of_map(source.read(data))
    if teeworlds.identify(data):
        return [type(layer).__name__ for group in teeworlds.read(data).groups for layer in group.layers]
    if ns2.identify(data):
        return [entity.class_name for entity in ns2.read(data).entities]
    level = genesis.read(data)
    return [*(entity.classname for entity in level.entities), *["brush"] * _count_brushes(level)]


def _count_brushes(level: genesis.AnyGenesisLevel) -> int:
    if isinstance(level, genesis.MapLevel):
        return sum(len(entity.brushes) for entity in level.entities)
    if isinstance(level, genesis.Level3dt):
        return sum(brush.children is None for _, brush, _ in level.numbered_brushes())
    return 0


def _of_map(read: source.Level) -> list[str]:
    props = read.static_props
    assert props is not None
    assert props.props is not None
    kinds = [f"{props.models[one['prop_type']]} {one['skin']}" for one in props.props]
    return [*(entity.classname for entity in read.entities), *kinds, *["overlay"] * len(read.table(LumpId.OVERLAYS))]


@EACH
def test_what_is_dragged_in_becomes_new_records(game: Game, sample: Path, library: Path, tmp_path: Path) -> None:
    level = imported(game, sample)
    found, _ = appended(file_of(library, game, sample))
    objects = [obj for obj in found if identity.kind_of(obj) != "geometry"]  # which is no record, but many
    assert objects
    for number, obj in enumerate(objects):
        level.objects.link(obj)
        if game.key == "teeworlds":  # whose layers are in groups
            bpy.context.view_layer.objects.active = obj
            assert bpy.ops.levelwright.teeworlds_move_to_group(target=1) == {"FINISHED"}
        else:
            obj.location = (2 + number % 3, 2, 0)
    bpy.context.view_layer.update()
    _, settings = game.writer
    report, out = Report(), tmp_path / sample.name
    levels.export_file(bpy.context, level, out, settings(), report)
    before, after = records(sample, sample), records(sample, out)
    assert len(after) == len(before) + len(objects)
    left = list(after)
    for one in before:
        left.remove(one)  # each is there still
    assert set(left) <= set(before), "new ones are of the kinds that the level has"
    assert not [line for line in report.warnings if "edited" in line or "another" in line]
    assert not report.left_out_counts
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    imported(game, out)  # and can be read again


def test_every_kind_of_asset_is_there(library: Path) -> None:
    """What the documents promise, of the samples."""
    found = {sample.name: _kinds(file_of(library, game, sample)) for game, sample in GIVING}
    assert found == KINDS


def _kinds(file: Path) -> dict[str, int]:
    """How many assets a file has in each catalog."""
    objects, materials = appended(file)
    return dict(sorted(Counter(block.asset_data.tags[1].name for block in (*objects, *materials)).items()))


def test_loose_geometry_becomes_faces(library: Path, tmp_path: Path) -> None:
    sample = FOLDER / "ns2_room.level"
    game = next(game for game, other in GIVING if other == sample)
    level = imported(game, sample)
    found, _ = appended(file_of(library, game, sample))
    piece = next(obj for obj in found if identity.kind_of(obj) == "geometry")
    level.objects.link(piece)
    piece.location = (1, 2, 0)
    bpy.context.view_layer.update()
    _, settings = game.writer
    levels.export_file(bpy.context, level, tmp_path / sample.name, settings(), Report())
    before, after = (ns2.read(file.read_bytes()).mesh for file in (sample, tmp_path / sample.name))
    assert len(after.faces.records) == len(before.faces.records) + len(piece.data.polygons)


@pytest.mark.parametrize(
    ("game", "sample"), [pair for pair in GIVING if pair[1].name in PAINTED], ids=lambda one: getattr(one, "name", "")
)
def test_a_material_that_is_dragged_onto_a_face_is_its_texture(
    game: Game, sample: Path, library: Path, tmp_path: Path
) -> None:
    level = imported(game, sample)
    _, dragged = appended(file_of(library, game, sample))
    rules = game.assets
    assert rules is not None
    obj = next(
        one
        for one in sorted(level.all_objects, key=lambda one: one.name)
        if isinstance(one.data, bpy.types.Mesh) and rules.material_key(one.data.materials[0]) and not one.hide_viewport
        if (game.key != "source" or identity.kind_of(one) == "model")
    )
    mesh = obj.data
    assert isinstance(mesh, bpy.types.Mesh)
    old = rules.material_key(mesh.materials[mesh.polygons[0].material_index])
    other = next(one for one in dragged if rules.material_key(one) != old)
    mesh.materials.append(other)
    mesh.polygons[0].material_index = len(mesh.materials) - 1
    bpy.context.view_layer.update()
    _, settings = game.writer
    levels.export_file(bpy.context, level, tmp_path / sample.name, settings(), Report())
    data = (tmp_path / sample.name).read_bytes()
    assert data != sample.read_bytes()
    assert b".001" not in data or b".001" in sample.read_bytes()
    again = imported(game, tmp_path / sample.name)
    meshes = {one.data for one in again.all_objects if isinstance(one.data, bpy.types.Mesh)}
    wanted = rules.material_key(other)
    assert any(
        rules.material_key(mesh.materials[face.material_index]) == wanted
        for mesh in meshes
        for face in mesh.polygons
        if mesh.materials and face.material_index < len(mesh.materials)
    )


@EACH
def test_assets_are_nobodys_and_have_pictures(game: Game, sample: Path, library: Path) -> None:
    objects, materials = appended(file_of(library, game, sample))
    assert not [one for one in bpy.data.collections if one.get(originals.LEVEL) is not None], "no level came along"
    assert not [one for one in bpy.data.objects if identity.kind_of(one) == identity.ROOT]
    known = (library / assets.CATALOGS).read_text(encoding="utf-8")
    for block in [*objects, *materials]:
        mark = identity.stamped(block)
        assert mark is None or (mark.token, mark.record) == (0, -1)
        preview = block.preview
        assert preview is not None
        assert tuple(preview.image_size) == (128, 128)
        pixels = np.empty(128 * 128 * 4, np.float32)
        preview.image_pixels_float.foreach_get(pixels)
        assert pixels.reshape(-1, 4)[:, 3].any(), block.name
        is_dark = isinstance(block, bpy.types.Material) or block.name == "stain"
        assert pixels.reshape(-1, 4)[:, :3].max() > 0.1 or is_dark, block.name
    with bpy.data.libraries.load(str(file_of(library, game, sample)), link=True, assets_only=True) as (there, wanted):
        wanted.objects = there.objects
    for linked in wanted.objects:
        assert f"{linked.asset_data.catalog_id}:{game.title}/" in known
        assert game.title in linked.asset_data.tags


def test_levels_share_assets_and_others_catalogs_stay(tmp_path: Path) -> None:
    sample = FOLDER / "fable_vale.lev"
    levels_folder = tmp_path / "game" / "levels"
    levels_folder.mkdir(parents=True)
    for name in ("one", "two"):
        for ending in (".lev", ".tng"):
            (levels_folder / f"{name}{ending}").write_bytes(sample.with_suffix(ending).read_bytes())
    (levels_folder / "broken.lev").write_bytes(b"no level")
    out = tmp_path / "library"
    out.mkdir()
    mine = "VERSION 1\n\n1b8a3c1a-0000-4000-8000-000000000000:Mine:Mine"
    (out / assets.CATALOGS).write_text(mine, encoding="utf-8")
    assert commands.main(["assets", str(tmp_path / "game"), "--out", str(out)]) == commands.FAILED
    assert [file.name for file in (out / "Fable").iterdir()] == ["one.lev.blend"]
    text = (out / assets.CATALOGS).read_text(encoding="utf-8")
    assert text.startswith(mine + "\n")
    assert text.count(":Fable/Things:") == 1


def test_a_command_line_without_levels_or_a_folder_makes_no_sense(tmp_path: Path) -> None:
    assert commands.main(["assets", str(FOLDER / "fable_vale.lev")]) == commands.USAGE
    assert commands.main(["assets", str(tmp_path), "--out", str(tmp_path / "out")]) == commands.USAGE
    assert commands.main(["assets", str(tmp_path / "none"), "--out", str(tmp_path / "out")]) == commands.USAGE


@pytest.fixture
def libraries() -> Iterator[list[str]]:
    """The user's asset libraries, which are as before afterwards."""
    listed = bpy.context.preferences.filepaths.asset_libraries
    before = len(listed)
    yield [one.path for one in listed]
    while len(listed) > before:
        listed.remove(listed[-1])


def test_the_operator_makes_a_library_and_tells_blender(libraries: list[str], tmp_path: Path) -> None:
    kept = bpy.data.objects.new("Kept", None)
    out = tmp_path / "library"
    done = bpy.ops.levelwright.make_asset_library(
        directory=str(FOLDER), files=[{"name": "fable_vale.lev"}], library=str(out)
    )
    assert done == {"FINISHED"}
    assert kept.name == "Kept", "the open file is as it was"
    assert (out / "Fable" / "fable_vale.lev.blend").is_file()
    listed = bpy.context.preferences.filepaths.asset_libraries
    assert [Path(one.path) for one in listed][len(libraries) :] == [out]
    assert listed[-1].import_method in ("APPEND", "APPEND_REUSE"), "what is dragged in can be edited"
    assert not asset_operators.add_to_preferences(bpy.context, out / "Fable"), "it lies in one"
    with pytest.raises(RuntimeError, match="Choose levels"):
        bpy.ops.levelwright.make_asset_library()
    (tmp_path / "empty").mkdir()
    with pytest.raises(RuntimeError, match="there is no level"):
        bpy.ops.levelwright.make_asset_library(directory=str(tmp_path / "empty"), library=str(out))


def test_a_static_prop_goes_into_a_map_that_had_none(library: Path, tmp_path: Path) -> None:
    new = bpy.ops.levelwright.source_new_level()
    assert new == {"FINISHED"}
    level = originals.levels(bpy.context.scene)[0]
    game = levels.game_of(level)
    objects, _ = appended(file_of(library, game, FOLDER / "source_room.bsp"))
    prop = next(one for one in objects if identity.kind_of(one) == "static_prop")
    level.objects.link(prop)
    bpy.context.view_layer.update()
    _, settings = game.writer
    levels.export_file(bpy.context, level, tmp_path / "new.bsp", settings(), Report())
    read = source.read((tmp_path / "new.bsp").read_bytes()).static_props
    assert read is not None
    assert read.props is not None
    assert len(read.props) == 1


def test_a_layer_from_the_browser_goes_into_a_group_and_onto_the_grid(library: Path, tmp_path: Path) -> None:
    sample = FOLDER / "first-light.map"
    game = next(game for game, other in GIVING if other == sample)
    level = imported(game, sample)
    objects, _ = appended(file_of(library, game, sample))
    layer = next(one for one in objects if one.name == "House")
    layer.location = (0.3, -2.8, 0.4)
    level.objects.link(layer)
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = layer
    _, settings = game.writer
    with pytest.raises(SceneError, match=f"layer '{layer.name}' is not in a group"):
        levels.export_file(bpy.context, level, tmp_path / "out.map", settings(), Report())
    assert bpy.ops.levelwright.teeworlds_move_to_group(target=1) == {"FINISHED"}
    bpy.context.view_layer.update()
    assert tuple(layer.location.xy) == (round(layer.location.x), round(layer.location.y)), "on whole cells"
    assert (layer.matrix_world.translation.xy - Vector((0.3, -2.8))).length < 0.75, "it stays where it was dropped"
    levels.export_file(bpy.context, level, tmp_path / "out.map", settings(), Report())
    assert len(records(sample, tmp_path / "out.map")) == len(records(sample, sample)) + 1
    before, after = (teeworlds.read(file.read_bytes()) for file in (sample, tmp_path / "out.map"))
    assert [image.name for image in after.images] == [image.name for image in before.images], "it has that one"
    added = after.groups[1].layers[-1]
    assert isinstance(added, teeworlds.TileLayer)
    tiles = added.tiles()["index"]
    top = -round(layer.location.y)
    assert not tiles[:top].any()
    assert tiles[top].any(), "its first row"


def test_tiles_from_the_browser_go_into_a_layer_with_that_image(library: Path) -> None:
    sample = FOLDER / "first-light.map"
    game = next(game for game, other in GIVING if other == sample)
    level = imported(game, sample)
    objects, _ = appended(file_of(library, game, sample))
    piece = next(one for one in objects if one.name.startswith("first_light 7 x 6"))
    fence, sun = (next(one for one in level.all_objects if one.get("layer_name") == name) for name in ("Fence", "Sun"))
    level.objects.link(piece)
    piece.location = (20.2, -12.6, 0.1)
    piece.select_set(True)
    bpy.context.view_layer.objects.active = sun
    with pytest.raises(RuntimeError, match="it has to be active"):
        bpy.ops.levelwright.teeworlds_put_tiles()
    bpy.context.view_layer.objects.active = fence
    before, added = len(fence.data.polygons), len(piece.data.polygons)
    assert bpy.ops.levelwright.teeworlds_put_tiles() == {"FINISHED"}
    assert len(fence.data.polygons) == before + added


def test_what_quads_and_sources_play_comes_along(library: Path, tmp_path: Path) -> None:
    assert bpy.ops.levelwright.teeworlds_new_map() == {"FINISHED"}
    level = originals.levels(bpy.context.scene)[0]
    game, sample = levels.game_of(level), FOLDER / "first-light.map"
    objects, _ = appended(file_of(library, game, sample))
    for obj in (next(one for one in objects if one.name == "Sun quad 0"), one_speaker(objects)):
        level.objects.link(obj)
        bpy.context.view_layer.update()
        bpy.context.view_layer.objects.active = obj
        assert bpy.ops.levelwright.teeworlds_move_to_group(target=0) == {"FINISHED"}
    _, settings = game.writer
    levels.export_file(bpy.context, level, tmp_path / "new.map", settings(), Report())
    before, after = (teeworlds.read(file.read_bytes()) for file in (sample, tmp_path / "new.map"))
    *_, quads, sounds = after.groups[0].layers
    assert isinstance(quads, teeworlds.QuadLayer)
    assert isinstance(sounds, teeworlds.SoundLayer)
    (quad,) = quads.quads()
    was = next(one for group in before.groups for one in group.layers if one.name == "Sun").quads()[0]
    for field in ("position_envelope", "color_envelope"):
        number = quad[field]
        assert (number >= 0) == (was[field] >= 0)
        if number >= 0:
            assert after.envelopes[number].points.tobytes() == before.envelopes[was[field]].points.tobytes()
    assert after.images[quads.image].name == "sun"
    assert len(sounds.sources()) == 1
    assert after.sounds[sounds.sound].data() == before.sounds[0].data()


def test_a_sound_that_the_map_has_is_not_added_again(library: Path, tmp_path: Path) -> None:
    """A source is dragged into the very map that its sound came from."""
    sample = FOLDER / "first-light.map"
    level = imported(games.by_key("teeworlds"), sample)
    objects, _ = appended(file_of(library, levels.game_of(level), sample))
    obj = one_speaker(objects)
    level.objects.link(obj)
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.levelwright.teeworlds_move_to_group(target=1) == {"FINISHED"}
    _, settings = levels.game_of(level).writer
    levels.export_file(bpy.context, level, tmp_path / "out.map", settings(), Report())
    before, after = (teeworlds.read(file.read_bytes()) for file in (sample, tmp_path / "out.map"))
    assert len(after.sounds) == len(before.sounds)
    added = after.groups[1].layers[-1]
    assert isinstance(added, teeworlds.SoundLayer)
    assert after.sounds[added.sound].data() == before.sounds[0].data()


def one_speaker(objects: list[bpy.types.Object]) -> bpy.types.Object:
    return next(one for one in objects if one.type == "SPEAKER")
