# SPDX-License-Identifier: GPL-3.0-or-later
"""What a game declares: all that menus, dialogs, drag and drop, preferences and the command line are made of.

A game is a folder in formats/ and one in addon/, whose module `game` has a `Game` called GAME; `games` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import bpy
from mathutils import Vector

from ..formats import FORMATS, Format
from ..formats.format import AnyLevel, Document
from .scene.assets import AssetRules
from .scene.disk.content_folders import ContentFolder
from .scene.fates.ledger import Fates
from .scene.interface.menus import MenuSection
from .scene.registering import nothing
from .scene.reports import Report, SceneError
from .scene.view.kinds import KindOf
from .scene.view.spawns import Spawn
from .scene.work.progress import Steps

Settings = Any
"""A frozen dataclass of options: which one, the game says."""


class ImportLevels(Protocol):
    """What opens levels for a file of another form."""

    def __call__(
        self, paths: Sequence[Path], contents: Mapping[Path, bytes] | None = None, /
    ) -> Steps[list[bpy.types.Collection]]:
        """Open the levels in these files, and return their collections. contents: what to take for those of some."""


def _by_type(_obj: bpy.types.Object, _home: bpy.types.Collection) -> str:
    """What an object is in a game that says nothing of it."""
    return ""


class ImportLevel(Protocol):
    """What builds a level's scene: a `Stepwise`, where it takes longer than a moment."""

    def __call__(
        self, context: bpy.types.Context, data: bytes, file: Path, settings: Settings, report: Report, /
    ) -> bpy.types.Collection:
        """Return the level's collection, linked to the scene. Raises FormatError, SceneError."""


class ExportLevel(Protocol):
    """What makes a level's file of its scene: a `Stepwise`, where it takes longer than a moment."""

    def __call__(
        self, context: bpy.types.Context, collection: bpy.types.Collection, settings: Settings, report: Report, /
    ) -> bytes | Mapping[str, bytes]:
        """Return the file's bytes; of a level of several files those of each by their endings, its own file first.

        Raises SceneError, with the objects at fault, or FormatError where it can't be.
        """


class Preflight(Protocol):
    """What looks over a level before its file is written: a `Stepwise`, where it takes longer than a moment."""

    def __call__(
        self, context: bpy.types.Context, collection: bpy.types.Collection, made: bytes, report: Report, /
    ) -> None:
        """Add to the report's findings what keeps the level from being used. made: its file. Raises nothing."""


class ExportForm(Protocol):
    """What makes another form of a level or of several: a `Stepwise`, where it takes longer than a moment."""

    def __call__(
        self, context: bpy.types.Context, collection: bpy.types.Collection, settings: Settings, report: Report, /
    ) -> bytes:
        """Return the file's bytes. Raises SceneError, with the objects at fault, or FormatError where it can't be."""


class ImportForm(Protocol):
    """What opens a file of another form, which says where levels are."""

    def __call__(
        self,
        context: bpy.types.Context,
        data: bytes,
        file: Path,
        settings: Settings,
        import_levels: ImportLevels,
        report: Report,
        /,
    ) -> Steps[bpy.types.Collection]:
        """Return the collection that holds all of it, linked to the scene. Raises FormatError, SceneError."""


class FindSpawns(Protocol):
    """What finds where players begin."""

    def __call__(self, context: bpy.types.Context, collection: bpy.types.Collection, /) -> Sequence[Spawn]:
        """Return the places in a level, the first first; none where players begin nowhere."""


class LookFromSpawn(Protocol):
    """What shows a level as a player first sees it."""

    def __call__(
        self, context: bpy.types.Context, collection: bpy.types.Collection, aspect: float, /
    ) -> bpy.types.Object | None:
        """Put a camera there, make it the scene's, and return it; None where players begin nowhere.

        aspect: width / height of the picture.
        """


