# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests need that call every operator there is."""

import pytest
from levelwright.addon.scene.disk import programs


def _refused(*_: object) -> None:
    raise OSError("no program may be started here")


@pytest.fixture
def nothing_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    """No browser, and no game that is installed here."""
    monkeypatch.setattr("webbrowser.open", lambda *_: True)
    monkeypatch.setattr(programs.Programs, "start", _refused)
