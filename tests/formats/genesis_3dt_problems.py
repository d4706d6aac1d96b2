# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of problem that a `.3dt` can have: see tests/addon/contract/test_gate.py."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from formats.genesis import EditorFace, Event, Level3dt, Motion
from tests.formats import genesis_3dt_text as build


def clean() -> bytes:
    """Four doors, each with its model, its group and a light."""
    places = range(4)
    return build.level(
        brushes=[build.leaf(f"box{place}", model=place + 1, group=place) for place in places],
        entities=[
            build.entity([("classname", "light"), ("%name%", f"light{place}"), ("origin", "0 0 0")]) for place in places
        ],
        models=[build.model(f"door{place}", place + 1) for place in places],
        groups=[build.group(f"group{place}", place) for place in places],
    ).encode("latin-1")


def face(level: Level3dt, place: int) -> EditorFace:
    """The first face of the brush of this number."""
    return level.brushes[place].faces[0]


def motion(level: Level3dt, place: int) -> Motion:
    """The motion of the model of this number."""
    found = level.models[place].motion
    assert found is not None
    return found


def long_events(level: Level3dt, place: int) -> None:
    """Give a motion more text than the compiler has room for."""
    motion(level, place).events = [Event(1.0, "x" * 200), Event(2.0, "y" * 60)]


def early_key(level: Level3dt, place: int) -> None:
    """Put both keys of a motion at one time."""
    track = motion(level, place).paths[0].rotation
    assert track is not None
    track.times = np.zeros(2)


def bent(level: Level3dt, place: int) -> None:
    """Move a corner of a face out of its plane, which is x = 64."""
    one = face(level, place)
    one.points = one.points.copy()
    one.points[0, 0] += 5


def far(level: Level3dt, place: int) -> None:
    """Move a brush out of the world."""
    for one in level.brushes[place].faces:
        one.points = one.points + np.float32(20000)


def inside_out(level: Level3dt, place: int) -> None:
    """Let the corners of all faces go the other way round."""
    for one in level.brushes[place].faces:
        one.points = one.points[::-1].copy()


def set_texture(level: Level3dt, place: int) -> None:
    """Give a face a texture with a long name."""
    face(level, place).texture = "x" * 16


def no_area(level: Level3dt, place: int) -> None:
    """Add a face without an area."""
    level.brushes[place].faces.append(EditorFace(np.zeros((3, 3), np.float32), "brick"))


CASES: dict[str, Callable[[Level3dt, int], None]] = {
    "no entity": lambda level, _: level.entities.clear(),
    "number of two models": lambda level, place: level.models.append(replace(level.models[place])),
    "number of two groups": lambda level, place: level.groups.append(replace(level.groups[place])),
    "events too long": long_events,
    "keys out of order": early_key,
    "of no model": lambda level, place: setattr(level.brushes[place], "model_id", 99),
    "of no group": lambda level, place: setattr(level.brushes[place], "group_id", 99),
    "texture's name too long": set_texture,
    "texture scale of 0": lambda level, place: setattr(face(level, place), "scale", (0.0, 1.0)),
    "no area": no_area,
    "bent": bent,
    "no texture library": lambda level, _: setattr(level, "texture_library", ""),
    "inside out": inside_out,
    "planes that do not close": lambda level, place: level.brushes[place].faces.__delitem__(0),
    "out of the world": far,
    "no classname": lambda level, place: level.entities[place].remove("classname"),
    "value too long for the editor": lambda level, place: level.entities[place].set("note", "x" * 100),
}
SINGLE = frozenset(("no entity", "no texture library"))
