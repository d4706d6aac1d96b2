# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities: the text of their lump, what their values say, and which classes are nothing without a brush model."""
