# SPDX-License-Identifier: GPL-3.0-or-later
"""Models: triangles, skins, the order of vertices; and whatever is no model."""

import random
import struct

import numpy as np
import pytest

from formats.binary import FormatError
from formats.source.content import mdl, vtx, vvd
from tests.formats import source_model_bytes as build


def read(files: dict[str, bytes]) -> mdl.Model | None:
    return mdl.load("models/a.mdl", lambda name: files.get(name.removeprefix("models/a")))


@pytest.mark.parametrize("topology", [False, True])
def test_a_square(topology):
    model = read(build.quad(topology))
    assert model.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert model.positions[model.triangles[1]].tolist() == [[0, 0, 0], [16, 16, 0], [16, 0, 0]]
    assert model.normals.tolist() == [[0, 0, 1]] * 4
    assert model.uvs.tolist() == [[0, 0], [0, 1], [1, 1], [1, 0]]
    assert (model.hull_min, model.hull_max, model.flags) == ((-8, -8, 0), (8, 8, 16), mdl.STATIC_PROP)
    assert model.paths(0) == ["models/props/crate"]


def test_parts_meshes_skins_and_strips():
    parts = [[[(0, 0, 4), (1, 4, 3)], [(0, 0, 4)]], [[]], [], [[(1, 0, 3)]]]
    strips = [
        [[[([3, 2, 1, 0], [(2, [0, 1, 2, 3])])], [([0, 1, 2], [(1, [0, 1, 2])])]], [[]]],
        [[]],
        [],
        [[[([2, 1, 0], [(1, [0, 1, 2])]), ([0, 1, 2], [])]]],
    ]
    vertices = [(*map(float, (number, 0, 0)), 0.0, 0.0, 1.0, 0.0, 0.0) for number in range(14)]
    main = build.mdl(parts, ("A", "b\\C", "d"), ("Models\\x\\", "/y"), ((0, 1), (2, 1)))
    model = mdl.read(main, build.vvd(vertices), build.vtx(strips))
    assert model.triangles.tolist() == [[3, 2, 1], [1, 2, 0], [4, 5, 6], [13, 12, 11]]
    assert model.triangle_column.tolist() == [0, 0, 1, 1]
    assert model.skins.tolist() == [[0, 1], [2, 1]]
    assert model.paths(1) == ["models/x/b/c", "y/b/c"]


def test_a_peer_finds_the_same_in_the_header():
    peer, files = pytest.importorskip("srctools.mdl"), pytest.importorskip("srctools.filesys")
    data = build.mdl([[[(0, 0, 2), (1, 2, 2)]]], ("A", "d"), ("Models\\x\\",), ((0, 1), (1, 0)), flags=0x10)
    system = files.VirtualFileSystem({"a.mdl": data})
    theirs = peer.Model(system, system["a.mdl"])
    strips = [[[[], []]]]
    ours = mdl.read(data, build.vvd(build.QUAD), build.vtx(strips))
    assert [[name.lower() for name in row] for row in theirs.skins] == [
        [ours.materials[number].lower() for number in row] for row in ours.skins.tolist()
    ]
    assert (tuple(theirs.hull_min), tuple(theirs.hull_max)) == (ours.hull_min, ours.hull_max)
    assert (theirs.flags.value, theirs.version) == (ours.flags, ours.version)


def test_fixups_put_vertices_in_order():
    fixed = vvd.read(build.vvd(build.QUAD, ((2, 2, 2), (0, 0, 2))))
    assert fixed.vertices["position"].tolist() == [list(build.QUAD[n][:3]) for n in (2, 3, 0, 1)]


def test_a_missing_file():
    files = build.quad()
    for ending in files:
        assert read({other: data for other, data in files.items() if other != ending}) is None
    plain = {**files, ".vtx": files[".dx90.vtx"]}
    del plain[".dx90.vtx"]
    assert len(read(plain).triangles) == 2


def patched(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + struct.pack("<i", value) + data[at + 4 :]


@pytest.mark.parametrize(
    ("ending", "at", "value"),
    [
        (".mdl", 0, 0),
        (".mdl", 4, 2531),
        (".mdl", 8, 5),  # checksum
        (".mdl", 204, -1),
        (".mdl", 204, 1 << 30),
        (".mdl", 208, 1 << 30),
        (".mdl", 220, 9),  # wide skins: textures that aren't there
        (".mdl", 232, 2),  # body parts that the .vtx hasn't
        (".mdl", 236, -5),
        (".vvd", 4, 5),
        (".vvd", 16, 1 << 28),
        (".vvd", 48, 1),  # fixups that aren't there
        (".vvd", 56, -1),
        (".dx90.vtx", 0, 6),
        (".dx90.vtx", 28, 1 << 20),
        (".dx90.vtx", 32, -1),
    ],
)
def test_bad_models(ending, at, value):
    files = build.quad()
    files[ending] = patched(files[ending], at, value)
    with pytest.raises(FormatError):
        read(files)


def test_strips_that_share_their_indices_without_end():
    count = 3000
    whole = build.vtx([[[[([0, 1, 2], [(1, [0, 1, 2] * count)] + [(1, [])] * count)]]]])
    strips_at = len(whole) - 27 * (count + 1)
    piece = whole[strips_at : strips_at + 27]
    with pytest.raises(FormatError, match="of which there are"):
        vtx.read(whole[:strips_at] + piece * (count + 1))


def test_damaged_models_end_in_format_errors():
    whole = build.quad()
    rng = random.Random(7)
    readable = 0
    for _ in range(1500):
        files = {}
        for ending, data in whole.items():
            changed = bytearray(data)
            if rng.random() < 0.6:
                place = rng.randrange(len(changed) - 4)
                changed[place : place + 4] = struct.pack("<i", rng.choice((-1, 0, 1, 7, 255, 1 << 16, 1 << 30)))
            if rng.random() < 0.1:
                del changed[rng.randrange(len(changed)) :]
            files[ending] = bytes(changed)
        try:
            model = read(files)
        except FormatError:
            continue
        readable += 1
        assert np.isin(model.triangles, np.arange(len(model.positions))).all()
    assert 100 < readable < 1400
