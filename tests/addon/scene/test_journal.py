# SPDX-License-Identifier: GPL-3.0-or-later
"""What an interrupted export leaves, and what the next import or export makes of it; see also ../test_faults.py."""

import errno
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from levelwright.addon.scene.disk import files, journal

from tests.faults.points import Points

posix = pytest.mark.skipif(os.name != "posix", reason="links, owners and locks as POSIX has them")


def accept(data: bytes) -> None:
    """Any bytes will do."""


def folder(path: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in path.iterdir()}


def entry(name: str, new: bytes, existed: bool = True) -> dict[str, object]:
    return {"name": name, "sha256": hashlib.sha256(new).hexdigest(), "existed": existed}


def interrupted(path: Path, *entries: object) -> None:
    """Leave a journal, as a process that was killed does."""
    (path / journal.JOURNAL).write_text(json.dumps(entries))


def pair(path: Path) -> None:
    """Leave a.lev replaced and a.tng not yet, whose new one was not there before."""
    (path / "a.lev").write_bytes(b"new level")
    (path / ".levelwright-0.old").write_bytes(b"old level")
    (path / ".levelwright-1.new").write_bytes(b"new things")
    interrupted(path, entry("a.lev", b"new level"), entry("a.tng", b"new things", existed=False))


def test_an_import_of_any_file_there_undoes_it_and_says_so(tmp_path: Path) -> None:
    pair(tmp_path)
    (told,) = journal.recover(tmp_path / "b.lev")
    assert "a.lev and a.tng was interrupted" in told
    assert folder(tmp_path) == {"a.lev": b"old level"}
    assert journal.recover(tmp_path / "a.lev") == []


def test_so_does_an_export_of_another_level(tmp_path: Path) -> None:
    pair(tmp_path)
    (told,) = files.write_atomically(tmp_path / "b.lev", b"other")
    assert "a.lev and a.tng was interrupted" in told
    assert folder(tmp_path) == {"a.lev": b"old level", "b.lev": b"other"}


@posix
def test_it_is_found_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    pair(tmp_path / "real")
    (tmp_path / "link.lev").symlink_to(tmp_path / "real" / "a.lev")
    assert len(journal.recover(tmp_path / "link.lev")) == 1
    assert (tmp_path / "link.lev").read_bytes() == b"old level"


def test_one_that_only_wasnt_tidied_up_stays(tmp_path: Path) -> None:
    pair(tmp_path)
    (tmp_path / ".levelwright-1.new").rename(tmp_path / "a.tng")
    assert journal.recover(tmp_path / "a.lev") == []
    assert folder(tmp_path) == {"a.lev": b"new level", "a.tng": b"new things"}


def test_what_somebody_wrote_since_is_left_alone(tmp_path: Path) -> None:
    pair(tmp_path)
    (tmp_path / "a.tng").write_bytes(b"theirs")
    (told,) = journal.recover(tmp_path / "a.lev")
    assert "see whether they belong together" in told
    assert folder(tmp_path) == {"a.lev": b"new level", "a.tng": b"theirs"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "7",
        "{}",
        "[[]]",
        '[{"name": "a.lev"}]',
        "[" * 60000,
        "x" * (journal.LARGEST + 9),
        json.dumps([{"name": "../a.lev", "sha256": "", "existed": False}]),
        json.dumps([{"name": "..", "sha256": "", "existed": False}]),
        json.dumps([{"name": "a\0", "sha256": "", "existed": False}]),
        json.dumps([{"name": ["a.lev"], "sha256": "", "existed": False}]),
    ],
)
def test_journals_that_are_none_change_nothing(tmp_path: Path, text: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "a.lev").write_bytes(b"")
    (inner / "a.lev").write_bytes(b"level")
    (inner / journal.JOURNAL).write_text(text)
    assert journal.recover(inner / "a.lev") == []
    assert folder(inner) == {"a.lev": b"level"}
    assert (tmp_path / "a.lev").exists()


@posix
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("elsewhere"), Path.mkdir])
def test_what_is_no_file_is_no_journal(tmp_path: Path, make: Any) -> None:
    make(tmp_path / journal.JOURNAL)
    (told,) = journal.recover(tmp_path / "a.lev")
    assert "can't be put right" in told
    with pytest.raises(OSError, match=r"a\.lev"):
        files.write_atomically(tmp_path / "a.lev", b"new")
    assert [path.name for path in tmp_path.iterdir()] == [journal.JOURNAL]


def test_nobody_takes_what_a_living_process_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "WAIT", 0.05)
    (tmp_path / "a.lev").write_bytes(b"old level")
    with journal.locked(tmp_path):
        pair(tmp_path)
        before = folder(tmp_path)
        (told,) = journal.recover(tmp_path / "a.lev")
        assert "another export is writing" in told
        with pytest.raises(OSError, match=r"another export is writing.*b\.lev") as error:
            files.write_atomically(tmp_path / "b.lev", b"other")
        assert error.value.errno == errno.EBUSY
        assert folder(tmp_path) == before
        (tmp_path / journal.JOURNAL).write_text("")


def test_a_journal_that_was_removed_while_it_was_waited_for_is_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, times = journal._lock, []

    def late(handle: int) -> bool:
        times.append(handle)
        if len(times) == 1:
            (tmp_path / journal.JOURNAL).unlink()
        if len(times) == 2:
            (tmp_path / journal.JOURNAL).unlink()
            (tmp_path / journal.JOURNAL).touch()
        return real(handle)

    monkeypatch.setattr(journal, "_lock", late)
    with journal.locked(tmp_path):
        assert len(times) == 3
        assert (tmp_path / journal.JOURNAL).exists()
    assert folder(tmp_path) == {}


