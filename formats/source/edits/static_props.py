# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of static props: the game lump `sprp`, and the files of the pak named after props' numbers (source.md §3).

A prop is drawn where one of its leafs is seen: whenever it goes elsewhere, its leafs are found anew by a box about it.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ... import ranges
from ...arrays import Bools, Floats, Ints, Records
from ...binary import FormatError
from ..container.game_lump import STATIC_PROPS
from ..container.pak import Pak
from ..level import Level
from ..lumps import LumpId
from ..placed.orientation import rotations
from ..records import Solidity
from ..sections.static_props import StaticProps, model_name
from ..tables.props import PROP_SCALE
from ..tree.leaf_tree import LeafTree, clusters
from .changes import FARTHEST, Changes, Fields, fitting, joined, put

Hulls = Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]]
"""Boxes of models, in their own units: path -> least and greatest x, y and z."""

MODEL = "model"
MARGIN = 16.0
"""Units about a box that was only guessed from leafs."""

_WHAT = "static props"
_SCALES = ("scale", "uniform_scale")
OWN = {"prop_type", "first_leaf", "leaf_count"}  # what edits see to themselves
_LIT = re.compile(
    r"(?P<kind>sp_|sp_hdr_|texelslighting_)(?P<number>\d+)(?P<ending>(?:\.360)?\.(?:vhv|ppl))", re.IGNORECASE
)
# What compilers write where the entity says nothing; fields that a version hasn't are left out.
_DEFAULTS: dict[str, npt.ArrayLike] = {
    "solid": Solidity.VPHYSICS,
    "fade_min_dist": -1,
    "forced_fade_scale": 1,
    "diffuse_modulation": (255, 255, 255, 255),
    "uniform_scale": 1,
    "scale": (1, 1, 1),
    "lightmap_res_x": 32,
    "lightmap_res_y": 32,
}


def change(level: Level, props: Mapping[int, Fields], hulls: Hulls | None = None) -> None:
    """Change fields of props, by number: those of its record, "model" (a path), and "scale" where they have a list.

    Where a prop goes, its lighting origin goes with it, unless that is among the fields. Its leafs are those that the
    box of its model touches; where `hulls` hasn't its model, a box that is just large enough for the leafs that it was
    in. A prop with another model loses its baked light, which is one of vertices; otherwise that stays as it was.

    Raises FormatError for fields that this version hasn't (scale among them) or cannot hold, for places outside the
    map, and for more leafs or models than there can be.
    """
    edit = _PropEdit(level, hulls)
    edit.there(props)
    was = edit.places()
    for number, fields in props.items():
        model = edit.props["prop_type"][number]
        edit.set(number, fields)
        if edit.props["prop_type"][number] != model:
            edit.drop_light(number)
    now = edit.places()
    for number, fields in props.items():
        if "lighting_origin" in edit.fields and "lighting_origin" not in fields:
            delta = now.origins[number] - was.origins[number]
            if delta.any() and np.isfinite(edit.props["lighting_origin"][number]).all():
                edit.props["lighting_origin"][number] += delta.astype(np.float32)
    moved = now.differ(was)
    edit.find_leafs({number: number for number in props if moved[number]}, was)
    edit.apply()


def add(level: Level, props: Sequence[Fields], hulls: Hulls | None = None) -> list[int]:
    """Add props behind the others; returns their numbers. props: fields as in `change`, "model" and "origin" at least.

    Fields that are left out are those that compilers take by default. Raises FormatError as `change` does, and where
    neither `hulls` nor another prop of the map tells how large a model is.
    """
    edit = _PropEdit(level, hulls)
    edit.countable()
    first = len(edit.props)
    for fields in props:
        if MODEL not in fields or "origin" not in fields:
            raise FormatError(f"a new prop needs {MODEL!r} and 'origin'", _WHAT)
    edit.props = joined(edit.props, np.zeros(len(props), edit.props.dtype))
    edit.leafs += [np.zeros(0, np.int64)] * len(props)
    numbers = list(range(first, len(edit.props)))
    for number, fields in zip(numbers, props, strict=True):
        usual = {name: value for name, value in _DEFAULTS.items() if name in edit.fields}
        usual["lighting_origin"] = fields["origin"]
        edit.set(number, {name: value for name, value in usual.items() if name in edit.fields} | dict(fields))
    now = edit.places()
    alike = {number: edit.like(number) for number in numbers}
    edit.find_leafs(alike, now)
    edit.apply()
    return numbers


