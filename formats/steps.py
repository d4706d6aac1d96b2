# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that can be stopped between two steps: a generator that yields after each, and calls others by `yield from`.

`Stepwise` makes one that can be called as any other function, too: so what takes long in the library is a plain
function to those who use it alone, and to Blender's operators steps between which a window draws, and Esc stops it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial, update_wrapper
from typing import Generic, ParamSpec, TypeAlias, TypeVar

import numpy as np

Made = TypeVar("Made")
Given = ParamSpec("Given")

Steps: TypeAlias = Generator[None, None, Made]
"""Work that can be stopped wherever it yields, and what it makes in the end. Closed before, nothing is left behind."""


class Stepwise(Generic[Given, Made]):
    """A function that works in steps. Called, it does all of them and returns what they make; `steps` gives them."""

    def __init__(self, steps: Callable[Given, Steps[Made]]) -> None:
        self.steps = steps
        update_wrapper(self, steps)

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Made:
        """Do all steps."""
        return drain(self.steps(*args, **kwargs))


def drain(steps: Steps[Made]) -> Made:
    """Do all steps, and return what they make."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            made: Made = end.value
            return made


def at_once(make: Callable[[], Made]) -> Steps[Made]:
    """What has no steps of its own as one step."""
    yield
    return make()


def steps_of(function: Callable[Given, Made], *args: Given.args, **kwargs: Given.kwargs) -> Steps[Made]:
    """The steps of a `Stepwise` function; any other one is one step."""
    if isinstance(function, Stepwise):
        return function.steps(*args, **kwargs)
    return at_once(partial(function, *args, **kwargs))


def quietly(steps: Steps[Made]) -> Steps[Made]:
    """The steps, in which numpy says nothing of NaN and overflows, as of hostile floats. Whoever works between two of
    them has numpy as before.
    """
    try:
        while True:
            try:
                with np.errstate(all="ignore"):
                    next(steps)
            except StopIteration as end:
                made: Made = end.value
                return made
            yield
    finally:
        steps.close()
