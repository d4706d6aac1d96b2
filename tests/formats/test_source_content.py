# SPDX-License-Identifier: GPL-3.0-or-later
"""Key-values, materials, archives and the order in which a game's content is searched."""

import io
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from formats.binary import FormatError
from formats.reach import AllowedFolders
from formats.source.content import keyvalues, troika, vmt, vpk, vtf_write
from formats.source.content.gameinfo import root_of
from formats.source.content.search_path import Folder, SearchPath, normal, of_game
from formats.source.content.texels import ImageFormat
from tests.formats import source_content_bytes as build


def test_key_values():
    block = keyvalues.parse(
        b"""// a comment
        "LightmappedGeneric" { $basetexture "a b\\c"  $alpha .5 // more
          "$alpha" "1" nested { x { } y "two
lines" }
          "$only360" 1 [$X360]
          "$notthere" "2" [!$X360]
          blocks [$PS3 || $X360] { $a b } $tint [1 .5 0] $no c [$WIN32 && $X360]
        }"""
    )
    ((shader, inner),) = block.blocks()
    assert shader == "LightmappedGeneric"
    assert inner.get("$BASETEXTURE") == "a b\\c"
    kept = [("$basetexture", "a b\\c"), ("$alpha", ".5"), ("$alpha", "1"), ("$notthere", "2"), ("$tint", "[1 .5 0]")]
    assert list(inner.texts()) == kept
    assert [name for name, _ in inner.blocks()] == ["nested"]
    assert inner.block("Nested").get("y") == "two\nlines"
    assert inner.block("nested").block("x").entries == []
    assert inner.get("missing") is None
    assert inner.block("missing") is None


def test_key_values_that_end_too_soon_count_as_they_are():
    assert keyvalues.parse(b'a { b "c').block("a").get("b") == "c"
    assert keyvalues.parse(b'a { b "c" d').block("a").entries == [("b", "c")]
    assert keyvalues.parse(b"").entries == []
    assert keyvalues.parse(b"\xef\xbb\xbfa \xc3\xa9").get("a") == "\u00e9"
    assert keyvalues.parse(b"a \xe9").get("a") == "\u00e9"
    assert keyvalues.parse("\ufeffa { b \u00e9 } }".encode("utf-16-le")).block("a").get("b") == "\u00e9"
    assert keyvalues.parse(b"a { b c d } e f").entries[1:] == [("e", "f")]


def test_comments_and_conditions_without_blanks():
    block = keyvalues.parse(b"a b/c//is d\ne http://f//g\nh/ i j k[$WIN32] l m [$X360 || " + b"!" * 9999 + b"$WIN32]")
    assert block.entries == [("a", "b/c"), ("e", "http://f"), ("h/", "i"), ("j", "k[$WIN32]")]


def test_bad_key_values():
    with pytest.raises(FormatError, match="more than 64 deep"):
        keyvalues.parse(b"a { " * 100)


def test_braces_in_the_place_of_keys_are_keys():
    """As in the engine: what a C comment holds, which key-values don't have."""
    whole = keyvalues.parse(b'm { a b /* "Proxies" { "Ramp" { "v" "$x" "rate" 5 } } */ } more { }')
    block = whole.block("m")
    assert block.entries == [("a", "b"), ("/*", "Proxies"), ("{", "Ramp"), ("{", "v"), ("$x", "rate")]
    assert len(whole.flaws) == 4 and "where a key should" in whole.flaws[0] and "'5'" in whole.flaws[2]
    assert keyvalues.parse(b"a { b c }").flaws == []
    assert keyvalues.parse(b"{ }").entries == []


def test_a_material_with_a_stray_brace_is_read_and_told():
    found = vmt.read(b"Modulate { $basetexture a { $alpha .5 }")
    assert (found.shader, found.texture("$basetexture"), found.parameters["{"]) == ("Modulate", "a", "$alpha")
    assert found.flaws == ["a brace stands at character 26 where a key should", "'.5' before character 38 has no value"]
    patch = vmt.read(b"patch { include materials/x.vmt insert { $alpha } }", lambda _: b"Sky { { a }")
    assert len(patch.flaws) == 2


def test_the_material_of_the_corpus_with_a_comment_of_c(corpus):
    (path,) = (corpus / "source-content").glob("**/vgui_overlay.vmt")
    found = vmt.read(path.read_bytes())
    assert (found.shader, found.texture("$basetexture")) == ("Modulate", "vgui/screens/vgui_overlay")
    assert found.flaws and not list(found.proxies.blocks())


