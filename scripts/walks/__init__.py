# SPDX-License-Identifier: GPL-3.0-or-later
"""The walks of scripts/walk: a function a path, whose docstring says what is walked."""
