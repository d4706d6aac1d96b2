# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the game looks: how much of a map it shows, and where players appear."""

import pytest

from formats import teeworlds
from formats.teeworlds import camera
from tests.formats.teeworlds_bytes import small_map, tile


def test_how_much_the_game_shows() -> None:
    assert camera.view_size(16 / 9) == pytest.approx((44.683, 25.134), abs=1e-3)
    assert camera.view_size(4.0) == pytest.approx((1500 / 32, 1500 / 32 / 4))  # no more than 1500 px side by side
    assert camera.view_size(0.5) == pytest.approx((1050 / 32 / 2, 1050 / 32))  # nor 1050 above each other


def test_where_players_appear() -> None:
    spawns = small_map(4, 3, bytes(4 * 6) + tile(193) + bytes(4 * 5))
    assert camera.spawn(teeworlds.read(spawns.build())) == (2.5, 1.5)
    assert camera.spawn(teeworlds.read(small_map(4, 3, bytes(4 * 12)).build())) == (2, 1.5)
