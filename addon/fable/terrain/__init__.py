# SPDX-License-Identifier: GPL-3.0-or-later
"""The height cells as a mesh, with its themes as weight layers; its material, and what is drawn over it."""
