# SPDX-License-Identifier: GPL-3.0-or-later
"""Each page of docs/how-to does what it says: its own commands run in order; their files are read with the library."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright import formats
from levelwright.addon import commands
from levelwright.formats import fable, genesis, ns2, source, teeworlds

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "how-to"
SAMPLES = ROOT / "tests" / "samples"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
Check = Callable[[Path], None]
CHECKS: dict[str, Check] = {}


def of_page(name: str) -> Callable[[Check], Check]:
    """A function that looks at what the commands of a page left in their folder."""

    def keep(check: Check) -> Check:
        CHECKS[name] = check
        return check

    return keep


def blocks(name: str) -> list[str]:
    """The blocks of Python of a page, in its order."""
    return BLOCK.findall((PAGES / f"{name}.md").read_text(encoding="utf-8"))


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


# -------------------------------------------------------------------------------------------------------------- Source


@of_page("retexture-a-source-map")
def retextured(folder: Path) -> None:
    before, after = source.read(sample("source_room.bsp")), source.read((folder / "retextured.bsp").read_bytes())
    names = set(after.texture_names.names)
    assert {"stone/stonewall001a", "room/moss"} <= names
    assert "room/stone" not in names
    assert {"materials/room/moss.vtf", "materials/room/moss.vmt"} <= set(after.pak.names) - set(before.pak.names)
    for lump in (source.LumpId.VERTEXES, source.LumpId.LIGHTING, source.LumpId.NODES, source.LumpId.GAME_LUMP):
        assert after.bytes_of(lump) == before.bytes_of(lump)


@of_page("relight-a-source-map")
def relit(folder: Path) -> None:
    before, after = source.read(sample("source_room.bsp")), source.read((folder / "relit.bsp").read_bytes())
    assert after.bytes_of(source.LumpId.LIGHTING) != before.bytes_of(source.LumpId.LIGHTING)
    assert len(after.bytes_of(source.LumpId.LIGHTING)) == len(before.bytes_of(source.LumpId.LIGHTING))
    for lump in (source.LumpId.FACES, source.LumpId.VERTEXES, source.LumpId.NODES, source.LumpId.GAME_LUMP):
        assert after.bytes_of(lump) == before.bytes_of(lump)
    shone, shines = (
        [one.get("_light").split() for one in level.entities if one.classname == "light"] for level in (before, after)
    )
    assert len(shone) == len(shines)
    (lamp,) = (light for light in shines if light not in shone)
    assert int(lamp[2]) > int(lamp[0])  # blue over red


@of_page("a-door-through-a-wall")
def a_door(folder: Path) -> None:
    wall, door = (source.read((folder / name).read_bytes()) for name in ("wall.bsp", "door.bsp"))
    points = np.array([(0, 0, 50), (0, 40, 100), (0, 0, 120), (0, 300, 50), (0, -700, 200), (200, 0, 50)], float)
    assert solid(wall, points) == [True, True, True, True, True, False]
    assert solid(door, points) == [False, False, True, True, True, False]


def solid(level: source.Level, points: np.ndarray) -> list[bool]:
    """Whether points are in a brush, of all that there are; the leaf that the tree leads to has to list that brush."""
    planes, nodes, leafs, listed, brushes, sides = map(
        level.table,
        map(source.LumpId.__getitem__, ("PLANES", "NODES", "LEAFS", "LEAFBRUSHES", "BRUSHES", "BRUSHSIDES")),
    )
    on = planes[sides["planenum"]]
    outside = points @ on["normal"].T.astype(float) > on["dist"]
    ranges = zip(brushes["firstside"], brushes["numsides"], strict=True)
    inside = np.array([(count > 0) & ~outside[:, first : first + count].any(axis=1) for first, count in ranges])
    for number, point in enumerate(points):
        at = 0
        while at >= 0:
            plane = planes[nodes["planenum"][at]]
            at = nodes["children"][at][int(point @ plane["normal"] < plane["dist"])]
        leaf = leafs[-1 - at]
        first = leaf["firstleafbrush"]
        known = listed[first : first + leaf["numleafbrushes"]].view("<u2")
        assert set(np.flatnonzero(inside[:, number]).tolist()) <= set(known.tolist())
    return inside.any(axis=0).tolist()


# ----------------------------------------------------------------------------------------------------- the other games


@of_page("a-ddnet-part-with-array-modifiers")
def stairs(folder: Path) -> None:
    level = teeworlds.read((folder / "stairs.map").read_bytes())
    found = level.game_layer
    assert found is not None
    y, x = np.nonzero(found[1].tiles()["index"] == 1)
    wanted = {(4 + 3 * step + column, 28 - step) for step in range(12) for column in range(3)}
    assert set(zip(x.tolist(), y.tolist(), strict=True)) == wanted


@of_page("sculpt-and-paint-a-fable-region")
def a_hill(folder: Path) -> None:
    before, after = fable.read(sample("fable_vale.lev")), fable.read((folder / "vale.lev").read_bytes())
    rise = (fable.heights(after.cells) - fable.heights(before.cells)).reshape(-1)
    assert rise.max() == pytest.approx(6, abs=0.01)
    assert 0.04 < (rise > 0).mean() < 0.2
    assert (folder / "vale.tng").is_file()
    assert formats.check(after) == []


@of_page("a-blender-room-into-spark")
def a_room(folder: Path) -> None:
    pasted = ns2.clipboard.parse((folder / "room.spark").read_bytes())
    assert len(pasted.mesh.faces) == 26  # of a box: 6 faces, 12 edges and 8 corners that were cut off
    assert len(pasted.mesh.materials) == 1
    low, high = pasted.mesh.positions.min(axis=0), pasted.mesh.positions.max(axis=0)
    assert sorted((high - low).round(3).tolist()) == [3, 4, 6]
    assert len([one for one in bpy.data.objects if one.name.startswith("Pasted")]) == 1


@of_page("a-moving-platform-in-genesis")
def a_lift(folder: Path) -> None:
    level = genesis.read((folder / "lift.3dt").read_bytes())
    (model,) = (one for one in level.models if one.name == "lift")
    track = model.motion.paths[0].translation
    assert track is not None
    times, places = list(track.times), np.asarray(track.values)
    assert times == pytest.approx([0, 2, 4])
    assert np.ptp(places, axis=0).tolist() == pytest.approx([0, 64, 0])
    assert len(genesis.read(sample("genesis_room.3dt")).models) + 1 == len(level.models)


# ----------------------------------------------------------------------------------------------- running their commands


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * ("relight" in name)) for name in CHECKS]
)
def test_a_page_does_what_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    page = PAGES / f"{name}.md"
    exec(compile("\n".join(blocks(name)), str(page), "exec"), {"__name__": "__main__"})
    CHECKS[name](tmp_path)


@pytest.mark.slow
def test_an_archive_becomes_gltf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "maps" / "deep").mkdir(parents=True)
    names = ("first-light.map", "fable_vale.lev", "source_room.bsp", "ns2_room.level", "genesis_room.3dt")
    for file in names:
        (tmp_path / "maps" / "deep" / file).write_bytes(sample(file))
    (tmp_path / "maps" / "broken.bsp").write_bytes(b"VBSP")
    page = (PAGES / "an-archive-to-gltf.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^    scripts/levelwright (convert .*)$", page, re.MULTILINE)
    assert commands.main(command.split()) == 1  # one is broken
    for file in names:
        data = (tmp_path / "glb" / "deep" / file).with_suffix(".glb").read_bytes()
        assert data[:4] == b"glTF"
        assert int.from_bytes(data[8:12], "little") == len(data)
    capsys.readouterr()
    exec(compile(blocks("an-archive-to-gltf")[0], "an-archive-to-gltf.md", "exec"), {})
    said = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[0] for line in said) == ["failed", *["written"] * 5]


@pytest.mark.slow
def test_a_notebook_needs_no_blender(tmp_path: Path) -> None:
    """Its cells one after another, in a Python that has neither bpy nor the extension; a cell's last value is shown."""
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    (tmp_path / "levelformats").symlink_to(ROOT / "formats")
    cells = blocks("the-library-in-a-notebook")
    program = "import sys\nsys.modules['bpy'] = None\n" + "\n".join(cells) + "\nprint(json.dumps([picture.size]))\n"
    done = subprocess.run(
        [sys.executable, "-c", f"import json\n{program}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [[65, 65]]
    before, after = source.read(sample("source_room.bsp")), source.read((tmp_path / "other_sky.bsp").read_bytes())
    assert after.entities[0].get("skyname") == "sky_day01_01" != before.entities[0].get("skyname")


def test_each_page_is_tried_and_listed() -> None:
    pages = {page.stem for page in PAGES.glob("*.md")}
    assert pages == CHECKS.keys() | {"an-archive-to-gltf", "the-library-in-a-notebook"}
    text = (ROOT / "docs" / "using.md").read_text(encoding="utf-8")
    assert all(f"how-to/{name}.md" in text for name in pages)
