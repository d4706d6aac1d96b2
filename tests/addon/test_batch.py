# SPDX-License-Identifier: GPL-3.0-or-later
"""Many files into many others: what becomes what, and that one file never stops the rest."""

import asyncio
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from levelwright.addon import batch, commands
from levelwright.addon.scene.fields.options import UsageError

import formats
from formats import FormatError
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "samples"
CORPUS = ROOT.parent / "shared" / "corpus"

FAKE = """
import json, os, sys, time
print("a banner of Blender", flush=True)
for line in sys.stdin:
    name = os.path.basename(json.loads(line)["source"])
    if name.startswith("crash"):
        sys.stderr.write("the last words\\n")
        sys.stderr.flush()
        os._exit(11)
    if name.startswith("hang"):
        time.sleep(3600)
    print(json.dumps({"status": "written", "process": os.getpid()}), flush=True)
"""


def files(folder: Path, *names: str) -> list[Path]:
    """Make empty files."""
    made = [folder / name for name in names]
    for file in made:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return made


def test_folders_keep_their_places_and_other_files_are_left_out(tmp_path: Path) -> None:
    files(tmp_path, "in/a.map", "in/deep/b.bsp", "in/deep/c.blend", "in/readme.txt", "in/d.TNG")
    out = tmp_path / "out"
    flat = batch.plan([tmp_path / "in"], out, ".glb", False)
    assert [job.target for job in flat] == [out / "a.glb"]
    deep = batch.plan([tmp_path / "in"], out, ".glb", True)
    assert {job.target for job in deep} == {out / "a.glb", out / "deep" / "b.glb", out / "deep" / "c.glb"}
    blends = batch.plan([tmp_path / "in"], out, ".blend", True)
    assert {job.source.name for job in blends} == {"a.map", "b.bsp"}, "a .blend is no input for .blend files"


def test_those_that_would_become_the_same_file_keep_their_endings(tmp_path: Path) -> None:
    one, two, three = files(tmp_path, "a.map", "A.3dt", "b.lev")
    jobs = batch.plan([one, two, three], tmp_path / "out", ".blend", False)
    assert [job.target.name for job in jobs] == ["a.map.blend", "A.3dt.blend", "b.blend"]
    twice = [one, tmp_path / "in" / ".." / "a.map", tmp_path]
    (tmp_path / "in").mkdir()
    assert [job.source.name for job in batch.plan(twice, tmp_path / "out", ".glb", False)] == [
        "a.map",
        "A.3dt",
        "b.lev",
    ]
    same = [tmp_path / "x" / "a.map", tmp_path / "y" / "a.map"]
    files(tmp_path, "x/a.map", "y/a.map")
    with pytest.raises(UsageError, match="several of the files"):
        batch.plan(same, tmp_path / "out", ".blend", False)


def test_nothing_is_made_of_nothing_or_over_itself(tmp_path: Path) -> None:
    (file,) = files(tmp_path, "in/a.map")
    with pytest.raises(UsageError, match="replaced by what is made of it"):
        batch.plan([file], file.parent, ".map", False)
    with pytest.raises(UsageError, match="no such file"):
        batch.plan([tmp_path / "nothing"], tmp_path, ".map", False)
    with pytest.raises(UsageError, match="--recursive"):
        batch.plan([tmp_path], tmp_path / "out", ".map", False)


def test_what_was_made_in_a_folder_is_no_input(tmp_path: Path) -> None:
    files(tmp_path, "a.map", "out/a.blend")
    jobs = batch.plan([tmp_path], tmp_path / "out", ".glb", True)
    assert [job.source.name for job in jobs] == ["a.map"]


