# SPDX-License-Identifier: GPL-3.0-or-later
"""Random edits of the world of a map, and what is true of it afterwards (source.md §4)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from formats.source import Level, LumpId, check, read, world, write
from formats.source.edits.brush_pieces import Piece
from formats.source.edits.changes import joined
from formats.source.records import Contents
from formats.source.tree import leaf_tree
from formats.source.world import Carved, Change, WorldEdits
from tests.formats import source_world_faces as faces
from tests.formats.source_points import Space, blind, compared, inside, near
from tests.formats.source_rows import nameless

ALONE, SEVERAL = 1, 50
KINDS = {"added": ALONE, "deleted": ALONE, "moved": ALONE, "all": SEVERAL}
"""What is done to random brushes, and to how many."""
_FURTHEST = 40.0
"""Units that brushes are moved by along each axis."""
_MARGIN = 0.1
"""Units around sides in which points say nothing."""
_ROUNDS = 40
_NEARER = 1e-3
"""Units before a face, where a leaf that is thinner than faces.BEFORE is asked."""
PAIRS = 100_000
"""Of points, one of each near what opened, that are asked whether they see each other."""
_OF_FACE, _OF_SIDE, _MOST_SIDES = 12, 60, 150
_NEVER = Contents.WATER | Contents.SLIME | Contents.AREAPORTAL


@dataclass(slots=True)
class Proof:
    """What came of edits of one kind. brushes: how many; refused: how many were, by why. wrong: how many points, faces,
    rows aren't as they should be, by what it is. asked: of how many.
    """

    brushes: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    wrong: dict[str, int] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)

    def tell(self, what: str, wrong: int, asked: int = 0) -> None:
        """Count what is wrong."""
        self.wrong[what] = self.wrong.get(what, 0) + int(wrong)
        self.asked[what] = self.asked.get(what, 0) + int(asked)


def shifted(piece: Piece, by: np.ndarray) -> Piece:
    """A piece elsewhere."""
    return replace(piece, dists=piece.dists + piece.normals @ by)


def moved(piece: Piece, by: np.ndarray) -> Change:
    """A brush that is moved, and takes its light along."""
    move = np.eye(4)
    move[:3, 3] = by
    return Change(shifted(piece, by), np.arange(len(piece.dists)), move)


def some_edits(level: Level, kind: str, random: np.random.Generator, proof: Proof) -> WorldEdits:
    """Edits of random brushes that the map doesn't refuse."""
    shapes, beneath = world.pieces(level), world.displaced(level)
    left = [n for n, piece in shapes.items() if not piece.contents & _NEVER and n not in beneath and len(piece.dists)]
    left = random.permutation(left).tolist()
    changed: dict[int, Change] = {}
    added: list[Piece] = []
    for turn in range(2 * _ROUNDS):
        while left and turn < _ROUNDS and len(changed) + len(added) < KINDS[kind]:
            number, by = left.pop(), random.uniform(-_FURTHEST, _FURTHEST, 3)
            done = ("added", "deleted", "moved")[len(left) % 3] if kind == "all" else kind
            if done == "added":
                added.append(shifted(shapes[number], by))
            else:
                changed[number] = moved(shapes[number], by) if done == "moved" else Change(None)
        errors = world.check(level, WorldEdits(changed, added))
        if not errors:
            break
        for error in errors:
            why = error.message.partition("brush")[2].lstrip("es0123456789, ") or error.message
            proof.refused[why] = proof.refused.get(why, 0) + 1
        places = {place for error in errors for place in error.added}
        numbers = {number for error in errors for number in error.changed}
        if not places and not numbers:
            return WorldEdits()
        added = [piece for place, piece in enumerate(added) if place not in places]
        changed = {number: change for number, change in changed.items() if number not in numbers}
    else:
        return WorldEdits()
    proof.brushes = len(changed) + len(added)
    return WorldEdits(changed, added)


