# SPDX-License-Identifier: GPL-3.0-or-later
"""Who made a map, and its server settings."""
