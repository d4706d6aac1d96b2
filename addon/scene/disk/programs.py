# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of a game's that the user lets us start: all of a run end together, at the latest with Blender.

The one module that starts programs: those that the preferences name, or that are installed, and never one that a level
names.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

PATIENCE = 3.0
"""Seconds that a program has to end by itself when it is told to."""
HOST = "127.0.0.1"
"""This computer, as others can't reach it."""


class Programs:
    """Programs that belong together, with a folder that goes when they are stopped."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="levelwright-play-", ignore_cleanup_errors=True)
        self._programs: dict[str, subprocess.Popen[bytes]] = {}
        atexit.register(self.stop)

    @property
    def folder(self) -> Path:
        """Where the programs' files are."""
        return Path(self._folder.name)

    def write(self, name: str, data: bytes) -> Path:
        """Put a file into the folder, and return where it is. name: with folders, which are made."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def start(self, name: str, command: Sequence[str | Path], folder: Path) -> None:
        """Start a program in a folder; what it says goes to `said`. Raises OSError."""
        with self._log(name).open("wb") as log:
            self._programs[name] = subprocess.Popen(  # noqa: S603 - what the user chose or installed
                [str(word) for word in command],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=os.name == "posix",
            )

    def ended(self, name: str) -> int | None:
        """The exit code of a program that ended by itself; None while it runs."""
        return self._programs[name].poll()

    def said(self, name: str, lines: int = 5) -> str:
        """The last lines that a program wrote."""
        text = self._log(name).read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def stop(self) -> None:
        """End all programs, and remove the folder. Does nothing the second time."""
        atexit.unregister(self.stop)
        running = [one for one in self._programs.values() if one.poll() is None]
        for one in running:
            _tell(one, force=False)
        end = time.monotonic() + PATIENCE
        for one in running:
            try:
                one.wait(max(end - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                _tell(one, force=True)
                one.wait()
        self._programs = {}
        self._folder.cleanup()

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"


def _tell(program: subprocess.Popen[bytes], force: bool) -> None:
    """Tell a program to end, with all that it started where the system knows of that."""
    try:
        if os.name == "posix":
            os.killpg(program.pid, signal.SIGKILL if force else signal.SIGTERM)
        elif force:
            program.kill()
        else:
            program.terminate()
    except ProcessLookupError:
        pass  # it just ended


def free_port() -> int:
    """A UDP port of this computer that nobody listens at."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def listens(port: int) -> bool:
    """Say whether somebody listens at a UDP port of this computer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((HOST, port))
        except OSError:
            return True
    return False
