# SPDX-License-Identifier: GPL-3.0-or-later
"""What the keys of entities mean: the classes, the game's headers that declare them, and values as properties."""
