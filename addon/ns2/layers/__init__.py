# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers and groups of a level: ordered lists, a collection for what is in each, and what of them is visible."""
