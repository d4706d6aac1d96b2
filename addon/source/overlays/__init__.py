# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays and decals: quads on the faces that they are painted on, with the light of these."""
