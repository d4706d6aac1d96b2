# SPDX-License-Identifier: GPL-3.0-or-later
"""Static and detail props: game lumps made byte by byte, of every version and size that is known."""

import struct

import numpy as np
import pytest

from formats.binary import FormatError
from formats.source.sections import detail_props, static_props
from formats.source.tables import props as records
from tests.formats import source_record_bytes as build

MODELS = (b"models/rock.mdl\0", b"models/tree.mdl\0junk behind it")


def names(models=MODELS, byte_order="<"):
    return struct.pack(byte_order + "i", len(models)) + b"".join(model.ljust(128, b"\xcd") for model in models)


def leafs(values=(3, 4, 5), byte_order="<", form="H"):
    return struct.pack(f"{byte_order}i{len(values)}{form}", len(values), *values)


def props(name, number=3, byte_order="<", **given):
    return struct.pack(byte_order + "i", number) + build.records(name, number, byte_order, **given)


VERSIONS = [
    (4, 17, "PROP_V4"),
    (5, 20, "PROP_V5"),
    (5, 20, "PROP_V5_TARGETNAME"),
    (6, 20, "PROP_V6"),
    (6, 20, "PROP_V6_TARGETNAME"),
    (6, 20, "PROP_V6_136"),
    (7, 20, "PROP_V7_COLOR"),
    (7, 20, "PROP_SDK2013"),
    (8, 20, "PROP_V8"),
    (9, 21, "PROP_V9"),
    (9, 21, "PROP_V9_76"),
    (10, 20, "PROP_SDK2013"),
    (10, 21, "PROP_V10"),
    (11, 20, "PROP_SDK2013_COLOR"),
    (11, 20, "PROP_SDK2013_COLOR_EX"),
    (11, 21, "PROP_V11"),
    (12, 25, "PROP_V11"),
    (13, 25, "PROP_V13"),
]


@pytest.mark.parametrize(("version", "bsp_version", "name"), VERSIONS)
@pytest.mark.parametrize("byte_order", "<>")
def test_every_version_and_size(version, bsp_version, name, byte_order):
    form = "I" if version >= 12 else "H"
    data = names(byte_order=byte_order) + leafs((7, 8, 9), byte_order, form)
    data += props(name, byte_order=byte_order, first_leaf=1, leaf_count=2)
    found = static_props.read(data, version, bsp_version, byte_order)
    assert found.models == ["models/rock.mdl", "models/tree.mdl"]
    assert found.leafs["leaf"].tolist() == [7, 8, 9]
    assert found.props.dtype == getattr(records, name).newbyteorder(byte_order)
    spec = build.RECORDS[name]
    for number, row in enumerate(found.props):
        for field, values in build.sample(spec, 7 * number, first_leaf=1, leaf_count=2).items():
            assert row[field].reshape(-1).tolist() == values
    assert found.leafs_of(1).tolist() == [8, 9]
    assert found.to_bytes() == data
    assert (found.scales, found.extra_names, found.trailing, found.reason) == (None, None, b"", "")


@pytest.mark.parametrize(("version", "name"), [(6, "PROP_V5"), (7, "PROP_V6")])
def test_scales_stand_before_the_props_of_vindictus(version, name):
    scales = struct.pack("<i", 2) + struct.pack("<i3fi3f", 0, 1, 2, 3, 2, 0.5, 0.5, 0.5)
    data = names() + leafs() + scales + props(name)
    found = static_props.read(data, version, 20)
    assert found.props.dtype == getattr(records, name)
    assert found.scales["prop"].tolist() == [0, 2]
    assert found.scales["scale"][1].tolist() == [0.5, 0.5, 0.5]
    assert found.to_bytes() == data


def test_a_second_dictionary_of_zeno_clash():
    data = names() + names((b"extra\0",)) + leafs() + props("PROP_V7_COLOR")
    found = static_props.read(data, 7, 20)
    assert bytes(found.extra_names["name"][0]).startswith(b"extra\0")
    assert found.props.dtype == records.PROP_V7_COLOR
    assert found.to_bytes() == data


