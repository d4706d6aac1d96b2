# SPDX-License-Identifier: GPL-3.0-or-later
"""Every call by which an export changes files is a point, at which a process can be killed or a call can fail."""

from __future__ import annotations

import os
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any, NoReturn, Self

CALLS = ("open", "write", "fsync", "ftruncate", "replace", "link", "unlink", "chmod", "chown")
"""Functions of `os` that change files, or make changes last."""
HANG = 300.0
"""Seconds after which a child is given up."""


class Points:
    """Within it, `act` is called before each such call, with its number from 0 on, its name and its arguments.

    pieces: in how many parts bytes are written, each a point of its own. What `act` raises is what the call raises.
    """

    def __init__(self, act: Callable[[int, str, tuple[Any, ...]], None], pieces: int = 1) -> None:
        self.count = 0
        """Points that were reached."""
        self._act, self._pieces = act, pieces
        self._real = {name: getattr(os, name) for name in CALLS if hasattr(os, name)}

    def __enter__(self) -> Self:
        for name in self._real:
            setattr(os, name, self._wrapped(name))
        return self

    def __exit__(self, *_: object) -> None:
        for name, real in self._real.items():
            setattr(os, name, real)

    def _wrapped(self, name: str) -> Callable[..., Any]:
        real = self._real[name]

        def reached(*arguments: Any) -> None:
            self.count += 1
            self._act(self.count - 1, name, arguments)

        def call(*arguments: Any, **options: Any) -> Any:
            reached(*arguments)
            return real(*arguments, **options)

        def write(handle: int, data: bytes) -> int:
            size = -(-len(data) // self._pieces)
            for start in range(0, len(data), size):
                reached(handle, data[start : start + size])
                real(handle, data[start : start + size])
            return len(data)

        return write if name == "write" else call


def killed_at(point: int) -> Callable[[int, str, tuple[Any, ...]], None]:
    """Return what ends the process at a point, with nothing cleaned up."""

    def act(number: int, _name: str, _arguments: tuple[Any, ...]) -> None:
        if number == point:
            os.kill(os.getpid(), signal.SIGKILL)

    return act


def failing_at(point: int, code: int, for_ever: bool = False) -> Callable[[int, str, tuple[Any, ...]], None]:
    """Return what lets the call at a point fail with this errno. for_ever: also all later ones that need room."""

    def act(number: int, name: str, arguments: tuple[Any, ...]) -> None:
        if number == point or (for_ever and number > point and name in ("open", "write", "link")):
            path = arguments[0] if name in ("open", "replace", "link", "unlink") else None
            raise OSError(code, os.strerror(code), path if path is None else os.fspath(path))

    return act


def fork(action: Callable[[], object]) -> int:
    """Do something in a copy of this process, which ends after it, and return its id."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the copy doesn't have and doesn't use
        child = os.fork()
    if child == 0:
        _end_with(action)
    return child


def ended(child: int) -> int:
    """Wait for a copy, and return how it ended: 0, 1 after an exception, or minus the signal."""
    end = time.monotonic() + HANG
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise AssertionError(f"it hung for {HANG} s")
        time.sleep(0.001)


def _end_with(action: Callable[[], object]) -> NoReturn:
    status = 1
    try:
        action()
        status = 0
    except (Exception, SystemExit):  # noqa: BLE001  this process ends, and nothing else shows it
        traceback.print_exc()
    finally:
        os._exit(status)
