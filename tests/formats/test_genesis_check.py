# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said about levels that the compiler or the engine would refuse or misread."""

import re

import pytest

from formats.genesis import MapLevel, check, read
from tests.formats import genesis_bytes as build


def problems(data: bytes, severity: str = "error") -> list[str]:
    return [f"{problem.place}: {problem.message}" for problem in check(read(data)) if problem.severity == severity]


def with_class(*pairs: tuple[str, str], fields: tuple[tuple[str, str], ...] = ()) -> bytes:
    """A room with an entity of the class Thing."""
    thing = build.entity(pairs=[("classname", "Thing"), ("%name%", "t1"), *pairs])
    return build.room(build.model(), thing, build.typedef("Thing", fields))


def with_brush(data: bytes) -> bytes:
    return build.room(build.model(brushes=[data]))


def test_good_levels():
    assert check(read(build.room())) == []
    assert check(read(build.room(build.model(build.motion(events=[("1.000000", "x")]))))) == []
    assert (
        check(read(with_class(("where", "1 2 3"), ("to", "door"), fields=(("where", "point"), ("to", "model"))))) == []
    )


BOX = build.box()
INSIDE_OUT = build.box((64, 64, 64), (-64, -64, -64))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (build.level([]), "map: has no entities"),
        (build.level([build.entity(), build.model()]), "map: no entity but the world and models has an origin"),
        (build.level([build.entity([build.brush(INSIDE_OUT)]), build.light()]), "no brush encloses"),
        (with_brush(build.brush(build.box(high=(20000, 0, 0)))), "brush 0 of entity 1 (%Model%, door): reaches out of"),
        (with_brush(build.brush(build.box(name="x" * 32))), "has no end within 32 bytes, on 6 faces"),
        (build.room(build.model(build.motion(events=[("1.000000", "x" * 200), ("2.000000", "y" * 60)]))),
         "entity 1 (%Model%, door): events of 262 characters, 255 are allowed"),
        (with_brush(build.brush(INSIDE_OUT)), "brush 0 of entity 1 (%Model%, door): is inside out: its normals point"),
        (build.room(build.light(target="x" * 32)), "target has 32 characters, 31 are allowed"),
        (with_class(("what", "1")), "Thing defines no what: the engine refuses the whole level"),
        (with_class(fields=(("next", "Nobody"),)), "class Thing: next is of the class Nobody, which is not defined"),
        (with_class(("to", "gate"), fields=(("to", "model"),)), "to names the world model 'gate', which there is not"),
        (with_class(("to", "light1"), fields=(("to", "model"),)), "to names the world model 'light1'"),
        (with_class(("to", "t2"), fields=(("to", "Thing"),)), "to names the entity 't2', which there is not"),
        (build.room(build.entity(pairs=[("classname", "%typedef%")])), "definition of a class: does not begin with"),
        (build.room(*[build.entity(pairs=[("a", "x" * 99)])] * 2000), "bytes of entities, 200000 are allowed"),
        (build.room(*[build.light()] * 4094), "4097 entities, 4096 are allowed"),
    ],
)  # fmt: skip
def test_errors(data, expected):
    found = problems(data)
    assert any(expected in line for line in found), found


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            build.level([build.entity(), build.light(), build.typedef("light", build.LIGHT)], version=2),
            "version 2, known",
        ),
        (build.room() + b"more", "map: 4 bytes behind the last of 3 entities are ignored"),
        (
            with_brush(build.brush(build.sliver())),
            "brush 0 of entity 1 (%Model%, door): leaves gaps: its planes do not close",
        ),
        (with_brush(build.brush([])), "encloses nothing: its planes do not close"),
        (with_brush(build.brush([*BOX, BOX[0]])), "1 of its faces bound nothing"),
        (with_brush(build.brush([*BOX, build.face((0, 1, 0), 99)])), "1 of its faces bound nothing"),
        (with_brush(build.brush([*BOX, build.face((0, 0, 0), 0)])), "1 of its faces have no normal: they are left out"),
        (with_brush(build.brush(build.box(scale=(0.0, 1.0)))), "6 of its faces have a texture scale of 0"),
        (with_brush(build.brush(build.box(flags=1))), "6 of its faces are mirrors with an alpha above 240"),
        (with_brush(build.brush(build.box(u=(float("nan"), 0, 0)))), "6 of its faces have numbers that are not finite"),
        (with_brush(build.brush(build.box(name="x" * 16))), "16 characters, the editor holds 15; on 6 faces"),
        (build.room(build.entity(flags=2, pairs=[("classname", "light")])), "flags 2 are taken for 0"),
        (build.room(build.light(note="x" * 100)), "note has 100 characters, the editor holds 99"),
        (build.room(build.light(light2="9000")), "light2 is 9000, allowed is 0 to 2500"),
        (build.room(build.light(style="255")), "style is 255, allowed is 0 to 254"),
        (build.room(build.light(color="red")), "color: 'red' is not three numbers"),
        (build.room(build.entity(pairs=[("classname", "Gone")])), "class 'Gone': is not defined"),
        (build.room(build.typedef("LIGHT", build.LIGHT)), "defines light again"),
        (
            build.room(build.model(build.motion(build.ROTATION.replace("1.500000", "9.000000")))),
            "1 key of its motion does not come after the one before",
        ),
    ],
)
def test_warnings(data, expected):
    found = problems(data, "warning")
    assert any(re.search(expected.replace("(%", r"\(%").replace(", door)", r", door\)"), line) for line in found), found


@pytest.mark.slow
def test_too_many_textures_and_planes():
    faces = [build.face((0, 1, 0), number, name=f"t{number}", offset=(number, 0)) for number in range(16001)]
    found = problems(with_brush(build.brush(faces[:8]) + b"")[: -0 or None])
    assert not any("textures" in line for line in found)
    level = read(build.room(build.model(brushes=[build.brush(faces[n : n + 4]) for n in range(0, 16000, 4)])))
    lines = "\n".join(map(str, check(level)))
    assert "16001 textures, 1024 are allowed" in lines
    assert "ways in which textures lie, 8192 are allowed" in lines


def test_a_level_made_by_hand():
    assert [str(problem) for problem in check(MapLevel())] == [
        "error: map: has no entities, and so no world",
        "error: map: no entity but the world and models has an origin: the compiler finds no valid entities",
    ]
