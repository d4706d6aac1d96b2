# SPDX-License-Identifier: GPL-3.0-or-later
"""What a map holds, for people to read: a summary, everything decoded, and which part a byte is of."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import PurePosixPath

import numpy as np

from ..arrays import Records
from ..binary import Buffer, FormatError
from ..counting import number_of
from ..format import Columns, Document
from .collision import physcollide_surface
from .collision.physcollide_surface import Hull
from .container.game_lump import COLOR_VARIABLES, DETAIL_LIGHTING, DETAIL_LIGHTING_HDR, DETAIL_PROPS, STATIC_PROPS
from .entities.text import Entities
from .level import Level
from .lumps import LumpId, lump_name
from .meanings import Meanings
from .sections import color_variables, detail_props
from .sections.counted import texts
from .tables import layouts, overlay_lists


def summary(level: Level) -> Document:
    """Return the outlines: versions, lumps, entities, props, files."""
    form = level.file.form
    return {
        "version": level.version,
        "minor version": level.file.minor or None,
        "map revision": level.revision,
        "byte order": "little-endian" if form.byte_order == "<" else "big-endian",
        "lump entries": "version first" if form.version_first else None,
        "encrypted": level.file.encrypted or None,
        "lumps": [_lump_line(level, lump) for lump in level.lumps if level.file.entries["length"][lump]],
        "world": _tried(lambda: dict(level.entities[0].pairs) if level.entities else {}),
        "entities": _tried(lambda: dict(Counter(entity.classname for entity in level.entities).most_common())),
        "clusters": _tried(lambda: None if level.visibility is None else level.visibility.clusters),
        "game lumps": _tried(lambda: {name: level.game_lumps.version_of(name) for name in level.game_lumps.ids}),
        "static props": _tried(lambda: _props_count(level)),
        "collision models": _tried(lambda: len(level.physcollide.models)),
        "files in the pak": _tried(lambda: dict(_endings(level).most_common())),
    }


def _tried(ask: Callable[[], object]) -> object:
    try:
        return ask()
    except FormatError as error:
        return str(error)


def _lump_line(level: Level, lump: int) -> str:
    entry = level.file.entries[lump]
    size = int(entry["length"])
    packed = f", {int(entry['size'])} decompressed" if entry["size"] else ""
    line = f"{lump_name(lump)} version {int(entry['version'])}: {size} bytes{packed}"
    try:
        layout = level.layout(lump)
        if layout.dtype is None:
            return f"{line}; {layout.reason}"
        size = layout.dtype.itemsize
        return f"{line}; {number_of(len(level.bytes_of(lump)) // size, 'records')} of {size}"
    except FormatError as error:
        return f"{line}; {error.message}"


def _props_count(level: Level) -> int | None:
    props = level.static_props
    return None if props is None or props.props is None else len(props.props)


def _endings(level: Level) -> Counter[str]:
    return Counter(PurePosixPath(name.replace("\\", "/").lower()).suffix for name in level.pak.names)


def contents(level: Level) -> Document:
    """Return everything decoded: tables under the names of their lumps, what is no table as what it means.

    The lumps are an iterator's: go through it once. What cannot be decoded is a FormatError in its place.
    """
    of_rows = Meanings(level)
    return {
        "version": level.version,
        "minor version": level.file.minor,
        "map revision": level.revision,
        "lumps": (_lump(level, lump, of_rows) for lump in level.lumps if level.file.entries["length"][lump]),
    }


def _lump(level: Level, lump: int, of_rows: Meanings) -> Document:
    entry = level.file.entries[lump]
    head = {"lump": lump_name(lump), "version": int(entry["version"]), "decompressed size": int(entry["size"])}
    lacks = level.file.cut(lump)
    if lacks:
        return head | {"bytes behind the end of the file": lacks, "bytes": bytes(level.file.stored(lump))}
    meanings: dict[int, Callable[[Level], object]] = {
        LumpId.ENTITIES: lambda level: _entities(level.entities),
        LumpId.VISIBILITY: _visibility,
        LumpId.OCCLUSION: _occlusion,
        LumpId.GAME_LUMP: _game_lumps,
        LumpId.PHYSCOLLIDE: _physcollide,
        LumpId.PHYSDISP: lambda level: [None if hull is None else bytes(hull) for hull in level.physdisp],
        LumpId.PAKFILE: _pak,
        LumpId.TEXDATA_STRING_DATA: lambda level: level.texture_names.names,
    }
    try:
        if lump in meanings:
            return head | {"holds": meanings[lump](level)}
        layout, data = level.layout(lump), level.bytes_of(lump)
        if layout.reason == layouts.TEXT:
            return head | {"holds": _entities(Entities.decode(data))}
        if lump == LumpId.OVERLAYS and layout.dtype is None and level.version_of(lump) >= overlay_lists.VERSION:
            lists = overlay_lists.read(data)
            return head | {"holds": {"overlays": columns(lists.overlays), "faces": lists.faces}}
        if layout.dtype is None:
            return head | {"why no table": layout.reason, "bytes": bytes(data)}
        table = columns(level.table(lump))
        table.meaning = partial(of_rows.worked_out, lump)
        return head | {"records": table}
    except FormatError as error:
        return head | {"records": error}


def columns(table: Records) -> Columns:
    """A table's fields as arrays of numbers: padding too, records within records as further tables."""
    found = Columns()
    for name in table.dtype.names or ():
        column = table[name]
        if column.dtype.names:
            found[name] = columns(column)
        elif column.dtype.kind in "VS":
            raw = np.frombuffer(column.tobytes(), np.uint8)
            found[name] = raw.reshape(*column.shape, column.dtype.itemsize)
        else:
            found[name] = column
    return found


