# SPDX-License-Identifier: GPL-3.0-or-later
"""Models: triangles, skins, the order of vertices; and whatever is no model."""

import random
import struct

import numpy as np
import pytest

from formats.binary import FormatError
from formats.source.content import mdl, mdl_vertices, vtx, vvd
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


def whole_vertices() -> bytes:
    return b"".join(struct.pack("<4B4h8f", 255, 0, 0, 1, 0, 0, 0, 0, *vertex) for vertex in build.QUAD)


@pytest.mark.parametrize("plain", [False, True])
def test_models_of_bloodlines(plain):
    main = build.troika(0, whole_vertices(), 4)
    files = {".mdl": main, ".dx80.vtx": build.troika_vtx([0, 1, 2, 0, 2, 3], 4, plain)}
    model, usual = read(files), read(build.quad())
    for name in ("positions", "normals", "uvs", "triangles", "triangle_column", "skins"):
        assert np.array_equal(getattr(model, name), getattr(usual, name)), name
    assert (model.hull_min, model.hull_max, model.folders, model.materials) == (
        (-8, -8, 0), (8, 8, 16), usual.folders, usual.materials
    )  # fmt: skip


@pytest.mark.parametrize(
    ("form", "entry", "normal", "up"),
    [(1, "<3H1H2H", 12 * 5313, 1.0), (1, "<3H1H2H", 0, -1.0), (2, "<3B1B2H", 201, 1.0)],
)
def test_small_vertices_of_bloodlines(form, entry, normal, up):
    full = 255 if form == 2 else 1000
    step = (16.0, 32.0, 8.0) if form == 2 else (0.016, 0.032, 0.008)
    corners = [(0, 0, 0), (full, 0, 0), (full, full, full)]
    data = b"".join(struct.pack(entry, *corner, normal, 65535, 0) for corner in corners)
    model = read({".mdl": build.troika(form, data, 3, (-8, -8, 1), step), ".vtx": build.troika_vtx([0, 1, 2], 3)})
    assert model.positions == pytest.approx(np.array([[-8, -8, 1], [8, -8, 1], [8, 24, 9]]))
    assert model.normals == pytest.approx(np.array([[0, 0, up]] * 3), abs=1e-6)
    assert model.uvs.tolist() == [[1, 0]] * 3


def test_directions_of_small_vertices():
    for rings, count in ((64, 5314), (12, 202)):
        known = mdl_vertices.directions(rings)
        assert known.shape == (count, 3)
        assert np.linalg.norm(known, axis=1) == pytest.approx(1)
        assert (np.diff(known[:, 2]) > -1e-12).all()
    wrong = struct.pack("<3H1H2H", 0, 0, 0, 13, 0, 0) * 3
    with pytest.raises(FormatError, match="direction 13 of 5314"):
        read({".mdl": build.troika(1, wrong, 3), ".vtx": build.troika_vtx([0, 1, 2], 3)})
    with pytest.raises(FormatError, match="form 3"):
        read({".mdl": build.troika(3, wrong, 3), ".vtx": build.troika_vtx([0, 1, 2], 3)})


def test_what_is_missing_of_a_model():
    files = build.quad()
    assert mdl.missing("a.mdl", lambda name: files.get(name[1:])) == []
    assert mdl.missing("a.mdl", lambda name: None) == [".mdl"]
    assert mdl.missing("a.mdl", lambda name: files[".mdl"] if name == "a.mdl" else None) == [".vvd", ".vtx"]
    own = build.troika(0, whole_vertices(), 4)
    assert mdl.missing("a.mdl", lambda name: own if name == "a.mdl" else None) == [".vtx"]
    with pytest.raises(FormatError, match="no VVD"):
        mdl.read(files[".mdl"], None, files[".dx90.vtx"])


def test_all_but_static_props_are_turned_by_a_quarter():
    files = build.quad() | {".mdl": build.mdl([[[(0, 0, 4)]]], flags=0)}
    turned, still = read(files), read(build.quad())
    assert turned.positions.tolist() == [[-y, x, z] for x, y, z in still.positions.tolist()]
    assert np.array_equal(turned.triangles, still.triangles)


