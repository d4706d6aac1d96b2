# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound layers: a speaker a source."""
