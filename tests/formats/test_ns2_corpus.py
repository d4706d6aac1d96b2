# SPDX-License-Identifier: GPL-3.0-or-later
"""Real levels of Natural Selection 2: every one is written as it was read, decoded or not."""

from pathlib import Path

import numpy as np
import pytest

from formats import ns2, read, write
from formats.__main__ import main
from formats.binary import FormatError
from formats.ns2 import clipboard, cubemap
from tests.formats.test_ns2_level import decode, set_all

TRUNCATED = "ns2_eem_test_level.8a59bedb.level"


@pytest.fixture(scope="module")
def levels(corpus) -> list[Path]:
    found = sorted((corpus / "ns2").glob("*/*.level"))
    assert len(found) == 56
    return found


@pytest.fixture(scope="module")
def whole(levels) -> list[tuple[str, bytes]]:
    return [(path.name, path.read_bytes()) for path in levels if path.name != TRUNCATED]


def test_every_level_is_written_as_it_was_read(whole):
    versions = []
    for name, data in whole:
        level = read(data)
        versions.append(level.version)
        assert write(level) == data, name
        assert write(decode(level)) == data, name
        assert write(set_all(ns2.read(data))) == data, name
    assert {version: versions.count(version) for version in set(versions)} == {4: 3, 7: 9, 9: 13, 10: 30}


def test_the_file_of_five_bytes_is_refused(levels):
    (path,) = [path for path in levels if path.name == TRUNCATED]
    with pytest.raises(FormatError, match="too few for another one's header"):
        read(path)


def test_verify_says_ok(levels, capsys):
    small = [str(path) for path in levels if 5 < path.stat().st_size < 100_000]
    assert len(small) > 25
    assert main(["verify", *small]) == 0
    assert all(" ns2 " in line for line in capsys.readouterr().out.splitlines())


def test_what_levels_are_made_of(whole):
    """Counts as a plain walk through the bytes finds them, one word after the other."""
    faces = holes = triangles = entities = properties = duplicates = 0
    for name, data in whole:
        level = ns2.read(data)
        mesh = level.mesh
        starts, ends = mesh.corners, mesh.ends
        loops = mesh.faces.loop_members
        following = np.arange(1, len(starts) + 1)
        following[loops[1:] - 1] = loops[:-1]
        assert np.count_nonzero(ends != starts[following]) <= 12, name
        faces += len(mesh.faces)
        holes += int(np.count_nonzero(np.diff(mesh.faces.face_loops) > 1))
        assert len(mesh.face_layers.has) == len(mesh.triangles.face_triangles) - 1 == len(mesh.faces)
        triangles += len(mesh.triangles.triangles)
        entities += len(level.entities)
        for entity in level.entities:
            properties += len(entity.properties)
            assert len(entity.get("origin")) == 3
            duplicates += len({each.name for each in entity.properties}) < len(entity.properties)
            for each in entity.properties:
                _ = each.value
    assert (faces, holes, triangles) == (101_626, 425, 236_169)
    assert (entities, properties, duplicates) == (22_164, 177_902, 6)


def test_masks_and_groups_name_what_is_there(whole):
    for name, data in whole:
        level = ns2.read(data)
        strange = [problem for problem in ns2.check(level) if "layer" in problem.message or "group" in problem.place]
        assert len(strange) <= 2, (name, strange)


def test_cubemaps_come_back(whole):
    found = 0
    for _, data in whole:
        for entity in ns2.read(data).entities:
            for each in entity.editor_data:
                assert each.name == ns2.CUBEMAP
                if each.data:
                    assert cubemap.encode(cubemap.decode(each.data)) == each.data
                    found += 1
    assert found > 20


@pytest.mark.slow
def test_older_levels_become_version_10(whole):
    for name, data in whole:
        level = ns2.read(data)
        new = ns2.read(ns2.write(ns2.as_v10(level)))
        assert new.version == 10
        assert np.array_equal(new.mesh.corners, level.mesh.corners), name
        assert not len(new.mesh.triangles.ghosts)
        assert [each.properties for each in new.entities] == [each.properties for each in level.entities]
        before = {problem.message for problem in ns2.check(level)}
        assert {problem.message for problem in ns2.check(new)} <= before, name


@pytest.mark.slow
def test_levels_are_copied_and_pasted(whole):
    for name, data in whole:
        level = ns2.as_v10(ns2.read(data))
        copied = clipboard.build(level)
        pasted = clipboard.parse(copied + bytes(7))
        assert clipboard.build(pasted) == copied, name
        assert [each.properties for each in pasted.entities] == [each.properties for each in level.entities]
        half = np.arange(0, len(level.mesh.faces), 2)
        part = clipboard.parse(clipboard.build(clipboard.selection(level, half, [])))
        old, new = level.mesh.faces.take(half), part.mesh
        assert np.array_equal(np.diff(new.faces.loop_members), np.diff(old.loop_members))
        chosen = np.isin(level.mesh.faces.loop_faces[level.mesh.faces.member_loops], half)
        assert np.array_equal(new.positions[new.corners], level.mesh.positions[level.mesh.corners][chosen])


def test_new_pathing_settings_are_those_of_most_levels(whole):
    own = ns2.read(ns2.write(ns2.new_level())).chunk(7)
    found = [bytes(chunk.data) for _, data in whole if (chunk := ns2.read(data).chunk(7))]
    assert found.count(bytes(own.data)) == 27
