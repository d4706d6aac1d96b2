# SPDX-License-Identifier: GPL-3.0-or-later
"""Make `.venv` with Blender as a Python module (bpy) and the tools, and print its interpreter.

Run by the scripts in this folder; only the standard library of Python 3.8 or later, because this is what runs before
anything is installed. The second run finds its stamp and is done.

Each bpy wants one exact Python. This looks for one of them (the running Python, PATH, pyenv), then asks apt (as root)
and uv. LEVELWRIGHT_BLENDER=5.2 wants that version of Blender, and puts it into `.venv-5.2`.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parent.parent
# Blender's version -> the Python that its bpy wants. Without LEVELWRIGHT_BLENDER it is one of the first two.
BLENDERS = {"4.5": "3.11", "5.2": "3.13", "4.2": "3.11", "5.0": "3.11"}
USUAL = ("4.5", "5.2")
UV = "uv==0.13.8"
STAMP = "levelwright-requirements"

# Shared libraries that `import bpy` and rendering without a screen need, and Debian's packages of them.
LIBRARIES = {
    "libX11.so.6": "libx11-6",
    "libXrender.so.1": "libxrender1",
    "libXfixes.so.3": "libxfixes3",
    "libXi.so.6": "libxi6",
    "libXxf86vm.so.1": "libxxf86vm1",
    "libXext.so.6": "libxext6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libSM.so.6": "libsm6",
    "libICE.so.6": "libice6",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libEGL_mesa.so.0": "libegl-mesa0",
    "libgomp.so.1": "libgomp1",
}


def say(text: str) -> None:
    """Tell the user what happens; standard output is for the answer only."""
    print("levelwright: " + text, file=sys.stderr, flush=True)


def fail(text: str) -> NoReturn:
    """Say what the user has to do, and stop."""
    say(text)
    sys.exit(1)


def run(*command: str, env: dict[str, str] | None = None) -> None:
    """Run a command with its output on standard error; stops with the command's name when it fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=env, check=False)
    except OSError as error:
        fail(f"cannot run {command[0]}: {error}")
    if done.returncode:
        fail("this failed: " + " ".join(map(shlex.quote, command)))


def answer(*command: str) -> str:
    """Return what a command prints, or "" where it fails or does not exist."""
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True
        ).stdout.strip()
    except OSError:
        return ""


def version(python: str) -> str:
    """Return "3.11" and the like for an interpreter, "" for what is none (pyenv leaves shims that only complain)."""
    return answer(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])")


def can_make_venvs(python: str) -> bool:
    """Tell whether an interpreter has the standard library whole: Debian splits ensurepip off."""
    return bool(answer(python, "-c", "import ensurepip, venv; print(1)"))


def find_python(versions: list[str]) -> str | None:
    """Return an interpreter of one of these versions, if this machine has one."""
    if version(sys.executable) in versions:
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv"))) / "versions"
    for wanted in versions:
        named = ["/usr/bin/python" + wanted, shutil.which("python" + wanted)]
        built = [str(path / "bin" / "python") for path in sorted(pyenv.glob(wanted + ".*"))]
        for python in named + built:
            if python and version(python) == wanted:
                return python
    return None


def missing_packages(python: str | None) -> list[str]:
    """Return the Debian packages to install: libraries that the loader doesn't know, and the venv module."""
    known = {line.split(" ")[0] for line in answer("/sbin/ldconfig", "-p").replace("\t", "").splitlines()}
    packages = [package for library, package in LIBRARIES.items() if library not in known]
    if not any(Path("/usr/lib").glob("*/dri/swrast_dri.so")):
        packages.append("libgl1-mesa-dri")
    if python and not can_make_venvs(python):
        packages.append(f"python{version(python)}-venv")
    return packages


def has_candidate(package: str) -> bool:
    """Tell whether apt could install a package."""
    policy = answer("apt-cache", "policy", package)
    return "Candidate:" in policy and "Candidate: (none)" not in policy


def apt_install(packages: list[str]) -> None:
    """Install Debian packages as root; without root, stop with the line that somebody with root has to run."""
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if os.geteuid():
        line = "sudo " + " ".join(command)
        fail(f"this machine lacks some packages; run this once, then the same command again:\n  {line}")
    say("installing " + " ".join(packages))
    quiet = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    run("apt-get", "update", "-q", env=quiet)
    run(*command, env=quiet)


