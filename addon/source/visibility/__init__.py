# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen from where: clusters, area portals and occluders, for show; nothing collects them."""
