# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces with their loops, and the layers that they are in (ns2.md §3.2, chunks 3 and 6)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import Array, Bools, Indices, Records
from ..binary import Buffer, Cursor, FormatError
from .chunks import words
from .records import FACE, LAYER_FORMAT, MASK_WORDS, MEMBER
from .walk import counts_to_starts, gather, rows_at, starts

_FIXED = FACE.itemsize // 4  # words before the number of inner loops


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """Faces, their loops and the members of those, in three tables.

    Face f has the loops face_loops[f] to face_loops[f + 1], of which the first is its border and the others are holes,
    which run the other way round. Loop l has the members loop_members[l] to loop_members[l + 1].
    """

    records: Records  # FACE [faces]
    face_loops: Indices  # [faces + 1]
    loop_members: Indices  # [loops + 1]
    members: Records  # MEMBER [members]

    def __len__(self) -> int:
        return len(self.records)

    @classmethod
    def empty(cls) -> "Faces":
        """No faces."""
        return cls(np.zeros(0, FACE), np.zeros(1, np.intp), np.zeros(1, np.intp), np.zeros(0, MEMBER))

    @property
    def loop_faces(self) -> Indices:
        """The face of each loop [loops]."""
        return np.repeat(np.arange(len(self), dtype=np.intp), np.diff(self.face_loops))

    @property
    def member_loops(self) -> Indices:
        """The loop of each member [members]."""
        return np.repeat(np.arange(len(self.loop_members) - 1, dtype=np.intp), np.diff(self.loop_members))

    def take(self, chosen: npt.ArrayLike) -> "Faces":
        """These faces only: numbers of faces, in the order wanted, or a mask."""
        numbers = np.asarray(chosen)
        numbers = np.flatnonzero(numbers) if numbers.dtype == np.bool_ else numbers.astype(np.intp)
        face_loops, loops = gather(self.face_loops, numbers)
        loop_members, members = gather(self.loop_members, loops)
        return Faces(self.records[numbers], face_loops, loop_members, self.members[members])

    @classmethod
    def joined(cls, parts: "Sequence[Faces]") -> "Faces":
        """The faces of all parts, one behind the other."""
        return cls(
            np.concatenate([part.records for part in parts]),
            counts_to_starts(np.concatenate([np.diff(part.face_loops) for part in parts])),
            counts_to_starts(np.concatenate([np.diff(part.loop_members) for part in parts])),
            np.concatenate([part.members for part in parts]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class FaceLayers:
    """The layers of each face: bit k of the 256 of a mask is the layer of id k.

    `has` False: in no layer, the mask is zero. Version 4 has neither `has` nor masks but two words a face that are
    always 0: there `masks` is [faces, 2].
    """

    has: Bools  # [faces]
    masks: npt.NDArray[np.uint32]  # [faces, 8]

    @classmethod
    def none(cls, count: int) -> "FaceLayers":
        """For faces that are in no layer."""
        return cls(np.zeros(count, np.bool_), np.zeros((count, MASK_WORDS), np.uint32))

    @classmethod
    def of(cls, masks: npt.NDArray[np.uint32]) -> "FaceLayers":
        """For faces with these masks [faces, 8]; those without a bit are in no layer, as the editor writes them."""
        return cls(masks.any(axis=1), masks)

    def members(self, layer: int) -> Bools:
        """Whether each face is in the layer of this id [faces]."""
        if layer >= 32 * self.masks.shape[1]:
            return np.zeros(len(self.has), np.bool_)
        return np.asarray(self.masks[:, layer // 32] >> np.uint32(layer % 32) & np.uint32(1) != 0)


# -------------------------------------------------------------------------------------------------------- faces, bytes


def decode_faces(data: Buffer, offset: int) -> Faces:
    """Chunk 3 of the mesh; `offset`: of the chunk in the file. Raises FormatError."""
    head = Cursor(data, base=offset)
    count = head.u32("faces")
    body = words(data, "faces", offset)[1:]
    holed: dict[int, list[int]] = {}  # the places of the loops of faces with holes
    begins = starts(
        len(body),
        lambda places: _sizes(body, places),
        count,
        "faces",
        offset + 4,
        lambda place: _loops(body, place, holed, offset + 4),
    )
    face_loops = np.zeros(count + 1, np.intp)
    np.cumsum(body[begins + _FIXED].astype(np.intp) + 1, out=face_loops[1:])
    loops = np.zeros(face_loops[-1], np.intp)  # the place of each loop
    loops[face_loops[:-1]] = begins + _FIXED + 1
    for place, found in holed.items():
        first = face_loops[np.searchsorted(begins, place)]
        loops[first : first + len(found)] = found
    inside = np.ones(len(body), np.bool_)
    inside[loops] = False
    for word in range(_FIXED + 1):
        inside[begins + word] = False
    records = rows_at(body, begins, _FIXED).view(FACE).reshape(count)
    return Faces(*frozen(records, face_loops, counts_to_starts(body[loops]), body[inside].view(MEMBER)))


def _sizes(body: npt.NDArray[np.uint32], places: Indices) -> Indices:
    """How many words a face at each place has; 0 for faces with holes."""
    if not len(body):
        return np.ones(len(places), np.intp)
    border = places + (_FIXED + 1)
    words_ = body.take(border, mode="clip").astype(np.intp)
    words_ *= 2
    words_ += _FIXED + 2
    words_[body.take(border - 1, mode="clip") != 0] = 0
    words_[border >= len(body)] = len(body) + 1
    return words_


def _loops(body: npt.NDArray[np.uint32], place: int, holed: dict[int, list[int]], offset: int) -> int:
    """Note the places of the loops of the face at `place`, which has holes; returns the place behind it."""
    loops: list[int] = []
    at = place + _FIXED + 1
    for _ in range(int(body[place + _FIXED]) + 1):
        if at >= len(body):
            message = f"a face with {body[place + _FIXED]} inner loops reaches beyond the end"
            raise FormatError(message, "faces", offset + 4 * place)
        loops.append(at)
        at += 1 + 2 * int(body[at])
    holed[place] = loops
    return at


def encode_faces(faces: Faces) -> bytes:
    """Chunk 3 of the mesh. Raises FormatError for tables that don't fit together."""
    check_faces(faces)
    count, loops = len(faces), len(faces.loop_members) - 1
    # Words before each loop: of the members, a count a loop, and the fixed parts of the faces up to its own.
    places = 2 * faces.loop_members[:-1] + np.arange(loops) + (_FIXED + 1) * (faces.loop_faces + 1)
    begins = places[faces.face_loops[:-1]] - (_FIXED + 1)
    body = np.empty(2 * len(faces.members) + loops + (_FIXED + 1) * count, np.uint32)
    inside = np.ones(len(body), np.bool_)
    inside[places] = False
    for word in range(_FIXED + 1):
        inside[begins + word] = False
    body[inside] = np.ascontiguousarray(faces.members).view("<u4")
    body[places] = np.diff(faces.loop_members)
    body[begins + _FIXED] = np.diff(faces.face_loops) - 1
    body[begins[:, None] + np.arange(_FIXED)] = np.ascontiguousarray(faces.records).view("<u4").reshape(-1, _FIXED)
    return count.to_bytes(4, "little") + body.astype("<u4", copy=False).tobytes()


def check_faces(faces: Faces) -> None:
    """Raise FormatError unless the tables fit together: sizes, records, every face with a border."""
    if faces.records.dtype != FACE or faces.members.dtype != MEMBER:
        raise FormatError("are no records of FACE with loops of MEMBER", "faces")
    check_starts(faces.face_loops, len(faces.records), len(faces.loop_members) - 1, "loops of faces")
    check_starts(faces.loop_members, len(faces.loop_members) - 1, len(faces.members), "members of loops")
    bare = np.flatnonzero(np.diff(faces.face_loops) < 1)
    if len(bare):
        raise FormatError("has no border loop", f"face {bare[0]}")


def check_starts(begins: Indices, parts: int, whole: int, what: str) -> None:
    """Raise FormatError unless `begins` [parts + 1] goes from 0 to `whole` and never back."""
    if begins.shape != (parts + 1,) or begins[0] != 0 or begins[-1] != whole or (np.diff(begins) < 0).any():
        raise FormatError(f"their table of {len(begins)} places does not go from 0 to {whole} in {parts} steps", what)


def frozen(*arrays: Array) -> tuple[Array, ...]:
    """The same arrays, not to be written to."""
    for array in arrays:
        array.flags.writeable = False
    return arrays


# ------------------------------------------------------------------------------------------------------- layers, bytes


def decode_layers(data: Buffer, offset: int, version: int) -> FaceLayers:
    """Chunk 6 of the mesh. Raises FormatError, also for masks of another size than 256 bits."""
    body = words(data, "face layers", offset)
    count = int(body[0]) if len(body) else 0
    if version < 6 and len(body) % 2 == 0 and not (version == 5 and len(body) > 1 and body[1] == LAYER_FORMAT):
        return FaceLayers(*frozen(np.ones(len(body) // 2, np.bool_), body.reshape(-1, 2).copy()))
    if len(body) < 2 or body[1] != LAYER_FORMAT:
        found = int(body[1]) if len(body) > 1 else "missing"
        raise FormatError(f"their format is {found}; known is {LAYER_FORMAT}", "face layers", offset)
    body = body[2:]
    begins = starts(
        len(body), lambda places: 1 + (MASK_WORDS + 1) * (body.take(places) == 1), count, "face layers", offset + 8
    )
    flags = body[begins]
    if (flags > 1).any():
        face = int((flags > 1).argmax())
        place = offset + 8 + 4 * int(begins[face])
        raise FormatError(f"{flags[face]} stands where 0 or 1 should", f"layers of face {face}", place)
    has = flags == 1
    masked = begins[has]
    sizes = body[masked + 1]
    if (sizes != MASK_WORDS).any():
        at = int((sizes != MASK_WORDS).argmax())
        what = f"layers of face {np.flatnonzero(has)[at]}"
        raise FormatError(
            f"a mask of {sizes[at]} words; known are {MASK_WORDS}", what, offset + 12 + 4 * int(masked[at])
        )
    rows = rows_at(body, masked + 2, MASK_WORDS)
    if len(rows) == count:
        return FaceLayers(*frozen(has, rows))
    masks = np.zeros((count, MASK_WORDS), np.uint32)
    masks[has] = rows
    return FaceLayers(*frozen(has, masks))


def encode_layers(layers: FaceLayers, version: int) -> bytes:
    """Chunk 6 of the mesh. Raises FormatError for tables that don't fit together."""
    count = len(layers.has)
    if layers.masks.shape == (count, 2) and version < 6:
        return layers.masks.astype("<u4").tobytes()
    if layers.masks.shape != (count, MASK_WORDS):
        raise FormatError(f"masks of shape {layers.masks.shape} for {count} faces", "face layers")
    stray = ~layers.has & layers.masks.any(axis=1)
    if stray.any():
        raise FormatError("has a mask, but `has` says that it is in no layer", f"layers of face {stray.argmax()}")
    rows = np.zeros((count, MASK_WORDS + 2), "<u4")
    rows[:, 0] = layers.has
    rows[:, 1] = MASK_WORDS
    rows[:, 2:] = layers.masks
    kept = np.ones(rows.shape, np.bool_)
    kept[:, 1:] = layers.has[:, None]
    return count.to_bytes(4, "little") + LAYER_FORMAT.to_bytes(4, "little") + rows[kept].tobytes()
