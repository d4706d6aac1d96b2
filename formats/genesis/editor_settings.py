# SPDX-License-Identifier: GPL-3.0-or-later
"""The last part of a `.3dt`: how the editor compiles and shows the level, as it stands in a new one.

The editor does not open a file without it (since 1.20).
"""

_VIEWS = ("TexturedView", "TopView", "FrontView", "SideView")

_COMPILE = """\
CompileInfo
Filename ""
Vis 1
Light 1
Bsp 1
Preview 1
MinLight 1
SuppressHidden 0
EntitiesOnly 0
VisDetail 0
Verbose 0
ExtraSamples 0
LightScale 1.000000
Radiosity 0
NumBounce 10
PatchSize 128.000000
FastPatch 0
ReflectScale 1.000000
MinLight 128.000000 128.000000 128.000000
VisVerbose 0
FullVis 0
SortPortals 1
BspVerbose 0
EntityVerbose 0
ShowGroups 0
EntityVis 0
Grid 1
Type 1
Snap 1
Metric 10
Texel 8
Rotation 15
BspRebuild 1
"""

_VIEW = """\
{} 0
Zoom 1.000000
PitchRollYaw 0.000000 0.000000 0.000000
CamPos 0.000000 0.000000 0.000000
"""

_TEMPLATES = """\
ArchTemplate
NumSlits 3
Thickness 20.000000
Width 100.000000
Radius 200.000000
WallSize 16.000000
Style 0
EndAngle 180.000000
StartAngle 0.000000
TCut 0
BoxTemplate
Solid 0
TCut 0
TSheet 0
Thickness 16.000000
XSizeBot 128.000000
XSizeTop 128.000000
YSize 128.000000
ZSizeBot 128.000000
ZSizeTop 128.000000
ConeTemplate
Style 0
Width 128.000000
Height 128.000000
VerticalStrips 8
Thickness 16.000000
TCut 0
CylinderTemplate
BotXOffset 0.000000
BotXSize 128.000000
BotZOffset 0.000000
BotZSize 128.000000
Solid 0
Thickness 16.000000
TopXOffset 0.000000
TopXSize 128.000000
TopZOffset 0.000000
TopZSize 128.000000
VerticalStripes 8
YSize 128.000000
RingLength 0.000000
TCut 0
SpheroidTemplate
HorizontalBands 4
VerticalBands 8
YSize 128.000000
Solid 0
Thickness 16.000000
TCut 0
StaircaseTemplate
Height 128.000000
Length 128.000000
NumberOfStairs 8
Width 64.000000
MakeRamp 0
TCut 0
TemplatePos 0.000000 0.000000 0.000000
DrawScale 1.000000
LightmapScale 2.000000
"""


def new_settings(newline: str) -> str:
    """The settings of a new level, in the layout of 1.23 to 1.33."""
    text = _COMPILE + "".join(_VIEW.format(name) for name in _VIEWS) + _TEMPLATES
    return text.replace("\n", newline)
