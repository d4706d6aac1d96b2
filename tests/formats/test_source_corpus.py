# SPDX-License-Identifier: GPL-3.0-or-later
"""Real maps: byte for byte, every part taken apart and joined again, edits that move everything, times and memory.

Skipped where there is no corpus (../shared/corpus beside the repository, or $LEVELWRIGHT_SHARED/corpus).
"""

import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from formats.source import LumpId, check, contents, identify, patch_file, read, write
from formats.source.collision import physcollide
from formats.source.container.game_lump import DETAIL_PROPS, STATIC_PROPS
from formats.source.sections import visibility
from tests.formats.leaves import leaves

# Lumps of games of their own, which nobody has described.
UNKNOWN = {LumpId.PHYSCOLLIDESURFACE, LumpId.PHYSLEVEL}
NO_TABLES = {
    *(LumpId.ENTITIES, LumpId.VISIBILITY, LumpId.LIGHTING, LumpId.LIGHTING_HDR, LumpId.OCCLUSION, LumpId.PHYSDISP),
    *(LumpId.PHYSCOLLIDE, LumpId.GAME_LUMP, LumpId.PAKFILE, LumpId.TEXDATA_STRING_DATA),
}
# What is wrong with real maps: a leftover of an entity, and a key that a newer compiler allows.
FLAWS = {
    "rocket_turret.bsp": "error: lump 0 (ENTITIES), entity 10: its model is *2, there are 2",
    "gm_oasis.bsp": "warning: lump 0 (ENTITIES), entity 12: "
    "'clip_3D_skybox_near_to_world_far_offset' is longer than 32 characters",
}


@pytest.fixture(scope="module")
def maps(corpus) -> list[Path]:
    found = sorted(corpus.glob("bsp/*/*.bsp"))
    if not found:
        pytest.skip(f"no Source maps in {corpus}")
    return found


def test_every_map_comes_out_as_it_came_in(maps):
    for path in maps:
        data = path.read_bytes()
        assert identify(data)
        assert write(read(data)) == data, path


def test_its_parts_make_up_the_file(maps):
    """An unchanged map is written as the very bytes that were read, so the parts are looked at by themselves."""
    for path in maps:
        data = path.read_bytes()
        level = read(data)
        assert write(level) is data
        assert b"".join(part for _, part in level.file.parts()) == data, path


def test_so_it_does_when_everything_was_decoded(maps):
    for path in maps:
        data = path.read_bytes()
        level = read(data)
        errors = [leaf for leaf in leaves(contents(level)) if isinstance(leaf, ValueError)]
        assert errors == [], path
        assert set(level.opaque) - UNKNOWN <= NO_TABLES, path
        assert write(level) == data, path


def test_parts_are_joined_to_the_same_bytes(maps):
    for path in maps:
        level = read(path.read_bytes())
        order = level.byte_order
        entities = level.entities
        for entity in entities:
            entity.pairs = [(key + " ", value) for key, value in entity.pairs]
        assert entities.changed
        for entity in entities:
            entity.pairs = [(key[:-1], value) for key, value in entity.pairs]
        assert not entities.changed
        for entity in entities:
            assert {(output.name, output.value) for output in entity.outputs} <= set(entity.pairs)
        assert visibility.encode(level.visibility, order) == level.bytes_of(LumpId.VISIBILITY), path
        assert physcollide.encode(level.physcollide, order) == level.bytes_of(LumpId.PHYSCOLLIDE), path
        if len(level.bytes_of(LumpId.PHYSDISP)):
            assert physcollide.encode_displacements(level.physdisp, order) == level.bytes_of(LumpId.PHYSDISP), path
        assert level.pak.encode() == level.bytes_of(LumpId.PAKFILE), path
        assert level.game_lumps.encode() == level.file.stored(LumpId.GAME_LUMP), path
        for file in level.pak:
            assert zlib.crc32(level.pak.read(file.name)) == file.crc, file.name


def test_entities_are_written_as_the_compiler_writes_them(maps):
    """A changed entity is written anew: if all are, and nothing changed, the bytes are the same."""
    for path in maps:
        level = read(path.read_bytes())
        entities = level.entities
        before = bytes(level.bytes_of(LumpId.ENTITIES))
        for entity in entities:
            entity._read = None
        assert entities.encode() == before, path


def test_a_longer_lump_moves_the_rest(maps):
    for path in maps:
        data = path.read_bytes()
        level, before = read(data), read(data)
        level.entities[0].set("levelwright", "a longer text than there was before")
        level.game_lumps.set_bytes(STATIC_PROPS, bytes(level.game_lumps.bytes_of(STATIC_PROPS)) + b"12345")
        written = write(level)
        after = read(written)
        assert write(after) == written
        assert after.entities[0].get("levelwright") == "a longer text than there was before"
        for lump in before.lumps:
            if lump not in (LumpId.ENTITIES, LumpId.GAME_LUMP):
                assert after.bytes_of(lump) == before.bytes_of(lump), (path, lump)
        assert bytes(after.game_lumps.bytes_of(STATIC_PROPS)).endswith(b"12345")
        assert after.game_lumps.bytes_of(DETAIL_PROPS) == before.game_lumps.bytes_of(DETAIL_PROPS)
        places, sizes = after.file.entries["offset"], after.file.entries["length"]
        assert not (places[sizes > 0] % 4).any(), path
        if before.file.entries["offset"][LumpId.PAKFILE] % 2048 == 0:
            assert places[LumpId.PAKFILE] % 2048 == 0


def test_a_patch_file_does_what_an_edit_does(maps):
    for path in maps:
        level = read(path.read_bytes())
        level.entities[0].set("levelwright", "1")
        patch = patch_file.read(patch_file.write(patch_file.PatchFile.of(level, LumpId.ENTITIES)))
        other = read(path.read_bytes())
        patch.apply(other)
        assert write(other) == write(level) or other.file.entries["size"][LumpId.ENTITIES]
        assert other.entities[0].get("levelwright") == "1"


def test_real_maps_have_few_flaws(maps):
    for path in maps:
        problems = [str(p) for p in check(read(path.read_bytes())) if "what it holds is not known" not in p.message]
        assert problems == ([FLAWS[path.name]] if path.name in FLAWS else []), path


def test_memory_stays_within_three_times_the_file(maps, root):
    biggest = max(maps, key=lambda path: path.stat().st_size)
    program = (
        "import resource, sys; from formats.source import read, write; from pathlib import Path\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        "before = peak(); data = Path(sys.argv[1]).read_bytes(); out = write(read(data))\n"
        "assert out == data; print((peak() - before) / len(data))"
    )
    if sys.platform != "linux":
        pytest.skip("measured on Linux")
    run = subprocess.run(
        [sys.executable, "-c", program, str(biggest)], cwd=root, capture_output=True, text=True, check=True
    )
    assert float(run.stdout) < 3
