# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of entities: those of an `editor_setup.xml`, and the usual ones, known without it (ns2.md §10)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....formats import ns2
from ....formats.binary import FormatError
from ....formats.ns2 import editor_setup
from ....formats.ns2.editor_setup import Choice, EditorSetup, EntityClass, Hint, Parameter
from ....formats.ns2.records import FLOAT_TYPES, INT_TYPES, TEXT_TYPES, PropertyType
from ...scene.reports import Report

FILE = "editor_setup.xml"
ORIGIN, ANGLES = "origin", "angles"
"""What every object has: PLACED."""
PLACED: dict[str, tuple[PropertyType, int]] = {ORIGIN: (PropertyType.DISTANCE, 3), ANGLES: (PropertyType.ANGLE, 3)}

_LIMITS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s*(?:to|and|-)\s*(\d+(?:\.\d+)?)(?![\w])")
"""Limits that a label or help gives: "Volume (0 to 1)"."""
_SUBTYPES = {PropertyType.COLOR: "COLOR_GAMMA", PropertyType.ANGLE: "ANGLE", PropertyType.DISTANCE: "DISTANCE"}


def _teams(*labels: str) -> tuple[Choice, ...]:
    return tuple(Choice(label, number) for number, label in enumerate(labels))


_MODEL = Parameter("model", "file", "Model", "", "Path of the .model", "*.model")
_SCALE = Parameter("scale", "vector", "Scale", "1, 1, 1")
_NAME = Parameter("name", "string", "Name", "", "By which scripts and other entities know it")
_CHANNEL = Parameter("listenChannel", "integer", "Listen channel", "0", "Messages of other channels are not heard")
_LIGHT = (
    Parameter("color", "color", "Color", "1, 1, 1"),
    Parameter("distance", "distance", "Max Distance", "2", "As far as it shines"),
    Parameter("intensity", "real", "Intensity", "5"),
    Parameter("ignorePowergrid", "boolean", "Ignore power grid", "false", "Shines without power, too"),
)
_SHADOWS = (
    Parameter("shadow_fade_rate", "real", "Shadow Fade Rate", "0.25"),
    Parameter("specular", "boolean", "Specular", "false", "Makes highlights"),
)
_CASTS = "casts_shadows", "boolean", "Casts Shadows"
_REPEAT = (Choice("No Repeat", 0), Choice("Loop", 1), Choice("Endless", 2))
_CINEMATIC = (
    Parameter("cinematicName", "file", "Cinematic file", "", "Path of the .cinematic", "*.cinematic"),
    Parameter("repeatStyle", "choice", "Repeat Style", "1", choices=_REPEAT),
    Parameter("commanderInvisible", "boolean", "Commander Invisible", "false", "Not shown to commanders"),
    _CHANNEL,
    Parameter("startsOnMessage", "string", "Play on message", "", "Starts when it hears this message"),
)
_TEAMS = _teams("Either", "Marine", "Alien", "None")
_SIDES = ("right", "left", "up", "down", "forward", "backward")
_LIGHT_HINT = {"color": "color", "radius": "distance", "intensity": "intensity", "casts_shadows": "casts_shadows"}
_LIGHT_HINT["specular"] = "specular"
_SOUND_HINT = {"volume": "volume", "min_distance": "minFalloff", "max_distance": "maxFalloff", "pitch": "pitch"}


def _known(name: str, *parameters: Parameter, **hints: dict[str, str]) -> EntityClass:
    shown = tuple(Hint(kind, values) for kind, values in hints.items())
    return EntityClass(name, parameters=parameters, hints=shown)


