# SPDX-License-Identifier: GPL-3.0-or-later
"""Lumps and game lumps that are more than one table of records, each as what it means: what `Level` decodes."""
