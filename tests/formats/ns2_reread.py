# SPDX-License-Identifier: GPL-3.0-or-later
"""Another reader of version 10 levels, by `struct` alone: tests of edits read what was written with it, and so don't
take the library's word for it (docs/formats/ns2.md §2, §3).
"""

import struct
from dataclasses import dataclass, field


@dataclass
class Face:
    """A face with the vertices along each of its loops."""

    texture: tuple[int, ...]
    """The bits of angle, offset and scale, as five words."""
    group: int
    material: str
    loops: list[tuple[int, ...]]
    layers: frozenset[int] = frozenset()
    triangles: int = 0


@dataclass
class Reread:
    """What a level holds."""

    vertices: list[tuple[float, ...]] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    faces: list[Face] = field(default_factory=list)
    groups: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Mapping groups: the bits of angle, scale, offset and normal."""
    objects: list[tuple[str, dict[str, tuple[int, bytes]]]] = field(default_factory=list)
    """Class; of each property its type and value."""
    layers: list[tuple[str, int, int]] = field(default_factory=list)
    """Name, whether it is visible, id."""

    def corners(self, face: Face) -> list[tuple[tuple[float, ...], ...]]:
        """Where the corners of each loop are, from the lowest one on: the same whatever the numbers are."""
        found = []
        for loop in face.loops:
            points = [self.vertices[vertex] for vertex in loop]
            first = points.index(min(points))
            found.append(tuple(points[first:] + points[:first]))
        return found


class _Words:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{form}", self.data, self.at)
        self.at += struct.calcsize(f"<{form}")
        return found

    def word(self) -> int:
        return self.take("I")[0]

    def text(self, width: int = 1) -> str:
        size = self.word() * width
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-16-le" if width == 2 else "ascii")


def _chunks(data: bytes) -> list[tuple[int, bytes]]:
    found, at = [], 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        found.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    assert at == len(data)
    return found


def reread(data: bytes) -> Reread:
    """All of a level of version 10."""
    assert data[:4] == b"LVL\x0a"
    made = Reread()
    for kind, body in _chunks(data[4:]):
        if kind == 2:
            _mesh(made, dict(_chunks(body)))
        elif kind == 1:
            made.objects.append(_object(_Words(body)))
        elif kind == 3:
            words = _Words(body)
            for _ in range(words.word()):
                name, visible = words.text(2), words.word()
                words.take("4B")
                made.layers.append((name, visible, words.word()))
    return made


def _mesh(made: Reread, chunks: dict[int, bytes]) -> None:
    words = _Words(chunks[4])
    materials = [words.text() for _ in range(words.word())]
    words = _Words(chunks[1])
    made.vertices = [words.take("3fB")[:3] for _ in range(words.word())]
    words = _Words(chunks[2])
    made.edges = [words.take("2IB")[:2] for _ in range(words.word())]
    words = _Words(chunks[3])
    for _ in range(words.word()):
        texture, (group, material, holes) = words.take("5I"), words.take("3I")
        loops = []
        for _ in range(holes + 1):
            steps = [words.take("2I") for _ in range(words.word())]
            loops.append(tuple(made.edges[edge][flipped] for flipped, edge in steps))
        made.faces.append(Face(texture, group, materials[material], loops))
    assert words.at == len(words.data)
    words = _Words(chunks[6])
    assert words.take("2I") == (len(made.faces), 2)
    for face in made.faces:
        mask = words.take("9I")[1:] if words.word() else ()
        face.layers = frozenset(32 * k + bit for k, word in enumerate(mask) for bit in range(32) if word >> bit & 1)
    words = _Words(chunks[7])
    for _ in range(words.word()):
        number = words.word()
        made.groups[number] = words.take("8I")
    words = _Words(chunks[5])
    for width in (12, 12):  # ghosts, normals
        size = words.word() * width
        words.at += size
    assert words.word() == len(made.faces)
    words.word()
    for face in made.faces:
        face.triangles = words.word()
        words.at += 24 * face.triangles
    assert words.at == len(words.data)


def _object(words: _Words) -> tuple[str, dict[str, tuple[int, bytes]]]:
    if words.word():
        words.take("10I")
    words.word()
    name, found = words.text(), {}
    for _ in range(words.word()):
        _, size = words.take("2I")
        end = words.at + size
        key = words.text()
        kind, _, _ = words.take("3I")
        found[key] = kind, words.data[words.at : end]
        words.at = end
    return name, found
