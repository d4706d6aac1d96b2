# SPDX-License-Identifier: GPL-3.0-or-later
"""A level in memory laid out in the scene by the importer's own parts, with stand-ins for images and materials."""

from types import SimpleNamespace

import bpy
from levelwright.addon.scene import identity, transforms
from levelwright.addon.scene.reports import Report
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.context import ImportContext
from levelwright.addon.teeworlds.envelopes import build as envelopes
from levelwright.addon.teeworlds.envelopes.collect import EnvelopeTable
from levelwright.addon.teeworlds.layers.collect import SceneLayer
from levelwright.addon.teeworlds.layers.placement import LayerPlacement
from levelwright.addon.teeworlds.quads import build as quads
from levelwright.addon.teeworlds.sounds import build as sounds
from levelwright.addon.teeworlds.sounds.collect import SoundTable
from levelwright.addon.teeworlds.sources import build as sources
from levelwright.formats import teeworlds

FPS = 25.0


class PlainMaterials:
    def quads(self, image, clip=None, envelope=False):
        name = f"quads {image} {envelope}"
        return bpy.data.materials.get(name) or bpy.data.materials.new(name)


class GameScene:
    """`level`: as it was read. `layers`: the objects of its quad and sound layers."""

    def __init__(self, layers, listed=(), resources=()):
        level = teeworlds.new_level()
        level.envelopes += listed
        level.sounds += resources
        level.groups[0].layers += layers
        self.data = teeworlds.write(level)
        self.level = teeworlds.read(self.data)
        self.token = identity.new_token()
        self.report = Report()
        self.collection = bpy.data.collections.new("map")
        root = bpy.data.objects.new("map", None)
        self.root = bpy.data.objects.new("group", None)
        self.root.parent = root
        self.root.location = (3.25, -7.5, 0)
        for obj in (root, self.root):
            self.collection.objects.link(obj)
        identity.stamp(root, self.token, layout.ROOT, 0)
        group = SimpleNamespace(collection=self.collection, root=self.root, clip=None)
        importing = ImportContext(self.collection, root, self.token, self.report)
        played = envelopes.build(self.level, importing, FPS)
        held = sounds.build(self.level, importing)
        self.layers = []
        for number, _, order, layer in layout.numbered_layers(self.level):
            placement = LayerPlacement(importing, number, order, group, PlainMaterials(), played)
            if isinstance(layer, teeworlds.QuadLayer):
                self.layers.append(quads.build(layer, placement))
            elif isinstance(layer, teeworlds.SoundLayer):
                self.layers.append(sources.build(layer, placement, held))
        bpy.context.scene.collection.children.link(self.collection)
        bpy.context.view_layer.update()

    def reopened(self, path):
        """Save, close, open: Blender's data are others then."""
        names = [layer.name for layer in self.layers]
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        bpy.ops.wm.open_mainfile(filepath=str(path))
        self.collection = bpy.data.collections["map"]
        self.root = bpy.data.objects["group"]
        self.layers = [bpy.data.objects[name] for name in names]
        return self

    def envelopes(self):
        return EnvelopeTable(self.collection, self.level, FPS)

    def scene_of(self, obj, number):
        depsgraph = bpy.context.evaluated_depsgraph_get()
        matrix = transforms.compose(obj, self.root, depsgraph)
        return SceneLayer(obj, matrix, layout.element_token(self.token, number), depsgraph)

    def record(self, index=0):
        """Number and record of the layer at an index of `layers`."""
        kinds = (teeworlds.QuadLayer, teeworlds.SoundLayer)
        return [(n, layer) for n, _, _, layer in layout.numbered_layers(self.level) if isinstance(layer, kinds)][index]

    def collect(self, module, index=0, envelopes=None):
        """What `module` makes of a layer."""
        number, layer = self.record(index)
        return module.collect(self.scene_of(self.layers[index], number), layer, envelopes or self.envelopes())

    def sounds(self):
        table = SoundTable(self.collection, self.level, self.report)
        table.apply()
        return table
