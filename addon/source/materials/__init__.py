# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials: of files of materials and textures, or placeholders; and back to the map's textures."""
