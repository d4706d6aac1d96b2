# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import and File > Export: one thin class an operator, no logic."""

import textwrap
from pathlib import Path
from typing import Any

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import fable, games, genesis, levels, ns2, settings, source, teeworlds
from .fable.settings import WorldSettings
from .scene.meshes import needs_evaluation, select_faces, select_points
from .scene.reports import Report, SceneError

Result = set[Any]  # {"FINISHED"} or {"CANCELLED"}; the stubs want literals that a shared helper can't promise
NOTE_LETTERS = 44
"""Of a note in a line: what the file browser's sidebar is wide."""


def _refuse(operator: bpy.types.Operator, context: bpy.types.Context, error: Exception) -> Result:
    """Report an error, and select what is at fault where the error knows."""
    if isinstance(error, SceneError) and error.objects and context.view_layer:
        for obj in context.view_layer.objects:
            obj.select_set(obj in error.objects)
        for select, places in ((select_faces, error.faces), (select_points, error.points)):
            for obj, elements in places.items():
                if not needs_evaluation(obj):  # what modifiers made can't be selected, nor what is a text or a curve
                    select(obj, elements)
        shown = [obj for obj in error.objects if obj.name in context.view_layer.objects]
        context.view_layer.objects.active = shown[0] if shown else None
    operator.report({"ERROR"}, str(error))
    return {"CANCELLED"}


class _Import(ImportHelper, bpy.types.Operator):
    """What all imports share: several files, one undo step, the report."""

    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})
    files: bpy.props.CollectionProperty(
        type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"}
    )
    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})

    game: games.Game | None = None
    """The game whose files these have to be; None where their bytes tell."""

    def prefix(self, game: games.Game) -> str:
        """Return what stands before the names of a game's options."""
        return "" if self.game else f"{game.format.key}_"

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Show the options when files were dropped, otherwise the file browser."""
        return self.invoke_popup(context)

    def execute(self, context: bpy.types.Context) -> Result:
        """Import the files."""
        names = [Path(self.directory, file.name) for file in self.files if file.name]
        paths = names or [Path(bpy.path.abspath(self.filepath))]
        report = Report()

        def chosen(game: games.Game) -> Any:
            return settings.from_properties(game.side.ImportSettings, self, self.prefix(game))

        try:
            levels.import_files(context, paths, chosen, report, self.game)
        except levels.FAILURES as error:
            return _refuse(self, context, error)
        report.forward(self)
        return {"FINISHED"}

    def draw(self, _context: bpy.types.Context) -> None:
        """Show the options, those of several games each in a panel."""
        for game in games.GAMES if self.game is None else (self.game,):
            header, body = self.layout.panel(f"LEVELWRIGHT_{game.format.key}")
            header.label(text=game.format.title)
            if body is not None:
                settings.draw(game.side.ImportSettings, body, self, self.prefix(game))


class _Export(ExportHelper, bpy.types.Operator):
    """What all exports share: which level, one file, the report."""

    bl_options = {"PRESET"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_PRESET"})
    collection: bpy.props.StringProperty(
        name="Level",
        description="Name of the level's collection; empty for the level of the active collection",
        options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"},
    )

    game: games.Game
    form: games.Form | None = None
    """What the game's levels are written as, None: as they are."""
    note = ""
    """What is shown below the options."""

    @property
    def choices(self) -> type[Any]:
        """The settings that the options are."""
        return self.form.settings if self.form else self.game.writer.ExportSettings

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Suggest the name that the level was imported from."""
        try:
            level = levels.choose(context, self.collection, self.game)
        except levels.FAILURES as error:
            return _refuse(self, context, error)
        self.collection = level.name
        path = Path(context.blend_data.filepath).parent / levels.file_name(level)
        self.filepath = str(path.with_suffix(self.form.ending) if self.form else path)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Export the level."""
        report = Report()
        try:
            level = levels.choose(context, self.collection, self.game)
            chosen = settings.from_properties(self.choices, self)
            levels.export_file(context, level, Path(bpy.path.abspath(self.filepath)), chosen, report, self.form)
        except levels.FAILURES as error:
            return _refuse(self, context, error)
        report.forward(self)
        report.log()
        return {"FINISHED"}

    def draw(self, _context: bpy.types.Context) -> None:
        """Show the options, and what has to be known of the game."""
        settings.draw(self.choices, self.layout, self)  # type: ignore[arg-type]  # there is a layout
        if self.note:
            box = self.layout.box().column(align=True)
            for number, line in enumerate(textwrap.wrap(self.note, NOTE_LETTERS)):
                box.label(text=line, icon="BLANK1" if number else "INFO")


