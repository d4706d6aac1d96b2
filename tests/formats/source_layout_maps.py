# SPDX-License-Identifier: GPL-3.0-or-later
"""The map that has something in every lump, in the records of other games: packed anew with struct, field by field.

What the fields hold is the same in all of them, so that whatever is asked of them must be answered alike. The corpus
has no map of these games (source.md §1, §2.1, §2.9).
"""

import struct
from dataclasses import dataclass, field

from tests.formats import source_bytes as build
from tests.formats import source_fuzz_maps as base
from tests.formats import source_record_bytes as records

NONE, NONE_32 = 0xFFFF, 0xFFFFFFFF
ORIGINALFACES = 27
USUAL = {
    build.NODES: "NODE", build.TEXINFO: "TEXINFO", build.FACES: "FACE", base.FACES_HDR: "FACE", build.LEAFS: "LEAF",
    build.EDGES: "EDGE", build.MODELS: "MODEL", build.LEAFFACES: "LEAFFACE", build.LEAFBRUSHES: "LEAFBRUSH",
    build.BRUSHSIDES: "BRUSHSIDE", build.AREAPORTALS: "AREAPORTAL", base.DISPINFO: "DISPINFO",
    build.VERTNORMALINDICES: "VERTNORMALINDEX", base.PRIMITIVES: "PRIMITIVE", base.PRIMINDICES: "PRIMINDEX",
    base.LEAFWATER: "LEAFWATERDATA", base.OVERLAYS: "OVERLAY", base.WORLDLIGHTS: "WORLDLIGHT",
    base.AMBIENT_INDEX: "LEAF_AMBIENT_INDEX", base.AMBIENT_INDEX_HDR: "LEAF_AMBIENT_INDEX",
}  # fmt: skip
PROPS = {"origin": (1, 2, 3), "angles": (0, 90, 0), "first_leaf": 0, "leaf_count": 1, "prop_type": 0, "solid": 6}


def unpacked(spec: str, data: bytes) -> list[dict[str, list[int | float]]]:
    """The fields of records, pads left out."""
    fields = records.formats(spec)
    size = struct.calcsize("<" + "".join(form for _, form in fields))
    found = []
    for start in range(0, len(data), size):
        at, row = start, {}
        for name, form in fields:
            if name:
                row[name] = [*struct.unpack_from("<" + form, data, at)]
            at += struct.calcsize("<" + form)
        found.append(row)
    return found


def repacked(data: bytes, old: str, new: str) -> bytes:
    """Records in another layout: fields by name, what the old one hasn't is 0."""
    spec, rows = records.RECORDS[new], unpacked(records.RECORDS[old], data)
    made = b""
    for row in rows:
        if "shadows_num_prims" in spec and "num_prims" in row:
            row["shadows_num_prims"] = [number << 1 | 1 for number in row.pop("num_prims")]
        if new in ("DISPINFO_32", "DISPINFO_STRATA"):
            row |= {
                name: [NONE_32 if number == NONE else number for number in row[name]]
                for name in ("edge_neighbors", "corner_neighbors")
            }
        if new == "FACE_17_DAY_NIGHT":
            row["styles"] += [255] * 4
        for name, form in records.formats(spec):
            count = len(struct.unpack("<" + form, bytes(struct.calcsize("<" + form)))) if name else 0
            row.setdefault(name, [0] * count)
        made += records.pack(spec, row)
    return made


def static_props(record: str, wide: bool = False, scales: bytes = b"") -> bytes:
    """Two props in a leaf: the game lump `sprp`."""
    names = struct.pack("<i", 1) + b"models/lamp.mdl".ljust(128, b"\0")
    leafs = struct.pack("<iI" if wide else "<iH", 1, 1)
    return names + leafs + scales + struct.pack("<i", 2) + records.records(record, 2, **PROPS)


@dataclass(frozen=True)
class Layout(build.Bsp):
    """A map in some game's records. `layouts`: by lump; `lumps`: that differ; `without`: that its version hasn't."""

    layouts: dict[int, str] = field(default_factory=dict)
    without: tuple[int, ...] = ()
    props: tuple[int, bytes] = (6, b"")

    def build(self) -> bytes:
        """Its bytes."""
        lumps = {lump: data for lump, data in (base.lumps() | self.lumps).items() if lump not in self.without}
        for lump, record in self.layouts.items():
            if lump in lumps:
                lumps[lump] = repacked(lumps[lump], USUAL[lump], record)
        lumps[ORIGINALFACES] = lumps[build.FACES]  # in its records, but always of version 0
        plain = {name: value for name, value in vars(self).items() if name not in ("layouts", "without")}
        return Layout(**(plain | {"lumps": lumps})).whole()

    def whole(self) -> bytes:
        """The bytes of the lumps as they are."""
        return super().build()

    def game_lump(self, at: int) -> bytes:
        """With props alone, and something that only its game knows."""
        version, data = self.props
        parts = [(b"sprp", version, data), (b"plan", 2, b"what nobody knows")]
        return build.game_lump(at, parts, "<" + self.game_form, leading=self.game_leading)


