# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that makes one file after another as it is asked to: `batch` starts it.

A request is a line of JSON on standard input, its answer one on standard output. What Blender itself prints goes to
standard error.
"""

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from .batch import FAILED, WRITTEN, Outcome
from .conversion import convert
from .scene import reports
from .scene.disk.known_files import digest
from .scene.fields.options import UsageError
from .scene.reports import Report, in_words

FAILURES = (*reports.FAILURES, RuntimeError, UsageError)
"""What a conversion raises for what users give it; RuntimeError: Blender's own operators."""


_OF_MANY = {"preview": "false"}
"""Options of a file among many where nothing else is asked for: a picture of each takes as long as its scene, and a
scene that has one can't be compressed."""


def serve() -> int:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogateescape")
    os.dup2(2, 1)
    with suppress(KeyboardInterrupt, BrokenPipeError):  # whoever asked was stopped, too
        for line in sys.stdin:
            answers.write(json.dumps(answer(json.loads(line))) + "\n")
            answers.flush()
    return 0


def answer(request: dict[str, Any], is_alone: bool = False) -> Outcome:
    """Make the file of a request, and return what became of it.

    is_alone: it is the only one of a command line, so a senseless one raises UsageError, as of options that it doesn't
    have, or of a folder that isn't there. Otherwise options may be for other files, and the folder is made.
    """
    source, target = Path(request["source"]), Path(request["target"])
    began = time.perf_counter()
    outcome: Outcome = {"status": FAILED}
    try:
        if not is_alone:
            target.parent.mkdir(parents=True, exist_ok=True)
        report = convert(
            source,
            target,
            request.get("level", ""),
            request["options"] if is_alone else _OF_MANY | request["options"],
            request["refuse_changed"],
            for_others=not is_alone,
            is_strict=request["strict"],
        )
        outcome = {"status": WRITTEN} | outcome_of(report)
        outcome |= {"source_sha256": digest(source), "target_sha256": digest(target)}
        outcome["bytes"] = target.stat().st_size
    except FAILURES as error:
        if is_alone and isinstance(error, UsageError):
            raise
        outcome["error"] = in_words(error)
    outcome["seconds"] = round(time.perf_counter() - began, 3)
    return outcome


def outcome_of(report: Report) -> Outcome:
    """What a report holds, for JSON."""
    return {
        "counts": dict(report.counts),
        "warnings": list(report.warnings),
        "missing": report.missing_names,
        "left_out": report.left_out_counts,
        "notes": list(report.notes),
    }
