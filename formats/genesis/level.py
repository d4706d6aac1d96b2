# SPDX-License-Identifier: GPL-3.0-or-later
"""What every Genesis level is, whichever file holds it."""

from typing import ClassVar, Literal


class Level:
    """A Genesis3D level: a `map_file.MapLevel`, or the editor's text."""

    #: "map": the binary `.map` that the compiler reads; "3dt": the text that the editor opens
    kind: ClassVar[Literal["map", "3dt"]]
