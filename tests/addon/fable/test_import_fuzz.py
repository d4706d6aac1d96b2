# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged levels through Blender without an edit: the same bytes, or refused when they are imported."""

import random
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path

import bpy
import pytest
from levelwright.addon.fable.exporter import export_level
from levelwright.addon.fable.importer import build_scene
from levelwright.addon.fable.settings import ExportSettings, ImportSettings
from levelwright.addon.scene.reports import Report
from levelwright.formats import fable
from levelwright.formats.binary import FormatError

from tests.addon.fable.thing_helpers import TNG
from tests.formats import fable_bytes as fb
from tests.formats import fable_fuzz
from tests.fuzz.driver import Fuzzer, try_all
from tests.fuzz.scenes import empty_file
from tests.samples import fable_vale

Files = tuple[bytes, bytes | None]
"""A `.lev`, and the `.tng` beside it."""

TOKENS = (
    ";", '"', "\n", "\r", " ", "\0", "\xff", "\x85", "#2", ".", "_", "levelwright", "-0", "-0.0", "0012", "1e9", "nan",
    "99999999999", "1.0000000001", "9" * 400 + ".0", "9" * 5000, "TRUE", '"TRUE"', "C3DCoordF(1,2,3)",
    "C3DCoordF(a,b,c)",
    "C3DCoordF(nan,1e99,0.1)", "NULL", "UID 18446744073709551616;", "DefinitionType ;", "StartCTCA;EndCTCA;",
    "StartCTCA;UID 1;EndCTCA;", "PositionX nan;", "PositionX 1e39;", "RHSetUpX 1e300;", "RHSetForwardY 0.0;",
    "ObjectScale 0.0;", "ObjectScale -1;", "ObjectScale inf;", "k" * 70 + " 1;", "cycles 1;", "NewThing 2;", "\xe9 1;",
    "UID " + "9" * 5000 + ";", "XXXSectionEnd;XXXSectionStart NULL;", "XXXSectionEnd;XXXSectionStart ;",
)  # fmt: skip
"""What texts are damaged with: what ends something, numbers of all kinds, statements that mean something."""
HOSTILE = (0, 1, 2, 3, 4, 7, 31, 64, 127, 128, 200, 255)


@cache
def sample() -> Files:
    """A level with one of everything."""
    return fable_vale.LEVEL.read_bytes(), fable_vale.THINGS.read_bytes()


def damaged(seed: int) -> Files:
    """A damaged level, with damaged things beside two thirds of them."""
    rng = random.Random(seed)
    lev = rng.choice((fable_fuzz.mutation, variant, bytes_anywhere))(seed)
    texts = (TNG.encode("latin-1"), fable_fuzz.THINGS, sample()[1] or b"")
    return lev, rng.choice((None, text(rng, rng.choice(texts)), text(rng, rng.choice(texts))))


def variant(seed: int) -> bytes:
    """A level that is unusual in one way, and damaged where its numbers are."""
    rng = random.Random(seed)
    whole = rng.choice(_variants())
    data = bytearray(whole)
    for _ in range(rng.choice((0, 1, 2))):
        rng.choice(fable_fuzz.WAYS)(data, rng, whole)
    return bytes(data)


@cache
def _variants() -> list[bytes]:
    return [level.build() for level in fb.variants().values()]


def bytes_anywhere(seed: int) -> bytes:
    """The sample with other bytes and words in every part of it, the cells and palettes too."""
    rng = random.Random(seed)
    data = bytearray(sample()[0])
    starts = struct.unpack_from("<I", data, 13)[0], struct.unpack_from("<I", data, 21)[0]
    parts = ((25, 33_826), (33_814, 67_660), (67_618, starts[0]), (67_618, starts[0]), (starts[1], len(data)))
    for _ in range(rng.choice((1, 3, 30))):
        first, end = rng.choice(parts)
        at = rng.randrange(first, end)
        if rng.random() < 0.5:
            data[at] = rng.choice(HOSTILE)
        elif at + 4 <= end:
            data[at : at + 4] = struct.pack("<i", rng.choice(fable_fuzz.HOSTILE))
    return bytes(data)


def text(rng: random.Random, whole: bytes) -> bytes:
    """Text with tokens put between, or over, what stands there; most of them at the end of a line."""
    data = whole.decode("latin-1")
    for _ in range(rng.choice((0, 1, 1, 2, 6))):
        ends = [at + 1 for at, one in enumerate(data) if one in "\n "]
        at = rng.choice(ends) if ends and rng.random() < 0.8 else rng.randrange(len(data) + 1)
        over = rng.choice((0, 0, 0, 1, 6, 20))
        if rng.random() < 0.15 and ends:
            start = rng.choice(ends)
            data = data[:at] + data[start : start + rng.choice((10, 60, 300))] + data[at:]
        else:
            data = data[:at] + rng.choice(TOKENS) + data[at + over :]
    return data.encode("latin-1")


def comes_back(files: Files) -> bool:
    """Import a level with its things, and export it; False where it was refused at import."""
    lev, tng = files
    parts = {} if tng is None else {"damaged.tng": tng}
    report = Report()
    try:
        level = build_scene(bpy.context, fable.read(lev), lev, Path("damaged.lev"), ImportSettings(), report, parts)
    except FormatError:
        return False
    bpy.context.view_layer.update()
    made = export_level(bpy.context, level, ExportSettings(), Report())
    if isinstance(made, bytes):
        made = {".lev": made}
    assert made[".lev"] == lev, "the level differs"
    assert made.get(".tng") == tng, "its things differ"
    return True


FUZZER: Fuzzer[Files] = Fuzzer(
    mutation=damaged,
    attempt=comes_back,
    whole=(sample(), *((level, None) for level in fable_fuzz.LEVELS)),
    accepted=(1 / 4, 0.95),
    prepare=empty_file,
    memory=None,
    quick=(range(30),),
    thorough=range(30, 280),
)


@pytest.mark.parametrize("seeds", [*FUZZER.quick, pytest.param(FUZZER.thorough, marks=pytest.mark.slow)])
def test_damaged_levels_come_back_or_are_refused_at_import(seeds: range) -> None:
    try_all(FUZZER, seeds)


def test_each_kind_of_damage_is_among_them() -> None:
    ways: tuple[Callable[[int], bytes], ...] = (fable_fuzz.mutation, variant, bytes_anywhere)
    lets_in = [sum(_is_read(way(seed)) for seed in range(20)) for way in ways]
    assert min(lets_in) >= 4


def _is_read(data: bytes) -> bool:
    try:
        fable.read(data)
    except FormatError:
        return False
    return True
