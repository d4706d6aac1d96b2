# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes of models (.mdl, .vvd, .vtx), built by hand: nothing of formats is imported here."""

import struct

CHECKSUM = 0x1234ABCD

Vertex = tuple[float, ...]
"""Position, normal and texture coordinates: eight numbers."""


def mdl(
    parts: list[list[list[tuple[int, int, int]]]],
    textures: tuple[str, ...] = ("crate",),
    folders: tuple[str, ...] = ("models\\props\\",),
    skins: tuple[tuple[int, ...], ...] = ((0,),),
    version: int = 48,
    flags: int = 0x10,
    hull: tuple[float, ...] = (-8, -8, 0, 8, 8, 16),
) -> bytes:
    """parts[body part][model]: its meshes as (column of the skins, first vertex, vertices); vertices are counted on
    from model to model.
    """
    head = 240
    body = bytearray()

    def here() -> int:
        return head + len(body)

    textures_at = here()
    names = b"".join(name.encode() + b"\0" for name in textures)
    place = 64 * len(textures)
    for number, name in enumerate(textures):
        body += struct.pack("<3i52x", place - 64 * number, 0, 0)
        place += len(name) + 1
    body += names
    folder_texts = here()
    body += b"".join(name.encode() + b"\0" for name in folders)
    folders_at = here()
    for name in folders:
        body += struct.pack("<i", folder_texts)
        folder_texts += len(name) + 1
    skins_at = here()
    body += b"".join(struct.pack(f"<{len(row)}h", *row) for row in skins)
    parts_at = here()
    models_at = parts_at + 16 * len(parts)
    meshes_at = models_at + 148 * sum(len(models) for models in parts)
    model_bytes = mesh_bytes = b""
    vertex = 0
    for number, models in enumerate(parts):
        at = models_at + len(model_bytes)
        body += struct.pack("<4i", 0, len(models), 1, at - (parts_at + 16 * number))
        for meshes in models:
            here_model = models_at + len(model_bytes)
            count = sum(mesh[2] for mesh in meshes)
            offset = meshes_at + len(mesh_bytes) - here_model
            model_bytes += b"body".ljust(64, b"\0") + struct.pack("<if", 0, 9.0)
            model_bytes += struct.pack("<4i60x", len(meshes), offset, count, vertex * 48)
            vertex += count
            for column, first, size in meshes:
                mesh_bytes += struct.pack("<4i100x", column, 0, size, first)
    body += model_bytes + mesh_bytes
    header = b"IDST" + struct.pack("<ii", version, CHECKSUM) + b"props/crate.mdl".ljust(64, b"\0")
    header += struct.pack("<i", head + len(body)) + struct.pack("<18f", *[0.0] * 6, *hull, *[0.0] * 6)
    header += struct.pack("<i48x", flags)
    header += struct.pack("<9i", len(textures), textures_at, len(folders), folders_at, *skin_counts(skins), skins_at,
                          len(parts), parts_at)  # fmt: skip
    return header + bytes(body)


def skin_counts(skins: tuple[tuple[int, ...], ...]) -> tuple[int, int]:
    return (len(skins[0]) if skins else 0), len(skins)


def vvd(vertices: list[Vertex], fixups: tuple[tuple[int, int, int], ...] = (), checksum: int = CHECKSUM) -> bytes:
    """vertices: as they stand in the file. fixups: level of detail, first vertex, how many."""
    start = 64 + 12 * len(fixups)
    head = b"IDSV" + struct.pack("<3i", 4, checksum, 1) + struct.pack("<8i", *[len(vertices)] * 8)
    head += struct.pack("<4i", len(fixups), 64, start, start + 48 * len(vertices))
    head += b"".join(struct.pack("<3i", *fixup) for fixup in fixups)
    return head + b"".join(struct.pack("<3f3BB8f", 1, 0, 0, 0, 0, 0, 1, *vertex) for vertex in vertices)


Strip = tuple[int, list[int]]
"""Flags (1 triangles, 2 a strip), and the indices of a group's vertices."""
Group = tuple[list[int], list[Strip]]
"""Which vertices of the mesh the group has, and its strips."""


Parts = list[list[list[list[Group]]]]
"""[body part][model][mesh]: its groups."""


