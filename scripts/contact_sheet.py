# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw all models below a folder on one picture, as imports show them: `.mdl` of Source, `.model` of NS2; or materials.

What is in the picture belongs to whoever made the models: it is for looking at, and no part of the repository.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np

from scripts import extension

extension.load()

from levelwright.addon.ns2.entities.props import Props  # noqa: E402
from levelwright.addon.ns2.materials.build import Materials as Ns2Materials  # noqa: E402
from levelwright.addon.ns2.settings import ImportSettings as Ns2Settings  # noqa: E402
from levelwright.addon.scene.reports import Report  # noqa: E402
from levelwright.addon.source.materials.build import Materials  # noqa: E402
from levelwright.addon.source.materials.textures import Textures  # noqa: E402
from levelwright.addon.source.props.models import Models  # noqa: E402
from levelwright.addon.source.settings import ImportSettings  # noqa: E402
from levelwright.formats.reach import AllowedFolders  # noqa: E402
from levelwright.formats.source.content import mdl  # noqa: E402
from levelwright.formats.source.content.search_path import Folder, SearchPath  # noqa: E402

Mesh = bpy.types.Mesh
CELL, MARGIN, LABEL = 1.0, 0.08, 0.05
"""Of a model on the sheet: its cell's side, what is left free around it, and its name's height."""
TURN = math.radians(25)
"""How models are turned from their front."""
SAMPLES = 24
TOKEN = 1


def root_of(file: Path, name: str) -> tuple[Path, str]:
    """The folder that holds the folder `name` a file is in, and the file's path from there."""
    at = max(number for number, part in enumerate(file.parts) if part.lower() == name)
    return Path(*file.parts[:at]), "/".join(file.parts[at:])


def source_models(files: list[Path], report: Report, all_skins: bool) -> Iterator[tuple[str, Mesh]]:
    """The meshes of `.mdl`, with their names."""
    for root in sorted({root_of(file, "models")[0] for file in files}):
        content = SearchPath([Folder(root)])
        collection = bpy.data.collections.new(root.name)
        materials = Materials(collection, TOKEN, Textures(content, report, TOKEN), {}, {})
        shared = SimpleNamespace(content=content, materials=materials, report=report, settings=ImportSettings())
        models: Any = Models(shared)  # type: ignore[arg-type]
        for path in sorted(path for top, path in (root_of(one, "models") for one in files) if top == root):
            first = models.of(path)
            if first is None:
                continue
            read = mdl.load(path.lower(), content.read)
            for skin in range(max(len(read.skins), 1) if all_skins and read is not None else 1):
                yield f"{Path(path).stem} {skin}" if skin else Path(path).stem, models.of(path, skin)


def ns2_models(files: list[Path], report: Report, _: bool) -> Iterator[tuple[str, Mesh]]:
    """The meshes of `.model`, with their names."""
    for root in sorted({root_of(file, "models")[0] for file in files}):
        reach = AllowedFolders([root, *(one for one in sorted(root.parent.iterdir()) if one.is_dir())])
        shared = SimpleNamespace(content=reach, find=reach.find, report=report, settings=Ns2Settings())
        props = Props(shared, Ns2Materials(shared))  # type: ignore[arg-type]
        for path in sorted(path for top, path in (root_of(one, "models") for one in files) if top == root):
            mesh = props.model(path)
            if props.is_found(path):
                yield Path(path).stem, mesh


def source_materials(files: list[Path], report: Report, _: bool) -> Iterator[tuple[str, Mesh]]:
    """A square of each `.vmt`."""
    for file in files:
        root, path = root_of(file, "materials")
        made = Materials(
            bpy.data.collections.new(root.name), TOKEN, Textures(SearchPath([Folder(root)]), report, TOKEN), {}, {}
        )
        yield (
            file.stem,
            square(made.of(path.removeprefix("materials/").removeprefix("Materials/").removesuffix(".vmt"))),
        )


def ns2_materials(files: list[Path], report: Report, _: bool) -> Iterator[tuple[str, Mesh]]:
    """A square of each `.material`."""
    for file in files:
        folder = next((part for part in ("materials", "models", "cinematics") if part in file.parts), "")
        root, path = root_of(file, folder) if folder else (file.parent, file.name)
        reach = AllowedFolders([root, *(one for one in sorted(root.parent.iterdir()) if one.is_dir())])
        shared = SimpleNamespace(content=reach, find=reach.find, report=report, settings=Ns2Settings())
        yield file.stem, square(Ns2Materials(shared).get(path))  # type: ignore[arg-type]


def square(material: bpy.types.Material) -> Mesh:
    """A square that looks along +x, as models do."""
    mesh = bpy.data.meshes.new("square")
    mesh.from_pydata([(0, -1, -1), (0, 1, -1), (0, 1, 1), (0, -1, 1)], [], [(0, 1, 2, 3)])
    layer = mesh.uv_layers.new(name="UVMap")
    layer.data.foreach_set("uv", [0, 0, 1, 0, 1, 1, 0, 1])
    mesh.materials.append(material)
    return mesh


