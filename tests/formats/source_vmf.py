"""What tests compare maps with: displacements and boxes as editors wrote them to VMF files."""

import numpy as np

from formats.source.content import keyvalues


def written(path):
    """The displacements of a VMF: start, vertices a side, and the field [n, 3] that its rows give."""
    whole = keyvalues.parse(path.read_bytes())
    revision = int(whole.block("versioninfo").get("mapversion"))
    found = []
    for kind, entity in whole.blocks():
        solids = entity.blocks() if kind in ("world", "entity") else ()
        sides = (side for name, solid in solids if name == "solid" for _, side in solid.blocks())
        for info in (side.block("dispinfo") for side in sides if side.block("dispinfo")):
            edge = 2 ** int(info.get("power")) + 1
            start = np.array(info.get("startposition").strip("[]").split(), np.float64)

            def numbers(name, parts, info=info, edge=edge):
                lines = [info.block(name).get(f"row{i}") for i in range(edge)]
                return np.array(" ".join(lines).split(), np.float64).reshape(edge * edge, parts)

            field = numbers("normals", 3) * numbers("distances", 1) + numbers("offsets", 3)
            found.append((start, edge, field, numbers("alphas", 1)[:, 0]))
    return revision, found


def written_solids(path):
    """The revision of a VMF, and the solids of its world that are boxes: float[6] each, low and high."""
    whole = keyvalues.parse(path.read_bytes())
    boxes = []
    for name, solid in whole.block("world").blocks():
        sides = [side for kind, side in solid.blocks() if kind == "side"] if name == "solid" else []
        if not sides or any(side.block("dispinfo") for side in sides):
            continue
        points = np.array(
            [side.get("plane").translate(str.maketrans("()", "  ")).split() for side in sides], np.float64
        )
        points = points.reshape(-1, 3, 3)
        normals = np.cross(points[:, 2] - points[:, 0], points[:, 1] - points[:, 0])
        normals /= np.sqrt((normals**2).sum(axis=1))[:, None]
        dists = (points[:, 0] * normals).sum(axis=1)
        # Of a box, the planes across each axis say where it ends.
        axis = np.abs(normals).argmax(axis=1)
        if len(sides) != 6 or np.abs(normals).max(axis=1).min() < 1 - 1e-9:
            continue
        low, high = np.zeros(3), np.zeros(3)
        for side in range(6):
            sign = normals[side, axis[side]]
            (high if sign > 0 else low)[axis[side]] = dists[side] * sign
        boxes.append([*low, *high])
    return int(whole.block("versioninfo").get("mapversion")), boxes
