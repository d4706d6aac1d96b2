# SPDX-License-Identifier: GPL-3.0-or-later
"""A window of another program that files are dragged from, as from a file manager's.

    python3 file_window.py X Y FILE...

It lies at X, Y on the screen and says "ready" when it is there. What it drags is told to the window under the mouse as
all programs do it: by XDND, version 5 (https://freedesktop.org/wiki/Specifications/XDND). When the button is up again
it says what became of the files, and ends: "taken", "refused" (by the window under the mouse) or "nowhere" (none was
there that takes files). It runs beside Blender, with python3-xlib.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.protocol import event

VERSION = 5
"""Of the protocol."""
WIDTH, LINE = 240, 18
"""Of the window, and of a file's name in it: pixels."""


class FileWindow:
    """The window, and what is dragged from it. Windows and events are python-xlib's, which has no types."""

    def __init__(self, display: Display, x: int, y: int, files: list[Path]) -> None:
        self.display = display
        self.files = files
        self.root: Any = display.screen().root
        self.window: Any = self.root.create_window(
            *(x, y, WIDTH, LINE * (len(files) + 1), 1, X.CopyFromParent),
            background_pixel=0xEEEEEE,
            override_redirect=True,  # no manager places it
            event_mask=X.ExposureMask | X.ButtonPressMask | X.ButtonReleaseMask | X.Button1MotionMask,
        )
        self.target: Any = None
        """The window under the mouse that takes files."""
        self.is_taking = False
        """Whether that said that it takes them at this place."""
        self.is_asked = False
        """Whether that has yet to answer."""
        self.at = self.told = (0, 0)
        """Where the mouse is, and where that was told that it is."""
        self.time = X.CurrentTime
        """Of the last event."""
        self.is_let_go = False

    def atom(self, name: str) -> int:
        """Return the number of a name."""
        number: int = self.display.intern_atom(name)
        return number

    def run(self) -> str:
        """Show the window, and follow the mouse until the files have been dropped; returns what became of them."""
        self.window.map()
        answers = {
            X.Expose: self._draw,
            X.ButtonPress: self._begin,
            X.MotionNotify: self._move,
            X.ButtonRelease: self._let_go,
            X.SelectionRequest: self._hand_over,
        }
        while True:
            happened = self.display.next_event()
            if happened.type in answers:
                answers[happened.type](happened)
            elif happened.type == X.ClientMessage and happened.client_type == self.atom("XdndStatus"):
                self.is_asked, self.is_taking = False, bool(happened.data[1][1] & 1)
                self._ask()
            elif happened.type == X.ClientMessage and happened.client_type == self.atom("XdndFinished"):
                return "taken"  # Blender leaves the mark away that says whether it had a use for them
            if self.is_let_go and not self.is_asked and (said := self._end()):
                return said

    def _draw(self, _happened: Any) -> None:
        """Show the names, and say that the window is there."""
        pen = self.window.create_gc(foreground=0, font=self.display.open_font("fixed"))
        for number, file in enumerate(self.files, 1):
            self.window.draw_text(pen, 10, LINE * number, file.name.encode("ascii", "replace"))
        self.display.flush()
        print("ready", flush=True)

    def _begin(self, happened: Any) -> None:
        self.window.set_selection_owner(self.atom("XdndSelection"), happened.time)

    def _move(self, happened: Any) -> None:
        """Tell the window under the mouse where this is."""
        self.at, self.time = (happened.root_x, happened.root_y), happened.time
        under = self._under_mouse()
        if under != self.target:
            self._tell("XdndLeave")
            self.target, self.is_taking, self.is_asked, self.told = under, False, False, (0, 0)
            self._tell("XdndEnter", VERSION << 24, self.atom("text/uri-list"))
        self._ask()

    def _ask(self) -> None:
        """Ask that window whether it takes files here, unless it knows, or has yet to answer for another place."""
        if self.target is not None and not self.is_asked and self.told != self.at:
            x, y = self.told = self.at
            self._tell("XdndPosition", 0, x << 16 | y, self.time, self.atom("XdndActionCopy"))
            self.is_asked = True

    def _let_go(self, happened: Any) -> None:
        self._move(happened)
        self.is_let_go = True

    def _end(self) -> str:
        """Drop the files where they are taken; returns what became of them, "" while that isn't known."""
        self.is_let_go = False
        if self.target is not None and self.is_taking:
            self._tell("XdndDrop", 0, self.time)
            return ""
        self._tell("XdndLeave")
        self.display.flush()
        return "nowhere" if self.target is None else "refused"

    def _under_mouse(self) -> Any:
        """Return the window under the mouse that takes files; None where there is none."""
        window = self.root
        while (window := window.query_pointer().child) != X.NONE and window != self.window:
            if window.get_full_property(self.atom("XdndAware"), Xatom.ATOM) is not None:
                return window
        return None

    def _tell(self, what: str, *values: int) -> None:
        """Send a message of the protocol: its first value is always the sender's window."""
        if self.target is not None:
            data = [self.window.id, *values, 0, 0, 0, 0][:5]
            message = event.ClientMessage(window=self.target, client_type=self.atom(what), data=(32, data))
            self.target.send_event(message)

    def _hand_over(self, happened: Any) -> None:
        """Give the files' addresses to who asks for them; nothing to who asks for another form."""
        is_known = happened.target == self.atom("text/uri-list")
        if is_known:
            addresses = "".join(f"{file.as_uri()}\r\n" for file in self.files)
            happened.requestor.change_property(happened.property, happened.target, 8, addresses.encode("ascii"))
        answer = event.SelectionNotify(
            time=happened.time,
            requestor=happened.requestor,
            selection=happened.selection,
            target=happened.target,
            property=happened.property if is_known else X.NONE,
        )
        happened.requestor.send_event(answer)


def main(arguments: list[str]) -> None:
    """Run the command."""
    x, y, *names = arguments
    display = Display()
    print(FileWindow(display, int(x), int(y), [Path(name).absolute() for name in names]).run(), flush=True)
    display.close()


if __name__ == "__main__":
    main(sys.argv[1:])
