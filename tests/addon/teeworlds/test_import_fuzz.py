# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged and hostile maps through the import and back: the same bytes, or refused when they are imported."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout
from levelwright.formats import binary
from levelwright.formats.binary import FormatError

from tests.addon.teeworlds.export_helpers import changes, exported, image, imported, layer, parse
from tests.formats import teeworlds_fuzz
from tests.formats.teeworlds_bytes import AUTOMAPPER, GAME, IMAGE, LAYER, Map, noise, point, small_map, tile
from tests.fuzz.driver import Fuzzer, try_all
from tests.fuzz.scenes import empty_file


def unedited(data: bytes) -> bool:
    """Import a map and export it without an edit; False where it is refused, which only the import may do."""
    try:
        level = imported(data)
    except FormatError:
        return False
    report = Report()
    assert exported(level, report) == data
    assert not report.notes
    return True


FUZZER = Fuzzer(
    mutation=teeworlds_fuzz.mutation,
    attempt=unedited,
    whole=teeworlds_fuzz.FUZZER.whole,
    accepted=(1 / 3, 0.9),
    prepare=empty_file,
    memory=None,
    quick=(range(20),),
    thorough=range(20, 220),
)


@pytest.mark.parametrize("seeds", [*FUZZER.quick, pytest.param(FUZZER.thorough, marks=pytest.mark.slow)])
def test_damaged_maps_come_back_as_they_were(seeds: range) -> None:
    try_all(FUZZER, seeds)


# ---- what the fuzzer found, and people before it


def odd_layer(width: int, height: int, color: tuple[int, int, int, int] = (255, 255, 255, 255)) -> bytes:
    m = small_map()
    m.tiles(width, height, bytes(64), color=color, title="Odd")
    return m.build()


@pytest.mark.parametrize(("width", "height"), [(0, 3), (4, 0), (4, -2), (-1, -1), (0, 0), (1, 1)])
def test_layers_of_odd_sizes(width: int, height: int) -> None:
    data = odd_layer(width, height)
    level = imported(data)
    assert exported(level) == data
    layer(level, 1)["layer_name"] = "odder"
    assert changes(data, exported(level)) == ({(LAYER, 1): [15, 16]}, [])


def test_a_colour_below_0() -> None:
    data = odd_layer(4, 3, (255, -2, 300, 128))
    level = imported(data)
    assert exported(level) == data
    layer(level, 1).color[3] = 1.0
    assert changes(data, exported(level)) == ({(LAYER, 1): [10]}, [])


def test_a_layer_of_no_quads_and_no_blob() -> None:
    m = small_map()
    m.layer((0, 3, 0, 2, 0, -1, -1, 0, 0, 0))
    m.layer((0, 10, 0, 2, 0, 77, -1, 0, 0, 0))
    assert exported(imported(m.build())) == m.build()


@pytest.mark.parametrize("name", ["two\rlines", "two\nlines", "a long name " * 8, "\uffff", "ends with .png", "x.opus"])
def test_names_that_blender_shows_otherwise(name: str) -> None:
    m = small_map()
    m.group(name[:8])  # such a name has at most 11 bytes
    m.tiles(4, 3, tile(1) * 12, image=m.image(name, 64, 64), title=name[:8])
    m.sound(name, b"OggS")
    m.envelope(4, [point(0, 0, 0, 0, 0, 0)], name[:8])
    data = m.build()
    assert exported(imported(data)) == data


def shared_layer() -> bytes:
    """The second layer of the first group is the first of the second, too, and has an automapper."""
    m = Map()
    m.version()
    m.group("Game")
    m.tiles(4, 3, bytes(48), flags=GAME, title="Game")
    m.tiles(4, 3, tile(1) * 12, title="Both")
    m.uuid_item(AUTOMAPPER, (1, 0, 1, 3, 5, 0))
    m.group("Other")
    shared = teeworlds_fuzz.opened(m.build())
    teeworlds_fuzz.set_words(shared, [item[0] for item in shared.items].index(4) + 1, 5, 1, 1)
    return shared.build()


def test_a_layer_in_two_groups_with_an_automapper() -> None:
    data = shared_layer()
    level = imported(data)
    assert exported(level) == data
    layer(level, 0)["detail"] = True
    assert changes(data, exported(level)) == ({(LAYER, 0): [2]}, [])
    both = [layer(level, number) for number in (1, 2)]
    both[0].color[0] = 0.0
    with pytest.raises(SceneError, match="1 Both, 2 Both: the map has this layer in 2 places") as caught:
        exported(level)
    assert caught.value.objects == both
    bpy.data.objects.remove(both[1])
    items, _ = parse(exported(level))
    assert items[LAYER, 1][7] == 0


def test_an_image_that_cannot_be_read_is_no_other_image(tmp_path) -> None:
    """The file of that name in a folder is another picture: it must not get into the map."""
    (tmp_path / "art.png").write_bytes(images.png(np.zeros((4, 4, 4), np.uint8)))
    m = small_map()
    m.item(IMAGE, (1, 4, 4, 0, m.text("art"), m.blob(b"", stored=b"damaged", size=64)))
    level = imported(m.build(), mapres_directory=str(tmp_path))
    assert images.is_placeholder(image(level, 0))
    assert exported(level) == m.build()


# ---- pictures that cost far more than their bytes


def pictures(count: int, side: int) -> bytes:
    """A map with images that are all the same blob."""
    m = small_map()
    at = m.blob(bytes(4 * side * side))
    for number in range(count):
        m.item(IMAGE, (1, side, side, 0, m.text(f"picture {number}"), at))
    return m.build()


def test_pictures_beyond_the_limit_are_placeholders(monkeypatch) -> None:
    monkeypatch.setattr(binary, "PIXEL_LIMIT", 3 * 64 * 64 + 300)
    data, report = pictures(5, 64), Report()
    level = imported(data, report)
    shown = originals.resources(level, layout.IMAGE).values()
    assert [images.is_placeholder(one) for one in shown] == [False, False, False, True, True]
    assert [tuple(one.size) for one in shown][3:] == [(16, 16), (16, 16)], "nor are placeholders larger"
    assert [warning.partition(":")[0] for warning in report.warnings] == [
        "image 'picture 3' shows a placeholder",
        "image 'picture 4' shows a placeholder",
    ]
    assert exported(level) == data


@pytest.mark.slow
@pytest.mark.cpu_seconds(40)
def test_32_large_pictures_of_one_blob() -> None:
    """268 kB that were 98 s and 825 MiB."""
    data = pictures(32, 8192)
    assert len(data) < 300_000
    assert exported(imported(data)) == data


def test_layers_drawn_from_images_are_limited_too(monkeypatch) -> None:
    monkeypatch.setattr(binary, "PIXEL_LIMIT", 2 * 40 * 30)
    m = small_map()
    for number in range(3):
        m.tiles(40, 30, tile(1) * 1200, title=f"large {number}")
    report = Report()
    level = imported(m.build(), report, large_layer=100)
    assert [layer(level, number)[layout.STORAGE] for number in (1, 2, 3)] == [layout.PLANE, layout.PLANE, layout.KEPT]
    assert any("shows no tiles: 1,200 pixels" in warning for warning in report.warnings)
    assert exported(level) == m.build()
    layer(level, 3)["layer_name"] = "renamed"
    assert changes(m.build(), exported(level)) == ({(LAYER, 3): [15, 16]}, [])


def test_noise_is_no_layer() -> None:
    m = small_map()
    m.tiles(16, 16, noise(1024), title="noise")
    assert unedited(m.build())