def undone(before: Level, after: Level, edits: WorldEdits, carved: Carved) -> WorldEdits:
    """What makes edits not to have been. Texinfos that went with the last sides that had them are put back."""
    shapes = {number: retextured(before, after, piece) for number, piece in world.pieces(before).items()
              if number in edits.changed}  # fmt: skip
    changed = {int(number): Change(None) for number in carved.added}
    added = []
    for number, change in edits.changed.items():
        if change.move is None:
            added.append(shapes[number])
        else:
            back = np.linalg.inv(change.move)
            changed[number] = Change(shapes[number], np.arange(len(shapes[number].dists)), back)
    return WorldEdits(changed, added)


def retextured(before: Level, after: Level, piece: Piece) -> Piece:
    """A piece with the numbers that its texinfos have in an edited map, into which those that are gone are put; sides
    without one stay so.
    """
    old, table, numbers = before.table(LumpId.TEXINFO), after.table(LumpId.TEXINFO), []
    for number in piece.texinfos.tolist():
        if number < 0:
            numbers.append(number)
            continue
        row = old[number : number + 1]
        place = int((*np.flatnonzero(table == row[0]), len(table))[0])
        table = joined(joined(table[:place], row), table[place + 1 :])
        numbers.append(place)
    after.set_table(LumpId.TEXINFO, table)
    return replace(piece, texinfos=np.array(numbers))


