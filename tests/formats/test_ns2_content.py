# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's own files: models, materials, the editor's classes; bad ones are refused and told where."""

import math

import numpy as np
import pytest

from formats.binary import FormatError
from formats.ns2 import editor_setup, material, model
from formats.ns2.records import PropertyType
from tests.formats import ns2_content_bytes as build

# -------------------------------------------------------------------------------------------------------------- models


@pytest.mark.parametrize("version", [3, 5, 7])
def test_models(version):
    found = model.read(build.model(version))
    assert found.version == version
    assert found.vertices["position"].tolist() == [list(corner) for corner in build.CORNERS]
    assert found.vertices["normal"][0].tolist() == [0, 1, 0]
    assert found.vertices["weights"][0]["weight"].tolist() == [1, 0, 0, 0]
    assert ("color" in found.vertices.dtype.names) == (version == 7)
    if version == 7:
        assert found.vertices["color"][2].tolist() == [255, 128, 0, 64]
    assert found.uv()[0].tolist() == [0.25, 0.25]
    assert found.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert found.face_sets == [model.FaceSet(0, 0, 1, (2, 3)), model.FaceSet(1, 1, 1)]
    assert found.triangle_materials().tolist() == [0, 1]
    assert found.materials == ["a/b.material", "c.material"]
    (point,) = found.attach_points
    assert (point.name, point.bone) == ("muzzle", -1)
    assert point.coords.tolist() == [[1, 0, 0], [0, 0, 1], [0, -1, 0], [5, 6, 7]]
    if version == 3:
        assert found.bounds is None
    else:
        assert found.bounds is not None
        assert found.bounds.tolist() == [[0.5, 0, 0.5], [0.5, 0, 0.5]]
    assert found.chunks[6] == 4


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "needs 3 bytes"),
        (b"LVL\7", "begin with b'MDL'"),
        (b"MDL\4", "version 4"),
        (build.model()[:-1], "are left"),
        (build.model(more=b"\0"), "needs 4 bytes"),
        (build.model(sets=((0, 0, 3, ()),)), "triangles 0 to 3, there are 2"),
        (build.model(sets=((2, 0, 1, ()),)), "material 2, there are 2"),
        (b"MDL\7" + build.chunk(1, b"\xff\xff\xff\xff"), "records of 92 bytes"),
        (b"MDL\7" + build.chunk(2, b"\4\0\0\0" + bytes(16)), "no whole number of triangles"),
        (b"MDL\7" + build.chunk(2, b"\3\0\0\0" + bytes(12)), "vertex 0, there are 0"),
        (b"MDL\7" + build.chunk(4, b"\0\0\0\0x"), "1 bytes too many"),
        (b"MDL\7" + build.chunk(4, b"\xff\xff\xff\x7f"), "but 0 bytes are left"),
    ],
)
def test_models_that_are_broken_are_refused(data, message):
    with pytest.raises(FormatError, match=message):
        model.read(data)


def test_of_chunks_that_are_there_twice_the_first_counts():
    found = model.read(build.model(more=build.chunk(1, bytes(4))))
    assert len(found.vertices) == 4
    assert len(found.flaws) == 1 and "chunk 1" in found.flaws[0]


def test_a_material_that_was_renamed_by_hand_to_a_shorter_name():
    long, short = b"models/long/name.material", b"models/name.material"
    whole = build.model(materials=("a/b.material", long.decode()))
    found = model.read(whole.replace(long, short))
    assert found.materials == ["a/b.material", short.decode()]
    assert found.flaws == ["the last name of a material is 5 bytes shorter than it says"]
    assert found.bounds is not None and found.chunks.keys() == model.read(whole).chunks.keys()


def test_real_models(corpus):
    paths = sorted((corpus / "ns2" / "gamedata").glob("**/*.model"))
    opened, refused, bounded = 0, [], 0
    for path in paths:
        data = path.read_bytes()
        assert model.identify(data)
        try:
            found = model.read(data)
        except FormatError:
            refused.append(path.name)
            continue
        opened += 1
        assert bool(found.flaws) == (path.name == "poster1.model")
        assert all(name.endswith(".material") for name in found.materials)
        covered = np.zeros(len(found.triangles), int)
        for part in found.face_sets:
            covered[part.first : part.first + part.count] += 1
        assert (covered == 1).all()
        lengths = np.linalg.norm(found.vertices["normal"], axis=1)
        assert np.median(lengths) == pytest.approx(1, abs=1e-3)
        if found.bounds is not None:
            low, high = found.vertices["position"].min(axis=0), found.vertices["position"].max(axis=0)
            bounded += np.allclose([(low + high) / 2, (high - low) / 2], found.bounds, atol=0.02)
    assert bounded > 25  # of those that don't move
    assert (opened, refused) == (53, [])


# ----------------------------------------------------------------------------------------------------------- materials


def test_a_material():
    found = material.read(build.MATERIAL)
    assert found.notes == []
    assert found.shader == "Level"
    assert found.specular_in_albedo
    assert found.texture("albedoMap") == "materials/dev/floor.dds"
    assert found.values["speed1"] == 0.012
    assert found.values["transmissionColor"] == (0.32, 0.21, 0.0)
    assert found.text("surface") == "metal"
    assert found.texture("speed1") == found.texture("none") == ""


def test_an_old_material():
    found = material.read(build.XML_MATERIAL)
    assert found.texture("albedoMap") == "models/temp/sentry.dds"
    assert found.notes == ["is an old XML material"]
    assert not found.specular_in_albedo


