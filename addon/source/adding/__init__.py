# SPDX-License-Identifier: GPL-3.0-or-later
"""What all operators are made of that add a thing to a map that is open."""
