# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions as bytes, text or binary: a `.map` and a `.3dt` have text, and the engine accepts either anywhere."""

from ..binary import Buffer, FormatError
from . import motion_binary, motion_text
from .motion import Motion


def read(data: Buffer, offset: int = 0) -> tuple[Motion, int]:
    """Read the motion that begins at `offset`, text or binary; returns it and the offset of its end.

    Lines may end in LF (`.map`) or CR LF (`.3dt` on Windows). Raises FormatError.
    """
    raw = bytes(data)
    tag = raw[offset : offset + 4]
    if tag == motion_text.TAG:
        motion, end = motion_text.read(raw, offset)
    elif tag == motion_binary.TAG:
        motion, end = motion_binary.read(raw, offset)
    else:
        raise FormatError(f"starts with {tag!r}, neither MOTN nor MTNB", "motion", offset)
    motion.source = raw[offset:end]
    return motion, end


def write(motion: Motion) -> bytes:
    """Return a motion's bytes: those it was read from if it still says the same. Raises FormatError."""
    if motion.source is None:
        return _render(motion)
    was = read(motion.source)[0]
    if was.said() == motion.said():  # also where the writer's own rules (of long lines, say) would refuse it
        return motion.source
    made = _render(motion)
    try:
        return motion.source if _render(was) == made else made
    except FormatError:
        return made


def _render(motion: Motion) -> bytes:
    if motion.names is not None and len(motion.names) != len(motion.paths):
        raise FormatError(f"{len(motion.paths)} paths with {len(motion.names)} names", "motion")
    return motion_binary.render(motion) if motion.binary else motion_text.render(motion)
