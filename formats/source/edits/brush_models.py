# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush models, rebuilt of convex pieces: doors, lifts and triggers of another shape (source.md §2.4, §2.8, §3).

Planes, brushes with their bevels, faces, the model's own tree, and what collides. All other models keep their numbers:
rows that the model had are used again, more are put behind the tables, and those that are left over name nothing.
"""

from collections.abc import Sequence

import numpy as np

from ... import ranges
from ...arrays import Floats, Ints, Records
from ...binary import FormatError
from ...convex import Polygons
from .. import geometry
from ..collision import physcollide
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from ..tables.references import PER_LEAF
from ..tree import brushes as level_brushes
from . import brush_collision, brush_pieces, brush_tree, leaf_lumps, new_light
from .brush_faces import NEW, Face, FaceEdit, is_sliver, level_faces, plane_of
from .brush_pieces import WHAT, Piece
from .brush_tables import GROWING, cut, held, plane_numbers, slots, wipe
from .brush_tree import Tree
from .changes import FARTHEST, Changes, room_for
from .compaction import compact

__all__ = ["NEW", "Face", "Piece", "add", "contents_of", "faces", "pieces", "rebuild"]

faces = level_faces

_SAME_NORMAL, _SAME_PLACE = 1e-3, 2e-3
"""How far a side may be from one that was there, at its corners in units, to be that one."""


def pieces(level: Level, model: int) -> list[Piece]:
    """The pieces of a model as they are: its brushes without bevels, in their order. Raises FormatError."""
    check_model(level, model)
    brushes, sides, planes = (level.table(lump) for lump in (LumpId.BRUSHES, LumpId.BRUSHSIDES, LumpId.PLANES))
    found = []
    for brush in np.flatnonzero(level_brushes.of_models(level) == model).tolist():
        own = _sides_of(brushes, np.array([brush]), sides)
        own = own[own["bevel"] == 0]
        if len(own) and int(own["planenum"].max()) >= len(planes):
            raise FormatError(f"brush {brush} has a plane that isn't there", WHAT)
        used = planes[own["planenum"]]
        found.append(
            Piece(
                used["normal"].astype(np.float64),
                used["dist"].astype(np.float64),
                own["texinfo"].astype(np.int64),
                int(brushes["contents"][brush]),
            )
        )
    return found


def add(
    level: Level,
    solids: Sequence[Piece],
    drawn: Sequence[Face],
    unseen: Sequence[Face] = (),
    like: Sequence[Piece] = (),
    place: Floats | None = None,
) -> int:
    """Add a brush model behind those that there are; its number. Arguments as of `rebuild`; all faces are new ones.

    like: what it is a copy of: sides that are still where those are have their very planes.

    Raises FormatError as `rebuild` does, and for one too many.
    """
    if not len(level.table(LumpId.MODELS)):
        raise FormatError("the map has no world, which comes before all others", WHAT)
    touched = (LumpId.MODELS, LumpId.NODES, LumpId.LEAFS, *PER_LEAF)
    before = {lump: bytes(level.bytes_of(lump)) for lump in touched}
    versions = level.file.entries["version"].copy()
    model = _add_empty(level)
    try:
        _rebuild(level, model, solids, drawn, unseen, like, place, is_new=True)
    except FormatError:
        for lump, data in before.items():
            if data != level.bytes_of(lump):
                level.set_bytes(lump, data)
        level.file.entries["version"] = versions
        raise
    return model


def _add_empty(level: Level) -> int:
    """Add a model of a node and two leafs, in which nothing is; its number."""
    changes = Changes(level)
    models, nodes, leafs = (changes.table(lump) for lump in (LumpId.MODELS, LumpId.NODES, LumpId.LEAFS))
    for lump, table, more in ((LumpId.MODELS, models, 1), (LumpId.NODES, nodes, 1), (LumpId.LEAFS, leafs, 2)):
        room_for(level, lump, len(table), more)
    row, node, pair = np.zeros(1, models.dtype), np.zeros(1, nodes.dtype), np.zeros(2, leafs.dtype)
    pair["cluster"] = pair["leaf_water_data_id"] = -1
    if len(models) > 1:  # what leafs say of themselves besides: which sky they see
        old_nodes, old_leafs = tree_of(level, len(models) - 1)
        node[:] = nodes[old_nodes[:1]] if len(old_nodes) else node
        pair[:] = leafs[old_leafs[0]]
    for name in ("firstleafface", "numleaffaces", "firstleafbrush", "numleafbrushes"):
        pair[name] = 0
    pair["contents"] = 0, Contents.SOLID
    lengths = leaf_lumps.cube_lengths(level)
    first_leaf = changes.append(LumpId.LEAFS, pair)
    leaf_lumps.extend(changes, first_leaf, np.array([first_leaf - 1]))
    node["children"], node["firstface"], node["numfaces"] = (-1 - first_leaf, -2 - first_leaf), 0, 0
    held(row, "headnode", 0, changes.append(LumpId.NODES, node))
    held(row, "firstface", 0, len(level.table(geometry.drawn_faces(level))))
    model = changes.append(LumpId.MODELS, row)
    changes.apply()
    leaf_lumps.keep_versions(level, lengths)
    return model


def contents_of(level: Level, texinfos: Ints) -> int | None:
    """The contents that most brushes have with a side of the textures of texinfos int64[n]; None: there are none.

    Compilers make contents of the textures' files; this is what they made of those that the map has.
    """
    texdata, sides = level.table(LumpId.TEXINFO)["texdata"].astype(np.int64), level.table(LumpId.BRUSHSIDES)
    brushes = level.table(LumpId.BRUSHES)
    first, counts = brushes["firstside"].astype(np.int64), brushes["numsides"].astype(np.int64)
    rows = ranges.flat(first, counts)
    owners = ranges.owners(counts)[rows < len(sides)]
    rows = rows[rows < len(sides)]
    numbers = sides["texinfo"][rows].astype(np.int64)
    known = (numbers >= 0) & (numbers < len(texdata)) & (sides["bevel"][rows] == 0)
    alike = owners[known][np.isin(texdata[numbers[known]], texdata[texinfos])]
    values, many = np.unique(brushes["contents"][alike], return_counts=True)
    return int(values[many.argmax()]) if len(values) else None


def rebuild(
    level: Level,
    model: int,
    solids: Sequence[Piece],
    drawn: Sequence[Face],
    unseen: Sequence[Face] = (),
    place: Floats | None = None,
) -> None:
    """Give a brush model another shape: solids, what collides, and drawn, the faces that are seen on their sides.

    unseen: polygons that are no faces, of a model that has none: they give the sides that they lie on their textures.
    Sides and faces that are where they were keep their planes and light; see `brush_faces` for the light of others.
    place: float64[4, 4], where the model's entity is and how it is turned, as far as the model turns with it: the light
    of new faces is looked for there.

    Raises FormatError for the world, for models with displacements and area portals, for pieces that enclose nothing or
    are too thin to collide, faces that aren't flat, overlays on faces that go, and for more than tables can have.
    """
    _rebuild(level, model, solids, drawn, unseen, pieces(level, model), place)


@np.errstate(all="ignore")  # hostile floats
def _rebuild(
    level: Level,
    model: int,
    solids: Sequence[Piece],
    drawn: Sequence[Face],
    unseen: Sequence[Face],
    old: Sequence[Piece],
    place: Floats | None,
    is_new: bool = False,
) -> None:
    """See `rebuild`. old: pieces whose sides keep their planes."""
    check_model(level, model)
    if any(piece.contents & Contents.AREAPORTAL for piece in solids):
        raise FormatError("it is an area portal, which parts the world", WHAT)
    changes = Changes(level)
    edit = FaceEdit(changes, model, place)
    edit.check([*drawn, *unseen])
    polygons = brush_pieces.polygons(list(solids))
    shapes = snapped_onto(solids, polygons, old)
    polygons = brush_pieces.polygons(shapes)
    box = np.array([polygons.positions.min(axis=0), polygons.positions.max(axis=0)])
    if np.abs(box).max() > FARTHEST:
        raise FormatError(f"it reaches further than {FARTHEST:.0f} units from its origin", WHAT)
    if any(not 0 <= number < len(changes.table(LumpId.TEXINFO)) for shape in shapes for number in shape.texinfos):
        raise FormatError("a side's texinfo isn't there", WHAT)
    tree = brush_tree.build(shapes, polygons)
    sides = [_side_of(shapes, face) for face in (*drawn, *unseen)]
    texinfos = edit.texinfos([*drawn, *unseen], len(drawn))
    for face, side, texinfo in zip((*drawn, *unseen), sides, texinfos.tolist(), strict=True):
        if side is not None and edit.plane_of(face) is None:
            shapes[side[0]].texinfos[side[1]] = texinfo
    brushes = _put_brushes(changes, model, shapes, polygons)
    order, flat, leaf_faces, counts = _on_tree(edit, tree, shapes, sides[: len(drawn)], drawn)
    edit.brushes = [int(brushes[side[0]]) if side is not None else -1 for side in (sides[n] for n in order)]
    listed = [drawn[number] for number in order]
    first = edit.put(listed, plane_numbers(changes, flat[:, :3], flat[:, 3]), texinfos[order])
    new_light.drop(changes)
    _put_tree(changes, model, tree, shapes, brushes, first, counts, leaf_faces)
    row = changes.table(LumpId.MODELS)
    row["mins"][model], row["maxs"][model] = box
    held(row, "firstface", model, first)
    held(row, "numfaces", model, len(listed))
    if not _same(pieces(level, model), shapes):
        collide = brush_collision.collision(level, model, shapes, polygons, brushes)
        changes.set_bytes(LumpId.PHYSCOLLIDE, physcollide.encode(collide, level.byte_order))
    lengths = leaf_lumps.cube_lengths(level)
    compact(changes, blanks=not is_new)  # so that `gone_models` can take out what a new one brought, and no more
    changes.check_room(GROWING)
    changes.apply()
    leaf_lumps.keep_versions(level, lengths)


def check_model(level: Level, model: int) -> None:
    """Raise FormatError for the world, and for a model that isn't there."""
    count = len(level.table(LumpId.MODELS))
    if model == 0:
        raise FormatError("model 0 is the world, which needs the compiler", WHAT)
    if not 0 < model < count:
        raise FormatError(f"model {model} isn't there, there are {count}", WHAT)


