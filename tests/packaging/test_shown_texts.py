# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of levels enter Blender through addon/scene/names.py alone: one byte that isn't UTF-8 makes Blender refuse a
name, and half of a UTF-16 pair in a custom property makes it crash.

This reads the source: wherever a text becomes a name, a property, a label or a text block, it has to be a constant, or
to have gone through `showable` or one of its neighbours there.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "addon").rglob("*.py"))
MAKERS = {"readable", "showable", "showable_lines", "storable"}
"""What makes texts such that Blender can hold them: addon/scene/names.py, and for what 0.3.0 saved, Teeworlds' own."""
NAMED_NEW = {"vertex_groups", "uv_layers", "shape_keys", "color_attributes", "attributes", "interface", "tracks"}
"""Besides bpy.data.*, lists of Blender's whose `new` takes a name."""
TEXTS = {"name", "label", "description", "filepath", "bl_label"}
"""Attributes of Blender's things that are texts."""
BLOCKS = {
    *("action", "block", "camera", "child", "collection", "copy", "empty", "group", "home", "id_block", "image"),
    *("item", "layer", "level", "light", "made", "material", "mesh", "node", "obj", "one", "picture", "root", "sound"),
    *("speaker", "track", "world"),
}
"""What variables with data-blocks are called."""
NAMED = {"collection", "empty", "light", "mesh", "obj"}
"""What variables with data-blocks are called, and nothing else that has a name: theirs is one that Blender holds."""
NUMBERS = {"bool", "float", "int", "len", "list", "round", "sum", "dumps", "hexdigest", "tolist", "store"}
"""Calls whose results are no texts of levels: numbers, lists of them, JSON, hashes."""


def called(node: ast.AST) -> str:
    """The last word of what is called: "showable" of `names.showable(x)`."""
    return ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""


def is_shown(node: ast.expr) -> bool:
    """Whether a text is one that Blender can hold, as far as the source says."""
    if isinstance(node, ast.BoolOp):
        return all(map(is_shown, node.values))
    if isinstance(node, ast.IfExp):
        return is_shown(node.body) and is_shown(node.orelse)
    if isinstance(node, ast.JoinedStr):
        parts = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        return all(part.format_spec or is_shown(part.value) or called(part.value) == "int" for part in parts)
    if isinstance(node, ast.Attribute) and node.attr == "name":
        return ast.unparse(node.value).rpartition(".")[2] in NAMED
    return isinstance(node, ast.Constant) or called(node) in MAKERS or is_constant_name(node)


def is_constant_name(node: ast.expr) -> bool:
    """Whether it is the name of a constant: NAME, layout.NAME, _NAME."""
    word = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return word.isupper()


def is_no_text(node: ast.expr) -> bool:
    """Whether a value of a custom property is no text of a level."""
    plain = (ast.Compare, ast.BinOp, ast.Tuple, ast.List, ast.ListComp)
    return is_shown(node) or isinstance(node, plain) or ast.unparse(node) == "image" or called(node) in NUMBERS


def names_given(call: ast.Call) -> Iterator[ast.expr]:
    """The names that a call gives to something of Blender's, and the texts that it writes into text blocks."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("new", "write", "from_string"):
        return
    owner = ast.unparse(call.func.value)
    if call.func.attr != "new":
        yield from call.args if owner == "text" else ()
    elif owner.startswith("bpy.data.") or owner.rpartition(".")[2] in NAMED_NEW:
        named = [word.value for word in call.keywords if word.arg == "name"]
        yield from named or call.args[:1]


def unshown(tree: ast.AST, writes_records: bool) -> Iterator[ast.expr]:
    """What becomes a text in Blender without having gone through the makers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from (given for given in names_given(node) if not is_shown(given))
        targets = node.targets if isinstance(node, ast.Assign) else []
        pairs = [(target, node.value) for target in targets if isinstance(node, ast.Assign)]
        for target, value in pairs:
            if isinstance(target, ast.Attribute) and target.attr in TEXTS and not writes_records:
                if ast.unparse(target.value) != "self" and not is_shown(value):
                    yield value
            elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                text_key = is_constant_name(target.slice) or isinstance(target.slice, ast.Constant)
                if target.value.id in BLOCKS and text_key and not is_no_text(value) and not writes_records:
                    yield value


def found_in(path: Path) -> list[str]:
    """What of a module doesn't go through the makers: "addon/x.py:12: expression"."""
    writes_records = "collect" in path.stem
    tree = ast.parse(path.read_text(encoding="utf-8"))
    where = path.relative_to(ROOT).as_posix()
    return [f"{where}:{one.lineno}: {ast.unparse(one)}" for one in unshown(tree, writes_records)]


def test_texts_of_levels_enter_blender_in_one_place() -> None:
    assert not [line for path in MODULES for line in found_in(path)]


@pytest.mark.parametrize(
    "source",
    [
        "bpy.data.objects.new(name, None)",
        "bpy.data.materials.new(f'{path} glass')",
        "obj.vertex_groups.new(name=theme)",
        "text.write(body)",
        "obj.name = entity.name",
        "node.label = title",
        "material[layout.TEXTURE] = texture",
        "mesh['model'] = path or 'none'",
    ],
)
def test_the_checker_sees(source: str) -> None:
    assert len(list(unshown(ast.parse(source), False))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "bpy.data.objects.new(showable(name), None)",
        "bpy.data.cameras.new('Picture')",
        "obj.name = showable(entity.name) or 'none'",
        "text.write(names.showable_lines(body))",
        "material[layout.SIZE] = list(size)",
        "found['angle'] = text",
        "self.name = name",
    ],
)
def test_the_checker_lets_pass(source: str) -> None:
    assert not list(unshown(ast.parse(source), False))


def test_the_buttons_of_dialogs_say_what_they_do() -> None:
    """Not OK, which they are called where nobody says more."""
    calls = [
        node
        for path in MODULES
        if "invoke_props_dialog" in (text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if called(node) == "invoke_props_dialog"
    ]
    assert calls
    assert all("confirm_text" in {word.arg for word in call.keywords} for call in calls)
