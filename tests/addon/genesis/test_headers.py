# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's headers: found where the level says, in the report, and what they say of brushes' contents."""

import bpy
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.genesis.brushes import contents
from levelwright.addon.genesis.importer import import_level
from levelwright.addon.genesis.settings import ImportSettings
from levelwright.addon.scene.reports import Report
from levelwright.formats import genesis

from tests.addon.genesis.export_helpers import brush, exported, imported, part, reopened, sample
from tests.formats.genesis_3dt_text import entity, leaf, level

HEADER = """
#pragma GE_BrushContents
typedef enum { Water = 0x00010000, Lava = 0x00020000, Both = 0x00030000, Ladder = 0x80000000 } Contents;
#pragma GE_Type("flag.bmp")
typedef struct Flag {
#pragma GE_Published
    geVec3d origin;
    int Team;
#pragma GE_Origin(origin)
#pragma GE_Documentation(Team, "Whose it is")
} Flag;
"""
FLAG = [("classname", "Flag"), ("%name%", "f"), ("origin", "1 2 3"), ("Team", "2")]


def headed(named: str) -> bytes:
    text = level((1, 31), [leaf("box", (1, 31))], [entity(FLAG, (1, 31))], [], [])
    escaped = named.replace("\\", "\\\\")
    return text.replace('HeadersDir "..\\\\src;..\\\\src\\\\fx"', f'HeadersDir "{escaped}"').encode("latin-1")


def read(data, folder, **settings):
    report = Report()
    return import_level(bpy.context, data, folder / "a.3dt", ImportSettings(**settings), report), report


@pytest.mark.parametrize(
    "named",
    [".", r"src\GAME", r"..\levels\src\game", r"C:\Genesis3D\Src\Game", "D:/no;src/game", r"gone;\\pc\src\game"],
)
def test_the_folders_that_a_level_names_are_found_beside_it(named, tmp_path):
    folder = tmp_path / "levels"
    (folder / "src" / "Game").mkdir(parents=True)
    (folder / ("x.H" if named == "." else "src/Game/x.H")).write_text(HEADER)
    data = headed(named)
    assert genesis.read(data).headers_directory == named
    scene, report = read(data, folder)
    assert report.counts["headers"] == 1
    flag = part(scene, layout.ENTITY, 0)
    assert flag["Team"] == 2
    assert "Whose it is" in flag.id_properties_ui("Team").as_dict()["description"]
    assert exported(scene) == data


def test_the_option_wins_and_what_is_missing_is_told(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a.h").write_text(HEADER.replace("int Team", "char * Team"))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.h").write_text(HEADER)
    scene, report = read(headed("src"), tmp_path, headers_directory=str(tmp_path / "own"))
    assert part(scene, layout.ENTITY, 0)["Team"] == "2" and report.counts["headers"] == 1
    _, report = read(headed("nowhere"), tmp_path, headers_directory=str(tmp_path))
    assert report.counts["headers"] == 2, "those of the folders in it"
    _, report = read(headed("nowhere"), tmp_path)
    assert report.missing_names["folders of headers"] == ["nowhere"]
    (tmp_path / "src" / "a.h").write_text('#pragma GE_Type("a")\ntypedef struct A { wchar_t b; } A;')
    _, report = read(headed("src"), tmp_path)
    assert "can't be read" in report.warnings[0]


def test_contents_are_named_flags(tmp_path):
    (tmp_path / "a.h").write_text(HEADER)
    data = headed(".")
    scene, _ = read(data, tmp_path)
    scene = reopened(scene, tmp_path)
    names = contents.names_of(scene)
    assert names[:3] == ["Water", "Lava", "User 3"] and names[14:] == ["User 15", "Ladder"]
    box = brush(scene, 0)
    flags = getattr(box, contents.NAMES)
    assert list(flags) == [False] * 16
    flags[1] = flags[15] = True
    assert box["contents"] == 0x8002 and list(getattr(box, contents.NAMES))[1] is True
    after = genesis.read(exported(scene))
    assert after.brushes[0].flags & 0xFFFFFFFF == genesis.read(data).brushes[0].flags | 0x80020000
    flags[1] = flags[15] = False
    assert exported(scene) == data


def test_contents_without_headers_are_numbered():
    scene = imported(sample())
    assert contents.names_of(scene) == [f"User {number}" for number in range(1, 17)]
    box = brush(scene, 0)
    getattr(box, contents.NAMES)[0] = True
    assert genesis.read(exported(scene)).entities[0].brushes[0].flags == 0x10001