def vtx(
    parts: Parts,
    topology: bool = False,
    checksum: int = CHECKSUM,
    coarser: list[Parts] | None = None,
    renamed: dict[int, str] | None = None,
) -> bytes:
    """topology: with the 8 bytes more that newer games have. coarser: the same of further levels of detail. renamed:
    materials that these have in place of others.
    """
    levels = [parts, *(coarser or [])]
    blob = bytearray(struct.pack("<iiHHiiiiii", 7, 24, 53, 9, 3, checksum, len(levels), 0, len(parts), 36))
    blob += bytes(8 * len(parts))
    for part_number, models in enumerate(parts):
        part_at = 36 + 8 * part_number
        models_at = len(blob)
        struct.pack_into("<2i", blob, part_at, len(models), models_at - part_at)
        blob += bytes(8 * len(models))
        for model_number in range(len(models)):
            model_at = models_at + 8 * model_number
            lods_at = len(blob)
            struct.pack_into("<2i", blob, model_at, len(levels), lods_at - model_at)
            blob += bytes(12 * len(levels))
            for number, level in enumerate(levels):
                meshes = level[part_number][model_number]
                lod_at = lods_at + 12 * number
                struct.pack_into("<2if", blob, lod_at, len(meshes), len(blob) - lod_at, 10.0 * number)
                _meshes(blob, meshes, 8 if topology else 0)
    if renamed:
        at = len(blob)
        struct.pack_into("<i", blob, 24, at)
        entries_at = at + 8 * len(levels)
        names = entries_at + 6 * len(renamed)
        for number in range(len(levels)):
            blob += struct.pack("<2i", len(renamed) if number else 0, entries_at - (at + 8 * number))
        for number, (material, name) in enumerate(renamed.items()):
            blob += struct.pack("<hi", material, names - (entries_at + 6 * number))
            names += len(name) + 1
        blob += b"".join(name.encode() + b"\0" for name in renamed.values())
    elif coarser:  # without these the list may be left out
        struct.pack_into("<i", blob, 24, len(blob))
        blob += bytes(8 * len(levels))
    return bytes(blob)


def _meshes(blob: bytearray, meshes: list[list[Group]], more: int) -> None:
    """Append the meshes of a level of detail. more: bytes that groups and strips have behind them."""
    meshes_at = len(blob)
    blob += bytes(9 * len(meshes))
    for mesh_number, groups in enumerate(meshes):
        mesh_at = meshes_at + 9 * mesh_number
        groups_at = len(blob)
        struct.pack_into("<2iB", blob, mesh_at, len(groups), groups_at - mesh_at, 0)
        blob += bytes((25 + more) * len(groups))
        for group_number, (vertices, strips) in enumerate(groups):
            group_at = groups_at + (25 + more) * group_number
            vertices_at = len(blob)
            blob += b"".join(struct.pack("<3BBH3b", 0, 0, 0, 1, number, 0, 0, 0) for number in vertices)
            indices = [index for _, strip in strips for index in strip]
            indices_at = len(blob)
            blob += struct.pack(f"<{len(indices)}H", *indices)
            strips_at = len(blob)
            first = 0
            for flags, strip in strips:
                blob += struct.pack("<4ihBii", len(strip), first, len(vertices), 0, 1, flags, 0, 0) + bytes(more)
                first += len(strip)
            places = (len(vertices), vertices_at - group_at, len(indices), indices_at - group_at,
                      len(strips), strips_at - group_at)  # fmt: skip
            struct.pack_into("<6iB", blob, group_at, *places, 2)


def vtx_of_lists(meshes: int, vertices: int, indices: bytes) -> bytes:
    """The triangles of so many meshes, each of so many vertices, whose indices are the same: one list a mesh."""
    head = struct.pack("<iiHHiiiiii", 7, 24, 53, 9, 3, CHECKSUM, 1, 0, 1, 36)
    head += struct.pack("<4i", 1, 8, 1, 8) + struct.pack("<2if", meshes, 12, 0.0)
    count = len(indices) // 2
    listed = b"".join(struct.pack("<3BBH3b", 0, 0, 0, 1, number, 0, 0, 0) for number in range(vertices)) + indices
    strip = struct.pack("<4ihBii", count, 0, vertices, 0, 1, 1, 0, 0)
    places = (vertices, 25, count, 25 + 9 * vertices, 1, 25 + len(listed))
    group = struct.pack("<6iB", *places, 2) + listed + strip
    records = (struct.pack("<2iB", 1, 9 * meshes + number * (len(group) - 9), 0) for number in range(meshes))
    return head + b"".join(records) + group * meshes


Color = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""


