# SPDX-License-Identifier: GPL-3.0-or-later
"""Playing a map: an installed server on the exported map, an installed client on that server, and the end of both."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

import bpy

from ...formats import teeworlds
from ...formats.teeworlds.profiles import is_seven
from ..scene.disk.programs import HOST, Programs, free_port, listens
from ..scene.interface.sidebar import Result, allows, layout_of
from ..scene.interface.stoppable import StoppableTool
from ..scene.names import showable
from ..scene.registering import Both, in_turn
from ..scene.reports import Report, SceneError
from ..scene.work.progress import Steps, progress
from .content import CLIENT, SERVER
from .exporter import export_level
from .settings import ExportSettings
from .structure.map_operator import MapOperator

START = 10.0
"""Seconds that a server has to load a map."""
INTERVAL = 1.0
"""Seconds between looks at whether the players have left."""


@dataclass(frozen=True)
class Edition:
    """An edition of the game: its programs, as they are called where it is installed."""

    title: str
    client: tuple[str, ...]
    server: tuple[str, ...]


DDNET = Edition("DDNet", ("DDNet", "ddnet"), ("DDNet-Server", "ddnet-server"))
SEVEN = Edition("Teeworlds", ("teeworlds",), ("teeworlds_srv", "teeworlds-server"))


def programs(context: bpy.types.Context, seven: bool) -> tuple[Path, Path]:
    """The client and the server to play with. seven: a map of the 0.7 game. Raises SceneError where one isn't there."""
    editions = (SEVEN, DDNET) if seven else (DDNET, SEVEN)
    found = [(CLIENT.program(context, one.client), SERVER.program(context, one.server)) for one in editions]
    for client, server in found:
        if client is not None and server is not None:
            return client, server
    where = "install one, or name it in Edit > Preferences > Add-ons > Levelwright"
    there = next((client for client, _ in found if client is not None), None)
    if there is None:
        raise SceneError(f"to play, a client is needed, and neither DDNet nor Teeworlds was found: {where}")
    names = " or ".join(name for one in editions for name in one.server[:1])
    raise SceneError(f"to play with {there}, a server is needed, and no {names} was found: {where}")


class Playing:
    """What is being played, if anything is."""

    run: Programs | None = None

    @classmethod
    def start(cls, context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> Steps[None]:
        """Export a map to a temporary folder and play it, instead of what is being played.

        Raises SceneError for a map that can't be exported or loaded, and where programs are missing; OSError.
        """
        with progress(1, "exporting"):
            data = yield from export_level.steps(context, level, ExportSettings(), report)
        client, server = programs(context, is_seven(teeworlds.read(data)))
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", level.name)[:60] or "map"
        run = Programs()
        try:
            run.write(f"maps/{name}.map", data)
            # The server has a home of its own, so that the user's settings for servers play no part.
            home = run.write(
                "server/storage.cfg", f"add_path $CURRENTDIR\nadd_path {run.folder}\nadd_path $DATADIR\n".encode()
            )
            port = free_port()
            # DDNet binds an address of IPv4 as one of IPv6, too, unless it is told not to.
            words = [f"sv_map {name}", f"sv_port {port}", f"bindaddr {HOST}", "sv_ipv4only 1", "sv_register 0"]
            run.start("server", [server, *words], home.parent)
            with progress(1, "the server starts"):
                yield from _wait(run, port)
            run.start("client", [client, f"connect {HOST}:{port}"], run.folder)
        except BaseException:
            run.stop()
            raise
        cls.stop()
        cls.run = run
        if not bpy.app.timers.is_registered(_watch):
            bpy.app.timers.register(_watch, first_interval=INTERVAL, persistent=True)

    @classmethod
    def stop(cls) -> bool:
        """End what is being played. Says whether anything was."""
        run, cls.run = cls.run, None
        if run is not None:
            run.stop()
        return run is not None


def _wait(run: Programs, port: int) -> Steps[None]:
    """Wait until the server runs. Raises SceneError with what it said where it doesn't."""
    end = time.monotonic() + START
    while not listens(port):
        if run.ended("server") is not None or time.monotonic() > end:
            raise SceneError(f"the server didn't start: {run.said('server')}")
        time.sleep(0.05)
        yield


def _watch() -> float | None:
    """End the server when the player has left. Blender calls it again after the seconds that it returns."""
    run = Playing.run
    codes = {name: run.ended(name) for name in ("client", "server")} if run is not None else {}
    if run is not None and set(codes.values()) == {None}:
        return INTERVAL
    failed = next((name for name, code in codes.items() if code), None)
    said = f"the {failed} ended with code {codes[failed]}\n{run.said(failed)}" if run is not None and failed else ""
    Playing.stop()
    if said:
        _tell(said)
    return None


def _tell(text: str) -> None:
    """Show in Blender's window what went wrong while nobody asked."""
    manager = bpy.context.window_manager
    if manager is None or bpy.app.background or not manager.windows:
        return

    def draw(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
        for line in text.splitlines():
            layout_of(menu).label(text=showable(line))

    with bpy.context.temp_override(window=manager.windows[0]):
        manager.popup_menu(draw, title=Play.bl_label, icon="ERROR")


class Play(StoppableTool, MapOperator):
    """Export the map to a temporary file and play it: starts an installed server on it, and an installed client"""

    bl_idname = "levelwright.teeworlds_play"
    bl_label = "Play"
    bl_options = set()  # the map stays as it is

    def changing(self, context: bpy.types.Context, level: bpy.types.Collection) -> Steps[None]:
        """Start both."""
        report = Report(level.name)
        yield from Playing.start(context, level, report)
        for warning in report.warnings:
            self.report({"WARNING"}, warning)
        self.report({"INFO"}, f"{level.name} is being played")


class StopPlaying(bpy.types.Operator):
    """End the server and the client that Play started"""

    bl_idname = "levelwright.teeworlds_stop_playing"
    bl_label = "Stop Playing"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Ask for what can be ended."""
        return allows(cls, is_playing(), "Nothing is being played")

    def execute(self, _context: bpy.types.Context) -> Result:
        """End them."""
        return {"FINISHED"} if Playing.stop() else {"CANCELLED"}


def is_playing() -> bool:
    """Say whether a map is being played."""
    return Playing.run is not None


def _end() -> None:
    """End what is being played: Blender ends, or the extension is disabled."""
    if bpy.app.timers.is_registered(_watch):
        bpy.app.timers.unregister(_watch)
    Playing.stop()


CLASSES = (Play, StopPlaying)
register, unregister = in_turn(Both(unregister=_end))
