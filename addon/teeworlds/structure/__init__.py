# SPDX-License-Identifier: GPL-3.0-or-later
"""Which groups and layers a level has, and in which order."""
