# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups and layers: which a level has, in which order, where they are in the scene, and what layers share."""
