# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush models that no entity has any more, taken away with all that hangs on them: the inverse of `brush_models.add`.

Patch files and scripts name models by their numbers, as entities do: those of others stay as they are. So of the last
models nothing is left, and of others an empty row, which a model that is added takes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from ...arrays import Bools, Ints, Records
from ...binary import FormatError
from .. import geometry
from ..collision import physcollide
from ..collision.physcollide import PhysCollide
from ..edits import brush_models, brush_numbers, leaf_lumps, new_light
from ..edits.brush_tables import held, is_wiped
from ..edits.changes import Changes
from ..edits.compaction import compact
from ..edits.living import Living
from ..entities.text import MODEL
from ..level import Level
from ..lumps import LumpId
from ..tree import brushes, empty_models
from . import face_rows

WHAT = "models that are taken out"


def settle(level: Level, gone: Collection[int], moved: Mapping[int, int] | None = None) -> None:
    """Take models away, with their faces and the light of these, brushes, trees and collision, and have others take
    their places: entities follow.

    gone: their numbers, and those of `empty` ones that nothing needs: at the table's end these go, before others empty
    rows stay. moved: the new numbers of others, by the old ones: of models that are gone, or that move as well. Brushes
    that edits have wiped go, and overlays lose the faces.

    Raises FormatError for the world, models that aren't there, and models with displacements or with faces that are in
    leafs of others.
    """
    moved = {} if moved is None else moved
    for model in gone:
        brush_models.check_model(level, model)
    changes = Changes(level)
    which = np.array(sorted(gone), np.int64)
    before = level.table(LumpId.MODELS)[which]
    _drop_faces(changes, before)
    _put_models(changes, which, empty_models.empty(level), moved)
    _check_lists(changes, before)
    unnamed = ~Living(level, changes.peek).rows(LumpId.BRUSHES)
    unnamed &= changes.living_before.rows(LumpId.BRUSHES) | is_wiped(changes.table(LumpId.BRUSHES), LumpId.BRUSHES)
    collision = brush_numbers.close(changes, np.flatnonzero(unnamed), level.physcollide)
    _put_collision(changes, collision, set(gone), moved)
    lengths = leaf_lumps.cube_lengths(level)
    compact(changes, closed=True)
    changes.apply()
    leaf_lumps.keep_versions(level, lengths)
    for entity in level.entities:
        if entity.model is not None and entity.model in moved:
            entity.set(MODEL, f"*{moved[entity.model]}")


def _faces_of(models: Records, count: int) -> Bools:
    """Which of `count` faces are of models, bool[count]."""
    steps = np.zeros(count + 1, np.int64)
    first, counts = models["firstface"].astype(np.int64), models["numfaces"].astype(np.int64)
    if ((counts > 0) & ((first < 0) | (first + counts > count))).any() or (counts < 0).any():
        raise FormatError("their faces aren't there", WHAT)
    np.add.at(steps, first[counts > 0], 1)
    np.add.at(steps, (first + counts)[counts > 0], -1)
    return np.asarray(np.cumsum(steps[:-1]) > 0)


def _drop_faces(changes: Changes, models: Records) -> None:
    """Take the faces of models out, and of leafs' lists, which have to be those of their own leafs."""
    level = changes.level
    faces = level.table(geometry.drawn_faces(level))
    gone = _faces_of(models, len(faces))
    if not gone.any():
        return
    if (faces["dispinfo"][gone] >= 0).any():
        raise FormatError("displacements are on their faces", WHAT)
    list(face_rows.tables(changes))
    now, _ = face_rows.put(changes, geometry.polygons(level), gone, [], np.zeros(0, np.int64))
    listed = changes.table(LumpId.LEAFFACES)
    numbers = listed["face"].astype(np.int64)
    known = numbers < len(now)
    held(listed, "face", slice(None), np.where(known, np.maximum(now[np.where(known, numbers, 0)], 0), numbers))
    new_light.drop(changes)


def _check_lists(changes: Changes, models: Records) -> None:
    """Raise FormatError where leafs of models that stay list faces of models."""
    listed = changes.level.table(LumpId.LEAFFACES)["face"].astype(np.int64)
    gone = _faces_of(models, len(changes.level.table(geometry.drawn_faces(changes.level))))
    used = Living(changes.level, changes.peek).rows(LumpId.LEAFFACES)
    if gone[listed[used & (listed < len(gone))]].any():
        raise FormatError("their faces are in leafs of others", WHAT)


def _put_models(changes: Changes, gone: Ints, blank: Bools, moved: Mapping[int, int]) -> None:
    """Write MODELS: rows of models that are gone empty, as `blank` ones are, others where they move to."""
    before = changes.table(LumpId.MODELS)
    made, stays = before.copy(), np.ones(len(before), np.bool_)
    stays[gone] = stays[list(moved)] = False
    for old, new in moved.items():
        made[new], stays[new] = before[old], True
    count = int(np.flatnonzero(stays)[-1]) + 1
    rows = gone[(gone < count) & ~stays[gone] & ~blank[gone]]
    made["headnode"][rows] = _add_nothing(changes, rows)
    for name in ("numfaces", "mins", "maxs", "origin"):
        made[name][rows] = 0
    changes.set_table(LumpId.MODELS, made[:count])


def _add_nothing(changes: Changes, rows: Ints) -> Ints:
    """Add a node and a leaf, in which nothing is, for each of some models, int64[n]; the nodes, int64[n].

    They are like the model's head node and its first leaf, which say what else there is to say.
    """
    nodes, leafs, level = changes.table(LumpId.NODES), changes.table(LumpId.LEAFS), changes.level
    if not len(rows):
        return np.zeros(0, np.int64)
    brushes.of_models(level)  # raises for what is no tree
    heads = level.table(LumpId.MODELS)["headnode"][rows].astype(np.int64)
    first = np.array([brush_models.tree_of(level, model)[1][0] for model in rows.tolist()])
    pair, room = nodes[heads].copy(), leafs[first].copy()
    places = len(leafs) + np.arange(len(rows))
    for name in ("mins", "maxs", "firstface", "numfaces"):
        pair[name] = 0
    pair["planenum"] = nodes["planenum"][int(level.table(LumpId.MODELS)["headnode"][0])]  # one that is there anyway
    for name in ("contents", "mins", "maxs", "firstleafface", "numleaffaces", "firstleafbrush", "numleafbrushes"):
        room[name] = 0
    room["cluster"] = room["leaf_water_data_id"] = -1
    held(pair, "children", slice(None), np.column_stack([-1 - places, -1 - places]))
    changes.append(LumpId.LEAFS, room)
    leaf_lumps.extend(changes, len(leafs), first)
    return changes.append(LumpId.NODES, pair) + np.arange(len(rows))


def _put_collision(changes: Changes, found: PhysCollide, gone: Collection[int], moved: Mapping[int, int]) -> None:
    """Write PHYSCOLLIDE without models that are gone, others with their new numbers. found: what it was else."""
    kept = [replace(each, model=moved.get(each.model, each.model)) for each in found.models if each.model not in gone]
    before = changes.level.physcollide
    if found is not before or [each.model for each in kept] != [each.model for each in before.models]:
        kept.sort(key=lambda each: each.model)
        made = PhysCollide(kept, found.ended, found.last, found.trailing)
        changes.set_bytes(LumpId.PHYSCOLLIDE, physcollide.encode(made, changes.level.byte_order))
