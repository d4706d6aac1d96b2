# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials (`.vmt`): a shader and its parameters, and patches of other materials.

Valve Developer Community: "VMT", "Patch", "List of Shader Parameters"; "Material optimization" for what only some
machines take: blocks (">=dx90 {..}", "LightmappedGeneric_dx9 {..}") and parameters ("GPU>=2?$bumpmap", "!360?$detail").
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from operator import ge, gt, le, lt

import numpy as np

from ...arrays import Floats
from ...binary import FormatError
from .keyvalues import Block, parse

_MOST_INCLUDES = 16
_THERE = {"dx9", "hdr", "hdr_dx9", "srgb", "srgb_pc"}
"""What a good PC has: of conditions that aren't named here, only the opposite is met; but for those of levels."""
_LEVEL = re.compile(r"(gpu)?([<>]=?)(?(1)|dx)(\d{1,3})(?:_20b)?")
_COMPARED: dict[str, Callable[[int, int], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_DX, _GPU = 95, 3
"""Its levels."""
_LARGEST = 1e30
"""Numbers beyond it are none: products of some of them would have no end."""
_BETTER = ("_dx9", "_dx90", "_hdr", "_hdr_dx9")
"""Endings of a shader's name: blocks of that name are for such a PC."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_TRANSFORM = re.compile(r"(center|scale|translate)\s+(\S+)\s+(\S+)|(rotate)\s+(\S+)", re.IGNORECASE)


@dataclass
class Material:
    """A material's file."""

    shader: str
    """As written."""
    parameters: dict[str, str] = field(default_factory=dict)
    """By names in small letters ("$basetexture"), their texts, the last of equals."""
    proxies: Block = field(default_factory=Block)
    includes: list[str] = field(default_factory=list)
    """The files that patches came from, outermost first."""
    flaws: list[str] = field(default_factory=list)
    """What of the file was read as the engine reads it, though it makes no sense."""

    def text(self, name: str) -> str | None:
        """A parameter as it is written, without white space around it; None where it is absent or empty."""
        return (self.parameters.get(name.lower()) or "").strip() or None

    def texture(self, name: str) -> str | None:
        """A parameter that names a texture, as `content` wants it: small letters, slashes, no ending."""
        value = self.text(name)
        if value is None:
            return None
        value = value.replace("\\", "/").lower().strip("/")
        return value.removesuffix(".vtf")

    def number(self, name: str, default: float = 0.0) -> float:
        """A parameter as a number (what of it reads as one), or the default."""
        found = _NUMBER.match(self.text(name) or "")
        return _finite(found[0], default) if found else default

    def flag(self, name: str) -> bool:
        """Whether a parameter is set to something other than 0."""
        return self.number(name) != 0

    def color(self, name: str, default: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> tuple[float, float, float]:
        """A colour: "[r g b]" of 0 to 1, "{r g b}" of 0 to 255, or one number for all three."""
        value = self.text(name)
        numbers = [_finite(number) for number in _NUMBER.findall(value or "")]
        if value is None or not numbers:
            return default
        if len(numbers) < 3:
            numbers = numbers[:1] * 3
        scale = 255.0 if value.startswith("{") else 1.0
        return numbers[0] / scale, numbers[1] / scale, numbers[2] / scale

    def transform(self, name: str) -> Floats:
        """A texture transform as float64[2, 3], u and v downwards as in the game: scaled and turned about a centre,
        then moved. "[..]" matrices give their first two rows.
        """
        value = self.text(name) or ""
        if value.startswith("["):
            numbers = [_finite(number) for number in _NUMBER.findall(value)]
            return np.array([numbers[:2] + numbers[3:4], numbers[4:6] + numbers[7:8]]) if len(numbers) >= 8 else _SAME
        parts = {"center": (0.5, 0.5), "scale": (1.0, 1.0), "translate": (0.0, 0.0)}
        turn = 0.0
        for word, first, second, rotate, angle in _TRANSFORM.findall(value):
            try:
                if rotate:
                    turn = np.radians(_finite(angle))
                else:
                    parts[word.lower()] = (_finite(first), _finite(second))
            except ValueError:
                continue  # a word in place of a number: the engine takes what it can read, too
        sine, cosine = np.sin(turn), np.cos(turn)
        linear = np.array([[cosine, -sine], [sine, cosine]]) * np.asarray(parts["scale"])
        center = np.asarray(parts["center"])
        return np.column_stack([linear, center - linear @ center + parts["translate"]])


def _finite(text: str, default: float = 0.0) -> float:
    """A number; the default for one that textures can't be turned or tinted by. ValueError for a word."""
    found = float(text)
    return found if abs(found) < _LARGEST else default


_SAME = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def _missing(_path: str) -> None:
    return None


def read(data: bytes, include: Callable[[str], bytes | None] = _missing) -> Material:
    """Read a material. include: gives the bytes of a file that a patch is of ("materials/x.vmt"), None where missing.

    A patch whose file is missing keeps its own parameters and the shader "patch". FormatError for texts that are none.
    """
    return _read(data, include, ())


def _read(data: bytes, include: Callable[[str], bytes | None], chain: tuple[str, ...]) -> Material:
    whole = parse(data)
    shader, block = next(whole.blocks(), ("", None))
    if block is None:
        raise FormatError("names no shader", "material")
    if shader.lower() != "patch":
        proxies = block.block("proxies") or Block()
        return Material(shader, _parameters(block, shader.lower()), proxies, flaws=whole.flaws)
    path = (block.get("include") or "").replace("\\", "/").lower()
    base = Material("patch")
    if path in chain or len(chain) == _MOST_INCLUDES:
        raise FormatError(f"includes itself through {path!r}", "material")
    if path and (found := include(path)) is not None:
        base = _read(found, include, (*chain, path))
    includes, flaws = [path, *base.includes], [*whole.flaws, *base.flaws]
    made = replace(base, parameters=dict(base.parameters), includes=includes, flaws=flaws)
    for kind in ("replace", "insert"):
        changes = block.block(kind)
        if changes is None:
            continue
        for key, value in _parameters(changes, base.shader.lower()).items():
            if kind == "insert" or key in made.parameters or base.shader == "patch":
                made.parameters[key] = value
    return made


def _parameters(block: Block, shader: str) -> dict[str, str]:
    """The parameters that a good PC takes, those of blocks for such ones last."""
    found: dict[str, str] = {}
    for key, value in block.texts():
        condition, asked, name = key.lower().rpartition("?")
        if not asked or _is_met(condition.strip()):
            found[name] = value
    for name, inner in block.blocks():
        name = name.lower()
        if _is_met(name) or name in [shader + ending for ending in _BETTER]:
            found |= _parameters(inner, shader)
    return found


def _is_met(condition: str) -> bool:
    asked = condition.removeprefix("!")
    level = _LEVEL.fullmatch(asked)
    met = asked in _THERE if level is None else _COMPARED[level[2]](_GPU if level[1] else _DX, int(level[3]))
    return met == (asked == condition)
