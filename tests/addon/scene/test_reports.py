# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said: the report; and files that are written whole or not at all."""

import os
import stat
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene import reports
from levelwright.addon.scene.disk import files
from levelwright.addon.scene.reports import Report, SceneError


class Operator:
    """Collects what a Blender operator would show."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    def report(self, kind: set[str], message: str) -> None:
        self.said.append((*kind, message))


def filled() -> Report:
    report = Report("dm1.map")
    report.count("groups", 2)
    report.count("tile layers")
    report.count("tile layers", 16)
    report.count("sounds", 0)
    report.missing("images", "grass_main")
    report.missing("images", "grass_main")
    report.missing("images", "winter_main")
    report.left_out("unknown layers", 3)
    report.warn("layer 3 is empty")
    report.warn("layer 3 is empty")
    report.warn("layer 4 is odd")
    return report


def test_summary() -> None:
    assert filled().summary() == (
        "dm1.map: 2 groups, 17 tile layers; 2 missing images: grass_main, winter_main; "
        "left out: 3 unknown layers; 2 warnings"
    )
    assert Report().summary() == "nothing"
    unedited = Report()
    unedited.note("nothing is edited")
    assert unedited.counted() == "nothing is edited"
    unedited.note("second")
    assert unedited.lines() == ["nothing is edited", "second"], "once"


def test_lines_name_everything_once() -> None:
    assert filled().lines()[1:] == [
        "missing image: grass_main",
        "missing image: winter_main",
        "left out: 3 unknown layers",
        "warning: layer 3 is empty",
        "warning: layer 4 is odd",
    ]
    assert filled().missing_names == {"images": ["grass_main", "winter_main"]}


def test_text_block_is_replaced() -> None:
    text = filled().to_text("Levelwright report")
    assert Report("again").to_text("Levelwright report") == text
    assert text.as_string() == "again: nothing\n"


def test_counts_are_shown_and_no_names() -> None:
    operator = Operator()
    filled().forward(operator)  # type: ignore[arg-type]
    (kind, said), (last, counts) = operator.said
    assert (kind, last, counts) == ("WARNING", "INFO", "dm1.map: 2 groups, 17 tile layers")
    assert said == f"2 images missing, 3 left out, 2 warnings: {reports.WHERE}"
    operator = Operator()
    Report().forward(operator)  # type: ignore[arg-type]
    assert operator.said == [("INFO", "nothing")]


def test_where_no_list_has_them_the_first_lines_are_shown() -> None:
    operator, many = Operator(), Report()
    for number in range(100):
        many.warn(f"warning {number}")
    many.forward(operator, is_listed=False)  # type: ignore[arg-type]
    assert len(operator.said) == reports.SHOWN + 2
    assert ("WARNING", "97 more: the text block of the report has them") in operator.said


def test_one_of_a_kind_is_singular() -> None:
    report = Report()
    report.find("a")
    report.warn("b")
    report.refuse(ValueError("c"))
    assert report.in_short() == "1 thing to look at, 1 error, 1 warning"


def test_a_refusal_of_several_things_is_a_line_for_each() -> None:
    parts = [reports.LevelFinding(f"gem {number} is nowhere", sort="error") for number in range(3)]
    report = Report()
    report.refuse(SceneError("the game would refuse it: much", parts=parts))
    assert [line.message for line in report.issues()] == [f"gem {number} is nowhere" for number in range(3)]
    assert report.lines()[1] == "warning: refused, nothing was written: the game would refuse it: much"
    assert report.counted() == "refused, nothing was written", "whatever was counted until then"


def test_merge() -> None:
    both = filled()
    both.merge(filled())
    assert both.counts["groups"] == 4
    assert both.missing_names == filled().missing_names
    assert both.warnings == filled().warnings
    assert "left out: 6 unknown layers" in both.summary()


def test_scene_error_knows_what_is_at_fault() -> None:
    obj, other = bpy.data.objects.new("a", None), bpy.data.objects.new("b", None)
    error = SceneError("two tiles at (3, 4)", [other], {obj: np.array([1, 2])})
    assert str(error) == error.message == "two tiles at (3, 4)"
    assert error.objects == [other, obj]
    assert error.faces[obj].tolist() == [1, 2]


def folder(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def test_writing(tmp_path: Path) -> None:
    path = tmp_path / "level.map"
    files.write_atomically(path, b"one")
    files.write_atomically(str(path), memoryview(b"two"))
    assert path.read_bytes() == b"two"
    assert folder(tmp_path) == ["level.map"]


def test_backup(tmp_path: Path) -> None:
    path = tmp_path / "level.map"
    files.write_atomically(path, b"one", backup=True)
    assert folder(tmp_path) == ["level.map"]
    files.write_atomically(path, b"two", backup=True)
    files.write_atomically(path, b"three", backup=True)
    assert (path.read_bytes(), (tmp_path / "level.map.bak").read_bytes()) == (b"three", b"two")


def test_what_does_not_verify_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "level.map"
    path.write_bytes(b"old")
    seen = []

    def verify(data: bytes) -> None:
        seen.append(data)
        raise ValueError("not a level")

    with pytest.raises(ValueError, match="not a level"):
        files.write_atomically(path, b"new", verify, backup=True)
    assert seen == [b"new"]
    assert path.read_bytes() == b"old"
    assert folder(tmp_path) == ["level.map"]


def test_bytes_that_read_back_differently(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "level.map"
    path.write_bytes(b"old")
    real = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: real(self)[:-1])
    with pytest.raises(OSError, match="differ"):
        files.write_atomically(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert folder(tmp_path) == ["level.map"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        files.write_atomically(tmp_path / "none" / "level.map", b"new")
    assert error.value.filename == str(tmp_path / "none" / "level.map"), "not the temporary file"


def test_a_file_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "level.map"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda file, mode: mode != os.W_OK or Path(file) != path)  # root may write all
    with pytest.raises(PermissionError):
        files.write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert folder(tmp_path) == ["level.map"]


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "level.map").mkdir()
    with pytest.raises(IsADirectoryError) as error:
        files.write_atomically(tmp_path / "level.map", b"new")
    assert error.value.filename == str(tmp_path / "level.map")
    assert folder(tmp_path) == ["level.map"]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")
def test_permissions_and_links_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "level.map", tmp_path / "link.map"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    files.write_atomically(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    plain = tmp_path / "plain"
    plain.touch()
    files.write_atomically(tmp_path / "fresh.map", b"new")
    assert (tmp_path / "fresh.map").stat().st_mode == plain.stat().st_mode
