# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of entities: those of an `editor_setup.xml`, and the usual ones, known without it (ns2.md §10)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .editor_setup import Choice, EditorSetup, EntityClass, Hint, Parameter
from .objects import Property
from .records import PropertyType

ORIGIN, ANGLES = "origin", "angles"
"""What every object has: PLACED."""
PLACED: dict[str, tuple[PropertyType, int]] = {ORIGIN: (PropertyType.DISTANCE, 3), ANGLES: (PropertyType.ANGLE, 3)}


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


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """What is known of classes: by an `editor_setup.xml`, and otherwise by ourselves."""

    setup: EditorSetup = field(default_factory=EditorSetup)

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

    def new(self, name: str) -> list[Property]:
        """The properties of a new object of a class, with their defaults."""
        zero = (0.0, 0.0, 0.0)
        made = [Property.of(key, kind, zero) for key, (kind, _) in PLACED.items()]
        for each in self.parameters(name).values():
            kind = each.property_type
            if kind is not None and each.name not in PLACED:
                made.append(Property.of(each.name, kind, each.value))
        return made


_BUILTIN_SETUP = EditorSetup({each.name: each for each in _BUILTIN})
