# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of edits: what can be edited, what reaches no file and is told, and which problems are refused."""
