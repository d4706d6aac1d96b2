# SPDX-License-Identifier: GPL-3.0-or-later
"""How classes of entities are sorted and drawn: the collection below Entities, and the shape of the empty."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

Shape = Literal["PLAIN_AXES", "ARROWS", "SINGLE_ARROW", "CIRCLE", "CUBE", "SPHERE", "CONE"]


@dataclass(frozen=True)
class Group:
    """A collection that entities are sorted into by their class."""

    name: str
    """Of the collection."""
    shape: Shape
    """Of an empty."""
    size: float
    """Of an empty, units."""
    begins: tuple[str, ...]
    """What the names of its classes begin with."""


_GROUPS = (
    Group("Lights", "SPHERE", 8, ("light", "env_lightglow", "env_sun", "point_spotlight", "env_projectedtexture")),
    Group("Cameras", "CONE", 12, ("sky_camera", "point_camera", "point_viewcontrol", "camera_", "info_observer")),
    Group("Ladders", "PLAIN_AXES", 12, ("info_ladder", "func_useableladder", "func_ladderendpoint")),
    Group("Ropes", "PLAIN_AXES", 8, ("move_rope", "keyframe_rope")),
    Group("Sounds", "SPHERE", 12, ("ambient_", "env_soundscape", "snd_", "env_microphone", "point_soundevent")),
    Group(
        "Spawns",
        "ARROWS",
        32,
        (
            "info_player",
            "info_teleport",
            "info_survivor",
            "info_zombie",
            "info_infected",
            "info_coop",
            "info_deathmatch",
            "info_intermission",
            "info_target_playerspawn",
            "golfstart",
        ),
    ),
    Group("Nodes", "CIRCLE", 12, ("info_node", "info_hint", "path_", "intersting_place", "inspection_node")),
    Group("NPCs", "ARROWS", 36, ("npc_", "monster_", "scripted_", "cycler", "ai_", "aiscripted_", "bot_")),
    Group("Items", "SPHERE", 10, ("item_", "weapon_", "ammo_", "upgrade_", "game_weapon", "tf_ammo")),
    Group("Props", "CUBE", 12, ("prop_", "physics_prop", "dynamic_prop", "hammer_", "simple_physics")),
    Group("Effects", "CONE", 12, ("env_", "info_particle", "params_particle", "fog_", "color_correction", "point_")),
    Group("Physics", "PLAIN_AXES", 12, ("phys_",)),
    Group(
        "Logic",
        "CUBE",
        8,
        ("logic_", "math_", "filter_", "game_", "multi_", "team_", "tf_", "func_", "trigger_", "water_lod", "shadow_"),
    ),
    Group("Targets", "PLAIN_AXES", 12, ("info_",)),
)
OTHER = Group("Other", "PLAIN_AXES", 12, ())
DECALS = Group("Decals", "PLAIN_AXES", 8, ("infodecal", "info_overlay", "info_projecteddecal"))
_FIRST = (DECALS, *_GROUPS)


@cache
def group_of(classname: str) -> Group:
    """The group of a class: the first of which a beginning fits."""
    folded = classname.lower()
    return next((group for group in _FIRST if folded.startswith(group.begins)), OTHER) if folded else OTHER


CAMERAS = ("sky_camera", "point_camera", "point_viewcontrol", "camera_cinematic", "point_viewcontrol_multiplayer")
"""Classes that are cameras in Blender, too; "fov" is their angle, if they have one."""
SPEAKERS = ("ambient_generic", "ambient_music", "ambient_soundscheme", "env_soundscape", "env_soundscape_proxy")
LADDERS = LADDER_BOX, LADDER_WAY = ("info_ladder", "func_useableladder")
"""Classes: of what was a func_ladder, with "mins.x" and others; of what players move along, with "point0", "point1"."""
ROPES = ("move_rope", "keyframe_rope")
DECAL = "infodecal"
