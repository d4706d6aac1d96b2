# SPDX-License-Identifier: GPL-3.0-or-later
"""Texture libraries, `.txl` (genesis.md §3): VF00 files of bitmaps, masked CF00 ones, and the older EEGC.

library = read(data)
library.get("rock13").pixels()      # uint8[h, w, 4] RGBA, top row first
library.add("brick", picture)
data = write(library)
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..binary import Buffer, Cursor, FormatError
from . import bitmap, vfs
from .bitmap import Bitmap, BitmapFlag, PixelFormat, Pixels
from .palette import quantized
from .records import EDITOR_NAME_SIZE, MAX_TEXTURE_SIZE

OLD_MAGIC, OLD_TEXTURE_MAGIC = b"EEGC", b"EEAF"


@dataclass(slots=True, eq=False)
class Texture:
    """A texture of a library: its file, which is understood when it is first asked for."""

    node: vfs.Node = field(repr=False)
    _bitmap: Bitmap | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """Its name, by which faces refer to it whatever the case."""
        return self.node.name

    @property
    def bitmap(self) -> Bitmap:
        """The bitmap as it is stored. Raises FormatError if it is none."""
        if self._bitmap is None:
            try:
                self._bitmap = bitmap.read(self.node.data, self.node.offset)
            except FormatError as error:
                raise error.about(f"{error.reading} of texture {self.name!r}") from None
        return self._bitmap

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, which are texels."""
        return self.bitmap.width, self.bitmap.height

    def pixels(self) -> Pixels:
        """The picture, uint8[h, w, 4] RGBA straight, top row first. Raises FormatError."""
        stored = self.bitmap
        try:
            return stored.pixels()
        except FormatError as error:
            raise error.about(f"texture {self.name!r}") from None

    def indices(self) -> Pixels | None:
        """The numbers of the colours, uint8[h, w]; None if it has no palette."""
        return self.bitmap.indices()

    def palette(self) -> Pixels | None:
        """The colours, uint8[n, 4] RGBA; None if it has no palette."""
        return self.bitmap.colors()


@dataclass(slots=True, eq=False)
class Library:
    """A texture library. Names are looked up whatever their case."""

    container: Literal["VF00", "CF00", "EEGC"] = "VF00"
    textures: list[Texture] = field(default_factory=list)  # in the file's order: VF00 keeps the newest first
    files: vfs.FileSystem = field(default_factory=vfs.FileSystem, repr=False)  # empty for an EEGC

    def __iter__(self) -> Iterator[Texture]:
        return iter(self.textures)

    def get(self, name: str) -> Texture | None:
        """The texture of a name, or None. Of several the first."""
        folded = name.lower()
        return next((texture for texture in self.textures if texture.name.lower() == folded), None)

    def add(self, name: str, pixels: Pixels) -> Texture:
        """Add a texture, or replace the one of this name, as an 8-bit bitmap with a palette.

        `pixels`: uint8[h, w, 4] RGBA, top row first; both sides powers of two up to 256. More than 256 colours are
        reduced to 256. Alpha, where there is any, becomes a bitmap of its own. Raises FormatError.
        """
        return self.put(name, paletted(pixels))

    def put(self, name: str, picture: Bitmap) -> Texture:
        """Add a texture, or replace the one of this name, as this bitmap is. Raises FormatError."""
        self.refuse_old()
        if not 0 < len(name) <= EDITOR_NAME_SIZE or any(char in name for char in '\\/:"\0'):
            raise FormatError(f'{name!r}: a name has 1 to {EDITOR_NAME_SIZE} characters, none of \\ / : "', "texture")
        data = bitmap.write(picture)
        texture = self.get(name)
        if texture is None:
            texture = Texture(vfs.Node(name))
            self.textures.insert(0, texture)
            self.files.root.children.insert(0, texture.node)
        texture.node.data, texture.node.offset, texture._bitmap = data, 0, None
        return texture

    def refuse_old(self) -> None:
        """Raise FormatError if it is an EEGC library, which is only read."""
        if self.container == "EEGC":
            raise FormatError("an EEGC library cannot be changed: make a new one", "texture library")

    def remove(self, name: str) -> None:
        """Remove a texture, if it is there."""
        texture = self.get(name)
        if texture is not None:
            self.textures.remove(texture)
            self.files.remove(texture.node)


