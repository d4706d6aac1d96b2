# SPDX-License-Identifier: GPL-3.0-or-later
"""geVFile's virtual file system, VF00: files and directories in one file (genesis.md §3).

Texture libraries and actors are such files. In CF00, Reality Factory's form, each byte of the files (not of the
directory) is combined with one mask by exclusive or.
"""

import struct
from dataclasses import dataclass, field

from ..binary import Buffer, Cursor, FormatError

MAGIC, MASKED_MAGIC, DIRECTORY_MAGIC = b"VF00", b"CF00", b"DT01"
READ_ONLY, DIRECTORY = 1, 2  # attributes
MAX_DEPTH = 32

_HEADER = struct.Struct("<4sHHiiii")
_END = 0xFFFFFFFF  # of a list of entries


@dataclass(slots=True, eq=False)
class Node:
    """A file (`data`) or a directory (`children`)."""

    name: str  # Latin-1
    data: bytes = b""
    children: list["Node"] = field(default_factory=list)
    attributes: int = 0  # READ_ONLY, DIRECTORY
    times: tuple[int, int] = (0, 0)  # the engine's own stamp
    hint: bytes = b""
    first_word: int = 0
    offset: int = 0  # where its data stood in the file; new ones come last
    size: int | None = None  # of a directory, whatever it says

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory."""
        return bool(self.attributes & DIRECTORY)


@dataclass(slots=True, eq=False)
class FileSystem:
    """A VF00 file. `mask` is not 0 in CF00 files."""

    root: Node = field(default_factory=lambda: Node("", attributes=DIRECTORY))
    mask: int = 0
    padding: int = 0  # two bytes of the header that hold whatever lay in the writer's memory
    source: bytes | None = field(default=None, repr=False)

    def remove(self, node: Node) -> None:
        """Remove a file from the directory that it is in."""
        _remove(self.root, node)


def identify(data: Buffer) -> bool:
    """Whether these bytes are such a file: its magic and version 0."""
    head = bytes(data[:6])
    return head[:4] in (MAGIC, MASKED_MAGIC) and head[4:] == b"\0\0"


def read(data: Buffer, known_start: bytes = b"") -> FileSystem:
    """Read a file system whole. Raises FormatError.

    `known_start`: what files in it begin with, which gives a CF00's mask away.
    """
    raw = bytes(data)
    cursor = Cursor(raw)
    magic, version, padding, dispersed, directory, _, _ = _HEADER.unpack(cursor.take(_HEADER.size, "header"))
    if magic not in (MAGIC, MASKED_MAGIC) or version or dispersed:
        raise FormatError(f"magic {magic!r}, version {version}, dispersed {dispersed}: no VF00 file", "header", 0)
    if not _HEADER.size <= directory <= len(raw):
        raise FormatError(f"the directory is at {directory} of {len(raw)} bytes", "header", 12)
    cursor = Cursor(raw, directory)
    if bytes(cursor.take(4, "directory")) != DIRECTORY_MAGIC:
        raise FormatError("does not begin with DT01", "directory", directory)
    cursor.skip(4, "directory")
    roots = _read_list(cursor, raw, 0)
    if len(roots) != 1 or not roots[0].is_directory:
        raise FormatError(f"has {len(roots)} roots, or a root that is not a directory", "directory", directory)
    files = walk(roots[0])
    if sum(node.size or 0 for node in files) > len(raw):
        raise FormatError("has files that share bytes", "directory", directory)
    for node in files:
        node.data, node.size = raw[node.offset : node.offset + (node.size or 0)], None
    system = FileSystem(roots[0], 0, padding, raw)
    if magic == MASKED_MAGIC:
        files = [node for node in files if node.data]
        system.mask = _find_mask(files, known_start)
        for node in files:
            node.data = _masked(node.data, system.mask)
    return system


def _read_list(cursor: Cursor, raw: bytes, depth: int) -> list[Node]:
    if depth > MAX_DEPTH:
        raise cursor.error(f"directories are more than {MAX_DEPTH} deep", "directory")
    nodes = []
    while (word := cursor.u32("directory")) != _END:
        length = cursor.i32("name of an entry")
        name = bytes(cursor.take(length, "name of an entry")).split(b"\0")[0].decode("latin-1")
        node = Node(name, first_word=word, times=(cursor.u32(name), cursor.u32(name)), attributes=cursor.u32(name))
        size, node.offset = cursor.i32(name), cursor.i32(name)
        node.hint = bytes(cursor.take(cursor.i32(name), f"hint of {name}"))
        node.size = size
        if not node.is_directory and not (size >= 0 and 0 <= node.offset <= len(raw) - size):
            raise cursor.error(f"{size} bytes at {node.offset} are not in the {len(raw)} there are", name)
        node.children = _read_list(cursor, raw, depth + 1)
        if node.children and not node.is_directory:
            raise cursor.error("has entries in it, but is not a directory", name)
        nodes.append(node)
    return nodes


def _find_mask(files: list[Node], known_start: bytes) -> int:
    """The mask with which most files begin as known; 0 if none does."""
    masks = []
    for node in files:
        mask = node.data[0] ^ known_start[0] if known_start else 0
        if _masked(node.data[: len(known_start)], mask) == known_start:
            masks.append(mask)
    return max(set(masks), key=masks.count) if masks else 0


def _masked(data: bytes, mask: int) -> bytes:
    return data.translate(bytes(byte ^ mask for byte in range(256))) if mask else data


def walk(node: Node) -> list[Node]:
    """All files in a directory and in those in it, in the directory's order."""
    found = []
    for child in node.children:
        found += walk(child) if child.is_directory else [child]
    return found