def fetch_python(versions: list[str]) -> str | None:
    """Get one of these Pythons from apt or, with uv, from its builds; None where neither has one."""
    debian = shutil.which("apt-get") is not None
    if debian and not os.geteuid():
        run("apt-get", "update", "-q")
        for wanted in versions:
            if has_candidate(f"python{wanted}-venv"):
                apt_install(["python" + wanted, f"python{wanted}-venv"])
                return "/usr/bin/python" + wanted
    if debian and not shutil.which("uv") and not can_make_venvs(sys.executable):
        apt_install(missing_packages(sys.executable))
    wanted = versions[0]
    say(f"fetching Python {wanted} with uv")
    with tempfile.TemporaryDirectory() as folder:
        uv = shutil.which("uv")
        if uv is None:
            run(sys.executable, "-m", "venv", folder)
            uv = str(Path(folder) / "bin" / "uv")
            run(str(Path(folder) / "bin" / "python"), "-m", "pip", "install", "-q", UV)
        answer(uv, "python", "install", wanted)
        return answer(uv, "python", "find", "--managed-python", wanted) or None


def create(venv: Path, versions: list[str]) -> None:
    """Make the environment from nothing, with one of these Pythons."""
    python = find_python(versions) or fetch_python(versions)
    if python is None:
        wanted = versions[0]
        fail(
            f"bpy needs exactly Python {' or '.join(versions)}, and there is none here. Install Python {wanted} "
            f"(https://www.python.org/downloads/), so that `python{wanted}` runs; then run the same command again."
        )
    if shutil.which("apt-get"):
        packages = missing_packages(python)
        if packages:
            apt_install(packages)
    say(f"making {venv} with Python {version(python)}")
    run(python, "-m", "venv", "--clear", str(venv))


@contextmanager
def alone(venv: Path) -> Iterator[None]:
    """Keep other processes from making this environment meanwhile; the first one works, the others wait for it."""
    if fcntl is None:
        yield
        return
    with Path(f"{venv}.lock").open("w") as lock:  # the system lets it go when this process ends, however it ends
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another process is making {venv}; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def requirements(blender: str) -> Path:
    """Return the file that lists what an environment for this Blender has in it."""
    return ROOT / "requirements" / f"blender-{blender}.txt"


def digest(blender: str) -> str:
    """Return what the stamp of an environment says when it has all that this Blender's requirements ask for."""
    return hashlib.sha256(requirements(blender).read_bytes()).hexdigest()


def is_ready(venv: Path, blenders: dict[str, str]) -> bool:
    """Tell whether an environment is whole and up to date, also while another process makes it."""
    try:
        stamp = (venv / STAMP).read_text()
    except OSError:
        return False
    blender = blenders.get(version(str(venv / "bin" / "python")))
    return blender is not None and stamp == digest(blender)


def prepare(venv: Path, blenders: dict[str, str]) -> None:
    """Bring an environment up to date. `blenders` has each Python that it may have, and the Blender that wants it."""
    if is_ready(venv, blenders):
        return
    with alone(venv):
        if is_ready(venv, blenders):  # made while this process waited
            return
        python = str(venv / "bin" / "python")
        if not (venv / STAMP).exists() or version(python) not in blenders:
            create(venv, list(blenders))
        blender = blenders[version(python)]
        say("installing Blender as a Python module and the tools (about 1 GB, some minutes)")
        (venv / STAMP).write_text("incomplete")
        command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-compile"]
        run(*command, "-r", str(requirements(blender)))  # what is imported is compiled then: all of it takes 14 s
        run(python, "-c", "import bpy")
        (venv / STAMP).write_text(digest(blender))


def main() -> None:
    """Bring the environment up to date and print its interpreter."""
    wanted = os.environ.get("LEVELWRIGHT_BLENDER", "")
    if wanted and wanted not in BLENDERS:
        fail(f"LEVELWRIGHT_BLENDER={wanted}: it can be {', '.join(BLENDERS)}")
    blenders = {BLENDERS[blender]: blender for blender in ([wanted] if wanted else USUAL)}
    venv = ROOT / (f".venv-{wanted}" if wanted else ".venv")
    prepare(venv, blenders)
    print(venv / "bin" / "python")


if __name__ == "__main__":
    main()
