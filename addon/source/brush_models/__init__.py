# SPDX-License-Identifier: GPL-3.0-or-later
"""The models of a map: objects of the world and of brush entities, and back where brush entities got another shape.

Apart from `faces`, since these give the models their objects, and know of the entities that have them.
"""
