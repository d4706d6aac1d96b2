# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities: objects with their keys as custom properties, and what they show: lights, ropes, ladders, sounds."""
