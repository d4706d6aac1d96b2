# SPDX-License-Identifier: GPL-3.0-or-later
"""Where each fuzzer is."""

from __future__ import annotations

from importlib import import_module

from .driver import Fuzzer

FUZZERS = {
    "teeworlds-level": "tests.formats.teeworlds_fuzz",
    "teeworlds-import": "tests.addon.teeworlds.test_import_fuzz",
    "genesis-level": "tests.formats.genesis_fuzz",
    "genesis-compiled": "tests.formats.genesis_compiled_fuzz",
    "genesis-text": "tests.formats.genesis_text_fuzz",
    "genesis-import": "tests.addon.genesis.test_damaged_fuzz",
    "fable-level": "tests.formats.fable_fuzz",
    "fable-import": "tests.addon.fable.test_import_fuzz",
    "fable-export": "tests.addon.fable.test_export_fuzz",
    "ns2-level": "tests.formats.ns2_fuzz",
    "ns2-content": "tests.formats.ns2_content_fuzz",
    "ns2-export": "tests.addon.ns2.test_export_fuzz",
    "ns2-unedited": "tests.addon.ns2.test_unedited_fuzz",
    "source-level": "tests.formats.source_fuzz",
    "source-content": "tests.formats.source_content_fuzz",
    "source-models": "tests.formats.source_models_fuzz",
    "source-edits": "tests.formats.source_edits_fuzz",
    "source-brushes": "tests.formats.source_brush_fuzz",
    "source-vmf": "tests.formats.source_vmf_fuzz",
    "source-import": "tests.addon.source.test_import_fuzz",
    "source-export": "tests.addon.source.test_export_fuzz",
    "source-surfaces": "tests.addon.source.test_export_surfaces_fuzz",
    "real-content": "tests.formats.real_content_fuzz",
}
"""Every module that has a FUZZER."""
READERS = tuple(name for name, module in FUZZERS.items() if module.startswith("tests.formats."))
"""Those that need no Blender."""
BUILT = tuple(name for name in READERS if not name.startswith("real-"))
"""Those of them that need no corpus."""
GAMES = tuple(dict.fromkeys(name.partition("-")[0] for name in FUZZERS if not name.startswith("real-")))


def fuzzer(name: str) -> Fuzzer[object]:
    """The fuzzer of that name; one of READERS, or the extension has to be registered."""
    found: Fuzzer[object] = import_module(FUZZERS[name]).FUZZER
    return found
