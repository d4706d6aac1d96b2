# SPDX-License-Identifier: GPL-3.0-or-later
"""What cuts and hollows of a `.3dt` leave, for show only."""
