# SPDX-License-Identifier: GPL-3.0-or-later
"""The stamp tool: tiles put into layers with the mouse."""
