# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of one level: all of them are written, or none."""

import errno
from pathlib import Path

import pytest
from levelwright.addon.scene.disk import files


def folder(path: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in path.iterdir()}


def accept(data: bytes) -> None:
    """Any bytes will do."""


def refuse(data: bytes) -> None:
    raise ValueError("no things")


def test_all_are_written(tmp_path: Path) -> None:
    (tmp_path / "a.tng").write_bytes(b"old")
    files.write_together({tmp_path / "a.lev": (b"level", accept), tmp_path / "a.tng": (b"things", accept)})
    assert folder(tmp_path) == {"a.lev": b"level", "a.tng": b"things"}


def test_none_is_written_where_one_does_not_verify(tmp_path: Path) -> None:
    (tmp_path / "a.lev").write_bytes(b"old")
    with pytest.raises(ValueError, match="no things"):
        files.write_together({tmp_path / "a.lev": (b"level", accept), tmp_path / "a.tng": (b"things", refuse)})
    assert folder(tmp_path) == {"a.lev": b"old"}


@pytest.mark.parametrize("before", [{}, {"a.lev": b"old level"}, {"a.lev": b"old level", "a.tng": b"old things"}])
def test_the_first_gets_its_bytes_back_where_the_second_cannot_be_replaced(tmp_path, monkeypatch, before):
    for name, data in before.items():
        (tmp_path / name).write_bytes(data)
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if target.name == "a.tng" and self.suffix == ".new":
            raise OSError(errno.EIO, "the disk is gone", str(self))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OSError, match="the disk is gone"):
        files.write_together({tmp_path / "a.lev": (b"level", accept), tmp_path / "a.tng": (b"things", accept)})
    assert folder(tmp_path) == before
