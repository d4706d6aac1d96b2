# SPDX-License-Identifier: GPL-3.0-or-later
"""The world and the brush models: meshes of the faces of each model (source.md §2.4), or of its brushes' sides."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Ints
from ....formats.binary import FormatError
from ....formats.source import LumpId, lump_name
from ....formats.source.entities.entity_values import by_key
from ....formats.source.faces import side_faces
from ....formats.source.tree import leaf_tree
from ...scene.geometry import transforms
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from ..entities import build as entities
from ..faces import sides
from ..faces.build import RenderedFaces, prepare_sides
from ..lightmaps.build import Lightmaps


def build_meshes(
    importing: ImportContext, faces: RenderedFaces, lightmaps: Lightmaps | None
) -> Steps[list[tuple[str, str, bpy.types.Mesh]]]:
    """Make the meshes of all models: those of brush models go to `importing.meshes`, those of the world are returned
    with the names of their objects and their collections. Raises FormatError for faces that aren't there.
    """
    models = importing.level.table(LumpId.MODELS)
    first, counts = models["firstface"].astype(np.int64), models["numfaces"].astype(np.int64)
    bad = (first < 0) | (counts < 0) | (first + counts > len(faces.records))
    if bad.any():
        record = int(bad.argmax())
        raise FormatError(f"model {record} has faces that aren't there", lump_name(LumpId.MODELS))
    digits = len(str(len(models)))
    prepared, part_of = _sides(importing, lightmaps)
    made: list[tuple[str, str, bpy.types.Mesh]] = []
    tools = {kind for kind, name in enumerate(layout.KINDS) if name in layout.HIDDEN}
    with progress(len(models), "brush models") as step:
        for number, (start, count) in enumerate(zip(first.tolist(), counts.tolist(), strict=True)):
            numbers = start + np.flatnonzero(faces.drawable[start : start + count])
            if number == 0:
                made = yield from _world(importing, faces, numbers)
            else:
                name = f"{importing.collection.name} *{number:0{digits}}"
                if prepared is not None and number in part_of:
                    importing.meshes[number] = prepared.mesh(name, part_of[number])
                    importing.triggers.add(number)
                    importing.report.count("brush models without faces, shown by their brushes")
                else:
                    importing.meshes[number] = faces.mesh(name, numbers)
                    if len(numbers) and tools.issuperset(np.unique(faces.kinds[numbers]).tolist()):
                        importing.triggers.add(number)
                    importing.report.count("faces", len(numbers))
            yield step()
    left_out = int((faces.records["dispinfo"][~faces.drawable] < 0).sum())
    if left_out:
        importing.report.left_out("faces with less than three corners", left_out)
    return made


def _sides(importing: ImportContext, lightmaps: Lightmaps | None) -> tuple[RenderedFaces | None, dict[int, Ints]]:
    """The sides that stand in for the faces of models without any, and which of them each model has."""
    try:
        found = side_faces.of_level(importing.level)
        prepared = None if found is None else prepare_sides(importing, lightmaps, found)
    except FormatError as error:
        importing.report.warn(f"brush models without faces are empty meshes: {error}")
        return None, {}
    if found is None or prepared is None:
        return None, {}
    sides.remember(importing.collection, found)
    models, first = np.unique(found.models, return_index=True)
    parts = np.split(np.arange(len(found.models)), first[1:])
    return prepared, dict(zip(models.tolist(), parts, strict=True))


def _world(
    importing: ImportContext, faces: RenderedFaces, numbers: Ints
) -> Steps[list[tuple[str, str, bpy.types.Mesh]]]:
    made = []
    kinds = faces.kinds[numbers]
    for kind, home in enumerate(layout.KINDS):
        alike = numbers[kinds == kind]
        for title, part in _parts(importing, faces, home, alike):
            if len(part):
                yield from faces.materials(part)
                made.append((title, home, faces.mesh(f"{importing.collection.name} {title}", part)))
                importing.report.count("faces", len(part))
    return made


def _parts(importing: ImportContext, faces: RenderedFaces, home: str, numbers: Ints) -> list[tuple[str, Ints]]:
    """Faces int64[n] as the option "split" has them: what each part is called, and its faces."""
    if importing.settings.split == "material":
        names = faces.names[numbers]
        return [(_short(faces, name), numbers[names == name]) for name in np.unique(names).tolist()]
    if importing.settings.split == "cluster":
        clusters = leaf_tree.first_clusters(importing.level, len(faces.records))[numbers]
        digits = len(str(int(clusters.max(initial=0))))
        return [
            (
                f"{home} cluster {cluster:0{digits}}" if cluster >= 0 else f"{home} no cluster",
                numbers[clusters == cluster],
            )
            for cluster in np.unique(clusters).tolist()
        ]
    return [(home, numbers)]


def _short(faces: RenderedFaces, name: int) -> str:
    return faces.texture_names[name] if name >= 0 else "no material"


def place_world(importing: ImportContext, made: list[tuple[str, str, bpy.types.Mesh]]) -> None:
    """Make the objects of the world's meshes."""
    for title, home, mesh in made:
        place = importing.group(layout.WORLD) if home == layout.WORLD else importing.group(home, layout.WORLD)
        importing.object_of(title, layout.MODEL, 0, mesh, (place,))


def place_rest(importing: ImportContext) -> Steps[None]:
    """Make plain objects of the brush models that no entity's object shows, where their entities are."""
    rest = [number for number, mesh in sorted(importing.meshes.items()) if not mesh.users]
    if not rest:
        return
    try:
        holders = {entity.model: entity for entity in reversed(importing.level.entities) if entity.model}
    except FormatError as error:
        importing.report.warn(f"brush models lie at 0, since the entities can't be read: {error}")
        holders = {}
    digits = len(str(max(rest)))
    for number in rest:
        entity = holders.get(number)
        title = (entity.targetname or entity.classname) if entity is not None else "model"
        obj = importing.object_of(
            f"*{number:0{digits}} {title}",
            layout.MODEL,
            number,
            importing.meshes[number],
            (importing.brush_home(number),),
        )
        if entity is not None and entity.origin is not None:
            obj.location = entity.origin
        if entity is not None:
            obj.rotation_euler = entities.rotation_of(by_key(entity), obj.data, True)
        transforms.remember_new(obj)
        yield
    importing.report.count("brush models", len(rest))
