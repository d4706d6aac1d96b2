# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of solids in the scene, compared with what the import made."""