def snapped_onto(solids: Sequence[Piece], polygons: Polygons, old: Sequence[Piece]) -> list[Piece]:
    """Pieces with the very planes that the model had, where their sides are still on these."""
    normals = np.concatenate([np.zeros((0, 3)), *(piece.normals for piece in old)])
    dists = np.concatenate([np.zeros(0), *(piece.dists for piece in old)])
    made, side = [], 0
    for piece in solids:
        own, heights = brush_pieces.snapped(piece.normals), piece.dists.copy()
        for number in range(len(heights)):
            ring = polygons.positions[polygons.corners[polygons.first_corner[side] : polygons.first_corner[side + 1]]]
            side += 1
            if len(normals) and len(ring):
                off = np.abs(ring @ normals.T - dists).max(axis=0)
                same = (off <= _SAME_PLACE) & (normals @ own[number] > 1 - _SAME_NORMAL)
                if same.any():
                    nearest = int(np.where(same, off, np.inf).argmin())
                    own[number], heights[number] = normals[nearest], dists[nearest]
        made.append(Piece(own, heights, np.array(piece.texinfos, np.int64), piece.contents))
    return made


def _same(old: Sequence[Piece], new: Sequence[Piece]) -> bool:
    """Whether all that collides is where it was."""
    return len(old) == len(new) and all(
        one.contents == other.contents
        and np.array_equal(one.normals, other.normals)
        and np.array_equal(one.dists, other.dists)
        for one, other in zip(old, new, strict=True)
    )


