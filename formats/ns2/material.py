# SPDX-License-Identifier: GPL-3.0-or-later
"""`.material` files: which textures and shader a surface has (ns2.md §10).

Lines of `key = value`, where a value is a quoted text, a number or a list of numbers; `//` begins a comment. One of the
first games' files is XML instead.
"""

import re
from dataclasses import dataclass, field

from ..binary import Buffer, FormatError
from .markup import Element, parse

Value = str | float | tuple[float, ...]

_LINE = re.compile(
    r"\s*(?P<key>[A-Za-z_]\w*)\s*=\s*(?:\"(?P<text>[^\"]*)\"|(?P<number>[-+]?[\d.][\w.+-]*)|\[(?P<list>[^\]]*)\])"
    r"\s*(?P<rest>.*)"
)
ENDING = ".material"
LONGEST = 1 << 20  # bytes that a file may have

#: Keys that make a picture; one that only ends like one of these is a slip of the keyboard.
KEYS = ("shader", "albedoMap", "normalMap", "specularMap", "opacityMap", "emissiveMap")


@dataclass(slots=True, eq=False)
class Material:
    """A material."""

    values: dict[str, Value] = field(default_factory=dict)
    """By key, as written; the last one where a key is there twice."""
    notes: list[str] = field(default_factory=list)
    """What isn't right."""

    def text(self, key: str) -> str:
        """A value that is a text: a path, a shader, the kind of surface; "" if there is none."""
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ""

    def texture(self, key: str) -> str:
        """The path of a texture (`albedoMap` ...), from the game's directory, with `/`; "" if there is none."""
        return self.text(key).replace("\\", "/").strip("/ ")

    @property
    def shader(self) -> str:
        """The name of the shader without folders and ending: "Level", "Model", "Emissive" ...; "" if there is none."""
        name = self.texture("shader").rsplit("/", 1)[-1]
        return name.removesuffix(".surface_shader")

    @property
    def specular_in_albedo(self) -> bool:
        """Whether the albedo texture's alpha is the specular strength: shaders for level geometry do so."""
        return self.shader.lower() == "level"


def read(data: Buffer) -> Material:
    """Read a `.material`. Lines that say nothing are named in `notes`. Raises FormatError if it is no text."""
    raw = bytes(data)
    if len(raw) > LONGEST:
        raise FormatError(f"{len(raw)} bytes, materials have no more than {LONGEST}", "material")
    if b"\0" in raw:
        raise FormatError("is no text", "material", raw.index(b"\0"))
    text = raw.decode("utf-8-sig", "replace") if raw.startswith(b"\xef\xbb\xbf") else raw.decode("latin-1")
    if text.lstrip().startswith("<"):
        return _from_xml(raw)
    material = Material()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("//"):
            _add(material, line, number)
    return material


def _add(material: Material, line: str, number: int) -> None:
    match = _LINE.fullmatch(line)
    if match is None:
        material.notes.append(f"line {number} says nothing: {line.strip()[:60]}")
        return
    key, text, digits, items, rest = match.groups()
    if rest and not rest.startswith("//"):
        material.notes.append(f"line {number}: what stands behind the value is left out: {rest[:60]}")
    value: Value
    if text is not None:
        value = text
    else:
        numbers = [_number(item) for item in (digits if items is None else items).split(",")]
        if any(item is None for item in numbers):
            material.notes.append(f"line {number}: {(digits or items)[:60]!r} isn't a number")
            return
        found = tuple(item for item in numbers if item is not None)
        value = found if items is not None else found[0]
    slip = next((known for known in KEYS if key not in KEYS and key.lower().endswith(known.lower())), None)
    if slip is not None:
        material.notes.append(f"line {number}: {key!r} is no key; {slip!r} is one")
    if key in material.values:
        material.notes.append(f"line {number}: {key!r} is there twice")
    material.values[key] = value


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _from_xml(data: bytes) -> Material:
    """The first games' form: <map type="texture" value="..."/>."""
    material = Material()
    root: Element = parse(data, "material")
    for element in root.all():
        kind, value = element.attributes.get("type", ""), element.attributes.get("value")
        if element.tag == "map" and value is not None:
            material.values["albedoMap" if kind in ("texture", "albedo", "diffuse") else f"{kind}Map"] = value
    material.notes.append("is an old XML material")
    return material