def test_a_material():
    material = vmt.read(
        b"""VertexLitGeneric { $BaseTexture "Models\\Props/Crate.VTF" $color "{255 128 0}" $color2 "[.5 1 2]"
        $alphatestreference 0.3 $translucent 1 $selfillum 0 $tint 0.25 $nothing "" Proxies { Sine { resultVar $a } }
        $basetexturetransform "center .5 .5 scale 2 1 rotate 90 translate .25 0" }"""
    )
    assert material.shader == "VertexLitGeneric"
    assert material.texture("$basetexture") == "models/props/crate"
    assert material.color("$color") == pytest.approx((1, 128 / 255, 0))
    assert material.color("$color2") == (0.5, 1, 2)
    assert material.color("$tint") == (0.25, 0.25, 0.25)
    assert material.color("$none", (0, 0, 0)) == (0, 0, 0)
    assert material.number("$alphatestreference") == 0.3
    assert (material.flag("$translucent"), material.flag("$selfillum"), material.flag("$no")) == (True, False, False)
    assert material.text("$nothing") is None
    assert [name for name, _ in material.proxies.blocks()] == ["Sine"]
    corner = material.transform("$basetexturetransform") @ (1, 0.5, 1)
    assert corner == pytest.approx([0.75, 1.5])  # half a side right of the centre, times two, turned to below it
    assert (material.transform("$none") @ (3, 4, 1)).tolist() == [3, 4]


def test_a_material_of_a_good_machine():
    material = vmt.read(
        b"""LightmappedGeneric { "$basetexture" plain "360?$detail" xbox "!360?$color" 1 "GPU>=2?$bumpmap" rough
        "srgb?$scale" 2 "!srgb?$scale" 8 "ldr?$envmap" dark  ">=DX90" { "$basetexture" fine } "<DX90" { "$alpha" 0 }
        LightmappedGeneric_DX9 { "$envmap" env_cubemap } LightmappedGeneric_DX8 { "$envmap" "" }
        ">dx80" { $old 1 } "<=dx95" { $late 1 } "<dx90_20b" { $old 2 } "gpu<1?$old" 3 "!GPU<2?$quick" 1 }"""
    )
    wanted = {"$basetexture": "fine", "$color": "1", "$bumpmap": "rough", "$scale": "2", "$envmap": "env_cubemap"}
    wanted |= {"$old": "1", "$late": "1", "$quick": "1"}
    assert material.parameters == wanted


def test_patches():
    files = {
        "materials/base.vmt": b'LightmappedGeneric { $basetexture "wall" $envmap "env_cubemap" }',
        "materials/mid.vmt": b'patch { include "materials/base.vmt" insert { $envmap "maps/a/c1_2_3" } }',
        "materials/loop.vmt": b"Patch { include materials/loop.vmt }",
    }
    top = b'"Patch" { "include" "Materials\\mid.vmt" "replace" { "$basetexture" "floor" "$missing" "1" } }'
    material = vmt.read(top, files.get)
    assert material.shader == "LightmappedGeneric"
    assert material.parameters == {"$basetexture": "floor", "$envmap": "maps/a/c1_2_3"}
    assert material.includes == ["materials/mid.vmt", "materials/base.vmt"]
    alone = vmt.read(top)
    assert (alone.shader, alone.texture("$basetexture")) == ("patch", "floor")
    with pytest.raises(FormatError, match="includes itself"):
        vmt.read(files["materials/loop.vmt"], files.get)
    with pytest.raises(FormatError, match="no shader"):
        vmt.read(b"nothing here")


FILES = {
    "materials/Brick/wall01.vmt": (b"Light", b"mappedGeneric { }", 0),
    "readme.txt": (b"", b"hello", 0x7FFF),
    "scripts/none": (b"only here", b"", 0),
    "materials/brick/other.vmt": (b"", b"x { }", 1),
}


