# SPDX-License-Identifier: GPL-3.0-or-later
"""What dialogs begin with: the options that a game's levels were last opened or written with by hand.

They are in the preferences, so Blender saves them with these. Whatever isn't chosen in a dialog - scripts, exporters of
collections, the command line - never sees them: it does the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from .. import __package__ as base_package
from . import games
from .game import Game, Settings
from .scene.fields import declared, options
from .scene.fields.declared import Declared
from .scene.fields.properties import fields
from .scene.interface.sidebar import Result
from .scene.registering import in_turn
from .scene.view import stage

SWITCH = "remember_options"
"""The preference that says whether options are remembered."""


def _kinds(game: Game) -> Iterator[tuple[str, str, type[Settings]]]:
    """Give the settings that a game's dialogs have: name of the preference, title, dataclass."""
    yield f"{game.key}_import", "Import", game.import_settings
    if game.export_settings is not None:
        yield f"{game.key}_export", "Export", game.export_settings
    for form in game.forms:
        for verb, settings in (("import", form.import_settings), ("export", form.export_settings)):
            if settings is not None:
                yield f"{form.operator}_{verb}", f"{verb.title()} {form.title}", settings


def _group(name: str, settings: type[Settings]) -> type[bpy.types.PropertyGroup]:
    """Return the property group that keeps a dataclass's options."""
    body = {"__module__": __name__, "__annotations__": options.remembered_properties(settings)}
    return type(f"LEVELWRIGHT_PG_{name}", (bpy.types.PropertyGroup,), body)


_NAMES: dict[type[Settings], str] = {}
"""Of each dataclass its preference."""
for _game in games.GAMES:
    for _name, _, _settings in _kinds(_game):
        _NAMES.setdefault(_settings, _name)
_GROUPS = {name: _group(name, settings) for settings, name in _NAMES.items() if options.remembered_properties(settings)}
PREFERENCES: dict[str, object] = {
    SWITCH: declared.boolean(
        name="Remember Options",
        description="Dialogs begin with the options that a game's levels were last opened or written with. Otherwise "
        "with those that are set here",
        default=True,
    ),
    **{name: declared.pointer(group) for name, group in _GROUPS.items()},
}
"""The preferences that this is kept in."""


def _preferences(context: bpy.types.Context) -> bpy.types.AddonPreferences | None:
    entry = context.preferences.addons.get(base_package) if context.preferences is not None else None
    return entry.preferences if entry is not None else None


def by_hand(operator: bpy.types.Operator) -> bool:
    """Whether somebody chose an operator's options in a window."""
    return operator.options.is_invoke and not bpy.app.background


def recall(context: bpy.types.Context, settings: type[Settings]) -> Settings:
    """Return the options that a dialog begins with."""
    group = getattr(_preferences(context), _NAMES[settings], None)
    return options.from_properties(settings, group)


def offer(operator: bpy.types.Operator, context: bpy.types.Context, settings: type[Settings], prefix: str = "") -> None:
    """Let a dialog of an operator begin with what is remembered, but for options that its caller gave."""
    given = given_to(operator, context, settings, prefix)
    for name, value in options.to_properties(recall(context, settings)).items():
        if name not in given:
            setattr(operator, prefix + name, value)


def given_to(
    operator: bpy.types.Operator, context: bpy.types.Context, settings: type[Settings], prefix: str = ""
) -> dict[str, object]:
    """Return the options that an operator's caller gave, by the names of the fields.

    Blender has filled in what the operator was last run with: that isn't the caller's.
    """
    last = stage.window_manager_of(context).operator_properties_last(operator.bl_idname)
    found: dict[str, object] = {}
    for field in fields(settings):
        name = prefix + field.name
        is_last = last is not None and last.is_property_set(name) and getattr(last, name) == getattr(operator, name)
        if operator.properties.is_property_set(name) and not is_last:
            found[field.name] = getattr(operator, name)
    return found


def keep(context: bpy.types.Context, chosen: Settings) -> None:
    """Remember the options that were chosen in a dialog, unless the user switched that off.

    Blender writes the preferences when it ends, where it saves them by itself.
    """
    preferences = _preferences(context)
    group = getattr(preferences, _NAMES[type(chosen)], None)
    if group is None or not getattr(preferences, SWITCH):
        return
    values = {name: value for name, value in options.to_properties(chosen).items() if hasattr(group, name)}
    changed = {name: value for name, value in values.items() if getattr(group, name) != value}
    for name, value in changed.items():
        setattr(group, name, value)
    if changed:
        _tell_blender(context)


def _tell_blender(context: bpy.types.Context) -> None:
    """Let Blender know that the preferences were changed, so that it saves them if it does so by itself."""
    if context.preferences is not None:
        context.preferences.is_dirty = True


class LEVELWRIGHT_OT_reset_options(Declared, bpy.types.Operator):
    """Let the dialogs of a game begin with the usual options again"""

    bl_idname = "levelwright.reset_options"
    bl_label = "Reset to Defaults"
    bl_options = {"INTERNAL"}

    game: str = declared.string(name="Game", description="Its key; empty for all games", options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Forget what was remembered."""
        preferences = _preferences(context)
        for game in games.GAMES:
            for name, _, _ in _kinds(game) if self.game in ("", game.key) else ():
                if name in _GROUPS and preferences is not None:
                    preferences.property_unset(name)
        _tell_blender(context)
        return {"FINISHED"}


def draw(layout: bpy.types.UILayout, preferences: bpy.types.AddonPreferences) -> None:
    """Draw the preferences that `PREFERENCES` has: a folded panel a game."""
    layout.prop(preferences, SWITCH)
    for game in games.GAMES:
        header, body = layout.panel(f"LEVELWRIGHT_remembered_{game.key}", default_closed=True)
        header.label(text=f"{game.format.title}: options of dialogs")
        if body is not None:
            for name, title, settings in _kinds(game):
                if name in _GROUPS:
                    body.label(text=title)
                    options.draw(settings, body, getattr(preferences, name), only_remembered=True)
            body.operator(LEVELWRIGHT_OT_reset_options.bl_idname, icon="LOOP_BACK").game = game.key


_CLASSES = (*_GROUPS.values(), LEVELWRIGHT_OT_reset_options)
register, unregister = in_turn(*_CLASSES)