def copy_light(level: Level, numbers: Mapping[int, int]) -> None:
    """Have props the baked light of others of the same model: number -> number of the other one.

    Copies the files of the pak that are named after the other one, if there are any.
    """
    if not numbers or not len(level.bytes_of(LumpId.PAKFILE)):
        return
    changes = Changes(level)
    lit: dict[int, list[tuple[str, str, str]]] = {}
    for name in changes.pak.names:
        match = _LIT.fullmatch(name.rsplit("/", 1)[-1])
        if match:
            lit.setdefault(int(match["number"]), []).append(
                (name, name[: -len(match[0])] + match["kind"], match["ending"])
            )
    for number, other in numbers.items():
        for name, head, ending in lit.get(other, ()):
            changes.pak.put(f"{head}{number}{ending}", changes.pak.read(name))
    changes.apply()


def remove(level: Level, numbers: Collection[int]) -> None:
    """Remove props; those behind move up, and the files with their baked light are renamed after their new numbers.

    Raises FormatError for numbers that aren't there, and in maps of Left 4 Dead 2 that have the collision of props.
    """
    edit = _PropEdit(level, None)
    edit.countable()
    edit.there(numbers)
    kept = np.ones(len(edit.props), np.bool_)
    kept[list(numbers)] = False
    edit.keep(kept)
    edit.apply()


@dataclass(frozen=True, slots=True)
class _Places:
    """Where props are, how they are turned, how large, and which models they are."""

    origins: Floats  # [n, 3]
    angles: Floats  # [n, 3]
    scales: Floats  # [n, 3]
    models: Ints  # [n]

    def differ(self, other: "_Places") -> Bools:
        """Which are no longer as they were."""
        pairs = ((self.origins, other.origins), (self.angles, other.angles), (self.scales, other.scales))
        moved = np.any([((one != two) & (one == one)).any(axis=1) for one, two in pairs], axis=0)
        return np.asarray(moved | (self.models != other.models))

    def turned(self, number: int, other: "_Places", of: int) -> bool:
        """Whether a prop is turned or scaled otherwise than prop `of` was."""
        same = np.array_equal(self.angles[number], other.angles[of])
        return not (same and np.array_equal(self.scales[number], other.scales[of]))


