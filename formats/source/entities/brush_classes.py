# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of entities that are nothing without a brush model, and what faces they have (source.md §2.4)."""

from collections.abc import Collection

from ..records import SurfaceFlag

_BEGIN = ("func_", "trigger_", "momentary_")
_ALONE = frozenset(("func_useableladder", "func_nav_blocker", "func_fish_pool", "func_brush_proxy"))
"""Classes that begin so and have a place, or two points, and no model."""
_OF_COMPILER = frozenset(
    (
        "func_areaportal",
        "func_areaportalwindow",
        "func_detail",
        "func_detail_blocker",
        "func_detail_illusionary",
        "func_group",
        "func_instance",
        "func_instance_parms",
        "func_ladder",
        "func_occluder",
        "func_viscluster",
    )
)
DIRECTED = frozenset(
    (
        "func_door",
        "func_button",
        "func_movelinear",
        "func_conveyor",
        "func_water",
        "func_water_analog",
        "momentary_door",
        "trigger_push",
    )
)
"""Classes of which `angles`, in older maps, is where they move or push: their model isn't turned."""
TRIGGER_TEXTURE = "tools/toolstrigger"
_TOOLS = {
    TRIGGER_TEXTURE: SurfaceFlag.TRIGGER | SurfaceFlag.NOLIGHT,
    "tools/toolsnodraw": SurfaceFlag.NODRAW | SurfaceFlag.NOLIGHT,
    "tools/toolsinvisible": SurfaceFlag.NODRAW | SurfaceFlag.NOLIGHT,
    "tools/toolsclip": SurfaceFlag.NODRAW | SurfaceFlag.NOLIGHT,
    "tools/toolsplayerclip": SurfaceFlag.NODRAW | SurfaceFlag.NOLIGHT,
    "tools/toolsnpcclip": SurfaceFlag.NODRAW | SurfaceFlag.NOLIGHT,
}


def has_model(classname: str, known: Collection[str]) -> bool:
    """Whether a class has brush models. known: the classes that have one in a map."""
    plain = classname.lower()
    return classname in known or (plain.startswith(_BEGIN) and plain not in _ALONE and not is_of_compiler(plain))


def is_of_compiler(classname: str) -> bool:
    """Whether a compiler makes something else of a class' brushes than a model."""
    return classname.lower() in _OF_COMPILER


def is_trigger(classname: str) -> bool:
    """Whether a class is of volumes that nobody sees."""
    return classname.lower().startswith("trigger_")


def flags_of(texture: str) -> int:
    """The SurfaceFlags that compilers give faces of a texture, as far as its name says: of tools; else 0."""
    return int(_TOOLS.get(texture.lower().replace("\\", "/"), 0))
