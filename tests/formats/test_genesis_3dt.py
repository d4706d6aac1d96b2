# SPDX-License-Identifier: GPL-3.0-or-later
"""`.3dt` text: every version's words, what is refused, and that edits change nothing else."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import FormatError
from formats.genesis import EditorEntity, Group, Level3dt, SkyFace, identify, new_level, read, text_3dt, write
from formats.genesis.text import fixed
from formats.genesis.tokens import Scanner, quote, unquote
from tests import examples
from tests.formats import genesis_3dt_text as build

LATIN = st.text(st.characters(codec="latin-1", exclude_characters="\r\n\0"), max_size=20)
WORDS = st.from_regex(r"[A-Za-z_%][A-Za-z_%0-9]{0,11}", fullmatch=True)


def level_of(text: str) -> Level3dt:
    level = read(text.encode("latin-1"))
    assert isinstance(level, Level3dt)
    return level


def changed_lines(before: bytes, after: bytes) -> list[tuple[bytes, bytes]]:
    one, two = before.split(b"\n"), after.split(b"\n")
    assert len(one) == len(two)
    return [(old, new) for old, new in zip(one, two, strict=True) if old != new]


@pytest.mark.parametrize("version", build.VERSIONS, ids=lambda version: f"1.{version[1]}")
def test_every_version(version):
    text = build.whole_level(version)
    assert identify(text.encode())
    level = level_of(text)
    minor = version[1]
    assert level.version == version
    assert level.texture_library == ("..\\a b.txl" if minor >= 18 else "..\\a.txl")
    assert level.headers_directory == ("..\\src;..\\src\\fx" if minor >= 31 else "")
    assert (level.actors_directory, level.pawn_ini) == (("actors", "pawn.ini") if minor >= 33 else ("", ""))
    assert level.palette == ("" if minor >= 16 else "c:\\pal.pal")
    shell, inner, door, cut, water = level.leaves()
    assert (shell.name, shell.flags, inner.flags) == ("room 1" if minor >= 24 else "room1", 0x401, 0x91)
    assert (shell.hull_size, door.model_id) == (16, 1)
    assert (cut.group_id, cut.role, inner.role, shell.role) == (int(minor >= 3), "cut", "hollow cut", "hollow")
    assert water.flags == 0x80010004
    assert water.translucency == (100 if 17 <= minor < 27 else 0)
    assert [brush.role for brush in level.brushes] == (
        ["hollow", "solid", "cut", "solid"] if minor >= 15 else ["hollow", "hollow cut", "solid", "cut", "solid"]
    )
    face = door.faces[0]
    assert face.points.tolist() == [[64, -64, -64], [64, -64, 64], [64, 64, 64], [64, 64, -64]]
    assert face.points.dtype == np.float32
    assert (face.texture, face.rotate) == ("brick", 12.5 if minor >= 33 else 45)
    assert (face.shift, face.scale) == ((3, -4), (0.5, 2))
    assert face.light_scale == ((4, 8) if minor >= 17 else (0.5, 2))
    assert (face.flags, face.light, face.mip_map_bias, face.translucency) == (512, 300, 1, 255)
    light, camera = level.entities
    assert light.pairs == [("classname", "light"), ("light", "150"), ("origin", "10 20 -30"), ("%name%", "light1")]
    assert light.place == (10, 20, -30)
    assert (camera.name, camera.group_id) == ('a \\ b "c"' if minor >= 14 else "a b c", 1)
    moving, still = level.models
    assert (moving.name, moving.model_id, still.motion) == ("door", 1, None)
    assert (moving.key_time, moving.origin) == ((2.5, (0, 64, 0)) if minor >= 7 else (0, (0, 0, 0)))
    if minor >= 5:
        assert moving.motion is not None
        assert moving.motion.paths[0].translation.values[1].tolist() == [0, 128, 0]
    if minor >= 3:
        default, other = level.groups
        assert (default.name, other.group_id, other.visible, other.locked) == ("Default", 1, 0, 0)
        assert other.color == ((255, 128, 0) if minor >= 9 else (255, 255, 255))
    if minor >= 12:
        assert level.sky is not None
        assert [side.texture for side in level.sky.faces] == ["lf", "rt", "", "dn", "ft", "bk"]
        assert [side.apply for side in level.sky.faces] == [1, 1, 0, 1, 1, 1]
        assert level.sky.scale == (1.5 if minor >= 28 else 1)
    assert level.is_set("VisDetail") == (minor >= 20)
    assert level.is_set("SuppressHidden") is False
    assert write(level) == text.encode("latin-1")
    level.source = ""  # made anew from the records alone, it is what the editor would write
    assert write(level) == text.encode("latin-1")


def test_windows_line_ends_stay():
    text = build.whole_level().replace("\n", "\r\n")
    level = level_of(text)
    assert level.newline == "\r\n"
    assert level.models[0].motion is not None
    assert write(level) == text.encode()
    level.groups.append(Group("more", 2))
    data = write(level)
    assert (
        data
        == text.replace("NumGroups 2", "NumGroups 3")
        .replace(
            "\r\nSky\r\n",
            '\r\nGroup "more"\r\n\tGroupId 2\r\n\tVisible 1\r\n\tLocked 0\r\n'
            "Color 255.000000 255.000000 255.000000\r\nSky\r\n",
        )
        .encode()
    )


def test_how_a_hand_wrote_it_stays():
    """Spaces, digits and numbers that count for nothing, on lines of another shape than the editor's."""
    text = build.whole_level()
    odd = text.replace("NumEntities 2", "  NumEntities\t7").replace("HullSize 16.000000", "HullSize 16")
    odd = odd.replace("\t\t\tVec3d 64.000000 ", "Vec3d 6.4e1\n").replace('Name "brick"', "Name brick")
    odd = odd.replace("End CEntity\n", "End CEntity ").replace("0.500000 2.000000", ".5 2.0000001")
    level = level_of(odd)
    assert write(level) == odd.encode()
    level.leaves()[2].faces[1].shift = (5, 6)
    ((before, after),) = changed_lines(odd.encode(), write(level))
    assert before.split() == b"TexInfo Rotate 45 Shift 3 -4 Scale .5 2.0000001 Name brick".split()
    assert after == before.replace(b"3 -4", b"5 6")


