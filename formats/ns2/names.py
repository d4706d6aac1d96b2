# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of groups and layers that mean something to the game, and those that look as if they should (ns2.md §10)."""

from difflib import get_close_matches

#: name of a group: what the game does with what is in it
GROUPS = {
    "CommanderInvisible": "hidden from commanders",
    "CommanderInvisibleVents": "hidden from commanders, as vents are",
    "CommanderInvisibleNonCollision": "hidden from commanders, stops nothing",
    "CommanderNoBuild": "commanders can't build on it",
    "CommanderBuild": "commanders can build on it",
    "CollisionGeometry": "stops players and shots, can't be seen",
    "MovementCollisionGeometry": "stops players, can't be seen",
    "InvisibleGeometry": "can't be seen",
    "NonCollisionGeometry": "stops nothing",
    "OcclusionGeometry": "hides what is behind it from being drawn, can't be seen itself",
    "Low Lights": "lights of the low setting",
    "OverviewInvisible": "not on the minimap",
    "SeasonalFall": "there in fall alone",
    "SeasonalFallExclude": "not there in fall",
    "SeasonalFallCommanderInvisible": "there in fall alone, hidden from commanders",
    "SeasonalFallNonCollisionGeometry": "there in fall alone, stops nothing",
    "SeasonalWinter": "there in winter alone",
    "SeasonalWinterExclude": "not there in winter",
    "SeasonalWinterCommanderInvisible": "there in winter alone, hidden from commanders",
    "SeasonalWinterNonCollisionGeometry": "there in winter alone, stops nothing",
}

#: name of a layer: what it is for
LAYERS = {
    "Pathing": "the navigation mesh is made from it",
    "Vents": "vents",
    "ReflectionsInvisible": "reflection probes don't see it",
}


def meant(name: str, kind: str) -> str | None:
    """The name that was probably meant by one of a "group" or "layer" that means nothing; None for any other name.

    Spelling counts to the letter: "CollisionGeometry " with a blank does nothing.
    """
    table = GROUPS if kind == "group" else LAYERS
    if name in table:
        return None
    plain = {_plain(known): known for known in table}
    # Long names only: "vent" or "path" are words of their own.
    close = get_close_matches(_plain(name), [each for each in plain if len(each) > 8], 1, 0.93)
    return plain.get(_plain(name)) or (plain[close[0]] if close else None)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
