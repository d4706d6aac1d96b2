# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages real models, textures and materials of the corpus in seeded ways, and reads what is left.

The corpus lies beside the repository; without it there is nothing to damage.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from formats.ns2 import dds
from formats.ns2 import material as ns2_material
from formats.ns2 import model as ns2_model
from formats.source.content import vmt, vtf
from tests.conftest import CORPUS
from tests.formats import content_damage as damage
from tests.fuzz.driver import Fuzzer

_LARGEST, _PIXELS = 3 << 20, 1 << 15
"""Bytes of a file, and pixels of a texture that are decoded: a run shall see many files, not few large ones."""


def _texture(files: damage.Files) -> None:
    found = vtf.read(files[".vtf"])
    found.image()
    for mipmap in range(found.mipmaps if found.mipmaps < 20 else 20):
        width, height, _ = found.mipmap_size(mipmap)
        if width * height <= _PIXELS:
            found.pixels(mipmap)
            return


def _material(files: damage.Files) -> None:
    found = vmt.read(files[".vmt"])
    for name in found.parameters:
        found.number(name), found.flag(name), found.color(name), found.transform(name), found.texture(name)


def _ns2_model(files: damage.Files) -> None:
    found = ns2_model.read(files[".model"])
    found.triangle_materials(), found.uv(), found.vertices[found.triangles.ravel()]


def _ns2_material(files: damage.Files) -> None:
    found = ns2_material.read(files[".material"])
    [found.texture(key) for key in found.values]


def _dds(files: damage.Files) -> None:
    dds.describe(files[".dds"], len(files[".dds"]))


_READERS: dict[str, Callable[[damage.Files], None]] = {
    ".mdl": damage.source_model,
    ".vtf": _texture,
    ".vmt": _material,
    ".model": _ns2_model,
    ".material": _ns2_material,
    ".dds": _dds,
}


def _beside(path: Path) -> Iterator[tuple[str, bytes]]:
    """A model's other files, by their endings."""
    for other in sorted(path.parent.iterdir()):
        if other.suffix.lower() in (".vvd", ".vtx") and other.name.lower().startswith(path.stem.lower() + "."):
            yield other.name.lower().removeprefix(path.stem.lower()), other.read_bytes()


def _seeds() -> Iterator[damage.Seed]:
    for folder in ("source-content", "ns2"):
        for path in sorted((CORPUS / folder).glob("**/*")):
            ending = path.suffix.lower()
            if ending in _READERS and path.is_file() and 0 < path.stat().st_size <= _LARGEST:
                files = {ending: path.read_bytes(), **(dict(_beside(path)) if ending == ".mdl" else {})}
                if ending != ".mdl" or any(name.endswith(".vtx") for name in files):
                    yield _READERS[ending], files


def _in_turn(seeds: tuple[damage.Seed, ...]) -> tuple[damage.Seed, ...]:
    """One seed of each reader after another, so that each is tried as often."""
    kinds = [[one for one in seeds if one[0] is reader] for reader in _READERS.values()]
    longest = max(map(len, kinds))
    return tuple(kind[turn % len(kind)] for turn in range(longest) for kind in kinds if kind)


WHOLE = tuple(_seeds())
FILES = _in_turn(WHOLE)

FUZZER = Fuzzer(
    mutation=lambda seed: damage.damaged(seed, FILES),
    attempt=damage.attempt,
    whole=WHOLE,
    accepted=(1 / 10, 0.99),
    thorough=range(300, 500),
)