@pytest.mark.parametrize(
    ("version", "old", "new"),
    [
        ((1, 13), "K light\n", "K li\rght\n"),
        ((1, 13), "V 150\n", "V 1\r50\r\n"),
        ((1, 13), "Brush room1", 'Brush "room 1"'),
        ((1, 13), "PalLoc c:\\pal.pal", 'PalLoc "c: pal"'),
        ((1, 13), "room\n", "room\r\r\n"),
        ((1, 31), "Key light ", 'Key "two\rwords" '),
        ((1, 31), 'Value "150"', 'Value "1\r\n50\r"'),
        ((1, 31), '"light1"\nEnd', '"light1"End'),
        ((1, 16), 'Name brick\n', 'Name "brick"'),
    ],
)  # fmt: skip
def test_what_the_writer_has_no_words_for_stays(version, old, new):
    """A carriage return in a line, two words where the version has one, and nothing between two records."""
    text = build.whole_level(version)
    odd = text.replace(old, new, 1)
    assert odd != text
    level = level_of(odd)
    assert write(level) == odd.encode()
    level.entities[1].set("classname", "Cam")
    assert write(level).decode().replace("Cam\n", "Camera\n").replace('"Cam"', '"Camera"').split() == odd.split()


def test_a_motion_with_lines_as_long_as_can_be_stays():
    """Longer than the writer's own may be, and so refused once the motion is edited."""
    long = "e" * 254
    events = f"Events 1\nTKEV 0.F0\nDataSize 255\nTimeKeys 1\n0.000000 0\n{long}\n"
    text = build.whole_level().replace("Events 0\n", events)
    level = level_of(text)
    assert write(level) == text.encode()
    motion = level.models[0].motion
    assert motion is not None
    motion.name = "swing"
    with pytest.raises(FormatError, match="cannot be a line"):
        write(level)


def test_edits_change_their_words_only():
    data = build.whole_level().encode()
    level = level_of(data.decode())
    level.leaves()[0].name = 'my "room"'
    level.leaves()[0].faces[3].points[2] = 1.5, -2, 0.0000004
    level.entities[0].set("light", "200")
    level.models[0].key_time = 0.0
    level.groups[1].visible = 1
    assert level.sky is not None
    level.sky.faces[2] = SkyFace(1, "up")
    assert changed_lines(data, write(level)) == [
        (b'Brush "room 1"', b'Brush "my \\"room\\""'),
        (b"\t\t\tVec3d 256.000000 0.000000 256.000000", b"\t\t\tVec3d 1.500000 -2.000000 0.000000"),
        (b'Key light Value "150"', b'Key light Value "200"'),
        (b"\tCurrentKeyTime 2.500000", b"\tCurrentKeyTime 0.000000"),
        (b"\tVisible 0", b"\tVisible 1"),
        (b'0 ""', b'1 "up"'),
    ]


