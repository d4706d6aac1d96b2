# SPDX-License-Identifier: GPL-3.0-or-later
"""The Windows clipboard, by the system's own functions: Blender's holds only text (ns2.md §5).

The Spark editor is a Qt program: its format is registered under the name of its MIME type, and its bytes are in a block
of global memory as they are. The block's size may be rounded up: readers ignore what is behind the last chunk.
"""

from __future__ import annotations

import ctypes
import sys
import time
from typing import Any

GMEM_MOVEABLE = 0x0002
ATTEMPTS, PAUSE = 10, 0.02
"""Other programs hold the clipboard for moments: how often it is asked for, and how long is waited, seconds."""


def available() -> bool:
    """Say whether there is a Windows clipboard."""
    return sys.platform == "win32"


class WindowsClipboard:
    """One format on the clipboard. Raises OSError for what Windows refuses.

    user32, kernel32: the system's libraries; others for tests.
    """

    def __init__(self, name: str, user32: Any = None, kernel32: Any = None) -> None:
        loader: Any = ctypes  # has WinDLL on Windows only
        self._user32 = user32 or loader.WinDLL("user32", use_last_error=True)
        self._kernel32 = kernel32 or loader.WinDLL("kernel32", use_last_error=True)
        handle, number = ctypes.c_void_p, ctypes.c_uint
        for function, result, arguments in (
            (self._user32.RegisterClipboardFormatW, number, [ctypes.c_wchar_p]),
            (self._user32.OpenClipboard, ctypes.c_int, [handle]),
            (self._user32.CloseClipboard, ctypes.c_int, []),
            (self._user32.EmptyClipboard, ctypes.c_int, []),
            (self._user32.GetClipboardData, handle, [number]),
            (self._user32.SetClipboardData, handle, [number, handle]),
            (self._kernel32.GlobalAlloc, handle, [number, ctypes.c_size_t]),
            (self._kernel32.GlobalFree, handle, [handle]),
            (self._kernel32.GlobalLock, handle, [handle]),
            (self._kernel32.GlobalUnlock, ctypes.c_int, [handle]),
            (self._kernel32.GlobalSize, ctypes.c_size_t, [handle]),
        ):
            function.restype, function.argtypes = result, arguments
        self._format = self._user32.RegisterClipboardFormatW(name)
        if not self._format:
            raise OSError(f"Windows doesn't know the clipboard format {name!r}")

    def get(self) -> bytes | None:
        """What is on the clipboard in this format, perhaps with bytes behind it; None if there is nothing."""
        self._open()
        try:
            block = self._user32.GetClipboardData(self._format)
            if not block:
                return None
            size = self._kernel32.GlobalSize(block)
            place = self._lock(block)
            try:
                return ctypes.string_at(place, size)
            finally:
                self._kernel32.GlobalUnlock(block)
        finally:
            self._user32.CloseClipboard()

    def put(self, data: bytes) -> None:
        """Put bytes on the clipboard, instead of what was there."""
        block = self._kernel32.GlobalAlloc(GMEM_MOVEABLE, max(len(data), 1))
        if not block:
            raise OSError(f"Windows has no memory for {len(data)} bytes on the clipboard")
        try:
            ctypes.memmove(self._lock(block), data, len(data))
            self._kernel32.GlobalUnlock(block)
            self._open()
            try:
                self._user32.EmptyClipboard()
                if not self._user32.SetClipboardData(self._format, block):
                    raise OSError("Windows refuses what was to be put on the clipboard")
                block = None  # it is the system's now
            finally:
                self._user32.CloseClipboard()
        finally:
            if block:
                self._kernel32.GlobalFree(block)

    def _open(self) -> None:
        for _ in range(ATTEMPTS):
            if self._user32.OpenClipboard(None):
                return
            time.sleep(PAUSE)
        raise OSError("another program keeps the clipboard")

    def _lock(self, block: Any) -> Any:
        place = self._kernel32.GlobalLock(block)
        if not place:
            raise OSError("the clipboard's memory can't be read")
        return place
