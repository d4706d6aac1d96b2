# SPDX-License-Identifier: GPL-3.0-or-later
"""What is placed on faces and between them, and how it is turned: overlays, decals, props, ropes."""
