# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level says of itself."""