# ------------------------------------------------------------------------------------------------------------- brushes


def _put_brushes(changes: Changes, model: int, shapes: Sequence[Piece], polygons: Polygons) -> Ints:
    """Write brushes and their sides; the number of each piece's brush."""
    old = np.flatnonzero(level_brushes.of_models(changes.level) == model)
    numbers = slots(changes, LumpId.BRUSHES, old, len(shapes))
    table, sides = changes.table(LumpId.BRUSHES), changes.level.table(LumpId.BRUSHSIDES)
    before = _sides_of(table, old, sides)
    wipe(table, LumpId.BRUSHES, old[len(shapes) :])
    table["contents"][old[len(shapes) :]] = 0
    bevel = int(before["texinfo"][before["bevel"] != 0][0]) if (before["bevel"] != 0).any() else 0
    first = 0
    for place, (number, shape) in enumerate(zip(numbers.tolist(), shapes, strict=True)):
        rings = [
            polygons.positions[polygons.corners[polygons.first_corner[n] : polygons.first_corner[n + 1]]]
            for n in range(first, first + len(shape.dists))
        ]
        first += len(shape.dists)
        made = brush_pieces.sides(shape, rings)
        was = _sides_of(table, old[place : place + 1], sides)
        if _is_same_brush(changes, was, shape):
            continue  # its bevels may be in another compiler's order
        rows = np.zeros(len(made.dists), sides.dtype)
        held(rows, "planenum", slice(None), plane_numbers(changes, made.normals, made.dists))
        held(rows, "texinfo", slice(None), np.where(made.source < 0, bevel, shape.texinfos[made.source]))
        rows["bevel"] = made.source < 0
        there = int(table["numsides"][number]) if place < len(old) else 0
        if there >= len(rows):
            start = int(table["firstside"][number])
            changes.table(LumpId.BRUSHSIDES)[start : start + len(rows)] = rows
        else:
            start = changes.append(LumpId.BRUSHSIDES, rows)
        held(table, "firstside", number, start)
        held(table, "numsides", number, len(rows))
    table["contents"][numbers] = [shape.contents for shape in shapes]
    cut(changes, LumpId.BRUSHES, old[len(shapes) :])
    return numbers


