# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of a `.3dt`: collections, for the editor only."""
