# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels, and what lies beside them, that name files elsewhere: an import asks about none of those."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy
import pytest
from levelwright.addon import games, levels
from levelwright.addon.scene.names import file_name_of
from levelwright.addon.scene.reports import Report
from levelwright.addon.source.settings import ImportSettings as SourceSettings
from levelwright.addon.teeworlds import content as teeworlds_content
from levelwright.formats import teeworlds

from formats import source  # of tests.formats.source_room
from formats.source import LumpId
from tests.addon.genesis.test_headers import HEADER, headed
from tests.formats import fable_bytes, genesis_bytes, ns2_bytes
from tests.formats.source_room import room as source_room
from tests.watching import outside, watched

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes as POSIX has them")
SECRET = "hunter2"
"""A word of the files that no level may read."""
LINKS = {"host": "//host/share", "root": "/", "up": "..", "zero": "/dev/zero", "loop": "loop"}


def names(secret: Path) -> list[str]:
    """Names that lead out, some by links that came with the level (see `planted`)."""
    up = os.path.relpath(secret, secret.parent / "pack" / "maps")
    return [
        str(secret), f"{secret}/secret", up, f"{up}/secret", up.replace("/", "\\"), "//host/share/secret",
        "\\\\host\\share\\secret", "\\\\?\\C:\\secret", "C:\\secret", "C:/secret", "c:secret", "/usr/include",
        "/dev/zero", "host/secret", "root/etc/passwd", "up/up/secret/secret", "zero", "loop", "loop/secret", "pipe",
        "CON", "aux", "nul", "x" * 120, "a/" * 60, "..", ".", "/", "//",
    ]  # fmt: skip


@pytest.fixture
def secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of every game that no level may read; the games' own are nowhere."""
    for game in games.GAMES:
        for folder in game.folders:
            monkeypatch.delenv(folder.variable or "LEVELWRIGHT_NONE", raising=False)
    folder = tmp_path / "secret"
    for inner in (folder, folder / "materials", folder / "models"):
        inner.mkdir()
        for kind in ("h", "png", "opus", "txl", "lev", "tng", "vmt", "vtf", "material", "dds", "model"):
            (inner / f"secret.{kind}").write_text(SECRET)
        (inner / "secret").write_text(SECRET)
    return folder


def planted(folder: Path, endings: tuple[str, ...] = ("",)) -> Path:
    """Put links that lead out, and a pipe, into a level's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for ending in endings:
        for name, target in LINKS.items():
            (folder / f"{name}{ending}").symlink_to(target)
        os.mkfifo(folder / f"pipe{ending}")
    return folder


@contextmanager
def nothing_outside(*folders: Path) -> Iterator[None]:
    """Nothing but these folders may be looked into, and those that the machine's games and Blender are in."""
    with watched() as seen:
        yield
    temporary = str(Path(tempfile.gettempdir()) / "levelwright-")
    allowed = [*folders, *teeworlds_content._data_directories(), Path(bpy.utils.resource_path("LOCAL")).parent]
    assert [path for path in outside(seen, allowed) if not path.startswith(temporary)] == []
    assert any(Path(path).is_relative_to(folders[0]) for path in seen), "something was watched"


def imported(data: bytes, path: Path, settings: object = None) -> Report:
    """Import a level that is in a file."""
    path.write_bytes(data)
    report = Report()
    (level,) = levels.import_files(bpy.context, [path], lambda game: settings or game.import_settings(), report)
    text = levels.report_of(level)
    assert text is not None and SECRET not in text.as_string()
    return report


def test_teeworlds(tmp_path: Path, secret: Path) -> None:
    folder = planted(tmp_path / "pack" / "maps", (".png", ".opus"))
    planted(folder / "mapres", (".png", ".opus"))
    (folder.parent / "mapres").symlink_to(secret)
    level = teeworlds.new_level()
    for name in [*names(secret), "secret"]:
        level.images.append(teeworlds.Image.new(name[:60], width=16, height=16, external=True))
        level.sounds.append(teeworlds.Sound.new(name[:60], external=True))
    with nothing_outside(tmp_path / "pack"):
        report = imported(teeworlds.write(level), folder / "a.map")
    assert report.missing_names.keys() == {"images", "sounds"}
    for sound in bpy.data.sounds:
        assert sound.filepath.startswith("//mapres/") and "/" not in sound.filepath[9:].replace("\\", "/")
    line = next(line for line in report.lines() if line.startswith("content was looked for in"))
    assert str(folder) in line
    assert str(secret) in next(line for line in report.lines() if line.startswith("outside of these"))


