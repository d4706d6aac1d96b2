# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample, damaged: an import refuses what is no map, leaves out what can't be read and says so, and never fails."""

import struct

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import exporter, layout
from levelwright.addon.source.settings import ExportSettings
from levelwright.formats import source
from levelwright.formats.binary import FormatError
from levelwright.formats.source import LumpId

from tests.addon.source.rooms import imported
from tests.samples import source_room

WORDS = (b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\xc0\x7f", b"\xff\x7f\0\0", b"\0\0\0\x80", b"\0\0\x80\x7f")
"""-1, the largest number, NaN, 32767, the smallest number, infinity."""
ALL = {"entities": True, "static_props": "models", "brushes": True, "detail_props": True, "worldlights": True}
ROUNDS = 6
"""Maps a seed."""


def damaged(seed: int) -> bytes:
    """The sample with a few words of a few lumps changed, or with a lump cut off."""
    random = np.random.default_rng(seed)
    data = bytearray(source_room.MAP.read_bytes())
    filled = [lump for lump in range(64) if struct.unpack_from("<i", data, 8 + 16 * lump + 4)[0] > 0]
    for lump in random.choice(filled, int(random.integers(1, 4))).tolist():
        start, size = struct.unpack_from("<2i", data, 8 + 16 * lump)
        if random.integers(8) == 0:
            struct.pack_into("<i", data, 8 + 16 * lump + 4, int(random.integers(size)))
            continue
        for _ in range(int(random.integers(1, 12))):
            at = start + int(random.integers(max(1, size - 3)))
            if random.integers(3) == 0:
                data[at] = int(random.integers(256))
            else:
                data[at : at + 4] = WORDS[random.integers(len(WORDS))]
    return bytes(data)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_maps_never_fail_an_import(seed: int) -> None:
    options = ALL | {"displacements": ("each", "joined")[seed % 2], "split": ("none", "material", "cluster")[seed % 3]}
    for number in range(seed * ROUNDS, (seed + 1) * ROUNDS):
        data, report = damaged(number), Report()
        try:
            source.read(data)
        except FormatError:
            with pytest.raises(FormatError):
                imported(data, report=report, **options)
            continue
        level = imported(data, report=report, **options)
        assert originals.find(level).data == data
        for mesh in bpy.data.meshes:
            for name in (layout.DISTANCE, layout.DIRECTION):  # kept as they are, and from 5.2 on NaN counts as broken
                if name in mesh.attributes:
                    mesh.attributes.remove(mesh.attributes[name])
            assert not mesh.validate(), (number, mesh.name)
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def test_what_only_adds_to_faces_may_be_missing() -> None:
    """Normals, tags and flags that can't be read leave the faces, displacements and lightmaps that have them."""
    data, report = bytearray(source_room.MAP.read_bytes()), Report()
    whole = Report()
    imported(bytes(data), report=whole)
    for lump in (LumpId.VERTNORMALINDICES, LumpId.DISP_TRIS, LumpId.MAP_FLAGS):
        start, size = struct.unpack_from("<2i", data, 8 + 16 * lump)
        struct.pack_into("<2i", data, 8 + 16 * lump, start or 1036, max(size, 2) - 1)
    level = imported(bytes(data), report=report)
    assert {"faces", "displacements", "lightmap images"} <= set(whole.counts)
    assert report.counts == whole.counts
    assert [warning.split(":")[0] for warning in report.warnings] == ["faces are flat", "displacements have no tags"]
    assert exporter.export_level(bpy.context, level, ExportSettings(), Report()) == bytes(data)


@pytest.mark.parametrize("lump", [LumpId.TEXDATA, LumpId.TEXINFO, LumpId.TEXDATA_STRING_TABLE])
def test_faces_are_there_without_their_textures(lump: LumpId) -> None:
    data, report, told = bytearray(source_room.MAP.read_bytes()), Report(), Report()
    (size,) = struct.unpack_from("<i", data, 8 + 16 * lump + 4)
    struct.pack_into("<i", data, 8 + 16 * lump + 4, size - 1)
    level = imported(bytes(data), report=report)
    assert report.counts["faces"] > 0 and report.counts["displacements"] > 0
    assert any(warning.startswith(("faces have no textures", "textures have no names")) for warning in report.warnings)
    assert exporter.export_level(bpy.context, level, ExportSettings(), told) == bytes(data)
    assert any(warning.startswith("textures on faces stay as they are") for warning in told.warnings)


@pytest.mark.parametrize("lump", [LumpId.FACES, LumpId.SURFEDGES, LumpId.EDGES])
def test_a_face_that_cant_be_read_leaves_the_others(lump: LumpId) -> None:
    data, report, whole = bytearray(source_room.MAP.read_bytes()), Report(), Report()
    imported(bytes(data), report=whole)
    (start,) = struct.unpack_from("<i", data, 8 + 16 * lump)
    struct.pack_into("<i", data, start + 4, 0x7FFFFFFF)  # the first edge of face 0, or surfedge or edge 1
    level = imported(bytes(data), report=report)
    assert 0 < whole.counts["faces"] - report.counts["faces"] < 4
    assert any(warning.startswith("faces without all of their corners") for warning in report.warnings)
    assert exporter.export_level(bpy.context, level, ExportSettings(), Report()) == bytes(data)


@pytest.mark.parametrize("lump", [LumpId.PHYSDISP, LumpId.DISP_TRIS])
def test_what_displacements_have_may_lie_behind_the_end(lump: LumpId) -> None:
    data, report = bytearray(source_room.MAP.read_bytes()), Report()
    struct.pack_into("<2i", data, 8 + 16 * lump, len(data) - 1, 100)
    level = imported(bytes(data), report=report)
    assert report.counts["displacements"] > 0
    assert exporter.export_level(bpy.context, level, ExportSettings(), Report()) == bytes(data)


def test_an_entity_that_cant_be_read_leaves_the_others() -> None:
    data, report, whole = bytearray(source_room.MAP.read_bytes()), Report(), Report()
    imported(bytes(data), report=whole, entities=True)
    place = data.rindex(b'"origin" "')
    data[place] = ord("x")
    level = imported(bytes(data), report=report, entities=True)
    told = ("entities", "lights")
    assert sum(whole.counts[key] for key in told) - sum(report.counts[key] for key in told) == 1
    assert any(warning.startswith("some entities are left out") for warning in report.warnings)
    assert exporter.export_level(bpy.context, level, ExportSettings(), Report()) == bytes(data)
    level["skyname"] = "dusk"
    made = exporter.export_level(bpy.context, level, ExportSettings(), Report())
    assert b'"dusk"' in made and data[place : place + 20] in made


@pytest.mark.parametrize("seed", range(2))
def test_damaged_files_in_the_pak_never_fail_an_import(seed: int) -> None:
    random = np.random.default_rng(seed)
    level = source.read(source_room.MAP.read_bytes())
    for name in [file.name for file in level.pak]:
        data = bytearray(level.pak.read(name))
        for _ in range(int(random.integers(1, 6))):
            data[random.integers(min(len(data), 600))] = random.integers(256)
        level.pak.put(name, bytes(data[: random.integers(len(data))] if random.integers(3) == 0 else data))
    report = Report()
    made = imported(source.write(level), report=report, **ALL)
    assert report.warnings
    assert originals.find(made) is not None
