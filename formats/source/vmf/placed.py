# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities that the compiler took out of the map and kept as lumps: static props, overlays, cubemaps and others."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from ... import ranges
from ...arrays import Array, Bools, Floats, Ints, Records
from .. import geometry
from ..entities.text import CLASSNAME, ORIGIN, TARGETNAME, Entity
from ..level import Level
from ..lumps import LumpId
from ..placed import overlay_quads
from ..records import StaticPropFlag, StaticPropFlagEx
from ..sections.static_props import StaticProps
from ..tables import overlay_lists
from . import materials, rules
from .solids import VmfSolids, texture_names
from .text import numbers, plain

Pairs = list[tuple[str, str]]

ACCESSOR = "info_overlay_accessor"
"""What is left of an overlay that has a name, to change it while the game runs."""
_OVERLAY_ID = "OverlayID"
_STRATA = 3
_FARTHER = 1e6  # units: more than the world
_NO_SHADOWS = 0x8000  # of a face's num_prims

#: Keys of prop_static that a flag says.
_FLAGS: tuple[tuple[str, int], ...] = (
    ("ignorenormals", StaticPropFlag.IGNORE_NORMALS),
    ("disableshadows", StaticPropFlag.NO_SHADOW),
    ("disablevertexlighting", StaticPropFlag.NO_PER_VERTEX_LIGHTING),
    ("disableselfshadowing", StaticPropFlag.NO_SELF_SHADOWING),
)
_FLAGS_EX: tuple[tuple[str, int], ...] = (
    ("disableshadowdepth", StaticPropFlagEx.DISABLE_SHADOW_DEPTH),
    ("enablelightbounce", StaticPropFlagEx.ENABLE_LIGHT_BOUNCE),
)
#: Keys that a field says.
_FIELDS: tuple[tuple[str, str], ...] = (
    ("skin", "skin"),
    ("solid", "solid"),
    ("forced_fade_scale", "fadescale"),
    ("min_dx_level", "mindxlevel"),
    ("max_dx_level", "maxdxlevel"),
    ("min_cpu_level", "mincpulevel"),
    ("max_cpu_level", "maxcpulevel"),
    ("min_gpu_level", "mingpulevel"),
    ("max_gpu_level", "maxgpulevel"),
    ("disable_x360", "disableX360"),
    ("uniform_scale", "uniformscale"),
)


def static_props(level: Level, lost: Counter[str]) -> Iterator[Pairs]:
    """Each static prop as a prop_static, and an info_lighting for each place that props take their light from."""
    lump = level.static_props
    if lump is None:
        return
    if lump.props is None:
        lost[f"lumps of static props left out, as {lump.reason}"] += 1
        return
    columns = _columns(lump, lump.props)
    lights: dict[str, str] = {}
    for number in range(len(lump.props)):
        pairs: Pairs = [(CLASSNAME, "prop_static")]
        pairs += [(key, texts[number]) for key, texts in columns if texts[number] is not None]
        light = _light(lump.props[number], lights)
        if light is not None:
            pairs.append(("lightingorigin", light))
        yield pairs
    if "flags_ex" in (lump.props.dtype.names or ()):
        without = lump.props["flags_ex"] & int(StaticPropFlagEx.DISABLE_CSM) > 0
        lost["static props that were kept out of cascaded shadows, for which no key is known"] += int(without.sum())
    for place, name in lights.items():
        yield [(CLASSNAME, "info_lighting"), (TARGETNAME, name), (ORIGIN, place)]


def _light(prop: np.void, lights: dict[str, str]) -> str | None:
    """The name of the light's origin that a prop has, a new one where it is the first there."""
    if not int(prop["flags"]) & StaticPropFlag.USE_LIGHTING_ORIGIN or "lighting_origin" not in (prop.dtype.names or ()):
        return None
    place = " ".join(numbers(prop["lighting_origin"]))
    return lights.setdefault(place, f"prop_light_{len(lights) + 1}")


