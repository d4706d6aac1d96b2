# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of operators that mend what findings are about: Blender's own, with the faces at fault selected."""

from __future__ import annotations

TRIANGULATE = "mesh.quads_convert_to_tris"
"""For faces that aren't flat."""
JOIN_TRIANGLES = "mesh.tris_convert_to_quads"
"""For faces that have to have four corners."""
TURN_OUTWARD = "mesh.normals_make_consistent"
"""For solids whose faces point inwards."""
FLIP = "mesh.flip_normals"
"""For faces that were turned over."""
REMOVE_FLAT = "mesh.dissolve_degenerate"
"""For faces and edges of no size."""
