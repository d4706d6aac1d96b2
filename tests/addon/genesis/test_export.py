"""A scene laid over its original: nothing edited gives the same bytes, an edit changes what it means and no more."""

from levelwright.addon.scene.reports import Report

from tests.addon.genesis.export_helpers import exported, imported
from tests.formats.genesis_bytes import whole_level


def test_an_unedited_scene_is_the_original_byte_for_byte():
    data = whole_level()
    report = Report()
    assert exported(imported(data), report) == data
    assert not report.warnings and not report.notes and "left out" not in report.summary(), report.lines()
