# SPDX-License-Identifier: GPL-3.0-or-later
"""A compiled level as a `.map` again (genesis.md §4.4): the same space, solid where it was, with the same textures.

How brushes were cut, named and grouped isn't in the file. What the compiler filled beyond the walls is solid in it, and
so is it here, as far as the models' boxes reach.
"""

from __future__ import annotations

import numpy as np

from ...counting import number_of
from ...steps import Steps, Stepwise, quietly
from .. import textures
from ..entities import MODEL_KEY, Brush, Entity
from ..map_file import MapLevel
from ..records import BrushFlag, FaceArray, FaceFlag, new_faces, texture_field
from . import surfaces as faces_of_levels
from .level import CompiledLevel
from .records import ChunkId
from .solids import UNSEEN, ConvexPiece, SidePlanes, recovered
from .tree import LevelTree, regions, tree_of

_DOORS = int(BrushFlag.AREA | BrushFlag.DETAIL)
"""What the compiler gives to the copies of models' area brushes in the world."""
_FIELDS = (
    "u_vec", "v_vec", "draw_scale_x", "draw_scale_y", "offset_x", "offset_y",
    "face_light", "reflective_scale", "alpha", "mip_map_bias",
)  # fmt: skip


@Stepwise
def to_map(level: CompiledLevel) -> Steps[tuple[MapLevel, list[str]]]:
    """The level as a `.map`, and what of it has no place there. Raises FormatError for a tree that isn't sound."""
    tree = tree_of(level)
    drawn = faces_of_levels.of_level(level)
    yield
    appearance = _appearance(level)
    left_out, entities = [], []
    for number, entity in enumerate(level.entities or [Entity()]):  # the first is the world, whatever else is there
        made = Entity(list(entity.pairs), flags=entity.flags, motion=entity.motion)
        model = _model_of(entity, number, len(tree.roots))
        if model >= 0:
            if number:
                made.remove(MODEL_KEY)
            contents = _contents(tree, model)
            yield
            found = list(regions(tree, model, contents))
            yield
            # Hostile planes: what encloses nothing is left out.
            pieces, planes, lost = yield from quietly(recovered(level, tree, model, found, drawn.only(model)))
            yield
            made.brushes[:] = [_brush(piece, planes, appearance) for piece in pieces]
            if lost:
                left_out.append(
                    f"{number_of(lost, 'regions')} of {entity.name or 'the world'} that enclose next to nothing"
                )
        entities.append(made)
    return MapLevel(entities), left_out


def _model_of(entity: Entity, number: int, count: int) -> int:
    """The number of an entity's model; -1: it has none."""
    if number == 0:
        return 0 if count else -1
    text = entity.get(MODEL_KEY) or ""
    return int(text) if text.isdecimal() and len(text) < 6 and 0 < int(text) < count else -1


def _contents(tree: LevelTree, model: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The contents of leafs; of the world, without the copies of area brushes, which the compiler makes anew."""
    door = tree.contents & int(BrushFlag.AREA) != 0
    return np.where(door, tree.contents & ~_DOORS, tree.contents) if model == 0 else tree.contents


def _appearance(level: CompiledLevel) -> FaceArray:
    """Each texinfo as a face without a plane, and behind them one for what nobody sees."""
    infos, names = level.table(ChunkId.TEXINFOS), level.table(ChunkId.TEXTURES)["name"]
    made = new_faces(len(infos) + 1)
    for name in _FIELDS:
        made[name][:-1] = infos[name]
    made["flags"][:-1] = infos["flags"] & ~int(FaceFlag.NO_LIGHTMAP)
    number = infos["texture"].astype(np.int64)
    known = (number >= 0) & (number < len(names))
    made["tex_name"][:-1][known] = names[number[known]]
    made["tex_name"][-1] = names[0] if len(names) else texture_field("")
    return made


def _brush(piece: ConvexPiece, planes: SidePlanes, appearance: FaceArray) -> Brush:
    """A piece as a brush. A side that nobody sees has the texture of one that is seen, along the axes."""
    laid = np.array([piece.texinfos[side] for side in piece.sides])
    order = np.arange(len(laid))
    if piece.contents & int(BrushFlag.SHEET):  # only its first side is visible
        order = np.argsort(laid == UNSEEN, kind="stable")
    laid = laid[order]
    faces = appearance[laid].copy()
    normals, dists = planes.of([piece.sides[place] for place in order.tolist()])
    faces["normal"], faces["dist"] = normals + 0.0, dists + 0.0
    hidden = laid == UNSEEN
    if hidden.any():
        fresh = new_faces(int(hidden.sum()))
        fresh["normal"], fresh["dist"] = faces["normal"][hidden], faces["dist"][hidden]
        seen = laid[~hidden]
        fresh["tex_name"] = appearance["tex_name"][seen[0] if len(seen) else UNSEEN]
        textures.lay(fresh)
        faces[hidden] = fresh
    return Brush(piece.contents, faces)
