# SPDX-License-Identifier: GPL-3.0-or-later
"""Levelwright: open game levels as Blender scenes, and write edited scenes back to the games' own formats."""

from .addon import register, unregister

__all__ = ["register", "unregister"]
