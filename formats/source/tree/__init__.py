# SPDX-License-Identifier: GPL-3.0-or-later
"""The BSP tree: which leafs places are in, the brushes that fill space, and what is seen from a place."""
