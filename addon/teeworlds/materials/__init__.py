# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials that draw as the game does."""
