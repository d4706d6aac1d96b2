# SPDX-License-Identifier: GPL-3.0-or-later
"""A level as the editor keeps it: what a `.3dt` file says (genesis.md §2).

Numbers are those of the file, in its version's units and axes; `text_3dt.upgraded` turns old ones into today's. Points
are units of one inch, y up; the points of a face go clockwise as seen from outside.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from ..arrays import Singles
from .editor_settings import new_settings
from .entities import KeyValues, Vector
from .level import Level
from .motion import Motion
from .records import EditorBrushFlag, EditorFaceFlag

Span = tuple[int, int]  # from where to where in the text that was read
Points = Singles  # [n, 3]

VERSION = (1, 31)  # the one that real levels have; the editor of Genesis3D 1.1 writes 1.32
POINT, PLACELESS = 0, 1  # styles of entities: whether their class has an origin
SKY_SIDES = ("Left", "Right", "Top", "Bottom", "Front", "Back")
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(slots=True, eq=False)
class EditorFace:
    """A side of a brush, with its corners."""

    points: Points
    texture: str = ""
    flags: int = int(EditorFaceFlag.VISIBLE)  # EditorFaceFlag
    light: int = 300
    mip_map_bias: float = 1.0
    translucency: float = 255.0  # 0..255; used only with EditorFaceFlag.TRANSPARENT
    reflectivity: float = 1.0
    rotate: float = 0.0  # of the texture, degrees; whole before 1.33
    shift: tuple[int, int] = (0, 0)  # texels
    scale: tuple[float, float] = (1.0, 1.0)
    light_scale: tuple[float, float] = (2.0, 2.0)  # of the light map: it has a sample every 16 units times this
    transform: tuple[float, ...] = IDENTITY  # since 1.32: turns the axes of a locked texture; three rows, a place
    position: Vector = (0.0, 0.0, 0.0)  # since 1.32: where a locked texture begins
    value: float = 0.0  # 1.8 to 1.24; means nothing
    span: Span | None = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class EditorBrush:
    """A convex solid with faces, or several brushes as one (`children`)."""

    name: str
    flags: int = int(EditorBrushFlag.SOLID)  # EditorBrushFlag and the game's own bits, unsigned
    model_id: int = 0  # 0: the world's
    group_id: int = 0
    hull_size: float = 1.0  # thickness of the wall of a hollow brush
    translucency: int = 0  # 1.17 to 1.26, since then the faces have it
    faces: list[EditorFace] = field(default_factory=list)
    children: list["EditorBrush"] | None = None
    span: Span | None = field(default=None, repr=False)
    list_span: Span | None = field(default=None, repr=False)  # of the line with the number of faces or children

    @property
    def is_multi(self) -> bool:
        """Whether it is made of other brushes."""
        return self.children is not None

    @property
    def is_cut(self) -> bool:
        """Whether it takes its volume away from brushes before it."""
        return bool(self.flags & EditorBrushFlag.SUBTRACT)

    @property
    def is_hollow(self) -> bool:
        """Whether it is hollow: a multi brush of a shell and the cut inside it."""
        return bool(self.flags & EditorBrushFlag.HOLLOW)

    @property
    def role(self) -> Literal["solid", "cut", "hollow", "hollow cut", "multi"]:
        """What it does to others, in one word."""
        if self.flags & EditorBrushFlag.HOLLOWCUT:
            return "hollow cut"
        if self.is_cut:
            return "cut"
        if self.is_hollow:
            return "hollow"
        return "multi" if self.is_multi else "solid"

    def leaves(self) -> list["EditorBrush"]:
        """The brushes with faces in it, in order; itself if it has faces."""
        if self.children is None:
            return [self]
        return [leaf for child in self.children for leaf in child.leaves()]


@dataclass(slots=True, eq=False)
class EditorEntity(KeyValues):
    """A point entity, the editor's camera too."""

    style: int = POINT
    place: Vector = (0.0, 0.0, 0.0)  # whole numbers; the key of the class's origin says the same
    place_tail: int = 2  # the number behind it, which means nothing
    render_origin: tuple[float, ...] = (0.0, 0.0, 0.0, 2.0)  # before 1.21; means nothing
    flags: int = 0  # hidden, locked, selected
    group_id: int = 0
    span: Span | None = field(default=None, repr=False)

    @property
    def is_placed(self) -> bool:
        """Whether it has a place: by a key, or by its style, for the editor to make the key of."""
        return self.origin is not None or self.style == POINT


