# SPDX-License-Identifier: GPL-3.0-or-later
"""XML files of the game, read without anything that could make them grow: no entities, no document types."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from ..binary import FormatError

DEEPEST = 64  # elements in each other


@dataclass(slots=True, eq=False)
class Element:
    """`text` is what stands in it, without blanks around it and without what stands in its children."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: "list[Element]" = field(default_factory=list)
    text: str = ""

    def all(self) -> "Iterator[Element]":
        """The element and all in it."""
        yield self
        for child in self.children:
            yield from child.all()

    def find(self, *tags: str) -> "Iterator[Element]":
        """The children with one of these tags."""
        return (child for child in self.children if child.tag in tags)


def parse(data: bytes, what: str) -> Element:
    """The root of an XML file. Raises FormatError."""
    stack: list[Element] = []
    roots: list[Element] = []
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) >= DEEPEST:
            raise FormatError(f"more than {DEEPEST} elements in each other", what, parser.CurrentByteIndex)
        element = Element(tag, attributes, parser.CurrentLineNumber)
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack[-1].text = stack[-1].text.strip()
        stack.pop()

    def text(characters: str) -> None:
        stack[-1].text += characters

    def refuse(*_: object) -> None:
        raise FormatError("has a document type, which may define entities", what, parser.CurrentByteIndex)

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise FormatError(f"line {error.lineno}: {reason}", what, parser.ErrorByteIndex) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"cannot be read: {error}", what) from None
    return roots[0]