class _PropEdit:
    """The props of a level while they are changed."""

    def __init__(self, level: Level, hulls: Hulls | None) -> None:
        found = level.static_props
        if found is None:
            raise FormatError(f"the map has no game lump {STATIC_PROPS!r}", _WHAT)
        if found.props is None:
            raise FormatError(found.reason or "what a prop's record is, is not known", _WHAT)
        self.lump: StaticProps = found
        self.changes = Changes(level)
        self.hulls = {_folded(path): box for path, box in (hulls or {}).items()}
        self.props: Records = found.props.copy()
        self.fields = self.props.dtype.names or ()
        self.models = found.models
        self.new_models: list[Records] = []
        self.scales = None if found.scales is None else found.scales.copy()
        first, counts = (self.props[name].astype(np.int64) for name in ("first_leaf", "leaf_count"))
        if (first + counts > len(found.leafs)).any():
            raise FormatError("a prop has leafs that aren't in the list", _WHAT)
        flat = found.leafs["leaf"].astype(np.int64)[ranges.flat(first, counts)]
        if len(flat) and flat.max() >= len(level.table(LumpId.LEAFS)):
            raise FormatError(f"a prop is in leaf {flat.max()} of {len(level.table(LumpId.LEAFS))}", _WHAT)
        kinds = self.props["prop_type"].astype(np.int64)
        if len(kinds) and kinds.max() >= len(self.models):
            raise FormatError(f"a prop has model {kinds.max()} of {len(self.models)}", _WHAT)
        self.leafs: list[Ints] = np.split(flat, np.cumsum(counts)[:-1]) if len(counts) else []
        self._leafs_before = flat, counts

    def countable(self) -> None:
        """Raise FormatError where props or models cannot become more or fewer: something unknown is numbered alike."""
        level = self.changes.level
        if level.has_prop_collision:
            raise FormatError("lump 22 has the collision of props, nobody knows in which order", _WHAT)

    def there(self, numbers: Collection[int]) -> None:
        """Raise FormatError for numbers of no prop."""
        for number in numbers:
            if not 0 <= number < len(self.props):
                raise FormatError(f"prop {number} isn't there, there are {len(self.props)}", _WHAT)

    def set(self, number: int, fields: Fields) -> None:
        """Set fields of a prop. Raises FormatError."""
        what = f"static prop {number}"
        rest = dict(fields)
        for name in OWN & rest.keys():
            raise FormatError(f"{name} follows from the others and cannot be set", what)
        if MODEL in rest:
            rest["prop_type"] = self._model(rest.pop(MODEL))
        if "scale" in rest and self.scales is not None:
            self._scale(number, rest.pop("scale"), what)
        put(self.props, number, rest, what)

    def _scale(self, number: int, scale: object, what: str) -> None:
        """Put the scale of a prop into the list that Vindictus has."""
        if self.scales is None:
            return
        row = np.flatnonzero(self.scales["prop"] == number)
        if not len(row):
            entry = np.zeros(1, self.scales.dtype)
            entry["prop"], entry["scale"] = number, 1
            self.scales = joined(self.scales, entry)
            row = np.array([len(self.scales) - 1])
        self.scales["scale"][row[0]] = fitting(scale, self.scales["scale"][row[0]], f"scale of {what}")

    def _model(self, path: str) -> int:
        """The number of a model, which is added to the dictionary if it isn't there. Raises FormatError."""
        known = [_folded(each) for each in self.models]
        if _folded(path) in known:
            return known.index(_folded(path))
        self.countable()
        if self.lump.extra_names is not None:
            raise FormatError(f"model {path!r}: nobody knows what goes into the second dictionary", _WHAT)
        if len(self.models) > np.iinfo(self.props.dtype["prop_type"]).max:
            raise FormatError(f"model {path!r}: there are {len(self.models)} models already", _WHAT)
        self.new_models.append(model_name(path))
        self.models.append(path)
        return len(self.models) - 1

    # ------------------------------------------------------------------------------------------------------- leafs

    def places(self) -> _Places:
        """Where all props are now."""
        scales = np.ones((len(self.props), 3))
        name = next((name for name in _SCALES if name in self.fields), None)
        if name is not None:
            scales[:] = self.props[name].astype(np.float64).reshape(len(self.props), -1)
        if self.scales is not None:
            rows = self.scales["prop"].astype(np.int64)
            known = (rows >= 0) & (rows < len(scales))
            scales[rows[known]] = self.scales["scale"][known]
        origins, angles = (self.props[field].astype(np.float64) for field in ("origin", "angles"))
        return _Places(origins, angles, scales, self.props["prop_type"].astype(np.int64))

    def like(self, number: int) -> int | None:
        """A prop of the same model whose leafs are known."""
        alike = np.flatnonzero(self.props["prop_type"] == self.props["prop_type"][number])
        return next((each for each in alike.tolist() if len(self.leafs[each])), None)

    def _reach(self, number: int, was: _Places) -> Floats:
        """float64[2, 3]: the smallest box about a prop's origin that comes to all leafs it was in, with a margin."""
        leafs = self.changes.level.table(LumpId.LEAFS)[self.leafs[number]]
        below = np.minimum(leafs["maxs"].astype(np.float64) - was.origins[number], 0).min(axis=0)
        above = np.maximum(leafs["mins"].astype(np.float64) - was.origins[number], 0).max(axis=0)
        return np.array([below - MARGIN, above + MARGIN])

    def _box(self, number: int, like: int | None, was: _Places, now: _Places) -> Floats:
        """float64[2, 3]: a box of the world that holds a prop. like: the one whose leafs tell where no hull does."""
        model = _folded(self.models[int(now.models[number])])
        if model in self.hulls:
            low, high = np.asarray(self.hulls[model], np.float64)
            turn = rotations(now.angles[number : number + 1])[0] * now.scales[number]
            middle, half = turn @ ((low + high) / 2), np.abs(turn) @ (np.abs(high - low) / 2)
            box = np.array([middle - half, middle + half])
        elif like is None or not len(self.leafs[like]):
            raise FormatError(f"how large {model} is, is not known", f"static prop {number}")
        else:
            box = self._reach(like, was)
            if like != number or now.turned(number, was, like):  # as it may be turned: as far all around
                far = np.abs(box).max() * np.abs(now.scales[number]).max() / (np.abs(was.scales[like]).max() or 1)
                box = np.array([[-far] * 3, [far] * 3])
        return np.asarray(box + now.origins[number])

    def find_leafs(self, numbers: Mapping[int, int | None], was: _Places) -> None:
        """Find the leafs of props where they are now. numbers: of each, the prop whose old leafs tell how large it is.

        was: where props were. Raises FormatError for props that are in no leaf.
        """
        if not numbers:
            return
        now = self.places()
        boxes = np.array([self._box(number, like, was, now) for number, like in numbers.items()])
        if not np.isfinite(boxes).all():
            raise FormatError("the box of a model is none", _WHAT)
        level = self.changes.level
        owners, leafs = LeafTree(level).of_boxes(boxes[:, 0], boxes[:, 1])
        inside = clusters(level, leafs) >= 0  # else solid, or of the tree of a brush model
        owners, leafs = owners[inside], leafs[inside]
        bounds = np.searchsorted(owners, np.arange(len(numbers) + 1))
        for place, number in enumerate(numbers):
            found = leafs[bounds[place] : bounds[place + 1]]
            if not len(found) or (np.abs(now.origins[number]) > FARTHEST).any():
                raise FormatError("lies within a wall or outside of the map", f"static prop {number}")
            if not np.array_equal(np.sort(self.leafs[number]), found):
                self.leafs[number] = found

    # ------------------------------------------------------------------------------------------- files, and the end

    def drop_light(self, number: int) -> None:
        """Remove the files with a prop's baked light."""
        if len(self.changes.level.bytes_of(LumpId.PAKFILE)):
            self._renumber({number: None})

    def _renumber(self, numbers: Mapping[int, int | None]) -> None:
        """Rename files after new numbers, or remove those without. Their order stays; so it must be the numbers'."""
        pak: Pak = self.changes.pak
        lit = [(name, match) for name in pak.names if (match := _LIT.fullmatch(name.rsplit("/", 1)[-1]))]
        for name, match in lit:
            if int(match["number"]) in numbers and numbers[int(match["number"])] is None:
                pak.remove(name)
        for name, match in sorted(lit, key=lambda pair: int(pair[1]["number"])):
            number = numbers.get(int(match["number"]))
            if number is not None and number != int(match["number"]):
                folder = name[: len(name) - len(match[0])]
                pak.rename(name, f"{folder}{match['kind']}{number}{match['ending']}")

    def keep(self, kept: Bools) -> None:
        """Leave out the props that aren't kept."""
        numbers = np.where(kept, np.cumsum(kept) - 1, -1)
        if len(self.changes.level.bytes_of(LumpId.PAKFILE)):
            self._renumber({old: None if new < 0 else new for old, new in enumerate(numbers.tolist())})
        self.props = self.props[kept]
        self.leafs = [leafs for leafs, stays in zip(self.leafs, kept.tolist(), strict=True) if stays]
        if self.scales is not None:
            rows = self.scales["prop"].astype(np.int64)
            there = (rows >= 0) & (rows < len(kept))
            stays = ~there
            stays[there] = kept[rows[there]]
            self.scales = self.scales[stays].astype(PROP_SCALE.newbyteorder(self.lump.byte_order))
            rows = rows[stays]
            known = (rows >= 0) & (rows < len(kept))
            self.scales["prop"][known] = numbers[rows[known]]

    def apply(self) -> None:
        """Give the level what has changed. Raises FormatError for more leafs than the list can have."""
        counts = np.array([len(leafs) for leafs in self.leafs], np.int64)
        flat = np.concatenate([*self.leafs, np.zeros(0, np.int64)])
        leafs = self.lump.leafs
        if not (np.array_equal(flat, self._leafs_before[0]) and np.array_equal(counts, self._leafs_before[1])):
            most = np.iinfo(self.props.dtype["first_leaf"]).max
            if len(flat) > most:
                raise FormatError(f"the props are in {len(flat)} leafs in all, {most} can be told", _WHAT)
            self.props["first_leaf"], self.props["leaf_count"] = ranges.starts(counts)[:-1], counts
            leafs = np.zeros(len(flat), self.lump.leafs.dtype)
            leafs["leaf"] = flat
        self.changes.apply()
        lump = self.lump
        lump.props, lump.leafs, lump.scales = self.props, leafs, self.scales
        if self.new_models:
            lump.names = np.concatenate([lump.names, *(name.reshape(1) for name in self.new_models)])


def _folded(path: str) -> str:
    return path.replace("\\", "/").lower()
