# SPDX-License-Identifier: GPL-3.0-or-later
"""Where overlays and decals lie: quads on the faces that they are painted on (source.md §2.7)."""

import numpy as np

from ...arrays import Floats, Ints, Records, Singles


@np.errstate(all="ignore")  # hostile floats
def bases(overlays: Records) -> tuple[Floats, Floats]:
    """The directions U and V of overlays, float64[n, 3] each. U is stored in the corners' third numbers, or (Strata's
    version 3) by itself; V follows from it and the normal, turned where the overlay says so.
    """
    names = overlays.dtype.names or ()
    normal = overlays["basis_normal"].astype(np.float64)
    if "basis_u" in names:
        u = overlays["basis_u"].astype(np.float64)
        flipped = overlays["flags"] & 1 != 0
    else:
        u = overlays["uv_points"][:, :3, 2].astype(np.float64)
        flipped = overlays["uv_points"][:, 3, 2] == 1
    v = np.cross(normal, u)
    v[flipped] *= -1
    return u, v


@np.errstate(all="ignore")  # hostile floats
def corners(overlays: Records) -> Floats:
    """float64[n, 4, 3]: the corners of overlays, in the order of their handles."""
    u, v = bases(overlays)
    points = overlays["uv_points"][:, :, :2].astype(np.float64)
    offset = points[:, :, :1] * u[:, None] + points[:, :, 1:] * v[:, None]
    return np.asarray(overlays["origin"].astype(np.float64)[:, None] + offset)


def texture_corners(overlays: Records) -> Singles:
    """float32[n, 4, 2]: u and v (down) at the corners: (U0, V0), (U0, V1), (U1, V1), (U1, V0)."""
    u, v = overlays["u"], overlays["v"]
    across = u[:, [0, 0, 1, 1]]
    down = v[:, [0, 1, 1, 0]]
    return np.asarray(np.stack([across, down], axis=2), np.float32)


@np.errstate(all="ignore")  # hostile floats
def decal_quads(
    origins: Floats, normals: Floats, points: Floats, sizes: Floats, angles: Floats | None = None
) -> Floats:
    """float64[n, 4, 3]: quads of decals on faces, from lower left counter-clockwise seen from the front.

    origins: of the entities. normals, points: of the plane of the face that each is projected on, and a point of it.
    sizes: width and height in units (the texture's texels by `$decalscale`). On walls, their upper side is up; on
    floors and ceilings it points to +y. angles: degrees about the normal, counter-clockwise.
    """
    height = np.einsum("ni,ni->n", origins - points, normals)
    middle = origins - normals * height[:, None]
    level = np.abs(normals[:, 2]) > np.sqrt(0.5)
    up = np.where(level[:, None], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    up = up - normals * np.einsum("ni,ni->n", up, normals)[:, None]
    up /= np.sqrt((up * up).sum(axis=1))[:, None]
    right = np.cross(up, normals)
    if angles is not None:
        turn = np.radians(angles)[:, None]
        up, right = up * np.cos(turn) - right * np.sin(turn), right * np.cos(turn) + up * np.sin(turn)
    right, up = right * sizes[:, :1] / 2, up * sizes[:, 1:] / 2
    return np.stack([middle - right - up, middle + right - up, middle + right + up, middle - right + up], axis=1)


@np.errstate(all="ignore")  # hostile floats
def nearest_faces(
    origins: Floats, normals: Floats, first_points: Floats, mins: Floats, maxs: Floats, reach: float = 16.0
) -> Ints:
    """The face that each decal is on: the one whose plane is nearest, of those whose box comes within `reach` units;
    -1 for none. normals, first_points, mins, maxs: float64[faces, 3].
    """
    found = np.full(len(origins), -1, np.int64)
    low, high = (np.ascontiguousarray(corners.T) for corners in (mins - reach, maxs + reach))
    for number, (x, y, z) in enumerate(origins.tolist()):
        near = (low[0] <= x) & (high[0] >= x)
        near &= (low[1] <= y) & (high[1] >= y)
        near &= (low[2] <= z) & (high[2] >= z)
        faces = np.flatnonzero(near)
        off = np.abs(((origins[number] - first_points[faces]) * normals[faces]).sum(axis=1))
        off[~(off <= reach)] = np.inf
        if len(faces) and np.isfinite(off.min()):
            found[number] = faces[off.argmin()]
    return found
