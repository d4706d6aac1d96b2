# SPDX-License-Identifier: GPL-3.0-or-later
"""What `option` says of the field of a game's settings."""

from dataclasses import dataclass

from levelwright.addon.scene.fields import options, properties


@dataclass(frozen=True)
class Settings:
    scale: float = options.option(
        0.5, "Size", "Metres", minimum=0.1, maximum=2, precision=3, unit="LENGTH", panel="View"
    )
    faces: str = options.option("all", "Faces", "Which", {"all": ("All", "Every one"), "none": ("None", "Not one")})
    folder: str = options.option("", "Folder", "Where content is", subtype="DIR_PATH")


def test_an_option_is_a_field_with_all_that_is_shown() -> None:
    scale, faces, folder = properties.fields(Settings)
    assert (scale.default, scale.title, scale.tooltip, scale.panel) == (0.5, "Size", "Metres", "View")
    assert (scale.minimum, scale.maximum, scale.precision, scale.unit) == (0.1, 2, 3, "LENGTH")
    assert (faces.choices, folder.choices) == (("all", "none"), ())
    assert (folder.subtype, folder.panel, folder.minimum, folder.unit) == ("DIR_PATH", "", None, None)
    assert Settings(faces="none").scale == 0.5
