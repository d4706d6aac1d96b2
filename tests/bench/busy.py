# SPDX-License-Identifier: GPL-3.0-or-later
"""How busy the machine was with other things while something was measured."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

OTHERS, STOLEN, WAITED = 0.25, 0.02, 0.05
"""Beyond these, figures mean nothing: processors that other programs kept busy (they share caches and memory with
ours), the share of all time that the host gave to other machines, and our waiting for a processor over the time that we
had it.
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """What the system has counted until now."""

    wall: float
    """Seconds."""
    own: float
    """CPU seconds of this process and of those that it has waited for."""
    busy: float
    """CPU seconds of everything."""
    stolen: float
    """Seconds that the host kept from this (virtual) machine's processors."""
    waited: float
    """Seconds that this process was ready to run, and did not."""

    @classmethod
    def now(cls) -> Moment | None:
        """None where the system doesn't say (it does on Linux)."""
        if sys.platform != "linux":
            return None
        tick = os.sysconf("SC_CLK_TCK")
        words = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
        user, nice, system, _, _, irq, softirq, steal = (int(word) / tick for word in words)
        waited = int(Path("/proc/self/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
        mine = os.times()
        own = mine.user + mine.system + mine.children_user + mine.children_system
        return cls(time.perf_counter(), own, user + nice + system + irq + softirq, steal, waited)


@dataclass(frozen=True, slots=True)
class Load:
    """What the rest of the machine did between two moments."""

    others: float
    """Processors that were busy with other programs."""
    stolen: float
    """Share of the processors' time that the host gave to other machines."""
    waited: float
    """Seconds of waiting for a processor, over CPU seconds that were had."""
    average: float
    """The load average of the last minute."""

    @classmethod
    def between(cls, first: Moment, last: Moment) -> Load:
        """Of what was counted at two moments."""
        seconds = max(last.wall - first.wall, 1e-9)
        own = last.own - first.own
        others = max(last.busy - first.busy - own, 0.0) / seconds
        stolen = (last.stolen - first.stolen) / seconds / (os.cpu_count() or 1)
        return cls(others, stolen, (last.waited - first.waited) / max(own, 1e-9), os.getloadavg()[0])

    @property
    def too_busy(self) -> bool:
        """Whether what was measured meanwhile means nothing."""
        return self.others > OTHERS or self.stolen > STOLEN or self.waited > WAITED

    def line(self) -> str:
        """In words."""
        return (
            f"other programs kept {self.others:.2f} of {os.cpu_count()} processors busy, {self.stolen:.1%} of the time "
            f"went to other machines, the benchmark waited {self.waited:.1%} of its CPU time for a processor; "
            f"load average {self.average:.1f}"
        )
