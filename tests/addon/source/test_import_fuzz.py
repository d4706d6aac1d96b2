# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps of every game, and damaged ones, through the whole import: refused, or there but for what the report names."""

import dataclasses
import random
import struct

import bpy
import pytest
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import importer, layout
from levelwright.addon.source.settings import ImportSettings
from levelwright.formats.binary import FormatError

from tests.formats import source_bytes, source_fuzz, source_fuzz_maps, source_layout_maps
from tests.fuzz.driver import Fuzzer, try_all
from tests.fuzz.scenes import empty_file

ALL = ImportSettings(
    split="cluster", brushes=True, leafs=True, bump_lightmaps=True, detail_props=True, worldlights=True
)
WORDS = (0, 1, 2, 5, 100, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FC00000, 0x7F800000, 0x7F7FFFFF)


def damaged(seed: int) -> bytes:
    """A map with damage anywhere, or within the lumps alone: numbers that are none, too large or below zero."""
    if seed % 3 == 0:
        return source_fuzz.mutation(seed)
    rng = random.Random(seed)
    data = bytearray(source_fuzz_maps.EVERYTHING)
    for _ in range(rng.choice((1, 1, 2, 3))):
        directory = 8 + 16 * rng.randrange(64)
        start, size = struct.unpack_from("<II", data, directory)
        for _ in range(rng.choice((1, 2, 8)) if size >= 4 else 0):
            at = start + rng.randrange(size - 3)
            data[at : at + 4] = struct.pack("<I", rng.choice(WORDS))
        if rng.random() < 0.2:
            struct.pack_into("<I", data, directory + 4, rng.randrange(size + 1))
    return bytes(data)


def opened(data: bytes) -> bool:
    """Import a map with all that is optional; False where it is refused."""
    try:
        collection = importer.import_level(bpy.context, data, "damaged.bsp", ALL, Report())
    except FormatError:
        return False
    assert originals.find(collection).data == data
    return True


FUZZER = Fuzzer(
    mutation=damaged,
    attempt=opened,
    whole=(source_fuzz_maps.EVERYTHING,),
    accepted=(1 / 2, 1.0),
    prepare=empty_file,
    memory=None,
    quick=(range(30),),
    thorough=range(30, 100),
)


def test_the_whole_map_is_imported_without_a_warning() -> None:
    report = Report()
    importer.import_level(bpy.context, source_fuzz_maps.EVERYTHING, "whole.bsp", ALL, report)
    assert report.warnings == []


@pytest.mark.parametrize("seeds", [*FUZZER.quick, pytest.param(FUZZER.thorough, marks=pytest.mark.slow)])
def test_damaged_maps(seeds: range) -> None:
    try_all(FUZZER, seeds)


@pytest.mark.parametrize("name", source_layout_maps.BYTES)
def test_every_games_maps_are_the_same_scene(name: str) -> None:
    """The one map in the records of every game that is known: as many objects of each kind, in the same places."""
    usual, report = parts(source_layout_maps.BYTES[next(iter(source_layout_maps.BYTES))])
    assert report.warnings == []
    made, report = parts(source_layout_maps.BYTES[name])
    assert report.warnings == []
    kinds = {kind for kind, _ in made}
    assert made == {key: place for key, place in usual.items() if key[0] in kinds}
    assert {layout.MODEL, layout.DISPLACEMENT, layout.ENTITY, layout.STATIC_PROP, layout.OVERLAY} <= kinds


@pytest.mark.parametrize("name", source_bytes.VARIANTS)
def test_every_kind_of_file_is_imported(name: str) -> None:
    made, report = parts(source_bytes.VARIANTS[name], brushes=False)  # those of both models have one tree
    without_faces = ["models are left out"] if name == "v17" else []
    assert [warning.partition(":")[0] for warning in report.warnings] == without_faces
    assert {(layout.ENTITY, 1), (layout.ENTITY, 2), (layout.STATIC_PROP, 0), (layout.STATIC_PROP, 1)} <= made.keys()


def parts(data: bytes, **options: bool) -> tuple[dict[tuple[str, int], tuple[float, ...]], Report]:
    """Where the objects of each kind and record are."""
    report = Report()
    settings = dataclasses.replace(ALL, **options)
    collection = importer.import_level(bpy.context, data, "map.bsp", settings, report)
    marks = ((identity.stamped(obj), obj) for obj in collection.all_objects)
    return {(mark.kind, mark.record): tuple(obj.location) for mark, obj in marks if mark is not None}, report
