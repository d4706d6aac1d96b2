# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures and materials."""
