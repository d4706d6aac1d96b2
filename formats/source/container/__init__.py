# SPDX-License-Identifier: GPL-3.0-or-later
"""The file and what is packed in it: spans, game lumps, the pak, compression, encryption; bytes, not what they mean."""
