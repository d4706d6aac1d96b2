"""Maps of the Source engine in Blender: `layout` says what lives where."""
