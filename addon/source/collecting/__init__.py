# SPDX-License-Identifier: GPL-3.0-or-later
"""What all things are collected with: the objects of a level, by what they stand for, and where they were put."""
