# SPDX-License-Identifier: GPL-3.0-or-later
"""The Spark editor's clipboard."""
