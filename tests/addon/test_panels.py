# SPDX-License-Identifier: GPL-3.0-or-later
"""What the sidebar says. Nothing is drawn without a window, so a layout that takes notes stands in for Blender's."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from levelwright.addon import games, issues, panels
from levelwright.addon.game import Game
from levelwright.addon.scene import wording
from levelwright.addon.scene.interface import sidebar
from levelwright.addon.scene.issues import findings
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import LevelFinding, Report

from tests.addon.contract.registered import LEVELS, samples

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "first-light.map"
ADDON = Path(sidebar.__file__).parents[1]


class Notes:
    """A layout that notes the labels and operators put into it."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.operators: list[tuple[str, Any]] = []
        self.lists: list[tuple[Any, ...]] = []
        self.alignment = ""
        self.use_property_split = False

    def label(self, text: str, icon: str = "NONE") -> None:
        self.labels.append(text)

    def operator(self, name: str, icon: str = "NONE", text: str | None = None, emboss: bool = True) -> Any:
        assert sidebar.operator_of(name) is not None, name
        self.operators.append((name, SimpleNamespace(text=text)))
        return self.operators[-1][1]

    def prop(self, owner: Any, name: str, **_shown: object) -> None:
        assert hasattr(owner, name)
        self.labels.append(f"<{name}>")

    def template_list(self, *given: object, **_sizes: object) -> None:
        self.lists.append(given)

    def separator(self, factor: float) -> None:
        pass

    def _same(self, align: bool = False) -> "Notes":
        return self

    row = column = box = _same

    def grid_flow(self, columns: int, align: bool) -> "Notes":
        return self

    def text(self) -> str:
        """All labels, as one reads them."""
        return " ".join(self.labels)


@pytest.fixture(autouse=True)
def folded() -> Iterator[None]:
    """Lists as they are at first."""
    yield
    for which in ("issues", "changes"):
        issues._unfolded[which].clear()  # type: ignore[index]
    issues._rows(bpy.context, "issues").search = ""


def drawn(panel: Any = panels.LEVELWRIGHT_PT_levels) -> Notes:
    notes = Notes()
    panel.draw(SimpleNamespace(layout=notes), bpy.context)
    return notes


def imported(sample: Path = SAMPLE) -> bpy.types.Collection:
    bpy.ops.import_scene.game_level(filepath=str(sample))
    return originals.levels()[-1]


def test_an_empty_scene_offers_the_import() -> None:
    notes = drawn()
    assert notes.labels == ["No level in this scene"]
    assert [name for name, _ in notes.operators] == ["import_scene.game_level"]


@LEVELS
def test_the_active_level_says_what_it_was_imported_from_and_what_can_be_done(game: Game, sample: Path) -> None:
    level = imported(sample)
    notes = drawn()
    said = f"{game.format.title}, imported from {sample.name}: what isn't edited is written as it was"
    assert said.replace(" ", "") in notes.text().replace(" ", "")
    assert [(name, made.collection) for name, made in notes.operators] == [
        (f"export_scene.{game.kind_of(sample.name).operator}", level.name),
        ("levelwright.check_export", level.name),
        ("levelwright.show_changes", level.name),
    ]


def test_of_several_levels_one_is_chosen_and_only_that_one_is_drawn_in_full() -> None:
    first, second = imported(), imported()
    notes = drawn()
    chosen = [(made.text, made.collection) for name, made in notes.operators if name == "levelwright.activate_level"]
    assert chosen == [(first.name, first.name), (second.name, second.name)]
    assert [made.collection for name, made in notes.operators if name == "levelwright.check_export"] == [second.name]
    assert bpy.ops.levelwright.activate_level(collection=first.name) == {"FINISHED"}
    assert originals.level_of(bpy.context) == first
    layer: Any = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection
    assert "Make one of them the active level" in drawn().text()


