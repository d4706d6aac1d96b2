# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled levels (`.bsp`, genesis.md §4): what the game loads.

level = genesis.read(data)                  # a CompiledLevel, where the bytes say so
level.table(ChunkId.FACES)                  # records as numpy arrays; `set_table` puts changed ones back
level.entities                              # as those of a `.map`, with the motions of world models
geometry.of_compiled(level)                 # what is drawn, as arrays
lighting.blocks(level)                      # where lightmaps lie
pictures.read(level, 0)                     # a texture, as RGBA
pictures.library(level, txl.Library())      # all of them into a texture library
decompile.to_map(level)                     # brushes again: a `.map`
"""

from .level import Chunk, CompiledLevel
from .records import ChunkId

__all__ = ["Chunk", "ChunkId", "CompiledLevel"]