@pytest.mark.parametrize("version", [1, 2])
def test_archives(tmp_path: Path, version: int):
    (tmp_path / "pak01_dir.vpk").write_bytes(build.vpk(FILES, version))
    (tmp_path / "pak01_000.vpk").write_bytes(FILES["materials/Brick/wall01.vmt"][1])
    archive = vpk.VpkArchive(tmp_path / "pak01_dir.vpk")
    assert sorted(archive.files) == sorted(name.lower() for name in FILES)
    assert archive.read("materials/brick/wall01.vmt") == b"LightmappedGeneric { }"
    assert archive.read("readme.txt") == b"hello"
    assert archive.read("scripts/none") == b"only here"
    assert archive.read("nothing") is None
    with pytest.raises(FormatError, match="archive can't be read"):
        archive.read("materials/brick/other.vmt")
    (tmp_path / "pak01_001.vpk").write_bytes(b"x")
    with pytest.raises(FormatError, match="1 of its 5 bytes"):
        vpk.VpkArchive(tmp_path / "pak01_dir.vpk").read("materials/brick/other.vmt")


def test_bad_archives(tmp_path: Path):
    path = tmp_path / "x_dir.vpk"
    good = build.vpk(FILES)
    for data in (b"", b"VPK", good[:4] + b"\3" + good[5:], good[:8] + b"\xff\xff\xff\x7f" + good[12:]):
        path.write_bytes(data)
        with pytest.raises(FormatError):
            _ = vpk.VpkArchive(path).files
    tree = good[28 : 28 + int.from_bytes(good[8:12], "little")]
    assert len(vpk.entries(tree)) == 4
    for end in range(len(tree) - 1):
        with pytest.raises(FormatError):
            vpk.entries(tree[:end])


def test_archives_of_bloodlines(tmp_path: Path):
    files = {"materials\\Brick\\A.vmt": b"Old { }", "empty": b"", "b.txt": b"text"}
    (tmp_path / "pack000.vpk").write_bytes(build.pack(files))
    (tmp_path / "PACK101.vpk").write_bytes(build.pack({"materials/brick/a.vmt": b"New { }"}))
    (tmp_path / "pack010.vpk").write_bytes(build.pack(files, version=1))
    (tmp_path / "pack001.vpk").write_bytes(bytes(9))
    archive = troika.TroikaArchive(tmp_path / "pack000.vpk")
    assert [archive.read(name) for name in ("materials/brick/a.vmt", "empty", "b.txt")] == [b"Old { }", b"", b"text"]
    assert archive.read("c.txt") is None
    search = SearchPath(list(of_game(tmp_path)))
    assert search.material("brick/a").shader == "New"
    assert search.read("B.txt") == b"text"
    assert search.unread == {}
    good = build.pack(files)
    for bad in (b"", bytes(8), bytes(8) + b"\2", good[:-9] + struct.pack("<IIB", 3, 99, 0), good[1:],
                good[:-9] + struct.pack("<IIB", 1 << 31, 11, 0)):  # fmt: skip
        (tmp_path / "bad.vpk").write_bytes(bad)
        with pytest.raises(FormatError):
            _ = troika.TroikaArchive(tmp_path / "bad.vpk").files


def test_sourcepp_makes_the_same_archives(tmp_path: Path):
    vpkpp = pytest.importorskip("sourcepp", reason="pip install sourcepp").vpkpp
    made = vpkpp.VPK_VTMB.create(str(tmp_path / "pack000.vpk"))
    made.add_entry_from_mem("materials/a.vmt", b"Water { }")
    assert made.bake(str(tmp_path))
    files = {"materials/a.vmt": b"Water { }"}  # it puts new files into the next archive
    assert (tmp_path / "pack001.vpk").read_bytes() == build.pack(files)
    assert SearchPath(list(of_game(tmp_path))).material("a").shader == "Water"


def test_names():
    assert normal("Materials\\Brick//Wall.VMT") == "materials/brick/wall.vmt"
    assert normal("./a") == "a"
    for name in ("../a", "a/../../b", "c:/a", "/etc/passwd", "\\\\host\\a", "", "a\0b"):
        assert normal(name) is None


