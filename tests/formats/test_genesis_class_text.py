# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of entities as text and back."""

import pytest

from formats import FormatError
from formats.genesis import class_text, typedefs
from formats.genesis.typedefs import Field, TypeDef

DOOR = TypeDef("Door", [Field("Origin", "point"), Field("Model", "model"), Field("next", "Door")])


def test_what_is_written_is_read():
    text = class_text.write([DOOR, *typedefs.BUILTIN])
    assert text.startswith("struct Door {\n    point Origin;\n    model Model;\n    Door next;\n};\n\nstruct light {")
    assert class_text.says(text, [DOOR, *typedefs.BUILTIN])
    assert not class_text.says(text, typedefs.BUILTIN)
    assert class_text.read("") == []


def test_white_space_and_comments_say_nothing():
    text = "// doors\nstruct Door{point Origin;model\n\tModel; /* of\ntwo lines */ Door next ; } ;"
    (made,) = class_text.read(text)
    assert class_text.same(made, DOOR)


def test_names_that_the_text_cannot_say():
    assert not class_text.says(class_text.write([TypeDef("two words")]), [TypeDef("two words")])
    twice = TypeDef("Door", [Field("a", "int"), Field("A", "int")])
    assert not class_text.says(class_text.write([twice]), [twice])


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("struct Door {\n    point Origin\n};", 3, "'}' stands where ';' should"),
        ("struct Door {\n    point;\n};", 2, "';' stands where the name of a field should"),
        ("struct Door {\n    point Origin;\n", 2, "the text ends where a field or '}' should stand"),
        ("struct Door {\n}\nstruct Lamp {\n};", 3, "'struct' stands where ';' should"),
        ("\nclass Door {\n};", 2, "'class' stands where 'struct' should"),
        ("struct {\n};", 1, "'{' stands where the name of a class should"),
        ("struct Door {\n};\n\nstruct door {\n};", 4, "class door is there twice"),
        ("struct Door {\n  int a;\n  float A;\n};", 3, "class Door has two fields A"),
        ("struct T\u00fcr\u20ac {\n};", 1, "has characters that Latin-1 has not"),
    ],
)
def test_what_is_refused(text: str, line: int, message: str):
    with pytest.raises(FormatError) as caught:
        class_text.read(text)
    assert caught.value.reading == f"line {line}"
    assert message in caught.value.message
