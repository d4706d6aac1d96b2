# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials of a map: one for each image, clip rectangle and kind of use, shared by all layers that look alike.

A layer's colour is its object's colour, an envelope's the property ENVELOPE_COLOR on the object: materials don't depend
on either. See `shading` for how they come to look as in the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy

from ....formats.teeworlds.tile_faces import TILE_FIELDS, UV_TILE
from ...scene.blender_types import Socket
from ...scene.kept import identity, originals
from ...scene.media.materials import blended, shader
from ...scene.names import showable
from .. import layout
from . import physics, shading
from .shading import Picture, ShaderTree


@dataclass(frozen=True)
class Clip:
    """The clip rectangle of a group, as materials use it."""

    empty: bpy.types.Object
    """Its x and y from -1 to 1 are the rectangle."""
    always: bool
    """Whether it clips also when the switch is off (see `shading.clip`)."""


class Materials:
    """Makes each material of one map when it is first asked for. pictures: by image record, None for none. token: the
    level's, None for those that an import doesn't make.
    """

    def __init__(self, name: str, pictures: list[Picture | None], token: int | None = None) -> None:
        self.name = name
        self.pictures = pictures
        self.token = token
        self._made: dict[tuple[str, str, str, bool], bpy.types.Material] = {}

    @classmethod
    def of_level(cls, level: bpy.types.Collection) -> Materials:
        """Those of a level that is in the scene, with the images that it holds now."""
        held = originals.resources(level, layout.IMAGE)
        pictures: list[Picture | None] = [None] * (max(held, default=-1) + 1)
        for record, image in held.items():
            if isinstance(image, bpy.types.Image):
                pictures[record] = Picture(image, *image.size)
        return cls(level.name, pictures)

    def picture(self, record: int) -> Picture | None:
        """The image of this record; None for none (-1, or beyond the last)."""
        return self.pictures[record] if 0 <= record < len(self.pictures) else None

    def tiles(self, image: int, clip: Clip | None = None, envelope: bool = False) -> bpy.types.Material:
        """For meshes of a quad a tile; flat colour without an image.

        envelope: the objects carry ENVELOPE_COLOR.
        """
        picture = self.picture(image)

        def fill(tree: ShaderTree) -> dict[str, Socket]:
            cell = tree.group(shading.index(), **_tile(tree, _values(tree, "TILES")))
            return _tileset(tree, picture, cell["UV"]) | _tint(tree) | {"Visible": cell["Visible"]}

        return self._material("tiles", picture, clip, envelope, fill)

    def quads(self, image: int, clip: Clip | None = None, envelope: bool = False) -> bpy.types.Material:
        """For meshes of quads: repeated image x corner colours (attribute COLOR); flat colours without an image.

        envelope: the objects carry ENVELOPE_COLOR.
        """
        picture = self.picture(image)

        def fill(tree: ShaderTree) -> dict[str, Socket]:
            color = tree.add("ShaderNodeAttribute", attribute_name=layout.COLOR).outputs
            return _repeated(tree, picture, _uv(tree)) | {"Tint": color["Color"], "Tint_Alpha": color["Alpha"]}

        return self._material("quads", picture, clip, envelope, fill)

    def plane(
        self,
        kind: str,
        image: int,
        fields: list[bpy.types.Image],
        size: tuple[int, int],
        clip: Clip | None = None,
        envelope: bool = False,
    ) -> bpy.types.Material:
        """For a plane that shows a layer from its index images, repeating the tiles of its edges beyond it.

        kind: name of the TileKind. fields: images as TILE_FIELDS describes them. size: the layer's, in tiles. The
        object's origin is the layer's top left corner.
        """
        picture = physics.picture(kind) if kind != "TILES" else self.picture(image)

        def fill(tree: ShaderTree) -> dict[str, Socket]:
            place = tree.add("ShaderNodeTexCoord").outputs["Object"]
            at = tree.vector("MULTIPLY_ADD", place, (1 / size[0], 1 / size[1], 0), (0, 1, 0))
            values: dict[str, Socket] = {}
            for field_image, channels in zip(fields, TILE_FIELDS[kind].images, strict=False):
                node = tree.put(
                    "ShaderNodeTexImage", at, image=field_image, interpolation="Closest", extension="EXTEND"
                )
                for (name, shift), channel in zip(channels, tree.split(node.outputs["Color"]), strict=False):
                    byte = tree.math("MULTIPLY", channel, 255.0 * (1 << shift))
                    values[name] = tree.math("ADD", values[name], byte) if name in values else byte
            cell = tree.group(
                shading.index(),
                Index=values["index"],
                Flags=values.get("flags"),
                Place=place,
            )
            if kind == "TILES":
                parts = _tileset(tree, picture, cell["UV"]) | _tint(tree)
            else:
                parts = physics.shade(tree, kind, cell["UV"], place, values)
            return parts | {"Visible": cell["Visible"]}

        name = f"{self.name}: {fields[0].name}"
        return self._material(name, picture, clip, envelope, fill)

    def physics(self, kind: str) -> bpy.types.Material:
        """For the meshes of a kind of physics layer (name of the TileKind)."""
        picture = physics.picture(kind)

        def fill(tree: ShaderTree) -> dict[str, Socket]:
            values = _values(tree, kind)
            tile = _tile(tree, values)
            cell = tree.group(shading.index(), **tile)
            values["index"] = tile["Index"]
            place = tree.add("ShaderNodeTexCoord").outputs["Object"]
            return physics.shade(tree, kind, cell["UV"], place, values, tile["Place"]) | {"Visible": cell["Visible"]}

        return self._material(kind, picture, None, False, fill)

    def _material(
        self,
        use: str,
        picture: Picture | None,
        clip: Clip | None,
        envelope: bool,
        fill: Callable[[ShaderTree], dict[str, Socket]],
    ) -> bpy.types.Material:
        """The material for this use; `fill` adds its nodes and returns the inputs of the surface group."""
        key = (use, picture.image.name if picture else "", clip.empty.name if clip else "", envelope)
        material = self._made.get(key)
        if material is None:
            name = f"{self.name}: {picture.image.name if picture else 'colour'} {use}"
            title = f"{name}, {clip.empty.name}" if clip else name
            material = self._made[key] = bpy.data.materials.new(showable(title))
            if self.token is not None:
                identity.stamp(material, self.token, layout.MATERIAL, len(self._made) - 1)
            _fill(material, clip, envelope, fill)
        return material


