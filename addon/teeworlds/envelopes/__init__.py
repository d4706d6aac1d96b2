# SPDX-License-Identifier: GPL-3.0-or-later
"""Envelopes: actions that NLA strips play."""
