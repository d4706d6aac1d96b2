# SPDX-License-Identifier: GPL-3.0-or-later
"""The bridge between records and Blender that all games share: nothing here knows a game, or parses a game's bytes.

reports, files              what an import or export says, and writing a file all or nothing
progress, stoppable         work that is done step by step, how far it is, and operators that Esc stops
originals, baselines        the imported bytes, and what the import made of them, kept in the .blend
identity                    which record an object or a mesh element is
transforms, evaluated       where things are, and what they look like with modifiers, wherever they are hidden
meshes, attributes          arrays to meshes and back
properties                  a dataclass's fields as custom properties
images, materials
animation                   actions, keys, NLA strips and drivers, the same in Blender 4.2 to 5.2
"""
