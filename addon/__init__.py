"""The Blender side of Levelwright: typed records to scenes and back. It never parses bytes."""


def register() -> None:
    """Tell Blender about the extension's classes, menus and commands."""


def unregister() -> None:
    """Undo `register`, in the opposite order."""
