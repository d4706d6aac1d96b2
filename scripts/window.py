# SPDX-License-Identifier: GPL-3.0-or-later
"""A window of a real Blender on a screen that nobody sees: real keys, a real mouse, and pictures of what is shown.

Blender runs in a system of its own (tests/tools/real-blender), with the extension of this repository. Keys and clicks go
through the X server, as a person's do; `python` looks into the session, and sets up what a walk begins with.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parent.parent
TOOLS = {"Xvfb": "xvfb", "xdotool": "xdotool", "import": "imagemagick"}
"""Programs that the system needs besides Blender, and Debian's packages of them."""
WIDTH, HEIGHT = 1600, 900
PATIENCE = 240.0
"""Seconds until something that was asked for has happened: drawing is done by the processor here."""
PAUSE = 0.4
"""Seconds after an event, for Blender to see it."""

LISTENER = '''
import contextlib, io, os, traceback
import bpy

def listen():
    if os.path.exists("asked.py"):
        with open("asked.py", encoding="utf-8") as file:
            code = file.read()
        os.remove("asked.py")
        said = io.StringIO()
        window = bpy.context.window_manager.windows[0]
        area = next((one for one in window.screen.areas if one.type == "VIEW_3D"), None)
        shown = {"window": window}
        if area:
            shown |= {"area": area, "region": next(one for one in area.regions if one.type == "WINDOW")}
        try:
            with contextlib.redirect_stdout(said), bpy.context.temp_override(**shown):
                exec(compile(code, "asked.py", "exec"), {"bpy": bpy, "area": area, "window": window})
        except BaseException:
            said.write("FAILED " + traceback.format_exc())
        with open("answer.tmp", "w", encoding="utf-8") as file:
            file.write(said.getvalue())
        os.rename("answer.tmp", "answer.txt")
    return 0.1

bpy.app.timers.register(listen, persistent=True)
'''


class WindowError(Exception):
    """Something that a walk asked for did not happen."""


