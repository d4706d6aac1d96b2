# SPDX-License-Identifier: GPL-3.0-or-later
"""New static props."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import bpy

from ....formats.source.sections.static_props import model_name
from ...scene.fields import declared, properties
from ...scene.geometry import transforms
from ...scene.kept import identity
from ...scene.names import showable
from ...scene.reports import Report, SceneError
from .. import layout
from ..adding.open_map import importing_into
from ..adding.operators import AddAtCursor, known
from ..collecting.scene_level import at_fault
from ..context import ImportContext
from . import build as props
from . import models
from .boxes import box

_HALF = 16.0
_USUAL = {"fade_min_dist": -1.0, "lightmap_res_x": 32, "lightmap_res_y": 32}
"""What compilers write into new static props, where it isn't what `PropProperties` has."""


def add_static_prop(
    context: bpy.types.Context, level: bpy.types.Collection, model: str, place: Sequence[float], report: Report
) -> bpy.types.Object:
    """Add a static prop of a model, as compilers make them. place: units, below the root. Raises SceneError."""
    importing = importing_into(context, level, report)
    with at_fault():
        lump = importing.level.static_props
        if lump is None or lump.props is None:
            raise SceneError(f"{level.name}: the map has no static props that more could be added to")
        if not models.is_model(model):
            raise ValueError(f"{model!r} isn't a model's path, as models/props/crate.mdl is")
        model_name(model)
        fields = lump.props.dtype.names or ()
        usual = {name: value for name, value in _USUAL.items() if name in fields}
        values = props.properties_of(fields)(model=model, **usual)
    title = PurePosixPath(models.normal(model)).stem
    obj = bpy.data.objects.new(
        showable(f"Prop {title}"), _mesh(importing, model) or box(title, [-_HALF] * 3, [_HALF] * 3)
    )
    obj.parent = importing.root
    identity.stamp(obj, importing.token, layout.STATIC_PROP, -1)
    obj.location = place
    properties.write(obj, values)
    transforms.remember(obj)
    importing.group(props.HOME).objects.link(obj)
    return obj


def _mesh(importing: ImportContext, model: str) -> bpy.types.Mesh | None:
    """The mesh of a model: one that the map has already, or that its file gives; None where there is none."""
    for mesh in list(bpy.data.meshes):
        if mesh.get(layout.MODEL_PATH) == models.normal(model) and not mesh.get(layout.SKIN):
            return mesh
    return models.Models(importing).of(model)


def _models(_: object, context: bpy.types.Context, text: str) -> list[str]:
    """The models of the map's static props."""
    return known(context, layout.STATIC_PROP, "model", text)


class AddStaticProp(AddAtCursor):
    """Add a static prop to the Source map at the 3D cursor"""

    bl_idname = "levelwright.source_add_static_prop"
    bl_label = "Add Static Prop"
    add = staticmethod(add_static_prop)

    what: str = declared.string(
        name="Model",
        description="Path of the model's file: models/props/crate.mdl",
        search=_models,
    )