def test_things_can_be_added_and_removed():
    level = level_of(build.whole_level())
    del level.brushes[0]
    level.brushes[0].faces.pop()
    level.entities.insert(0, EditorEntity([("classname", "PlayerStart")], place=(1.0, 2.0, 3.0)))
    level.models.pop()
    level.entities[1].remove("light")
    again = level_of(write(level).decode())
    assert [brush.name for brush in again.brushes] == ["door", "cut", "water"]
    assert len(again.brushes[0].faces) == 5
    assert [(each.classname, each.place) for each in again.entities[:2]] == [
        ("PlayerStart", (1, 2, 3)), ("light", (10, 20, -30)),
    ]  # fmt: skip
    assert again.entities[1].pairs == [("classname", "light"), ("origin", "10 20 -30"), ("%name%", "light1")]
    assert [model.name for model in again.models] == ["door"]
    assert "NumEntities 3\nNumModels 1\n" in write(again).decode()


def test_a_moved_motion_is_written():
    level = level_of(build.whole_level())
    motion = level.models[0].motion
    assert motion is not None
    assert motion.paths[0].translation is not None
    motion.paths[0].translation.values[1] = 0, 64.25, 0
    before = build.whole_level().encode()
    assert changed_lines(before, write(level)) == [
        (b"2.500000 0.000000 128.000000 0.000000", b"2.500000 0.000000 64.250000 0.000000")
    ]


def test_a_new_level_has_all_that_the_editor_asks_for():
    level = new_level("3dt")
    text = write(level).decode()
    assert text.startswith('3dtVersion 1.31\r\nTextureLib ""\r\nHeadersDir ""\r\nNumEntities 0\r\n')
    words = ["CompileInfo", "EntityVis", "Grid", "BspRebuild", "TexturedView", "SideView", "ArchTemplate"]
    words += ["StaircaseTemplate", "TemplatePos", "DrawScale", "LightmapScale"]
    places = [text.index(f"\r\n{word}") for word in words]
    assert places == sorted(places)
    again = level_of(text)
    assert ([group.name for group in again.groups], again.setting("LightmapScale")) == (["Default"], ["2.000000"])
    assert write(again) == text.encode()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("3dtVersion 1.31", "3dtVersion 1.35", r"version 1\.35: known are 1\.2 to 1\.34"),
        ("3dtVersion 1.31", "3dtVersion two", "no version like"),
        ("Brushlist 4", "Brushlist 5", "'Class' stands where Brush should"),
        ("Brushlist 4", "Brushlist -1", "-1 of them cannot be"),
        ("Brushlist 4", "Brushlist 99999999999", "is not a whole number of 32 bits"),
        ("NumPoints 4", "NumPoints 2000000000", "cannot be in the rest"),
        ("NumPoints 4", "NumPoints 5", "'TexInfo' stands where Vec3d should"),
        ("\tType 2", "\tType 4", "type 4 at depth 1"),
        ("Vec3d 256.000000", "Vec3d nan", "'nan' is not a number"),
        ("Vec3d 256.000000", "Vec3d 1e39", "'1e39' is not a number"),
        ("HullSize 16.000000", "HullSize 1.#IND00", "is not a number"),
        ('Value "light"', 'Value "light', "stands where Key should"),
        ("End CEntity", "Ende CEntity", "'Ende' stands where End should"),
        ("Keys 2 1 0 0", "Keys 3 1 0 0", "is not 5 numbers"),
        ("MOTN 0.F0", "MOTX 0.F0", "starts with b'MOTX'"),
        ("Axis 1.000000", "Axis x", "'x' is not a number"),
    ],
)
def test_what_is_refused(old, new, message):
    text = build.whole_level().replace(old, new, 1)
    with pytest.raises(FormatError, match=message) as caught:
        read(text.encode()).leaves()
    assert caught.value.offset is not None
    assert 0 < caught.value.offset <= len(text)


def test_an_error_tells_the_place():
    text = build.whole_level().replace("\tBrushFaces 6", "\tBrushFacez 6", 1)
    level = read(text.encode())
    with pytest.raises(FormatError) as caught:
        level.leaves()
    with pytest.raises(FormatError):  # again, and not what there was of them
        level.leaves()
    assert caught.value.offset == text.index("BrushFacez")
    assert str(caught.value).endswith("reading BrushFaces: 'BrushFacez' stands where BrushFaces should")


