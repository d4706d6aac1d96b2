# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves, made by hand: quads of their own, envelopes made, shared, listed and removed."""
