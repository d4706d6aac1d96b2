# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and folders: what users choose, what is written, all of it or nothing, content of games, and their programs."""