@posix
def test_without_locks_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(journal.fcntl, "flock", flock)
    pair(tmp_path)
    assert len(files.write_atomically(tmp_path / "b.lev", b"other")) == 1
    assert folder(tmp_path) == {"a.lev": b"old level", "b.lev": b"other"}


@posix
def test_all_is_on_the_disk_before_the_first_is_replaced(tmp_path: Path) -> None:
    calls: list[str] = []

    def act(_number: int, name: str, arguments: tuple[Any, ...]) -> None:
        if name in ("write", "fsync"):
            target = os.readlink(f"/proc/self/fd/{arguments[0]}") if os.path.exists("/proc/self/fd") else ""
            calls.append(f"{name} {Path(target).name}")
        elif name == "replace":
            calls.append(f"replace {Path(arguments[1]).name}")

    names = ("a.lev", "a.tng")
    with Points(act):
        files.write_together({tmp_path / name: (b"new", accept) for name in names})
    if not os.path.exists("/proc/self/fd"):
        pytest.skip("open files have no names here")
    each = [f"{what} .levelwright-{number}.new" for number in (0, 1) for what in ("write", "fsync")]
    log = [f"{what} {journal.JOURNAL}" for what in ("write", "fsync")]
    sync = f"fsync {tmp_path.name}"
    assert calls == [*each, *log, sync, *(f"replace {name}" for name in names), sync]


@posix
def test_a_single_file_needs_no_second_copy(tmp_path: Path) -> None:
    calls: list[str] = []
    (tmp_path / "a.map").write_bytes(b"old")
    with Points(lambda _, name, __: calls.append(name)):
        files.write_atomically(tmp_path / "a.map", b"new")
    assert "link" not in calls
    assert calls.count("write") == 1


@posix
@pytest.mark.parametrize("links", [True, False])
def test_a_disk_without_room_for_the_old_ones_has_as_much_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """Where there are no links, the old file is copied, and what there is of the copy goes when that fails."""
    before = {"a.lev": b"old level", "a.tng": b"old things"}
    for name, data in before.items():
        (tmp_path / name).write_bytes(data)
    real = os.write

    def write(handle: int, data: bytes) -> int:
        if bytes(data) == b"old things":
            real(handle, data[:5])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(handle, data)

    def no_link(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "write", write)
    contents = {tmp_path / name: (b"new", accept) for name in before}
    if links:
        files.write_together(contents)
        assert folder(tmp_path) == dict.fromkeys(before, b"new")
        return
    monkeypatch.setattr(os, "link", no_link)
    with pytest.raises(OSError, match=r"No space left on device: .*a\.tng"):
        files.write_together(contents)
    assert folder(tmp_path) == before


@posix
def test_an_undoing_that_fails_is_said_and_done_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {"a.lev": b"old level", "a.tng": b"old things"}
    for name, data in before.items():
        (tmp_path / name).write_bytes(data)
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if self.suffix == ".old" or target.name == "a.tng":
            raise OSError(errno.EIO, "the disk is gone", str(self))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OSError, match=r"disk is gone\. Not all is undone.*a\.lev"):
        files.write_together({tmp_path / name: (b"new", accept) for name in before})
    monkeypatch.undo()
    assert len(journal.recover(tmp_path / "a.tng")) == 1
    assert folder(tmp_path) == before


@posix
def test_links_into_different_folders_are_refused(tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    (tmp_path / "here" / "a.tng").symlink_to(tmp_path / "there" / "a.tng")
    contents = {tmp_path / "here" / name: (b"new", accept) for name in ("a.lev", "a.tng")}
    with pytest.raises(OSError, match=r"a\.lev and .*a\.tng are links to one file, or into different folders"):
        files.write_together(contents)
    assert not list((tmp_path / "there").iterdir())


@posix
def test_other_names_of_a_file_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.map").write_bytes(b"old")
    (tmp_path / "b.map").hardlink_to(tmp_path / "a.map")
    (told,) = files.write_atomically(tmp_path / "a.map", b"new")
    assert told == "a.map had 2 names (hard links): the others still have the old bytes"
    assert folder(tmp_path) == {"a.map": b"new", "b.map": b"old"}


@posix
def test_the_owner_stays_or_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.map"
    path.write_bytes(b"old")
    path.chmod(0o664)
    if os.geteuid() == 0:
        os.chown(path, 1234, 2345)
        assert files.write_atomically(path, b"new") == []
        found = path.stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (1234, 2345, 0o664)
    real = Path.stat

    def stat(self: Path, **options: Any) -> os.stat_result:
        found = list(real(self, **options))
        if self == path:
            found[4:6] = [4321, 5432]
        return os.stat_result(found)

    def chown(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr(os, "chown", chown)
    told = files.write_atomically(path, b"new")
    assert [line.partition(":")[0] for line in told] == ["a.map has another group now", "a.map has another owner now"]


def test_names_may_be_as_long_as_a_system_lets_them(tmp_path: Path) -> None:
    path = tmp_path / ("\N{SNOW CAPPED MOUNTAIN}" * 60 + ".map")
    assert len(os.fsencode(path.name)) >= 244
    files.write_atomically(path, b"one", backup=True)
    files.write_atomically(path, b"two", backup=True)
    assert folder(tmp_path) == {path.name: b"two", path.name + ".bak": b"one"}
    longer = tmp_path / ("m" * 251 + ".map")
    files.write_atomically(longer, b"one")
    with pytest.raises(OSError, match=r"\.map\.bak"):
        files.write_atomically(longer, b"two", backup=True)
    assert longer.read_bytes() == b"one"
