# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of problem that a `.map` can have: see tests/addon/contract/test_gate.py. Those of a `.3dt` are in
genesis_3dt_problems.py.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from formats.genesis import Brush, Entity, Event, FaceFlag, MapLevel, new_faces, texture_field
from formats.genesis.records import FaceArray
from tests.formats import genesis_bytes as build

FIELDS = (
    ("next", "Thing"), ("moves", "model"), ("tint", "color"), ("note", "string"), ("target", "string"),
    ("light2", "float"), ("style", "int"), ("origin", "point"),
)  # fmt: skip


def clean() -> bytes:
    """A room with four doors, which move, and four things of a class of its own."""
    doors = [build.model(build.motion(), f"door{number}") for number in range(4)]
    things = [
        build.entity(pairs=[("classname", "Thing"), ("%name%", f"thing{number}"), ("next", f"thing{3 - number}"),
                            ("moves", f"door{number}"), ("tint", "255 128 0"), ("origin", "0 0 0")])
        for number in range(4)
    ]  # fmt: skip
    return build.room(*doors, *things, build.typedef("Thing", FIELDS))


def door(level: MapLevel, place: int) -> Entity:
    """The door of this number."""
    return level.models[place]


def thing(level: MapLevel, place: int) -> Entity:
    """The thing of this number."""
    return next(entity for entity in level.points if entity.name == f"thing{place}")


def faces(level: MapLevel, place: int) -> FaceArray:
    """The faces of the brush of a door."""
    return door(level, place).brushes[0].faces


def set_face(field: str, value: Any) -> Callable[[MapLevel, int], None]:
    """What gives a field of a door's first face another value."""
    return lambda level, place: faces(level, place)[field].__setitem__(0, value)


def set_value(key: str, value: str) -> Callable[[MapLevel, int], None]:
    """What gives a key of a thing another value."""
    return lambda level, place: thing(level, place).set(key, value)


def set_faces(change: Callable[[FaceArray], FaceArray]) -> Callable[[MapLevel, int], None]:
    """What gives a door's brush other faces."""

    def bring(level: MapLevel, place: int) -> None:
        brush = door(level, place).brushes[0]
        brush.faces = change(brush.faces)

    return bring


def add(*pairs: tuple[str, str], times: int = 1) -> Callable[[MapLevel, int], None]:
    """What adds an entity behind the others."""
    return lambda level, _: level.entities.extend([Entity(list(pairs))] * times)


def many_faces(count: int, field: str) -> Callable[[MapLevel, int], None]:
    """What adds a door of small boxes, whose faces (six times `count`) differ in one field, as in no other place."""

    def bring(level: MapLevel, place: int) -> None:
        boxes = np.arange(count) + place * count
        made = new_faces(6 * count)
        made["normal"] = np.tile(build.AXES, (count, 1))
        if field == "dist":  # a box beside another: no two of their planes are one
            made["dist"] = np.stack([1000.5 + boxes, -1000.0 - boxes] * 3, axis=1).reshape(-1)
        else:
            made["dist"] = 2000
        numbers = np.arange(6 * count) + place * 6 * count
        if field == "tex_name":
            made[field] = np.frombuffer(b"".join(texture_field(f"t{number}") for number in numbers.tolist()), "V32")
        elif field == "offset_x":
            made[field] = numbers
        brushes = [Brush(1, made[first : first + 6]) for first in range(0, len(made), 6)]
        level.entities.append(Entity([("classname", "%Model%"), ("origin", "0 0 0")], brushes))

    return bring


def many_models(level: MapLevel, _: int) -> None:
    """Add a door more than 2047 times."""
    level.entities.extend([Entity([("classname", "%Model%")], [door(level, 0).brushes[0]])] * 2048)


def without_normal(rows: FaceArray) -> FaceArray:
    """Faces with one more that has no normal."""
    more = rows[:1].copy()
    more["normal"] = 0
    return np.concatenate([rows, more])


