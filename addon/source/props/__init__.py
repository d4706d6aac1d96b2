# SPDX-License-Identifier: GPL-3.0-or-later
"""Static props and detail props: instances of the meshes of models."""
