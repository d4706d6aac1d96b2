# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level keeps in the .blend: the imported bytes, what the import made of them, which record each thing is."""
