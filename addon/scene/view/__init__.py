# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene and its windows show of a level, and from where."""
