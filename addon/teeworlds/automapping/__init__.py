# SPDX-License-Identifier: GPL-3.0-or-later
"""Automappers: the rules that an image has, and what they draw on layers."""
