# SPDX-License-Identifier: GPL-3.0-or-later
"""What Windows does otherwise, as far as it can be tried elsewhere: names that it refuses, folders where capitals don't
matter.

The folder is a real NTFS file system, mounted with Windows' rules for names and without regard to capitals; it is
skipped where that can't be had. CI installs what it needs.
"""

import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path, PureWindowsPath

import pytest
from levelwright import formats
from levelwright.addon import batch
from levelwright.addon.scene import names
from levelwright.addon.scene.disk import files, journal
from levelwright.addon.scene.fields.options import UsageError
from levelwright.formats import reach

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "samples"
ENDINGS = {ending for form in formats.FORMATS for ending in form.endings}
LEVELS = sorted(path for path in SAMPLES.iterdir() if path.suffix in ENDINGS)
PROGRAMS = ("mkntfs", "lowntfs-3g", "umount")


@pytest.fixture(scope="module")
def ntfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which `a` and `A` are one file, and `con` and `a:b` can't be."""
    lacking = [name for name in PROGRAMS if shutil.which(name) is None]
    if lacking or os.geteuid() or not Path("/dev/fuse").exists():
        pytest.skip(f"needs root, /dev/fuse, and {', '.join(lacking) or 'nothing else'}")
    folder = tmp_path_factory.mktemp("ntfs")
    disk, place = folder / "disk", folder / "place"
    place.mkdir()
    with disk.open("wb") as opened:
        opened.truncate(64 << 20)
    subprocess.run(["mkntfs", "-q", "-F", "-Q", disk], check=True, capture_output=True)
    rules = "ignore_case,windows_names,streams_interface=none"
    if subprocess.run(["lowntfs-3g", disk, place, "-o", rules], check=False, capture_output=True).returncode:
        pytest.skip("this machine mounts no NTFS")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.fixture
def folder(ntfs: Path, request: pytest.FixtureRequest) -> Path:
    """An empty folder there."""
    made = ntfs / request.node.name
    made.mkdir()
    return made


def test_the_folder_is_as_on_windows(folder: Path) -> None:
    (folder / "Abc").touch()
    assert (folder / "aBC").is_file()
    with pytest.raises(OSError):
        (folder / "a:b").touch()
    with pytest.raises(OSError):
        (folder / "con").touch()


def test_an_export_replaces_a_file_whose_name_has_other_capitals(folder: Path) -> None:
    (folder / "Level.lev").write_bytes(b"old")
    (folder / "LEVEL.tng").write_bytes(b"old things")
    new = {folder / "level.LEV": (b"new", bytes), folder / "level.tng": (b"new things", bytes)}
    assert files.write_together(new, backup=True) == []
    assert (folder / "level.lev").read_bytes() == b"new"
    assert (folder / "level.tng").read_bytes() == b"new things"
    assert (folder / "level.lev.bak").read_bytes() == b"old"
    assert len(list(folder.iterdir())) == 4  # two files, two backups, and nothing left over


def test_an_export_that_was_interrupted_is_undone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of two files can't take its place, and nothing more is done: as if the machine had stopped."""
    (folder / "a.lev").write_bytes(b"old")
    (folder / "a.tng").write_bytes(b"old things")
    replace = Path.replace

    def stops(self: Path, target: Path) -> Path:
        if Path(target).suffix.lower() == ".tng":
            raise KeyboardInterrupt
        return replace(self, target)

    with monkeypatch.context() as changed, pytest.raises(KeyboardInterrupt):
        changed.setattr(Path, "replace", stops)
        files.write_together({folder / "A.lev": (b"new", bytes), folder / "A.tng": (b"new things", bytes)})
    journal.recover(folder / "a.LEV")
    assert (folder / "a.lev").read_bytes() == b"old"
    assert (folder / "a.tng").read_bytes() == b"old things"
    assert len(list(folder.iterdir())) == 2


def test_a_link_out_of_a_folder_is_not_followed(folder: Path) -> None:
    inside, outside = folder / "inside", folder / "outside"
    for made in (inside, outside):
        made.mkdir()
        (made / "Grass.PNG").write_bytes(b"picture")
    allowed = reach.AllowedFolders([inside])
    found = allowed.find("GRASS.png")
    assert found is not None
    assert found.read_bytes() == b"picture"
    assert allowed.find("..\\outside\\grass.png") is None
    assert allowed.place(inside, str(outside / "grass.png")) is None


def test_files_of_a_batch_never_become_one(folder: Path, tmp_path: Path) -> None:
    for name in ("one.map", "one.lev", "two.map"):
        shutil.copy(SAMPLES / ("fable_vale.lev" if name.endswith("lev") else "first-light.map"), folder / name)
    jobs = batch.plan([folder], folder / "out", ".blend", is_recursive=False)
    targets = [str(job.target).lower() for job in jobs]
    assert len(set(targets)) == len(targets) == 3
    (tmp_path / "ONE.map").touch()
    with pytest.raises(UsageError, match="several of the files would become this one"):
        batch.plan([folder, tmp_path], folder / "out", ".blend", is_recursive=False)
    with pytest.raises(UsageError, match="would be replaced by what is made of it"):
        batch.plan([folder / "two.map"], folder.parent / folder.name.upper(), ".MAP", is_recursive=False)


@pytest.mark.parametrize("sample", LEVELS, ids=lambda path: path.name)
def test_the_library_reads_and_writes_there(folder: Path, sample: Path) -> None:
    shutil.copy(sample, folder / sample.name.upper())
    level = formats.read((folder / sample.name.lower()).read_bytes())
    assert formats.write(level) == sample.read_bytes()


# ------------------------------------------------------------------------------------------------- names, as texts only


@pytest.mark.parametrize(
    "name",
    [
        r"C:\maps\a.png",
        r"c:a.png",
        r"\\host\share\a.png",
        r"//host/share/a.png",
        r"\\?\C:\a.png",
        r"\\.\PhysicalDrive0",
        r"..\a.png",
        r"a\..\..\b.png",
        r"a.png:stream",
        r"con",
        r"textures\NUL.png",
        r"com1 .txt",
        r"lpt³.txt",
    ],
)
def test_no_name_leads_out_of_a_folder_on_windows(name: str) -> None:
    """Joined to a folder as Windows does it, each of these would be somewhere else, or a device: so none is a name."""
    assert reach.steps(name) is None


def test_the_names_that_are_followed_stay_in_their_folder_on_windows() -> None:
    pieces = ("a", "B.png", ".", "..", "", "c:", "con", "x:y", " ", "a b")
    folder = PureWindowsPath(r"D:\game")
    for parts, slash in itertools.product(itertools.product(pieces, repeat=3), "/\\"):
        steps = reach.steps(slash.join(parts))
        if steps is not None:
            joined = folder.joinpath(*steps)
            assert joined.is_relative_to(folder)
            assert ".." not in joined.parts
            assert len(joined.parts) == len(folder.parts) + len(steps)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (r"C:\maps\dm1.map", "dm1.map"),
        (r"\\host\share\dm1.map", "dm1.map"),
        ("maps/dm1.map", "dm1.map"),
        (r"maps\..", ""),
        ("dm1.map:stream", ""),
    ],
)
def test_the_name_of_a_file_is_known_on_either_system(path: str, name: str) -> None:
    assert names.file_name_of(path) == name
