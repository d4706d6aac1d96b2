"""`scripts/bench teeworlds`, second half: the import operator against bare calls that create the same data.

The bare calls get all arrays ready made; what they have to work out themselves are the edges of the meshes and the PNG
files of embedded pictures, each in the quickest way known. See replay.py.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import bpy

import formats
from tests.samples import generated

from . import replay
from .measure import Result, Times, Way, in_turns
from .teeworlds_library import decode

OVER_BARE_MESHES, OVER_BARE_CALLS = 2.0, 1.5

REAL = (
    "teeworlds__teeworlds/ctf1@5787eafc.map",
    "ddnet__ddnet/Goo_.map",
    "ddnet__ddnet/Hulk.map",
    "ddnet__ddnet/coverage.maps.map",
    "ddnet__ddnet/winter_day.themes.map",
    "infclass__teeworlds-infclassR/infc_altepetl.map",
    "jxsl13__twmap/Castle_Echos.map",
    "kurosio__Teeworlds-MRPG-0.6/main.map",
)
"""Small and large, tiles and quads, with and without envelopes, embedded images and sounds."""


def empty_file() -> None:
    """Open an empty file, as a new session of an artist would."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def import_map(path: str) -> None:
    """What File > Import runs."""
    bpy.ops.import_scene.teeworlds_map(filepath=path)


def run(corpus: Path, rounds: int) -> list[Result]:
    """Measure a generated map of a million tiles and the real maps that are there."""
    results = [_generated(rounds)]
    real = [corpus / name for name in REAL if (corpus / name).is_file()]
    if not real:
        print(f"\nno real maps in {corpus}: their imports are left out")
        return results
    print("\nimport of real maps against library decode + bare calls that create the same data")
    ratios = {path: _against_replay(path, rounds) for path in real}
    worst = max(ratios, key=lambda path: ratios[path])
    return [*results, Result(f"import / (decode + bare calls): worst ({worst.name})", ratios[worst], OVER_BARE_CALLS)]


def _generated(rounds: int) -> Result:
    print("\nimport of a generated map of 1024 x 1024 tiles against the bare build of the same meshes")
    with tempfile.TemporaryDirectory(prefix="levelwright-bench-") as folder:
        path = Path(folder, "million.map")
        path.write_bytes(generated.tile_map(1024, 1024, (1.0,)))
        recorded = _import_and_record(str(path))
        times = in_turns(
            {
                "import": Way(lambda _: import_map(str(path)), empty_file),
                "bare": Way(lambda _: recorded.run_meshes(), empty_file),
            },
            rounds,
        )
    _print_shares(path.name, times)
    return Result("import / bare mesh build, 1 M tiles", _ratio(times), OVER_BARE_MESHES)


def _against_replay(path: Path, rounds: int) -> float:
    recorded = _import_and_record(str(path))
    times = in_turns(
        {
            "import": Way(lambda _: import_map(str(path)), empty_file),
            "decode": Way(lambda _: decode(formats.read(path)), empty_file),
            "bare": Way(lambda _: recorded.run(), empty_file),
        },
        rounds,
    )
    _print_shares(path.name, times)
    made = ", ".join(f"{count} {kind}" for kind, count in recorded.counts().items() if count)
    print(f"    {made}")
    shares = ", ".join(f"{kind} {seconds * 1e3:.1f}" for kind, seconds in recorded.shares.items() if seconds > 0.0005)
    ready = times["import"].best / (times["decode"].best + times["bare"].best - recorded.shares.get(replay.PNG, 0.0))
    print(f"    bare calls, ms: {shares}; ratio if the PNGs were ready made, too: {ready:.2f}")
    return _ratio(times)


def _import_and_record(path: str) -> replay.Replay:
    empty_file()
    import_map(path)
    return replay.record()


def _ratio(times: dict[str, Times]) -> float:
    """Median over the rounds of import / the sum of the rest: each round's ways met the same state of the machine."""
    rest = [t.rounds for way, t in times.items() if way != "import"]
    return statistics.median(ours / sum(floor) for ours, *floor in zip(times["import"].rounds, *rest, strict=True))


def _print_shares(name: str, times: dict[str, Times]) -> None:
    shares = ", ".join(f"{way} {t.best * 1e3:.1f} (median {t.median * 1e3:.1f})" for way, t in times.items())
    print(f"  {name:<34} ms: {shares}; ratio {_ratio(times):.2f}")
