# SPDX-License-Identifier: GPL-3.0-or-later
"""The sky around a map, and the 3D skybox: both are for show only, so nothing collects them."""