def _fill(
    material: bpy.types.Material, clip: Clip | None, envelope: bool, fill: Callable[[ShaderTree], dict[str, Socket]]
) -> None:
    tree = ShaderTree(shader(material).tree)
    parts = fill(tree)
    if envelope:
        factor = tree.add("ShaderNodeAttribute", attribute_type="OBJECT", attribute_name=layout.ENVELOPE_COLOR).outputs
        parts |= {"Envelope": factor["Color"], "Envelope_Alpha": factor["Alpha"]}
    if clip is not None:
        place = tree.add("ShaderNodeTexCoord", object=clip.empty).outputs["Object"]
        inside = tree.group(shading.clip(), Place=place, Always=float(clip.always))[0]
        parts["Visible"] = tree.math("MULTIPLY", parts["Visible"], inside) if "Visible" in parts else inside
    tree.put("ShaderNodeOutputMaterial", tree.group(shading.surface(), **parts)[0])
    blended(material)


def _uv(tree: ShaderTree) -> Socket:
    return tree.put("ShaderNodeUVMap", uv_map=layout.UV).outputs[0]


def _values(tree: ShaderTree, kind: str) -> dict[str, Socket]:
    """The attributes of a face of a layer of this kind."""
    names = TILE_FIELDS[kind].attributes
    return {name: tree.add("ShaderNodeAttribute", attribute_name=name).outputs["Fac"] for name in names}


def _tile(tree: ShaderTree, values: dict[str, Socket]) -> dict[str, Socket]:
    """What a face with these attributes shows, as inputs of the group `shading.index`."""
    shown = tree.group(
        shading.tile(),
        Index=values["index"],
        Flags=values.get("flags"),
        Angle=values.get("angle"),
        UV_Tile=tree.add("ShaderNodeAttribute", attribute_name=UV_TILE).outputs["Fac"],
        UV=_uv(tree),
        Place=tree.add("ShaderNodeTexCoord").outputs["Object"],
        Upright=float(not {"flags", "angle"} & values.keys()),
    )
    return {name: shown[name] for name in ("Index", "Flags", "Place")}


def _tileset(tree: ShaderTree, picture: Picture | None, uv: Socket) -> dict[str, Socket]:
    if picture is None:
        return {}
    color, alpha = shading.tileset(tree, picture, uv)
    return {"Texture": color, "Texture_Alpha": alpha}


def _repeated(tree: ShaderTree, picture: Picture | None, uv: Socket) -> dict[str, Socket]:
    if picture is None:
        return {}
    node = tree.put("ShaderNodeTexImage", uv, image=picture.image, interpolation="Linear", extension="REPEAT")
    tree.tree.nodes.active = node
    return {"Texture": node.outputs["Color"], "Texture_Alpha": node.outputs["Alpha"]}


def _tint(tree: ShaderTree) -> dict[str, Socket]:
    """The object's colour: a layer's."""
    color = tree.add("ShaderNodeObjectInfo").outputs
    return {"Tint": color["Color"], "Tint_Alpha": color["Alpha"]}
