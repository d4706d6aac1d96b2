# SPDX-License-Identifier: GPL-3.0-or-later
"""NS2 levels in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""