@pytest.mark.parametrize("is_map", [True, False])
def test_genesis(tmp_path: Path, secret: Path, is_map: bool) -> None:
    folder = planted(tmp_path / "pack" / "maps", ("", ".txl", ".h"))
    (secret / "secret.h").write_text(HEADER.replace("Flag", SECRET))
    with nothing_outside(folder):
        for name in names(secret):
            if is_map:
                report = imported(genesis_bytes.room(pairs=(("TextureLib", f"{name}.txl"),)), folder / "a.map")
            else:
                data = headed(name).replace(b'"..\\\\a b.txl"', b'"%s.txl"' % name.replace("\\", "\\\\").encode())
                report = imported(data, folder / "a.3dt")
                assert report.counts["headers"] == 0
            assert report.missing_names["texture libraries"]


def test_headers_that_are_beside_the_level_are_read(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.h").write_text(HEADER)
    report = imported(headed("//host/share/src"), tmp_path / "a.3dt")
    assert report.counts["headers"] == 1, "what the path ends with is there"


def test_fable(tmp_path: Path, secret: Path) -> None:
    folder = planted(tmp_path / "pack" / "maps", ("", ".png", ".tga", ".lev"))
    chosen = planted(tmp_path / "themes", (".png", ".tga"))
    (folder / "a.tng").symlink_to(secret / "secret.tng")
    ground = [(name.encode()[:100], 7 * slot) for slot, name in enumerate(["", "INVALID", *names(secret)])]
    game = games.by_key("fable")
    installed = planted(tmp_path / "game" / "data", (".big", ".bin"))
    (installed / "graphics").symlink_to(secret)
    (installed / "CompiledDefs").symlink_to(secret)
    settings = game.import_settings(textures_directory=str(chosen), game_directory=str(tmp_path / "game"))
    with nothing_outside(folder, chosen, tmp_path / "game"):
        report = imported(fable_bytes.Lev(ground=ground).build(), folder / "a.lev", settings)
        assert report.counts["theme images"] == 0
        listed = [*names(secret), *(f"{name}.lev" for name in names(secret)), "a.lev"]
        maps = [f'NewMap {number};\r\nMapX 0;\r\nMapY 0;\r\nLevelName "{name}";\r\nEndMap;\r\n'
                for number, name in enumerate(listed)]  # fmt: skip
        (folder / "a.wld").write_text("MapUIDCount 3;\r\n" + "".join(maps))
        form = next(form for form in game.forms if form.ending == ".wld")
        world = Report()
        levels.import_form(bpy.context, folder / "a.wld", game, form, form.import_settings(), settings, world)
    assert world.counts["maps of the world"] == 1
    assert not any(SECRET in line for line in world.lines())


def test_ns2(tmp_path: Path, secret: Path) -> None:
    folder, game = tmp_path / "pack" / "maps", tmp_path / "pack"
    for inner in (folder, game, game / "materials"):
        planted(inner, ("", ".material", ".dds", ".model"))
    for name in ("models", "core"):
        (game / name).symlink_to(secret)
    (game / "editor_setup.xml").symlink_to(secret / "secret")
    for number, name in enumerate(names(secret)):
        text = name.replace("\\", "\\\\")
        maps = "".join(f'{key} = "{text}"\n' for key in ("albedoMap", "normalMap", "specularMap", "emissiveMap"))
        (game / "materials" / f"m{number}.material").write_text(f'shader = "shaders/Level.surface_shader"\n{maps}')
    listed = [*names(secret), *(f"{name}.material" for name in names(secret))]
    listed += [f"materials/m{number}.material" for number in range(len(names(secret)))]
    shape = ns2_bytes.Shape(**{**ns2_bytes.HOLED.__dict__, "materials": [name[:250] for name in listed]})
    objects = []
    for name in [*names(secret), "models/secret.model"]:
        kept = [each for each in ns2_bytes.PROP if b"model" not in each[:40]]
        model = ns2_bytes.prop("model", 4, ns2_bytes.str16(name))
        objects.append(ns2_bytes.entity(10, "prop_static", [*kept, model]))
    above = [parent / name for parent in folder.parents for name in ("materials", "models")]  # is it a game's folder?
    with nothing_outside(game, *above):
        report = imported(ns2_bytes.level(10, mesh=ns2_bytes.mesh(10, shape), objects=objects), folder / "a.level")
    assert set(report.missing_names) >= {"materials", "textures", "models"}


def source_game(tmp_path: Path, secret: Path) -> Path:
    """A game in Steam's library, or what looks like it, whose configuration names everything."""
    game = planted(tmp_path / "steamapps" / "common" / "engine" / "game")
    (game / "cfg").mkdir()
    values = [name.replace("\\", "\\\\") for name in [*names(secret), *(f"{name}/*" for name in names(secret))]]
    paths = "".join(f'game "{name}"\n game "|gameinfo_path|{name}"\n' for name in values)
    mounted = "".join(
        f'"{number}" {{ "{name}" {{ vpk "{name}" dir "{name}" }} }}\n' for number, name in enumerate(values)
    )
    (game / "gameinfo.txt").write_text(
        f"GameInfo {{ FileSystem {{ SearchPaths {{ {paths} }} }} mount {{ {mounted} }} }}"
    )
    (game / "cfg" / "mounts.kv").write_text(f"mounts {{ {mounted} }}")
    (game / "cfg" / "mount.cfg").write_text("mountcfg {" + "".join(f'g{n} "{v}"\n' for n, v in enumerate(values)) + "}")
    libraries = "".join(f'"{number}" {{ "path" "{name}" }}\n' for number, name in enumerate(values))
    (tmp_path / "steamapps" / "libraryfolders.vdf").write_text(f"libraryfolders {{ {libraries} }}")
    for number, name in enumerate(values):
        (tmp_path / "steamapps" / f"appmanifest_{number}.acf").write_text(f'AppState {{ "installdir" "{name}" }}')
    planted(game / "materials", ("", ".vmt", ".vtf"))
    planted(game.parent / "update")
    (game / "pak01_dir.vpk").symlink_to("/dev/zero")
    (game / "models").symlink_to(secret)
    return game


def source_levels(names: list[str]) -> Iterator[bytes]:
    """A map for each name, whose textures, entities and own materials have it."""
    for name in names:
        made = source_room()
        made.set_bytes(LumpId.TEXDATA_STRING_DATA, b"dev/floor\0" + name.encode()[:100] + b"\0")
        values = f'"model" "models/{name}.mdl" "message" "{name}.wav" "texture" "dev/floor" "origin" "0 0 0"'
        kinds = ("prop_dynamic", "ambient_generic", "infodecal", "env_sprite")
        keys = "".join(f'{{ "classname" "{kind}" {values} }}\n' for kind in kinds)
        made.set_bytes(LumpId.ENTITIES, f'{{ "classname" "worldspawn" "skyname" "{name}" }}\n{keys}\0'.encode())
        made.pak.put("materials/base.vmt", f'LightmappedGeneric {{ "$basetexture" "{name}" }}'.encode())
        include = f'include "{name}" insert {{ "$basetexture" "{name}" "$bumpmap" "{name}" "$detail" "{name}" }}'
        made.pak.put("materials/dev/floor.vmt", f"patch {{ {include} }}".encode())
        yield source.write(made)


@pytest.mark.parametrize(
    ("chosen", "step"), [(False, 4), *(pytest.param(chosen, 1, marks=pytest.mark.slow) for chosen in (False, True))]
)
def test_source(tmp_path: Path, secret: Path, chosen: bool, step: int) -> None:
    """With each name or, for they take long, with some of them."""
    game = source_game(tmp_path, secret)
    folder = planted((tmp_path / "elsewhere" if chosen else game) / "maps")
    settings = SourceSettings(game_directory=str(game) if chosen else "")
    with nothing_outside(tmp_path / "steamapps", folder.parent):
        for data in source_levels(names(secret)[::step]):
            report = imported(data, folder / "a.bsp", settings)
        assert any("outside of these" in line for line in report.lines())


@pytest.mark.parametrize("name", ["//host/share/maps/a.bsp", "\\\\host\\share\\maps\\a.bsp", "/etc/a.bsp", "../a.bsp"])
def test_the_name_of_a_levels_file_that_a_blend_holds_names_no_folder(name: str) -> None:
    assert file_name_of(name) == "a.bsp"


@pytest.mark.parametrize("name", ["", "..", ".", "a/..", "C:a.bsp", "a\0b"])
def test_what_is_no_name_of_a_file(name: str) -> None:
    assert file_name_of(name) == ""
