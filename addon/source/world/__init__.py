# SPDX-License-Identifier: GPL-3.0-or-later
"""The world of a map that was edited, by its brushes or by their faces, back into the compiled map."""
