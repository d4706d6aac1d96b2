# SPDX-License-Identifier: GPL-3.0-or-later
"""info, verify and dump: what they print and how they end."""

import base64
import json
import re
import subprocess
import sys

import pytest

from formats import genesis, teeworlds
from formats.__main__ import main
from tests.formats import genesis_3dt_text, genesis_bytes, source_content_bytes, source_model_bytes
from tests.formats import teeworlds_bytes as build
from tests.formats.teeworlds_bytes import small_map, whole_map


@pytest.fixture
def files(tmp_path):
    """Two good files, a refused one, one whose tiles are damaged."""
    damaged = small_map()
    damaged.blobs[0] = (b"no zlib", 48)
    for name, data in (
        ("small.map", small_map().build()),
        ("whole map.map", whole_map().build()),
        ("cut.map", small_map().build()[:-3]),
        ("damaged.map", damaged.build()),
    ):
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_verify_says_ok(files, capsys):
    paths = [str(files / "small.map"), str(files / "whole map.map")]
    assert main(["verify", *paths]) == 0
    lines = capsys.readouterr().out.splitlines()
    for line, path, data in zip(lines, paths, (small_map().build(), whole_map().build()), strict=True):
        assert re.fullmatch(rf"ok {re.escape(path)} teeworlds {len(data)} \d+\.\d+", line)


def test_verify_refuses_and_goes_on(files, capsys):
    names = ("cut.map", "damaged.map", "none.map", "small.map")
    assert main(["verify", *(str(files / name) for name in names)]) == 1
    cut, damaged, none, small = capsys.readouterr().out.splitlines()
    assert cut.startswith(f"refused {files / 'cut.map'}: at byte 0x")
    assert cut.count("cut.map") == 1
    assert damaged.startswith(f"refused {files / 'damaged.map'}: at byte 0x")
    assert "reading tiles of layer 'Game'" in damaged
    assert none == f"refused {files / 'none.map'}: No such file or directory"
    assert small.startswith("ok ")


def test_verify_reads_what_check_knows(tmp_path, capsys):
    """Errors end with the exit code 1, what is only worth a look doesn't."""
    levels = {
        "good": genesis_bytes.room(),
        "inside out": genesis_bytes.room(
            genesis_bytes.model(brushes=[genesis_bytes.brush(genesis_bytes.box((64, 64, 64), (-64, -64, -64)))])
        ),
        "placeless": genesis_bytes.room(
            genesis_bytes.entity(pairs=[("classname", "light"), ("%name%", "lost"), ("light", "9"), ("color", "1 1 1")])
        ),
    }
    leaking = genesis.read(levels["good"])
    assert isinstance(leaking, genesis.MapLevel)
    del leaking.entities[0].brushes[0]
    levels["leaking"] = genesis.write(leaking)
    for name, data in levels.items():
        (tmp_path / name).write_bytes(data)

    def verified(name: str, *options: str) -> tuple[int, list[str]]:
        code = main(["verify", *options, str(tmp_path / name)])
        return code, capsys.readouterr().out.splitlines()[1:]

    assert verified("inside out") == (0, [])
    assert verified("good", "--check") == (0, [])
    code, (line,) = verified("inside out", "--check")
    assert code == 1 and line.startswith("    error: brush 0 of entity 1 (%Model%, door): is inside out")
    code, (line,) = verified("placeless", "--check")
    assert (code, line.startswith("    warning: entity ")) == (0, True)
    assert line.endswith("(light, lost): has no origin, which light has: it has no place")
    code, (line,) = verified("leaking", "--check")
    assert code == 1 and line.startswith("    error: entity 1 (light, light1)")
    assert ": leaks: from (0, 0, 0) the outside of the level can be reached; the way out is by (" in line


def test_info_refuses_what_is_damaged_further_on(tmp_path, capsys):
    (tmp_path / "a.3dt").write_text(genesis_3dt_text.whole_level().replace("NumPoints 4", "NumPoints 5", 1))
    for verb in ("info", "verify"):
        assert main([verb, str(tmp_path / "a.3dt")]) == 1
        told = capsys.readouterr()
        assert (told.out + told.err).startswith(f"refused {tmp_path / 'a.3dt'}: at byte 0x")
    assert main(["dump", str(tmp_path / "a.3dt")]) == 1
    assert "'TexInfo' stands where Vec3d should" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("offset", "section"),
    [
        (0, "header"),
        (36, "item types"),
        (75, "item offsets"),
        (85, "blob offsets"),
        (90, "blob sizes"),
        (92, "item 0 of type 0x0"),
        (-1, "blob 0"),
    ],
)
def test_verify_names_the_section_that_differs(files, capsys, monkeypatch, offset, section):
    right = teeworlds.write

    def wrong(level):
        data = bytearray(right(level))
        data[offset] ^= 1
        return bytes(data)

    path, size = files / "small.map", len(small_map().build())
    monkeypatch.setattr(teeworlds, "write", wrong)
    assert main(["verify", str(path)]) == 1
    assert capsys.readouterr().out == f"differs {path}: {offset % size}, {section}\n"


