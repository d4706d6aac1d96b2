# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials of faces and props."""
