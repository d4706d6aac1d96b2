# SPDX-License-Identifier: GPL-3.0-or-later
"""A Source game's content, for showing its levels: textures (VTF), materials (VMT), archives (VPK), and where they lie.

Nothing here is part of a `.bsp`; what lies in a level's pakfile is found through `search_path` as the engine does.

Why not a library: the extension may need only what Blender ships. srctools and sourcepp read all this well, but are
native code that has to be built for each Python of each Blender on three systems (sourcepp's wheels want glibc 2.34);
with numpy a reader of what levels need is small. The tests hold it against sourcepp.
"""
