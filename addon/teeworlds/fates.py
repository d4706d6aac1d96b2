# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of an edit of each thing that a map's scene shows."""

from __future__ import annotations

from ..scene import identity
from ..scene.ledger import WRITTEN, Fates, aside, follows, read_only
from . import layout

ALL = {"name": aside("x"), "data": aside("x"), "display size": aside("x"), "*": WRITTEN}
FATES: Fates = {kind: ALL for kind in (identity.LEVEL, layout.GROUP, layout.CLIP, layout.LAYER, layout.PHYSICS, layout.QUAD, layout.SOURCE, layout.IMAGE, layout.ENVELOPE, layout.SOUND, layout.SETTINGS, "material")}