def test_a_file_is_up_to_date_as_long_as_no_part_of_its_level_is_newer(tmp_path: Path) -> None:
    level, things, made = files(tmp_path, "a.lev", "a.tng", "out/a.blend")
    job = batch.Job(level, made)
    for file, seconds in ((level, 10), (things, 10), (made, 20)):
        os.utime(file, (seconds, seconds))
    assert job.is_current
    os.utime(things, (30, 30))
    assert not job.is_current
    made.unlink()
    assert not job.is_current


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are no Blender."""
    monkeypatch.setattr(batch, "command", lambda *_: [sys.executable, "-c", FAKE])


@pytest.mark.usefixtures("fake")
def test_ctrl_c_keeps_what_is_done_and_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "SECONDS_TO_END", 0.1)
    jobs = [batch.Job(file, tmp_path / "out") for file in files(tmp_path, "a.map", "hang1.map", "hang2.map", "b.map")]
    started: list[int] = []  # other tests may have left processes, too

    class Recorded(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self.pid)

    monkeypatch.setattr(subprocess, "Popen", Recorded)

    def interrupted(_: batch.Outcome) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    outcomes = batch.run(jobs, 2, batch.Request(options={}, seconds=PATIENCE), interrupted)
    assert [outcome["status"] for outcome in outcomes] == ["written", "stopped", "stopped", "stopped"]
    assert len(started) == 2
    for process in started:
        with pytest.raises(ChildProcessError):
            os.waitpid(process, os.WNOHANG)


def run(tmp_path: Path, names: list[str], processes: int = 1, seconds: float = PATIENCE) -> list[batch.Outcome]:
    """Run a batch over empty files."""
    jobs = [batch.Job(file, tmp_path / "out" / file.name) for file in files(tmp_path, *names)]
    told: list[batch.Outcome] = []
    outcomes = batch.run(jobs, processes, batch.Request(options={}, seconds=seconds), told.append)
    assert sorted(map(str, told)) == sorted(map(str, outcomes)), "each is told once"
    assert [outcome["source"] for outcome in outcomes] == [str(job.source) for job in jobs], "in order"
    return outcomes


@pytest.mark.usefixtures("fake")
def test_a_process_that_ends_takes_only_its_file_along(tmp_path: Path) -> None:
    outcomes = run(tmp_path, ["a.map", "crash.map", "b.map"])
    assert [outcome["status"] for outcome in outcomes] == ["written", "failed", "written"]
    assert "exit code 11" in str(outcomes[1]["error"])
    assert "the last words" in str(outcomes[1]["error"])
    assert outcomes[0]["process"] != outcomes[2]["process"]


@pytest.mark.usefixtures("fake")
def test_a_process_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first wait ends in time; what comes after it may take long where others work beside it."""
    wait, seconds = asyncio.wait_for, chain([0.5], repeat(PATIENCE))
    monkeypatch.setattr(batch.asyncio, "wait_for", lambda answer, _: wait(answer, next(seconds)))
    outcomes = run(tmp_path, ["hang.map", "b.map"], seconds=0.5)
    assert [outcome["status"] for outcome in outcomes] == ["failed", "written"]
    assert outcomes[0]["error"] == "it took more than 0.5 seconds"


@pytest.mark.usefixtures("fake")
def test_a_process_makes_many_files_but_not_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "FILES_A_PROCESS", 3)
    outcomes = run(tmp_path, [f"{number}.map" for number in range(7)])
    processes = [outcome["process"] for outcome in outcomes]
    assert len(set(processes)) == 3
    assert processes[0] == processes[2] != processes[3]


