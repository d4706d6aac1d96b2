# SPDX-License-Identifier: GPL-3.0-or-later
"""What records of a map name that isn't there, and records of different lumps that disagree (source.md §2.2-2.8).

Each part is an iterator of problems; one problem stands for all the records of a lump that the same is wrong with.
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import Array, Bools, Records
from ..binary import FormatError, Problem
from ..counting import number_of
from .container.game_lump import DETAIL_LIGHTING, DETAIL_LIGHTING_HDR, DETAIL_PROPS, STATIC_PROPS
from .level import Level
from .light import lighting
from .lumps import LumpId, lump_name
from .sections import detail_props, face_brushes
from .tables import fields, overlay_lists
from .tables.displacements import NO_NEIGHBOR, NO_NEIGHBOR_32
from .tables.references import DRAWN_FACES, NUMBERS, RUNS, LeafChild, OverlayFaces, has

_NONE = -1  # of numbers that may name nothing
_TREE = (LumpId.NODES, LumpId.NODES)
_MAY_BE_MISSING = frozenset({LumpId.ORIGINALFACES})  # on consoles
_SPRITE_TYPES = 1  # of detail props: from this one on, they are sprites

# lump, field: numbers that the engine computes with
FINITE: tuple[tuple[LumpId, str], ...] = (
    (LumpId.VERTEXES, "point"),
    (LumpId.PLANES, "normal"),
    (LumpId.PLANES, "dist"),
    (LumpId.TEXINFO, "texture_vecs"),
    (LumpId.DISPINFO, "start_position"),
    (LumpId.DISP_VERTS, "vec"),
    (LumpId.DISP_VERTS, "dist"),
    (LumpId.OVERLAYS, "uv_points"),
    *((lump, "origin") for lump in (LumpId.OVERLAYS, LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR)),
)


def table(level: Level, lump: int) -> Records | None:
    """A lump as records; None if that is not possible."""
    try:
        return level.table(lump)
    except FormatError:
        return None


def count(level: Level, lump: LumpId) -> int | None:
    """How many records there are. Maps of Left 4 Dead 2 have one of two lumps of faces."""
    if lump == LumpId.FACES:
        tables = [table(level, each) for each in DRAWN_FACES]
        return max((len(found) for found in tables if found is not None), default=None)
    found = table(level, lump)
    return None if found is None else len(found)


def _wrong(place: str, wrong: Bools, values: Array, what: str) -> Iterator[Problem]:
    """One problem for all the records that something is wrong with. place: the lump's name."""
    if wrong.any():
        rows = np.flatnonzero(wrong.reshape(len(wrong), -1).any(axis=1))
        first = int(rows[0])
        more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
        yield Problem(f"{place}, record {first}{more}", f"{what} {values[first].tolist()}", count=len(rows))


def _wrong_ranges(place: str, starts: Array, counts: Array, target: str, size: int) -> Iterator[Problem]:
    first, lengths = starts.astype(np.int64), counts.astype(np.int64)
    wrong = (lengths < 0) | (lengths > 0) & ((first < 0) | (first + lengths > size))
    what = f"of {size} {target} has, as first and count,"
    yield from _wrong(place, wrong, np.stack([first, lengths], axis=1), what)


def references(level: Level) -> Iterator[Problem]:
    """Numbers of records that aren't there."""
    for number in NUMBERS:
        if isinstance(number, LeafChild | OverlayFaces) or (number.lump, number.target) == _TREE:
            continue  # `tree` and `overlays` look at those
        records, size = table(level, number.lump), count(level, number.target)
        if records is None or size is None or not has(records, number.field):
            continue
        if not size and number.target in _MAY_BE_MISSING:
            continue
        names = number.names(records)
        wrong = (names >= size) | (names < (_NONE if number.may_be_none else 0))
        what = f"of {size} {number.target.name} names, as its {number.field},"
        yield from _wrong(lump_name(number.lump), wrong, records[number.field].astype(np.int64), what)


def lists(level: Level) -> Iterator[Problem]:
    """Lists of records that aren't there."""
    for run in RUNS:
        records, size = table(level, run.lump), count(level, run.target)
        if records is not None and size is not None and has(records, run.first, run.count):
            yield from _wrong_ranges(lump_name(run.lump), *run.runs(records), run.target.name, size)
    of_faces, brushes = table(level, LumpId.CLUSTERS), table(level, LumpId.PORTALS)
    if of_faces is not None and brushes is not None and has(of_faces, "start") and has(brushes, "brush"):
        _, named = face_brushes.pairs(of_faces, brushes)
        size = count(level, LumpId.BRUSHES)
        if size is not None and len(named) and int(named.max()) >= size:
            beyond = int((named >= size).sum())
            yield Problem(lump_name(LumpId.CLUSTERS), f"names brush {int(named.max())} of {size}", count=beyond)