_BUILTIN = (
    _known(
        "prop_static",
        _SCALE,
        _MODEL,
        Parameter("castsShadows", "boolean", "Casts Shadows", "true"),
        Parameter("commAlpha", "real", "Commander Alpha", "1", "How well commanders see it, 0 to 1"),
        Parameter("pathInclude", "boolean", "Pathing Include", "true", "Counts for the navigation mesh"),
        Parameter("pathWalkable", "boolean", "Pathing Walkable", "true", "Can be walked on"),
        Parameter("collidable", "boolean", "Collidable", "true", "Can be collided with"),
        model={"file": "model", "scale": "scale"},
    ),
    _known("light_point", *_LIGHT, Parameter(*_CASTS, "false"), *_SHADOWS, point_light=_LIGHT_HINT),
    _known(
        "light_spot",
        *_LIGHT,
        Parameter("innerAngle", "angle", "Inner Angle", "30", "From the middle to where the light begins to fade"),
        Parameter("outerAngle", "angle", "Outer Angle", "40", "From the middle to where the light ends"),
        Parameter("atmospheric_density", "real", "Atmospheric Density", "0", "How well the cone is seen in the air"),
        Parameter(*_CASTS, "true"),
        *_SHADOWS,
        Parameter("gobo_texture", "file", "Gobo Texture", "", "Texture that it projects", "*.dds"),
        spot_light=_LIGHT_HINT | {"inner_angle": "innerAngle", "outer_angle": "outerAngle"},
    ),
    _known(
        "light_ambient",
        *_LIGHT,
        *(Parameter(f"color_dir_{side}", "color", f"{side.title()} Color", "1, 1, 1") for side in _SIDES),
        ambient_light={"radius": "distance"},
    ),
    _known(
        "reflection_probe",
        Parameter("distance", "distance", "Max Distance", "2", "As far as it counts"),
        Parameter("strength", "real", "Strength", "0.5", "How strong reflections are"),
        reflection_probe={"radius": "distance"},
    ),
    _known(
        "decal",
        Parameter("extents", "vector", "Extents", "1, 1, 1"),
        Parameter("material", "file", "Material", "", "Path of the .material", "*.material"),
        decal={"extents": "extents", "file": "material"},
    ),
    _known(
        "ambient_sound",
        Parameter("eventName", "file", "FMOD event name", "", "Sound to play", "sound"),
        Parameter("radius", "distance", "Trigger radius", "12.5", "Players hear it who are nearer"),
        Parameter("minFalloff", "distance", "Minimum falloff", "5", "As far as it is heard in full"),
        Parameter("maxFalloff", "distance", "Maximum falloff", "12", "As far as it is heard"),
        Parameter(
            "falloffType",
            "choice",
            "Falloff type",
            "2",
            choices=(Choice("Logarithmic", 1), Choice("Linear", 2), Choice("Custom", 3)),
        ),
        Parameter("volume", "real", "Volume (0 to 1)", "0.5"),
        Parameter("pitch", "real", "Pitch", "0", "Octaves"),
        Parameter("positioning", "choice", "Type", "1", choices=(Choice("World", 1), Choice("Head", 2))),
        Parameter("offOnExit", "boolean", "Off on exit", "true", "Ends when the player leaves"),
        Parameter("startsOn", "boolean", "Starts on", "false"),
        sound=_SOUND_HINT,
    ),
    _known("location", _SCALE, _NAME, Parameter("showOnMinimap", "boolean", "Show On Minimap", "true")),
    _known("minimap_extents", _SCALE, _NAME),
    _known(
        "team_join",
        _SCALE,
        _NAME,
        Parameter("teamNumber", "choice", "Team Number", "1", choices=_teams("Spectate", "Marine", "Alien", "Random")),
    ),
    _known(
        "death_trigger",
        _SCALE,
        _NAME,
        _CHANNEL,
        Parameter("enabled", "boolean", "Trigger enabled", "true", "Kills only while it is"),
        Parameter("damageOverTime", "real", "Damage over time", "0", "Damage in a second, in place of killing at once"),
    ),
    _known("ladder", _SCALE),
    _known(
        "tech_point",
        Parameter("teamNumber", "choice", "Team Number", "0", choices=_TEAMS),
        Parameter("chooseWeight", "integer", "Spawn weight", "1", "How likely it is chosen"),
        Parameter("exploreModeStart", "choice", "Explore Mode Start", "0", choices=_teams("None", "Marine", "Alien")),
        Parameter("extendAmount", "real", "Arm extension", "0", "Length of a hive's arms, 0 to 1"),
    ),
    _known("resource_point"),
    _known("power_point", Parameter("startSocketed", "boolean", "Starts socketed", "false")),
    _known("ready_room_start"),
    _known("player_start"),
    _known("spawn_location", Parameter("teamNumber", "choice", "Team Number", "1", choices=_TEAMS)),
    _known("cinematic", *_CINEMATIC, cinematic={"file": "cinematicName"}),
    _known("skybox", _CINEMATIC[0], cinematic={"file": "cinematicName"}),
    _known("commander_camera", Parameter("cameraHeight", "distance", "Camera height", "10")),
    _known(
        "camera_origin",
        Parameter("cameraName", "string", "Camera Name", "", "By which scripts know it"),
        Parameter("fov", "real", "FOV", "90", "Degrees that it sees"),
    ),
    _known("ns2_gamerules", Parameter("roundStartMusic", "file", "Round start music", "", "", "sound")),
)


