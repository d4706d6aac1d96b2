# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender is told of, and what is taken back when the extension goes: said once, for both.

    register, unregister = in_turn(Ns2Lists, added_property(bpy.types.Collection, KEY, declared.pointer(Ns2Lists)))

Such a line ends each module that has something to register by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import bpy


class Registrable(Protocol):
    """What can be registered and taken back: a module that has both functions, or `Both`."""

    @property
    def register(self) -> Callable[[], object]:
        """Tells Blender of it."""

    @property
    def unregister(self) -> Callable[[], object]:
        """Takes it back."""


def nothing() -> None:
    """Where there is nothing to register, or to take back."""


@dataclass(frozen=True, slots=True)
class Both:
    """What a function registers and another one takes back."""

    register: Callable[[], object] = nothing
    unregister: Callable[[], object] = nothing


class Callers(Protocol):
    """What calls functions that it is given: one of Blender's menus or headers, or the handlers of a moment."""

    def append(self, function: Callable[..., None], /) -> object:
        """Call a function from now on."""

    def remove(self, function: Callable[..., None], /) -> object:
        """Call it no more."""


def added_property(owner: type, name: str, value: object) -> Both:
    """Give all of one of Blender's types a property. value: what a function of `declared` made."""
    return Both(partial(setattr, owner, name, value), partial(delattr, owner, name))


def called(by: Callers, function: Callable[..., None]) -> Both:
    """Have Blender call a function, after those that it calls already."""
    return Both(partial(by.append, function), partial(by.remove, function))


def in_turn(*parts: type | Registrable) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return a module's `register`, which registers the parts one after another, and its `unregister`, which takes them
    back, the last first.

    Types are Blender's classes (panels, operators, property groups, ...): panels stand behind those that they lie in,
    and an operator's tooltip is its docstring, on one line.
    """

    def register() -> None:
        for part in parts:
            if isinstance(part, type):
                _register_class(part)
            else:
                part.register()

    def unregister() -> None:
        for part in reversed(parts):
            if isinstance(part, type):
                bpy.utils.unregister_class(part)
            else:
                part.unregister()

    return register, unregister


def _register_class(cls: type) -> None:
    if issubclass(cls, bpy.types.Operator) and "\n" in (cls.__doc__ or ""):
        cls.bl_description = " ".join((cls.__doc__ or "").split())
    bpy.utils.register_class(cls)