def _remove(directory: Node, node: Node) -> None:
    directory.children = [child for child in directory.children if child is not node]
    for child in directory.children:
        _remove(child, node)


def write(system: FileSystem) -> bytes:
    """Return the bytes: those that were read, if it still says the same; else files back to back in their old order."""
    if system.source is not None and _same(system, system.source):
        return system.source
    files = walk(system.root)
    parts, end = [], _HEADER.size
    offsets: dict[int, int] = {}
    for node in sorted(files, key=lambda node: node.offset or len(system.source or b"") + 1):
        offsets[id(node)] = end
        parts.append(_masked(node.data, system.mask))
        end += len(node.data)
    entries = _list_bytes([system.root], offsets)
    size = 8 + len(entries)
    magic = MASKED_MAGIC if system.mask else MAGIC
    header = _HEADER.pack(magic, 0, system.padding, 0, end, end, end + size)
    return b"".join([header, *parts, DIRECTORY_MAGIC, struct.pack("<i", size), entries])


def _same(system: FileSystem, source: bytes) -> bool:
    was = read(source)
    was.mask = system.mask
    for node in walk(was.root):
        node.data = _masked(node.data, system.mask)
    return _flat(system.root) == _flat(was.root)


def _flat(node: Node) -> tuple[object, ...]:
    """All that a node says, to compare."""
    head = (node.name, node.data, node.attributes, node.times, node.hint, node.first_word, node.offset, node.size)
    return (*head, *map(_flat, node.children))


def _list_bytes(nodes: list[Node], offsets: dict[int, int]) -> bytes:
    parts = []
    for node in nodes:
        try:
            name = node.name.encode("latin-1") + b"\0"
        except UnicodeEncodeError:
            raise FormatError(f"{node.name!r} is not Latin-1 text", "name of an entry") from None
        size = (node.size or 0) if node.is_directory else len(node.data)
        offset = node.offset if node.is_directory else offsets[id(node)]
        parts += [struct.pack("<Ii", node.first_word, len(name)), name]
        parts += [struct.pack("<IIIiii", *node.times, node.attributes, size, offset, len(node.hint)), node.hint]
        parts.append(_list_bytes(node.children, offsets))
    parts.append(struct.pack("<I", _END))
    return b"".join(parts)