@LEVELS
def test_panels_show_the_game_of_the_active_level_alone(game: Game, sample: Path) -> None:
    imported(sample)
    keys = {each.key for each in games.GAMES}
    shown = set()
    for cls in bpy.types.Panel.__subclasses__() + sidebar.LevelPanel.__subclasses__():
        name = cls.__name__
        if name.startswith("LEVELWRIGHT_PT_") and (not hasattr(cls, "poll") or cls.poll(bpy.context)):
            shown.add(name.removeprefix("LEVELWRIGHT_PT_").partition("_")[0])
    assert shown & keys <= {game.key}
    other = next(each for each in games.GAMES if each is not game)
    level = originals.levels()[0]
    imported(samples(other)[0])
    layer: Any = bpy.context.view_layer
    layer.objects.active = next(obj for obj in level.all_objects if obj.name in layer.objects)
    for name in dir(bpy.types):
        cls = getattr(bpy.types, name)
        if name.startswith(f"LEVELWRIGHT_PT_{game.key}"):
            assert not cls.poll(bpy.context), name


def test_a_lost_original_is_told_and_can_be_attached() -> None:
    level = imported()
    del level[originals.ORIGINAL]
    notes = drawn()
    assert "Its imported file is not in this .blend: first-light.map" in notes.text()
    assert ("levelwright.attach_original", level.name) in [(name, made.collection) for name, made in notes.operators]
    with pytest.raises(RuntimeError):
        bpy.ops.levelwright.check_export()
    (group,) = [group for group in findings.issues(level) if group.sort == "error"]
    assert group.mend == "levelwright.attach_original"


def test_a_level_made_here_and_one_of_an_unknown_game_are_no_trouble() -> None:
    for name, key, said in (
        ("made", "teeworlds", "made in Blender: all of it is written"),
        ("strange", "quake", "strange: this version of Levelwright exports no quake levels"),
    ):
        level = bpy.data.collections.new(name)
        bpy.context.scene.collection.children.link(level)
        originals.attach(level, key, None, 1)
        originals.make_active(bpy.context, level)
        assert said in drawn().text()
    panels.LEVELWRIGHT_PT_changes.poll(bpy.context)
    drawn(panels.LEVELWRIGHT_PT_issues)


# --------------------------------------------------------------------------------------------------------------- lists


def many(level: bpy.types.Collection) -> None:
    """Give a level 885 missing models, and an object that isn't as it should be."""
    report = Report()
    for number in range(885):
        report.missing("models", f"models/props/deep/down/prop{number:03}.mdl")
    report.find("it stands alone", [level.all_objects[0]], "levelwright.check_export")
    report.find("as a whole")
    findings.keep(level, report.issues(), "import")


def lines(which: issues.Which = "issues", within: type[Notes] = Notes) -> Notes:
    """The lines of the list, as Blender asks for them, within layouts of a type."""
    issues._grow_for(which)
    panel = panels.LEVELWRIGHT_PT_issues if which == "issues" else panels.LEVELWRIGHT_PT_changes
    assert drawn(panel).lists
    notes = within()
    shown = issues.LEVELWRIGHT_UL_issues if which == "issues" else issues.LEVELWRIGHT_UL_changes
    rows = issues._rows(bpy.context, which).rows
    for number in range(len(issues._drawn[which])):
        shown.draw_line(SimpleNamespace(which=which), notes, rows[number], "")  # type: ignore[arg-type]
    return notes


def texts(notes: Notes) -> list[str]:
    return [made.text for name, made in notes.operators if name == "levelwright.select_finding"]


def test_missing_files_are_one_line_which_unfolds_and_can_be_searched() -> None:
    level = imported()
    many(level)
    notes = lines()
    assert texts(notes) == ["it stands alone", "as a whole", "885 models missing"]
    assert [name for name, _ in notes.operators].count("levelwright.mend_finding") == 2
    state = issues._rows(bpy.context, "issues")
    state.rows[2].is_open = True
    unfolded = texts(lines())
    assert len(unfolded) == 3 + 885
    assert unfolded[3].endswith("/prop000.mdl")
    state.rows[2].is_open = False
    state.search = "PROP77"
    assert [text.rpartition("/")[2] for text in texts(lines())] == [
        "885 models missing",
        *(f"prop77{number}.mdl" for number in range(10)),
    ]


