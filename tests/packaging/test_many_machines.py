# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/command-line.md says about many machines, run as it stands there: GNU parallel, Slurm, Dask.

Each is skipped where it is not installed; CI installs all three. Slurm runs here as a cluster of this one machine, made
by the test with keys, ports and folders of its own.
"""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[2]
LEVELS = ("first-light.map", "fable_vale.lev", "source_room.bsp")
OURS = Path(sys.prefix, "levelwright-requirements").exists()

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not OURS, reason="this environment wasn't made by scripts/test"),
]


def block(begins: str) -> str:
    """The indented block of the page whose first line begins so."""
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    blocks = [part for part in page.split("\n\n") if part.startswith("    ")]
    at = next(number for number, part in enumerate(blocks) if part.startswith(f"    {begins}"))
    found = [blocks[at]]
    after = page.partition(blocks[at])[2]
    while after.startswith("\n\n    "):  # a blank line inside a program
        part = after[2:].partition("\n\n")[0]
        found.append(part)
        after = after.partition(part)[2]
    return textwrap.dedent("\n\n".join(found)) + "\n"


@pytest.fixture
def archive(clone: Path) -> Path:
    """A clone with an archive of three levels and a broken one in it."""
    (clone / "maps" / "deep").mkdir(parents=True)
    (clone / "scenes").mkdir()
    for name in LEVELS:
        shutil.copy(ROOT / "tests" / "samples" / name, clone / "maps" / "deep" / f"my {name}")
    (clone / "maps" / "broken.bsp").write_bytes(b"VBSP")
    return clone


def run(*command: str, cwd: Path, given: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    usual = {key: value for key, value in os.environ.items() if key != "LEVELWRIGHT_BLENDER"} | variables
    return subprocess.run(
        command, cwd=cwd, env=usual, input=given, capture_output=True, text=True, check=False, timeout=2 * PATIENCE
    )


def scenes_are_made(archive: Path) -> None:
    """Each good level has its scene and its report, the broken one the reason."""
    made = {file.name for file in (archive / "scenes").glob("*.blend")}
    assert made == {f"my {name}.blend" for name in LEVELS}
    reports = {file.name: json.loads(file.read_text(encoding="utf-8")) for file in (archive / "scenes").glob("*.json")}
    said = {name: [one["status"] for one in lines] for name, lines in reports.items()}
    assert said == {f"my {name}.json": ["written"] for name in LEVELS} | {"broken.bsp.json": ["failed"]}


@pytest.mark.skipif(shutil.which("parallel") is None, reason="needs GNU parallel")
def test_gnu_parallel_as_the_page_says(archive: Path) -> None:
    done = run("sh", "-c", block("find maps -type f | parallel"), cwd=archive, HOME=str(archive))
    assert done.returncode == 1, done.stderr  # of one task: the broken level's
    scenes_are_made(archive)


@pytest.mark.skipif(importlib.util.find_spec("dask") is None, reason="needs dask")
def test_a_bag_of_dask_as_the_page_says(archive: Path) -> None:
    (archive / "convert_all.py").write_text(block("import subprocess"), encoding="utf-8")
    done = run(sys.executable, "convert_all.py", cwd=archive)
    assert done.stdout.splitlines()[-1] == "1 failed", done.stdout + done.stderr
    scenes_are_made(archive)


# ---------------------------------------------------------------------------------------------------------------- Slurm

SLURM = """
ClusterName=levelwright
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MailProg=/bin/true
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""
PROGRAMS = ("munged", "mungekey", "slurmctld", "slurmd", "sbatch", "sinfo")


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on."""
    opened = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [one.getsockname()[1] for one in opened]
    finally:
        for one in opened:
            one.close()


@pytest.fixture
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The configuration of a running cluster of one machine."""
    lacking = [name for name in PROGRAMS if shutil.which(name) is None]
    if lacking or os.geteuid():
        pytest.skip(f"needs root, and {', '.join(lacking) or 'nothing else'}")
    folder = Path("/tmp") / f"levelwright-slurm-{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True, mode=0o755)
    names = {"folder": folder, "host": socket.gethostname().partition(".")[0], "ports": free_ports(2)}
    config = folder / "slurm.conf"
    config.write_text(SLURM.format(cores=os.cpu_count(), **names), encoding="utf-8")
    run("mungekey", "--create", "--force", f"--keyfile={folder}/munge.key", cwd=folder)
    files = [
        f"--{what}={folder}/munge.{what.split('-')[0]}"
        for what in ("socket", "key-file", "pid-file", "log-file", "seed-file")
    ]
    commands = [
        ["munged", "--foreground", "--force", *files],
        ["slurmctld", "-D", "-f", str(config)],
        ["slurmd", "-D", "-f", str(config)],
    ]
    running: list[subprocess.Popen[bytes]] = []

    def is_any_gone() -> bool:
        return any(process.poll() is not None for process in running)

    def is_idle() -> bool:
        said = run("sinfo", "--noheader", "--format=%t", cwd=folder, SLURM_CONF=str(config)).stdout
        return said.strip() == "idle"

    with (folder / "said").open("w") as said:
        try:
            for command in commands:
                running.append(
                    subprocess.Popen(command, stdout=said, stderr=said, env=os.environ | {"SLURM_CONF": str(config)})
                )
                if command[0] == "munged":  # the others ask it at once
                    until((folder / "munge.socket").exists, is_any_gone)
            until(is_idle, is_any_gone)
            yield config
        finally:
            for process in reversed(running):
                process.terminate()
                process.wait(PATIENCE)
    shutil.rmtree(folder, ignore_errors=True)


def test_an_array_of_slurm_as_the_page_says(archive: Path, slurm: Path) -> None:
    done = run("sh", "-c", block("find maps -type f > list.txt"), cwd=archive, SLURM_CONF=str(slurm))
    assert "Submitted batch job" in done.stdout, done.stderr
    scenes_are_made(archive)


def test_a_page_that_says_something_else_is_noticed() -> None:
    with pytest.raises(StopIteration):
        block("find elsewhere")
    assert block("import subprocess").count("def convert") == 1
