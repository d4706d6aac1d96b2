# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a level is there in a scene, which record each part of it is, and where it stands."""
