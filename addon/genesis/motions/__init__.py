# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of world models as actions, and back."""
