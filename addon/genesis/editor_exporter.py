# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a `.3dt`: groups, models, entities, the tree of brushes and the head, merged into the original."""

from __future__ import annotations

from collections import Counter

from ...formats import genesis
from ...formats.genesis import geometry, typedefs
from ...formats.genesis.editor_level import VERSION, Level3dt
from ...formats.genesis.headers import DeclaredClasses
from ...formats.genesis.upgrade import upgraded
from ..scene.reports import Report
from ..scene.work.progress import Steps
from .brushes.collect import BrushCollector, tell_orders
from .brushes.collect_editor import EditorBrushes
from .classes.kept import kept_types
from .classes.types import Types, declared_types, known_types
from .context import ExportContext
from .entities.collect_editor import collect_editor_entities
from .groups.collect import collect_groups
from .models.collect import collect_editor_models, key_time_of
from .motions.collect import Poses
from .parts.collect import collect_parts
from .world.collect import collect_editor_level


def merged(original: Level3dt | None, exporting: ExportContext) -> Steps[Level3dt]:
    """The level that the scene shows: the original with what was edited, or a new one. Raises SceneError.

    A level of a version before 1.31 becomes one of 1.31, as when the editor saves it.
    """
    level = original if original is not None else genesis.new_level("3dt")
    was = level.version
    if was < VERSION:
        level = upgraded(level)
    level.leaves()  # reads brushes that are left as text
    yield
    yield from _merge(level, exporting, known=original is not None)
    if was < VERSION and exporting.changed:
        exporting.note(f"version {was[0]}.{was[1]} became {level.version[0]}.{level.version[1]}")
    return level


def _merge(level: Level3dt, exporting: ExportContext, known: bool) -> Steps[None]:
    """Merge the whole scene into a level. known: it is the original."""
    leaves = [(number, brush) for number, brush, _ in level.numbered_brushes() if brush.children is None]
    shape = geometry.of_editor(leaves) if known else None
    parts = collect_parts(exporting.collection, exporting.token, exporting.report)
    collector = BrushCollector(exporting, shape, "3dt")
    solids = yield from collector.collect(exporting.context, parts, Poses(exporting.scene, key_time_of).of)
    groups = collect_groups(exporting, level, parts.groups)
    models = collect_editor_models(exporting, level, parts.models, parts.root)
    yield
    types = _types(level, exporting)
    yield from collect_editor_entities(exporting, level, parts.entities, parts.root, types, groups)
    tell_orders(exporting, parts.all_brushes(), _orders(level).get)
    yield
    EditorBrushes(exporting, level, shape, collector, models, groups).write(parts.brushes, solids)
    yield
    collect_editor_level(exporting, level, parts.root)
    for kind, count in (
        ("brushes", len(level.leaves())),
        ("models", len(level.models)),
        ("entities", len(level.entities)),
        ("groups", len(level.groups)),
    ):
        exporting.report.count(kind, count)


def _types(level: Level3dt, exporting: ExportContext) -> Types:
    """The classes that are known: from headers, of this export or the import, else as far as other entities tell."""
    declared = declared_types(exporting.settings, level, Report())
    kept = kept_types(exporting.collection)
    return typedefs.seen(level.entities) | kept | known_types(DeclaredClasses(list(declared)))


def _orders(level: Level3dt) -> dict[int, int]:
    """The place of each brush among those of its parent, by its number."""
    counts: Counter[int] = Counter()
    result = {}
    for number, _, parent in level.numbered_brushes():
        result[number] = counts[parent]
        counts[parent] += 1
    return result
