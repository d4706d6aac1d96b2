# SPDX-License-Identifier: GPL-3.0-or-later
"""A real .3dt, compiled and compared with what the editor's own code made of it; real texture libraries.

Skipped where there is no corpus (../shared/corpus beside the repository, or $LEVELWRIGHT_SHARED/corpus).
"""

import struct
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from formats.genesis import (
    EditorFaceFlag,
    Level3dt,
    MapLevel,
    bitmap,
    headers,
    read,
    texture_names,
    txl,
    typedefs,
    vfs,
    write,
)
from formats.genesis.brushes import polygons
from formats.genesis.convert import to_3dt, to_map
from formats.genesis.windings import normalized

pytestmark = pytest.mark.slow

NORMAL, DIST = 2e-4, 0.3  # what rounding may do to planes of pieces a few units wide, cut again and again
TEXTURE = ("u_vec", "v_vec", "draw_scale_x", "draw_scale_y", "offset_x", "offset_y")
PLANES = 10  # the kind of a compiled level's chunk
REST = ("flags", "mip_map_bias", "alpha", "face_light", "reflective_scale")


@pytest.fixture(scope="module")
def folder(corpus) -> Path:
    if not (corpus / "genesis").is_dir():
        pytest.skip(f"no Genesis3D levels in {corpus}")
    return corpus / "genesis"


@pytest.fixture(scope="module")
def source(folder) -> bytes:
    return (folder / "paradoxnj__Genesis3D" / "genvs2.3dt").read_bytes()


@pytest.fixture(scope="module")
def level(source) -> Level3dt:
    level = read(source)
    assert isinstance(level, Level3dt)
    return level


@pytest.fixture(scope="module")
def theirs(folder) -> MapLevel:
    level = read((folder / "_generated_by_real_editor_code" / "genvs2.map").read_bytes())
    assert isinstance(level, MapLevel)
    return level


@pytest.fixture(scope="module")
def types(theirs) -> list[typedefs.TypeDef]:
    """The classes in the order of their declaration, which is the reverse of the file's."""
    return [typedefs.from_entity(entity) for entity in reversed(theirs.typedefs)]


@pytest.fixture(scope="module")
def ours(level, types) -> MapLevel:
    return to_map(level, types)[0]


def test_the_level_comes_out_as_it_came_in(source):
    for data in (source, source.replace(b"\n", b"\r\n")):
        level = read(data)
        assert isinstance(level, Level3dt)
        assert write(level) == data
        level.source = ""
        for model in level.models:
            assert model.motion is not None
        assert write(level) == data  # every number made anew


def test_what_is_in_the_level(level):
    assert (level.version, len(level.brushes), len(level.leaves()), len(level.entities)) == ((1, 31), 427, 481, 442)
    roles = Counter(leaf.role for leaf in level.leaves())
    assert roles == {"solid": 380, "cut": 73, "hollow": 14, "hollow cut": 14}
    assert (len(level.models), len(level.groups)) == (59, 9)


def test_everything_but_brushes_is_what_the_editor_writes(ours, theirs):
    assert len(ours.entities) == len(theirs.entities) == 532
    for mine, other in zip(ours.entities, theirs.entities, strict=True):
        assert mine.pairs == other.pairs
        assert mine.flags == other.flags
        assert [brush.flags for brush in mine.brushes] == [brush.flags for brush in other.brushes]
        if other.motion is not None:
            assert mine.motion is not None
            assert mine.motion.names == other.motion.names == ["FixedPath"]
            for one, two in zip(mine.motion.paths, other.motion.paths, strict=True):
                assert np.array_equal(one.translation.times, two.translation.times)
                assert np.array_equal(one.translation.values, two.translation.values)
                assert np.abs(one.rotation.values - two.rotation.values).max() < 2e-6