def test_levels_of_detail():
    coarse = [[[[([0, 1, 2, 3], [(1, [0, 1, 2])])]]]]
    whole = build.vtx([[[[([0, 1, 2, 3], [(1, [0, 1, 2, 0, 2, 3])])]]]], coarser=[coarse], renamed={0: "far"})
    files = {**build.quad(), ".dx90.vtx": whole}
    counts = [len(mdl.load("a.mdl", lambda name: files.get(name[1:]), level).triangles) for level in (0, 1, 9)]
    assert counts == [2, 1, 1]
    assert mdl.load("a.mdl", lambda name: files.get(name[1:])).materials == ["crate"]
    assert mdl.load("a.mdl", lambda name: files.get(name[1:]), 1).materials == ["far"]


def patched(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + struct.pack("<i", value) + data[at + 4 :]


@pytest.mark.parametrize(
    ("ending", "at", "value"),
    [
        (".mdl", 0, 0),
        (".mdl", 4, 2530),
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
    strips_at = len(whole) - 8 - 27 * (count + 1)
    piece = whole[strips_at : strips_at + 27]
    with pytest.raises(FormatError, match="of which there are"):
        vtx.read(whole[:strips_at] + piece * (count + 1) + whole[-8:])


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


def test_real_models(corpus):
    """Triangles turn as their normals do, vertices lie where the hull and the light's origin say, in both kinds."""
    read = {}
    for path in sorted((corpus / "source-content").rglob("*.mdl")):
        files = {other.name.lower(): other for other in path.parent.iterdir()}
        found = mdl.load(
            path.name.lower(), lambda name, files=files: files[name].read_bytes() if name in files else None
        )
        if found is not None:
            read[f"{path.parent.name}/{path.name}"] = found
    assert len(read) == 27
    for name, model in read.items():
        a, b, c = (model.positions[model.triangles[:, corner]].astype(float) for corner in range(3))
        facing = (np.cross(c - a, b - a) * model.normals[model.triangles].mean(axis=1)).sum(axis=1) > 0
        assert facing.mean() > 0.97, name
        assert np.linalg.norm(model.normals[np.unique(model.triangles)], axis=1) == pytest.approx(1, abs=1e-3)
    for name in ("shells/shell_12gauge.mdl", "subject/male_kel.mdl", "xenoblade/poppi_qtpi_arms.mdl"):
        model = read[name]  # that don't move, so that the compiler's hull is theirs
        used = model.positions[np.unique(model.triangles)]
        assert used.min(axis=0)[0] == pytest.approx(model.hull_min[0], abs=0.05)
        assert [used.min(axis=0)[1], used.max(axis=0)[1]] == pytest.approx(
            [model.hull_min[1], model.hull_max[1]], abs=0.1
        )
    assert sorted(model.version for model in read.values()).count(2531) == 3
    assert all(model.irises is not None for model in read.values() if model.version == 2531)


def test_eyes_look_ahead(corpus):
    """Seen from the front, the picture of the iris is upright and no mirror image, with its middle about the eye's."""
    seen = 0
    for path in sorted((corpus / "source-content").rglob("*.mdl")):
        files = {other.name.lower(): other for other in path.parent.iterdir()}
        model = mdl.load(
            path.name.lower(), lambda name, files=files: files[name].read_bytes() if name in files else None
        )
        if model is None or model.irises is None:
            continue
        eyes = np.flatnonzero(np.isfinite(model.irises[:, 0]))
        left = model.positions[eyes, 1] > 0
        for side in (eyes[left], eyes[~left]):
            (_, y, z), (u, v) = model.positions[side].T, model.irises[side].T
            assert np.corrcoef(y, u)[0, 1] > 0.99 and np.corrcoef(z, v)[0, 1] < -0.99, path.name
            assert np.median(np.stack([u, v]), axis=1) == pytest.approx([0.5, 0.5], abs=0.35), path.name
            seen += 1
    assert seen == 24
