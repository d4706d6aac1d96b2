# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that takes long: in steps, told how far it is, and done once until the scene changes."""