KINDS = {".mdl": source_models, ".model": ns2_models}
MATERIALS = {".vmt": source_materials, ".material": ns2_materials}


def place(mesh: Mesh, name: str, column: int, row: int) -> None:
    """Put a model into its cell, with its name below it: as large as fits, seen from the front."""
    points = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.attributes["position"].data.foreach_get("vector", points)
    points = np.nan_to_num(points.reshape(-1, 3))
    sine, cosine = math.sin(TURN - math.pi / 2), math.cos(TURN - math.pi / 2)
    turned = np.stack(
        [points[:, 0] * cosine - points[:, 1] * sine, points[:, 0] * sine + points[:, 1] * cosine, points[:, 2]], axis=1
    )
    low, high = (turned.min(axis=0), turned.max(axis=0)) if len(points) else (np.zeros(3), np.ones(3))
    size = float(np.linalg.norm(high - low)) or 1.0
    scale = (CELL - 2 * MARGIN) / max(float((high - low)[[0, 2]].max()), size * 0.6)
    middle = (low + high) / 2
    obj = bpy.data.objects.new(name, mesh)
    obj.rotation_euler = (0, 0, TURN - math.pi / 2)
    obj.scale = (scale,) * 3
    x, z = column * CELL, -row * CELL
    obj.location = (x - middle[0] * scale, -middle[1] * scale, z - middle[2] * scale)
    bpy.context.scene.collection.objects.link(obj)
    text = bpy.data.curves.new(name, "FONT")
    text.body, text.size, text.align_x = name[:26], LABEL, "CENTER"
    label = bpy.data.objects.new(name, text)
    label.location, label.rotation_euler = (x, -2.0, z - CELL * 0.47), (math.pi / 2, 0, 0)
    bpy.context.scene.collection.objects.link(label)


def light() -> None:
    """A sun from above, and a grey sky."""
    scene = bpy.context.scene
    sun = bpy.data.lights.new("Sun", "SUN")
    sun.energy = 3.0
    holder = bpy.data.objects.new("Sun", sun)
    holder.rotation_euler = (math.radians(45), math.radians(15), 0)
    scene.collection.objects.link(holder)
    scene.world = bpy.data.worlds.new("World")
    if bpy.app.version < (5, 0):
        scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.35, 0.35, 0.38, 1)
    scene.view_settings.view_transform = "Standard"


def render(columns: int, rows: int, out: Path, pixels: int) -> None:
    """Draw the sheet."""
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("Camera")
    camera.type, camera.ortho_scale = "ORTHO", max(columns, rows) * CELL
    camera.clip_end = 100.0
    holder = scene.camera = bpy.data.objects.new("Camera", camera)
    scene.collection.objects.link(holder)
    holder.location = ((columns - 1) / 2 * CELL, -20.0, -(rows - 1) / 2 * CELL)
    holder.rotation_euler = (math.pi / 2, 0, 0)
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = SAMPLES, False
    scene.render.resolution_x, scene.render.resolution_y = columns * pixels, rows * pixels
    scene.render.filepath = str(out.absolute())
    bpy.ops.render.render(write_still=True)


def main() -> int:
    """Find, draw, and say what is missing."""
    parser = argparse.ArgumentParser(prog="scripts/contact-sheet", description="Draws all models below a folder.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--columns", type=int, default=6)
    parser.add_argument("--pixels", type=int, default=220, help="of a model's cell")
    parser.add_argument("--skins", action="store_true", help="each skin of each model")
    parser.add_argument("--materials", action="store_true", help="materials, and not models")
    parser.add_argument("--only", default="", help="those with this in their path")
    options = parser.parse_args()
    report = Report()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    light()
    shown = []
    for ending, kind in (MATERIALS if options.materials else KINDS).items():
        found = sorted(one for one in options.folder.absolute().rglob(f"*{ending}") if options.only in str(one))
        needed = {".mdl": "models", ".model": "models", ".vmt": "materials"}.get(ending, "")
        shown += list(
            kind([one for one in found if not needed or needed in map(str.lower, one.parts)], report, options.skins)
        )
    columns = max(min(options.columns, len(shown)), 1)
    for number, (name, mesh) in enumerate(shown):
        place(mesh, name, number % columns, number // columns)
    render(columns, -(-len(shown) // columns) or 1, options.out, options.pixels)
    print(f"{len(shown)} models on {options.out}")
    for message in (*report.warnings, *report.notes):
        print(f"  {message}")
    for kind, names in report.missing_names.items():
        print(f"  {len(names)} {kind} are missing")
    return 0


if __name__ == "__main__":
    extension.run(main)