def _settings_of_all_games(cls: type) -> type:
    """Give an operator the options of every game, each name after the game's key."""
    for game in games.GAMES:
        cls = settings.as_properties(game.side.ImportSettings, f"{game.format.key}_")(cls)
    return cls


@_settings_of_all_games
class ImportGameLevel(_Import):
    """Open levels of any game that Levelwright knows: each file's bytes tell which, not its ending"""

    bl_idname = "import_scene.game_level"
    bl_label = "Import Game Level"

    filter_glob: bpy.props.StringProperty(default=";".join(f"*{e}" for e in games.endings()), options={"HIDDEN"})


@settings.as_properties(teeworlds.ImportSettings)
class ImportTeeworldsMap(_Import):
    """Open maps of Teeworlds and DDNet as scenes, one collection each"""

    bl_idname = "import_scene.teeworlds_map"
    bl_label = "Import Teeworlds / DDNet Map"

    filter_glob: bpy.props.StringProperty(default="*.map", options={"HIDDEN"})
    game = games.by_key("teeworlds")


@settings.as_properties(teeworlds.ExportSettings)
class ExportTeeworldsMap(_Export):
    """Write the level of the active collection as a map of Teeworlds or DDNet"""

    bl_idname = "export_scene.teeworlds_map"
    bl_label = "Export Teeworlds / DDNet Map"

    filename_ext = ".map"
    filter_glob: bpy.props.StringProperty(default="*.map", options={"HIDDEN"})
    game = games.by_key("teeworlds")


@settings.as_properties(genesis.ImportSettings)
class ImportGenesisMap(_Import):
    """Open what Genesis3D's compiler reads (.map) as scenes, one collection each"""

    bl_idname = "import_scene.genesis_map"
    bl_label = "Import Genesis3D Map"

    filter_glob: bpy.props.StringProperty(default="*.map", options={"HIDDEN"})
    game = games.by_key("genesis")


@settings.as_properties(genesis.ImportSettings)
class ImportGenesis3dt(_Import):
    """Open levels of Genesis3D's editors (.3dt) as scenes, one collection each"""

    bl_idname = "import_scene.genesis_3dt"
    bl_label = "Import Genesis3D Level"

    filter_glob: bpy.props.StringProperty(default="*.3dt", options={"HIDDEN"})
    game = games.by_key("genesis")


@settings.as_properties(genesis.ExportSettings)
class ExportGenesisMap(_Export):
    """Write the level of the active collection as Genesis3D's compiler reads it, with cuts and hollows carved"""

    bl_idname = "export_scene.genesis_map"
    bl_label = "Export Genesis3D Map"

    filename_ext = ".map"
    filter_glob: bpy.props.StringProperty(default="*.map", options={"HIDDEN"})
    game = games.by_key("genesis")


@settings.as_properties(genesis.ExportSettings)
class ExportGenesis3dt(_Export):
    """Write the level of the active collection as Genesis3D's editors open it"""

    bl_idname = "export_scene.genesis_3dt"
    bl_label = "Export Genesis3D Level"

    filename_ext = ".3dt"
    filter_glob: bpy.props.StringProperty(default="*.3dt", options={"HIDDEN"})
    game = games.by_key("genesis")


@settings.as_properties(fable.ImportSettings)
class ImportFableLev(_Import):
    """Open levels of Fable: The Lost Chapters as terrain, with the things beside them, one collection each"""

    bl_idname = "import_scene.fable_lev"
    bl_label = "Import Fable Level"

    filter_glob: bpy.props.StringProperty(default="*.lev", options={"HIDDEN"})
    game = games.by_key("fable")