def _columns(lump: StaticProps, props: Records) -> list[tuple[str, list[str]]]:
    """Keys, each with the values of all props."""
    names, models = props.dtype.names or (), lump.models
    types = props["prop_type"].tolist()
    made = [("model", [plain(models[kind])[0] if kind < len(models) else "" for kind in types])]
    made += [(key, _vectors(props[key])) for key in ("angles", ORIGIN)]
    made += [(key, numbers(props[field])) for field, key in _FIELDS if field in names]
    flags = props["flags"].astype(np.int64)
    # Without the flag the compiler leaves 0 for what Hammer calls -1: never.
    never = (flags & StaticPropFlag.FADES == 0) & (props["fade_min_dist"] == 0)
    made.append(("fademindist", numbers(np.where(never, -1, props["fade_min_dist"]))))
    made.append(("fademaxdist", numbers(props["fade_max_dist"])))
    made += [(key, _bits(flags, flag)) for key, flag in _FLAGS]
    # From version 10 of 76 bytes on, the bit of the one means the other.
    key = "drawinfastreflection" if "flags_ex" in names else "screenspacefade"
    made.append((key, _bits(flags, StaticPropFlag.SCREEN_SPACE_FADE)))
    if "lightmap_res_x" in names:
        lit = _bits(flags ^ int(StaticPropFlag.NO_PER_TEXEL_LIGHTING), StaticPropFlag.NO_PER_TEXEL_LIGHTING)
        made.append(("generatelightmaps", lit))
        made += [(f"lightmapresolution{axis}", numbers(props[f"lightmap_res_{axis}"])) for axis in "xy"]
    if "flags_ex" in names:
        made += [(key, _bits(props["flags_ex"].astype(np.int64), flag)) for key, flag in _FLAGS_EX]
    if "diffuse_modulation" in names:
        color = props["diffuse_modulation"]
        made += [("rendercolor", _vectors(color[:, :3])), ("renderamt", numbers(color[:, 3]))]
    if "scale" in names:
        made.append(("modelscale", _vectors(props["scale"])))
    return made


def _lists(ids: Iterable[int]) -> list[str]:
    """Ids of sides as values that vbsp can read, one at least."""
    found = [""]
    for text in map(str, sorted(ids)):
        if len(found[-1]) + 1 + len(text) > rules.LONGEST:
            found.append(text)
        else:
            found[-1] = f"{found[-1]} {text}".lstrip()
    return found


def _vectors(values: Array) -> list[str]:
    texts = numbers(values)
    return [" ".join(texts[place : place + 3]) for place in range(0, len(texts), 3)]


def _bits(flags: Ints, flag: int) -> list[str]:
    return ["1" if value else "0" for value in (flags & int(flag) > 0).tolist()]


# ------------------------------------------------------------------------------------------------------------ overlays


def overlays(level: Level, sides: Ints) -> Iterator[Pairs]:
    """Each overlay as an info_overlay. sides: int64[faces], the id of the side of each drawn face, 0: none.

    One that has more sides than a value can list is several, each on some of them. Raises FormatError.
    """
    if level.version == 25 and level.version_of(LumpId.OVERLAYS) == _STRATA:
        lists = overlay_lists.read(level.bytes_of(LumpId.OVERLAYS))
        records = lists.overlays
        painted = [lists.faces_of(number).tolist() for number in range(len(records))]
        order = records["render_order"].tolist()
    else:
        records = level.table(LumpId.OVERLAYS)
        own, faces = overlay_lists.face_lists(records)
        painted = [faces[own == number].tolist() for number in range(len(records))]
        order = (records["face_count_and_render_order"] >> 14).tolist()
    if not len(records):
        return
    names = [*materials.originals(level, texture_names(level, level.texture_names)), ""]
    columns = _overlay_columns(level, records)
    named = {entity.get(_OVERLAY_ID): entity for entity in level.entities.of_class(ACCESSOR)}
    for number in range(len(records)):
        texinfo = int(records["texinfo"][number])
        pairs: Pairs = [(CLASSNAME, "info_overlay")]
        accessor = named.get(str(int(records["id"][number])))
        if accessor is not None:
            pairs.append((TARGETNAME, plain(accessor.targetname)[0]))
        pairs.append(("material", names[texinfo] if 0 <= texinfo < len(names) - 1 else ""))
        found = {int(sides[face]) for face in painted[number] if 0 <= face < len(sides)} - {0}
        rest = [("RenderOrder", str(order[number])), *((key, texts[number]) for key, texts in columns)]
        for listed in _lists(found):
            yield [*pairs, ("sides", listed), *rest]