def test_samples_and_broken_files_in_real_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out, told = tmp_path / "in", tmp_path / "out", tmp_path / "report.json"
    source.mkdir()
    names = ["ns2_room.level", "source_room.bsp", "fable_vale.lev", "fable_vale.tng"]
    for name in names:
        shutil.copy(SAMPLES / name, source)
    (source / "broken.bsp").write_bytes((SAMPLES / "source_room.bsp").read_bytes()[:999])
    (source / "empty.level").touch()
    command = ["convert", str(source), "--to", ".blend", "--out", str(out), "--jobs", "2", "--report", str(told)]
    assert commands.main([*command, "--option", "lightmaps=none"]) == 1
    lines = told.read_text("utf-8").splitlines()
    outcomes = {Path(each["source"]).name: each for each in json.loads(told.read_text("utf-8"))}
    assert len(lines) == len(outcomes) + 2, "a line a file"
    assert {name: each["status"] for name, each in outcomes.items()} == {
        "ns2_room.level": "written",
        "source_room.bsp": "written",
        "fable_vale.lev": "written",
        "broken.bsp": "failed",
        "empty.level": "failed",
    }
    level = outcomes["source_room.bsp"]
    assert level["counts"]["faces"] == 27
    assert level["seconds"] > 0
    assert level["missing"]
    for which in ("source", "target"):
        assert level[f"{which}_sha256"] == hashlib.sha256(Path(level[which]).read_bytes()).hexdigest()
    assert level["bytes"] == Path(level["target"]).stat().st_size
    said = capsys.readouterr().err
    assert "3 written, 0 up to date, 2 failed" in said
    assert f"failed {source / 'broken.bsp'}: " in said

    for file in ("broken.bsp", "empty.level"):
        (source / file).unlink()
    before = {file: file.stat().st_mtime_ns for file in out.iterdir()}
    assert commands.main(command) == 0
    assert "0 written, 3 up to date, 0 failed" in capsys.readouterr().err
    assert {file: file.stat().st_mtime_ns for file in out.iterdir()} == before
    assert commands.main([*command, "--force", "--strict", "--jobs", "1"]) == 1, "things are missing"
    strict = {Path(each["source"]).name: each for each in json.loads(told.read_text("utf-8"))}
    assert "strict: nothing is written, because of a warning" in strict["source_room.bsp"]["error"]
    assert strict["fable_vale.lev"]["status"] == "written"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["a.map", "b.map"], "no such file"),
        (["SAMPLES", "OUT", "--to", ".blend"], "where to? --out DIR"),
        (["SAMPLES", "--out", "OUT"], "what do they become"),
        (["SAMPLES", "--to", ".obj", "--out", "OUT"], "nothing that can be written"),
        (["SAMPLES", "--to", ".glb", "--out", "OUT", "--level", "one"], "only of one file"),
        (["SAMPLES", "--to", ".glb", "--out", "OUT", "--option", "colour=red"], "no option colour"),
        (["SAMPLES/first-light.map", "x.blend", "--force"], "only with --out"),
        (["SAMPLES/first-light.map", "x.blend", "--jobs", "2"], "--jobs: only with --out"),
        (["SAMPLES", "--to", ".glb", "--out", "SAMPLES/first-light.map"], "is no folder"),
        (["SAMPLES", "--to", ".glb", "--out", "OUT", "--jobs", "-2"], "isn't a number of processes"),
        (["SAMPLES", "--to", ".glb", "--out", "OUT", "--timeout", "0"], "isn't a number of seconds"),
        (["SAMPLES", "--to", ".glb", "--out", "OUT", "--report", "nowhere/x.json"], "its folder does not exist"),
        (
            ["SAMPLES/first-light.map", "--to", "glb", "--out", "OUT", "--report", "OUT/first-light.glb"],
            "would replace",
        ),
    ],
)
def test_what_makes_no_sense_is_said(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [word.replace("SAMPLES", str(SAMPLES)).replace("OUT", str(tmp_path / "out")) for word in words]
    assert commands.main(["convert", *given]) == 2
    assert complaint in capsys.readouterr().err


def test_one_file_has_a_report_too(tmp_path: Path) -> None:
    told = tmp_path / "report.json"
    words = [str(SAMPLES / "ns2_room.level"), str(tmp_path / "out.level"), "--report", str(told)]
    assert commands.main(["convert", *words]) == 0
    (outcome,) = json.loads(told.read_text("utf-8"))
    assert outcome["source_sha256"] == outcome["target_sha256"]
    assert commands.main(["convert", *words, "--strict"]) == 1
    (outcome,) = json.loads(told.read_text("utf-8"))
    assert outcome["status"] == "failed"


def readable(files: list[Path], most: int) -> list[Path]:
    """The first of the files that are whole: the corpus has damaged ones, too."""
    found: list[Path] = []
    for file in files:
        if len(found) < most:
            with suppress(FormatError):
                level = formats.read(file.read_bytes())
                if not any(problem.severity == "error" for problem in formats.check(level)):
                    found.append(file)
    return found


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the real levels are not here")
def test_an_archive_of_real_levels_and_a_few_broken_ones(tmp_path: Path) -> None:
    found = [
        file
        for folder, ending, most in (("teeworlds", "map", 70), ("genesis", "map", 15), ("genesis", "3dt", 5))
        for file in readable(sorted((CORPUS / folder).rglob(f"*.{ending}"), key=lambda each: each.stat().st_size), most)
    ]
    found += readable(sorted((CORPUS / "ns2").rglob("*.level"), key=lambda each: each.stat().st_size), 35)
    found += readable(sorted((CORPUS / "bsp").rglob("*.bsp")), 20) + readable(
        sorted((CORPUS / "lev").rglob("*.lev")), 9
    )
    good, broken = tmp_path / "good", tmp_path / "broken"
    good.mkdir()
    broken.mkdir()
    for number, file in enumerate(found):
        os.symlink(file, good / f"{number}{file.suffix}")
    for number, file in enumerate(found[::30][:5]):
        (broken / f"broken{number}{file.suffix}").write_bytes(file.read_bytes()[:200])
    told = tmp_path / "report.json"
    words = ["convert", str(good), str(broken), "--to", ".blend", "--out", str(tmp_path / "out"), "--jobs", "2"]
    assert commands.main([*words, "--report", str(told)]) == 1
    outcomes = json.loads(told.read_text("utf-8"))
    failed = {Path(each["source"]).parent.name: each["error"] for each in outcomes if each["status"] == "failed"}
    assert set(failed) == {"broken"}, failed
    assert sum(each["status"] == "failed" for each in outcomes) == 5
    assert sum(each["status"] == "written" for each in outcomes) == len(found)
