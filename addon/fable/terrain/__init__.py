# SPDX-License-Identifier: GPL-3.0-or-later
"""The height cells as a mesh, with their themes as weight layers; its material, and the overlays."""
