# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps of the Source engine in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""
