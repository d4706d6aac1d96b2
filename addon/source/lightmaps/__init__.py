# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked light: images of one layout, painted or baked anew, and back.

Apart from `lights`: what shines and what is lit are built from different lumps, and go back in steps of their own.
"""
