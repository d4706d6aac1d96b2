# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries for Blender's asset browser, made of levels: a folder with a .blend a level, and a file of catalogs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import bpy

from ..formats.counting import number_of
from . import asset_previews, games, levels
from .asset_previews import Studio
from .game import Game
from .scene import assets
from .scene.assets import AssetRules, Candidate
from .scene.disk import chosen_files, files
from .scene.fields.options import UsageError, from_text
from .scene.media import previews
from .scene.reports import FAILURES, Report, SceneError, in_words
from .scene.view import stage

_FAILURES = (*FAILURES, RuntimeError)
"""What keeps a level from giving assets."""
MOST_RENDERED = 2000
"""Objects of a level that are rendered for their previews: others get cards with their names."""


@dataclass(slots=True)
class AssetLibrary:
    """A library that is being made."""

    folder: Path
    known: set[tuple[str, str, str]] = field(default_factory=set)
    """What it has already, by game, catalog and key."""
    catalogs: set[str] = field(default_factory=set)

    def add(self, file: Path, options: Mapping[str, str], report: Report) -> int:
        """Add what a level has that the library hasn't yet; returns how many assets that is. Closes the open .blend.

        Raises FormatError, SceneError, OSError, RuntimeError.
        """
        game = games.identify(file.read_bytes(), str(file))
        rules = game.assets
        if rules is None:
            raise SceneError(f"{file.name}: levels of {game.title} give no assets")
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        context = bpy.context
        settings = from_text(game.import_settings, {**rules.options, **options})
        (level,) = levels.import_files(context, [file], lambda _: settings, report, game)
        stage.view_layer_of(context).update()
        made = self._make(context, level, game, rules)
        if made:
            self._write(self.folder / game.title / f"{file.name}.blend", made, report)
        report.count("assets", len(made))
        return len(made)

    def _make(
        self, context: bpy.types.Context, level: bpy.types.Collection, game: Game, rules: AssetRules
    ) -> set[bpy.types.ID]:
        """Make the assets of a level that are new, with their previews."""
        found = [
            one
            for one in assets.candidates(level, rules, game.kind_shown)
            if (game.key, one.catalog, one.key) not in self.known
        ]
        made = [assets.make(one, game.title, rules) for one in found]
        assets.let_go_of_resources()
        studio = Studio(stage.scene_of(context), game.is_flat)
        try:
            for number, block in enumerate(made):
                previews.show(block, _preview(block, studio if number < MOST_RENDERED else None))
        finally:
            studio.close()
        self._learn(game, found)
        return set(made)

    def _learn(self, game: Game, found: Sequence[Candidate]) -> None:
        self.known |= {(game.key, one.catalog, one.key) for one in found}
        self.catalogs |= {f"{game.title}/{one.catalog}" for one in found}

    def _write(self, target: Path, blocks: set[bpy.types.ID], report: Report) -> None:
        """Write the assets with all that they need, and the catalogs."""
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder, "assets.blend")
            bpy.data.libraries.write(str(made), blocks, fake_user=True, compress=True)
            catalogs = assets.write_catalogs(self.folder, self.catalogs)
            written = {target: made.read_bytes(), self.folder / assets.CATALOGS: catalogs}
            for path, data in written.items():
                for line in files.write_atomically(path, data):
                    report.warn(line)


def _preview(block: bpy.types.ID, studio: Studio | None) -> previews.Pixels:
    """A picture of an asset; of what no render shows a card with its name. studio: None where it takes too long."""
    if isinstance(block, bpy.types.Material):
        return asset_previews.of_material(block)
    mesh = block.data if isinstance(block, bpy.types.Object) else None
    if (
        studio is not None
        and isinstance(block, bpy.types.Object)
        and isinstance(mesh, bpy.types.Mesh)
        and mesh.polygons
    ):
        pixels = studio.picture(block, mesh)
        if pixels[..., 3].any():
            return pixels
    return asset_previews.of_name(block.name)


def levels_in(inputs: Sequence[Path]) -> Iterator[Path]:
    """Give the levels among files, and in folders and theirs, by their endings.

    Raises UsageError for what isn't there, OSError for a folder that can't be looked into.
    """
    for given in inputs:
        if given.is_dir():
            found = chosen_files.files_below(given)
            yield from (file for file in found if file.suffix.lower() in games.endings())
        elif given.is_file():
            yield given
        else:
            raise UsageError(f"{given}: no such file or folder")


def make(inputs: Sequence[Path], folder: Path, options: Mapping[str, str], tell: Callable[[str], None]) -> int:
    """Make a library of levels, or add to it what is new; returns how many of them failed. Closes the open .blend.

    inputs: levels, and folders that have some. folder: the library's, made where it isn't there. tell: gets a line a
    level. Raises UsageError where there is nothing to do.
    """
    found = [file for file in levels_in(inputs) if folder.resolve() not in file.resolve().parents]
    if not found:
        raise UsageError("nothing to do: there is no level")
    library, failed = AssetLibrary(folder), 0
    for number, file in enumerate(found, 1):
        report = Report(file.name)
        try:
            count = library.add(file, options, report)
            tell(
                f"{number} / {len(found)} {file.name}: {number_of(count, 'assets')}, "
                f"{number_of(len(report.warnings), 'warnings')}"
            )
        except _FAILURES as error:
            failed += 1
            tell(f"{number} / {len(found)} failed {file}: {in_words(error).removeprefix(f'{file}: ')}")
    return failed
