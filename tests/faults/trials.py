# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong while files are written, and what has to be true after it.

After each of them, every file is the whole old one or the whole new one; after the next import or export all of them
are the old ones or all the new ones, and nothing else of ours lies there; an error names a file that was to be written.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from levelwright.addon.scene.disk import files, journal

from .points import Points, ended, failing_at, fork, killed_at
from .power import Power

NOBODY = 65534
"""A user that is nobody's: root may write everything."""
KILLED = -signal.SIGKILL
Held = dict[str, bytes | None]
"""What files hold, by name; None: there is none."""


@dataclass(frozen=True)
class Export:
    """The files of one export of a game's sample."""

    title: str
    contents: Mapping[str, bytes]
    """By name."""
    checks: Mapping[str, Callable[[bytes], object]]
    """What reads each back."""
    backup: bool = False

    def title_over(self, before: Held) -> str:
        """Say what is written over what."""
        held = " and ".join(name for name, data in before.items() if data is not None) or "nothing"
        return f"{self.title} over {held}{', with a backup' if self.backup else ''}"

    def befores(self) -> list[Held]:
        """What the folder may hold before it: all of the files, none, or only the first."""
        old: Held = {name: b"old " + data[::-1] for name, data in self.contents.items()}
        none: Held = dict.fromkeys(old)
        first = next(iter(old))
        return [old, none] if len(old) == 1 else [old, none, {**none, first: old[first]}]


@dataclass(frozen=True)
class Trial:
    """One export into a folder of its own."""

    export: Export
    before: Held
    folder: Path

    @property
    def first(self) -> Path:
        """The level's own file."""
        return self.folder / next(iter(self.export.contents))

    def run(self) -> list[str]:
        """Do the export's writing."""
        contents = {self.folder / name: (data, self.export.checks[name]) for name, data in self.export.contents.items()}
        return files.write_together(contents, self.export.backup)

    def refused(self, code: int) -> None:
        """Do it, and look whether it is refused with this errno and a name."""
        try:
            self.run()
        except OSError as error:
            assert error.errno == code, error
            self.named(error)
        else:
            raise AssertionError("nothing was said")

    def named(self, error: OSError) -> None:
        """Look whether an error names a file that was to be written, or its backup."""
        path = Path(str(error.filename).removesuffix(files.BACKUP))
        assert path in {self.folder / name for name in self.export.contents}, f"the error names {error.filename}"

    def held(self) -> Held:
        """What the files hold now."""
        found: Held = {}
        for name in self.export.contents:
            path = self.folder / name
            found[name] = path.read_bytes() if path.exists() else None
        return found

    def whole(self) -> None:
        """Look whether each file is whole, whichever it is."""
        for name, data in self.held().items():
            assert data in (self.before[name], self.export.contents[name]), f"{name} is neither the old nor the new one"

    def settled(self) -> bool:
        """Look whether all belong together and nothing is left. Returns whether they are the new ones."""
        held = self.held()
        assert held in (self.before, self.export.contents), "some files are old and some are new"
        known = {*held, *(name + files.BACKUP for name in held)}
        left = {path.name for path in self.folder.iterdir()} - known
        assert not left, f"left: {left}"
        return held == self.export.contents

    def recovered(self) -> bool:
        """Do what an import does first, and look as `settled` does."""
        told = journal.recover(self.first)
        assert not any("somebody" in line for line in told), told
        return self.settled()


@contextlib.contextmanager
def trial(export: Export, before: Held, folder: Path | None = None) -> Iterator[Trial]:
    """Make a folder that holds what was there before. folder: to be used instead of a new one."""
    with tempfile.TemporaryDirectory(prefix="levelwright-faults-") as new:
        made = Trial(export, before, folder or Path(new))
        for name, data in before.items():
            path = made.folder / name
            if data is not None:
                path.write_bytes(data)
        yield made


def points_of(export: Export, before: Held, pieces: int = 1) -> int:
    """Return how many points there are in an export."""
    with trial(export, before) as each, Points(lambda *_: None, pieces) as points:
        each.run()
    return points.count