class MakeLevel(Protocol):
    """What makes a level from nothing."""

    def __call__(self, context: bpy.types.Context, settings: Settings, report: Report, /) -> bpy.types.Collection:
        """Return the new level's collection, linked to the scene. Raises FormatError, SceneError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLevel:
    """How a game's levels are made from nothing: an operator, and an entry in File > New."""

    operator: str
    """The operator's name after `levelwright.`; it begins with the game's key."""
    label: str
    """What is made: "Source map"."""
    tooltip: str
    settings: type[Settings]
    """A frozen dataclass of what can be chosen."""
    make: MakeLevel
    """What it makes with the defaults can be exported."""
    home: Callable[[bpy.types.Collection], bpy.types.Collection] | None = None
    """Gives the collection that is made active, where what is added belongs into one in the level."""
    first: Callable[[bpy.types.Collection], bpy.types.Object | None] | None = None
    """Gives the object that is made active, where it isn't the level's root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """A kind of files that a game's levels are in: an operator to open them, one to write them."""

    ending: str
    """Of the files' names, with the dot."""
    operator: str
    """The operators' name after `import_scene.` and `export_scene.`."""
    label: str
    """What such a file is called in menus: "Source map"."""
    opens: str = ""
    """Tooltip of the import."""
    writes: str = ""
    """Tooltip of the export."""
    note: str = ""
    """What has to be known before an export: the dialog shows it."""
    suits: Callable[[bpy.types.Collection], bool] | None = None
    """Whether a level can become such a file, so that menus offer it; None: each of the game's can."""

    @property
    def title(self) -> str:
        """What such a file is called in titles: "Source Map"."""
        return " ".join(word[:1].upper() + word[1:] for word in self.label.split(" "))


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(FileKind):
    """Another form of a game's levels than its own files: what its editor has, or a file about several levels."""

    menu: str = ""
    """What it is called in menus, where the label says too little."""
    suffix: str = ""
    """What follows the level's name in that of its file, before the ending."""
    export_form: ExportForm | None = None
    """None: such files are only opened."""
    export_settings: type[Settings] | None = None
    """A frozen dataclass; None: there is nothing to choose."""
    check: Callable[[bytes], object] = bytes
    """Reads what was made back. Raises FormatError for what is no such file."""
    choose: Callable[[bpy.types.Context, str], bpy.types.Collection] | None = None
    """Finds the collection to export, by name or "" for the active one; None: it is a level."""
    import_form: ImportForm | None = None
    """None: such files are only written."""
    import_settings: type[Settings] | None = None
    """A frozen dataclass: what can be chosen besides the options of the levels."""


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """What the scene has for the places of a level's contents that begin alike, as `formats.diff` calls them."""

    pattern: str
    """Regular expression of how they begin. Its groups are numbers, the last one that of the record."""
    title: str
    """What such records are called, in the plural."""
    kinds: tuple[str, ...] = ()
    """Of the stamps that objects have which stand for these records."""
    are_faces: bool = False
    """Whether they are faces of meshes, by their ids."""
    numbered_by: str = ""
    """The attribute of faces that has the number + 1 of the record which these stand for, where it isn't their id."""
    number: Callable[[AnyLevel, Sequence[int]], int] | None = None
    """Gives the stamps' number of a record, of the numbers in its place, where that isn't the last of these: in the
    original level, or in what `contents_beside` gave of a file beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game: its format, joined to what makes and reads its scenes."""

    key: str
    """Of its format: the name of the folders."""
    files: tuple[FileKind, ...]
    """The kinds of files that its levels are in."""
    import_level: ImportLevel
    import_settings: type[Settings]
    """A frozen dataclass whose fields are the options of an import."""
    export_level: ExportLevel | None = None
    """None: its levels can only be opened."""
    export_settings: type[Settings] | None = None
    """A frozen dataclass whose fields are the options of an export. Where it has `backup` and that is true, a file that
    is replaced stays as `.bak`."""
    for_file: Callable[[Settings, Path], Settings] | None = None
    """Gives the export's settings for a file of this name, where they depend on it."""
    beside: Mapping[str, Callable[[bytes], object]] = field(default_factory=dict)
    """By ending, what reads the files of the same name that are parts of a level, and raises FormatError for others."""
    contents_beside: Mapping[str, Callable[[bytes], Document]] = field(default_factory=dict)
    """By ending, what gives everything in such a file, to be compared; raises FormatError."""
    places: tuple[RecordPlace, ...] = ()
    """Where in its levels' contents records are that the scene has objects for; the first one that fits counts."""
    preflight: Preflight | None = None
    """Looks over what an export made, before it is written."""
    forms: tuple[Form, ...] = ()
    """What else its levels are written in, or opened from."""
    new: NewLevel | None = None
    """How a level is made from nothing; None: there is no way."""
    folders: tuple[ContentFolder, ...] = ()
    """Where the user keeps the game's content: the preferences have these."""
    preferences: Mapping[str, Any] = field(default_factory=dict)
    """Further properties of the preferences, by name, which the game keeps something in by itself."""
    label: str = ""
    """What it is called in menus; "": as its format is."""
    menu: tuple[MenuSection, ...] = ()
    """All of its operators, as menus have them: Blender's search finds no others."""
    is_one_sided: bool = False
    """Whether faces are drawn from their front only, so that rooms can be looked into from outside."""
    show_rooms: Callable[[bpy.types.Context, bpy.types.Collection], None] | None = None
    """Shows a level without what hides its rooms from outside, for a picture. Raises SceneError or FormatError where it
    can't; None: there is nothing to do but to leave out the backs of faces."""
    spawns: FindSpawns | None = None
    """Finds where players begin; None: its levels don't say where that is."""
    is_flat: bool = False
    """Whether all of a level is seen from straight above."""
    frame: Callable[[bpy.types.Collection], Sequence[Vector]] | None = None
    """Gives corners of what pictures of all of a level are about, in the world; None: of all that is there."""
    look_from_spawn: LookFromSpawn | None = None
    """Puts a camera where players begin; None: its levels don't say where that is."""
    kind_shown: KindOf = _by_type
    """Says what an object of its levels is, of the kinds that views can show or hide."""
    gltf_materials: Callable[[bpy.types.Collection, Report], None] | None = None
    """Gives a level's meshes materials that glTF can hold; None where they have such."""
    assets: AssetRules | None = None
    """What of its levels becomes assets; None: nothing."""
    fates: Fates = field(default_factory=dict)
    """What its export writes of all that an import shows, and why it doesn't write the rest."""
    register: Callable[[], None] = nothing
    """Registers the game's own panels, operators and properties."""
    unregister: Callable[[], None] = nothing
    """Undoes `register`."""

    @property
    def format(self) -> Format:
        """The format of its levels."""
        return next(form for form in FORMATS if form.key == self.key)

    @property
    def title(self) -> str:
        """What it is called in menus: "Teeworlds"."""
        return self.label or self.format.title

    @property
    def plural(self) -> str:
        """What its levels are called: "Source maps"."""
        return f"{self.format.title}s"

    @property
    def writer(self) -> tuple[ExportLevel, type[Settings]]:
        """What writes the game's levels, and its settings. Raises SceneError where they can only be opened."""
        if self.export_level is None or self.export_settings is None:
            raise SceneError(f"{self.plural} can be opened, but this version of Levelwright writes none")
        return self.export_level, self.export_settings

    def kind_of(self, file_name: str) -> FileKind:
        """Return the kind of the file of this name, by its ending; the usual kind for other endings."""
        ending = Path(file_name).suffix.lower()
        return next((kind for kind in self.files if kind.ending == ending), self.files[0])

    def form(self, ending: str) -> Form | None:
        """Return the form with this ending, if the game has one."""
        return next((form for form in self.forms if form.ending == ending), None)
