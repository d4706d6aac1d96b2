# SPDX-License-Identifier: GPL-3.0-or-later
"""Lumps as tables: the records of each, which of them a lump holds (`layouts`), which rows they name (`references`).

`geometry`, `tree`, `displacements`, `lights`, `overlays` and `props` have the records; `fields` takes apart what holds
several things in one word.
"""