def numbers(level: Level) -> Iterator[Problem]:
    """Floats that are none."""
    for lump, field in FINITE:
        records = table(level, lump)
        if records is not None and has(records, field):
            values = records[field]
            yield from _wrong(lump_name(lump), ~np.isfinite(values), values, f"has the {field}")


def tree(level: Level) -> Iterator[Problem]:
    """Nodes, leafs, clusters and areas."""
    nodes, leafs = table(level, LumpId.NODES), count(level, LumpId.LEAFS)
    if nodes is not None and leafs is not None:
        children = nodes["children"].astype(np.int64)
        wrong = (children >= len(nodes)) | (children < -leafs)
        what = f"of {len(nodes)} NODES and {leafs} LEAFS has the children"
        yield from _wrong(lump_name(LumpId.NODES), wrong, children, what)
    records, areas = table(level, LumpId.LEAFS), count(level, LumpId.AREAS)
    if records is not None and areas:
        area = fields.areas(records)[0]
        yield from _wrong(lump_name(LumpId.LEAFS), area >= areas, area, f"of {areas} AREAS is in")
    visibility = level.visibility
    if records is not None and visibility is not None:
        clusters = records["cluster"].astype(np.int64)
        what = f"of {visibility.clusters} clusters is in"
        yield from _wrong(lump_name(LumpId.LEAFS), clusters >= visibility.clusters, clusters, what)


def light(level: Level) -> Iterator[Problem]:
    """Lightmaps outside of their lumps, and world lights of kinds that there are none of."""
    hdr = count(level, LumpId.FACES_HDR)
    for lump, found in lighting.lightmaps(level).items():
        faces = LumpId.FACES_HDR if lump == LumpId.LIGHTING_HDR and hdr else LumpId.FACES
        outside = np.zeros(len(level.table(faces)), np.bool_)
        outside[found.outside] = True
        what = f"of {len(level.bytes_of(lump))} bytes of {lump.name} has its lightmap at"
        yield from _wrong(lump_name(faces), outside, level.table(faces)["lightofs"], what)
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        lights, visibility = table(level, lump), level.visibility
        if lights is not None and visibility is not None:
            clusters = lights["cluster"].astype(np.int64)
            wrong = (clusters < _NONE) | (clusters >= visibility.clusters)
            yield from _wrong(lump_name(lump), wrong, clusters, f"of {visibility.clusters} clusters is in")


def displacements(level: Level) -> Iterator[Problem]:
    """Displacements, their faces and neighbours."""
    infos = table(level, LumpId.DISPINFO)
    if infos is None or not len(infos):
        return
    place = lump_name(LumpId.DISPINFO)
    power = np.clip(infos["power"].astype(np.int64), 0, 8)
    for lump, field, counts in (
        (LumpId.DISP_VERTS, "disp_vert_start", (2**power + 1) ** 2),
        (LumpId.DISP_TRIS, "disp_tri_start", 2 * 4**power),
    ):
        size = count(level, lump)
        if size is not None and has(infos, field):
            yield from _wrong_ranges(place, infos[field], counts, lump.name, size)
    for field in ("edge_neighbors", "corner_neighbors"):
        inner = "neighbor" if field == "edge_neighbors" else "neighbors"
        values = infos[field][inner].astype(np.int64)
        if field == "corner_neighbors":  # as many as the record says, whatever lies behind them
            values[np.arange(4) >= infos[field]["count"][..., None]] = NO_NEIGHBOR
        wrong = (values >= len(infos)) & (values != NO_NEIGHBOR) & (values != NO_NEIGHBOR_32)
        yield from _wrong(place, wrong, values, f"of {len(infos)} displacements has the {field.replace('_', ' ')}")
    drawn = next((found for lump in DRAWN_FACES if (found := table(level, lump)) is not None and len(found)), None)
    faces = infos["map_face"].astype(np.int64)
    if drawn is not None and len(faces) and faces.max() < len(drawn):
        owners = drawn["dispinfo"][faces].astype(np.int64)
        wrong = owners != np.arange(len(infos))
        yield from _wrong(place, wrong, faces, "is of another displacement or of none, the face")
        corners = drawn["numedges"][faces].astype(np.int64)
        yield from _wrong(place, corners != 4, corners, "has a face whose corners are")
    hulls = level.physdisp
    if hulls and len(hulls) != len(infos):
        what = f"{number_of(len(hulls), 'hulls')} for {number_of(len(infos), 'displacements')}"
        yield Problem(lump_name(LumpId.PHYSDISP), what, count=abs(len(hulls) - len(infos)))


