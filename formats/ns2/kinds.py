# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of files that NS2's levels name, and what is in one, in short."""

from collections.abc import Callable

from ..format import ContentKind, Document
from . import dds, material, model

Beside = Callable[[str], bytes | None]


def _model(data: bytes, _: Beside) -> Document:
    found = model.read(data)
    return {
        "version": found.version,
        "vertices": len(found.vertices),
        "triangles": len(found.triangles),
        "materials": found.materials,
        "flaws": found.flaws,
    }


def _texture(data: bytes, _: Beside) -> Document:
    found = dds.describe(data, len(data))
    return {"width": found.width, "height": found.height}


def _material(data: bytes, _: Beside) -> Document:
    found = material.read(data)
    return {"shader": found.shader, "values": {key: str(value) for key, value in found.values.items()}}


KINDS = {
    ".model": ContentKind("models", _model),
    ".dds": ContentKind("textures", _texture),
    ".material": ContentKind("materials", _material),
}
