# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing `.3dt` text (genesis.md §2): a level is a row of records, each made as the editor would write it.

A record that says what it said when it was read is written as it stood; one that was changed keeps the words that still
hold, and the spaces between them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..binary import FormatError
from ..steps import Steps, Stepwise
from . import motion_file, text_3dt
from .editor_level import EditorBrush, EditorEntity, EditorFace, EditorModel, Group, Level3dt, Sky, Span
from .text import fixed
from .tokens import patched, quote


@dataclass(frozen=True, slots=True)
class TextRecord:
    """A part of the text, made anew."""

    span: Span | None
    """Where it stood in the text that was read."""
    text: str
    refused: tuple[FormatError, ...] = ()
    """What the version has no words for; files may still hold it."""
    unread: bool = False
    """Whether nobody asked for what the text says: it stands as it was read."""


_BARE_WORD = re.compile(r'[^\s"]+')


@Stepwise
def write(level: Level3dt) -> Steps[bytes]:
    """Return the level's text: what nobody changed comes out as it came in.

    Raises FormatError for what the level's version has no words for: a key with a space, half a degree before 1.33...
    """
    parts: list[str] = []
    before: dict[Span, TextRecord] = {}
    end = -1
    for record in _Writer(level.version).level(level):
        made = record.text if record.unread else record.text.replace("\r\n", "\n").replace("\n", level.newline)
        span = record.span if level.source else None
        if span is not None and not record.unread:
            source = level.source[span[0] : span[1]]
            if made != source:
                before = before or (yield from _records_by_span(level))
                made = _changed(record, before.get(span), source, made)
        elif record.refused:
            raise record.refused[0]
        follows = span is not None and span[0] == end
        if parts and not follows and not parts[-1][-1:].isspace():
            parts.append(level.newline)
        parts.append(made)
        end = span[1] if span is not None else -1
        yield
    parts.append(level.settings)
    try:
        return "".join(parts).encode("latin-1")
    except UnicodeEncodeError as error:
        raise FormatError(f"{error.object[error.start]!r} is not a Latin-1 character", "text") from None


def _records_by_span(level: Level3dt) -> Steps[dict[Span, TextRecord]]:
    """The records of the text that a level was read from, but for brushes that nobody asked for."""
    was = text_3dt.read(level.source.encode("latin-1"))
    yield
    if level.unread_text() is None:
        was.leaves()
        yield
    return {record.span: record for record in _Writer(was.version).level(was) if record.span is not None}


def _changed(record: TextRecord, before: TextRecord | None, source: str, made: str) -> str:
    """What stands where `source` stood: that itself if the record says what it said. Raises FormatError."""
    if before is not None and before.text == record.text:
        return source
    known = {str(error) for error in before.refused} if before is not None else set()
    for error in record.refused:
        if str(error) not in known:
            raise error
    return patched(source, before.text if before is not None else "", made)


