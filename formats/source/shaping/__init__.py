# SPDX-License-Identifier: GPL-3.0-or-later
"""From shapes to edits of the world: brushes that were drawn, and faces that were moved, as `world.WorldEdits`.

`Looks` gives sides their texinfos, `drawn` takes solids, `face_moves` the faces of brushes;
`convex_pieces` finds what the faces of a brush entity enclose.
"""
