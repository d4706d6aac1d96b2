# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes damaged maps as VMF."""

from formats.binary import FormatError
from formats.source import read
from formats.source.content import keyvalues
from formats.source.vmf import of_level, write
from tests.formats import source_edits_fuzz, source_fuzz
from tests.fuzz.driver import Fuzzer


def mutation(seed: int) -> bytes:
    """The same damaged map for the same seed: of the room, and of the maps that the reader is tried with."""
    return source_edits_fuzz.mutation(seed)[0] if seed % 2 else source_fuzz.mutation(seed)


def decode(data: bytes) -> bool:
    """Whether the map can be written; its text can be read again, then."""
    try:
        made = write(of_level(read(data)))
    except FormatError:
        return False
    whole = keyvalues.parse(made.data)
    if "nan" in made.data.decode("latin-1").lower().split():
        raise AssertionError("a number is none")
    return whole.block("world") is not None


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=decode,
    whole=(source_edits_fuzz.ROOM,),
    thorough=range(300, 500),
)
