# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays to meshes and back, where objects are, and what they look like with all that is laid over them."""
