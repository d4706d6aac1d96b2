# SPDX-License-Identifier: GPL-3.0-or-later
"""The light of compiled levels, as images and at corners."""
