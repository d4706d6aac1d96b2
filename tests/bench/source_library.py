# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench source`, first half: the library against sourcepp, srctools and bsp_tool, over all real maps."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from formats import source
from formats.solid_leaks import Space, examine
from tests.formats.solid_worlds import town
from tests.formats.source_parts import decode

from . import steady
from .measure import Result, Way, in_turns

OVER_SOURCEPP, OVER_SRCTOOLS, OVER_BSP_TOOL, OVER_FILE = 1 / 2, 1 / 5, 1 / 50, 3.0
LEAKS_SECONDS = 10.0
SAVE_ROUNDS = 25
"""At least so many: a few ms each, most of it the operating system's, which has its moods."""
ROOT = Path(__file__).resolve().parent.parent.parent
MEMORY_FROM = 2 << 20
"""Bytes of the smallest map whose memory is measured: below, what Python itself takes on the way is more."""

Ways = dict[str, Callable[[Path], object]]


def run(folder: Path, rounds: int) -> list[Result]:
    """Measure every map below `folder`; prints a line a section and returns the figures to reach."""
    maps = sorted(path for path in folder.rglob("*.bsp") if path.parent.name != "derived")  # repacked by a script
    if not maps:
        print(f"no real maps in {folder}: the library is left out")
        return []
    print(f"{len(maps)} real maps, {_megabytes(maps):.1f} MB in {folder}")
    with tempfile.TemporaryDirectory() as scratch:
        saving = _saving(maps, rounds, Path(scratch) / "saved.bsp")
    return [*saving, *_decoding(maps, rounds), *_memory(maps), *_leaks(rounds)]


def _leaks(rounds: int) -> list[Result]:
    """How long it takes to see that a generated map is sealed."""
    of = town(5000)
    where = np.array([(0.0, 0.0, 900.0)])
    space = Space(of, np.ones(len(of), np.bool_), np.ones(len(of), np.bool_), where, ["player"], np.zeros(1, np.int64))
    seconds = in_turns({"leaks": Way(lambda: examine(space))}, min(rounds, 3))["leaks"].best
    what = f"find out whether a map of {len(of):,} brushes leaks"
    print(f"\n{what}: {seconds:.2f} s")
    return [Result(what, seconds, LEAKS_SECONDS, "s")]


def _megabytes(maps: list[Path]) -> float:
    return sum(path.stat().st_size for path in maps) / 1e6


