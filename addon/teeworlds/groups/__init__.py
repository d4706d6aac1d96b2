# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups: a collection and a root empty each."""
