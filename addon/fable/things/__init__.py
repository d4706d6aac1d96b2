# SPDX-License-Identifier: GPL-3.0-or-later
"""What the `.tng` beside a level holds, as empties."""
