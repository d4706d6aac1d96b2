# SPDX-License-Identifier: GPL-3.0-or-later
"""`.wld` files: where each level's map lies in the world, and what regions the maps make up (fable.md §5).

World x, y = MapX, MapY + the map's own.
"""

from dataclasses import dataclass

from ..binary import Buffer
from . import text
from .text import BlockView, Document, StatementBlock, unquoted

MOST_MAPS = 2_000
"""Maps that are read of a world: the game has some 400, and the file of each is looked for."""
_ENDS = {"NewMap": "EndMap", "NewRegion": "EndRegion"}


class WorldMap(BlockView):
    """A view of a map's block."""

    __slots__ = ()

    @property
    def number(self) -> str:
        """What stands behind NewMap."""
        return self.block.opening.value

    @property
    def origin(self) -> tuple[int, int] | None:
        """The place of the map's lower left corner in the world; multiples of 32 in the game."""
        x, y = (self._whole(key) for key in ("MapX", "MapY"))
        return None if x is None or y is None else (x, y)

    @origin.setter
    def origin(self, value: tuple[int, int]) -> None:
        for key, part in zip(("MapX", "MapY"), value, strict=True):
            if self._whole(key) != part:
                self.block.set(key, str(part))

    @property
    def level_name(self) -> str | None:
        r"""Its level's file: `FinalAlbion\BarrowFields.lev`."""
        return self.block.get("LevelName")

    @property
    def script_name(self) -> str | None:
        """What scripts call it."""
        return self.block.get("LevelScriptName")

    @property
    def uid(self) -> int | None:
        """MapUID."""
        return self._whole("MapUID")

    @property
    def is_sea(self) -> bool:
        """Whether all of it is sea."""
        return self.block.get("IsSea") == "TRUE"

    @property
    def loaded_on_player_proximity(self) -> bool:
        """Whether the game loads it when the player comes near."""
        return self.block.get("LoadedOnPlayerProximity") == "TRUE"

    def _whole(self, key: str) -> int | None:
        value = text.number(self.block.get(key))
        return int(value) if value is not None and value.is_integer() else None


class Region(BlockView):
    """A view of a region's block."""

    __slots__ = ()

    @property
    def number(self) -> str:
        """What stands behind NewRegion."""
        return self.block.opening.value

    @property
    def contains(self) -> list[str]:
        """Maps that are part of it."""
        return self._names("ContainsMap")

    @property
    def sees(self) -> list[str]:
        """Maps that can be seen from it."""
        return self._names("SeesMap")

    def _names(self, key: str) -> list[str]:
        return [unquoted(statement.value) for statement in self.block.statements() if statement.key == key]


@dataclass(slots=True, eq=False)
class World:
    """A `.wld` file."""

    document: Document

    @property
    def maps(self) -> list[WorldMap]:
        """Its maps, in order."""
        return [WorldMap(block) for block in self._blocks("NewMap")]

    @property
    def regions(self) -> list[Region]:
        """Its regions, in order."""
        return [Region(block) for block in self._blocks("NewRegion")]

    def map_of(self, file_name: str) -> WorldMap | None:
        """The map of a level, by its file's name in any folder; case does not count."""
        wanted = base_name(file_name).lower()
        return next((each for each in self.maps if base_name(each.level_name or "").lower() == wanted), None)

    def _blocks(self, opening: str) -> list[StatementBlock]:
        return [e for e in self.document.entries if isinstance(e, StatementBlock) and e.opening.key == opening]


def base_name(path: str) -> str:
    """The last part of a path with slashes of either kind."""
    return path.replace("\\", "/").rpartition("/")[2]


def read(data: Buffer) -> World:
    """Read a `.wld`. Raises FormatError, also for more than MOST_MAPS maps."""
    world = World(text.parse(data, _closing))
    text.at_most(MOST_MAPS, "maps", "the game has some 400", len(world.maps))
    return world


def write(world: World) -> bytes:
    """Return the file's bytes: what nobody changed comes out as it came in."""
    return text.unparse(world.document)


def _closing(key: str) -> str | None:
    """The key that closes what this one opens; None if it opens nothing, "" if it closes something."""
    return _ENDS.get(key, "" if key in _ENDS.values() else None)
