# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged levels through Blender, unedited: refused when they are opened, or written as they came."""

import random
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis.exporter import export_level
from levelwright.addon.genesis.importer import import_level
from levelwright.addon.genesis.settings import ExportSettings, ImportSettings
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
from levelwright.formats import genesis
from levelwright.formats.binary import FormatError
from levelwright.formats.genesis import FACE, Brush, Event, Level3dt, MapLevel, Motion
from levelwright.formats.genesis.entities import KeyValues

from tests.formats import genesis_compiled_fuzz, genesis_fuzz, genesis_text_fuzz
from tests.fuzz.driver import Fuzzer, try_all
from tests.fuzz.scenes import empty_file

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
MAP, TEXT = (SAMPLES / f"genesis_room.{ending}" for ending in ("map", "3dt"))
WAYS = {
    MAP: (*genesis_fuzz.WAYS, genesis_fuzz.set_word),
    TEXT: (genesis_text_fuzz.change_word,) * 4 + (genesis_text_fuzz.change_space, genesis_text_fuzz.move_lines),
}
OPTIONS = (
    ImportSettings(),
    ImportSettings(many_brushes=1),
    ImportSettings(preview_cuts="csg"),
    ImportSettings(lighting="full_bright", preview_cuts="boolean"),
)

COMPILED = (
    ImportSettings(),
    ImportSettings(lighting="full_bright"),
    ImportSettings(compiled="brushes"),
    ImportSettings(compiled="brushes", many_brushes=1),
)


TEXTS = (
    "", "0", "-0", "nan nan nan", "1e39 0 0", "1e30 -1e30 0", "1 2", "a\xff b", "x" * 300, "True", "%typedef%",
    "%Model%", "light", "spotlight", "Camera", "door1", "1.5 2.5 -0.0", "<null>", '"', "\\", "\t", " ",
)  # fmt: skip
KEYS = (
    "classname", "ORIGIN", "origin", "angles", "%name%", "levelwright", "levelwright_level", "order", "texture",
    "k" * 70, "light", "color", "arc", "Motion", "cycles", "_RNA_UI", "\xe9", "Model", "style", "TextureLib", "SkyAxis",
)  # fmt: skip
NUMBERS = (0.0, -0.0, 1e-30, 1e30, float("nan"), float("inf"), -1.0, 0.1, 20000.0, 1e-3)
WHOLE = (0, 1, 2, 4, 0x10, 0x91, 0x401, 0x800, 0x2000, 0x80010004, 0x7FFFFFFF)


def change_pair(entity: KeyValues, rng: random.Random) -> None:
    """Give an entity another pair, or another value, or take one away."""
    at = rng.randrange(len(entity.pairs) + 1)
    if rng.random() < 0.5 and entity.pairs:
        at = rng.randrange(len(entity.pairs))
        entity.pairs[at] = (entity.pairs[at][0], rng.choice(TEXTS))
    elif rng.random() < 0.3 and entity.pairs:
        del entity.pairs[at - 1]
    else:
        entity.pairs.insert(at, (rng.choice(KEYS), rng.choice(TEXTS)))


def change_motion(motion: Motion, rng: random.Random) -> None:
    """Move a key, add an event, or take a track away."""
    path = rng.choice(motion.paths)
    track = rng.choice((path.rotation, path.translation))
    finite = rng.choice([one for one in NUMBERS if np.isfinite(one)])
    if track is None or rng.random() < 0.2:
        motion.events.append(Event(finite, rng.choice(TEXTS)[:100]))
    elif rng.random() < 0.2:
        path.rotation = None
    else:
        column = track.times if rng.random() < 0.4 else track.values.reshape(-1)
        column[rng.randrange(len(column))] = finite


def change_map(level: MapLevel, rng: random.Random) -> None:
    """Change a record of a `.map`: what the file can say, whether it makes sense or not."""
    entity = rng.choice(level.entities)
    brushes = [brush for one in level.entities for brush in one.brushes]
    brush, way = rng.choice(brushes), rng.randrange(7)
    if way <= 1:
        change_pair(entity, rng)
    elif way == 2:
        name = rng.choice([name for name in FACE.names or () if name != "tex_name"])
        brush.faces = brush.faces.copy()
        column = brush.faces[name].reshape(len(brush.faces), -1)
        value = rng.choice(WHOLE) if name == "flags" else rng.choice(NUMBERS)
        column[rng.randrange(len(column)), rng.randrange(column.shape[1])] = np.array(
            value, np.int64 if name == "flags" else "f4"
        ).astype(column.dtype)
    elif way == 3:
        brush.flags = rng.choice(WHOLE)
    elif way == 4:
        rng.shuffle(level.entities)
    elif way == 5:
        entity.brushes.append(Brush(brush.flags, brush.faces[: rng.randrange(7)].copy()))
    else:
        moved = [one.motion for one in level.entities if one.motion is not None]
        change_motion(rng.choice(moved), rng)


