# SPDX-License-Identifier: GPL-3.0-or-later
"""`.3dt` text: levels as the editor keeps them (genesis.md §2).

Every version from 1.2 to 1.34 has its words here; 1.31 is what real levels are. Text that nobody changed is written as
it was read, whatever its spaces and digits; a changed record keeps the words that still hold.
"""

import re
from functools import partial

import numpy as np

from ..binary import Buffer
from . import motion_file
from .editor_level import (
    EditorBrush,
    EditorEntity,
    EditorFace,
    EditorModel,
    Group,
    Level3dt,
    Sky,
    SkyFace,
    UnreadBrushes,
)
from .tokens import Scanner

OLDEST, NEWEST = (1, 2), (1, 34)
MULTI, LEAF = 1, 2  # a brush's Type
MAX_DEPTH = 64  # of brushes in brushes; the editor makes 3

_HEAD = re.compile(rb"\s*3dtVersion\s")
_VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})")
_ENTITY_LIST = "CEntList"
_ENTITIES = re.compile(rf"(?<=\n)[ \t]*Class[ \t\r\n]+{_ENTITY_LIST}\b")


def identify(data: Buffer) -> bool:
    """Whether these bytes are a `.3dt`: its first word."""
    return _HEAD.match(bytes(data[:256])) is not None


def read(data: Buffer) -> Level3dt:
    """Read a `.3dt`, all but its brushes, which are read when somebody asks for them.

    Raises FormatError, then too, which tells the byte and what the editor would expect there.
    """
    return _Reader(bytes(data)).level()


