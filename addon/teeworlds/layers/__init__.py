# SPDX-License-Identifier: GPL-3.0-or-later
"""What tile, quad and sound layers share."""
