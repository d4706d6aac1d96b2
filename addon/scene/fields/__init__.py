# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of dataclasses as properties: custom ones of what a level has, those of operators, and options in dialogs."""