def overlays(level: Level) -> Iterator[Problem]:
    """Faces that overlays lie on."""
    size = count(level, LumpId.FACES)
    for lump in (LumpId.OVERLAYS, LumpId.WATEROVERLAYS):
        place = lump_name(lump)
        records = table(level, lump)
        if size is None:
            return
        if records is not None:
            slots = records["faces"].shape[1]
            counts = fields.overlay_counts(records)[0]
            yield from _wrong(place, counts > slots, counts, f"lies on more faces than {slots}:")
            used = np.where(np.arange(slots) < counts[:, None], records["faces"], 0).astype(np.int64)
            wrong = (used < 0) | (used >= max(size, 1))
            yield from _wrong(place, wrong, used.max(axis=1, initial=0), f"of {size} FACES names")
        elif level.version_of(lump) >= overlay_lists.VERSION:
            found = overlay_lists.read(level.bytes_of(lump))
            first, counts = found.overlays["face_offset"], found.overlays["face_count"]
            yield from _wrong_ranges(place, first, counts, "faces of overlays", len(found.faces))
            wrong = (found.faces < 0) | (found.faces >= size)
            yield from _wrong(f"{place}, list of faces", wrong, found.faces, f"of {size} FACES names")


def props(level: Level) -> Iterator[Problem]:
    """Static props: their models and leafs."""
    found = level.static_props
    if found is None:
        return
    place = f"{lump_name(LumpId.GAME_LUMP)}, {STATIC_PROPS}"
    if found.props is None:
        if found.trailing:
            yield Problem(place, found.reason, "warning")
        return
    kinds = found.props["prop_type"].astype(np.int64)
    yield from _wrong(place, kinds >= len(found.names), kinds, f"of {len(found.names)} models names")
    yield from _wrong_ranges(place, found.props["first_leaf"], found.props["leaf_count"], "leafs", len(found.leafs))
    origins = found.props["origin"]
    yield from _wrong(place, ~np.isfinite(origins), origins, "has the origin")
    leafs, size = found.leafs["leaf"].astype(np.int64), count(level, LumpId.LEAFS)
    if size is not None:
        yield from _wrong(f"{place}, list of leafs", leafs >= size, leafs, f"of {size} LEAFS names")


def details(level: Level) -> Iterator[Problem]:
    """Detail props: their models or sprites, leafs and styles of light."""
    found = level.detail_props
    if found is None:
        return
    place = f"{lump_name(LumpId.GAME_LUMP)}, {DETAIL_PROPS}"
    kinds, size = found.details["detail_model"].astype(np.int64), count(level, LumpId.LEAFS)
    if found.sprites is None:
        there = np.full(len(kinds), len(found.names))
    else:
        there = np.where(found.details["type"] >= _SPRITE_TYPES, len(found.sprites), len(found.names))
    yield from _wrong(place, kinds >= there, kinds, "names a model or sprite that isn't there:")
    if size is not None:
        leafs = found.details["leaf"].astype(np.int64)
        yield from _wrong(place, leafs >= size, leafs, f"of {size} LEAFS is in")
    styles = [name for name in (DETAIL_LIGHTING, DETAIL_LIGHTING_HDR) if name in level.game_lumps]
    if styles:
        data = level.game_lumps.bytes_of(styles[0])
        lit = len(detail_props.read_lighting(data, level.byte_order))
        first, counts = found.details["light_styles"], found.details["light_style_count"]
        yield from _wrong_ranges(place, first, counts, styles[0], lit)


def occluders(level: Level) -> Iterator[Problem]:
    """Occluders: their polygons and vertices."""
    found, place = level.occlusion, lump_name(LumpId.OCCLUSION)
    if found is None:
        return
    polys, vertices = found.polys, found.vertices["vertex"].astype(np.int64)
    yield from _wrong_ranges(place, found.occluders["firstpoly"], found.occluders["polycount"], "polys", len(polys))
    what = f"{place}, list of polys"
    yield from _wrong_ranges(what, polys["firstvertexindex"], polys["vertexcount"], "vertices", len(vertices))
    for values, target, what in (
        (polys["planenum"].astype(np.int64), LumpId.PLANES, "polys"),
        (vertices, LumpId.VERTEXES, "vertices"),
    ):
        size = count(level, target)
        if size is not None:
            wrong = (values < 0) | (values >= size)
            yield from _wrong(f"{place}, list of {what}", wrong, values, f"of {size} {target.name} names")


def collision(level: Level) -> Iterator[Problem]:
    """Models that collide."""
    models = count(level, LumpId.MODELS)
    for number, entry in enumerate(level.physcollide.models):
        if models is not None and not 0 <= entry.model < models:
            place = f"{lump_name(LumpId.PHYSCOLLIDE)}, record {number}"
            yield Problem(place, f"is of model {entry.model}, there are {models}")


PARTS = (references, lists, numbers, tree, light, displacements, overlays, props, details, occluders, collision)
