# SPDX-License-Identifier: GPL-3.0-or-later
"""Names for what Blender gives that no class of its own describes, or only as far as all of a kind are alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec

Value = Any
"""What a property of any data-block holds: a number, text, bytes, a list, a vector, a data-block, ..."""
Node = Any
"""A node (bpy.types.Node): which settings it has depends on its kind."""
Socket = Any
"""A node's input or output (bpy.types.NodeSocket): what its `default_value` is, if it has one, depends on its kind."""
NodeTree = Any
"""A node tree (bpy.types.NodeTree) whose nodes and sockets are worked with."""
Slot = Any
"""A slot of an action (bpy.types.ActionSlot); None in Blender 4.2, which has no such class."""
Action = Any
"""An action (bpy.types.Action), which holds its curves in slots and layers or, in Blender 4.2, itself."""
SpaceView3D = Any
"""A 3D viewport (bpy.types.SpaceView3D) whose view, shading and overlays are set."""
Attribute = Any
"""An attribute of a mesh (bpy.types.Attribute): its `data` depends on its type."""
Modifier = Any
"""A modifier (bpy.types.Modifier): its settings depend on its type."""

Parameters = ParamSpec("Parameters")


def gives(function: Callable[Parameters, object]) -> Callable[Parameters, Value]:
    """Return a function of Blender's that gives something where the stubs say that it gives nothing."""
    return function
