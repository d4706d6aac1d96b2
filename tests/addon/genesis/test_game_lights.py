# SPDX-License-Identifier: GPL-3.0-or-later
"""Lights that games define: sunlights and dynamic lights are lights, coronas and fog lights glow; and back."""

import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.scene.reports import Report

from tests.addon.genesis.export_helpers import exported, imported, part, reopened
from tests.addon.genesis.test_export_entities import edited
from tests.formats import genesis_3dt_text as text
from tests.formats.genesis_bytes import box, entity, level, typedef
from tests.formats.genesis_bytes import brush as brush_bytes

MORE_LIGHTS = {
    "DynamicLight": [("origin", "0 0 8"), ("MinRadius", "50"), ("MaxRadius", "200"), ("Color", "40 80 160")],
    "FogLight": [("Origin", "8 0 0"), ("Color", "255 0 0"), ("Brightness", "127.5"), ("Radius", "100")],
    "Corona": [("origin", "0 8 0"), ("MaxRadius", "20"), ("Color", "0 255 0")],
    "SunLight": [("origin", "1 2 3"), ("color", "255 255 255"), ("light", "255"), ("angles", "10 20 30")],
}
KINDS = {"radius": "float", "brightness": "float", "color": "color", "origin": "point", "angles": "point"}


def more_lights():
    """A level of each class of lights that games define, and its definition."""
    parts = [entity([brush_bytes(box())], pairs=[("TextureLib", "a.txl")])]
    parts += [entity(pairs=[("classname", name), *pairs]) for name, pairs in MORE_LIGHTS.items()]
    types = [[(key, KINDS.get(key.lower(), "int")) for key, _ in pairs] for pairs in MORE_LIGHTS.values()]
    return level([*parts, *(typedef(name, one) for name, one in zip(MORE_LIGHTS, types, strict=True))])


def test_the_lights_of_games_are_lights_or_glow(tmp_path):
    data, scale = more_lights(), layout.SCALE
    scene = imported(data)
    dynamic, fog, corona, sun = (part(scene, layout.ENTITY, number) for number in range(1, 5))
    assert [one.data.type for one in (dynamic, fog, corona, sun)] == ["POINT", "POINT", "POINT", "SUN"]
    assert dynamic.data.cutoff_distance == pytest.approx(200 * scale)
    np.testing.assert_allclose(dynamic.data.color[:], np.array([40, 80, 160]) / 255, atol=1e-6)
    assert sun.data.energy == pytest.approx(np.pi)
    for obj, size, color in ((fog, 100, (1, 0, 0)), (corona, 20, (0, 1, 0))):
        (glow,) = obj.children
        assert tuple(glow.scale) == pytest.approx((size,) * 3)
        assert glow.color[:3] == color and glow.hide_select and obj.data.diffuse_factor == 0
    assert not dynamic.children and fog.children[0].data == corona.children[0].data
    report = Report()
    assert exported(reopened(scene, tmp_path), report) == data and not report.notes and not report.warnings


def test_the_lights_of_games_write_what_was_edited_of_them():
    data, scale = more_lights(), layout.SCALE
    scene = imported(data)
    dynamic, fog, corona, sun = (part(scene, layout.ENTITY, number).data for number in range(1, 5))
    dynamic.cutoff_distance, dynamic.color = 250 * scale, (1, 0, 0)
    fog.energy *= 2
    fog.cutoff_distance = 64 * scale
    corona.color = (0, 0, 1)
    sun.energy /= 2
    assert edited(data, exported(scene)) == {
        (1, "MaxRadius"): ("200", "250"),
        (1, "Color"): ("40 80 160", "255 0 0"),
        (2, "Brightness"): ("127.5", "255"),
        (2, "Radius"): ("100", "64"),
        (3, "Color"): ("0 255 0", "0 0 255"),
        (4, "light"): ("255", "128"),
    }
    corona.energy *= 3
    report = Report()
    exported(scene, report)
    assert "no brightness of its own" in report.warnings[0]


def test_built_as_new_lights_that_nobody_edited_are_not_told():
    report = Report()
    exported(imported(more_lights()), report, build_as_new=True)
    assert not report.warnings


def test_lights_look_the_same_where_nothing_says_what_their_keys_are():
    pairs = [("classname", "DynamicLight"), *MORE_LIGHTS["DynamicLight"]]
    data = text.level((1, 31), [text.leaf()], [text.entity(pairs, (1, 31))]).encode("latin-1")
    scene = imported(data, "a.3dt")
    obj = part(scene, layout.ENTITY, 0)
    assert obj["MaxRadius"] == "200" and obj.data.cutoff_distance == pytest.approx(200 * layout.SCALE)
    report = Report()
    assert exported(scene, report) == data and not report.notes and not report.warnings