def _overlay_columns(level: Level, records: Records) -> list[tuple[str, list[str]]]:
    u, v = records["u"], records["v"]
    basis_u, basis_v = overlay_quads.bases(records)
    points = records["uv_points"][:, :, :2]
    flat = np.concatenate([points, np.zeros((*points.shape[:2], 1))], axis=2)
    made = [
        ("StartU", numbers(u[:, 0])),
        ("EndU", numbers(u[:, 1])),
        ("StartV", numbers(v[:, 0])),
        ("EndV", numbers(v[:, 1])),
        *((f"uv{corner}", _vectors(flat[:, corner])) for corner in range(4)),
        ("BasisOrigin", _vectors(records["origin"])),
        ("BasisU", _vectors(basis_u)),
        ("BasisV", _vectors(basis_v)),
        ("BasisNormal", _vectors(records["basis_normal"])),
        ("angles", ["0 0 0"] * len(records)),
        (ORIGIN, _vectors(records["origin"])),
    ]
    fades = level.table(LumpId.OVERLAY_FADES)
    if len(fades) == len(records):
        squares = (fades["fade_dist_min_sq"].astype(np.float64), fades["fade_dist_max_sq"].astype(np.float64))
        keys = ("fademindist", "fademaxdist")
        made += [
            (key, numbers(np.copysign(np.sqrt(np.abs(square)), square)))
            for key, square in zip(keys, squares, strict=True)
        ]
    levels = level.table(LumpId.OVERLAY_SYSTEM_LEVELS) if len(level.bytes_of(LumpId.OVERLAY_SYSTEM_LEVELS)) else None
    if levels is not None and len(levels) == len(records):
        made += [(name.replace("_", ""), numbers(levels[name])) for name in levels.dtype.names or ()]
    return made


# ---------------------------------------------------------------------------------------------- cubemaps and all else


def cubemaps(
    level: Level, solids: VmfSolids, copies: Mapping[tuple[int, int, int], Ints], seen: Bools
) -> Iterator[Pairs]:
    """Each cubemap as an env_cubemap, with the sides that it was given by hand; several where one can't list them.

    copies: the ids of the sides whose material is a copy for the cubemap at a place; seen: bool[n], which sides have
    faces: others show none. By itself, vbsp gives a side the nearest cubemap in front of it, or else the nearest.
    """
    records = level.table(LumpId.CUBEMAPS)
    places, sizes = records["origin"].tolist(), records["size"].tolist()
    nearest = _nearest(solids, records["origin"].astype(np.float64))
    for number, (place, size) in enumerate(zip(places, sizes, strict=True)):
        own = copies.get((place[0], place[1], place[2]), np.zeros(0, np.int64))
        given = np.isin(solids.ids, own) & (nearest != number) & seen
        for listed in _lists(solids.ids[given].tolist()):
            yield [
                (CLASSNAME, "env_cubemap"),
                ("cubemapsize", str(size)),
                ("sides", listed),
                (ORIGIN, " ".join(map(str, place))),
            ]


def _nearest(solids: VmfSolids, places: Floats) -> Ints:
    """The cubemap that vbsp gives each side by itself, int64[n]."""
    counts = np.diff(solids.first_corner)
    owners = ranges.owners(counts)
    sums = [np.bincount(owners, solids.corners[:, axis], len(counts)) for axis in range(3)]
    middles = np.column_stack(sums) / np.maximum(counts, 1)[:, None]
    nearest, least = np.zeros(len(counts), np.int64), np.full(len(counts), np.inf)
    for number, place in enumerate(places):
        away = place - middles
        behind = (away * solids.normals).sum(axis=1) < 0
        distance = np.sqrt((away * away).sum(axis=1)) + np.where(behind, _FARTHER, 0.0)
        closer = distance < least
        nearest[closer], least[closer] = number, distance[closer]
    return nearest


def shadowless(level: Level, sides: Ints) -> Iterator[Pairs]:
    """The info_no_dynamic_shadow for all faces that are marked so, if there are any. sides: as of `overlays`.

    Several where one can't list them all.
    """
    faces = level.table(geometry.drawn_faces(level))
    if "num_prims" not in (faces.dtype.names or ()) or faces.dtype["num_prims"].itemsize != 2:
        return
    marked = sorted(set(sides[faces["num_prims"] & _NO_SHADOWS > 0].tolist()) - {0})
    if marked:
        first = level.table(LumpId.MODELS)
        middle = (first["mins"][0] + first["maxs"][0]) / 2 if len(first) else np.zeros(3)
        place: Floats = np.round(np.nan_to_num(middle))
        for listed in _lists(marked):
            yield [(CLASSNAME, "info_no_dynamic_shadow"), ("sides", listed), (ORIGIN, _vectors(place)[0])]


def is_made_again(entity: Entity) -> bool:
    """Whether the compiler makes this entity anew: what is left of overlays."""
    return entity.classname == ACCESSOR