@settings.as_properties(fable.ExportSettings)
class ExportFableLev(_Export):
    """Write the level of the active collection, and its things beside it. The game's picture of the ground is baked"""

    bl_idname = "export_scene.fable_lev"
    bl_label = "Export Fable Level"

    filename_ext = ".lev"
    filter_glob: bpy.props.StringProperty(default="*.lev", options={"HIDDEN"})
    game = games.by_key("fable")
    note = fable.BAKED


@settings.as_properties(fable.ImportSettings)
@settings.as_properties(WorldSettings)
class ImportFableWorld(_Import):
    """Open levels of Fable at their places in the world, as its map (.wld) has them"""

    bl_idname = "import_scene.fable_wld"
    bl_label = "Import Fable World"

    filter_glob: bpy.props.StringProperty(default="*.wld", options={"HIDDEN"})
    game = games.by_key("fable")

    def execute(self, context: bpy.types.Context) -> Result:
        """Import the levels of the world."""
        path = Path(self.directory, self.files[0].name) if self.files else Path(bpy.path.abspath(self.filepath))
        report = Report()
        world = settings.from_properties(WorldSettings, self)
        chosen = settings.from_properties(fable.ImportSettings, self)
        try:
            levels.import_world(context, path, world, chosen, report)
        except levels.FAILURES as error:
            return _refuse(self, context, error)
        report.forward(self)
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Show the options of the world, and those of its levels."""
        settings.draw(WorldSettings, self.layout, self)  # type: ignore[arg-type]  # there is a layout
        super().draw(context)


class ExportFableWorld(ExportHelper, bpy.types.Operator):
    """Write the map of the active world (.wld) with its levels where they are now; the levels themselves stay"""

    bl_idname = "export_scene.fable_wld"
    bl_label = "Export Fable World"
    bl_options = {"PRESET"}

    filename_ext = ".wld"
    filter_glob: bpy.props.StringProperty(default="*.wld", options={"HIDDEN"})
    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_PRESET"})
    collection: bpy.props.StringProperty(
        name="World",
        description="Name of the world's collection; empty for the active one",
        options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"},
    )

    def execute(self, context: bpy.types.Context) -> Result:
        """Export the world's map."""
        report = Report()
        try:
            levels.export_world(context, self.collection, Path(bpy.path.abspath(self.filepath)), report)
        except levels.FAILURES as error:
            return _refuse(self, context, error)
        report.forward(self)
        return {"FINISHED"}


@settings.as_properties(ns2.ImportSettings)
class ImportNs2Level(_Import):
    """Open levels of Natural Selection 2 (.level) as scenes, one collection each"""

    bl_idname = "import_scene.ns2_level"
    bl_label = "Import NS2 Level"

    filter_glob: bpy.props.StringProperty(default="*.level", options={"HIDDEN"})
    game = games.by_key("ns2")


@settings.as_properties(ns2.ExportSettings)
class ExportNs2Level(_Export):
    """Write the level of the active collection as the Spark editor and Natural Selection 2 read it"""

    bl_idname = "export_scene.ns2_level"
    bl_label = "Export NS2 Level"

    filename_ext = ".level"
    filter_glob: bpy.props.StringProperty(default="*.level", options={"HIDDEN"})
    game = games.by_key("ns2")


@settings.as_properties(source.ImportSettings)
class ImportSourceBsp(_Import):
    """Open compiled maps of the Source engine (.bsp) as scenes, one collection each"""

    bl_idname = "import_scene.source_bsp"
    bl_label = "Import Source Map"

    filter_glob: bpy.props.StringProperty(default="*.bsp", options={"HIDDEN"})
    game = games.by_key("source")


@settings.as_properties(source.ExportSettings)
class ExportSourceBsp(_Export):
    """Write the level of the active collection as a compiled map: the imported one with what was edited"""

    bl_idname = "export_scene.source_bsp"
    bl_label = "Export Source Map"

    filename_ext = ".bsp"
    filter_glob: bpy.props.StringProperty(default="*.bsp", options={"HIDDEN"})
    game = games.by_key("source")