def _sides_of(table: Records, numbers: Ints, sides: Records) -> Records:
    """The sides of brushes, one brush after another. Raises FormatError for ones that aren't there."""
    first, counts = table["firstside"][numbers].astype(np.int64), table["numsides"][numbers].astype(np.int64)
    bad = (first < 0) | (counts < 0) | (first + counts > len(sides))
    if bad.any():
        raise FormatError(f"brush {numbers[int(bad.argmax())]} has sides that aren't there", WHAT)
    return sides[ranges.flat(first, counts)]


def _is_same_brush(changes: Changes, was: Records, shape: Piece) -> bool:
    """Whether the sides of a brush are a piece's, apart from bevels."""
    own = was[was["bevel"] == 0]
    planes = changes.level.table(LumpId.PLANES)[own["planenum"]]
    return (
        len(own) == len(shape.dists)
        and np.array_equal(planes["normal"], shape.normals.astype(np.float32))
        and np.array_equal(planes["dist"], shape.dists.astype(np.float32))
        and np.array_equal(own["texinfo"], shape.texinfos)
    )


# ---------------------------------------------------------------------------------------------------- faces on the tree


def _on_tree(
    edit: FaceEdit,
    tree: Tree,
    shapes: Sequence[Piece],
    sides: Sequence[tuple[int, int] | None],
    drawn: Sequence[Face],
) -> tuple[list[int], Floats, list[list[int]], Ints]:
    """Faces in the order of their nodes; the planes of these, float64[n, 4]; which of them each leaf has; how many each
    node has.
    """
    nodes, planes, leafs = [], [], []
    for number, face in enumerate(drawn):
        plane, side = edit.plane_of(face), sides[number]
        if plane is None and side is not None:
            plane = np.append(shapes[side[0]].normals[side[1]], shapes[side[0]].dists[side[1]])
        elif plane is None and face.record != NEW and is_sliver(face.points):
            plane = _nearest_side(shapes, face.points)
        elif plane is None:  # of a brush that the compiler dropped, or over several
            plane = plane_of(face.points, number)
        node, seen = tree.of_polygon(face.points, plane[:3])
        nodes.append(node)
        planes.append(plane)
        leafs.append(seen)
    order = sorted(range(len(drawn)), key=lambda number: nodes[number])
    lists: list[list[int]] = [[] for _ in tree.pieces]
    for place, number in enumerate(order):
        for leaf in leafs[number]:
            lists[leaf].append(place)
    counts = np.bincount(np.array(nodes, np.int64), minlength=len(tree.planes))
    return order, np.array(planes).reshape(-1, 4)[order], lists, counts