@pytest.mark.parametrize("data", [props("PROP_V13"), struct.pack("<i", 3) + bytes(100), props("PROP_V5", 0) + b"?"])
def test_records_that_are_not_known_are_kept(data):
    data = names() + leafs() + data
    found = static_props.read(data, 10, 20)
    assert found.props is None
    assert found.reason
    assert found.models[0] == "models/rock.mdl"
    assert found.to_bytes() == data
    with pytest.raises(FormatError):
        found.leafs_of(0)


@pytest.mark.parametrize(
    ("version", "bsp_version", "name"),
    [(4, 17, "PROP_V4"), (6, 20, "PROP_V6"), (10, 20, "PROP_SDK2013"), (10, 21, "PROP_V10"), (13, 25, "PROP_V13")],
)
def test_where_there_are_none_the_usual_ones_could_be_added(version, bsp_version, name):
    data = names(()) + leafs(()) + struct.pack("<i", 0)
    found = static_props.read(data, version, bsp_version)
    assert found.props.dtype == getattr(records, name)
    assert found.to_bytes() == data
    found.props = np.zeros(2, found.props.dtype)
    assert len(found.to_bytes()) == len(data) + 2 * found.props.itemsize


@pytest.mark.parametrize("data", [b"", names()[:-1], names() + b"\1", names() + leafs()[:-1], struct.pack("<i", -1)])
def test_lists_that_are_not_whole_are_refused(data):
    with pytest.raises(FormatError, match="static props"):
        static_props.read(data, 6, 20)


def test_names_of_models():
    assert bytes(static_props.model_name("a.mdl")["name"]) == b"a.mdl".ljust(128, b"\0")
    for path in ("x" * 128, "\N{SNOWMAN}"):
        with pytest.raises(FormatError, match="model"):
            static_props.model_name(path)


# ------------------------------------------------------------------------------------------------------- detail props


@pytest.mark.parametrize("byte_order", "<>")
def test_detail_props(byte_order):
    sprites = struct.pack(byte_order + "i", 2) + build.records("DETAIL_SPRITE", 2, byte_order)
    details = struct.pack(byte_order + "i", 3) + build.records("DETAIL_V4", 3, byte_order, type=1, scale=1.5)
    data = names(byte_order=byte_order) + sprites + details + b"tail"
    found = detail_props.read(data, 4, byte_order)
    assert found.models == ["models/rock.mdl", "models/tree.mdl"]
    assert found.sprites["ul"].shape == (2, 2)
    assert found.details["type"].tolist() == [1, 1, 1]
    assert found.details["scale"].tolist() == [1.5, 1.5, 1.5]
    assert found.trailing == b"tail"
    assert found.to_bytes() == data


def test_detail_props_of_bloodlines_have_no_sprites():
    data = names() + struct.pack("<i", 3) + build.records("DETAIL_V2", 3)
    found = detail_props.read(data, 2)
    assert found.sprites is None
    assert len(found.details) == 3
    assert found.to_bytes() == data


def test_detail_props_that_are_not_known_are_refused():
    with pytest.raises(FormatError, match="version 3 is not known"):
        detail_props.read(b"", 3)
    with pytest.raises(FormatError, match="detail props"):
        detail_props.read(names() + struct.pack("<i", 1 << 30), 4)


@pytest.mark.parametrize("byte_order", "<>")
def test_lighting_of_detail_props(byte_order):
    data = struct.pack(byte_order + "i", 2) + build.records("DETAIL_LIGHTSTYLE", 2)
    found = detail_props.read_lighting(data, byte_order)
    assert found["style"].tolist() == [build.record("DETAIL_LIGHTSTYLE", first)[4] for first in (0, 7)]
    assert detail_props.write_lighting(found, byte_order) == data
    assert len(detail_props.read_lighting(b"", byte_order)) == 0
    with pytest.raises(FormatError, match="follow the last"):
        detail_props.read_lighting(data + b"\0", byte_order)
