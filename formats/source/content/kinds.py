# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of files that Source's levels name, and what is in one, in short."""

from collections.abc import Callable

from ...binary import FormatError
from ...format import ContentKind, Document
from . import mdl, troika, vmt, vtf
from .texels import ImageFormat

Beside = Callable[[str], bytes | None]
_BY_BLENDER = (ImageFormat.BC6H, ImageFormat.BC7)
"""Formats whose pixels Blender decodes, and not this library."""


def _model(data: bytes, beside: Beside) -> Document:
    def file(name: str) -> bytes | None:
        return data if name == ".mdl" else beside(name)

    found = mdl.load(".mdl", file)
    if found is None:
        raise FormatError(f"it has no {' and no '.join(mdl.missing('.mdl', file))} beside it", "MDL")
    return {
        "version": found.version,
        "vertices": len(found.positions),
        "triangles": len(found.triangles),
        "skins": len(found.skins),
        "materials": found.materials,
        "folders": found.folders,
    }


def _texture(data: bytes, _: Beside) -> Document:
    found = vtf.read(data)
    found.image() if found.format in _BY_BLENDER else found.pixels(found.mipmaps - 1)
    found.image()
    return {
        "version": ".".join(map(str, found.version)),
        "format": found.format.name,
        "width": found.width,
        "height": found.height,
        "frames": found.frames,
        "faces": found.faces,
        "mipmaps": found.mipmaps,
    }


def _troika(data: bytes, beside: Beside) -> Document:
    return _texture(troika.join(data, beside(".ttz")), beside)


def _material(data: bytes, _: Beside) -> Document:
    found = vmt.read(data)
    return {"shader": found.shader, "parameters": dict(found.parameters), "flaws": found.flaws}


KINDS = {
    ".mdl": ContentKind("models", _model),
    ".vtf": ContentKind("textures", _texture),
    ".tth": ContentKind("textures", _troika),
    ".vmt": ContentKind("materials", _material),
}