def _side_of(shapes: Sequence[Piece], face: Face) -> tuple[int, int] | None:
    """The piece and the side that a face lies on; of several the nearest, None where it is on none, or on several."""
    arms = face.points - face.points[0]
    normal = np.cross(np.roll(arms, -1, axis=0), arms).sum(axis=0)
    flat = not normal.any()  # all corners on a line: it looks nowhere
    best, found = brush_tree.ON, None
    for number, shape in enumerate(shapes):
        heights = face.points @ shape.normals.T - shape.dists
        off = np.where((shape.normals @ normal > 0) | flat, np.abs(heights).max(axis=0), np.inf)
        side = int(off.argmin())
        if off[side] <= best and heights.max() <= brush_tree.ON:
            best, found = float(off[side]), (number, side)
    return found


def _nearest_side(shapes: Sequence[Piece], points: Floats) -> Floats:
    """The plane float64[4] of the side that points come nearest to: of a face without an area, any will do."""
    planes = np.column_stack(
        [np.concatenate([shape.normals for shape in shapes]), np.concatenate([shape.dists for shape in shapes])]
    )
    return np.asarray(planes[int(np.abs(points @ planes[:, :3].T - planes[:, 3]).max(axis=0).argmin())])


# ---------------------------------------------------------------------------------------------------------------- tree


def _put_tree(
    changes: Changes,
    model: int,
    tree: Tree,
    shapes: Sequence[Piece],
    brushes: Ints,
    first_face: int,
    counts: Ints,
    leaf_faces: Sequence[Sequence[int]],
) -> None:
    """Write nodes and leafs with their lists of faces and brushes."""
    level = changes.level
    old_nodes, old_leafs = tree_of(level, model)
    nodes = slots(changes, LumpId.NODES, old_nodes, len(tree.planes))
    count = len(level.table(LumpId.LEAFS))
    leafs = slots(changes, LumpId.LEAFS, old_leafs, len(tree.pieces))
    leaf_lumps.extend(changes, count, old_leafs)

    table = changes.table(LumpId.NODES)
    table[nodes[len(old_nodes) :]] = table[int(old_nodes[0])] if len(old_nodes) else np.zeros(1, table.dtype)[0]
    planes = np.array(tree.planes)
    held(table, "planenum", nodes, plane_numbers(changes, planes[:, :3], planes[:, 3]))
    children = np.array(tree.children, np.int64)
    held(
        table, "children", nodes, np.where(children >= 0, nodes[children.clip(0)], -1 - leafs[(-1 - children).clip(0)])
    )
    _put_boxes(table, nodes, np.array(tree.boxes))
    held(table, "firstface", nodes, first_face + ranges.starts(counts)[:-1])
    held(table, "numfaces", nodes, counts)
    gone = old_nodes[len(nodes) :]
    wipe(table, LumpId.NODES, gone)
    cut(changes, LumpId.NODES, gone)

    rows, was = changes.table(LumpId.LEAFS), level.table(LumpId.LEAFS)[old_leafs]
    inside = np.array([bool(part) for part in tree.pieces])
    for solid in (False, True):
        alike = was[(was["contents"] != 0) == solid]
        rows[leafs[inside == solid]] = alike[0] if len(alike) else was[0]
    rows["contents"][leafs] = [
        np.bitwise_or.reduce([0, *(shapes[piece].contents for piece in part)], dtype=np.int64) for part in tree.pieces
    ]
    _put_boxes(rows, leafs, np.array(tree.leaf_boxes))
    faces_of = [[first_face + place for place in part] for part in leaf_faces]
    brushes_of = [brushes[part].tolist() for part in tree.pieces]
    _put_lists(changes, LumpId.LEAFFACES, "leafface", leafs, faces_of, old_leafs)
    _put_lists(changes, LumpId.LEAFBRUSHES, "leafbrush", leafs, brushes_of, old_leafs)
    left = old_leafs[len(leafs) :]
    wipe(rows, LumpId.LEAFS, left)
    leaf_lumps.cut_leafs(changes, left)
    held(changes.table(LumpId.MODELS), "headnode", model, int(nodes[0]))


