# SPDX-License-Identifier: GPL-3.0-or-later
"""Game definitions: classes with bases, keys, choices, flags, inputs and outputs; includes; and what is none."""

import random

import pytest

from formats.binary import FormatError
from formats.source.content import fgd

BASE = b"""
@BaseClass = Targetname
[
    targetname(target_source) : "Name" : : "The name that other entities refer to" + " this entity by."
    input Kill(void) : "Removes this entity."
    output OnUser1(void)
]
"""
GAME = b"""// a comment [ with = marks
@include "base.fgd"
@include "gone.fgd"
@mapsize(-16384, 16384)
@MaterialExclusion [ "debug" "engine" ]
@AutoVisGroup = "Auto" [ "World" [ "func_detail" ] ]
@BaseClass base(targetname) color(0 180 0) = Toggle [ spawnflags(Flags) = [ 1 : "On" : 1  2 : "Loud" : 0 ] ]
@PointClass base(Toggle, Nothing) size(-4 -4 -8, 4 4 8) iconsprite("editor/light.vmt") halfgridsnap = Light_Test :
    "A light.\\n" +
    "It shines."
[
    _light(color255) : "Brightness" : "255 255 255 200"
    style(Choices) readonly : "Appearance" : 0 : "How it flickers" =
    [
        0 : "Normal"
        "10": "Fluorescent flicker"
        -1 : "Own"
    ]
    _cone(integer) report : "Cone" : -45
    input(string) : "A key of that name"
    TargetName(string) : "Own name"
    input SetPattern(string) : "Sets the pattern"
    output OnLight(integer) : "Is lit"
]
@SolidClass = func_x []
"""


def test_definitions():
    made = fgd.read(GAME, {"base.fgd": BASE}.get)
    assert made.missing == ["gone.fgd"]
    assert sorted(made.classes) == ["func_x", "light_test", "targetname", "toggle"]
    light = made.of("LIGHT_TEST")
    assert (light.name, light.kind, light.help) == ("Light_Test", "point", "A light.\nIt shines.")
    assert list(light.keys) == ["targetname", "spawnflags", "_light", "style", "_cone", "input"]
    assert light.keys["targetname"] == fgd.Key("TargetName", "string", "Own name")
    assert made.of("toggle").keys["targetname"].help == "The name that other entities refer to this entity by."
    assert light.keys["spawnflags"].choices == (fgd.Choice("1", "On", True), fgd.Choice("2", "Loud"))
    assert light.keys["style"].readonly
    assert light.keys["style"].choices[1] == fgd.Choice("10", "Fluorescent flicker")
    assert light.keys["_cone"] == fgd.Key("_cone", "integer", "Cone", "-45")
    assert list(light.inputs) == ["kill", "setpattern"]
    assert light.outputs["onlight"] == fgd.Message("OnLight", "integer", "Is lit")
    assert light.helper("size") == ("-4 -4 -8", "4 4 8")
    assert light.helper("halfgridsnap") == ()
    assert light.helper("color") == ("0 180 0",)
    assert made.of("func_x").kind == "solid"
    assert made.of("nothing") is None


def test_a_mod_adds_to_a_class():
    more = b'@include "a.fgd" @ExtendClass base(Toggle) = light_test [ style(integer) : "Style" new(float) : "New" ]'
    light = fgd.read(more, {"a.fgd": GAME}.get).of("light_test")
    assert (light.kind, light.keys["style"].type, light.keys["new"].title) == ("point", "integer", "New")
    assert "_cone" in light.keys
    assert list(fgd.read(b"@OverrideClass = other [ ]").classes) == ["other"]


def test_colons_that_are_forgotten():
    made = fgd.read(b'@PointClass = a "A" [ x(string) "X" : "1" input Go(void) "Goes" ]').of("a")
    assert (made.help, made.keys["x"].title, made.keys["x"].default, made.inputs["go"].help) == ("A", "X", "1", "Goes")


def test_bases_that_go_round_in_circles():
    made = fgd.read(b"@BaseClass base(b) = a [ x(string) ] @BaseClass base(a, b) = b [ y(string) ]")
    assert set(made.of("a").keys) == {"x", "y"} == set(made.of("b").keys)


def test_files_that_include_each_other():
    files = {"a": b'@include "b" @PointClass = one []', "b": b'@include "a" @PointClass = two []'}
    assert set(fgd.read(files["a"], files.get).classes) == {"one", "two"}


def test_other_encodings():
    text = '@PointClass = a : "\u00fc" []'
    for data in (text.encode(), text.encode("latin-1"), text.encode("utf-8-sig")):
        assert fgd.read(data).of("a").help == "\u00fc"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"light", 1),
        (b"@PointClass", 1),
        (b"@PointClass base(a", 1),
        (b"@PointClass = ]", 1),
        (b"@PointClass = a\n[\nkey", 3),
        (b"@PointClass = a [ key(", 1),
        (b"@PointClass = a [ key(choices) = [\n: ]", 2),
        (b"@include", 1),
    ],
)
def test_bad_definitions(text, line):
    (error,) = fgd.read(BASE + text).errors
    assert f"line {BASE.count(10) + line}:" in str(error)
    made = fgd.read(BASE + text + b"\n@SolidClass = last [ z(float) ]")
    assert len(made.errors) == 1
    assert {"targetname", "last"} <= set(made.classes)


def test_an_error_of_an_included_file_names_it():
    with pytest.raises(FormatError, match=r"b\.fgd.*line 2"):
        fgd.read(b'@include "b.fgd"', {"b.fgd": b"\n?"}.get)


def test_a_class_counts_up_to_its_error():
    made = fgd.read(b"@PointClass = a [ x(string) : ) y(string) ] @PointClass = b []")
    assert list(made.classes) == ["a", "b"]
    assert list(made.of("a").keys) == []
    assert list(fgd.read(b"@PointClass = a [ x(string) ( ] @PointClass = b []").of("a").keys) == ["x"]


def test_damaged_definitions_end_in_format_errors():
    rng = random.Random(3)
    readable = 0
    for _ in range(800):
        text = bytearray(GAME + BASE)
        for _ in range(rng.choice((1, 2, 5))):
            text[rng.randrange(len(text))] = rng.choice(b'[](){}=:,+"@ \nx\xff')
        try:
            fgd.read(bytes(text))
        except FormatError:
            continue
        readable += 1
    assert 50 < readable < 800


def test_a_peer_reads_the_same():
    peer = pytest.importorskip("srctools.fgd").FGD()
    files = pytest.importorskip("srctools.filesys")
    text = GAME.replace(b'@include "gone.fgd"\n', b"").replace(b", Nothing", b"").replace(b" halfgridsnap", b"")
    text = (
        text.replace(b"    input(string)", b"    other(string)")
        .replace(b"  2 :", b"\n2 :")
        .replace(b"[ 1 :", b"[\n1 :")
    )
    system = files.VirtualFileSystem({"game.fgd": text.decode(), "base.fgd": BASE.decode()})
    peer.parse_file(system, system["game.fgd"])
    made = fgd.read(text, {"base.fgd": BASE}.get)
    assert set(peer.entities) == set(made.classes)
    for name, theirs in peer.entities.items():
        ours = made.classes[name]
        assert [key.lower() for key in theirs.keyvalues] == list(ours.keys)
        for key, tagged in theirs.keyvalues.items():
            (value,) = tagged.values()
            mine = ours.keys[key.lower()]
            if mine.type == fgd.FLAGS:
                continue  # they are called after themselves there
            assert (value.disp_name, value.default, value.desc) == (mine.title, mine.default, mine.help)
