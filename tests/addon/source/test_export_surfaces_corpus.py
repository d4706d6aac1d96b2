"""Surfaces of real maps: nothing edited changes nothing."""

from pathlib import Path

import bpy
from levelwright.addon.scene import originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.source import displacement_reader, face_reader, lightmap_reader, material_reader, scene_reader
from levelwright.addon.source.settings import ExportSettings
from levelwright.formats import source

from tests.addon.source.test_import_corpus import imported, maps

STEPS = (displacement_reader.apply, material_reader.apply, face_reader.apply, lightmap_reader.apply)


def test_nothing_edited_changes_nothing(corpus: Path) -> None:
    for path in maps(corpus):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        level, _, _ = imported(path)
        original = originals.find(level)
        made, report = source.read(original.data), Report()
        with scene_reader.read(bpy.context, level, original) as scene:
            for step in STEPS:
                try:
                    step(scene, made, ExportSettings(), report)
                except SceneError as error:
                    raise AssertionError(f"{path.name}: {error}") from error
        assert source.write(made) == original.data, path.name
        assert not report.lines()[1:], (path.name, report.lines())