@settings.as_properties(source.VmfSettings)
class ExportSourceVmf(_Export):
    """Write the level of the active collection for Hammer and vbsp, which compile what a map can't be changed to"""

    bl_idname = "export_scene.source_vmf"
    bl_label = "Export Source VMF"

    filename_ext = ".vmf"
    filter_glob: bpy.props.StringProperty(default="*.vmf", options={"HIDDEN"})
    game = games.by_key("source")
    form = games.VMF
    note = source.VMF_NOTE


class CheckExport(bpy.types.Operator):
    """Say what an export would change, and whether it can be done, without writing a file"""

    bl_idname = "levelwright.check_export"
    bl_label = "Check Export"

    collection: bpy.props.StringProperty(name="Level", options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Make the file in memory."""
        report = Report()
        try:
            level = levels.choose(context, self.collection)
            levels.check_export(context, level, levels.game_of(level).writer.ExportSettings(), report)
        except levels.FAILURES as error:
            return _refuse(self, context, error)
        report.forward(self)
        report.log()
        return {"FINISHED"}


class AttachOriginal(ImportHelper, bpy.types.Operator):
    """Give a level back the file that it was imported from: the very same bytes, whatever the file is called now"""

    bl_idname = "levelwright.attach_original"
    bl_label = "Attach Original"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    collection: bpy.props.StringProperty(name="Level", options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Compare the file's hash with the one that was imported, and attach it."""
        try:
            levels.attach_original(context, self.collection, Path(bpy.path.abspath(self.filepath)))
        except levels.FAILURES as error:
            return _refuse(self, context, error)
        return {"FINISHED"}


CLASSES = (
    ImportGameLevel,
    ImportTeeworldsMap,
    ExportTeeworldsMap,
    ImportGenesisMap,
    ExportGenesisMap,
    ImportGenesis3dt,
    ExportGenesis3dt,
    ImportFableLev,
    ExportFableLev,
    ImportFableWorld,
    ExportFableWorld,
    ImportNs2Level,
    ExportNs2Level,
    ImportSourceBsp,
    ExportSourceBsp,
    ExportSourceVmf,
    CheckExport,
    AttachOriginal,
)


def _import_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.operator(ImportGameLevel.bl_idname, text=f"Game level ({', '.join(games.endings())})")
    menu.layout.operator(ImportTeeworldsMap.bl_idname, text="Teeworlds / DDNet map (.map)")
    menu.layout.operator(ImportGenesisMap.bl_idname, text="Genesis3D map (.map)")
    menu.layout.operator(ImportGenesis3dt.bl_idname, text="Genesis3D level (.3dt)")
    menu.layout.operator(ImportFableLev.bl_idname, text="Fable level (.lev)")
    menu.layout.operator(ImportFableWorld.bl_idname, text="Fable world (.wld)")
    menu.layout.operator(ImportNs2Level.bl_idname, text="NS2 level (.level)")
    menu.layout.operator(ImportSourceBsp.bl_idname, text="Source map (.bsp)")


def _export_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.operator(ExportTeeworldsMap.bl_idname, text="Teeworlds / DDNet map (.map)")
    menu.layout.operator(ExportGenesisMap.bl_idname, text="Genesis3D map (.map)")
    menu.layout.operator(ExportGenesis3dt.bl_idname, text="Genesis3D level (.3dt)")
    menu.layout.operator(ExportFableLev.bl_idname, text="Fable level (.lev)")
    menu.layout.operator(ExportFableWorld.bl_idname, text="Fable world (.wld)")
    menu.layout.operator(ExportNs2Level.bl_idname, text="NS2 level (.level)")
    menu.layout.operator(ExportSourceBsp.bl_idname, text="Source map (.bsp)")
    menu.layout.operator(ExportSourceVmf.bl_idname, text="Source VMF, for Hammer and vbsp (.vmf)")


def register() -> None:
    """Register the operators and the menu entries."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_import.append(_import_menu)
    bpy.types.TOPBAR_MT_file_export.append(_export_menu)


def unregister() -> None:
    """Undo `register`."""
    bpy.types.TOPBAR_MT_file_export.remove(_export_menu)
    bpy.types.TOPBAR_MT_file_import.remove(_import_menu)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