def paletted(pixels: Pixels) -> Bitmap:
    """A picture as an 8-bit bitmap with a palette, as the engine's own tools make them. Raises FormatError."""
    if pixels.ndim != 3 or pixels.shape[2] != 4 or pixels.dtype != np.uint8:
        raise FormatError(f"{pixels.dtype}{list(pixels.shape)} is not a picture uint8[h, w, 4]", "texture")
    height, width = pixels.shape[:2]
    for side in (width, height):
        if not 0 < side <= MAX_TEXTURE_SIZE or side & (side - 1):
            raise FormatError(
                f"{width} by {height} pixels: sides are powers of two up to {MAX_TEXTURE_SIZE}", "texture"
            )
    colors, indices = quantized(pixels[:, :, :3])
    entries = np.zeros((len(colors), 4), np.uint8)
    entries[:, :3] = colors[:, ::-1]
    flags = BitmapFlag.SIZE_IS_LOG2 | BitmapFlag.PALETTE
    picture = Bitmap(width, height, PixelFormat.PALETTE_8, [(0, indices[:, :, None])], entries)
    alpha = pixels[:, :, 3]
    if (alpha != 255).any():
        flags |= BitmapFlag.ALPHA
        mips = [(0, np.ascontiguousarray(alpha)[:, :, None])]
        picture.alpha = Bitmap(width, height, PixelFormat.GRAY_8, mips, flags=BitmapFlag.SIZE_IS_LOG2)
    picture.flags = int(flags)
    return picture


def identify(data: Buffer) -> bool:
    """Whether these bytes are a texture library, by their magic."""
    return vfs.identify(data) or bytes(data[:4]) == OLD_MAGIC


def read(data: Buffer) -> Library:
    """Read a texture library. Raises FormatError; a bitmap that is broken raises when it is asked for."""
    if bytes(data[:4]) == OLD_MAGIC:
        return _read_old(bytes(data))
    files = vfs.read(data, bitmap.MAGIC)
    textures = [Texture(node) for node in vfs.walk(files.root)]
    return Library("CF00" if files.mask else "VF00", textures, files)


def write(library: Library) -> bytes:
    """Return a library's bytes: what nobody changed comes out as it came in. Raises FormatError."""
    if library.container == "EEGC":
        raise FormatError("EEGC libraries are not written: make a new one", "texture library")
    return vfs.write(library.files)


def _read_old(data: bytes) -> Library:
    """The library of the time before VF00: textures of 8 bits with their mip maps, one after the other."""
    cursor = Cursor(data, 4)
    version, _, count = (cursor.i32("header") for _ in range(3))
    if version != 1:
        raise FormatError(f"version {version}, known is 1", "header of an EEGC library", 4)
    if not 0 <= count <= cursor.left:
        raise cursor.error(f"{count} textures cannot be in {cursor.left} bytes", "header of an EEGC library")
    library = Library("EEGC")
    for _ in range(count):
        name = (
            bytes(cursor.take(cursor.i32("name of a texture"), "name of a texture")).split(b"\0")[0].decode("latin-1")
        )
        if bytes(cursor.take(4, name)) != OLD_TEXTURE_MAGIC:
            raise cursor.error("does not begin with EEAF", name)
        _, width, height, mips = (cursor.i32(name) for _ in range(4))
        if not (0 < width <= bitmap.MAX_SIZE and 0 < height <= bitmap.MAX_SIZE and 0 < mips <= 16):
            raise cursor.error(f"{width} by {height} pixels, {mips} mip maps", name)
        picture = Bitmap(width, height, PixelFormat.PALETTE_8, [])
        picture.palette = cursor.array(np.uint8, 1024, f"palette of {name}").reshape(256, 4)
        for level in range(mips):
            wide, high = max(width >> level, 1), max(height >> level, 1)
            raw = cursor.array(np.uint8, wide * high, f"pixels of {name}")
            picture.mips.append((level, raw.reshape(high, wide, 1)))
        library.textures.append(Texture(vfs.Node(name), picture))
    return library
