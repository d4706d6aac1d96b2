# SPDX-License-Identifier: GPL-3.0-or-later
"""The verbs that all formats share."""

import struct
import subprocess
import sys

import pytest

import formats
from formats import BESIDE, FORMATS, FormatError, check, format_of, identify, read, write
from tests.formats.teeworlds_bytes import small_map

MAP = small_map().build()


def test_every_format_has_the_verbs():
    for form in (*FORMATS, *BESIDE):
        for verb in ("identify", "read", "write", "check", "contents", "summary", "section_at"):
            assert callable(getattr(form.verbs, verb)), (form.key, verb)
        assert all(ending.startswith(".") for ending in form.endings)
    assert len({form.key for form in FORMATS}) == len(FORMATS)


def test_identify_looks_at_bytes():
    assert identify(MAP).key == "teeworlds"
    assert identify(b"ATAD" + MAP[4:]).key == "teeworlds"
    assert identify(memoryview(MAP)).key == "teeworlds"
    for other in (b"", b"DAT", b"DATA", b"DATAbase of something", b"NCBF" + bytes(60), b"VBSP" + bytes(60), bytes(100)):
        form = identify(other)
        assert form is None, other


def test_files_beside_levels_are_no_levels():
    """They have the verbs, and no format takes them for a level."""
    patch = struct.pack("<5i", 20, 0, 0, 3, 7) + b"{}\0"
    (form,) = (each for each in BESIDE if each.identify(patch))
    assert (form.key, form.title, form.endings) == ("source", "Source patch file", (".lmp",))
    assert identify(patch) is None
    level = form.verbs.read(patch)
    assert format_of(level) is form and write(level) == patch
    assert [str(problem) for problem in check(level)] == [
        "error: lump 0 (ENTITIES): the first entity is not worldspawn"
    ]
    for other in (patch + b"more", patch[:-1], patch[:19], MAP, b""):
        assert not any(each.identify(other) for each in BESIDE)


def test_read_from_bytes_and_files(tmp_path):
    path = tmp_path / "a map.map"
    path.write_bytes(MAP)
    for source in (MAP, bytearray(MAP), memoryview(MAP), path, str(path)):
        level = read(source)
        assert write(level) == MAP
        assert format_of(level).key == "teeworlds"
        assert check(level) == []
    assert write(read(MAP, format="teeworlds")) == MAP


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "broken.map"
    path.write_bytes(MAP[:-1])
    with pytest.raises(FormatError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: at byte 0x")
    with pytest.raises(FormatError, match="no known level format"):
        read(b"nothing that anybody knows")
    with pytest.raises(FormatError, match="it is empty"):
        read(b"")
    with pytest.raises(FormatError, match="DATA or ATAD"):
        read(b"nothing that anybody knows, but read as a map", format="teeworlds")
    with pytest.raises(ValueError, match="no format 'quake'"):
        read(MAP, format="quake")
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.map")
    with pytest.raises(TypeError):
        write(object())


def test_under_another_name(root, tmp_path):
    """The wheel calls it levelformats: nothing in it may count on its name."""
    (tmp_path / "levelformats").symlink_to(root / "formats", target_is_directory=True)
    (tmp_path / "x.map").write_bytes(MAP)
    done = subprocess.run(
        [sys.executable, "-m", "levelformats", "verify", "x.map"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(f"ok x.map teeworlds {len(MAP)} ")


def test_public_names_exist():
    for module in (formats, *(form.verbs for form in FORMATS)):
        assert all(hasattr(module, name) for name in module.__all__)