def test_verify_sees_a_shorter_file(files, capsys, monkeypatch):
    right = teeworlds.write
    monkeypatch.setattr(teeworlds, "write", lambda level: right(level)[:-2])
    assert main(["verify", str(files / "small.map")]) == 1
    assert capsys.readouterr().out.endswith(f": {len(small_map().build()) - 2}, blob 0\n")


def test_info_for_people(files, capsys):
    assert main(["info", str(files / "whole map.map")]) == 0
    text = capsys.readouterr().out
    for part in ("Teeworlds / DDNet map, ", "size: 12 x 8 tiles", "author: the author", "art (embedded, 32 x 32)",
                 "grass_main (external, 1024 x 1024)", "hum (embedded, 64 bytes)", "move (position, 3 points)",
                 "tele 12 x 8 'Tele'", "quads 3 'Sky' image 0 (detail)", "clip: 0 0 320 200"):  # fmt: skip
        assert part in text, part


def test_info_as_json(files, capsys):
    assert main(["info", "--json", str(files / "whole map.map")]) == 0
    one = json.loads(capsys.readouterr().out)
    assert (one["format"], one["container"]["version"], one["size"]) == ("teeworlds", 4, "12 x 8 tiles")
    assert [group["name"] for group in one["groups"]] == ["Background", "Game", "Sound", "Later"]
    assert main(["info", "--json", str(files / "small.map"), str(files / "cut.map"), str(files / "whole map.map")]) == 1
    result = capsys.readouterr()
    assert [part["bytes"] for part in json.loads(result.out)] == [len(small_map().build()), len(whole_map().build())]
    assert "cut.map" in result.err


def test_dump_holds_everything(files, capsys):
    assert main(["dump", str(files / "whole map.map")]) == 0
    dump = json.loads(capsys.readouterr().out)
    assert dump["info"]["settings"] == ["tune_zone 1 gravity 0.3", "sv_team 2"]
    assert base64.b64decode(dump["sounds"][0]["data"]) == b"OggS" + build.noise(60)
    rgba = dump["images"][0]["rgba"]
    assert (len(rgba), len(rgba[0]), bytes(rgba[0][0])) == (32, 32, build.noise(4))
    assert dump["envelopes"][0]["points"]["time"] == [0, 500, 1000]
    assert dump["envelopes"][1]["tangents"]["out_x"][0] == [100] * 4
    background, game, sound, later = dump["groups"]
    assert (background["parallax"], background["clip"], later["layers"]) == ([50, 25], [0, 0, 320, 200], [])
    assert background["layers"][0]["quads"]["position_envelope"] == [-1, 0, -1]
    deco, tele = game["layers"][1:3]
    assert deco["automapper"] == {"version": 1, "config": 2, "seed": 1234, "automatic": True}
    assert deco["tiles"]["index"][0][:4] == [0, 1, 0, 1]
    assert (tele["kind"], tele["tiles"]["number"][0][:2], tele["tiles"]["type"][0][0]) == ("tele", [1, 0], 26)
    assert [layer["kind"] for layer in sound["layers"]] == ["sounds", "deprecated_sounds"]


def test_dump_shows_what_is_damaged_in_its_place(files, capsys):
    assert main(["dump", str(files / "damaged.map"), str(files / "cut.map"), str(files / "small.map")]) == 1
    damaged, cut, small = json.loads(capsys.readouterr().out)
    assert "cannot be decompressed" in damaged["groups"][0]["layers"][0]["tiles"]["error"]
    assert cut["error"].startswith("refused ")
    assert small["groups"][0]["layers"][0]["tiles"]["index"] == [[0] * 4] * 3


