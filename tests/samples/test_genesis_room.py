# SPDX-License-Identifier: GPL-3.0-or-later
"""The committed sample is what its maker makes, holds what it is for, and suits the library, the editor, the compiler.

The maker has its own code for planes, texture vectors and what cuts leave: library and sample test each other.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import formats
from formats import genesis
from formats.genesis import brushes, convert, headers, motion_file, records, txl, typedefs
from formats.genesis.records import BrushFlag, EditorBrushFlag, FaceFlag
from tests.samples import genesis_art, genesis_room

FACE_NUMBERS = [name for name in records.FACE.names or () if name != "tex_name"]


def read(path: Path) -> Any:
    return genesis.read(path.read_bytes())


@pytest.mark.parametrize("path", genesis_room.files(), ids=lambda path: path.suffix[1:])
def test_the_committed_files_are_what_the_script_makes(path: Path) -> None:
    data = path.read_bytes()
    assert data == genesis_room.files()[path]
    assert len(data) < 60_000


@pytest.mark.parametrize("path", [genesis_room.MAP, genesis_room.EDITOR], ids=lambda path: path.suffix[1:])
def test_the_levels_are_read_and_written_back(path: Path) -> None:
    level = formats.read(path)
    assert formats.write(level) == path.read_bytes()
    assert formats.check(level) == []


def test_the_library_is_read_and_written_back() -> None:
    library = txl.read(genesis_room.LIBRARY.read_bytes())
    assert txl.write(library) == genesis_room.LIBRARY.read_bytes()
    assert {texture.name for texture in library} == set(genesis_art.TEXTURES)
    for texture in library:
        assert np.array_equal(texture.pixels(), genesis_art.picture(texture.name))


def described(brush: genesis.Brush) -> tuple[Any, ...]:
    """A brush, so that the order of its faces doesn't count; planes and vectors to what single precision can say."""
    sides: Counter[tuple[Any, ...]] = Counter()
    for face, texture in zip(brush.faces, records.texture_names(brush.faces), strict=True):
        fields = [np.atleast_1d(face[name]).astype(np.float64) for name in FACE_NUMBERS]
        sides[texture, *(np.round(np.concatenate(fields), 3) + 0.0).tolist()] += 1
    return brush.flags, *sorted(sides.items())


def test_cuts_and_hollows_leave_what_the_map_holds() -> None:
    """Brush for brush, the same planes, flags and texture vectors; motions, keys and classes as the compiler's."""
    types = typedefs.BUILTIN + tuple(headers.parse([genesis_room.HEADER_TEXT]).types)
    made, left_out = convert.to_map(read(genesis_room.EDITOR), types)
    level = read(genesis_room.MAP)
    assert left_out == []
    assert [entity.pairs for entity in made.entities] == [entity.pairs for entity in level.entities]
    for ours, theirs in zip(made.entities, level.entities, strict=True):
        assert Counter(map(described, ours.brushes)) == Counter(map(described, theirs.brushes))
        assert (ours.motion is None) == (theirs.motion is None)
        if ours.motion is not None:
            assert motion_file.write(ours.motion) == motion_file.write(theirs.motion)


def test_every_brush_is_closed_and_inside_the_room_is_sealed() -> None:
    level = read(genesis_room.MAP)
    table, faces = level.table()
    solid = brushes.polygons(faces, table["num_faces"])
    assert solid.closed.all()
    assert (np.diff(solid.first_corner) >= 3).all()
    inside = np.array([(x, 96, z) for x in (-250, 0, 250) for z in (-186, 186)], np.float64)
    outside = np.array([(0, 96, -199), (0, 96, 199), (264, 96, 0), (-264, 96, 0), (0, 199, 0), (0, -8, 0)], np.float64)
    assert not in_solid(level, inside).any()
    assert in_solid(level, outside).all()


def in_solid(level: Any, points: Any) -> Any:
    """Whether each point is in a solid brush of the world."""
    result = np.zeros(len(points), np.bool_)
    for brush in level.world.brushes:
        behind = points @ brush.faces["normal"].astype(np.float64).T < brush.faces["dist"]
        result |= behind.all(axis=1) & bool(brush.flags & BrushFlag.SOLID)
    return result


def test_the_sample_holds_one_of_everything() -> None:
    level, editor = read(genesis_room.MAP), read(genesis_room.EDITOR)
    _, faces = level.table()
    for flag in ("MIRROR", "FULLBRIGHT", "SKY", "LIGHT", "TRANSLUCENT", "GOURAUD"):
        assert (faces["flags"] & FaceFlag[flag]).any(), flag
    contents = np.bitwise_or.reduce(level.table()[0]["flags"])
    for name in ("SOLID", "WINDOW", "EMPTY", "WAVY", "DETAIL", "CLIP", "AREA", "USER1"):
        assert contents & BrushFlag[name], name
    assert [brush.role for brush in editor.brushes[:4]] == ["hollow", "solid", "cut", "cut"]
    assert sum(bool(brush.flags & EditorBrushFlag.HOLLOWCUT) for brush in editor.leaves()) == 1
    assert {entity.classname for entity in level.points} == {"light", "spotlight", "StartPlace", "SlidingDoor"}
    door, fan = level.models
    assert [event.text for event in door.motion.events] == ["open", "shut"]
    assert door.motion.paths[0].translation.values[1].tolist() == [0.0, 0.0, -96.0]
    assert fan.motion.paths[0].rotation.times.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert [group.name for group in editor.groups] == list(genesis_room.GROUPS)


def test_the_header_declares_what_the_map_defines() -> None:
    declared = headers.parse([genesis_room.HEADER_TEXT])
    defined = typedefs.read(read(genesis_room.MAP).typedefs)
    for made in declared.types:
        assert [(each.name, each.type) for each in made.fields] == [
            (each.name, each.type) for each in defined[made.name.lower()].fields
        ]
    assert declared.contents == {"Water": BrushFlag.USER1}
