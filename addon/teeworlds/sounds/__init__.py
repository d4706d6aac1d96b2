# SPDX-License-Identifier: GPL-3.0-or-later
"""Sounds, and the speakers of sound layers."""
