# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of Source for `scripts/bench source-import`: real ones, a large one, and a map of many props of few models."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import bpy
from levelwright.addon.scene.reports import Report
from levelwright.addon.scene.work.progress import drain
from levelwright.addon.source.props.models import Models
from levelwright.addon.source.settings import ImportSettings

from formats.source.content import mdl
from tests.fuzz.scenes import empty_file
from tests.samples import source_generated

from .imports import Import, against_meshes
from .measure import Result, Way, in_turns

OVER_MESHES, LARGE_SECONDS, MAP_SECONDS, MAP_MEBIBYTES = 1.5, 1.0, 3.0, 200.0
PROPS, MODELS, LARGE, LIT_BYTES = 1000, 50, 30 << 20, 48_000
"""How many props of how many models the generated map has; bytes of the large model, and of models of lit props."""

File = Callable[[str], bytes | None]


def run(corpus: Path, rounds: int) -> list[Result]:
    """Measure the models below a folder, and generated ones. Prints a line a section."""
    return [*_real(corpus, rounds), *_large(rounds), *_many(), *_many(lit=True)]


def _real(corpus: Path, rounds: int) -> list[Result]:
    models = [(path.relative_to(corpus).as_posix().lower(), path) for path in sorted(corpus.rglob("*.mdl"))]
    if not models:
        print(f"\nno real models in {corpus}: they are left out")
        return []
    folders = {path.parent for _, path in models}
    held = {
        other.relative_to(corpus).as_posix().lower(): other.read_bytes() for one in folders for other in one.iterdir()
    }
    print(f"\nmeshes of {len(models)} real models against library decode + the bare build of the same meshes")
    names = [name for name, _ in models]

    def build() -> None:
        blank = bpy.data.materials.new("blank")
        shared = SimpleNamespace(
            content=SimpleNamespace(read=held.get),
            materials=SimpleNamespace(of=lambda _: blank),
            report=Report(),
            settings=ImportSettings(),
        )
        drain(Models(shared).prepare([(name, 0) for name in names]))  # type: ignore[arg-type]

    def decode() -> None:
        for name in names:
            mdl.load(name, held.get)

    ratio = against_meshes(Import("models", build, decode), min(rounds, 5), decode=True, edges=False)
    return [Result("real models / (decode + bare mesh build)", ratio, OVER_MESHES)]


def _large(rounds: int) -> list[Result]:
    files = source_generated.model(LARGE)
    size = sum(map(len, files.values()))
    seconds = in_turns({"read": Way(lambda: mdl.load("a.mdl", lambda name: files.get(name[1:])))}, min(rounds, 5))
    print(f"\nread a generated model of {size / 1e6:.0f} MB: {seconds['read'].best:.2f} s")
    return [Result("read a model of 30 MB", seconds["read"].best, LARGE_SECONDS, "s")]


def _many(lit: bool = False) -> list[Result]:
    """lit: each prop has light of its own, on 1,000 vertices: so many as real ones have."""
    with tempfile.TemporaryDirectory(prefix="levelwright-bench-") as folder:
        path = Path(folder, "props.bsp")
        path.write_bytes(source_generated.props(PROPS, MODELS, *((LIT_BYTES, True) if lit else ())))
        empty_file()
        before, began = _resident(), time.process_time()
        bpy.ops.import_scene.source_bsp(filepath=str(path))
        seconds, grown = time.process_time() - began, (_resident() - before) / 2**20
    objects = [one for one in bpy.data.objects if one.type == "MESH"]
    meshes = {one.data for one in objects}
    what = f"1,000 {'lit ' if lit else ''}props of 50 models"
    print(f"\na map of {what}, {len(meshes):,} meshes: {seconds:.2f} s, {grown:.0f} MiB more")
    if (len(objects), len(meshes)) != (PROPS, PROPS if lit else MODELS):
        raise AssertionError(f"{len(objects)} props of {len(meshes)} meshes: each model is made once")
    return [
        Result(f"import of {what}", seconds, MAP_SECONDS, "s"),
        Result(f"memory that {what} take", grown, MAP_MEBIBYTES, "MiB"),
    ]


def _resident() -> int:
    """Bytes of this process (Linux; elsewhere 0)."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return int(status.split("VmRSS:")[1].split()[0]) * 1024
