# SPDX-License-Identifier: GPL-3.0-or-later
"""The library's verbs over both kinds of Genesis3D levels, and what is said about `.3dt` levels."""

import json

import numpy as np
import pytest

import formats
from formats.__main__ import main
from formats.genesis import (
    EditorBrush,
    EditorEntity,
    EditorFace,
    EditorModel,
    Event,
    Group,
    Level3dt,
    MapLevel,
    Motion,
    Path,
    check,
    contents,
    new_level,
    read,
    section_at,
    summary,
    write,
)
from tests.formats import genesis_bytes as build
from tests.formats.teeworlds_bytes import small_map


def face(points, texture: str = "rock", **more) -> EditorFace:
    return EditorFace(np.array(points, np.float32), texture, **more)


def box(name: str = "box", low: float = -32, high: float = 32, **more) -> EditorBrush:
    """A cube whose faces' points go clockwise as seen from outside."""
    faces = []
    for axis in range(3):
        for side in (low, high):
            ring = [(low, low), (high, low), (high, high), (low, high)]
            points = np.insert(np.array(ring, np.float32), axis, side, axis=1)
            outward = np.cross(points[1] - points[0], points[2] - points[1])[axis] * (side - (low + high) / 2) > 0
            faces.append(face(points[::-1] if outward else points))
    return EditorBrush(name, faces=faces, **more)


def level_3dt() -> Level3dt:
    level = new_level("3dt")
    level.texture_library = "a.txl"
    level.brushes = [EditorBrush("room", 0x401, children=[box("shell"), box("hole", -16, 16, flags=0x91)])]
    light = EditorEntity([("classname", "light"), ("%name%", "light1"), ("origin", "0 8 0")], place=(0, 8, 0))
    level.entities = [EditorEntity([("classname", "Camera"), ("origin", "0 0 0")]), light]
    level.models = [EditorModel("door", 1, motion=Motion([Path()], ["PathInfo"]))]
    return level


def problems(level: Level3dt) -> list[str]:
    return [str(problem) for problem in check(level)]


def test_levels_are_known_by_their_bytes():
    text = write(level_3dt())
    for data, kind in ((build.room(), "map"), (text, "3dt")):
        form = formats.identify(data)
        assert form.key == "genesis"
        level = formats.read(data)
        assert (level.kind, isinstance(level, MapLevel)) == (kind, kind == "map")
        assert formats.format_of(level) is form
        assert formats.write(level) == data
        assert formats.check(level) == []
    assert formats.identify(small_map().build()).key == "teeworlds"
    assert formats.identify(build.level([], tag=b"XXXX")) is None


def test_new_levels_can_be_read():
    for kind in ("map", "3dt"):
        level = read(write(new_level(kind)))
        assert level.kind == kind
        assert [problem.severity for problem in check(level)] == ["error", "warning"]  # nobody and no textures yet