def test_search_path_of_a_game(tmp_path: Path):
    game, other = tmp_path / "Game", tmp_path / "hl2"
    pixels = np.full((2, 2, 4), 9, np.uint8)
    (game / "Materials/Maps").mkdir(parents=True)
    (game / "custom/mine/materials").mkdir(parents=True)
    (other / "materials").mkdir(parents=True)
    (game / "gameinfo.txt").write_text(
        """GameInfo { game "X" FileSystem { SearchPaths {
        game+mod        tfx/custom/*
        "game"    |gameinfo_path|.
        game_lv   hl2/bloodless.vpk
        game      hl2/M?ne*
        game      |all_source_engine_paths|hl2/hl2_misc.vpk
        game      |all_source_engine_paths|hl2
        gamebin   bin } } }""".replace("tfx", "Game")
    )
    (game / "custom/mine/materials/a.vmt").write_text("Mine { }")
    (game / "Materials/A.vmt").write_text("Loose { }")
    (game / "Materials/B.VMT").write_text('Loose { $basetexture "maps/tex" }')
    (game / "Materials/Maps/tex.vtf").write_bytes(vtf_write.write(pixels, ImageFormat.BGRA8888))
    (game / "Materials/broken.vmt").write_text("{")
    (game / "Materials/broken.vtf").write_text("VTF")
    (other / "materials/c.vmt").write_text("Other { }")
    (other / "hl2_misc_dir.vpk").write_bytes(build.vpk({"materials/c.vmt": (b"Archive { }", b"", 0)}))
    (other / "bloodless.vpk").write_bytes(build.vpk({"materials/c.vmt": (b"Bloodless { }", b"", 0)}))
    (other / "MINE_DIR.VPK").write_bytes(build.vpk({"materials/d.vmt": (b"Mine", b"Too { }", 0)}))
    (other / "MINE_000.VPK").write_bytes(b"Too { }")
    (other / ".mine").mkdir()
    search = SearchPath(list(of_game(game)))
    mounted = [source.path.name for source in search.sources]
    assert mounted == ["mine", "Game", "MINE_DIR.VPK", "hl2_misc_dir.vpk", "hl2"]
    assert search.material("D").shader == "MineToo"
    assert search.material("A").shader == "Mine"
    assert search.material("b").shader == "Loose"
    assert search.material("c").shader == "Archive"
    assert search.texture("maps/tex").pixels().tolist() == pixels.tolist()
    assert search.material("missing") is None
    assert search.texture("../secret") is None
    assert search.material("broken") is None
    assert search.texture("broken") is None
    assert sorted(search.unread) == ["materials/broken.vmt", "materials/broken.vtf"]
    plain = SearchPath([Folder(other)])
    assert plain.material("c").shader == "Other"
    assert [type(source).__name__ for source in of_game(other)] == ["Folder", "VpkArchive", "VpkArchive"]
    assert list(of_game(tmp_path / "nowhere")) == []


def test_a_mod_finds_the_content_of_games_whatever_the_case_of_names_is(tmp_path: Path):
    mod, engine = tmp_path / "SteamApps/sourcemods/mine", tmp_path / "SteamApps/common/Source SDK Base"
    for folder in (mod, engine / "HL2", mod.parent / "mine_dlc1", mod.parent / "mine_dlc12", mod.parent / "update"):
        folder.mkdir(parents=True)
    text = """"GameInfo" { FileSystem { SteamAppId 218 SearchPaths {
        game+mod |appid_218|hl2/HL2_Textures.vpk
        game |all_source_engine_paths|hl2
        game "ABSOLUTE/*"
        game |nowhere|missing  game+mod+mod_write |gameinfo_path|. platform PLATFORM } } }"""
    (mod / "GameInfo.txt").write_text(text.replace("ABSOLUTE", str(tmp_path / "SteamApps/Mounted")))
    (tmp_path / "SteamApps/mounted/addon").mkdir(parents=True)
    (engine / "HL2/hl2_textures_dir.vpk").write_bytes(build.vpk({"materials/a.vmt": (b"A { }", b"", 0)}))
    (engine / "platform").mkdir()
    steps = [(source.path.name, type(source).__name__) for source in of_game(mod)]
    assert steps[:3] == [("update", "Folder"), ("mine_dlc12", "Folder"), ("mine_dlc1", "Folder")]
    assert steps[3:] == [
        ("hl2_textures_dir.vpk", "VpkArchive"), ("HL2", "Folder"), ("addon", "Folder"), ("mine", "Folder"),
        ("platform", "Folder"),
    ]  # fmt: skip
    assert SearchPath(list(of_game(mod))).material("a").shader == "A"
    (tmp_path / "mounted/addon").mkdir(parents=True)
    (mod / "GameInfo.txt").write_text(text.replace("ABSOLUTE", str(tmp_path / "mounted")))
    assert "addon" not in [source.path.name for source in of_game(mod)], "it lies out of Steam's library"


