# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen and heard, and how it moves: images, materials, previews, sounds, actions."""
