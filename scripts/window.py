# SPDX-License-Identifier: GPL-3.0-or-later
"""A window of a real Blender on a screen that nobody sees: real keys, a real mouse, and pictures of what is shown.

Blender runs in a system of its own (tests/tools/real-blender), with the extension of this repository. Keys and clicks
go through the X server, as a person's do; `python` looks into the session, and sets up what a walk begins with.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

from scripts import screen_text

ROOT = Path(__file__).resolve().parent.parent
TOOLS = {
    "bin/Xvfb": "xvfb",
    "bin/xdotool": "xdotool",
    "bin/import": "imagemagick",
    "bin/tesseract": "tesseract-ocr",
    "lib/python3/dist-packages/Xlib": "python3-xlib",
}
"""What the system needs besides Blender, below /usr, and Debian's packages of it."""
COPIED = ("__init__.py", "addon", "formats", "docs", "blender_manifest.toml")
"""What of the repository is the extension."""
FILE_WINDOW = Path(__file__).with_name("file_window.py")
FILES_FROM = (260, 340)
"""Where the window lies that files are dragged from: how far from the screen's right and lower edge, which is over the
properties editor."""
FUNCTION_KEYS = {f"F{number}": str(code) for number, code in enumerate((*range(67, 77), 95, 96), 1)}
"""By their codes: by their names, xdotool holds Alt besides, since with Ctrl and Alt they change consoles."""
WIDTH, HEIGHT = 1600, 900
PATIENCE = 240.0
"""Seconds until something that was asked for has happened: drawing is done by the processor here."""
READING = 60.0
"""Seconds until the screen shows a text that is looked for."""
SETTLING = 8.0
"""Seconds that a picture gets to stay as it is: shaders that are compiled change it for minutes."""
PAUSE = 0.4
"""Seconds after an event, for Blender to see it."""

LISTENER = """
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
"""


class WindowError(Exception):
    """Something that a walk asked for did not happen."""


def lacking(system: Path) -> list[str]:
    """Return Debian's packages that a system lacks. Its links lead to places in it, so they aren't followed."""
    return [package for tool, package in TOOLS.items() if not os.path.lexists(system / "usr" / tool)]


