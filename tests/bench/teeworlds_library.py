# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench teeworlds`, first half: the library against plain zlib and against twmap, over all real maps."""

from __future__ import annotations

import statistics
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import formats
from formats import teeworlds

from .measure import Result, Way, in_turns

OPEN_SECONDS, OVER_ZLIB, OVER_TWMAP, SAVE_OF_TWMAP = 0.005, 1.15, 1.15, 0.01


def run(folder: Path, rounds: int) -> list[Result]:
    """Measure every readable map below `folder`; prints a line a section and returns the figures to reach."""
    maps = {path: path.read_bytes() for path in sorted(folder.rglob("*.map")) if "synthetic" not in path.parent.name}
    readable = {path: data for path, data in maps.items() if _reads(data)}
    total = sum(map(len, readable.values()))
    print(f"{len(readable)} real maps of {len(maps)}, {total / 1e6:.1f} MB in {folder}")
    return [*_opening(readable, rounds), *_decoding(readable, rounds), *_against_twmap(readable, rounds)]


def _reads(data: bytes) -> bool:
    try:
        formats.read(data)
    except formats.FormatError:
        return False
    return True


def _opening(maps: dict[Path, bytes], rounds: int) -> list[Result]:
    print("\nopen lazily (path -> level, nothing decoded)")
    best = {path: in_turns({"open": Way(lambda path=path: formats.read(path))}, rounds)["open"].best for path in maps}
    slowest = max(best, key=lambda path: best[path])
    median = sorted(best.values())[len(best) // 2]
    print(f"  median {median * 1e3:.3f} ms, slowest {best[slowest] * 1e3:.3f} ms ({slowest.name})")
    return [Result("open lazily: slowest map", best[slowest] * 1e3, OPEN_SECONDS * 1e3, "ms")]


def _decoding(maps: dict[Path, bytes], rounds: int) -> list[Result]:
    print("\ndecode everything (every record, tile, pixel and sound) against zlib of the same blobs")
    ratios, ours, floor = {}, 0.0, 0.0
    for path, data in maps.items():
        blobs = stored_blobs(data)
        times = in_turns(
            {
                "ours": Way(lambda data=data: decode(formats.read(data))),
                "zlib": Way(lambda blobs=blobs: [zlib.decompress(blob) for blob in blobs]),
            },
            rounds,
        )
        ours += times["ours"].best
        floor += times["zlib"].best
        ratios[path] = times["ours"].best / max(times["zlib"].best, 1e-9), times["ours"].best - times["zlib"].best
    _print_spread("zlib", ours, floor, ratios)
    return [Result("decode everything / plain zlib (sum over all maps)", ours / floor, OVER_ZLIB)]


def _against_twmap(maps: dict[Path, bytes], rounds: int) -> list[Result]:
    try:
        import twmap
    except ImportError:
        print("\ntwmap is not installed (pip install twmap): its comparisons are left out")
        return []
    theirs = {path: data for path, data in maps.items() if _twmap_reads(twmap, data)}
    print(f"\ndecode everything, and save unedited, against twmap on the {len(theirs)} maps that it can read")
    ratios, sums = {}, dict.fromkeys(("ours", "twmap", "our save", "twmap save"), 0.0)
    for path, data in theirs.items():
        level, peer = formats.read(data), twmap_decode(twmap, data)
        decode(level)
        times = in_turns(
            {
                "ours": Way(lambda data=data: decode(formats.read(data))),
                "twmap": Way(lambda data=data: twmap_decode(twmap, data)),
                "our save": Way(lambda level=level: formats.write(level)),
                "twmap save": Way(lambda peer=peer: peer.to_bytes()),
            },
            rounds,
        )
        for name, measured in times.items():
            sums[name] += measured.best
        ratios[path] = times["ours"].best / times["twmap"].best, times["ours"].best - times["twmap"].best
    _print_spread("twmap", sums["ours"], sums["twmap"], ratios)
    print(f"  save: ours {sums['our save'] * 1e3:.1f} ms, twmap {sums['twmap save'] * 1e3:.0f} ms")
    return [
        Result("decode everything / twmap (sum over the maps it reads)", sums["ours"] / sums["twmap"], OVER_TWMAP),
        Result("unedited save / twmap's", sums["our save"] / sums["twmap save"], SAVE_OF_TWMAP),
    ]


def _print_spread(peer: str, ours: float, theirs: float, ratios: dict[Path, tuple[float, float]]) -> None:
    print(
        f"  ours {ours:.3f} s, {peer} {theirs:.3f} s, ratio of the sums {ours / theirs:.3f}, "
        f"median of the files' ratios {statistics.median(ratio for ratio, _ in ratios.values()):.3f}"
    )
    for path in sorted(ratios, key=lambda path: -ratios[path][1])[:3]:
        ratio, seconds = ratios[path]
        print(f"    most time lost: {seconds * 1e3:8.2f} ms, x {ratio:.2f}  {path.parent.name}/{path.name}")


def decode(level: teeworlds.Level) -> teeworlds.Level:
    """Ask `level` for everything that it can decode."""
    if level.info is not None:
        _ = level.info.author, level.info.map_version, level.info.credits, level.info.license, level.info.settings
    for image in level.images:
        _ = image.name, image.pixels()
    for sound in level.sounds:
        _ = sound.name, sound.data()
    for envelope in level.envelopes:
        _ = envelope.name, envelope.points, envelope.tangents
    for group in level.groups:
        _ = group.name
        for layer in group.layers:
            _ = layer.name
            if isinstance(layer, teeworlds.TileLayer):
                _ = layer.tiles(), layer.automapper
            elif isinstance(layer, teeworlds.QuadLayer):
                _ = layer.quads()
            elif isinstance(layer, teeworlds.SoundLayer):
                _ = layer.sources()
    return level


def stored_blobs(data: bytes) -> list[memoryview]:
    """The compressed blobs of a version 4 datafile (teeworlds.md §2), found without the library."""
    types, items, count, item_size, data_size = struct.unpack_from("<16x5i", data)
    offsets_at = 36 + 12 * types + 4 * items
    offsets = struct.unpack_from(f"<{count}i", data, offsets_at)
    start = offsets_at + 8 * count + item_size
    ends = (*offsets[1:], data_size)
    view = memoryview(data)
    return [view[start + first : start + end] for first, end in zip(offsets, ends, strict=True)]


def _twmap_reads(twmap: ModuleType, data: bytes) -> bool:
    try:
        twmap_decode(twmap, data)
    except (twmap.MapError, ValueError):
        return False
    return True


def twmap_decode(twmap: ModuleType, data: bytes) -> Any:
    """The same with twmap: its maps are lazy too, so everything is asked for."""
    level = twmap.Map.from_bytes(data)
    for layer in _layers(level):
        kind = layer.kind()
        if kind == "Quads":
            len(layer.quads)
        elif kind == "Sounds":
            len(layer.sources)
        else:
            _ = layer.tiles
    for image in level.images:
        _ = image.data
    for sound in level.sounds:
        len(sound.name)  # its data come as a list of ints, which would be unfair to ask for
    for envelope in level.envelopes:
        len(envelope.points)
    return level


def _layers(level: Any) -> Iterable[Any]:
    return (layer for group in level.groups for layer in group.layers)