def test_a_damaged_pak_is_shown_in_its_place_too(root, tmp_path, capsys):
    sample = root / "tests" / "samples" / "source_room.bsp"
    data = sample.read_bytes()
    damaged = tmp_path / "damaged.bsp"
    damaged.write_bytes(data.replace(b"PK\1\2", b"PK\1\3"))
    assert main(["dump", str(damaged)]) == 1
    lumps = {lump["lump"]: lump for lump in json.loads(capsys.readouterr().out)["lumps"]}
    assert "has no entry in the central directory" in lumps["lump 40 (PAKFILE)"]["records"]["error"]
    assert main(["diff", str(sample), str(damaged)]) == 1
    assert "damaged: " in capsys.readouterr().out


def test_a_full_disk_is_said(root, files):
    """However little is printed: Python itself would find out when it ends."""
    command = f"{sys.executable} -m formats info '{files / 'small.map'}' > /dev/full"
    done = subprocess.run(["sh", "-c", command], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "levelformats: standard output: No space left on device\n")


def test_dump_shows_unknown_things(tmp_path, capsys):
    m = small_map()
    m.item(9, (0, 32, 0))
    m.layer((0, 42, 0, 7))
    m.blob(b"nobody's")
    (tmp_path / "odd.map").write_bytes(m.build())
    assert main(["dump", str(tmp_path / "odd.map")]) == 0
    dump = json.loads(capsys.readouterr().out)
    assert dump["unknown items"] == [{"type": 9, "id": 0, "words": [0, 32, 0]}]
    assert dump["groups"][0]["layers"][1]["words"] == [0, 42, 0, 7]
    assert base64.b64decode(dump["unnamed blobs"][0]["data"]) == b"nobody's"


def test_as_a_program(root, files):
    command = [sys.executable, "-m", "formats", "verify", str(files / "small.map"), str(files / "cut.map")]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["ok", "refused"]


def test_whoever_has_read_enough_may_go(root, files):
    with subprocess.Popen(
        [sys.executable, "-m", "formats", "dump", *[str(files / "whole map.map")] * 40],
        cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


@pytest.mark.parametrize("arguments", [[], ["verify"], ["paint", "x.map"]])
def test_wrong_arguments(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: levelformats" in capsys.readouterr().err


def test_info_of_a_folder_counts_levels_models_textures_and_materials(tmp_path, capsys):
    for ending, data in source_model_bytes.quad().items():
        (tmp_path / f"crate{ending.upper()}").write_bytes(data)
    alone = source_model_bytes.quad()[".mdl"]
    for name, data in {
        "a.mdl": alone, "b.mdl": alone, "wall.vtf": source_content_bytes.vtf(bytes(64)), "none.vtf": b"",
        "wall.vmt": b"LightmappedGeneric { $basetexture wall }", "small.map": small_map().build(),
        "floor.material": b'shader = "a"', "readme.txt": b"x",
    }.items():  # fmt: skip
        (tmp_path / name).write_bytes(data)
    assert main(["info", "--json", str(tmp_path)]) == 0
    told = json.loads(capsys.readouterr().out)
    counts = {name: (one["read"], one["refused"]) for name, one in told.items() if isinstance(one, dict)}
    assert counts == {
        "levels": (1, 0), "ns2 materials": (1, 0), "source materials": (1, 0), "source models": (1, 2),
        "source textures": (1, 1),
    }  # fmt: skip
    assert told["source textures"]["why"] == {"it is empty": "1: none.vtf"}
    (why,) = told["source models"]["why"].items()
    assert "no .vvd and no .vtx" in why[0] and why[1] == "2: a.mdl, b.mdl"
    assert main(["info", str(tmp_path / "crate.MDL"), str(tmp_path / "wall.vmt"), str(tmp_path / "wall.vtf")]) == 0
    text = capsys.readouterr().out
    assert "triangles: 2" in text and "shader: LightmappedGeneric" in text and "format: BGRA8888" in text
    assert main(["info", str(tmp_path / "a.mdl")]) == 1


def test_info_counts_what_the_corpus_has(corpus, capsys):
    assert main(["info", "--json", str(corpus / "source-content")]) == 0
    told = json.loads(capsys.readouterr().out)
    counts = {name: (one["read"], one["refused"]) for name, one in told.items() if isinstance(one, dict)}
    assert counts == {"source materials": (56, 0), "source models": (27, 2), "source textures": (35, 0)}
    assert [reason.rpartition("no ")[2] for reason in told["source models"]["why"]] == [".vtx beside it"]
