# SPDX-License-Identifier: GPL-3.0-or-later
"""The sounds of a map, and the sound layers: a speaker a source."""