def _entities(entities: Entities) -> Iterator[list[list[str]]]:
    return ([list(pair) for pair in entity.pairs] for entity in entities)


def _visibility(level: Level) -> Document:
    found = level.visibility
    return {} if found is None else {"clusters": found.clusters, "pvs": found.pvs, "pas": found.pas}


def _occlusion(level: Level) -> Document:
    found = level.occlusion
    if found is None:
        return {}
    tables = {"occluders": found.occluders, "polys": found.polys, "vertices": found.vertices}
    return {name: columns(table) for name, table in tables.items()}


def _game_lumps(level: Level) -> Iterator[Document]:
    return (_game_lump(level, name) for name in level.game_lumps.ids)


def _game_lump(level: Level, name: str) -> Document:
    head = {"id": name, "version": level.game_lumps.version_of(name)}
    try:
        if name == STATIC_PROPS and (static := level.static_props) is not None:
            props = static.reason if static.props is None else columns(static.props)
            more = {"leafs": static.leafs["leaf"], "props": props, "trailing": static.trailing}
            if static.scales is not None:
                more["scales"] = columns(static.scales)
            return head | {"models": static.models} | more
        if name == DETAIL_PROPS and (detail := level.detail_props) is not None:
            sprites = None if detail.sprites is None else columns(detail.sprites)
            return head | {"models": detail.models, "sprites": sprites, "details": columns(detail.details)}
        data = level.game_lumps.bytes_of(name)
        if name in (DETAIL_LIGHTING, DETAIL_LIGHTING_HDR):
            return head | {"styles": columns(detail_props.read_lighting(data, level.byte_order))}
        if name == COLOR_VARIABLES:
            return head | {"names": texts(color_variables.read(data, level.byte_order))}
        return head | {"why no table": "what it holds is not known", "bytes": bytes(data)}
    except FormatError as error:
        return head | {"records": error}


def _physcollide(level: Level) -> Iterator[Document]:
    return (
        {"model": entry.model, "solids": map(_solid, entry.solids), "keys": entry.text}
        for entry in level.physcollide.models
    )


def _solid(data: Buffer) -> Document:
    """What a solid is made of, and its bytes: the tree of spheres in it is left out."""
    head = {"bytes": bytes(data)}
    try:
        solid = physcollide_surface.read(data)
    except FormatError as error:
        return head | {"why no hulls": error.message}
    hulls = map(_hull, sorted(solid.hulls, key=lambda hull: hull.brush))  # in the file they lie as their tree does
    return head | {"mass center": solid.mass_center, "rotation inertia": solid.rotation_inertia, "hulls": hulls}


def _hull(hull: Hull) -> Document:
    """A hull, its points and triangles in an order that doesn't tell how the file shares points between hulls."""
    order = np.lexsort(hull.points.T)
    triangles = np.argsort(order)[hull.triangles]
    first = triangles.argmin(axis=1)[:, None] if len(triangles) else np.zeros((0, 1), np.int64)
    turned = np.take_along_axis(triangles, (first + np.arange(3)) % 3, axis=1)
    return {"brush": hull.brush, "points": hull.points[order], "triangles": turned[np.lexsort(turned.T[::-1])]}


def _pak(level: Level) -> Iterator[Document]:
    return ({"name": file.name, "method": file.method, "size": file.size, "crc": file.crc} for file in level.pak)


def section_at(level: Level, offset: int) -> str:
    """Name the part of the file, as it would be written, that a byte is of."""
    level.store()
    for name, data in level.file.parts():
        if offset < len(data):
            return name
        offset -= len(data)
    return "end of the file"