def _peer(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        print(f"\n{name} is not installed (pip install {name.split('.')[0]}): its comparisons are left out")
        return None


def _sums(ways: Ways, maps: list[Path], rounds: int, prepare: Callable[[], object] = lambda: None) -> dict[str, float]:
    """Seconds that each way takes for all maps: the sum of its best times. `prepare` runs before each, untimed.

    Python's garbage collector is on, as it is wherever these libraries are used.
    """
    sums = dict.fromkeys(ways, 0.0)
    for path in maps:

        def bound(way: Callable[[Path], object], path: Path = path) -> Way:
            return Way(lambda _: way(path), prepare)

        for name, times in in_turns({name: bound(way) for name, way in ways.items()}, rounds, True).items():
            sums[name] += times.best
    return sums


def _works(way: Callable[[Path], object], path: Path) -> bool:
    try:
        way(path)
    except Exception:  # noqa: BLE001 - peers raise whatever they come across
        return False
    return True


# ---------------------------------------------------------------------------------------------------------------- save


def _saving(maps: list[Path], rounds: int, saved: Path) -> list[Result]:
    """From a file to a new file, which isn't there before: what an editor waits for."""
    sourcepp = _peer("sourcepp")
    bsppp = None if sourcepp is None else sourcepp.bsppp

    def ours(path: Path) -> None:
        saved.write_bytes(source.write(source.read(path.read_bytes())))

    def ours_edited(path: Path) -> None:
        level = source.read(path.read_bytes())
        level.entities[0].set("levelwright", "1")
        saved.write_bytes(source.write(level))

    def copied(path: Path) -> None:
        saved.write_bytes(path.read_bytes())

    def theirs(path: Path) -> None:
        bsppp.BSP(str(path), False).bake(str(saved))  # type: ignore[union-attr]

    def theirs_edited(path: Path) -> None:
        level = bsppp.BSP(str(path), False)  # type: ignore[union-attr]
        entities = level.get_lump_data_for_entities()
        level.set_lump_for_entities(level.get_lump_version(level.Lump.ENTITIES), entities, 0)
        level.bake(str(saved))

    ways: Ways = {"ours": ours, "ours, an entity changed": ours_edited, "bytes copied, nothing opened": copied}
    if bsppp is not None:
        ways |= {"sourcepp": theirs, "sourcepp, entities set": theirs_edited}
    print("\nopen and save, file to new file (the operating system's part is in all of them)")
    sums = _sums(ways, maps, max(rounds, SAVE_ROUNDS), lambda: saved.unlink(missing_ok=True))
    for name, seconds in sums.items():
        print(f"  {name:<30} {seconds * 1e3:8.1f} ms")
    if bsppp is None:
        return []
    return [Result("open and save unedited / sourcepp", sums["ours"] / sums["sourcepp"], OVER_SOURCEPP)]


# -------------------------------------------------------------------------------------------------------------- decode


def decode_file(path: Path) -> object:
    """Open a map and decode everything."""
    return decode(source.read(path.read_bytes()))


def _decoding(maps: list[Path], rounds: int) -> list[Result]:
    print("\ndecode everything: file to numbers, polygons, light, texts, files")
    seconds = _sums({"ours": decode_file}, maps, rounds)["ours"]
    print(f"  {'all maps':<30} ours {seconds * 1e3:8.1f} ms, {_megabytes(maps) / seconds:.0f} MB/s")
    peers = (
        ("srctools.bsp", srctools_decode, OVER_SRCTOOLS, rounds),
        ("bsp_tool", bsp_tool_decode, OVER_BSP_TOOL, 1),
    )
    results = []
    for name, peer_decode, target, peer_rounds in peers:
        module = _peer(name)
        if module is None:
            continue
        way = partial(peer_decode, module)
        readable = [path for path in maps if _works(way, path)]
        sums = _sums({"ours": decode_file, name: way}, readable, peer_rounds)
        ours, theirs = sums["ours"], sums[name]
        title = name.split(".")[0]
        print(f"  {len(readable):2} maps that {title} reads: ours {ours * 1e3:8.1f} ms, {title} {theirs:.2f} s")
        results.append(
            Result(f"decode everything / {title} (the {len(readable)} maps it reads)", ours / theirs, target)
        )
    return results


def srctools_decode(module: ModuleType, path: Path) -> Any:
    """Ask srctools for every property of a map, and for the files of its pak. Raises where it cannot read one."""
    level = module.BSP(path)
    for name, kind in vars(module.BSP).items():
        if isinstance(kind, module.ParsedLump):
            getattr(level, name)
    for name in level.pakfile.namelist():
        level.pakfile.read(name)
    return level


def bsp_tool_decode(module: ModuleType, path: Path) -> Any:
    """Ask bsp_tool for every record of the lumps that it decodes; the others, raw bytes to it, are left out."""
    level = module.load_bsp(str(path))
    if level.loading_errors:
        raise ValueError(level.loading_errors)
    for name in level.headers:
        lump = getattr(level, name, None)
        if name == "GAME_LUMP" and lump is not None and lump.loading_errors:
            raise ValueError(lump.loading_errors)
        if name == "PAKFILE" and hasattr(lump, "namelist"):
            for file in lump.namelist():
                lump.read(file)
        elif hasattr(lump, "__iter__") and type(lump) is not module.lumps.RawBspLump:
            for _ in lump:
                pass
    return level


# -------------------------------------------------------------------------------------------------------------- memory


def _memory(maps: list[Path]) -> list[Result]:
    if sys.platform != "linux":
        print("\nmemory is measured on Linux: left out")
        return []
    print(f"\nmemory at its peak beyond what Python has to start with, maps of more than {MEMORY_FROM >> 20} MB")
    results = []
    for what, mode in (("open and save", "save"), ("decode everything", "decode")):
        shares = {path: peak(path, mode) / path.stat().st_size for path in maps if path.stat().st_size > MEMORY_FROM}
        most = max(shares, key=lambda path: shares[path])
        print(f"  {what:<30} up to {shares[most]:.2f} x the file ({most.name})")
        results.append(Result(f"{what}: memory / file", shares[most], OVER_FILE))
    return results


def peak(path: Path, mode: str) -> int:
    """Bytes that a process of its own takes at most for a map."""
    program = [sys.executable, "-m", "tests.bench.source_memory", mode, str(path)]
    told = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True, env=steady.without())
    return int(told.stdout)
