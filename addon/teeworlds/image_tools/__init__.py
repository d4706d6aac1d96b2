# SPDX-License-Identifier: GPL-3.0-or-later
"""Images added, replaced, embedded and removed by hand, and which layer shows which."""
