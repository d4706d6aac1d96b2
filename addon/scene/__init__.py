# SPDX-License-Identifier: GPL-3.0-or-later
"""The bridge between records and Blender that all games share: nothing here knows a game, or parses a game's bytes.

interface    panels, menus, tools and operators as all games have them
issues       the lists of what there is to tell of a level
view         what a scene and its windows show of a level
geometry     arrays to meshes and back, where objects are, and what they look like
fates        which edits reach a file, which are told, which problems an export may not bring in
disk         writing files all or nothing, and where content is
fields       a dataclass's fields as custom properties, and as options in dialogs
kept         the imported bytes, what the import made of them, and which record is which
media        images, materials, sounds, actions
work         work that is done step by step, and how far it is
"""
