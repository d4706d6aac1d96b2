# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the README: from any folder, in a clone whose path has spaces, and what they say when they can't."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import environment

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests" / "samples" / "first-light.map"
OURS = Path(sys.prefix, "levelwright-requirements").exists()


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    usual = {key: value for key, value in os.environ.items() if key != "LEVELWRIGHT_BLENDER"}
    return subprocess.run(command, cwd=cwd, env=usual, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not OURS, reason="this environment wasn't made by scripts/test")
def test_both_commands_work_from_elsewhere(clone: Path, tmp_path: Path) -> None:
    done = run(clone / "scripts" / "levelwright", "convert", SAMPLE, "first light.blend", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "first light.blend").stat().st_size > 10_000
    one = ("-q", "-n", "0", "tests/packaging/test_scripts.py", "-k", "starts_with_two")
    tests = run(clone / "scripts" / "test", *one, cwd=tmp_path)
    assert tests.stdout.splitlines()[-1].startswith("1 passed"), tests.stdout + tests.stderr


def test_the_readme_starts_with_two_commands_that_exist() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    commands = [line.split() for line in lines[:8] if line.startswith("    scripts/")]
    assert [words[0] for words in commands] == ["scripts/levelwright", "scripts/test"]
    assert all(os.access(ROOT / words[0], os.X_OK) for words in commands)
    assert (ROOT / commands[0][2]).is_file()


def test_a_blender_that_there_is_not_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LEVELWRIGHT_BLENDER", "3.6")
    with pytest.raises(SystemExit):
        environment.main()
    assert "LEVELWRIGHT_BLENDER=3.6: it can be 4.5, 5.2, 4.2" in capsys.readouterr().err


def test_two_first_runs_at_once_make_one_environment(tmp_path: Path) -> None:
    counted = tmp_path / "made"
    program = f"""
import sys, time
from pathlib import Path
from scripts import environment

def create(venv, versions):
    with open({str(counted)!r}, "a") as file:
        file.write("made ")
    time.sleep(1)
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(sys.executable)

environment.create = create
environment.run = lambda *command: time.sleep(0.2)
environment.version = lambda python: "3.11" if Path(python).exists() else ""
environment.prepare(Path({str(tmp_path / ".venv")!r}), {{"3.11": "4.5"}})
"""
    command = [sys.executable, "-c", program]
    both = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert counted.read_text() == "made "
    assert sum("another process is making" in text for text in said) <= 1
    assert (tmp_path / ".venv" / environment.STAMP).read_text() == environment.digest("4.5")


def test_every_blender_has_pinned_requirements() -> None:
    for blender in environment.BLENDERS:
        lines = (ROOT / "requirements" / f"blender-{blender}.txt").read_text(encoding="utf-8").splitlines()
        pins = [re.split("[;#]", line)[0].rstrip() for line in lines if line and not line.startswith("#")]
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins)
        assert any(pin.startswith(f"bpy=={blender}.") for pin in pins)


def test_without_root_the_missing_packages_are_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = "\tlibX11.so.6 (libc6,x86-64) => /lib/libX11.so.6\n\tlibSM.so.6 (libc6,x86-64) => /lib/libSM.so.6\n"
    monkeypatch.setattr(environment, "answer", lambda *command: cache if "ldconfig" in command[0] else "1")
    monkeypatch.setattr(environment.os, "geteuid", lambda: 1000)
    packages = environment.missing_packages(None)
    assert "libx11-6" not in packages
    assert "libxrender1" in packages
    with pytest.raises(SystemExit):
        environment.apt_install(packages)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.strip().startswith("sudo apt-get install -y --no-install-recommends libxrender1 ")


def test_any_other_python_gets_one_instruction(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(environment, "find_python", lambda _: None)
    monkeypatch.setattr(environment, "fetch_python", lambda _: None)
    with pytest.raises(SystemExit):
        environment.create(tmp_path / ".venv", ["3.11", "3.13"])
    assert "Install Python 3.11 (https://www.python.org/downloads/)" in capsys.readouterr().err


def test_pythons_are_known_by_running_them(tmp_path: Path) -> None:
    assert environment.version(sys.executable) == f"{sys.version_info[0]}.{sys.version_info[1]}"
    shim = tmp_path / "python3.11"
    shim.write_text("#!/bin/sh\necho 'pyenv: python3.11: command not found' >&2\nexit 127\n")
    shim.chmod(0o755)
    assert environment.version(str(shim)) == ""
    assert environment.version(str(tmp_path / "nothing")) == ""


@pytest.mark.parametrize(
    "name", sorted(path.name for path in (ROOT / "scripts").iterdir() if path.is_file() and path.suffix != ".py")
)
def test_the_shell_scripts_parse(name: str) -> None:
    assert run("sh", "-n", ROOT / "scripts" / name, cwd=ROOT).returncode == 0
