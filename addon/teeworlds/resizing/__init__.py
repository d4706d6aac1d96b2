# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps made larger and smaller, with all that is in them kept in place."""