def vhv(meshes: list[tuple[int, list[Color]]], checksum: int = CHECKSUM, streams: int = 1, version: int = 2) -> bytes:
    """The light of a prop: of each strip group its level of detail, and a colour of each vertex. streams: 3 as since
    CS:GO, colours for three directions each, one behind the other.
    """
    counts = [len(colors) // streams for _, colors in meshes]
    flags = 4 if streams == 1 else 2
    head = struct.pack("<iIIIIi16x", version, checksum, flags, 4 * streams, sum(counts), len(meshes))
    at = -(-(len(head) + 28 * len(meshes)) // 512) * 512  # where a sector begins
    data = b""
    for (level, colors), count in zip(meshes, counts, strict=True):
        head += struct.pack("<3I16x", level, count, at + len(data))
        data += b"".join(struct.pack("4B", blue, green, red, 255) for red, green, blue in colors)
    whole = head.ljust(at, b"\0") + data
    return whole.ljust(-(-len(whole) // 512) * 512, b"\0")


QUAD: list[Vertex] = [
    (0, 0, 0, 0, 0, 1, 0, 0),
    (0, 16, 0, 0, 0, 1, 0, 1),
    (16, 16, 0, 0, 0, 1, 1, 1),
    (16, 0, 0, 0, 0, 1, 1, 0),
]


def quad(topology: bool = False) -> dict[str, bytes]:
    """A model of one square: the three files by their endings."""
    return {
        ".mdl": mdl([[[(0, 0, 4)]]]),
        ".vvd": vvd(QUAD),
        ".dx90.vtx": vtx([[[[([0, 1, 2, 3], [(1, [0, 1, 2, 0, 2, 3])])]]]], topology),
    }


TROIKA_HEAD, TROIKA_MODEL, TROIKA_MESH = 328, 224, 60


def troika(form: int, vertices: bytes, count: int, low: Vertex = (0, 0, 0), step: Vertex = (1, 1, 1)) -> bytes:
    """A model of Bloodlines (2531) of one mesh, with its vertices: bytes of one of its forms. It is a static prop."""
    at = TROIKA_HEAD
    texture = struct.pack("<5i", 20, 0, 0, 0, 0) + b"crate\0"
    folder_at = at + len(texture)
    folder = b"models\\props\\\0"
    folders_at = folder_at + len(folder)
    skins_at = folders_at + 4
    part_at = skins_at + 2
    model_at = part_at + 16
    mesh_at = model_at + TROIKA_MODEL
    vertices_at = mesh_at + TROIKA_MESH
    body = texture + folder + struct.pack("<i", folder_at) + struct.pack("<h", 0)
    body += struct.pack("<4i", 0, 1, 1, 16)
    body += b"body".ljust(128, b"\0") + struct.pack("<if", 0, 9.0)
    body += struct.pack("<6i", 1, TROIKA_MODEL, count, vertices_at - model_at, 0, form)
    body += struct.pack("<6f", *low, *step) + bytes(40)
    body += struct.pack("<4i", 0, 0, count, 0) + bytes(TROIKA_MESH - 16)
    header = b"IDST" + struct.pack("<ii", 2531, CHECKSUM) + b"props/crate.mdl".ljust(128, b"\0")
    header += struct.pack("<i", at + len(body) + len(vertices))
    header += struct.pack("<3f", 0.5, 0.5, 0.5) + struct.pack("<18f", *[0.0] * 6, -8, -8, 0, 8, 8, 16, *[0.0] * 6)
    header += struct.pack("<i", 0x10) + bytes(8 + 52)
    header += struct.pack("<9i", 1, at, 1, folders_at, 1, 1, skins_at, 1, part_at)
    return header + body + vertices


def troika_vtx(triangles: list[int], count: int, plain: bool = False) -> bytes:
    """The triangles of such a model, in its two kinds of groups. plain: of vertices that are but numbers."""
    head = struct.pack("<iiHHiiiiii", 107, 24, 16, 9, 3, CHECKSUM, 1, 0, 1, 36)
    lists = struct.pack("<2i", 1, 8) + struct.pack("<2i", 1, 8) + struct.pack("<2if", 1, 12, 0.0)
    lists += struct.pack("<HBBi", 1, 0, 0, 8)
    numbers = range(count)
    vertices = b"".join(struct.pack("<H", n) if plain else struct.pack("<10xH", n) for n in numbers)
    places = (20, 20 + len(vertices), 20 + len(vertices) + 2 * len(triangles))
    lists += struct.pack("<3HBB3i", count, len(triangles), 1, 0x12 if plain else 0x0A, 0, *places)
    lists += vertices + struct.pack(f"<{len(triangles)}H", *triangles)
    return head + lists + struct.pack("<4HBBHi", len(triangles), 0, count, 0, 1, 1, 0, 0)
