# SPDX-License-Identifier: GPL-3.0-or-later
"""Light of static props' vertices (`.vhv`): which vertex has which colour, and whatever is no such file."""

import random
import struct
from pathlib import Path

import numpy as np
import pytest

from formats import source
from formats.binary import FormatError
from formats.source.content import mdl, vhv
from tests.formats import source_model_bytes as build

RED, GREEN, BLUE, GREY, BLACK = (255, 0, 0), (0, 128, 0), (0, 0, 64), (128, 128, 128), (0, 0, 0)
MAPS = (
    ("KitKatt-Mars__GigaBuilder/test.bsp", 6),
    ("KitKatt-Mars__GigaBuilder/desert.bsp", 8),
    ("undyneimortal__l4d2-fastdl/zoo_swamp_foliage_01.bsp", 69),
)


def linear(byte: int) -> float:
    """What half of the light, on the screen's curve, stands for."""
    return (2 * byte / 255) ** 2.2


def light(data: bytes, groups: list, vertices: int, checksum: int = build.CHECKSUM) -> np.ndarray:
    return vhv.light_of(vhv.read(data), vhv.VertexOrder.of(groups, checksum, vertices))


def test_vertices_of_a_square() -> None:
    """In the order of the strip group's vertices, not in the model's."""
    files = build.quad()
    strips = build.vtx([[[[([2, 0, 3, 1], [(1, [1, 3, 0])])]]]])
    groups = mdl.groups(files[".mdl"], strips)
    assert [group.vertices.tolist() for group in groups] == [[2, 0, 3, 1]]
    found = light(build.vhv([(0, [RED, GREEN, BLUE, GREY])]), groups, 4)
    wanted = [[0, linear(128), 0], [linear(128)] * 3, [linear(255), 0, 0], [0, 0, linear(64)]]
    assert found == pytest.approx(np.array(wanted), rel=1e-5)
    assert linear(255) == pytest.approx(4.59, abs=0.01)


def test_parts_models_meshes_groups_and_levels() -> None:
    """Of each part the first model is shown, and the groups of the others are passed over."""
    parts = [[[(0, 0, 2), (0, 2, 2)], [(0, 0, 1)]], [[(0, 0, 1)]]]
    fine = [[[[([0], []), ([1], [])], [([1, 0], [])]], [[([0], [])]]], [[[([0], [])]]]]
    coarse = [[[[([1], [])], [([0], [])]], [[([0], [])]]], [[[([0], [])]]]]
    main, strips = build.mdl(parts), build.vtx(fine, coarser=[coarse])
    shown = [[group.vertices.tolist() for group in mdl.groups(main, strips, level)] for level in (0, 1, 7)]
    assert shown == [[[0], [1], [3, 2], [-1], [5]], [[1], [2], [-1], [5]], [[1], [2], [-1], [5]]]
    fine_light = [(0, [RED]), (0, [GREEN]), (0, [BLUE, GREY]), (0, [BLACK]), (0, [RED])]
    coarse_light = [(1, [GREY]), (1, [GREY]), (1, [BLACK]), (1, [GREEN])]
    first, *_ = data = build.vhv([*fine_light[:4], *coarse_light[:3], fine_light[4], coarse_light[3]])
    assert first == 2
    found = light(data, mdl.groups(main, strips), 6)
    assert found[[0, 1, 2, 3, 5]] == pytest.approx(
        np.array([[linear(part) for part in color] for color in (RED, GREEN, GREY, BLUE, RED)]), rel=1e-5
    )
    assert not found[4].any(), "the model that isn't shown"
    assert light(data, mdl.groups(main, strips, 1), 6)[[1, 5]] == pytest.approx(
        np.array([[linear(128)] * 3, [0, linear(128), 0]]), rel=1e-5
    )


def test_three_directions_are_as_bright_as_their_mean() -> None:
    """As the game lights a surface that no normal map turns: each direction of the bump basis counts a third."""
    groups = mdl.groups(build.mdl([[[(0, 0, 1)]]]), build.vtx([[[[([0], [])]]]]))
    found = light(build.vhv([(0, [RED, BLACK, GREY])], streams=3), groups, 1)
    assert found[0] == pytest.approx([(linear(255) + linear(128)) / 3, linear(128) / 3, linear(128) / 3], rel=1e-5)


def test_light_of_another_model_is_refused() -> None:
    files = build.quad()
    groups = mdl.groups(files[".mdl"], files[".dx90.vtx"])
    whole = build.vhv([(0, [RED] * 4)])
    for data, checksum, count, message in (
        (whole, 1, 4, "is of a model 0x1234abcd, not of 0x1"),
        (build.vhv([(0, [RED] * 3)]), build.CHECKSUM, 4, "aren't the 1 groups"),
        (build.vhv([(0, [RED] * 4), (0, [])]), build.CHECKSUM, 4, "its 2 meshes"),
        (build.vhv([(1, [RED] * 4)]), build.CHECKSUM, 4, "its 0 meshes"),
        (whole, build.CHECKSUM, 3, "vertex 3 of 3"),
    ):
        with pytest.raises(FormatError, match=message):
            light(data, groups, count, checksum)


@pytest.mark.parametrize(
    ("at", "form", "value", "message"),
    [
        (0, "<i", 1, "version 1; known is 2"),
        (12, "<I", 8, "8 bytes a vertex"),
        (16, "<I", 5, "4 vertices, there are 5"),
        (20, "<i", 1 << 30, "VHV meshes"),
        (20, "<i", -1, "VHV meshes"),
        (44, "<i", -4, "VHV meshes"),
        (48, "<i", 1 << 20, "begins at byte"),
        (48, "<i", 1020, "VHV vertices"),
    ],
)
def test_bad_files(at: int, form: str, value: int, message: str) -> None:
    data = bytearray(build.vhv([(0, [RED] * 4)]))
    struct.pack_into(form, data, at, value)
    with pytest.raises(FormatError, match=message):
        vhv.read(bytes(data))


def test_damaged_files_end_in_format_errors() -> None:
    files = build.quad()
    seeds = [files[".mdl"], files[".dx90.vtx"], build.vhv([(0, [RED] * 4)])]
    chosen = random.Random(20)
    for _ in range(2000):
        parts = [bytearray(seed) for seed in seeds]
        hurt = chosen.choice(parts)
        for _ in range(chosen.randint(1, 3)):
            hurt[chosen.randrange(min(len(hurt), 600))] = chosen.choice((0, 1, 127, 128, 255))
        main, strips, data = (bytes(part[: chosen.choice((len(part), len(part) // 2))]) for part in parts)
        try:
            found = light(data, mdl.groups(main, strips), 4)
        except FormatError:
            continue
        assert found.shape == (4, 3)


@pytest.mark.parametrize(("name", "count"), MAPS)
def test_light_of_real_maps(corpus: Path, name: str, count: int) -> None:
    """Each prop's file is read whole; props of one model agree in checksum, levels and vertices."""
    level = source.read((corpus / "bsp" / name).read_bytes())
    kinds = level.static_props.props["prop_type"].tolist()
    known: dict[int, tuple] = {}
    for number, kind in enumerate(kinds):
        wanted = [file for file in (f"sp_{number}.vhv", f"sp_hdr_{number}.vhv") if file in level.pak]
        for file in wanted:
            found = vhv.read(level.pak.read(file))
            shape = found.checksum, found.meshes["level"].tolist(), found.meshes["vertex_count"].tolist()
            assert known.setdefault(kind, shape) == shape
            assert (np.concatenate(found.colors)[..., 3] == 255).all()
            count -= 1
    assert count == 0 and known