_HDR = (base.FACES_HDR, base.LIGHTING_HDR)
_NEW = (base.AMBIENT, base.AMBIENT_INDEX, base.AMBIENT_HDR, base.AMBIENT_INDEX_HDR, *_HDR)  # lumps since v20
_FACES = (build.FACES, base.FACES_HDR)
_WIDE = {
    build.NODES: "NODE_32", build.LEAFS: "LEAF_32", build.EDGES: "EDGE_32", build.LEAFFACES: "LEAFFACE_32",
    build.LEAFBRUSHES: "LEAFBRUSH_32", build.BRUSHSIDES: "BRUSHSIDE_32", build.AREAPORTALS: "AREAPORTAL_32",
    base.DISPINFO: "DISPINFO_32", base.OVERLAYS: "OVERLAY_32",
}  # fmt: skip
_STRATA = {
    build.NODES: "NODE_FLOAT", build.LEAFS: "LEAF_FLOAT", build.EDGES: "EDGE_32", build.LEAFFACES: "LEAFFACE_32",
    build.LEAFBRUSHES: "LEAFBRUSH_32", build.BRUSHSIDES: "BRUSHSIDE_STRATA", build.AREAPORTALS: "AREAPORTAL_32",
    base.DISPINFO: "DISPINFO_STRATA", base.OVERLAYS: "OVERLAY_32_TINT", build.VERTNORMALINDICES: "VERTNORMALINDEX_32",
    base.PRIMITIVES: "PRIMITIVE_32", base.PRIMINDICES: "PRIMINDEX_32", base.LEAFWATER: "LEAFWATERDATA_32",
    base.WORLDLIGHTS: "WORLDLIGHT_V2", base.AMBIENT_INDEX: "LEAF_AMBIENT_INDEX_32",
    base.AMBIENT_INDEX_HDR: "LEAF_AMBIENT_INDEX_32", **dict.fromkeys(_FACES, "FACE_STRATA"),
}  # fmt: skip
_TWO = (build.LEAFS, *_FACES, base.OVERLAYS, base.WORLDLIGHTS, base.PHYSDISP)  # Strata's lumps of version 2
_SCALES = struct.pack("<ii3f", 1, 1, 2, 2, 2)

USUAL_MAP = Layout(lumps={}, versions=base.VERSIONS, props=(6, static_props("PROP_V6")))
MAPS: dict[str, Layout] = {
    "usual": USUAL_MAP,
    "Vindictus": USUAL_MAP.but(
        game_form="IIIII", layouts=_WIDE | dict.fromkeys(_FACES, "FACE_32"),
        props=(6, static_props("PROP_V5", scales=_SCALES)),
    ),
    "Vindictus, faces of version 2": USUAL_MAP.but(
        game_form="IIIII", layouts=_WIDE | dict.fromkeys(_FACES, "FACE_32_V2"), props=(7, static_props("PROP_V6")),
        versions=base.VERSIONS | dict.fromkeys(_FACES, 2),
    ),
    "Dark Messiah": USUAL_MAP.but(
        minor=4, game_form="IIHHII", game_leading=(0,), layouts={build.MODELS: "MODEL_52", build.TEXINFO: "TEXINFO_96"},
        props=(6, static_props("PROP_V6_136")),
    ),
    "Strata": USUAL_MAP.but(
        version=25, layouts=_STRATA, props=(13, static_props("PROP_V13", wide=True)),
        versions=base.VERSIONS | dict.fromkeys(_STRATA, 1) | dict.fromkeys(_TWO, 2),
        lumps={base.PHYSDISP: struct.pack("<2I", 1, 8) + bytes(8)},
    ),
    "Left 4 Dead 2": USUAL_MAP.but(
        version=21, version_first=True, layouts={base.WORLDLIGHTS: "WORLDLIGHT_V1"},
        versions=base.VERSIONS | {base.WORLDLIGHTS: 1}, props=(9, static_props("PROP_V9")),
    ),
    "v19": USUAL_MAP.but(
        version=19, layouts={build.LEAFS: "LEAF_AMBIENT"}, without=_NEW, versions=base.VERSIONS | {build.LEAFS: 0},
        props=(5, static_props("PROP_V5")),
    ),
    "v18": USUAL_MAP.but(
        version=18, layouts={build.LEAFS: "LEAF_AMBIENT", build.FACES: "FACE_18"}, without=_NEW, versions={},
        props=(4, static_props("PROP_V4")),
    ),
    "v17 of Bloodlines": USUAL_MAP.but(
        version=17, layouts={build.FACES: "FACE_17_DAY_NIGHT"}, without=_NEW, versions={},
        props=(4, static_props("PROP_V4")),
    ),
    "v17 of the beta": USUAL_MAP.but(
        version=17, layouts={build.FACES: "FACE_17", base.DISPINFO: "DISPINFO_17"}, without=_NEW, versions={},
        props=(4, static_props("PROP_V4")),
    ),
}  # fmt: skip
BYTES = {name: layout.build() for name, layout in MAPS.items()}
