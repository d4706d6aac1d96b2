# SPDX-License-Identifier: GPL-3.0-or-later
"""Light of an edited world: luxels of faces that stay, that took theirs along, and that are new (source.md §2.6, §4).

Luxels that were there keep their bytes. A new face has the styles of the nearest one, and each luxel the light of the
nearest luxel: what *Bake Lightmaps* begins with. Blocks of faces that are gone are taken out.
"""

from __future__ import annotations

import numpy as np

from ... import ranges
from ...arrays import Records
from ..edits import new_light
from ..edits.changes import Changes
from ..edits.new_light import Donors, Filled, FreshFaces
from ..light.lighting import Blocks
from ..lumps import LumpId
from . import leaf_light, lightmap_size
from .drafts import NEW
from .faces import PutFaces
from .rings import FlatRings
from .types import Carved


def put(changes: Changes, carved: Carved, made: PutFaces) -> None:
    """Give new faces their light, and leafs that are new or parted theirs. Raises FormatError."""
    leaf_light.put(changes, carved)
    fresh = _fresh(changes, made)
    for faces, lighted in new_light.lumps(changes.level).items():
        rows = {lump: _write(changes, made, fresh, lump, faces, found) for lump, found in lighted.items()}
        changes.set_table(faces, new_light.same_places(rows))


def _fresh(changes: Changes, made: PutFaces) -> FreshFaces:
    """New faces, with their lightmaps' places and sizes written to all lumps of faces."""
    new = np.array([n for n, draft in enumerate(made.made) if draft.face == NEW], np.int64)
    drafts = [made.made[place] for place in new.tolist()]
    texinfos = changes.table(LumpId.TEXINFO)[[draft.texinfo for draft in drafts]]
    planes = changes.table(LumpId.PLANES)[[draft.plane for draft in drafts]]
    rings = FlatRings.of([draft.points for draft in drafts])
    mins, sizes = lightmap_size.extents(rings, texinfos["lightmap_vecs"].astype(np.float64))
    for lump in (LumpId.FACES, LumpId.FACES_HDR):
        if len(changes.level.bytes_of(lump)):
            table = changes.table(lump)
            table["lightmap_mins"][made.first + new] = mins
            table["lightmap_size"][made.first + new] = sizes
    return FreshFaces.of(new, texinfos, planes, rings.points, rings.sizes, (mins, sizes))


def _write(changes: Changes, made: PutFaces, fresh: FreshFaces, lump: LumpId, faces: LumpId, found: Blocks) -> Records:
    """Write a lighting lump; the rows of its faces, with their light."""
    data = np.frombuffer(changes.level.bytes_of(lump), np.uint8)
    rows = changes.table(faces).copy()
    dropped = new_light.dropped(found, made.now[found.faces] < 0)
    offsets = rows["lightofs"].astype(np.int64)
    stays = np.zeros(len(rows), np.bool_)
    stays[made.now[made.now >= 0]] = True
    known = stays & (offsets >= 0)
    rows["lightofs"][known] = offsets[known] - np.searchsorted(dropped, offsets[known])
    parts = [np.delete(data, dropped)]
    end = len(parts[0])
    of = np.array([draft.face for draft in made.made], np.int64)
    block = np.full(len(made.now), -1)
    block[found.faces] = np.arange(len(found.faces))
    carried = np.flatnonzero((of != NEW) & (block[np.maximum(of, 0)] >= 0)) if len(block) else np.zeros(0, np.int64)
    own = block[of[carried]]
    lengths = found.header[own] + found.size[own]
    parts.append(data[ranges.flat(found.offset[own] - found.header[own], lengths)])
    new_light.put_places(rows, made.first + carried, end + ranges.starts(lengths)[:-1] + found.header[own], lump)
    end += int(lengths.sum())
    donors = Donors.of(changes, found, faces)
    if len(fresh.places) and len(donors.blocks.faces):
        light = Filled(found, donors, fresh)
        parts.append(light.bytes(data))
        light.tell(rows, made.first, end, lump)
    changes.set_bytes(lump, np.concatenate(parts).tobytes())
    return rows
