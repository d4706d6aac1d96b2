# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of operators, panels and property groups, declared so that type checkers know what they hold.

    class LEVELWRIGHT_OT_zoom(Declared, bpy.types.Operator):
        factor: float = declared.number(name="Factor", default=1.0, min=0.01)

Blender reads properties off a class's annotations (`factor: bpy.props.FloatProperty(...)`), where type checkers take a
call for a mistake. Here the annotation is the type of the value, and `Declared` hands Blender what it wants. Each
function takes what the one of `bpy.props` takes that it stands for.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeAlias, TypeVar, cast

import bpy

from ..blender_types import Value

Options = ParamSpec("Options")
Held = TypeVar("Held")
Group = TypeVar("Group", bound=bpy.types.PropertyGroup)
Struct = TypeVar("Struct", bound=bpy.types.PropertyGroup)

if TYPE_CHECKING:
    Groups: TypeAlias = bpy.types.bpy_prop_collection_idprop[Group]
    """A list of property groups."""

_DEFERRED: type = getattr(bpy.props, "_PropertyDeferred")  # noqa: B009 - the stubs don't know it


class Declared:
    """Mixed into classes with such properties, before Blender's: Operator, Panel, PropertyGroup, AddonPreferences.

    It may also be a base of classes that aren't registered themselves: Blender reads the annotations of all bases.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        found = {name: value for name, value in vars(cls).items() if isinstance(value, _DEFERRED)}
        if found:
            # Not changed in place: from Python 3.14 on, a class makes its annotations when it is asked for them.
            cls.__annotations__ = {**inspect.get_annotations(cls), **found}
            for name in found:
                delattr(cls, name)


def properties_of(owner: bpy.types.bpy_struct) -> Value:
    """Return the properties of an operator or a property group, by name. An operator's own `bl_rna` has none."""
    holder: Value = getattr(owner, "properties", owner)
    return holder.bl_rna.properties


def _of(_value: Callable[..., Held], declare: Callable[Options, object]) -> Callable[Options, Held]:
    """Return a function of `bpy.props`, with the type of the values that its property holds."""
    return cast(Callable[Options, Held], declare)


def _numbers(values: Sequence[float]) -> Sequence[float]:
    return values


def _chosen(values: set[str]) -> set[str]:
    return values


def _flags(values: Sequence[bool]) -> Sequence[bool]:
    return values


boolean = _of(bool, bpy.props.BoolProperty)
integer = _of(int, bpy.props.IntProperty)
number = _of(float, bpy.props.FloatProperty)
string = _of(str, bpy.props.StringProperty)
menu = _of(str, bpy.props.EnumProperty)
choices = _of(_chosen, partial(bpy.props.EnumProperty, options={"ENUM_FLAG"}))
vector = _of(_numbers, bpy.props.FloatVectorProperty)
flags = _of(_flags, bpy.props.BoolVectorProperty)


NOTHING = "NOTHING"
"""The item of a menu that has no other."""
Items = list[tuple[str, str, str]]
MakeItems = Callable[[object, bpy.types.Context | None], Items]
"""Gives the items of a menu as they are now: of whom it is, and the context, None where Blender has none."""


def items(make: MakeItems) -> MakeItems:
    """Return what Blender may ask for the items of a menu that changes: they are kept, since it holds no copies of
    their texts, and there is always one, since it warns of a menu whose default isn't there.
    """
    held: Items = []

    def kept(owner: object, context: bpy.types.Context | None) -> Items:
        held[:] = make(owner, context) or [(NOTHING, "Nothing", "There is nothing to choose from")]
        return held

    return kept


def collection(type: builtins.type[Group], options: Iterable[str] = ()) -> Groups[Group]:  # noqa: A002 - bpy's word
    """Declare a list of property groups."""
    declare: Value = bpy.props.CollectionProperty
    groups: Groups[Group] = declare(type=type, options=builtins.set(options))
    return groups


def pointer(type: builtins.type[Struct]) -> Struct:  # noqa: A002 - bpy's word
    """Declare a property group."""
    declare: Value = bpy.props.PointerProperty
    struct: Struct = declare(type=type)
    return struct
