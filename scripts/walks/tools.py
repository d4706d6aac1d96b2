# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools of levels: strokes of Fable's brush, seams, pictures of themes; what one looks and finds by in NS2; a door and
light that is baked in Source maps.
"""

from __future__ import annotations

from collections.abc import Callable

from scripts.walks.walk import FABLE, NS2, SOURCE, Walk
from tests.formats import fable_archive_bytes as archives

STROKE = ((420, 520), (470, 520), (520, 515), (570, 510), (620, 510))
"""Over the ground."""
THEME = "GROUND_VALE_SAND"
WEIGHTS = "round(sum(g.weight * (g.group + 1) for v in T.data.vertices for g in v.groups), 2)"
CHOSEN = "sum(v.select for v in T.data.vertices)"
SECOND = "fable_vale.001"
"""What a level is called that is imported once more."""
RED, BLUE = 0xF800, 0x001F
"""5 bits red, 6 green, 5 blue."""


def of_ground(level: str, expression: str) -> str:
    """An expression about `T`, the terrain of a level: its mesh of the most vertices."""
    meshes = f"(o for o in bpy.data.collections[{level!r}].all_objects if o.type == 'MESH')"
    return f"(lambda T: {expression})(max({meshes}, key=lambda o: len(o.data.vertices)))"


def brush(walk: Walk) -> None:
    """A theme is painted with the brush by a stroke of the mouse, which undo takes back and redo brings again."""
    window = walk.window
    walk.imported(FABLE)
    walk.sidebar()
    walk.menu("Levelwright", "Fable", "Ground", "Paint Tool")
    walk.expect(
        "'fable' in bpy.context.workspace.tools.from_space_view3d_mode('OBJECT').idname", "the brush is no active tool"
    )
    window.python("bpy.context.window_manager.levelwright_fable_brush.target = 'theme'")
    choose(walk)
    walk.over_view()
    painted = of_ground(FABLE.name, WEIGHTS)
    before = walk.value(painted)
    window.drag(STROKE)
    walk.expect(f"{painted} != {before!r}", "the stroke painted nothing")
    after = walk.value(painted)
    walk.see("stroke", "A stroke of the brush; the sidebar says what it paints.")
    window.key("ctrl+z")
    walk.expect(f"{painted} == {before!r}", "undo did not take the stroke back")
    walk.see("undone", "Undone.")
    window.key("ctrl+shift+z")
    walk.expect(f"{painted} == {after!r}", "redo did not bring the stroke back")
    window.drag([(x, y - 80) for x, y in STROKE])
    walk.expect(f"{painted} not in ({before!r}, {after!r})", "the brush paints no more after undo and redo")
    walk.see("again", "A second stroke, after undo and redo.")


def pictures(walk: Walk) -> None:
    """A theme is shown with a picture out of an installed game: it is chosen in a search."""
    window = walk.window
    game, names = archives.definitions([("ENGINE_THEME", THEME, archives.theme(9))])
    textures = [plain("GROUND_RED", RED, 9), plain("GROUND_BLUE", BLUE, 3)]
    for name, data in {
        "Graphics/PC/Textures.big": archives.archive({"GBANK_MAIN_PC": textures}),
        "CompiledDefs/Game.bin": game,
        "CompiledDefs/names.bin": names,
    }.items():
        file = window.home / "Fable" / "Data" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    window.python("bpy.ops.levelwright.add_folder(folder='fable_directory', directory='Fable')")
    walk.imported(FABLE)
    shown = "sorted(i.name for i in bpy.data.images if i.name.startswith('GROUND_'))"
    walk.expect(f"{shown} == ['GROUND_RED']", "the game's picture of the theme isn't shown")
    walk.see("game", f"The game says that {THEME} is GROUND_RED.")
    choose(walk)
    walk.over_view()
    walk.menu("Levelwright", "Fable", "Ground", "Choose Picture")
    window.type("BLUE")
    walk.see_now("search", "The search for a texture of the game.")
    window.key("Return")
    walk.expect(f"'GROUND_BLUE' in {shown}", "the chosen picture isn't shown")
    walk.see("chosen", f"{THEME} is shown with GROUND_BLUE, which was chosen.")


def choose(walk: Walk) -> None:
    """Make a theme the active one in the list of themes."""
    walk.window.python(
        f"held = bpy.data.collections[{FABLE.name!r}].levelwright_fable\n"
        f"held.active_theme = [item.name for item in held.themes].index({THEME!r})"
    )


def plain(name: str, color: int, number: int) -> archives.Texture:
    """8 x 8 pixels of one colour."""
    return archives.texture(name, 8, 8, (color.to_bytes(2, "little") * 2 + bytes(4)) * 4, number=number)


def seams(walk: Walk) -> None:
    """A level is imported twice and put beside itself: Show Seams selects where the edges differ, Mend Seams makes them
    the same, and undo brings them back.
    """
    window = walk.window
    walk.imported(FABLE)
    walk.drop_files(FABLE.file)
    walk.confirm()
    walk.expect(f"bpy.context.object and bpy.context.object.name == {SECOND!r}", "the second level isn't there")
    walk.solid()
    window.key("g", "x", "6", "4", "Return")
    window.key("Home")
    walk.menu("Levelwright", "Fable", "World", "Show Seams")
    wrong = of_ground(SECOND, CHOSEN)
    walk.expect(f"{wrong} > 10", "no seam is shown")
    walk.see("shown", "Where the edge differs from the neighbour's.")
    mode = "bpy.context.mode"  # the header has other menus in each
    walk.menu("Levelwright", "Fable", "World", "Mend Seams")
    walk.expect(f"{mode} == 'OBJECT'", "the seam was not mended")
    walk.see("mended", "Mended: no vertex differs.")
    walk.menu("Levelwright", "Fable", "World", "Show Seams")
    walk.expect(f"{wrong} == 0", "the seam isn't mended")
    window.key("ctrl+z", "ctrl+z")
    walk.expect(f"{mode} == 'EDIT_MESH'", "undo did not go back to where the seam was shown")
    walk.see("undone", "Undo: the seam is open again.")
    walk.menu("Levelwright", "Fable", "World", "Show Seams")
    walk.expect(f"{wrong} > 10", "undo did not bring the seam back")


def find_and_look(walk: Walk) -> None:
    """Entities of a class are selected; Commander View looks down on the level and back again; the minimap is rendered
    into a file.
    """
    window = walk.window
    walk.imported(NS2)
    walk.select("crate")
    walk.menu("Levelwright", "NS2", "Look and Find", "Select by Class")
    walk.see("selected", "All entities of the active one's class are selected.")
    look = "area.spaces.active.region_3d.view_perspective"
    walk.over_view()
    walk.menu("Levelwright", "NS2", "Look and Find", "Commander View")
    walk.expect(f"{look} == 'ORTHO'", "Commander View does not look straight down")
    walk.see("commander", "The level as commanders see it.")
    walk.menu("Levelwright", "NS2", "Look and Find", "Commander View")
    walk.expect(f"{look} == 'PERSP'", "Commander View did not give the view back")
    window.python(
        "bpy.ops.levelwright.ns2_add_entity(class_name='minimap_extents')\n"
        "bpy.context.object.location, bpy.context.object.scale = (3, 4, 0), (40, 20, 1)"
    )
    walk.over_view()
    walk.menu("Levelwright", "NS2", "Level", "Render Minimap")
    walk.browse_folder()
    window.press("Render Minimap", near=(1500, 850))
    walk.expect("__import__('os').path.exists('ns2_room.tga')", "no minimap was written")
    window.python(
        "bpy.data.images.load(__import__('os').path.abspath('ns2_room.tga'))\n"
        "area.ui_type = 'IMAGE_EDITOR'\narea.spaces.active.image = bpy.data.images['ns2_room.tga']"
    )
    walk.see("minimap", "The minimap's picture.")


def bake(walk: Walk) -> None:
    """Lightmaps are baked: the dialog is confirmed once, and the light is another one."""
    window = walk.window
    walk.imported(SOURCE)
    light = "sum(sum(i.pixels[:]) for i in bpy.data.images if 'light' in i.name.lower())"
    before = walk.value(light)
    walk.menu("Levelwright", "Source", "Light", "Bake Lightmaps")
    walk.see("dialog", "How the light is baked.")
    x, y, _ = window.find("Cancel", near=window.at)
    window.press("Bake Lightmaps", near=(x + 160, y))
    walk.expect(f"{light} != {before!r}", "nothing was baked")
    window.python(
        "area.ui_type = 'IMAGE_EDITOR'\n"
        "area.spaces.active.image = next(i for i in bpy.data.images if 'light' in i.name.lower())\n"
        "bpy.ops.image.view_all(fit_view=True)\n"
        "area.spaces.active.image.use_view_as_render = True\n"
        "bpy.context.scene.view_settings.exposure = -7  # 255 is the light of 1"
    )
    walk.see("baked", "The light that Cycles has made: each face has its part of the image.")


WALL = """
bpy.ops.levelwright.source_new_level(name="hall", width=512.0, height=256.0)
for scale, name in (((0.5, 8, 3), "wall"), ((1, 1.2, 2), "door")):
    bpy.context.scene.cursor.location = (0, 0, 0)
    bpy.ops.levelwright.source_add_brush(what="dev/dev_measuregeneric01")
    made = bpy.context.object
    made.name, made.scale = name, scale
    made.location = (-32 * scale[0], -32 * scale[1], 0 if name == "wall" else -16)
    made.display_type = "TEXTURED"
