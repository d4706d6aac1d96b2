# SPDX-License-Identifier: GPL-3.0-or-later
"""The motions of compiled levels (genesis.md §4.3): text, a line for each model that moves and its motion behind it."""

import re

from ...binary import FormatError
from .. import motion_file
from ..entities import MODEL_KEY, Entity
from ..motion import Motion

_HEAD = re.compile(rb"Genesis_Motion_File v1\.0\r?\nNumMotions (\d+)\r?\n", re.IGNORECASE)
_MODEL = re.compile(rb"ModelNum (\d+)\r?\n", re.IGNORECASE)


def read(data: bytes) -> list[tuple[int, Motion]]:
    """The motions and the numbers of their models. Raises FormatError."""
    if not data.strip(b"\0"):
        return []
    head = _HEAD.match(data)
    if head is None:
        raise FormatError(f"begins with {data[:32]!r}", "motions", 0)
    offset, made = head.end(), []
    count = int(head[1][:9])
    for _ in range(count):
        line = _MODEL.match(data, offset)
        if line is None:
            raise FormatError(f"{data[offset : offset + 32]!r} stands where ModelNum should", "motions", offset)
        motion, offset = motion_file.read(data, line.end())
        made.append((int(line[1][:9]), motion))
    return made


def moving(entities: list[Entity]) -> list[tuple[int, Motion]]:
    """The models that move, by their numbers."""
    found = []
    for entity in entities:
        number = entity.get(MODEL_KEY) or ""
        if entity.motion is not None and number.isdecimal():
            found.append((int(number), entity.motion))
    return sorted(found, key=lambda one: one[0])


def said(entities: list[Entity]) -> list[bytes | None]:
    """What the motions of entities say, to compare; None for entities without. Raises FormatError."""
    return [None if entity.motion is None else motion_file.write(entity.motion) for entity in entities]


def write(entities: list[Entity]) -> bytes:
    """The bytes of the motions that entities have. Raises FormatError."""
    found = moving(entities)
    parts = [b"Genesis_Motion_File v1.0\r\nNumMotions %d\r\n" % len(found)]
    for number, motion in found:
        parts += (b"ModelNum %d\r\n" % number, motion_file.write(motion))
    return b"".join(parts)