@dataclass(slots=True, eq=False)
class Classes:
    """What is known of classes: by the level's `editor_setup.xml`, and otherwise by ourselves."""

    setup: EditorSetup
    _described: dict[tuple[str, str, int, int], dict[str, Any]] = field(default_factory=dict)

    def names(self) -> list[str]:
        """The classes that can be placed, by name."""
        known = {each.name for each in _BUILTIN}
        found = {name for name, each in self.setup.classes.items() if each.placeable or name in known}
        return sorted(found or known)

    def parameters(self, name: str) -> Mapping[str, Parameter]:
        """The parameters of a class by name."""
        return self.setup.parameters(name) if name in self.setup.classes else _BUILTIN_SETUP.parameters(name)

    def hints(self, name: str) -> list[Hint]:
        """How objects of a class are shown."""
        return self.setup.hints(name) if name in self.setup.classes else _BUILTIN_SETUP.hints(name)

    def new(self, name: str) -> list[ns2.Property]:
        """The properties of a new object of a class, with their defaults."""
        zero = (0.0, 0.0, 0.0)
        made = [ns2.Property.of(key, kind, zero) for key, (kind, _) in PLACED.items()]
        for each in self.parameters(name).values():
            kind = each.property_type
            if kind is not None and each.name not in PLACED:
                made.append(ns2.Property.of(each.name, kind, each.value))
        return made

    def describe(self, class_name: str, name: str, kind: int, components: int) -> Mapping[str, Any]:
        """What `id_properties_ui` shows of a property of an object of a class: tooltip, limits, choices."""
        key = (class_name, name, kind, components)
        if key not in self._described:
            self._described[key] = _describe(self.parameters(class_name).get(name), kind, components)
        return self._described[key]


_BUILTIN_SETUP = EditorSetup({each.name: each for each in _BUILTIN})


def find_classes(find_file: Callable[[str], Path | None], report: Report) -> Classes:
    """The classes that the game's `editor_setup.xml` describes, if it is there. find_file: gives the file of a path."""
    file = find_file(FILE)
    if file is None:
        return Classes(EditorSetup())
    try:
        return Classes(editor_setup.read(file.read_bytes()))
    except (FormatError, OSError) as error:
        report.warn(f"{file}: {error}")
        return Classes(EditorSetup())


def _describe(parameter: Parameter | None, kind: int, components: int) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if kind in _SUBTYPES and not (kind == PropertyType.DISTANCE and components > 1):  # a place has no limits
        shown["subtype"] = _SUBTYPES[PropertyType(kind)]
        if kind != PropertyType.ANGLE:
            shown |= {"min": 0.0, "soft_min": 0.0}
        if kind == PropertyType.COLOR:
            shown["soft_max"] = 1.0
    if parameter is None:
        return shown
    text = _tooltip(parameter)
    if text:
        shown["description"] = text
    limits = _LIMITS.search(f"{parameter.label} {parameter.help}")
    if limits is not None and kind in (PropertyType.REAL, PropertyType.INTEGER):
        lowest, highest = sorted(float(limit) for limit in limits.groups())
        convert = float if kind in FLOAT_TYPES else int
        shown |= {"soft_min": convert(lowest), "soft_max": convert(highest)}
    if parameter.choices and kind in (PropertyType.CHOICE, PropertyType.INTEGER):
        shown["items"] = _items(parameter.choices)
    value = parameter.value
    if kind in FLOAT_TYPES and components == 1 and isinstance(value, tuple) and len(value) == 1:
        shown["default"] = value[0]
    elif kind in INT_TYPES | TEXT_TYPES and isinstance(value, int | str) and "items" not in shown:
        shown["default"] = value
    return shown


def _tooltip(parameter: Parameter) -> str:
    """Label, help and what files are meant, as far as they say anything."""
    label = parameter.label if parameter.label != parameter.name else ""
    ending = f"({parameter.filter})" if parameter.filter and parameter.filter not in parameter.help else ""
    text = f"{label}: {parameter.help}" if label and parameter.help else label or parameter.help
    return " ".join(part for part in (text, ending) if part)


def _items(choices: Iterable[Choice]) -> list[tuple[str, str, str, int]]:
    """A menu's entries: each value once, each under a name of its own."""
    items: dict[int, tuple[str, str, str, int]] = {}
    for each in choices:
        items.setdefault(each.value, (f"{each.label} ({each.value})", each.label, each.help, each.value))
    return list(items.values())


def numbers(value: object, count: int) -> tuple[float, ...] | None:
    """A property's value as so many finite numbers; None where it is something else."""
    found = value if isinstance(value, tuple) else (value,)
    if len(found) != count or not all(isinstance(one, int | float) and math.isfinite(one) for one in found):
        return None
    return tuple(float(one) for one in found)
