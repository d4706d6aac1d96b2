# SPDX-License-Identifier: GPL-3.0-or-later
"""Build as New of real levels: no face goes, and none of those gets another texture, as another reader sees it."""

import pytest
from levelwright.addon.scene.reports import Report

from tests.addon.ns2.export_helpers import CORPUS, exported, imported
from tests.addon.ns2.test_as_expected import all_of

LEVELS = (
    "ZycaR__NS2_SiegePlus/sg_zionsiege.2ef05512.level",
    "Rusty01__ns2_dmd_altair/ns2_dmd_bast.21853bb9.level",
    "ZycaR__NS2_GunGame/gg_basic.510afe6b.level",
    "DaanVanYperen__ns2-skulks-with-shotguns/s.a772a059.level",
)


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no real levels in {CORPUS}")
@pytest.mark.parametrize("name", LEVELS)
def test_a_real_level_that_is_built_as_new_has_the_same_faces(name):
    data, report = (CORPUS / name).read_bytes(), Report()
    level = imported(data, name, props="boxes", invisible="show")
    made = exported(level, report, build_as_new=True)
    assert all_of(made) == all_of(data)
