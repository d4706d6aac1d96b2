# SPDX-License-Identifier: GPL-3.0-or-later
"""The world of a compiled map, changed without a compiler (source.md §4)."""