@pytest.mark.parametrize("step", [29, pytest.param(7, marks=pytest.mark.slow)])
def test_any_cut_off_text_is_refused(step: int):
    text = build.whole_level()
    for length in range(0, text.index("Scale 1.5"), step):
        with pytest.raises(FormatError):
            text_3dt.read(text[:length].encode())


def test_deep_nesting_is_refused():
    brush = build.leaf()
    for _ in range(100):
        brush = build.multi("m", [brush])
    with pytest.raises(FormatError, match="at depth 64"):
        read(build.level(brushes=[brush]).encode()).leaves()


def asked(level: Level3dt) -> bool:
    """Whether somebody asked for a level's brushes."""
    return level.unread_text() is None


def test_brushes_that_nobody_asks_for_stay_text():
    text = build.whole_level().replace("HullSize 16.000000", "HullSize 1.6e1")
    level = level_of(text)
    level.entities[0].set("light", "99")
    level.texture_library = "other.txl"
    after = write(level).decode()
    assert not asked(level)
    assert level_of(after).texture_library == "other.txl"
    assert [old for old, _ in changed_lines(text.encode(), after.encode())] == [
        text.split("\n")[1].encode(), b'Key light Value "150"',
    ]  # fmt: skip
    assert len(level.leaves()) == 5 and asked(level)
    assert write(level).decode() == after


@pytest.mark.parametrize("change", [{"version": (1, 32)}, {"newline": "\r\n"}, {"source": ""}, {"brushes": []}])
def test_brushes_are_read_where_their_text_no_longer_holds(change):
    whole, level = level_of(build.whole_level()), level_of(build.whole_level())
    whole.leaves()
    for each in (whole, level):
        for name, value in change.items():
            setattr(each, name, value)
    assert write(level) == write(whole)
    assert asked(level)


@pytest.mark.parametrize("where", ["in a name", "in the settings", "on the line before"])
def test_a_level_with_another_word_of_that_kind_is_read_whole(where):
    text = build.whole_level()
    if where == "in a name":
        text = text.replace('Brush "', 'Brush "\nClass CEntList ', 1)
    elif where == "in the settings":
        text += "\nClass CEntList\n"
    else:
        text = text.replace("\nClass CEntList", " Class CEntList")
    level = level_of(text)
    assert asked(level)
    assert write(level) == text.encode()


def test_only_a_level_has_brushes_to_read():
    with pytest.raises(AttributeError, match="no 'brush'"):
        level_of(build.whole_level()).brush  # noqa: B018


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda level: level.entities[0].set("two words", "x"), "has to be one word"),
        (lambda level: level.entities[0].set("", "x"), "has to be one word"),
        (lambda level: setattr(level.leaves()[0].faces[0], "rotate", 0.5), "whole degrees"),
        (lambda level: setattr(level.leaves()[0], "hull_size", float("nan")), "not a number"),
        (lambda level: setattr(level, "texture_library", "\u20ac"), "not a Latin-1"),
        (lambda level: setattr(level, "version", (1, 40)), "is not known"),
    ],
)
def test_what_cannot_be_written(change, message):
    level = level_of(build.whole_level())
    change(level)
    with pytest.raises(FormatError, match=message):
        write(level)


@given(LATIN)
def test_quotes_and_backslashes(text):
    quoted = quote(text)
    assert Scanner(quoted + " x").word("a text") == quoted
    assert unquote(quoted) == text


@given(st.lists(st.tuples(WORDS, LATIN), max_size=5), LATIN, LATIN)
@examples.at_most(60)
def test_texts_survive(pairs, name, texture):
    level = level_of(build.whole_level())
    level.entities[0].pairs = pairs
    level.brushes[1].name = name
    level.brushes[1].faces[0].texture = texture
    again = level_of(write(level).decode("latin-1"))
    assert again.entities[0].pairs == pairs
    assert (again.brushes[1].name, again.brushes[1].faces[0].texture) == (name, texture)


@given(st.floats(width=32, min_value=-1e6, max_value=1e6))
def test_floats_survive_their_six_decimals(value):
    """What is written is read as a float that is written the same."""
    text = fixed(value)
    (single,) = struct.unpack("<f", struct.pack("<f", float(text)))
    assert abs(float(text) - value) <= 0.5e-6 + abs(value) * 1e-15
    assert abs(single - value) <= max(1e-6, abs(value) * 1e-7)


def test_ties_are_rounded_away_from_zero():
    assert fixed(2518.7890625) == "2518.789063"
    assert fixed(-0.0078125) == "-0.007813"
    assert f"{2518.7890625:f}" == "2518.789062"  # which is why