def pieces_for(export: Export, before: Held, wanted: int) -> int:
    """Return in how many parts bytes have to be written for there to be so many points."""
    one, two = (points_of(export, before, pieces) for pieces in (1, 2))
    return 1 + max(0, -(-(wanted - one) // (two - one)))


def kills(export: Export, before: Held, wanted: int) -> int:
    """Kill an export at every point, of which there are at least so many. Returns how many."""
    pieces = pieces_for(export, before, wanted)
    count = points_of(export, before, pieces)
    for point in range(count):
        with trial(export, before) as each:
            run_killed(each, point, pieces)
            each.whole()
            if point % 2:  # the next one is an import, or else an export
                each.recovered()
            each.run()
            assert each.settled()
    return count


def kills_at_random(export: Export, before: Held, seed: int, count: int) -> int:
    """Kill a process that exports again and again at times that nobody chose. Returns how many times."""
    if None in before.values():
        return 0
    chance = random.Random(seed)
    for _ in range(count):
        with trial(export, before) as each:
            child = fork(lambda each=each: _for_ever(each))
            time.sleep(chance.uniform(0, 0.05))
            os.kill(child, signal.SIGKILL)
            assert ended(child) == KILLED
            each.whole()
            each.recovered()
    return count


def kills_while_undoing(export: Export, before: Held) -> int:
    """Kill an export that is being undone because a file could not be replaced, and the undoing of one that was killed.

    Returns how many times.
    """
    done = 0
    for point in range(points_of(export, before)):
        for later in range(point + 1, point + 40):
            with trial(export, before) as each:
                fail, kill = failing_at(point, errno.EIO), killed_at(later)

                def act(number: int, name: str, given: tuple[object, ...], fail=fail, kill=kill) -> None:
                    kill(number, name, given)
                    fail(number, name, given)

                status = ended(fork(lambda each=each, act=act: _quietly(each.run, act)))
                each.whole()
                each.recovered()
            done += 1
            if status != KILLED:
                break
        for later in range(40):
            with trial(export, before) as each:
                run_killed(each, point)
                again = killed_at(later)
                status = ended(fork(lambda each=each, again=again: _within(again, lambda: journal.recover(each.first))))
                each.whole()
                each.recovered()
            done += 1
            if status != KILLED:
                break
    return done


def failures(export: Export, before: Held, code: int, for_ever: bool = False) -> int:
    """Let every call fail once, in turn. for_ever: also all that need room after it. Returns how many."""
    count = points_of(export, before, 2)
    for point in range(count):
        with trial(export, before) as each:
            said = None
            try:
                with Points(failing_at(point, code, for_ever), 2):
                    each.run()
            except OSError as error:
                said = error
                each.named(error)
            undone = said is None or "Not all is undone" not in str(said)
            if undone:
                each.whole()
                assert (each.held() == dict(each.export.contents)) == (said is None), f"point {point}: {said}"
            assert each.recovered() == (said is None)
    return count


def power_failures(export: Export, before: Held) -> int:
    """Let the power fail at every point, with the worst that can be left of what wasn't synced. Returns how many."""
    with trial(export, before) as each:
        power = Power(each.folder)
        with Points(power):
            each.run()
        kept = power.look()
    for disk in power.disks:
        with trial(export, before) as each:
            for path in each.folder.iterdir():
                path.unlink()
            for name, data in disk.items():
                (each.folder / name).write_bytes(data)
            each.whole()
            new = each.recovered()
            assert new or disk not in kept, "it was done, and is gone"
    return len(power.disks)


def limits(export: Export, before: Held, steps: int) -> int:
    """Let the system refuse to write more than so many bytes into a file: from none to nearly all. Returns steps."""
    largest = max(map(len, export.contents.values()))
    for step in range(steps):
        with trial(export, before) as each:
            limit = largest * step // steps

            def run(each: Trial = each, limit: int = limit) -> None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                each.refused(errno.EFBIG)

            assert ended(fork(run)) == 0
            assert not each.settled()
    return steps


def full_disks(export: Export, before: Held, steps: int) -> int:
    """Write onto disks that have no room, from the first byte on to nearly the last. Only root can make such.

    Returns how many were full: on one that has room for the new bytes besides the old ones, all went well.
    """
    full = 0
    page = 4096
    old = sum(-(-len(data or b"") // page) for data in before.values())
    new = sum(-(-len(data) // page) for data in export.contents.values())
    held, room = old + 1, new + 2 + old * export.backup
    for step in range(steps + 1):
        with tempfile.TemporaryDirectory() as folder:
            size = (held + room * step // steps) * page
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], check=True)
            try:
                with trial(export, before, Path(folder)) as each:
                    try:
                        each.run()
                    except OSError as error:
                        full += 1
                        assert error.errno == errno.ENOSPC, error
                        each.named(error)
                        assert not each.settled()
                    else:
                        assert each.settled()
            finally:
                subprocess.run(["umount", folder], check=True)
    assert 0 < full <= steps, f"{full} of {steps + 1} disks were full"
    return full


def refusals(export: Export, before: Held) -> int:
    """Export to what may not be written: a file, a folder, and links that go in a circle. Returns how many."""
    if before[next(iter(before))] is None:
        return 0
    for mode, what in ((0o444, "file"), (0o555, "folder")):
        with trial(export, before) as each:
            if os.geteuid() == 0:
                for path in (each.folder, *each.folder.iterdir()):
                    os.chown(path, NOBODY, NOBODY)
            (each.first if what == "file" else each.folder).chmod(mode)

            def run(each: Trial = each) -> None:
                if os.geteuid() == 0:
                    os.setgid(NOBODY)
                    os.setuid(NOBODY)
                each.refused(errno.EACCES)

            assert ended(fork(run)) == 0
            each.folder.chmod(0o755)
            assert not each.settled()
    with trial(export, dict.fromkeys(before)) as each:
        other = each.folder / "other"
        other.symlink_to(each.first)
        each.first.symlink_to(other)
        each.refused(errno.ELOOP)
        assert each.first.is_symlink()
        assert len(list(each.folder.iterdir())) == 2
    return 3


def two_at_once(export: Export, before: Held, rounds: int) -> int:
    """Let two processes export different levels to the same place, again and again. Returns rounds."""
    another = Export(
        export.title,
        {name: data + b"another" for name, data in export.contents.items()},
        dict.fromkeys(export.checks, len),
    )
    with trial(export, before) as each:
        rival = Trial(another, before, each.folder)
        children = [fork(lambda one=one: [one.run() for _ in range(rounds)]) for one in (each, rival)]
        assert [ended(child) for child in children] == [0, 0]
        (each if each.held() == each.export.contents else rival).settled()
        assert each.held() != before
    return rounds


def run_killed(each: Trial, point: int, pieces: int = 1) -> None:
    """Do an export in a process that is killed at a point."""
    assert ended(fork(lambda: _within(killed_at(point), each.run, pieces))) == KILLED


def _within(act: Callable[..., None], action: Callable[[], object], pieces: int = 1) -> None:
    with Points(act, pieces):
        action()


def _quietly(action: Callable[[], object], act: Callable[..., None]) -> None:
    with contextlib.suppress(OSError):
        _within(act, action)


def _for_ever(each: Trial) -> None:
    """Write the new bytes and the old ones, in turns."""
    old = {each.folder / name: (data, len) for name, data in each.before.items() if data is not None}
    while True:
        each.run()
        files.write_together(old)