def tree_of(level: Level, model: int) -> tuple[Ints, Ints]:
    """The nodes and the leafs of a model's tree, ascending; `brushes.of_models` has seen that it is one. Raises
    FormatError for one without leafs of its own.
    """
    children = level.table(LumpId.NODES)["children"].astype(np.int64)
    places = np.array([int(level.table(LumpId.MODELS)["headnode"][model])])
    found = [places]
    while (places >= 0).any():
        places = children[places[places >= 0]].reshape(-1)
        found.append(places)
    everything = np.unique(np.concatenate(found))
    leafs = np.unique(-1 - everything[everything < 0])
    if not len(leafs) or len(leafs) == len(level.table(LumpId.LEAFS)):
        raise FormatError("it has no leafs of its own", WHAT)
    return everything[everything >= 0], leafs


def _put_boxes(table: Records, rows: Ints, boxes: Floats) -> None:
    """Bounds as the compiler writes them, towards 0 where they are whole numbers."""
    whole = table.dtype["mins"].base.kind in "iu"
    for side, name in enumerate(("mins", "maxs")):
        values = np.trunc(boxes[:, side]).astype(np.int64) if whole else boxes[:, side]
        held(table, name, rows, values)


def _put_lists(
    changes: Changes, lump: LumpId, name: str, leafs: Ints, lists: Sequence[Sequence[int]], old: Ints
) -> None:
    """Write the lists of leafs: where the model's old ones were if they fit there, else behind all others."""
    rows, before = changes.table(LumpId.LEAFS), changes.level.table(LumpId.LEAFS)[old]
    first, many, field = f"first{name}", f"num{name}s" if name == "leafface" else "numleafbrushes", name[4:]
    counts = np.array([len(part) for part in lists], np.int64)
    flat = np.array([number for part in lists for number in part], np.int64)
    kept = before[before[many] > 0]
    start = int(kept[first].min()) if len(kept) else 0
    end = int((kept[first].astype(np.int64) + kept[many]).max()) if len(kept) else 0
    table = changes.table(lump)
    made = np.zeros(len(flat), table.dtype)
    held(made, field, slice(None), flat)
    if len(flat) <= end - start == int(kept[many].astype(np.int64).sum()) and end <= len(table):
        table[start : start + len(flat)] = made
    else:
        start = changes.append(lump, made)
    placed = start + ranges.starts(counts)[:-1]
    if lump == LumpId.LEAFFACES:  # of solid ones, the compiler says nothing
        placed[changes.table(LumpId.LEAFS)["contents"][leafs] != 0] = 0
    held(rows, first, leafs, placed)
    held(rows, many, leafs, counts)
