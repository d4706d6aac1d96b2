# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes: convex solids as mesh objects, and back."""
