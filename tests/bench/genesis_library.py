# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench genesis`, first half: how long the library takes for a real level."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from formats import genesis
from formats.genesis import brushes, convert, textures, txl, typedefs

from .measure import Result, Way, in_turns

MAP = "_generated_by_real_editor_code/genvs2.map"
"""What the real editor's code makes of EDITOR: 1,729 brushes with 10,464 faces."""
EDITOR, LIBRARY = "paradoxnj__Genesis3D/genvs2.3dt", "paradoxnj__Genesis3D/gedit.txl"
POLYGONS_SECONDS, LEAKS_SECONDS = 0.2, 3.0
OPENED_SECONDS, CONVERTED_SECONDS = 0.1, 1.0


def run(folder: Path, rounds: int) -> list[Result]:
    """Measure the files of the level genvs2 below `folder`; prints a line each and returns the figure to reach."""
    if not (folder / MAP).is_file():
        print(f"no real level in {folder}: the library is left out")
        return []
    level, editor, library = ((folder / name).read_bytes() for name in (MAP, EDITOR, LIBRARY))
    compiled, parsed = genesis.read(level), genesis.read(editor)
    if not isinstance(parsed, genesis.Level3dt):
        raise TypeError(f"{EDITOR} is no .3dt")
    print("the level genvs2")
    polygons = _time("read the .map and make polygons of its brushes", lambda: to_polygons(level), rounds)
    _time("write the .map", lambda: genesis.write(compiled), rounds)
    opened = _time("read the .3dt and write it unedited", lambda: genesis.write(genesis.read(editor)), rounds)
    parsed.leaves()
    converted = _time("convert the .3dt to a .map (cuts and hollows)", lambda: convert.to_map(parsed), min(rounds, 3))
    _time("read the .txl, all textures to pixels", lambda: [each.pixels() for each in txl.read(library)], rounds)
    leaks = _time(
        "find out whether the .map leaks", lambda: genesis.leaks.problems(genesis.read(level)), min(rounds, 3)
    )
    return [
        Result("find out whether genvs2.map leaks, 1,729 brushes", leaks, LEAKS_SECONDS * 1e3, "ms"),
        Result("read genvs2.3dt and write it unedited", opened, OPENED_SECONDS * 1e3, "ms"),
        Result("convert genvs2.3dt to a .map", converted, CONVERTED_SECONDS * 1e3, "ms"),
        Result("read genvs2.map and make polygons of its 1,729 brushes", polygons, POLYGONS_SECONDS * 1e3, "ms"),
    ]


def _time(what: str, run: Callable[[], object], rounds: int) -> float:
    """Best time in ms."""
    best = in_turns({what: Way(run)}, rounds)[what].best * 1e3
    print(f"  {what:<50} {best:9.1f} ms")
    return best


def to_polygons(data: bytes) -> brushes.Polygons:
    """Read a `.map` and make polygons of all its brushes."""
    level = genesis.read(data)
    if not isinstance(level, genesis.MapLevel):
        raise TypeError("no .map")
    table, faces = level.table()
    return brushes.polygons(faces, table["num_faces"])


def decode(path: Path, library: Path | None) -> list[Any]:
    """All that an import needs of the library: polygons with UVs, entities by their classes, pictures in use."""
    level = genesis.read(path.read_bytes())
    if not isinstance(level, genesis.MapLevel):
        raise TypeError(f"{path} is no .map")
    table, faces = level.table()
    polygons = brushes.polygons(faces, table["num_faces"])
    texels = textures.texels(faces, polygons.positions[polygons.corners], polygons.corner_face)
    types = typedefs.read(level.typedefs)
    values = [typedefs.values(each, types[each.classname.lower()]) for each in level.points]
    pictures = []
    if library is not None:
        named = txl.read(library.read_bytes())
        used = (named.get(name) for name in set(genesis.texture_names(faces)))
        pictures = [texture.pixels() for texture in used if texture is not None]
    return [polygons, texels, values, pictures]