def change_editor(level: Level3dt, rng: random.Random) -> None:
    """Change a record of a `.3dt`, likewise."""
    brushes = [brush for _, brush, _ in level.numbered_brushes()]
    brush, way = rng.choice(brushes), rng.randrange(7)
    if way == 0:
        change_pair(rng.choice(level.entities), rng)
    elif way == 1:
        brush.flags, brush.hull_size = rng.choice(WHOLE), rng.choice(NUMBERS[:4])
    elif way == 2:
        brush.model_id, brush.group_id = rng.choice((0, 1, 2, 99, -1)), rng.choice((0, 1, 2, 99, -1))
    elif way == 3:
        face = rng.choice(rng.choice(level.leaves()).faces)
        face.points = face.points.copy()
        face.points[rng.randrange(len(face.points)), rng.randrange(3)] = rng.choice(NUMBERS[:4])
        face.scale, face.flags = (rng.choice((0.0, 1.0, -1.0)), 1e30), rng.choice(WHOLE)
    elif way == 4:
        rng.shuffle(rng.choice((level.brushes, level.entities, level.models, level.groups)))  # type: ignore[arg-type]
    elif way == 5:
        group = rng.choice(level.groups)
        group.group_id, group.visible, group.name = rng.choice((0, 1, 7)), rng.choice((0, 1, 2, -1)), rng.choice(TEXTS)
        model = rng.choice(level.models)
        model.model_id, model.key_time = rng.choice((0, 1, 7)), rng.choice((0.1, 1e30, -5.0, 0.7))
    else:
        moved = [one.motion for one in level.models if one.motion is not None]
        change_motion(rng.choice(moved), rng)


def changed(seed: int) -> bytes:
    """A sample with other records."""
    rng = random.Random(seed)
    while True:
        level = genesis.read((MAP, TEXT)[seed % 2].read_bytes())
        for _ in range(rng.choice((1, 2, 4))):
            change_map(level, rng) if isinstance(level, MapLevel) else change_editor(level, rng)
        try:
            return genesis.write(level)
        except FormatError:
            continue  # what can't be written is in no file


def damaged(seed: int) -> tuple[bytes, ImportSettings]:
    """A level and how it is opened: a sample, or one of those that the fuzzers of the readers have; two of ten are
    compiled.
    """
    rng = random.Random(seed)
    options = rng.choice(OPTIONS)
    if seed % 10 >= 8:
        return genesis_compiled_fuzz.mutation(seed), rng.choice(COMPILED)
    if seed % 8 == 0:
        return genesis_fuzz.mutation(seed), options
    if seed % 8 == 1:
        return genesis_text_fuzz.mutation(2 * seed), options
    if seed % 8 < 6:
        return changed(seed), options
    file = (MAP, TEXT)[seed % 2]
    data = bytearray(file.read_bytes())
    for _ in range(rng.choice((1, 1, 2, 4))):
        rng.choice(WAYS[file])(data, rng)
    return bytes(data), options


def goes_through(made: tuple[bytes, ImportSettings]) -> bool:
    """Open a level and write it; False where it was refused when it was opened."""
    data, options = made
    try:
        level = import_level(bpy.context, data, "damaged", options, Report())
    except FormatError:
        return False
    report = Report()
    written = export_level(bpy.context, level, ExportSettings(), report)
    made = originals.find(level) if options.compiled == "brushes" else None
    if written != (data if made is None else made.data):
        raise AssertionError("other bytes: " + "; ".join(report.lines()))
    if report.notes:
        raise AssertionError("nothing was edited: " + "; ".join(report.notes))
    return True


FUZZER = Fuzzer(
    mutation=damaged,
    attempt=goes_through,
    whole=(
        *((file.read_bytes(), options) for file in WAYS for options in OPTIONS),
        *((data, options) for data in genesis_compiled_fuzz.LEVELS for options in COMPILED),
    ),
    accepted=(1 / 4, 0.95),
    prepare=empty_file,
    seconds=10.0,
    memory=None,
    quick=(range(30),),
    thorough=range(30, 360),
)


@pytest.mark.parametrize("seeds", [*FUZZER.quick, pytest.param(FUZZER.thorough, marks=pytest.mark.slow)])
def test_damaged_levels_come_back_or_are_refused_at_once(seeds: range) -> None:
    try_all(FUZZER, seeds)