class _Writer:
    """Makes the records of a level, in their order, with LF at the ends of lines."""

    def __init__(self, version: tuple[int, int]) -> None:
        if not text_3dt.OLDEST <= version <= text_3dt.NEWEST:
            raise FormatError(f"version {version[0]}.{version[1]} is not known", "3dtVersion")
        self.version = version
        self.refused: list[FormatError] = []
        """What of the record that is being made has no words."""

    def record(self, span: Span | None, text: str) -> TextRecord:
        """A record whose text was just made."""
        refused, self.refused = tuple(self.refused), []
        return TextRecord(span, text, refused)

    def bare(self, text: str, what: str) -> str:
        """Text without quotes: one word; other text, which only files hold, in quotes."""
        if _BARE_WORD.fullmatch(text):
            return text
        message = f"{text!r}: this version writes it without quotes, so it has to be one word"
        self.refused.append(FormatError(message, what))
        return quote(text)

    def line(self, text: str) -> str:
        """Text to the end of its line."""
        if "\n" in text or "\r" in text:
            self.refused.append(FormatError(f"{text!r} is more than a line", "key or value"))
        return text

    def since(self, minor: int) -> bool:
        """Whether the file is of version 1.`minor` or later."""
        return self.version >= (1, minor)

    def name(self, text: str, since: int) -> str:
        """Text in quotes, or bare before quotes were introduced."""
        if self.since(since):
            return quote(text)
        return self.bare(text, "name")

    def level(self, level: Level3dt) -> Iterator[TextRecord]:
        yield self.record(level.header_span, self.header(level))
        unread = level.unread_text()
        if unread is not None:
            yield TextRecord(unread, level.source[slice(*unread)], unread=True)
        else:
            if self.since(15):
                yield self.record(level.brush_list_span, f"Brushlist {len(level.brushes)}\n")
            for brush in level.brushes:
                yield from self.brush(brush)
        head = f"Class CEntList\nEntCount {len(level.entities)}\nCurEnt {level.current_entity}\n"
        yield self.record(level.entity_list_span, head)
        for entity in level.entities:
            yield self.record(entity.span, self.entity(entity))
        for model in level.models:
            yield self.record(model.span, self.model(model))
        if self.since(3):
            for group in level.groups:
                yield self.record(group.span, self.group(group))
        if self.since(12):
            sky = level.sky or Sky()
            yield self.record(sky.span, self.sky(sky))

    def header(self, level: Level3dt) -> str:
        lines = [f"3dtVersion {self.version[0]}.{self.version[1]}"]
        if not self.since(16):
            lines.append(f"PalLoc {self.bare(level.palette, 'PalLoc')}")
        if self.since(18):
            lines.append(f"TextureLib {quote(level.texture_library)}")
        else:
            lines.append(f"WadLoc {self.bare(level.texture_library, 'WadLoc')}")
        if self.since(31):
            lines.append(f"HeadersDir {quote(level.headers_directory)}")
        if self.since(33):
            lines += [f"ActorsDir {quote(level.actors_directory)}", f"PawnIni {quote(level.pawn_ini)}"]
        if not self.since(15):
            lines.append(f"NumBrushes {len(level.brushes)}")
        lines += [f"NumEntities {len(level.entities)}", f"NumModels {len(level.models)}"]
        if self.since(3):
            lines.append(f"NumGroups {len(level.groups)}")
        return _text(lines)

    def brush(self, brush: EditorBrush) -> Iterator[TextRecord]:
        lines = [f"Brush {self.name(brush.name, 24)}", f"\tFlags {_signed(brush.flags)}"]
        if self.since(3):
            lines += [f"\tModelId {brush.model_id}", f"\tGroupId {brush.group_id}"]
        else:
            lines.append(f"\tEntityId {brush.model_id}")
        lines.append(f"\tHullSize {_float(brush.hull_size)}")
        if (1, 17) <= self.version < (1, 27):
            lines.append(f"\tTranslucency {brush.translucency}")
        if self.since(15):
            lines.append(f"\tType {text_3dt.MULTI if brush.is_multi else text_3dt.LEAF}")
        elif brush.is_multi:
            raise FormatError("brushes made of brushes came with version 1.15", f"brush {brush.name!r}")
        yield self.record(brush.span, _text(lines))
        if brush.children is None:
            yield self.record(brush.list_span, f"\tBrushFaces {len(brush.faces)}\n")
            for face in brush.faces:
                yield self.record(face.span, self.face(face))
        else:
            yield self.record(brush.list_span, f"Brushlist {len(brush.children)}\n")
            for child in brush.children:
                yield from self.brush(child)

    def face(self, face: EditorFace) -> str:
        lines = [f"\t\tNumPoints {len(face.points)}"]
        if self.since(8):
            lines.append(f"\t\tFlags {_signed(face.flags)}")
            if not self.since(25):
                lines.append(f"\t\tFaceValue {_float(face.value)}")
        if self.since(13):
            lines.append(f"\t\tLight {face.light}")
        if self.since(25):
            lines.append(f"\t\tMipMapBias {_float(face.mip_map_bias)}")
        if self.since(27):
            lines.append(f"\t\tTranslucency {_float(face.translucency)}")
            lines.append(f"\t\tReflectivity {_float(face.reflectivity)}")
        lines += [f"\t\t\tVec3d {_floats(point)}" for point in face.points.tolist()]
        rotate, shift = self.rotate(face), " ".join(map(str, face.shift))
        name = self.name(face.texture, 24)
        lines.append(f"\t\t\tTexInfo Rotate {rotate} Shift {shift} Scale {_floats(face.scale)} Name {name}")
        if self.since(17):
            lines.append(f"\t\tLightScale {_floats(face.light_scale)}")
        if self.since(32):
            lines.append(f"\tTransform\t{_floats(face.transform)} ")
            lines.append(f"\tPos\t{_floats(face.position)} ")
        return _text(lines)

    def rotate(self, face: EditorFace) -> str:
        """The turn of a texture: whole degrees before 1.33."""
        if self.since(33):
            return _float(face.rotate)
        if not float(face.rotate).is_integer():
            raise FormatError(f"{face.rotate} degrees: before version 1.33 textures turn by whole degrees", "Rotate")
        return str(int(face.rotate))

    def entity(self, entity: EditorEntity) -> str:
        place = " ".join(map(_whole, entity.place))
        lines = ["CEntity", f"eStyle {entity.style}", f"eOrigin {place} {entity.place_tail}"]
        if not self.since(21):
            lines.append(f"eRenderOrigin {' '.join(map(_whole, entity.render_origin))}")
        lines += [f"eFlags {_signed(entity.flags)}", f"eGroup {entity.group_id}", f"ePairCount {len(entity.pairs)}"]
        for key, value in entity.pairs:
            if self.since(14):
                lines.append(f"Key {self.bare(key, 'Key')} Value {quote(value)}")
            else:
                lines += [f"K {self.line(key)}", f"V {self.line(value)}"]
        return _text([*lines, "End CEntity"])

    def model(self, model: EditorModel) -> str:
        lines = [f"Model {self.name(model.name, 19)}", f"\tModelId {model.model_id}"]
        if self.since(7):
            lines += [f"\tCurrentKeyTime {_float(model.key_time)}", "\tTransform", f"{_floats(model.transform)} "]
        if self.since(5):
            lines.append(f"\tMotion {int(model.motion is not None)}")
        elif model.motion is not None:
            raise FormatError("motions came with version 1.5", f"model {model.name!r}")
        path = motion_file.write(model.motion).decode("latin-1") if model.motion is not None else ""
        return _text(lines) + path

    def group(self, group: Group) -> str:
        lines = [f"Group {self.name(group.name, 19)}", f"\tGroupId {group.group_id}"]
        lines += [f"\tVisible {group.visible}", f"\tLocked {group.locked}"]
        if self.since(9):
            lines.append(f"Color {_floats(group.color)}")
        return _text(lines)

    def sky(self, sky: Sky) -> str:
        lines = ["Sky"]
        for face in sky.faces:
            name = quote(face.texture) if self.since(14) else self.bare("x" + face.texture, "Sky")
            lines.append(f"{face.apply} {name}")
        if self.since(26):
            lines += [f"Axis {_floats(sky.axis)}", f"Speed {_float(sky.speed)}"]
        if self.since(28):
            lines.append(f"Scale {_float(sky.scale)}")
        return _text(lines)


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _float(value: float) -> str:
    if not abs(value) <= 3.4028235e38:
        raise FormatError(f"{value} is not a number that a 32-bit float can hold", "number")
    return fixed(value)


def _floats(values: "tuple[float, ...] | list[float]") -> str:
    return " ".join(map(_float, values))


def _whole(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() else _float(value)


def _signed(flags: int) -> int:
    """Flags as the editor's %d prints them."""
    return (flags + 0x80000000) % 0x100000000 - 0x80000000