@pytest.mark.parametrize(
    ("line", "key", "note"),
    [
        ('wdddshader = "a.surface_shader"', "wdddshader", "'shader' is one"),
        ('surface = "organic""', "surface", "left out"),
        ("nothing at all", None, "says nothing"),
        ("speed = 1.2.3", None, "isn't a number"),
        ("color = [1, x]", None, "isn't a number"),
        ('a = "1"\na = "2"', "a", "there twice"),
        ('albedoMap = "no end', None, "says nothing"),
    ],
)
def test_broken_lines_are_told_and_broken_keys_kept(line, key, note):
    found = material.read(line.encode())
    assert (list(found.values) == [key]) if key else not found.values
    assert len(found.notes) == 1
    assert note in found.notes[0]


def test_what_is_no_text_is_refused():
    for data in (b"shader = \0", b"<material>", b"<a><b></a>", b"x" * (material.LONGEST + 1)):
        with pytest.raises(FormatError):
            material.read(data)
    assert material.read(b'\xef\xbb\xbfshader = "x"').shader == "x"


def test_real_materials(corpus):
    paths = sorted((corpus / "ns2" / "gamedata").glob("**/*.material"))
    notes = {path.name: found.notes for path in paths if (found := material.read(path.read_bytes())).notes}
    assert len(paths) == 160
    assert set(notes) == {"ns2_banner.material", "sentry.material", "water.material"}


# -------------------------------------------------------------------------------------------------------- editor setup


def test_classes_and_their_parents():
    found = editor_setup.read(build.SETUP)
    assert found.notes == []
    assert found.settings == {"hole_checker": [("exclude_group", "OcclusionGeometry")]}
    base = found.classes["light_base"]
    assert (base.placeable, base.help, base.parents) == (False, "Gives light.", ())
    spot = found.classes["light_spot"]
    assert (spot.placeable, spot.parents) == (True, ("light_base",))
    assert [entity.name for entity in found.lineage("light_spot")] == ["light_spot", "light_base"]
    parameters = found.parameters("light_spot")
    assert list(parameters) == ["color", "distance", "outerAngle", "gobo", "on", "count", "size", "kind"]
    assert parameters["distance"].label == "Reach"
    assert found.hints("light_spot") == [
        editor_setup.Hint("spot_light", {"radius": "distance", "color": "color"}),
        editor_setup.Hint("sphere", {"radius": "distance"}),
    ]
    assert found.lineage("unknown") == []
    assert found.parameters("unknown") == {}


def test_parameters_have_the_types_and_values_of_levels():
    parameters = editor_setup.read(build.SETUP).parameters("light_spot")
    values = {name: parameter.value for name, parameter in parameters.items()}
    assert values == {
        "color": (1.0, 0.5, 0.0),
        "distance": (4.0,),
        "outerAngle": (math.pi,),
        "gobo": "a.dds",
        "on": True,
        "count": 3,
        "size": (2.0, 2.0, 2.0),
        "kind": 2,
    }
    types = {name: (parameter.property_type, parameter.components) for name, parameter in parameters.items()}
    assert types["color"] == (PropertyType.COLOR, 3)
    assert types["size"] == (PropertyType.REAL, 3)
    assert types["gobo"] == (PropertyType.FILE_NAME, 1)
    assert types["kind"] == (PropertyType.CHOICE, 1)
    assert parameters["gobo"].filter == "*.dds"
    assert parameters["kind"].choices == (
        editor_setup.Choice("Soft", 1, "wide"),
        editor_setup.Choice("Hard", 2),
    )


def test_what_is_not_right_is_told():
    found = editor_setup.read(
        b'<classes><class name="a"><parent>b</parent></class><class name="b"><parent>a</parent><parent>c</parent>'
        b'<parameter name="p" type="odd" default="x"/>'
        b'<parameter name="q" type="choice" default="nan"><choice value=""/></parameter>'
        b'</class><class name="b"/><class/></classes>'
    )
    notes = " ".join(found.notes)
    for note in ("unknown type 'odd'", "choice '' isn't a number", "there twice", "without a name"):
        assert note in notes
    assert [entity.name for entity in found.lineage("a")] == ["a", "b"]
    both = editor_setup.read(
        b'<classes><class name="a"><parent>b</parent></class><class name="b"><parent>a</parent>'
        b'<parameter name="q" type="choice" default="nan"/><parameter name="p" type="odd" default="x"/>'
        b"</class></classes>"
    )
    parameters = both.parameters("a")
    assert (parameters["q"].value, parameters["p"].value, parameters["p"].property_type) == (0, "x", None)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no element found"),
        (b"<classes>", "no element found"),
        (b"<other/>", "its root is 'other'"),
        (b'<!DOCTYPE a [<!ENTITY x "y">]><classes>&x;</classes>', "document type"),
        (b"<a>" * 100, "more than 64 elements"),
        (b"<classes>\xff</classes>", "line 1"),
        (b'<?xml version="1.0" encoding="nonsense"?><classes/>', "encoding"),
    ],
)
def test_setups_that_are_broken_are_refused(data, message):
    with pytest.raises(FormatError, match=message):
        editor_setup.read(data)


def test_real_setups(corpus):
    counts = {}
    for path in sorted((corpus / "ns2" / "gamedata" / "editor_setup").glob("*.xml")):
        found = editor_setup.read(path.read_bytes())
        counts[path.name] = len(found.classes)
        assert not any("unknown type" in note for note in found.notes)
        spot = found.parameters("light_spot")
        assert spot["outerAngle"].property_type == PropertyType.ANGLE
        assert {"color", "distance", "intensity"} <= set(spot)
        assert any(hint.kind == "spot_light" for hint in found.hints("light_spot"))
    assert len(counts) == 8
    assert max(counts.values()) == 116
