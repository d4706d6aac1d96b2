# SPDX-License-Identifier: GPL-3.0-or-later
"""Where creatures can walk: leaves, doors and action points."""