for obj in bpy.data.objects:
    obj.select_set(obj.name in ("wall", "door"))
bpy.context.view_layer.objects.active = bpy.data.objects["wall"]
bpy.ops.view3d.view_selected()
bpy.ops.ed.undo_push(message="Wall")
"""
"""A new map with a wall, and a box where the door will be, both selected."""


def door(walk: Walk) -> None:
    """A box is cut out of a wall's brush, which undo takes back and redo brings again: three brushes are left."""
    window = walk.window
    window.python(WALL)
    walk.over_view()
    walk.expect("len(bpy.context.selected_objects) == 2", "the wall and the box are not selected")
    walk.see("wall", "A wall, and a box where the door will be; the wall is the active object.")
    faces = "len(bpy.data.objects['wall'].data.polygons)"
    walk.menu("Levelwright", "Source", "Brushes", "Cut Brushes")
    walk.expect(f"{faces} > 12 and 'door' not in bpy.data.objects", "the wall was not cut")
    walk.see("door", "The wall is three brushes now.")
    window.key("ctrl+z")
    walk.expect(f"{faces} == 6 and 'door' in bpy.data.objects", "undo did not close the wall")
    window.key("ctrl+shift+z")
    walk.expect(f"{faces} > 12", "redo did not open the wall")
    walk.menu("Levelwright", "Check Export")
    walk.see("check", "Check Export asks for the export's options, World among them.")
    window.key("Escape")


PATHS: dict[str, Callable[[Walk], None]] = {
    "tools-brush": brush,
    "tools-pictures": pictures,
    "tools-seams": seams,
    "tools-ns2": find_and_look,
    "tools-bake": bake,
    "tools-source": door,
}
