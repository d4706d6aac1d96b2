# SPDX-License-Identifier: GPL-3.0-or-later
"""Names for what Blender gives, and what narrows it to what it is where the stubs say less."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeAlias, TypeVar

import bpy

from ...formats.arrays import Array
from .reports import SceneError

if TYPE_CHECKING:
    from bpy.stub_internal import rna_enums

    Icon: TypeAlias = rna_enums.IconItems
    Slot: TypeAlias = bpy.types.ActionSlot
else:  # Blender evaluates the annotations of operators, and 4.2 has no slots
    Icon, Slot = str, object

Value = Any
"""What only the running Blender knows the type of: what a property gives that is found by its name, items of lists that
the extension registers, functions and RNA that are looked up. What is only passed on or compared is an `object`.
"""
Node: TypeAlias = bpy.types.Node
"""Which settings it has depends on its kind: `materials.Nodes.add` takes them."""
Socket: TypeAlias = bpy.types.NodeSocket
"""A node's input or output: `set_default` and `default_of` see to the value that most kinds have."""
Constant: TypeAlias = float | str | Sequence[float] | bpy.types.ID
"""What an input may have for itself, by its kind: a number, a text, a vector, a colour, a data-block."""
Input: TypeAlias = Socket | Constant
"""What an input is given: an output that is linked to it, or what it has for itself."""
Lamp: TypeAlias = bpy.types.PointLight | bpy.types.SpotLight | bpy.types.SunLight | bpy.types.AreaLight
"""A light, whose cone or size is that of its kind."""
EmptyShape = Literal["PLAIN_AXES", "ARROWS", "SINGLE_ARROW", "CIRCLE", "CUBE", "SPHERE", "CONE", "IMAGE"]
"""How Blender draws an empty."""


class Elements(Protocol):
    """The values of an attribute, by the name that its type gives them: see `attributes.LAYOUT`."""

    def __len__(self) -> int:
        """How many elements have one."""

    def __getitem__(self, place: int, /) -> object:
        """One element, which has its value by that name."""

    def foreach_get(self, name: str, values: Array, /) -> None:
        """Fill a flat array with all of them."""

    def foreach_set(self, name: str, values: Array, /) -> None:
        """Set all of them from a flat array."""


class Numbers(Protocol):
    """Many numbers, such as those of an image."""

    def foreach_get(self, values: Array, /) -> None:
        """Fill a flat array with all of them."""

    def foreach_set(self, values: Array, /) -> None:
        """Set all of them from a flat array."""


Parameters = ParamSpec("Parameters")
Kind = TypeVar("Kind")


def gives(function: Callable[Parameters, object]) -> Callable[Parameters, Value]:
    """Return a function of Blender's that gives something where the stubs say that it gives nothing."""
    return function


def persistent(handler: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Have a handler stay when another .blend is opened: Blender's decorator, which the stubs have without types."""
    lasting: Callable[Parameters, None] = bpy.app.handlers.persistent(handler)
    return lasting


def expect(kind: type[Kind], given: object) -> Kind:
    """Return what Blender gave where it is of the kind that it has to be. Raises TypeError for anything else."""
    if not isinstance(given, kind):
        raise TypeError(f"Blender gave {type(given).__name__} for {kind.__name__}")
    return given


def always(given: Kind | None) -> Kind:
    """Return what Blender always has, though its stubs say that it may be None. Raises TypeError where it is."""
    if given is None:
        raise TypeError("Blender gave nothing where it always has something")
    return given


def configure(of: object, **settings: object) -> None:
    """Set properties to values that the stubs don't know, such as those of a list that Blender makes as it runs."""
    for name, value in settings.items():
        setattr(of, name, value)


def set_default(socket: Socket | bpy.types.NodeTreeInterfaceSocket, value: Constant) -> None:
    """Set what an input has for itself, or the output of a Value node gives: of a kind that has such a value."""
    kind: Any = socket  # the stubs have it in each kind's own class
    kind.default_value = value


def default_of(socket: Socket) -> float:
    """The number that an input has for itself, or the output of a Value node gives."""
    kind: Any = socket
    return float(kind.default_value)


def color_of(socket: Socket) -> tuple[float, ...]:
    """The colour, or the vector, that an input has for itself."""
    kind: Any = socket
    return tuple(kind.default_value)


def elements_of(attribute: bpy.types.Attribute) -> Elements:
    """The values of an attribute."""
    kind: Any = attribute  # the stubs have them in each type's own class
    data: Elements = kind.data
    return data


def channels_of(image: bpy.types.Image) -> Numbers:
    """The numbers of an image's pixels, as many each as it has channels, bottom row first."""
    kind: Any = image  # the stubs have one number for all
    pixels: Numbers = kind.pixels
    return pixels


def lamp_of(data: object) -> Lamp:
    """The light of an object, or one that was made, by its kind. Raises TypeError for anything else."""
    if not isinstance(data, bpy.types.PointLight | bpy.types.SpotLight | bpy.types.SunLight | bpy.types.AreaLight):
        raise TypeError(f"Blender gave {type(data).__name__} for a light")
    return data


def mesh_of(obj: bpy.types.Object) -> bpy.types.Mesh:
    """The mesh of an object that is known to have one. Raises SceneError for others."""
    if not isinstance(obj.data, bpy.types.Mesh):
        raise SceneError(f"{obj.name} has no mesh")
    return obj.data