def same_plane(one: np.ndarray, two: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    away = np.abs(one["normal"] - two["normal"]).max(axis=1)
    return (away < NORMAL) & (np.abs(one["dist"] - two["dist"]) < DIST)  # type: ignore[no-any-return]


def same_texture(one: np.ndarray, two: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    same = np.array([a == b for a, b in zip(texture_names(one), texture_names(two), strict=True)])
    for name in TEXTURE:
        close = np.isclose(one[name], two[name], rtol=1e-6, atol=1e-7)
        same &= close.all(axis=1) if close.ndim == 2 else close
    for name in REST:
        same &= one[name] == two[name]
    return same


def test_brush_for_brush_what_the_editor_makes(ours, theirs):
    """At least 99 % of the faces are the editor's, in its order; each of the others has a name for why it isn't."""
    mine = [brush for entity in ours.entities for brush in entity.brushes]
    other = [brush for entity in theirs.entities for brush in entity.brushes]
    assert len(mine) == len(other) == 1729
    total = sum(len(brush.faces) for brush in other)
    assert sum(len(brush.faces) for brush in mine) == total == 10464

    why: Counter[str] = Counter()
    swapped = []
    for number, (one, two) in enumerate(zip(mine, other, strict=True)):
        if len(one.faces) != len(two.faces) or not same_plane(one.faces, two.faces).all():
            swapped.append(number)
            why["a piece of the same brush stands in its place"] += len(two.faces)
            continue
        for face in np.flatnonzero(~same_texture(one.faces, two.faces)):
            a, b = one.faces[face], two.faces[face]
            x, y, z = np.abs(b["normal"].astype(float))
            assert abs(x - z) < 1e-4, (number, face)
            assert y < 1e-4, (number, face)
            assert sorted(np.abs(a["u_vec"])) == pytest.approx(sorted(np.abs(b["u_vec"])))
            why["the face looks between two axes: the last bit decides which one its texture is laid on from"] += 1
    # A hair decides whether a cut's box touches a piece's, and a piece that is looked at again comes before the others.
    assert len(swapped) <= 3
    left = [two for number, two in enumerate(other) if number in swapped]
    for number in swapped:
        found = [
            each
            for each in left
            if len(each.faces) == len(mine[number].faces) and same_plane(each.faces, mine[number].faces).all()
        ]
        assert len(found) == 1, number
        assert same_texture(found[0].faces, mine[number].faces).all()
        left.remove(found[0])
    assert why.total() <= 0.005 * total, why


def test_how_many_faces_are_those_of_another_build_to_the_bit(ours, theirs):
    """All fields, signs of zero too, but for what stands behind the NUL of a name.

    `theirs` is of a build for Linux, which keeps lengths in a register. Without the stores of the Windows builds, 1,046
    brushes have the same planes as there, but 952 planes of the game's own level (below) come out instead of 1,080.
    """
    exact, brushes = 0, 0
    for mine, other in zip(ours.entities, theirs.entities, strict=True):
        for one, two in zip(mine.brushes, other.brushes, strict=True):
            brushes += all(one.faces[name].tobytes() == two.faces[name].tobytes() for name in ("normal", "dist"))
            for a, b in zip(one.faces, two.faces, strict=False):
                exact += all(a[name].tobytes() == b[name].tobytes() for name in (*TEXTURE, *REST, "normal", "dist"))
    assert brushes == 538
    assert exact > 0.66 * 10464


def planes_of_bsp(data: bytes) -> np.ndarray:  # type: ignore[type-arg]
    """Normals and distances of a compiled level, float32[n, 4] (genesis.md §4)."""
    offset = 0
    while True:
        kind, size, count = struct.unpack_from("<3i", data, offset)
        if kind == PLANES:
            return np.frombuffer(data, "<f4", 5 * count, offset + 12).reshape(-1, 5)[:, :4]
        offset += 12 + size * count


def as_compiled(faces: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """The planes of faces as the compiler has them, float32[n, 4], both ways round (genesis.md §1.8)."""
    normals = normalized(np.ascontiguousarray(faces["normal"]))
    axis = np.abs(np.abs(normals) - 1) < 1e-5
    normals = np.where(axis.any(axis=1)[:, None], np.where(axis, np.sign(normals), 0), normals)
    whole = np.floor(faces["dist"].astype(np.float64) + 0.5)
    dists = np.where(np.abs(faces["dist"] - whole) < 0.01, whole, faces["dist"])
    found = np.column_stack([normals, dists]).astype(np.float32)
    return np.concatenate([found, -found])  # type: ignore[no-any-return]


def test_planes_of_the_games_own_level(folder, ours, theirs):
    """The .bsp that was shipped was made on Windows: there squares and lengths are stored as 32-bit floats."""
    shipped = planes_of_bsp((folder / "paradoxnj__Genesis3D" / "genvs2.bsp").read_bytes()) + np.float32(0)

    def found(level: MapLevel) -> int:
        faces = np.concatenate([brush.faces for entity in level.entities for brush in entity.brushes])
        planes = {plane.tobytes() for plane in as_compiled(faces) + np.float32(0)}
        return sum(plane.tobytes() in planes for plane in shipped)

    assert len(shipped) == 3829
    assert (found(ours), found(theirs)) == (1080, 953)


def test_compiled_brushes_are_closed(ours):
    table, faces = ours.table()
    assert polygons(faces, table["num_faces"]).closed.all()


def test_the_map_as_a_3dt_and_back(theirs, types):
    made, left_out = to_3dt(theirs)
    assert (left_out, made.version, len(made.brushes)) == ([], (1, 32), 1729)
    locked = sum(bool(face.flags & EditorFaceFlag.TEXTURELOCKED) for brush in made.leaves() for face in brush.faces)
    assert locked < 150, "those that look between two axes, of 10,464"
    again = read(write(made))
    assert isinstance(again, Level3dt)
    back, dropped = to_map(again, types)
    assert dropped == []
    for one, two in zip(back.entities, theirs.entities, strict=True):
        assert one.pairs == two.pairs
        assert [len(brush.faces) for brush in one.brushes] == [len(brush.faces) for brush in two.brushes]
        for mine, other in zip(one.brushes, two.brushes, strict=True):
            assert mine.flags == other.flags
            assert same_plane(mine.faces, other.faces).all()
            assert same_texture(mine.faces, other.faces).all()


def test_the_classes_of_the_games_own_headers(folder, level, theirs, ours):
    """With the headers of the game instead of the map's definitions, the same entities come out."""
    root = folder / "rtxa__q2togbsp" / "headers" / "gtest_headers"
    declared = headers.parse(path.read_text("latin-1") for path in sorted(root.rglob("*.h")))
    made, _ = to_map(level, (*typedefs.BUILTIN, *declared.types))
    assert [entity.pairs for entity in made.points] == [entity.pairs for entity in theirs.points]


def test_the_real_library(folder):
    data = (folder / "paradoxnj__Genesis3D" / "gedit.txl").read_bytes()
    library = txl.read(data)
    assert (library.container, len(library.textures)) == ("VF00", 98)
    assert txl.write(library) == data
    for texture in library:
        assert bitmap.write(bitmap.read(texture.node.data)) == texture.node.data
        assert texture.pixels().shape == (*texture.size[::-1], 4)
    library.files.source = None
    assert txl.write(library) == data  # directory and all, made anew
    library.add("mine", library.get("rock13").pixels())
    again = txl.read(txl.write(library))
    assert np.array_equal(again.get("mine").pixels(), again.get("rock13").pixels())
    assert [texture.node.data for texture in again][1:] == [texture.node.data for texture in txl.read(data)]


def test_the_levels_textures_are_in_it(folder, level):
    library = txl.read((folder / "paradoxnj__Genesis3D" / "gedit.txl").read_bytes())
    used = {face.texture for leaf in level.leaves() for face in leaf.faces}
    assert {name for name in used if library.get(name) is None} <= {""}


def test_the_old_library(folder):
    library = txl.read((folder / "paradoxnj__Genesis3D" / "old_gedit.txl").read_bytes())
    assert (library.container, len(library.textures)) == ("EEGC", 36)
    means = {letter: library.get(f"watercry{letter}").pixels()[..., :3].mean(axis=(0, 1)) for letter in "RGB"}
    assert [int(means[letter].argmax()) for letter in "RGB"] == [0, 1, 2]


def test_actors_are_file_systems_too(folder):
    paths = sorted((folder / "paradoxnj__Genesis3D" / "Actors").glob("*.act"))
    assert len(paths) == 10
    for path in paths:
        data = path.read_bytes()
        system = vfs.read(data)
        assert "Header" in [node.name for node in vfs.walk(system.root)]
        assert vfs.write(system) == data
        system.source = None
        assert vfs.write(system) == data
