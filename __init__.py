"""Levelwright: open game levels as Blender scenes, and write edited scenes back to the games' own formats."""

from .addon import register, unregister

__all__ = ["register", "unregister"]
