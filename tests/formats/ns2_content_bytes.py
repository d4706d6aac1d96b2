# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's own files, built byte by byte without the library: `.model`, `.material`, `editor_setup.xml`."""

import struct


def chunk(number: int, body: bytes) -> bytes:
    return struct.pack("<II", number, len(body)) + body


def text(value: str) -> bytes:
    return struct.pack("<I", len(value)) + value.encode("latin-1")


def vertex(position, normal=(0, 1, 0), uv=(0.25, 0.75), color=None) -> bytes:
    parts = [struct.pack("<12f", *position, *normal, 1, 0, 0, 0, 0, 1), struct.pack("<2f", *uv)]
    if color is not None:
        parts.append(bytes(color))
    return b"".join(parts) + struct.pack("<fI", 1, 0) + struct.pack("<fI", 0, 0) * 3


CORNERS = [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)]


def model(version=7, *, sets=((0, 0, 1, (2, 3)), (1, 1, 1, ())), materials=("a/b.material", "c.material"), more=b""):
    """A square of two triangles, each of its own material."""
    color = (255, 128, 0, 64) if version >= 7 else None
    vertices = b"".join(vertex(corner, color=color) for corner in CORNERS)
    parts = [
        chunk(1, struct.pack("<I", 4) + vertices),
        chunk(2, struct.pack("<I6I", 6, 0, 1, 2, 0, 2, 3)),
        chunk(
            3,
            struct.pack("<I", len(sets))
            + b"".join(struct.pack(f"<4I{len(b)}I", m, first, count, len(b), *b) for m, first, count, b in sets),
        ),
        chunk(4, struct.pack("<I", len(materials)) + b"".join(map(text, materials))),
        chunk(6, bytes(4)),
    ]
    if version > 3:
        parts.append(chunk(17, struct.pack("<6f", 0.5, 0, 0.5, 0.5, 0, 0.5)))
    points = text("muzzle") + struct.pack("<i12f", -1, 1, 0, 0, 0, 0, 1, 0, -1, 0, 5, 6, 7)
    parts.append(chunk(13, struct.pack("<I", 1) + points))
    return b"MDL" + bytes([version]) + b"".join(parts) + more


MATERIAL = b"""// a comment
shader = "shaders/Level.surface_shader"
albedoMap\t=\t"materials\\dev\\floor.dds" // why not
normalMap = "materials/dev/floor_normal.dds"
speed1 = 0.012
transmissionColor = [0.32, 0.21, 0.00]
surface = "metal"
"""

XML_MATERIAL = b"""<material>
    <maps>
        <map type="texture" value="models/temp/sentry.dds" />
    </maps>
</material>"""

SETUP = b"""<?xml version="1.0"?>
<editor>
<classes>
  <!-- all lights -->
  <class name="light_base" placeable="false">
    <help>
      Gives light.
    </help>
    <parameter name="color" type="color" label="Color" default="1.0, 0.5, 0"/>
    <parameter name="distance" type="distance" label="Max Distance" default="2.5"/>
  </class>
  <class name="light_spot">
    <parent>light_base</parent>
    <spot_light><radius>distance</radius><color>color</color></spot_light>
    <sphere><radius>distance</radius></sphere>
    <parameter name="outerAngle" type="angle" label="Outer Angle" default="180"/>
    <parameter name="distance" type="distance" label="Reach" default="4"/>
    <parameter name="gobo" type="file" filter="*.dds" default="a.dds" help="a mask"/>
    <parameter name="on" type="boolean" default="True"/>
    <parameter name="count" type="integer" default="3"/>
    <parameter name="size" type="vector" default="2"/>
    <parameter name="kind" type="choice" default="2">
      <choice label="Soft" value="1" help="wide"/>
      <choice label="Hard" value="2"/>
    </parameter>
  </class>
</classes>
<hole_checker><exclude_group>OcclusionGeometry</exclude_group></hole_checker>
</editor>"""