class _Reader:
    """Reads the records of a level in their order. Each remembers where it stood."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.scan = Scanner(data.decode("latin-1"))
        self.version = (0, 0)

    def since(self, minor: int) -> bool:
        """Whether the file is of version 1.`minor` or later."""
        return self.version >= (1, minor)

    def name(self, tag: str) -> str:
        """A tag and text."""
        self.scan.tag(tag)
        return self.scan.literal(tag)

    def integer(self, tag: str) -> int:
        """A tag and a whole number."""
        self.scan.tag(tag)
        return self.scan.integer(tag)

    def number(self, tag: str) -> float:
        """A tag and a number."""
        self.scan.tag(tag)
        return _single(self.scan.number(tag))

    def triple(self, tag: str) -> tuple[float, float, float]:
        """A tag and three numbers."""
        self.scan.tag(tag)
        x, y, z = self.scan.numbers(3, tag)
        return _single(x), _single(y), _single(z)

    def numbers(self, tag: str, count: int) -> tuple[float, ...]:
        """A tag and several numbers."""
        self.scan.tag(tag)
        return tuple(map(_single, self.scan.numbers(count, tag)))

    def items(self, count: int, what: str) -> range:
        """So many things to read, refused if the rest of the text has no room for them."""
        if not 0 <= count <= len(self.scan.text) - self.scan.offset:
            raise self.scan.error(f"{count} of them cannot be in the rest of the text", what)
        return range(count)

    def level(self) -> Level3dt:
        scan = self.scan
        level = Level3dt(source=scan.text)
        count = self.header(level)
        begin = scan.boundary()
        if self.since(15):
            count = self.integer("Brushlist")
            level.brush_list_span = (begin, scan.boundary())
        brushes = self.items(count, "Brushlist")
        entities = self.entities_start()
        if entities is None:
            level.brushes = [self.brush(0) for _ in brushes]
        else:
            read = partial(self.brushes, brushes, scan.boundary(), entities)
            level.leave_unread(UnreadBrushes((begin, entities), self.version, level.newline, read))
            scan.offset = entities
        start = scan.boundary()
        scan.tag("Class")
        scan.tag(_ENTITY_LIST)
        count = self.integer("EntCount")
        level.current_entity = self.integer("CurEnt")
        level.entity_list_span = (start, scan.boundary())
        level.entities = [self.entity() for _ in self.items(count, "EntCount")]
        level.models = [self.model() for _ in self.items(self.model_count, "NumModels")]
        level.groups = [self.group() for _ in self.items(self.group_count, "NumGroups")]
        level.sky = self.sky() if self.since(12) else None
        level.settings = scan.text[scan.boundary() :]
        return level

    def entities_start(self) -> int | None:
        """Where the entities begin, if that can be told without reading the brushes: their heading is there once."""
        found = _ENTITIES.search(self.scan.text, self.scan.offset)
        if found is None or not self.since(15) or self.scan.text.count(_ENTITY_LIST) != 1:
            return None
        return found.start()

    def brushes(self, count: range, start: int, end: int) -> list[EditorBrush]:
        """So many brushes, which are a part of the text. Raises FormatError where they aren't."""
        self.scan.offset = start
        brushes = [self.brush(0) for _ in count]
        if self.scan.boundary() != end:
            self.scan.tag("Class")
            self.scan.tag(_ENTITY_LIST)
        return brushes

    def header(self, level: Level3dt) -> int:
        """Read the lines before the brushes; returns how many brushes there are, before 1.15."""
        scan = self.scan
        scan.tag("3dtVersion")
        version = _VERSION.fullmatch(scan.word("3dtVersion"))
        if version is None:
            raise scan.error("no version like 1.31", "3dtVersion")
        self.version = level.version = int(version[1]), int(version[2])
        if not OLDEST <= self.version <= NEWEST:
            raise scan.error(f"version {version[0]}: known are {_dotted(OLDEST)} to {_dotted(NEWEST)}", "3dtVersion")
        if not self.since(16):
            level.palette = self.name("PalLoc")
        level.texture_library = self.name("TextureLib" if self.since(18) else "WadLoc")
        if self.since(31):
            level.headers_directory = self.name("HeadersDir")
        if self.since(33):
            level.actors_directory = self.name("ActorsDir")
            level.pawn_ini = self.name("PawnIni")
        brushes = 0 if self.since(15) else self.integer("NumBrushes")
        self.integer("NumEntities")  # EntCount is what counts
        self.model_count = self.integer("NumModels")
        self.group_count = self.integer("NumGroups") if self.since(3) else 0
        level.header_span = (0, scan.boundary())
        level.newline = "\r\n" if "\r\n" in scan.text[: scan.offset] else "\n"
        return brushes

    def brush(self, depth: int) -> EditorBrush:
        start = self.scan.boundary()
        brush = EditorBrush(self.name("Brush"))
        brush.flags = self.integer("Flags") & 0xFFFFFFFF
        if self.since(3):
            brush.model_id = self.integer("ModelId")
            brush.group_id = self.integer("GroupId")
        else:
            brush.model_id = self.integer("EntityId")
        brush.hull_size = self.number("HullSize")
        if (1, 17) <= self.version < (1, 27):
            brush.translucency = self.integer("Translucency")
        kind = self.integer("Type") if self.since(15) else LEAF
        middle = self.scan.boundary()
        brush.span = (start, middle)
        if kind == LEAF:
            count = self.integer("BrushFaces")
            brush.list_span = (middle, self.scan.boundary())
            brush.faces = [self.face() for _ in self.items(count, "BrushFaces")]
        elif kind == MULTI and depth < MAX_DEPTH:
            count = self.integer("Brushlist")
            brush.list_span = (middle, self.scan.boundary())
            brush.children = [self.brush(depth + 1) for _ in self.items(count, "Brushlist")]
        else:
            raise self.scan.error(f"type {kind} at depth {depth}: there are 1 (of brushes) and 2 (of faces)", "Type")
        return brush

    def face(self) -> EditorFace:
        scan = self.scan
        start = scan.boundary()
        count = self.integer("NumPoints")
        face = EditorFace(np.empty((0, 3), np.float32))
        if self.since(8):
            face.flags = self.integer("Flags")
            if not self.since(25):
                face.value = self.number("FaceValue")
        if self.since(13):
            face.light = self.integer("Light")
        if self.since(25):
            face.mip_map_bias = self.number("MipMapBias")
        if self.since(27):
            face.translucency = self.number("Translucency")
            face.reflectivity = self.number("Reflectivity")
        points = [scan.vector("Vec3d") for _ in self.items(count, "NumPoints")]
        face.points = np.array(points, np.float32).reshape(-1, 3)
        scan.tag("TexInfo")
        face.rotate = self.number("Rotate") if self.since(33) else float(self.integer("Rotate"))
        face.shift = self.integer("Shift"), scan.integer("Shift")
        face.scale = self.number("Scale"), _single(scan.number("Scale"))
        face.texture = self.name("Name")
        if self.since(17):
            face.light_scale = self.number("LightScale"), _single(scan.number("LightScale"))
        else:
            face.light_scale = face.scale
        if self.since(32):
            face.transform = self.numbers("Transform", 12)
            face.position = self.triple("Pos")
        face.span = (start, scan.boundary())
        return face

    def entity(self) -> EditorEntity:
        scan = self.scan
        start = scan.boundary()
        scan.tag("CEntity")
        entity = EditorEntity(style=self.integer("eStyle"), place=self.triple("eOrigin"))
        entity.place_tail = scan.integer("eOrigin")
        if not self.since(21):
            entity.render_origin = self.numbers("eRenderOrigin", 4)
        entity.flags = self.integer("eFlags")
        entity.group_id = self.integer("eGroup")
        count = self.items(self.integer("ePairCount"), "ePairCount")
        if self.since(14):
            entity.pairs = [(self.name("Key"), self.name("Value")) for _ in count]
        else:
            entity.pairs = [(self.old_text("K"), self.old_text("V")) for _ in count]
        scan.tag("End")
        scan.tag("CEntity")
        entity.span = (start, scan.boundary())
        return entity

    def old_text(self, tag: str) -> str:
        """A tag and the rest of its line: keys and values before 1.14."""
        self.scan.tag(tag)
        return self.scan.line(tag).removeprefix(" ")

    def model(self) -> EditorModel:
        scan = self.scan
        start = scan.boundary()
        model = EditorModel(self.name("Model"), self.integer("ModelId"))
        if self.since(7):
            model.key_time = self.number("CurrentKeyTime")
            model.transform = self.numbers("Transform", 12)
        if self.since(5) and self.integer("Motion"):
            scan.line("Motion")
            model.motion, scan.offset = motion_file.read(self.data, scan.offset)
        model.span = (start, scan.boundary())
        return model

    def group(self) -> Group:
        start = self.scan.boundary()
        group = Group(self.name("Group"), self.integer("GroupId"), self.integer("Visible"), self.integer("Locked"))
        if self.since(9):
            group.color = self.triple("Color")
        group.span = (start, self.scan.boundary())
        return group

    def sky(self) -> Sky:
        scan = self.scan
        start = scan.boundary()
        scan.tag("Sky")
        sky = Sky([])
        for _ in range(6):
            apply = scan.integer("Sky")
            texture = scan.literal("Sky")
            # Before 1.14 an x stands before the name, so that an empty one is a word as well.
            sky.faces.append(SkyFace(apply, texture if self.since(14) else texture[1:]))
        if self.since(26):
            sky.axis = self.triple("Axis")
            sky.speed = self.number("Speed")
        if self.since(28):
            sky.scale = self.number("Scale")
        sky.span = (start, scan.boundary())
        return sky


def _single(value: float) -> float:
    """The nearest 32-bit float: what the editor has."""
    return float(np.float32(value))


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