def test_on_the_command_line(tmp_path, capsys):
    files = {"a.map": build.whole_level(), "b.3dt": write(level_3dt()), "c.map": build.level([], tag=b"XXXX")}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    paths = [str(tmp_path / name) for name in files]
    assert main(["verify", *paths]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith(f"ok {paths[0]} genesis {len(files['a.map'])} ")
    assert second.startswith(f"ok {paths[1]} genesis ")
    assert third.startswith(f"refused {paths[2]}: at byte 0x0: starts with 01 00 00 00 58 58 58 58")
    assert main(["info", "--json", "--check", *paths[:2]]) == 0
    of_map, of_text = json.loads(capsys.readouterr().out)
    assert (of_map["brushes"], of_map["faces"], of_map["entities"]["light"]) == (7, 36, 1)
    assert of_map["models"] == ["door: 1 brush, 6 keys", "hinge: 1 brush, 7 keys", "still: 1 brush, 0 keys",
                                "binary: 1 brush, 7 keys"]  # fmt: skip
    assert "WINDOW | CLIP" in of_map["brush flags"]
    assert any("flags 7 are taken for 0" in line for line in of_map["problems"])
    assert (of_text["brush roles"], of_text["problems"]) == ({"hollow": 1, "solid": 1, "hollow cut": 1}, [])
    assert main(["dump", *paths[:2]]) == 0
    of_map, of_text = json.loads(capsys.readouterr().out)
    assert of_map["entities"][0]["pairs"][3] == ["note", "\0\xff\x80"]
    assert of_map["entities"][1]["motion"]["events"][1] == {"time": 2.5, "text": "shut it"}
    assert of_map["entities"][0]["brushes"][1]["faces"]["tex_name"][0] == "a"
    assert of_text["brushes"][0]["children"][1]["flags"] == 0x91
    assert len(of_text["brushes"][0]["children"][0]["faces"][0]["points"]) == 4
    assert of_text["models"][0]["motion"]["names"] == ["PathInfo"]


def test_parts_of_files_have_names():
    level = read(build.whole_level())
    names = [section_at(level, offset) for offset in range(len(build.whole_level()) + 1)]
    assert names[0] == names[11] == "header"
    assert names[12] == "number of brushes of entity 0"
    assert names[24 + 107] == "face 0 of brush 0 of entity 0"
    assert names[24 + 108] == "face 1 of brush 0 of entity 0"
    assert "motion of entity 1" in names
    assert "pair 'TextureLib' of entity 0" in names
    assert names[-2:] == ["trailing bytes", "end of the file"]
    text = write(level_3dt())
    lines = [section_at(read(text), offset) for offset in (0, text.index(b"Brushlist"), len(text))]
    assert lines[0] == "line 1 ('3dtVersion 1.31')"
    assert lines[1].endswith("('Brushlist 1')")
    assert lines[2] == "end of the file"


def test_outlines_of_an_empty_level():
    assert summary(Level3dt())["brushes"] == 0
    assert list(contents(Level3dt())["brushes"]) == []
    assert check(Level3dt())[0].message.startswith("no entity but the camera")


def changed(**attributes) -> Level3dt:
    """The level with another first face."""
    level = level_3dt()
    for name, value in attributes.items():
        setattr(level.leaves()[0].faces[0], name, value)
    return level


BENT = [(-32, -32, -32), (-32, 32, -32), (-25, 32, 32), (-32, -32, 32)]


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (changed(texture="a" * 16), "error: brush 'shell': texture 'aaaaaaaaaaaaaaaa' has 16 characters"),
        (changed(scale=(0.0, 1.0)), "error: brush 'shell': 1 of its faces have a texture scale or a light scale of 0"),
        (changed(points=np.zeros((3, 3), np.float32)), "error: brush 'shell': 1 of its faces have no area"),
        (changed(points=np.array(BENT, np.float32)), "warning: brush 'shell': 1 of its faces have points that do not"),
        (changed(points=np.full((3, 3), np.nan, np.float32)), "error: brush 'shell': reaches out of the world"),
    ],
)
def test_faces_of_3dt_levels(level, expected):
    assert any(line.startswith(expected) for line in problems(level)), problems(level)


def test_3dt_levels():
    assert problems(level_3dt()) == []
    level = level_3dt()
    del level.leaves()[1].faces[2]
    assert problems(level) == ["warning: brush 'hole': its planes do not close"]
    level = level_3dt()
    level.brushes.append(box("lost", model_id=7, group_id=9))
    level.brushes.append(box("far", 15000, 15200))
    level.groups.append(Group("again", 0))
    level.models[0].motion.events = [Event(1, "x" * 300)]
    level.entities.append(EditorEntity([("note", "x" * 100)]))
    assert sorted(problems(level)) == [
        "error: brush 'far': reaches out of the world, which ends at 15192",
        "error: entity 2 (): has no classname",
        "error: model 'door': events of 301 characters, 255 are allowed",
        "warning: brush 'lost': belongs to group 9, which there is not",
        "warning: brush 'lost': belongs to model 7, which there is not",
        "warning: entity 2 (): note has 100 characters, the editor holds 99",
        "warning: group 0: is the number of 2 groups",
    ]
