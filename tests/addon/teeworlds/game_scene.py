# SPDX-License-Identifier: GPL-3.0-or-later
"""A level in memory laid out in the scene by the importer's own parts, with stand-ins for images and materials."""

from types import SimpleNamespace

import bpy
from levelwright.addon.scene.geometry import transforms
from levelwright.addon.scene.reports import Report
from levelwright.addon.scene.work.progress import drain
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.context import ImportContext
from levelwright.addon.teeworlds.envelopes import build as envelopes
from levelwright.addon.teeworlds.envelopes.collect import EnvelopeTable
from levelwright.addon.teeworlds.quads import build as quads
from levelwright.addon.teeworlds.settings import ImportSettings
from levelwright.addon.teeworlds.sounds import build as sounds
from levelwright.addon.teeworlds.sounds import layer_build as sources
from levelwright.addon.teeworlds.sounds.collect import SoundTable
from levelwright.addon.teeworlds.structure.layer_collect import SceneLayer
from levelwright.addon.teeworlds.structure.placement import LayerPlacement
from levelwright.formats import teeworlds

FPS = 25.0


def begin(level, report, **more):
    """An import of a level of which nothing is made yet, called "map"."""
    return ImportContext.begin(bpy.context, layout.FORMAT, level, None, "map", ImportSettings(), report, **more)


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
        self.report = Report()
        importing = begin(self.level, self.report)
        self.token, self.collection = importing.token, importing.collection
        self.root = bpy.data.objects.new("group", None)
        self.root.parent = importing.root
        self.root.location = (3.25, -7.5, 0)
        self.collection.objects.link(self.root)
        group = SimpleNamespace(collection=self.collection, root=self.root, clip=None)
        played = envelopes.build(importing, FPS)
        held = drain(sounds.build(importing))
        self.layers = []
        for number, _, order, layer in layout.numbered_layers(self.level):
            placement = LayerPlacement(self.token, self.report, number, order, group, PlainMaterials(), played)
            if isinstance(layer, teeworlds.QuadLayer):
                self.layers.append(quads.build(layer, placement))
            elif isinstance(layer, teeworlds.SoundLayer):
                self.layers.append(sources.build(layer, placement, held))
        importing.finish()
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
        return SceneLayer(
            obj,
            matrix,
            layout.element_token(self.token, number),
            depsgraph,
            self.report,
            (obj, *obj.children_recursive),
        )

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
