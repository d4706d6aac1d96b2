# SPDX-License-Identifier: GPL-3.0-or-later
"""What every Genesis level is, whichever file holds it."""

from typing import ClassVar, Literal

from .entities import Entity


class Level:
    """A Genesis3D level: a `map_file.MapLevel`, the editor's text, or a `compiled.CompiledLevel`."""

    #: "map": the binary `.map` that the compiler reads; "3dt": the text that the editor opens; "bsp": what it compiles
    kind: ClassVar[Literal["map", "3dt", "bsp"]]


class EntityLevel(Level):
    """A level whose entities are a list: the world, world models, point entities, and definitions of types."""

    entities: list[Entity]

    @property
    def world(self) -> Entity | None:
        """The entity of the level itself: the first one."""
        return self.entities[0] if self.entities else None

    @property
    def models(self) -> list[Entity]:
        """World models."""
        return [entity for entity in self.entities[1:] if entity.is_model]

    @property
    def points(self) -> list[Entity]:
        """Point entities: all that are neither the world, a model, nor a definition."""
        return [entity for entity in self.entities[1:] if not entity.is_model and not entity.is_typedef]

    @property
    def typedefs(self) -> list[Entity]:
        """Definitions of types, as entities; `typedefs.read` makes tables of them."""
        return [entity for entity in self.entities[1:] if entity.is_typedef]
