# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of what there is to tell of a level: findings, how these are shown, and what mends them."""