@dataclass(slots=True, eq=False)
class EditorModel:
    """A world model: the brushes with its id move together."""

    name: str
    model_id: int
    key_time: float = 0.0  # seconds: the key that its brushes stand at
    transform: tuple[float, ...] = IDENTITY  # of the model in the world: three rows, then the place it turns about
    motion: Motion | None = None
    span: Span | None = field(default=None, repr=False)

    @property
    def origin(self) -> Vector:
        """What it turns about."""
        x, y, z = self.transform[9:12]
        return x, y, z


@dataclass(slots=True, eq=False)
class Group:
    """A group of brushes and entities, for the editor only. Group 0 is "Default"."""

    name: str
    group_id: int
    visible: int = 1
    locked: int = 0
    color: Vector = (255.0, 255.0, 255.0)
    span: Span | None = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class SkyFace:
    """One side of the sky."""

    apply: int
    texture: str


@dataclass(slots=True, eq=False)
class Sky:
    """The sky box: six sides in the order of SKY_SIDES, and how it turns."""

    faces: list[SkyFace] = field(default_factory=lambda: [SkyFace(0, "") for _ in SKY_SIDES])
    axis: Vector = (1.0, 0.0, 0.0)
    speed: float = 10.0  # degrees a second
    scale: float = 1.0
    span: Span | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class UnreadBrushes:
    """The brushes of a level that was read, as long as nobody asked for them."""

    span: Span
    version: tuple[int, int]
    newline: str
    read: Callable[[], list[EditorBrush]]
    """Raises FormatError."""


@dataclass(slots=True, eq=False)
class Level3dt(Level):
    """A level as the editor keeps it. Its lists may be changed freely: counts follow when it is written.

    The `brushes` of one that was read are text until somebody asks for them, which then may raise FormatError.
    """

    kind: ClassVar[Literal["map", "3dt", "bsp"]] = "3dt"

    version: tuple[int, int] = VERSION
    texture_library: str = ""  # TextureLib; WadLoc before 1.18
    headers_directory: str = ""  # HeadersDir, since 1.31: several are separated by ";"
    actors_directory: str = ""  # since 1.33
    pawn_ini: str = ""  # since 1.33
    palette: str = ""  # PalLoc, before 1.16
    brushes: list[EditorBrush] = field(default_factory=list)
    entities: list[EditorEntity] = field(default_factory=list)
    current_entity: int = 0
    models: list[EditorModel] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    sky: Sky | None = None  # since 1.12
    settings: str = ""  # since 1.20: the rest of the file, as text (CompileInfo, views, templates...)
    newline: str = "\r\n"
    source: str = field(default="", repr=False)  # the text it was read from, which spans are in
    header_span: Span | None = field(default=None, repr=False)
    brush_list_span: Span | None = field(default=None, repr=False)
    entity_list_span: Span | None = field(default=None, repr=False)
    unread: UnreadBrushes | None = field(default=None, repr=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Read the brushes; anything else is there, or is nothing that a level has."""
            if name != "brushes" or self.unread is None:
                raise AttributeError(f"a .3dt has no {name!r}")
            self.brushes, self.unread = self.unread.read(), None
            return self.brushes

    def leave_unread(self, unread: UnreadBrushes) -> None:
        """Leave the brushes as text."""
        del self.brushes
        self.unread = unread

    def unread_text(self) -> Span | None:
        """Where in `source` the brushes are that nobody asked for; None if they are to be written anew."""
        unread = self.unread
        if unread is None or not self.source or (unread.version, unread.newline) != (self.version, self.newline):
            return None
        try:
            object.__getattribute__(self, "brushes")  # others were set meanwhile
        except AttributeError:
            return unread.span
        return None

    def leaves(self) -> list[EditorBrush]:
        """All brushes with faces, in order."""
        return [leaf for brush in self.brushes for leaf in brush.leaves()]

    def numbered_brushes(self) -> Iterator[tuple[int, EditorBrush, int]]:
        """(number, brush, number of the brush it is a child of or -1) of all brushes, parents before their children."""
        number = 0
        stack = [(brush, -1) for brush in reversed(self.brushes)]
        while stack:
            brush, parent = stack.pop()
            yield number, brush, parent
            stack += [(child, number) for child in reversed(brush.children or ())]
            number += 1

    def setting(self, label: str) -> list[str]:
        """The words behind a label in the settings, of its first line; empty if there is none."""
        for line in self.settings.splitlines():
            words = line.split()
            if words and words[0] == label:
                return words[1:]
        return []

    def is_set(self, label: str) -> bool:
        """Whether a setting is a number other than 0: "VisDetail", "SuppressHidden"..."""
        return self.setting(label)[:1] not in ([], ["0"])


def new_level() -> Level3dt:
    """An empty level with what the editor puts into a new one."""
    level = Level3dt(groups=[Group("Default", 0)], sky=Sky())
    level.settings = new_settings(level.newline)
    return level