class Window:
    """A Blender with a window; `with Window(system, out) as window:` starts and ends it."""

    def __init__(self, system: Path, out: Path, display: int = 90, size: tuple[int, int] = (WIDTH, HEIGHT)) -> None:
        self.system = system
        self.out = out
        self.size = size
        self.display = f":{display}"
        self.home = system / "home" / f"walk{display}"
        self.inside = f"/home/walk{display}"
        """What Blender calls its home."""
        self._running: list[subprocess.Popen[bytes]] = []
        self._mounted: list[Path] = []
        self.at = (0, 0)
        """Where the mouse is."""

    # ------------------------------------------------------------------------------------------------ begin and end

    def __enter__(self) -> Self:
        try:
            self._prepare()
            self._start("Xvfb", self.display, "-screen", "0", f"{self.size[0]}x{self.size[1]}x24", "+extension", "GLX")
            time.sleep(2)
            self._open()
            self.python("bpy.ops.preferences.addon_enable(module='bl_ext.user_default.levelwright')")
            self.python("bpy.context.preferences.view.show_splash = False")
            self.python("bpy.context.preferences.view.show_tooltips = False")
            self.python("bpy.context.preferences.view.filebrowser_display_type = 'SCREEN'")  # no manager places windows
            self.python("bpy.context.preferences.is_dirty = True")
            self.key("Escape")
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _open(self, *arguments: str) -> None:
        """Start Blender. arguments: of its command line, in front of what makes this session answer."""
        geometry = ["--gpu-backend", "opengl", "--window-geometry", "0", "0", *map(str, self.size)]
        self._start("blender", *geometry, *arguments, "--python", "listener.py")

    def reopen(self, *arguments: str) -> None:
        """Wait until Blender has ended, and start it again with the preferences that it saved."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._running[-1].wait(PATIENCE)
        if self._running.pop().returncode != 0:
            raise WindowError("Blender did not end as it should")
        self._open(*arguments)
        self.python("pass")

    def _prepare(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        extensions = self.home / "user" / "extensions" / "user_default"
        extensions.mkdir(parents=True)
        (self.home / "listener.py").write_text(LISTENER, encoding="utf-8")
        if packages := lacking(self.system):
            self._inside("apt-get", "install", "-y", "-q", "--no-install-recommends", *packages)
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
            ["git", "ls-files", "-co", "--exclude-standard", *COPIED],
            cwd=source,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in listed.stdout.splitlines():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, target / name)

    def put(self, file: Path) -> None:
        """Copy a file, with those of the same name beside it, into Blender's home."""
        for each in file.parent.glob(f"{file.stem}.*"):
            if each.is_file() and each.suffix != ".py":
                shutil.copy(each, self.home / each.name)

    def _environment(self) -> list[str]:
        return [
            *("env", "-i", "LANG=C.UTF-8", "PATH=/usr/bin:/bin", f"HOME={self.inside}", f"DISPLAY={self.display}"),
            *(f"BLENDER_USER_RESOURCES={self.inside}/user", "LIBGL_ALWAYS_SOFTWARE=1"),
            *("sh", "-c", 'cd "$HOME" && exec "$@"', "sh"),
        ]

    def _start(self, *command: str) -> None:
        program = ["chroot", str(self.system), *self._environment(), *command]
        with (self.home / f"{command[0]}.log").open("wb") as log:
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
        """Press keys one after another, as xdotool names them: "ctrl+z", "Return", "n", "F3"."""
        for one in keys:
            self._inside("xdotool", "key", "+".join(FUNCTION_KEYS.get(part, part) for part in one.split("+")))
            time.sleep(PAUSE)

    def type(self, text: str) -> None:
        """Type a text."""
        self._inside("xdotool", "type", "--delay", "40", "--", text)
        time.sleep(PAUSE)

    def move(self, x: int, y: int) -> None:
        """Move the mouse: pixels from the upper left corner."""
        self.at = (x, y)
        self._inside("xdotool", "mousemove", str(x), str(y))
        time.sleep(PAUSE)

    def click(self, x: int, y: int, button: int = 1) -> None:
        """Click there: down and up apart, since a busy Blender misses a button that is up again at once."""
        self.drag([(x, y)], button)

    def drag(self, places: Sequence[tuple[int, int]], button: int = 1) -> None:
        """Hold a button from the first place over the others."""
        self.move(*places[0])
        self._inside("xdotool", "mousedown", str(button))
        for place in places[1:]:
            self.move(*place)
        time.sleep(0.1)
        self._inside("xdotool", "mouseup", str(button))
        time.sleep(PAUSE)

    def drop(self, names: Sequence[str], to: tuple[int, int]) -> str:
        """Drag files of Blender's home from another program's window to a place, and let go.

        Returns what that program was told: "taken", "refused" or "nowhere" (`file_window`).
        """
        shutil.copy(FILE_WINDOW, self.home / FILE_WINDOW.name)
        left, top = (edge - inset for edge, inset in zip(self.size, FILES_FROM, strict=True))
        program = ["chroot", str(self.system), *self._environment(), "python3", FILE_WINDOW.name, str(left), str(top)]
        with subprocess.Popen([*program, *names], stdout=subprocess.PIPE, text=True) as files:
            if files.stdout is None or files.stdout.readline() != "ready\n":
                raise WindowError("no window with files opened")
            self.drag([(left + 20, top + 10), (left, top), to, (to[0] + 3, to[1] + 2)])
            try:
                return files.communicate(timeout=READING)[0].strip()
            except subprocess.TimeoutExpired:
                files.kill()
                raise WindowError(f"{', '.join(names)}: nothing became of what was dropped") from None

    def find(
        self, text: str, near: tuple[int, int] | None = None, within: tuple[int, int, int, int] | None = None
    ) -> screen_text.Place:
        """Read the screen until it shows a text, and return where: the nearest to a place, if several are as good.

        within: x, y, width and height of the part of the screen that is read. Raises WindowError.
        """
        for attempt, _ in enumerate(self._waiting(READING)):
            self._grab()
            area = within or (self._around(near) if near is not None and attempt < 2 else (0, 0, *self.size))
            found = screen_text.find(text, self._words(area))
            best = [place for place in found if place.fits > found[0].fits - 0.04]
            if best:
                return min(best, key=lambda place: math.dist(near, place[:2])) if near is not None else best[0]
        raise WindowError(f"the screen never showed: {text}")

    def gone(self, text: str, area: tuple[int, int, int, int], seconds: float = PATIENCE) -> bool:
        """Wait until a part of the screen (x, y, width, height) doesn't show a text; whether it came to that."""
        for _ in self._waiting(seconds):
            self._grab()
            if not screen_text.find(text, self._words(area)):
                return True
        return False

    def read(self, text: str, area: tuple[int, int, int, int]) -> bool:
        """Return whether the last picture shows a text in a part of it (x, y, width, height)."""
        return bool(screen_text.find(text, self._words(area)))

    def _words(self, area: tuple[int, int, int, int]) -> list[screen_text.Word]:
        table = self._inside("sh", "-c", screen_text.command("shot.png", area))
        return screen_text.words(table, area[:2])

    def _around(self, place: tuple[int, int]) -> tuple[int, int, int, int]:
        """Return the part of the screen where a menu opens from a place: reading less takes less time."""
        left, top = max(0, place[0] - 250), max(0, place[1] - 420)
        return left, top, min(800, self.size[0] - left), min(840, self.size[1] - top)

    def press(self, *texts: str, near: tuple[int, int] | None = None) -> None:
        """Click on what the screen says, one after another, as menus open."""
        for text in texts:
            near = self.find(text, near)[:2]
            self.click(*near)

    def press_tab(self, text: str, area: tuple[int, int, int, int]) -> None:
        """Click on a tab whose text goes down, in a part of the screen. Raises WindowError."""
        for _ in self._waiting(READING):
            self._grab()
            table = self._inside("sh", "-c", screen_text.command("shot.png", area, is_downward=True))
            if found := screen_text.find(text, screen_text.words(table)):
                self.click(*screen_text.downward(found[0], area)[:2])
                return
        raise WindowError(f"the screen never showed a tab: {text}")

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
                if "FAILED Traceback" in said:  # behind what was printed before
                    raise WindowError(said)
                return said
        raise WindowError(f"no answer to: {code}")

    def until(self, expression: str) -> None:
        """Wait until an expression is true in the session. Raises WindowError when it never is."""
        for _ in self._waiting():
            if self.python(f"print(bool({expression}))").strip() == "True":
                return
        raise WindowError(f"this never came true: {expression}")

    def _grab(self) -> None:
        """Take a picture of the whole screen: shot.png in Blender's home."""
        self._inside("import", "-window", "root", "shot.png")

    def shot(self, name: str) -> Path:
        """Take a picture of the whole screen, once it stays as it is: OUT/<name>.png."""
        before = b""
        for _ in range(2):  # answers are given before what has happened is drawn: after the second one, it was
            self.python("pass")
        for _ in self._waiting(SETTLING):
            self._grab()
            now = (self.home / "shot.png").read_bytes()
            if now == before:
                break
            before = now
            time.sleep(0.5)
        return self._kept(name)

    def snap(self, name: str) -> Path:
        """Take a picture of the whole screen as it is just now."""
        self._grab()
        return self._kept(name)

    def refuse_tracebacks(self) -> None:
        """Raise WindowError with what failed in Python so far, as a panel that isn't drawn does."""
        _, _, said = self._log().partition("Traceback (most recent call last)")
        if said:
            raise WindowError(f"it failed in Python: {said[:1000]}")

    def _log(self) -> str:
        return (self.home / "blender.log").read_text(encoding="utf-8", errors="replace")

    def _kept(self, name: str) -> Path:
        self.out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(self.home / "shot.png", self.out / f"{name}.png"))

    def _waiting(self, seconds: float = PATIENCE) -> Iterator[None]:
        """Go on as long as the time isn't over and Blender runs."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._running and self._running[-1].poll() is not None:
                raise WindowError(f"Blender ended: {self._log()[-2000:]}")
            yield
            time.sleep(0.1)