@pytest.mark.parametrize("name", ["pak01_dir.vpk", "pack000.vpk"])
def test_a_damaged_archive_is_read_once_and_hides_nothing(tmp_path: Path, name: str):
    (tmp_path / "a/materials").mkdir(parents=True)
    (tmp_path / "a/materials/x.vmt").write_text("Found { }")
    (tmp_path / name).write_bytes(bytes(99) + b"\7")
    search = SearchPath([*of_game(tmp_path), Folder(tmp_path / "a")])
    assert search.material("x").shader == "Found"
    assert search.unread == {}
    (tmp_path / name).unlink()
    assert search.material("y") is None
    assert list(search.unread) == ["materials/y.vmt"]
    assert name in search.unread["materials/y.vmt"]


def test_content_of_other_games_is_mounted_by_their_numbers(tmp_path: Path):
    steam, far = tmp_path / "steamapps", tmp_path / "Games/SteamApps".lower()
    game, portal = steam / "common/P2CE/p2ce", far / "common/Portal 2"
    for folder in (game / "cfg", steam / "common/Other/portal2", portal / "Portal2/custom", portal / "update"):
        folder.mkdir(parents=True)
    (steam / "libraryfolders.vdf").write_text(
        '"LibraryFolders" { "1" { "path" "PATH" "apps" { } } "2" { } }'.replace("PATH", str(far.parent))
    )
    (far / "appmanifest_620.acf").write_text('"AppState" { "appid" "620" "installdir" "Portal 2" }')
    (game / "gameinfo.txt").write_text(
        """GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } mount {
        620 { head 0 Portal2 { mountmoddir 0 vpk pak01_dir dir custom sound x vpk missing } update { vpk pak01 } }
        ../620 { portal2_dlc9 { } } 99 { head 1 update { } portal2 { } } } }"""
    )
    for folder in ("Portal2", "update"):
        (portal / folder / "pak01_dir.vpk").write_bytes(build.vpk({}))
    assert [source.path for source in of_game(game)] == [steam / "common/Other/portal2", game], "nobody chose the other"
    reach = AllowedFolders([root_of(game), far])
    found = [source.path for source in of_game(game, reach)]
    other = steam / "common/Other/portal2"  # nobody knows where 99 is: whoever has such a folder
    own = [portal / "Portal2/pak01_dir.vpk", portal / "Portal2/custom", portal / "update/pak01_dir.vpk"]
    assert found == [other, game, *own, portal / "update"]
    (game / "cfg/Mounts.kv").write_text("Mounts { 620 { head 1 portal2 { } } }")
    assert [source.path for source in of_game(game, AllowedFolders(reach.folders))][:2] == [other, portal / "Portal2"]
    (game / "cfg/Mounts.kv").write_text("{")
    (game / "cfg/mount.cfg").write_text(f'"mountcfg" {{ tf "{far}/common/tf" // no\n portal "{portal}/Portal2" }}')
    assert [source.path for source in of_game(game, AllowedFolders(reach.folders))] == [*found, portal / "Portal2"]


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "a\0b/*", "x" * 5000 + "/*"])
def test_names_of_folders_that_cannot_be(tmp_path: Path, name: str):
    for block in (f'FileSystem {{ SearchPaths {{ game "{name}" }} }}', f'mount {{ 1 {{ "{name}" {{ }} }} }}'):
        (tmp_path / "gameinfo.txt").write_text(f"GameInfo {{ {block} }}")
        assert [source.path for source in of_game(tmp_path)] == [tmp_path]


class Pak:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.names = {info.filename.replace("\\", "/").lower(): info for info in archive.infolist()}

    def read(self, name: str) -> bytes | None:
        info = self.names.get(name)
        return self.archive.read(info) if info else None


def test_materials_of_real_levels(corpus):
    shaders, patches = set(), 0
    for path in sorted((corpus / "bsp").rglob("*.bsp")):
        try:
            pak = Pak(zipfile.ZipFile(io.BytesIO(path.read_bytes())))
        except zipfile.BadZipFile:
            continue
        search = SearchPath([pak])
        for name in pak.names:
            if name.startswith("materials/") and name.endswith(".vmt"):
                material = search.material(name[10:-4])
                assert material is not None or name in search.unread, name
                shaders.add(material.shader.lower())
                patches += bool(material.includes)
        assert search.unread == {}, path.name
    assert "lightmappedgeneric" in shaders
    assert patches > 50
