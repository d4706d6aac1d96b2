# SPDX-License-Identifier: GPL-3.0-or-later
"""Which records a lump holds: by its version, the map's version and its records' size, measured (source.md §2.1, §2.9).

Games changed records without telling anyone, so versions alone say too little: where records of several kinds could
fill a lump, those are taken of which most make sense. What the names of games would tell is never asked.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Records
from ...binary import Buffer
from ..lumps import LumpId
from ..records import NO_STYLE, ByteOrder, Dtype
from . import displacements, geometry, lights, overlay_lists, overlays, props, tree

_ALL = range(-(1 << 31), 1 << 32)
_SENSE = 0.5
"""What share of the records must make sense, at least: tools and bad brushes leave a few that don't."""
_UNIT = 0.01  # what the square of a normal's length may be off by


@dataclass(frozen=True, slots=True)
class Layout:
    """What a lump's records are: `dtype`, in the file's byte order; None: no table, and `reason` says why."""

    dtype: Dtype | None
    reason: str = ""


Fits = Bools
"""bool[n]: which of the records make sense."""


@dataclass(frozen=True, slots=True)
class _Variant:
    """One way to fill a lump, and where it is to be expected."""

    dtype: Dtype
    versions: Container[int] = (0,)  # of the lump
    maps: Container[int] = _ALL  # versions of the map
    wide: bool | None = None  # only in maps with (without) 32-bit indices in lumps of the usual versions
    minor: int | None = None  # the upper half of the map's version
    prop_collision: bool | None = None  # only in maps that (do not) have the collision of static props there
    fits: Callable[[Records], Fits] | None = None  # which records make sense


# -------------------------------------------------------------------------------------- what makes sense in real maps


def _faces_fit(faces: Records) -> Fits:
    return (faces["side"] <= 1) & (faces["on_node"] <= 1) & (faces["numedges"] >= 3)


def _styles_fit(faces: Records) -> Fits:
    """A face has each style once, those that it has first, and some if it has a lightmap; unlit ones tell nothing."""
    styles = faces["styles"]
    used = styles != NO_STYLE
    twice = used[:, 1:] & (~used[:, :-1] | (styles[:, 1:] == styles[:, :-1]))
    return np.asarray((faces["lightofs"] == 0) | (~twice.any(axis=1) & (used[:, 0] == (faces["lightofs"] > 0))))


def _nodes_fit(nodes: Records) -> Fits:
    inside = (nodes["children"] < len(nodes)).all(axis=1) & (nodes["planenum"] >= 0)
    return np.asarray(inside & (nodes["mins"] <= nodes["maxs"]).all(axis=1))


def _leafs_fit(leafs: Records) -> Fits:
    known = (leafs["cluster"] >= -1) & (leafs["leaf_water_data_id"] >= -1)
    return np.asarray(known & (leafs["mins"] <= leafs["maxs"]).all(axis=1))


def _dispinfos_fit(infos: Records) -> Fits:
    low, high = displacements.MIN_POWER, displacements.MAX_POWER
    return (infos["power"] >= low) & (infos["power"] <= high)


def _models_fit(models: Records) -> Fits:
    """Models share out the faces in order (source.md §2.4)."""
    ends = models["firstface"].astype(np.int64) + models["numfaces"]
    return np.asarray((models["numfaces"] >= 0) & np.append(models["firstface"][1:] == ends[:-1], True)[: len(models)])


def _texinfos_fit(texinfos: Records) -> Fits:
    """Flags are few bits, which floats other than 0 never are."""
    known = (texinfos["texdata"] >= -1) & (texinfos["texdata"] < 1 << 16)
    return known & (texinfos["flags"] < 1 << 20)


def _lights_fit(worldlights: Records) -> Fits:
    return (worldlights["type"] >= 0) & (worldlights["type"] <= 5)


