# SPDX-License-Identifier: GPL-3.0-or-later
"""The images of a map."""