def turned(rows: FaceArray) -> FaceArray:
    """Faces that look the other way."""
    result = rows.copy()
    result["normal"], result["dist"] = -rows["normal"], -rows["dist"]
    return result


def placeless(level: MapLevel, place: int) -> None:
    """Add a light without an origin."""
    level.entities.append(Entity([("classname", "light"), ("%name%", f"lost{place}")]))


def undefined_class(level: MapLevel, place: int) -> None:
    """Give the class of things a field of a class that there is not."""
    definition = next(one for one in level.typedefs if one.get("%typename%") == "Thing")
    definition.pairs += [(f"field{place}", "Nobody"), ("%defaultvalue%", "")]


def no_origins(level: MapLevel, _: int) -> None:
    """Take away where everything is."""
    for entity in level.points:
        entity.remove("origin")


def no_brushes(level: MapLevel, _: int) -> None:
    """Take away all faces."""
    for entity in level.entities:
        for brush in entity.brushes:
            brush.faces = new_faces(0)


def long_events(level: MapLevel, place: int) -> None:
    """Give a door's motion more text than the compiler has room for."""
    motion = door(level, place).motion
    assert motion is not None
    motion.events = [Event(1.0, "x" * 200), Event(2.0, "y" * 60)]


def early_key(level: MapLevel, place: int) -> None:
    """Put a key of a door's motion behind the last one."""
    motion = door(level, place).motion
    assert motion is not None
    track = motion.paths[0].rotation
    assert track is not None
    track.times = np.array([0.0, 9.0, 4.0])


CASES: dict[str, Callable[[MapLevel, int], None]] = {
    "version": lambda level, _: setattr(level, "version", 2),
    "bytes behind the entities": lambda level, _: setattr(level, "trailing", level.trailing + b"more"),
    "no entities": lambda level, _: level.entities.clear(),
    "no entity with an origin": no_origins,
    "too many entities": add(("classname", "light"), times=4097),
    "too many models": many_models,
    "too many bytes of entities": lambda level, _: level.entities.append(
        Entity([("classname", "light"), *[("style", "0")] * 15000])
    ),
    "no texture library": lambda level, _: level.entities[0].remove("TextureLib"),
    "no brush encloses anything": no_brushes,
    "inside out": set_faces(turned),
    "no place": placeless,
    "gaps": set_faces(lambda rows: rows[:5]),
    "encloses nothing": set_faces(lambda rows: rows[:0]),
    "faces that bound nothing": set_faces(lambda rows: np.concatenate([rows, rows[:1]])),
    "out of the world": set_face("dist", 20000),
    "no normal": set_faces(without_normal),
    "texture scale of 0": set_face("draw_scale_x", 0),
    "mirror's alpha": set_face("flags", int(FaceFlag.MIRROR)),
    "not finite": set_face("u_vec", np.nan),
    "texture's name without end": set_face("tex_name", np.void(b"x" * 32)),
    "texture's name too long for the editor": set_face("tex_name", np.void(texture_field("x" * 16))),
    "too many ways in which textures lie": many_faces(1400, "offset_x"),
    "too many planes": many_faces(2700, "dist"),
    "too many textures": many_faces(180, "tex_name"),
    "flags": lambda level, place: setattr(thing(level, place), "flags", 2),
    "events too long": long_events,
    "keys out of order": early_key,
    "value too long": set_value("target", "x" * 32),
    "value too long for the editor": set_value("note", "x" * 100),
    "light too bright": set_value("light2", "9000"),
    "style too large": set_value("style", "300"),
    "no definition": add(("classname", "%typedef%")),
    "defined again": add(("classname", "%typedef%"), ("%typename%", "light")),
    "field of no class": undefined_class,
    "class not defined": add(("classname", "Gone")),
    "key not defined": set_value("what", "1"),
    "no such model": set_value("moves", "gate"),
    "no such entity": set_value("next", "nobody"),
    "value of another type": set_value("tint", "red"),
}
SINGLE = frozenset(
    ("version", "no entities", "no texture library", "no entity with an origin", "no brush encloses anything")
)