@np.errstate(over="ignore", invalid="ignore")  # of what is no overlay
def _overlays_fit(records: Records) -> Fits:
    normals = records["basis_normal"].astype(np.float64)
    return np.asarray(np.abs((normals * normals).sum(axis=1) - 1) < _UNIT)


def _levels_fit(levels: Records) -> Fits:
    return np.asarray((levels.view(("u1", 4)) <= 4).all(axis=1))


def _ids_are_long(ids: Records) -> Fits:
    return ids["hammer_face_id"] < 1 << 16


# ------------------------------------------------------------------------------------------------------------ the table


def _narrow(dtype: Dtype, wide: Dtype) -> tuple[_Variant, ...]:
    """`dtype`; `wide` in lumps of version 1."""
    return (_Variant(dtype), _Variant(wide, (1,)))


def _either(dtype: Dtype, wide: Dtype, strata: Dtype) -> tuple[_Variant, ...]:
    """`dtype` or, in maps with wide indices, `wide`; `strata` in lumps of version 1."""
    return (_Variant(dtype, wide=False), _Variant(wide, wide=True), _Variant(strata, (1,), wide=False))


_FACES = (
    _Variant(geometry.FACE_17_DAY_NIGHT, (0,), (17,), fits=_faces_fit),
    _Variant(geometry.FACE_17, (0,), (17,), fits=_faces_fit),
    _Variant(geometry.FACE_18, (0, 1), (18,), fits=_faces_fit),
    _Variant(geometry.FACE, (0, 1), range(18, 1 << 16), wide=False, fits=_faces_fit),
    _Variant(geometry.FACE_32, (0, 1), wide=True, fits=_faces_fit),
    _Variant(geometry.FACE_32_V2, (2,), wide=True, fits=_styles_fit),
    _Variant(geometry.FACE_32_V2_STYLES_LAST, (2,), wide=True, fits=_styles_fit),
    _Variant(geometry.FACE_STRATA, (2,), wide=False, fits=_faces_fit),
)
_WORLDLIGHTS = (
    _Variant(lights.WORLDLIGHT, fits=_lights_fit),
    _Variant(lights.WORLDLIGHT_V1, (0, 1), fits=_lights_fit),
    _Variant(lights.WORLDLIGHT_V2, (2,), fits=_lights_fit),
)
# Before there were several points a leaf, a flaw of vbsp left the lump's length in its version: any but 1 means cubes.
_AMBIENT = (
    _Variant(lights.LEAF_AMBIENT_LIGHTING, (1,), range(20, 1 << 16)),
    _Variant(lights.LEAF_AMBIENT_CUBE, _ALL, range(20, 1 << 16)),
)
_AMBIENT_INDEX = (
    _Variant(lights.LEAF_AMBIENT_INDEX, (0,), range(20, 1 << 16)),
    _Variant(lights.LEAF_AMBIENT_INDEX_32, (1,), range(20, 1 << 16)),
)
PROP_COLLISION_VERSION = 21
FACE_LIST_SIZES = (geometry.FACEBRUSHLIST.itemsize, geometry.FACEBRUSHLIST_32.itemsize)
PROP_COLLISION = (LumpId.PORTALS, LumpId.CLUSTERS, LumpId.PORTALVERTS, LumpId.CLUSTERPORTALS)
"""Lumps that may hold it."""
_V17, _OLD, _V21 = (17,), range(20), range(PROP_COLLISION_VERSION, 1 << 16)