def test_lines_begin_at_the_left_and_buttons_end_at_the_right() -> None:
    """Blender packs what is in rows at the left: only what is in another layout takes the room that is left."""

    class Part(Notes):
        """A layout that knows within which it is, and notes that with an operator."""

        within: tuple[str, ...] = ()
        made: list[tuple[str, tuple[str, ...], "Part"]] = []

        def _part(self, kind: str) -> "Part":
            part = Part()
            part.within = (*self.within, kind)
            return part

        def row(self, align: bool = False) -> "Part":
            return self._part("row")

        def grid_flow(self, columns: int, align: bool) -> "Part":
            return self._part("grid")

        def operator(self, name: str, icon: str = "NONE", text: str | None = None, emboss: bool = True) -> Any:
            self.made.append((name, self.within, self))
            return super().operator(name, icon, text, emboss)

    many(imported())
    lines(within=Part)
    told = [each for each in Part.made if each[0] == "levelwright.select_finding"]
    mending = [each for each in Part.made if each[0] == "levelwright.mend_finding"]
    assert len(told) == 3
    assert {(within, part.alignment) for _, within, part in told} == {(("row", "grid", "row"), "LEFT")}
    assert len(mending) == 2
    assert {(within, part.alignment) for _, within, part in mending} == {(("row", "row"), "RIGHT")}


def test_the_list_grows_while_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    level = imported()
    many(level)
    state = issues._rows(bpy.context, "issues")
    state.rows.clear()
    notes = drawn(panels.LEVELWRIGHT_PT_issues)
    assert "..." in notes.labels and not notes.lists
    assert bpy.app.timers.is_registered(issues._GROWING["issues"])
    bpy.app.timers.unregister(issues._GROWING["issues"])
    issues._grow_issues()
    assert drawn(panels.LEVELWRIGHT_PT_issues).lists


def test_a_chosen_line_is_said_in_full_with_its_buttons() -> None:
    level = imported()
    many(level)
    lines()
    state = issues._rows(bpy.context, "issues")
    state.active = 2
    notes = drawn(panels.LEVELWRIGHT_PT_issues)
    assert "885 models missing" in notes.text()
    assert [(name, made.text) for name, made in notes.operators[:2]] == [
        ("levelwright.select_finding", "Select"),
        ("levelwright.mend_finding", "Set Game Folder"),
    ]


def test_rows_are_as_many_as_there_are_lines() -> None:
    level = imported()
    many(level)
    lines()
    state = issues._rows(bpy.context, "issues")
    flags, order = issues.LEVELWRIGHT_UL_issues.filter_items(
        SimpleNamespace(which="issues", bitflag_filter_item=1 << 30),
        None,
        state,
        "rows",  # type: ignore[arg-type]
    )
    assert (sum(flag != 0 for flag in flags), len(flags), order) == (3, len(state.rows), [])


def test_a_click_selects_and_the_tooltip_says_all() -> None:
    level = imported()
    many(level)
    obj = level.all_objects[0]
    assert bpy.ops.levelwright.select_finding(collection=level.name, number=0) == {"FINISHED"}
    assert list(bpy.context.selected_objects) == [obj]
    with pytest.raises(RuntimeError, match="as a whole"):
        bpy.ops.levelwright.select_finding(collection=level.name, number=1)
    with pytest.raises(RuntimeError, match="check it again"):
        bpy.ops.levelwright.select_finding(collection=level.name, group="error gone", number=-1)
    group = findings.issues(level)[2]
    about = SimpleNamespace(which="issues", group=group.key, number=-1)
    tooltip = issues.LEVELWRIGHT_OT_select_finding.description(bpy.context, about)
    assert tooltip.startswith("885 models missing:\nmodels/props/deep/down/prop000.mdl\n")
    assert "and 865 more" in tooltip
    about.number = 3
    tooltip = issues.LEVELWRIGHT_OT_select_finding.description(bpy.context, about)
    assert tooltip == "missing model: models/props/deep/down/prop003.mdl"
    mending = issues.LEVELWRIGHT_OT_mend_finding.description(bpy.context, about)
    assert mending.startswith("Set Game Folder")


