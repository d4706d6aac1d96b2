# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of things share: a `.tng` with one of everything, a way in and out of Blender, and what differs."""

import difflib
from collections.abc import Mapping
from pathlib import Path

import bpy
from levelwright.addon.fable import layout
from levelwright.addon.fable.exporter import export_level
from levelwright.addon.fable.importer import build_scene
from levelwright.addon.fable.settings import ExportSettings, ImportSettings
from levelwright.addon.scene.reports import Report
from levelwright.formats import fable
from levelwright.formats.fable import UID_BASE

from tests.addon.genesis.export_helpers import part
from tests.formats import fable_bytes as fb

UID = UID_BASE + 70
COUNTER = 77  # of fable_bytes' levels

TNG = f"""Version 2;

XXXSectionStart NULL;

NewThing Marker;
Player 4;
UID {UID};
DefinitionType "MARKER_BASIC";
ScriptName MK_GO;
ScriptName MK_TWICE;
ThingGamePersistent FALSE;
StartCTCPhysicsStandard;
PositionX 18.369873;
PositionY 24.726318;
PositionZ  3.2318270;
RHSetForwardX -0.819133;
RHSetForwardY 0.573564;
RHSetForwardZ 0.0;
RHSetUpX -0.000343;
RHSetUpY -0.00049;
RHSetUpZ 0.999994;
EndCTCPhysicsStandard;
StartCTCEditor;
EndCTCEditor;
Health 1.0;
ObjectScale 0.5;
EndThing;

NewThing AICreature;
UID {UID + 1};
DefinitionType "CREATURE_BANDIT";
ScriptName NULL;
ScriptData "a; b";
StartCTCPhysicsNavigator;
PositionX 4.0;
PositionY 5.0;
PositionZ 1.0;
RHSetForwardX 0.0;
RHSetForwardY 1.0;
RHSetForwardZ 0.0;
RHSetUpX 0.0;
RHSetUpY 0.0;
RHSetUpZ 1.0;
EndCTCPhysicsNavigator;
StartCTCDoor;
Open FALSE;
Count 12;
Inner C3DCoordF(1.0,-2.5,3.0);
Colour CRGBColour(130,60,5,255);
OwnerUID {UID};
EndCTCDoor;
InitialPosX 2596.0;
InitialPosY 2117.0;
InitialPosZ 1.0;
EndThing;

NewThing Thing;
UID {UID + 2};
DefinitionType "NAVIGATION_SEED";
StartCTCDNavigationSeed;
EndCTCDNavigationSeed;
EndThing;

XXXSectionEnd;


XXXSectionStart Q_Quest;

NewThing Holy Site;
UID {UID + 3};
DefinitionType "HOLY_SITE_BASIC";
StartCTCPhysicsStandard;
PositionX 1.0;
PositionY 2.0;
PositionZ 3.0;
EndCTCPhysicsStandard;
EndThing;

XXXSectionEnd;

"""


def opened(text: str = TNG, report: Report | None = None) -> bpy.types.Collection:
    data = fb.Lev().build()
    parts = {"test.tng": text.encode("latin-1")}
    level = fable.read(data)
    return build_scene(bpy.context, level, data, Path("test.lev"), ImportSettings(), report or Report(), parts)


def both(level: bpy.types.Collection, report: Report | None = None, **settings: object) -> tuple[bytes, str]:
    made = export_level(bpy.context, level, ExportSettings(**settings), report or Report())
    assert isinstance(made, Mapping)
    return made[".lev"], made[".tng"].decode("latin-1")


def written(level: bpy.types.Collection, report: Report | None = None) -> str:
    return both(level, report)[1]


def thing(level: bpy.types.Collection, number: int) -> bpy.types.Object:
    return part(level, layout.THING, number)


def difference(after: str, before: str = TNG) -> list[str]:
    """Lines that are gone or new."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


def written_as_new(level: bpy.types.Collection) -> str:
    return both(level, build_as_new=True)[1]
