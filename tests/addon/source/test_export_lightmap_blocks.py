# SPDX-License-Identifier: GPL-3.0-or-later
"""Painted lightmaps wider than high, of two styles and four samples: each luxel gets the light of its pixel."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import baselines, originals
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.addon.source.lightmaps import build as lightmaps
from levelwright.addon.source.lightmaps import collect as collect_lightmaps
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.light import lighting, rgbe

from tests.addon.source.rooms import imported
from tests.addon.source.surface_edits import edited
from tests.formats import source_room as room

APPLY = collect_lightmaps.apply
LDR, HDR = LumpId.LIGHTING, LumpId.LIGHTING_HDR
WIDE, HIGH = 30, 4
"""Luxels of the west wall's lightmaps: images of 32 x 16 pixels."""
AVERAGES = 8


def wide(flags: int = 0) -> source.Level:
    """The room whose west wall has WIDE x HIGH luxels and two styles; with flags, of four samples. Each luxel's red is
    its number in the block, from 10 on; its green tells the style and the sample, and one is black.
    """
    level = room.room()
    texinfos = level.table(LumpId.TEXINFO).copy()
    texinfos["flags"][1] |= flags
    level.set_table(LumpId.TEXINFO, texinfos)
    samples = 4 if flags else 1
    luxels = np.zeros((2, samples, WIDE * HIGH, 4), np.uint8)
    luxels[..., 0] = np.arange(WIDE * HIGH) + 10
    luxels[..., 1] = 60 + 16 * np.arange(2)[:, None, None] + 4 * np.arange(samples)[None, :, None]
    luxels[:, :, 7] = 0
    for lump, faces in ((LDR, LumpId.FACES), (HDR, LumpId.FACES_HDR)):
        data = bytes(level.bytes_of(lump))
        table = level.table(faces).copy()
        own = table[room.WEST : room.WEST + 1]
        own["lightofs"], own["lightmap_size"], own["styles"] = (
            len(data) + AVERAGES,
            (WIDE - 1, HIGH - 1),
            (0, 32, 255, 255),
        )
        if flags:  # the other walls of the texinfo have no room for four
            table["lightofs"][[room.SOUTH_LEFT, room.SOUTH_RIGHT, room.NORTH_LEFT, room.NORTH_RIGHT]] = -1
        level.set_table(faces, table)
        level.set_bytes(lump, data + bytes(AVERAGES) + luxels.tobytes())
    return source.read(source.write(level))


def pixels(image: bpy.types.Image) -> np.ndarray:
    """float32[h, w, 4], from the top."""
    values = np.empty(image.size[0] * image.size[1] * 4, np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(image.size[1], image.size[0], 4)[::-1].copy()


def painted(level: bpy.types.Collection, before: source.Level, lump: LumpId, slot: int, sample: int, how) -> None:
    """Give the wall's luxels, float[n, 3] in bytes, other light in an image."""
    image = originals.resources(level, layout.LIGHTMAP)[lightmaps.record(lump, slot, sample)]
    assert tuple(image.size) == (32, 16)
    where = collect_lightmaps.places(level, before)
    own = where.pixels[where.first[room.WEST] : where.first[room.WEST + 1]]
    values = pixels(image)
    flat = values.reshape(-1, 4)
    flat[own, :3] = how(flat[own, :3])
    image.pixels.foreach_set(np.ascontiguousarray(values[::-1]).ravel())
    image.update()


def light(level: source.Level, lump: LumpId, slot: int = 0, sample: int = 0) -> np.ndarray:
    """float[n, 3]: that of the wall, in bytes."""
    found = lighting.lightmaps(level)[lump]
    offsets, owners = lighting.luxel_offsets(found, slot, sample)
    here = offsets[found.faces[owners] == room.WEST]
    return rgbe.decode(lighting.colors_at(level.bytes_of(lump), here)) * 255


@pytest.mark.parametrize("lump", [LDR, HDR])
@pytest.mark.parametrize("slot", [0, 1])
def test_each_luxel_of_a_style_is_the_pixel_that_shows_it(lump: LumpId, slot: int) -> None:
    before = wide()
    level = imported(source.write(before))
    drawn = np.column_stack([np.arange(WIDE * HIGH) + 1, np.full(WIDE * HIGH, 200), np.arange(WIDE * HIGH)[::-1]])
    painted(level, before, lump, slot, 0, lambda _: drawn)
    made, changed = edited(level, APPLY)
    assert changed == {"LIGHTING" if lump == LDR else "LIGHTING_HDR"}
    assert np.abs(light(made, lump, slot) - drawn).max() < 0.6
    assert light(made, lump, 1 - slot).tolist() == light(before, lump, 1 - slot).tolist()
    for face in set(range(10)) - {room.WEST}:
        assert made.table(LumpId.FACES)[face] == before.table(LumpId.FACES)[face]


@pytest.mark.parametrize("slot", [0, 1])
def test_samples_of_the_painted_style_follow_and_black_ones_get_what_was_added(slot: int) -> None:
    before = wide(0x800)
    level = imported(source.write(before))

    def brighter(was: np.ndarray) -> np.ndarray:
        now = was * (1, 2, 1)
        now[7] = (4, 8, 16)
        return now

    painted(level, before, HDR, slot, 0, brighter)
    made, changed = edited(level, APPLY)
    assert changed == {"LIGHTING_HDR"}
    for sample in range(4):
        was, now = light(before, HDR, slot, sample), light(made, HDR, slot, sample)
        assert np.abs(now - brighter(was)).max() < 1, sample
        assert light(made, HDR, 1 - slot, sample).tolist() == light(before, HDR, 1 - slot, sample).tolist()


def test_a_sample_that_was_painted_leaves_the_others_alone() -> None:
    before = wide(0x800)
    level = imported(source.write(before), bump_lightmaps=True)
    painted(level, before, LDR, 0, 2, lambda was: was * 2)
    made, _ = edited(level, APPLY)
    for sample in range(4):
        was, now = light(before, LDR, 0, sample), light(made, LDR, 0, sample)
        assert np.abs(now - was * (2 if sample == 2 else 1)).max() < 1, sample


@pytest.mark.parametrize("size", [(16, 32), (32, 8), (64, 16)])
def test_an_image_of_other_sides_is_refused(size: tuple[int, int]) -> None:
    level = imported(source.write(wide()))
    originals.resources(level, layout.LIGHTMAP)[lightmaps.record(LDR)].scale(*size)
    with pytest.raises(SceneError, match=f"has {size[0]} x {size[1]} pixels.* has to keep 32 x 16"):
        edited(level, APPLY)


@pytest.mark.parametrize("key", [layout.ATLAS, layout.ATLAS_SIZE])
@pytest.mark.parametrize("how", ["gone", "of another map"])
def test_without_the_places_of_luxels_nothing_is_written(key: str, how: str) -> None:
    before = wide()
    level = imported(source.write(before))
    painted(level, before, LDR, 0, 0, lambda was: was * 2)
    kept = baselines.load(level, key)
    baselines.forget(level, key)
    if how != "gone":
        baselines.store(level, key, np.concatenate([kept, kept]))
    with pytest.raises(SceneError, match=f"{level.name}: what the import made of lightmaps is gone"):
        edited(level, APPLY)
