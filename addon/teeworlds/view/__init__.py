# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at a map as the game does; nothing here is exported."""
