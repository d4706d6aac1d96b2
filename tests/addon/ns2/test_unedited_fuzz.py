# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged levels through Blender: without an edit the very same bytes come out, or the level is refused at import."""

import random
import struct
from dataclasses import dataclass, field
from pathlib import Path

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.ns2.settings import ExportSettings
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import ns2
from levelwright.formats.binary import FormatError
from levelwright.formats.ns2.records import MeshChunkId

from tests.addon.ns2.entity_helpers import level_bytes
from tests.addon.ns2.export_helpers import exported, imported
from tests.formats.ns2_bytes import whole
from tests.fuzz.driver import Fuzzer, try_all
from tests.fuzz.scenes import empty_file
from tests.samples import ns2_room

VERSIONS = (4, 6, 7, 9, 10)
LEVELS = [ns2_room.LEVEL.read_bytes(), *map(whole, VERSIONS), *map(level_bytes, VERSIONS)]
PICTURE = b"reflection_probe_cubemap"
WORDS = (0, 1, 2, 3, 6, 7, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0x10000, 255, 256)
FLOATS = (0.0, -0.0, 1e-38, 1e-45, 1e38, -1e38, 3.4028235e38, float("inf"), float("-inf"), float("nan"), 1e9, -0.5, 1.0)
SETTINGS: tuple[dict[str, object], ...] = (
    {},
    {},
    {"split": "layer", "loose_edges": True},
    {"split": "group", "invisible": "show"},
    {"entities": False},
)


@dataclass(frozen=True)
class Damaged:
    """A level, and how it is imported."""

    data: bytes
    settings: dict[str, object] = field(default_factory=dict)


def places(data: bytes) -> list[range]:
    """Where a level has something else than pictures of probes, which are most of its bytes."""
    found, begin = [], 4
    while (at := data.find(PICTURE, begin)) >= 0:
        found.append(range(begin, at + len(PICTURE) + 4))
        (length,) = struct.unpack_from("<I", data, at + len(PICTURE))
        begin = at + len(PICTURE) + 4 + length
    return [*found, range(begin, len(data))]


def damaged(seed: int) -> Damaged:
    """One to four of a level's words, floats, bytes or letters are others, or swapped."""
    rng = random.Random(seed)
    data = bytearray(rng.choice(LEVELS))
    spans = places(bytes(data))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        span = rng.choices(spans, [max(len(one) - 4, 0) for one in spans])[0]
        at, kind = rng.randrange(span.start, span.stop - 4), rng.randrange(6)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.randrange(256)
        elif kind == 2:
            struct.pack_into("<I", data, at, rng.choice(WORDS))
        elif kind == 3:
            struct.pack_into("<f", data, at, rng.choice(FLOATS))
        elif kind == 4:
            (word,) = struct.unpack_from("<I", data, at)
            struct.pack_into("<I", data, at, (word + rng.choice((-1, 1))) & 0xFFFFFFFF)
        else:
            other = rng.randrange(span.start, span.stop - 4)
            data[at : at + 4], data[other : other + 4] = data[other : other + 4], data[at : at + 4]
    return Damaged(bytes(data), rng.choice(SETTINGS))


def comes_out_as_it_went_in(level: Damaged) -> bool:
    """Whether a level can be imported; then nothing of it may differ, and nothing be refused any more."""
    try:
        opened = imported(level.data, **level.settings)
    except (FormatError, SceneError) as error:
        assert str(error)
        return False
    report = Report()
    assert exported(opened, report) == level.data
    assert not report.notes
    assert ns2.write(ns2.read(level.data)) == level.data
    return True


FUZZER = Fuzzer(
    mutation=damaged,
    attempt=comes_out_as_it_went_in,
    whole=[Damaged(data) for data in LEVELS],
    accepted=(0.3, 0.98),
    prepare=empty_file,
    memory=None,
    quick=(range(25),),
    thorough=range(25, 350),
)


@pytest.mark.parametrize("seeds", [*FUZZER.quick, pytest.param(FUZZER.thorough, marks=pytest.mark.slow)])
def test_without_an_edit_the_same_bytes_come_out_or_nothing_went_in(seeds: range) -> None:
    try_all(FUZZER, seeds)


@pytest.mark.parametrize("text", ["\uffff", "\ufffe", "\ud800", "\0", "\udc00\ud800"], ids=ascii)
def test_views_whose_text_blender_can_not_hold_stay(text: str) -> None:
    level = ns2.read(whole(10))
    level.viewports = f"<views>{text}</views>\r\n"
    assert comes_out_as_it_went_in(Damaged(ns2.write(level)))


@pytest.mark.parametrize("entities", [True, False])
def test_entities_that_can_not_be_read_are_refused_at_import(entities: bool) -> None:
    data = whole(10).replace(struct.pack("<I", len("origin")) + b"origin", struct.pack("<I", 9999) + b"origin", 1)
    assert not comes_out_as_it_went_in(Damaged(data, {"entities": entities}))


def test_layers_of_another_number_of_faces_are_refused_at_import() -> None:
    data, mesh = whole(4), ns2.read(whole(4)).mesh
    chunk = next(chunk for chunk in mesh.chunks if chunk.id == MeshChunkId.FACE_LAYERS)
    size, head = len(chunk.data), struct.pack("<II", chunk.id, len(chunk.data))
    assert data.count(head + bytes(chunk.data)) == 1
    data = data.replace(head + bytes(chunk.data), struct.pack("<II", chunk.id, 0))
    (length,) = struct.unpack_from("<I", data, 8)
    data = data[:8] + struct.pack("<I", length - size) + data[12:]
    with pytest.raises(FormatError, match="face layers: are of 0 faces, there are 3"):
        imported(data)


@pytest.mark.parametrize("data", LEVELS, ids=range(len(LEVELS)))
def test_nothing_is_told_of_levels_that_nobody_edited(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.level").write_bytes(data)
    (level,) = levels.import_files(bpy.context, [tmp_path / "x.level"], lambda game: game.import_settings(), Report())
    bpy.context.view_layer.update()
    report = Report()
    levels.export_file(bpy.context, level, tmp_path / "y.level", ExportSettings(), report)
    assert (tmp_path / "y.level").read_bytes() == data
    assert (report.warnings, report.notes) == ([], [])
