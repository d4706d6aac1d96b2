# SPDX-License-Identifier: GPL-3.0-or-later
"""Point entities: keys and values as custom properties, and back."""
