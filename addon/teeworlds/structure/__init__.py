# SPDX-License-Identifier: GPL-3.0-or-later
"""Which groups and layers a level has, where they are in the scene, and in which order."""
