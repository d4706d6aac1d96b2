# SPDX-License-Identifier: GPL-3.0-or-later
"""What is placed in a level: lights, sounds, props, spawns, ..."""