def some_points(level: Level, pieces: Sequence[Piece], count: int, random: np.random.Generator) -> np.ndarray:
    """Points float64[count, 3], half of them near pieces."""
    model = level.table(LumpId.MODELS)[0]
    around = random.uniform(model["mins"] - 8.0, model["maxs"] + 8.0, (count - count // 2, 3))
    corners = [faces.corners_of(piece) for piece in pieces]
    which = random.integers(len(corners), size=count // 2)
    low, high = (np.array([extreme(each, axis=0) for each in corners])[which] for extreme in (np.min, np.max))
    return np.concatenate([around, random.uniform(low - 16, high + 16)])


def holes(level: Level, pieces: Sequence[Piece], points: np.ndarray) -> np.ndarray:
    """bool[n]: which points in brushes are empty, as the compiler left them: a brush that is put back fills them."""
    return np.asarray(near(points, pieces, -_MARGIN) & (Space(level).contents(points) == 0))


def prove(data: bytes, kind: str, points: int, random: np.random.Generator) -> Proof:
    """Edit the world of a map, and ask points, faces and rows of it. Raises FormatError for maps that can't be."""
    before, level, proof = read(data), read(data), Proof()
    edits = some_edits(before, kind, random, proof)
    if not proof.brushes:
        return proof
    carved = world.apply(level, edits)
    after = read(write(level))
    gone = [world.pieces(before)[number] for number in carved.removed.tolist()]
    new = list(carved.shapes.values())
    asked = some_points(before, [*gone, *new], points, random)
    for what, wrong in compared(before, after, gone, new, world.pieces(after).values(), asked, _MARGIN).items():
        proof.tell(what, wrong, len(asked))
    known = {(problem.place, problem.message) for problem in check(before)}
    proof.tell("check", sum((each.place, each.message) not in known for each in check(after)))
    _sight(proof, before, after, carved, min(points, PAIRS), random)
    _faces(proof, before, after, carved, random)
    filled = asked[~holes(before, gone, asked)]
    _undo(proof, before, after, undone(before, after, edits, carved), filled, [*gone, *new], random)
    return proof


def _sight(proof: Proof, before: Level, after: Level, carved: Carved, pairs: int, random: np.random.Generator) -> None:
    """Ask who sees whom through what opened, and by how much visibility grew."""
    boxes = np.array([cell.box for cell in carved.cells.values()]).reshape(-1, 2, 3)
    if before.visibility is None or after.visibility is None or not len(boxes):
        return
    proof.tell("unseen", *blind(before, after, boxes, random, pairs))
    was, now = (int(level.matrix().sum()) for level in (before.visibility, after.visibility))
    proof.tell("more sight", now - was, was)


def _faces(proof: Proof, before: Level, after: Level, carved: Carved, random: np.random.Generator) -> None:
    """Ask faces: whether leafs list them, whether new ones are in something solid, whether all of sides is drawn."""
    fresh, same = faces.new_faces(before, after)
    proof.tell("unlisted", *_unlisted(before, after, same, random))
    was, now = faces.luxels_of(before), faces.luxels_of(after)
    other = [now.get(lump, {}).get(face) != one.get(old) for lump, one in was.items() for face, old in same.items()]
    proof.tell("luxels", sum(other), len(other))
    inner, gaps, points = faces.buried(before, after, fresh, random, _OF_FACE)
    proof.tell("in solid", inner, points)
    proof.tell("in gaps", gaps, points)
    corners, old = faces.corners_of_faces(after, faces.Map(after).world), np.array(list(same), np.int64)
    proof.tell("open edges", faces.junctions(after, fresh, corners), len(fresh))
    new = faces.corners_of_faces(after, fresh)
    proof.tell("open edges of others", faces.junctions(after, old, new), len(old))
    _drawn(proof, before, after, carved, random)


def _drawn(proof: Proof, before: Level, after: Level, carved: Carved, random: np.random.Generator) -> None:
    """Ask sides of brushes that are new or other, and those that came to be seen, whether they are drawn once."""
    sides = faces.changed_sides(after, carved) + [(part.brush, part.side) for part in carved.bare]
    chosen = sorted(set(sides))
    if len(chosen) > _MOST_SIDES:
        chosen = [chosen[place] for place in random.choice(len(chosen), _MOST_SIDES, replace=False).tolist()]
    bare, twice, _, points = faces.side_cover(after, chosen, random, _OF_SIDE, before)
    proof.tell("not drawn", bare, points)
    proof.tell("drawn twice", twice, points)


def _unlisted(before: Level, after: Level, same: dict[int, int], random: np.random.Generator) -> tuple[int, int]:
    """How many points before the world's faces are in an empty leaf that doesn't list the face, of how many; without
    those where compilers left out faces. same: of faces that were there, which they were.
    """
    here = faces.Map(after)
    flat = here.world[here.faces["dispinfo"][here.world] < 0]
    owner, points = here.before(flat, _OF_FACE, random)
    were = np.array([same.get(face, -1) for face in owner.tolist()], np.int64)
    missing = _missing(here, owner, points) & ~((were >= 0) & _missing(faces.Map(before), were, points))
    asked = np.flatnonzero(missing)
    normals = np.array([here.normal(face) for face in owner[asked].tolist()]).reshape(-1, 3)
    missing[asked] = _missing(here, owner[asked], points[asked] - (faces.BEFORE - _NEARER) * normals)
    return int(missing.sum()), len(points)


def _missing(here: faces.Map, owner: np.ndarray, points: np.ndarray) -> np.ndarray:
    """bool[n]: which points are in an empty leaf that doesn't list a face, int64[n]."""
    leafs = here.tree.of_points(points)
    owners, listed = leaf_tree.faces(here.level)
    count = len(here.faces)
    empty = here.contents[leafs] & faces.SOLID == 0
    return np.asarray(~np.isin(leafs * count + owner, owners * count + listed) & empty)


def _undo(
    proof: Proof,
    before: Level,
    after: Level,
    back: WorldEdits,
    points: np.ndarray,
    pieces: Sequence[Piece],
    random: np.random.Generator,
) -> None:
    """Edit back: contents everywhere are what they were, and no rows are left that nothing names."""
    again = read(write(after))
    errors = world.check(again, back)
    if errors:
        proof.refused[f"undone: {errors[0].message}"] = 1
        return
    carved = world.apply(again, back)
    again = read(write(again))
    _drawn(proof, before, again, carved, random)
    old, now = Space(before), Space(again)
    sure = np.ones(len(points), np.bool_)
    for piece in pieces:
        around = inside(points, piece, _MARGIN)
        sure[around] &= near(points[around], [piece], -_MARGIN)
    was, is_now = old.contents(points[sure]), now.contents(points[sure])
    other = (was != is_now) & (was & is_now & Contents.SOLID == 0)  # clips within solids have come to be listed
    proof.tell("undone", int(other.sum()), int(sure.sum()))
    were = nameless(before)
    proof.tell("dead rows", sum(max(count - were[lump], 0) for lump, count in nameless(again).items()))