class Window:
    """A Blender with a window; `with Window(system, out) as window:` starts and ends it."""

    def __init__(self, system: Path, out: Path, display: int = 90, size: tuple[int, int] = (WIDTH, HEIGHT)) -> None:
        self.system = system
        self.out = out
        self.size = size
        self.display = f":{display}"
        self.home = system / "home" / f"walk{display}"
        self._running: list[subprocess.Popen[bytes]] = []
        self._mounted: list[Path] = []

    # ------------------------------------------------------------------------------------------------ begin and end

    def __enter__(self) -> Self:
        try:
            self._prepare()
            self._start("Xvfb", self.display, "-screen", "0", f"{self.size[0]}x{self.size[1]}x24", "+extension", "GLX")
            time.sleep(2)
            geometry = ["--window-geometry", "0", "0", *map(str, self.size)]
            enabled = ["--addons", "bl_ext.user_default.levelwright"]
            self._start("blender", "--gpu-backend", "opengl", *geometry, *enabled, "--python", "listener.py")
            self.python("bpy.context.preferences.view.show_splash = False")
            self.python("bpy.context.preferences.view.show_tooltips = False")
            self.key("Escape")
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _prepare(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        extensions = self.home / "user" / "extensions" / "user_default"
        extensions.mkdir(parents=True)
        (self.home / "listener.py").write_text(LISTENER, encoding="utf-8")
        lacking = [package for tool, package in TOOLS.items() if not (self.system / "usr/bin" / tool).exists()]
        if lacking:
            self._inside("apt-get", "install", "-y", "-q", "--no-install-recommends", *lacking)
        for name in ("proc", "dev"):
            place = self.system / name
            if not any(place.iterdir()):
                kind = ["-t", "proc", "proc"] if name == "proc" else ["--bind", "/dev"]
                subprocess.run(["mount", *kind, place], check=True)
                self._mounted.append(place)
        self.copy(ROOT, extensions / "levelwright")

    def copy(self, source: Path, target: Path) -> None:
        """Copy what git knows of a folder of the repository."""
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "__init__.py", "addon", "formats", "blender_manifest.toml"],
            cwd=source,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in listed.stdout.splitlines():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, target / name)

    def put(self, file: Path) -> str:
        """Copy a file, with those of the same name beside it, into Blender's home; returns its path there."""
        for each in file.parent.glob(f"{file.stem}.*"):
            if each.is_file() and each.suffix != ".py":
                shutil.copy(each, self.home / each.name)
        return f"/{(self.home / file.name).relative_to(self.system)}"

    def _environment(self) -> list[str]:
        inside = f"/{self.home.relative_to(self.system)}"
        return [
            *("env", "-i", "LANG=C.UTF-8", "PATH=/usr/bin:/bin", f"HOME={inside}", f"DISPLAY={self.display}"),
            *(f"BLENDER_USER_RESOURCES={inside}/user", "LIBGL_ALWAYS_SOFTWARE=1"),
            *("sh", "-c", 'cd "$HOME" && exec "$@"', "sh"),
        ]

    def _start(self, *command: str) -> None:
        log = (self.home / f"{command[0]}.log").open("wb")
        program = ["chroot", str(self.system), *self._environment(), *command]
        self._running.append(subprocess.Popen(program, stdout=log, stderr=log, start_new_session=True))

    def _inside(self, *command: str) -> str:
        program = ["chroot", str(self.system), *self._environment(), *command]
        done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=PATIENCE)
        if done.returncode:
            raise WindowError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def _end(self) -> None:
        for process in reversed(self._running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
        for place in reversed(self._mounted):
            subprocess.run(["umount", place], check=False)

    # ------------------------------------------------------------------------------------------------------- events

    def key(self, *keys: str) -> None:
        """Press keys one after another, as xdotool names them: "ctrl+z", "Return", "n"."""
        for one in keys:
            self._inside("xdotool", "key", one)
            time.sleep(PAUSE)

    def type(self, text: str) -> None:
        """Type a text."""
        self._inside("xdotool", "type", "--delay", "40", text)
        time.sleep(PAUSE)

    def move(self, x: int, y: int) -> None:
        """Move the mouse: pixels from the upper left corner."""
        self._inside("xdotool", "mousemove", str(x), str(y))
        time.sleep(PAUSE)

    def click(self, x: int, y: int, button: int = 1) -> None:
        """Click there."""
        self.move(x, y)
        self._inside("xdotool", "click", str(button))
        time.sleep(PAUSE)

    def drag(self, places: Sequence[tuple[int, int]], button: int = 1) -> None:
        """Hold a button from the first place over the others."""
        self.move(*places[0])
        self._inside("xdotool", "mousedown", str(button))
        for place in places[1:]:
            self.move(*place)
        self._inside("xdotool", "mouseup", str(button))
        time.sleep(PAUSE)

    def search(self, words: str) -> None:
        """Start an operator as F3 does: the mouse has to be over the editor that it works in."""
        self.key("F3")
        self.type(words)
        time.sleep(1)
        self.key("Return")

    # ------------------------------------------------------------------------------------------------------ looking

    def python(self, code: str) -> str:
        """Run Python in the session, with `bpy`, `area` and `window`, and return what it prints. Raises WindowError."""
        answer = self.home / "answer.txt"
        answer.unlink(missing_ok=True)
        (self.home / "asked.tmp").write_text(code, encoding="utf-8")
        (self.home / "asked.tmp").rename(self.home / "asked.py")
        for _ in self._waiting():
            if answer.exists():
                said = answer.read_text(encoding="utf-8")
                if said.startswith("FAILED "):
                    raise WindowError(said)
                return said
        raise WindowError(f"no answer to: {code}")

    def until(self, expression: str) -> None:
        """Wait until an expression is true in the session. Raises WindowError when it never is."""
        for _ in self._waiting():
            if self.python(f"print(bool({expression}))").strip() == "True":
                return
        raise WindowError(f"this never came true: {expression}")

    def shot(self, name: str) -> Path:
        """Take a picture of the whole screen, once it stays as it is: OUT/<name>.png."""
        inside = f"/{self.home.relative_to(self.system)}"
        before = b""
        for _ in self._waiting(20):
            self._inside("import", "-window", "root", f"{inside}/shot.png")
            now = (self.home / "shot.png").read_bytes()
            if now == before:
                break
            before = now
            time.sleep(0.5)
        self.out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(self.home / "shot.png", self.out / f"{name}.png"))

    def _waiting(self, seconds: float = PATIENCE) -> Iterator[None]:
        """Go on as long as the time isn't over and Blender runs."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._running and self._running[-1].poll() is not None:
                log = (self.home / "blender.log").read_text(encoding="utf-8", errors="replace")
                raise WindowError(f"Blender ended: {log[-2000:]}")
            yield
            time.sleep(0.1)