def test_blenders_own_operators_mend_with_the_faces_selected() -> None:
    level = imported()
    layer = next(obj for obj in level.all_objects if obj.type == "MESH" and len(obj.data.polygons))  # type: ignore[union-attr]
    mesh: Any = layer.data
    count, corners = len(mesh.polygons), mesh.polygons[0].loop_total
    assert corners == 4
    findings.keep(level, [LevelFinding("a bent one", mend="mesh.quads_convert_to_tris", faces={layer: [0]})])  # type: ignore[dict-item]
    assert bpy.ops.levelwright.mend_finding(collection=level.name, number=0) == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(mesh.polygons) == count + 1
    findings.keep(level, [LevelFinding("nothing helps")])
    with pytest.raises(RuntimeError, match="nothing mends that but you"):
        bpy.ops.levelwright.mend_finding(collection=level.name, number=0)
    findings.keep(level, [LevelFinding("of later", mend="levelwright.not_there_yet")])
    with pytest.raises(RuntimeError, match="can't be done here"):
        bpy.ops.levelwright.mend_finding(collection=level.name, number=0)


def test_the_list_is_copied_and_the_report_is_there_to_be_opened() -> None:
    level = imported()
    many(level)
    assert bpy.ops.levelwright.copy_report() == {"FINISHED"}
    assert bpy.ops.levelwright.show_report() == {"FINISHED"}
    with pytest.raises(RuntimeError, match="nothing was told yet"):
        bpy.ops.levelwright.show_report(which="changes")
    with pytest.raises(RuntimeError, match="the list is empty"):
        bpy.ops.levelwright.copy_report(which="changes")
    findings.keep(level, [], "import")
    assert "Nothing to tell" in drawn(panels.LEVELWRIGHT_PT_issues).labels


@pytest.mark.parametrize("width", [20, 35, 60])
def test_no_line_is_wider_than_the_sidebar(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "room", lambda _context, _buttons=0: width * wording.LETTER)
    level = imported()
    many(level)
    assert all(len(text) <= width + 1 for text in texts(lines()) if " " in text)
    assert all(len(label) <= width or " " not in label for label in drawn().labels)


def test_a_title_without_room_beside_its_field_stands_in_it_or_above_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "room", lambda _context, _buttons=0: 20 * wording.LETTER)
    shown = []

    class Fields(Notes):
        def prop(self, owner: Any, name: str, **how: object) -> None:
            shown.append((name, self.use_property_split, how["text"]))

    notes: Any = Fields()
    owner = {"speed": 1, "maximum_speed": 2, "name_of_the_door": "a"}
    for key in owner:
        sidebar.draw_property(notes, bpy.context, owner, key, key)
    assert shown == [
        ('["speed"]', True, "speed"),
        ('["maximum_speed"]', False, "maximum_speed"),
        ('["name_of_the_door"]', False, ""),
    ]
    assert notes.labels == ["name_of_the_door"]
    shown.clear()
    monkeypatch.setattr(wording, "room", lambda _context, _buttons=0: 50 * wording.LETTER)
    for title in ("x" * 20, "x" * 21):  # Blender cuts what is longer than two fifths
        sidebar.draw_property(notes, bpy.context, owner, "speed", title)
    assert [is_beside for _, is_beside, _ in shown] == [True, False]


def test_fields_end_where_buttons_do() -> None:
    """Blender leaves room for a dot behind each field, by which properties are animated, unless it is told not to."""
    parts = [path.read_text(encoding="utf-8") for path in ADDON.rglob("*.py")]
    split = [part for part in parts if "use_property_split = True" in part]
    assert split and all("use_property_decorate = False" in part for part in split)
