# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a map's pak: the list of what an export adds, replaces and removes."""
