# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels, menus and tools, and operators as all games have them."""