_TABLE: dict[int, tuple[_Variant, ...]] = {
    LumpId.PLANES: (_Variant(geometry.PLANE),),
    LumpId.TEXDATA: (_Variant(geometry.TEXDATA),),
    LumpId.VERTEXES: (_Variant(geometry.VERTEX),),
    LumpId.NODES: _either(tree.NODE, tree.NODE_32, tree.NODE_FLOAT),
    LumpId.TEXINFO: (
        _Variant(geometry.TEXINFO_96, minor=4, fits=_texinfos_fit),
        _Variant(geometry.TEXINFO, fits=_texinfos_fit),
    ),
    LumpId.FACES: _FACES,
    LumpId.ORIGINALFACES: _FACES,
    LumpId.FACES_HDR: _FACES,
    LumpId.LEAFS: (
        _Variant(tree.LEAF, (0,), (17,)),
        _Variant(tree.LEAF_AMBIENT, (0,), (18, 19, 20), wide=False, fits=_leafs_fit),
        _Variant(tree.LEAF, (0, 1), wide=False, fits=_leafs_fit),
        _Variant(tree.LEAF_32, (0, 1), wide=True),
        _Variant(tree.LEAF_FLOAT, (2,), wide=False),
    ),
    LumpId.FACEIDS: (
        _Variant(geometry.FACEID_32, maps=range(25, 27), fits=_ids_are_long),
        _Variant(geometry.FACEID),
    ),
    LumpId.EDGES: _either(geometry.EDGE, geometry.EDGE_32, geometry.EDGE_32),
    LumpId.SURFEDGES: (_Variant(geometry.SURFEDGE),),
    LumpId.MODELS: (
        _Variant(geometry.MODEL_52, minor=4, fits=_models_fit),
        _Variant(geometry.MODEL, fits=_models_fit),
    ),
    LumpId.WORLDLIGHTS: _WORLDLIGHTS,
    LumpId.WORLDLIGHTS_HDR: _WORLDLIGHTS,
    LumpId.LEAFFACES: _either(tree.LEAFFACE, tree.LEAFFACE_32, tree.LEAFFACE_32),
    LumpId.LEAFBRUSHES: _either(tree.LEAFBRUSH, tree.LEAFBRUSH_32, tree.LEAFBRUSH_32),
    LumpId.BRUSHES: (_Variant(geometry.BRUSH),),
    LumpId.BRUSHSIDES: _either(geometry.BRUSHSIDE, geometry.BRUSHSIDE_32, geometry.BRUSHSIDE_STRATA),
    LumpId.AREAS: (_Variant(tree.AREA),),
    LumpId.AREAPORTALS: _either(tree.AREAPORTAL, tree.AREAPORTAL_32, tree.AREAPORTAL_32),
    LumpId.PORTALS: (
        _Variant(tree.PORTAL, maps=_OLD),
        _Variant(geometry.FACEBRUSH, maps=_V21, prop_collision=False),
        _Variant(geometry.FACEBRUSH_32, (1,), _V21, prop_collision=False),
        _Variant(props.PROPCOLLISION, maps=_V21, prop_collision=True),
    ),
    LumpId.CLUSTERS: (
        _Variant(tree.CLUSTER, maps=_OLD),
        _Variant(geometry.FACEBRUSHLIST, maps=_V21, prop_collision=False),
        _Variant(geometry.FACEBRUSHLIST_32, (1,), _V21, prop_collision=False),
        _Variant(props.PROPHULL, maps=_V21, prop_collision=True),
    ),
    LumpId.PORTALVERTS: (
        _Variant(tree.PORTALVERT, maps=_OLD),
        _Variant(props.PROPHULLVERT, maps=_V21, prop_collision=True),
    ),
    LumpId.CLUSTERPORTALS: (
        _Variant(tree.CLUSTERPORTAL, maps=_OLD),
        _Variant(props.PROPHULLTRIS, maps=_V21, prop_collision=True),
    ),
    LumpId.DISPINFO: (
        _Variant(displacements.DISPINFO, wide=False, fits=_dispinfos_fit),
        _Variant(displacements.DISPINFO_17, (0,), _V17, fits=_dispinfos_fit),
        _Variant(displacements.DISPINFO_22, (0,), (22,), fits=_dispinfos_fit),
        _Variant(displacements.DISPINFO_23, (0,), (23,), fits=_dispinfos_fit),
        _Variant(displacements.DISPINFO_32, wide=True),
        _Variant(displacements.DISPINFO_STRATA, (1,), wide=False),
    ),
    LumpId.VERTNORMALS: (_Variant(geometry.VERTNORMAL),),
    LumpId.VERTNORMALINDICES: _narrow(geometry.VERTNORMALINDEX, geometry.VERTNORMALINDEX_32),
    LumpId.DISP_LIGHTMAP_ALPHAS: (_Variant(displacements.DISPLIGHTMAPALPHA),),
    LumpId.DISP_VERTS: (_Variant(displacements.DISPVERT),),
    LumpId.DISP_LIGHTMAP_SAMPLE_POSITIONS: (_Variant(displacements.DISPLIGHTMAPSAMPLEPOSITION),),
    LumpId.LEAFWATERDATA: _narrow(tree.LEAFWATERDATA, tree.LEAFWATERDATA_32),
    LumpId.PRIMITIVES: _narrow(geometry.PRIMITIVE, geometry.PRIMITIVE_32),
    LumpId.PRIMVERTS: (_Variant(geometry.PRIMVERT),),
    LumpId.PRIMINDICES: _narrow(geometry.PRIMINDEX, geometry.PRIMINDEX_32),
    LumpId.CLIPPORTALVERTS: (_Variant(tree.CLIPPORTALVERT),),
    LumpId.CUBEMAPS: (_Variant(tree.CUBEMAP),),
    LumpId.TEXDATA_STRING_TABLE: (_Variant(geometry.TEXDATA_STRING),),
    LumpId.OVERLAYS: (
        _Variant(overlays.OVERLAY, wide=False, fits=_overlays_fit),
        _Variant(overlays.OVERLAY_23, maps=(22, 23), fits=_overlays_fit),
        _Variant(overlays.OVERLAY_32, wide=True),
        _Variant(overlays.OVERLAY_32, (1,)),
        _Variant(overlays.OVERLAY_32_TINT, (2,)),
    ),
    LumpId.LEAFMINDISTTOWATER: (_Variant(tree.LEAFMINDISTTOWATER),),
    LumpId.FACE_MACRO_TEXTURE_INFO: (_Variant(geometry.FACE_MACRO_TEXTURE_INFO),),
    LumpId.DISP_TRIS: (_Variant(displacements.DISPTRI),),
    LumpId.WATEROVERLAYS: _narrow(overlays.WATEROVERLAY, overlays.WATEROVERLAY_32),
    LumpId.LEAF_AMBIENT_INDEX_HDR: (*_AMBIENT_INDEX, _Variant(lights.LIGHTMAP_PAGE, maps=_OLD)),
    LumpId.LEAF_AMBIENT_INDEX: (*_AMBIENT_INDEX, _Variant(lights.LIGHTMAP_PAGE_INFO, maps=_OLD)),
    LumpId.LEAF_AMBIENT_LIGHTING_HDR: _AMBIENT,
    LumpId.LEAF_AMBIENT_LIGHTING: _AMBIENT,
    LumpId.MAP_FLAGS: (_Variant(lights.MAP_FLAGS, _ALL),),  # on consoles, its version is a checksum
    LumpId.OVERLAY_FADES: (_Variant(overlays.OVERLAY_FADE),),
    LumpId.OVERLAY_SYSTEM_LEVELS: (
        _Variant(overlays.OVERLAY_SYSTEM_LEVEL, fits=_levels_fit),
        _Variant(displacements.DISPMULTIBLEND, maps=range(21)),  # Black Mesa's place for them
    ),
    LumpId.DISP_MULTIBLEND: (_Variant(displacements.DISPMULTIBLEND),),
}

