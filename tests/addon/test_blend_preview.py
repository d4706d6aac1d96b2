# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture in a .blend that was made without a window."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon import conversion, worker
from levelwright.addon.batch import WRITTEN
from levelwright.addon.blend_preview import with_preview
from levelwright.formats.binary import FormatError

from tests.addon.command_line import convert
from tests.addon.contract.registered import SAMPLES

VALE = SAMPLES / "fable_vale.lev"


def has_picture(file: Path) -> bool:
    """Whether a .blend has a picture of our size: Blender 5.2 itself puts one of its startup file into all."""
    blend = file.read_bytes()
    return blend.startswith(b"BLENDER") and b"TEST" in blend[:4096] and picture_in(blend).shape == (144, 256, 4)


def picture_in(blend: bytes) -> np.ndarray:
    """The picture of a .blend, found by its code alone: RGBA, the top row first."""
    at = blend.index(b"TEST")
    size = 32 if blend.startswith(b"BLENDER17") else 24
    width, height = np.frombuffer(blend, "<i4", 2, at + size).tolist()
    pixels = np.frombuffer(blend, np.uint8, width * height * 4, at + size + 8)
    return pixels.reshape(height, width, 4)[::-1]


def saved(file: Path) -> bytes:
    bpy.ops.wm.save_as_mainfile(filepath=str(file), compress=False)
    return file.read_bytes()


def test_a_picture_is_kept_by_blender(tmp_path: Path) -> None:
    bpy.data.objects.new("Here", None).use_fake_user = True
    file = tmp_path / "a.blend"
    pixels = np.zeros((9, 16, 4), np.uint8)
    pixels[:4, :, 0], pixels[4:, :, 2], pixels[..., 3] = 200, 100, 255
    plain = saved(file)
    made = with_preview(plain, pixels)
    assert np.array_equal(picture_in(made), pixels)
    file.write_bytes(made)
    bpy.ops.wm.open_mainfile(filepath=str(file))
    assert "Here" in bpy.data.objects
    assert np.array_equal(picture_in(saved(tmp_path / "b.blend")), pixels), "Blender has read it, and writes it again"


def test_a_picture_is_replaced(tmp_path: Path) -> None:
    plain = saved(tmp_path / "a.blend")
    first, second = np.zeros((4, 4, 4), np.uint8), np.full((2, 3, 4), 9, np.uint8)
    made = with_preview(with_preview(plain, first), second)
    assert made == with_preview(plain, second)
    assert with_preview(made, second) == made


@pytest.mark.parametrize(
    "data", [b"", b"\x28\xb5\x2f\xfd" + bytes(64), b"BLENDER-v405", b"BLENDER17-01v0500" + bytes(9)]
)
def test_what_is_no_plain_blend_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        with_preview(data, np.zeros((2, 2, 4), np.uint8))


def test_a_level_that_is_converted_alone_gets_one(tmp_path: Path) -> None:
    out = tmp_path / "vale.blend"
    assert convert(VALE, out) == 0
    pixels = picture_in(out.read_bytes())
    assert pixels.shape == (144, 256, 4)
    assert pixels[..., :3].std() > 5, "something is seen"
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    assert convert(out, tmp_path / VALE.name) == 0
    assert (tmp_path / VALE.name).read_bytes() == VALE.read_bytes()


def test_others_get_one_where_it_is_asked_for(tmp_path: Path) -> None:
    assert convert(VALE, tmp_path / "alone.blend", "--option", "preview=false") == 0
    assert not has_picture(tmp_path / "alone.blend")
    for name, options in (("without", {}), ("with", {"preview": "true"})):
        target = tmp_path / name / "vale.blend"
        request = {"source": str(VALE), "target": str(target), "options": options, "refuse_changed": False}
        assert worker.answer(request | {"strict": False})["status"] == WRITTEN
        assert has_picture(target) == bool(options)


def test_a_scene_that_cannot_be_drawn_is_saved_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none_here(*_: object) -> None:
        raise RuntimeError("Error: nothing draws here")

    monkeypatch.setattr(conversion, "render", none_here)
    out = tmp_path / "vale.blend"
    assert convert(VALE, out) == 0
    assert not has_picture(out)
    assert "has no picture for file browsers: nothing draws here" in "".join(capsys.readouterr())
    assert convert(out, tmp_path / VALE.name) == 0
    assert (tmp_path / VALE.name).read_bytes() == VALE.read_bytes()


def test_relative_paths_still_lead_where_they_did(tmp_path: Path) -> None:
    (tmp_path / "scenes").mkdir()
    image = tmp_path / "scenes" / "wall.png"
    image.write_bytes(b"no picture, just a file")
    source, target = tmp_path / "scenes" / "one.blend", tmp_path / "other" / "two.blend"
    target.parent.mkdir()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    made = bpy.data.images.new("wall", 1, 1)
    made.source, made.filepath, made.use_fake_user = "FILE", str(image), True
    bpy.ops.wm.save_as_mainfile(filepath=str(source), relative_remap=True, check_existing=False)
    assert convert(source, target) == 0
    bpy.ops.wm.open_mainfile(filepath=str(target))
    assert Path(bpy.path.abspath(bpy.data.images["wall"].filepath)).resolve() == image