TEXT = "is text: entities"
_NO_TABLES: dict[int, str] = {
    LumpId.ENTITIES: TEXT,
    LumpId.VISIBILITY: "is no table: visibility",
    LumpId.LIGHTING: "is no table: lighting",
    LumpId.LIGHTING_HDR: "is no table: lighting",
    LumpId.OCCLUSION: "is three tables: occlusion",
    LumpId.PHYSDISP: "is no table: physcollide",
    LumpId.PHYSCOLLIDE: "is no table: physcollide",
    LumpId.GAME_LUMP: "is lumps of its own: game_lump",
    LumpId.PAKFILE: "is a zip: pak",
    LumpId.TEXDATA_STRING_DATA: "is texts: texdata",
}


def choose(
    lump_id: int,
    lump_version: int,
    bsp_version: int,
    data: Buffer,
    big_endian: bool = False,
    *,
    wide: bool = False,
    prop_collision: bool = False,
) -> Layout:
    """Return what records the lump `lump_id` holds in `data`, its bytes decompressed.

    `bsp_version`: as it stands in the header; its upper half may hold a minor version. `wide`: what
    :func:`has_wide_indices` said. `prop_collision`: whether it holds the collision of static props. An empty lump has
    the layout that the first records of its version would have.
    """
    if lump_id in _NO_TABLES:
        return Layout(None, _NO_TABLES[lump_id])
    if lump_id == LumpId.OVERLAYS and lump_version >= overlay_lists.VERSION:
        return Layout(None, "is two tables: overlay_lists")
    if lump_id == LumpId.PORTALVERTS and bsp_version & 0xFFFF not in _OLD and bytes(data[:2]) == b"{\n":
        return Layout(None, TEXT)  # entities of the client, in maps of Tactical Intervention (v22)
    if lump_id not in _TABLE:
        return Layout(None, "what it holds is not known")
    variants = [
        variant
        for variant in _TABLE[lump_id]
        if lump_version in variant.versions
        and bsp_version & 0xFFFF in variant.maps
        and variant.wide in (None, wide)
        and variant.minor in (None, bsp_version >> 16)
        and variant.prop_collision in (None, prop_collision)
    ]
    if not variants:
        return Layout(None, f"what its version {lump_version} holds in maps of version {bsp_version} is not known")
    view = memoryview(data).toreadonly().cast("B")
    whole = [variant for variant in variants if len(view) % variant.dtype.itemsize == 0]
    if not whole:
        sizes = " or ".join(str(variant.dtype.itemsize) for variant in variants)
        return Layout(None, f"{len(view)} bytes are no whole number of records of {sizes} bytes")
    order: ByteOrder = ">" if big_endian else "<"
    if len(whole) > 1:
        shares = [_share(variant, np.frombuffer(view, variant.dtype.newbyteorder(order))) for variant in whole]
        if max(shares) > _SENSE:
            whole = [whole[shares.index(max(shares))]]
    if len(whole) == 1:
        return Layout(whole[0].dtype.newbyteorder(order))
    sizes = " or ".join(str(variant.dtype.itemsize) for variant in whole)
    return Layout(None, f"records of {sizes} bytes would make no sense")


def _share(variant: _Variant, records: Records) -> float:
    """How much of the records makes sense: 1 where there is nothing to measure it by."""
    return 1.0 if variant.fits is None or not len(records) else float(variant.fits(records).mean())


def has_wide_indices(nodes: Buffer, lump_version: int, bsp_version: int) -> bool:
    """Whether a map has 32-bit indices without saying so, as those of Vindictus: measured by `nodes`, its lump NODES.

    Only little-endian maps of version 20 may have them.
    """
    size = memoryview(nodes).nbytes
    if bsp_version != 20 or lump_version != 0 or not size or size % tree.NODE_32.itemsize:
        return False
    narrow = size % tree.NODE.itemsize == 0 and bool(_nodes_fit(np.frombuffer(nodes, tree.NODE)).all())
    return not narrow and bool(_nodes_fit(np.frombuffer(nodes, tree.NODE_32)).all())
