# SPDX-License-Identifier: Apache-2.0
"""How warm a run made the machine, and whether the CPUs were throttled for it."""

import re
from collections.abc import Mapping

from jitterlab.meters import Reading
from jitterlab.registry import Availability
from jitterlab.targets import Target

ZONES = "/sys/class/thermal/thermal_zone[0-9]*"
COUNTERS = "/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/*_throttle_count"


class Temperature:
    """Degrees Celsius by thermal zone, before and after the run."""

    name = "temperature"
    summary = "temperature of every thermal zone before and after the run"

    def available(self, target: Target) -> Availability:
        """Where there is a thermal zone that can be read."""
        return Availability() if self.snapshot(target) else Availability("there is no thermal sensor here")

    def snapshot(self, target: Target) -> dict[str, float]:
        """Degrees Celsius by zone, named by type and number."""
        found = {}
        for zone in target.glob(ZONES):
            value = target.read(f"{zone}/temp")
            if value is not None and re.fullmatch(r"-?\d+", value):
                kind = re.sub(r"\W+", "_", target.read(f"{zone}/type") or "zone")
                found[f"{kind}{zone.rpartition('thermal_zone')[2]}"] = int(value) / 1000
        return found

    def readings(self, before: dict[str, float], after: dict[str, float]) -> Mapping[str, Reading]:
        """Both temperatures of every zone."""
        return {f"{zone}.before": Reading(degrees, "degC") for zone, degrees in before.items()} | {
            f"{zone}.after": Reading(degrees, "degC") for zone, degrees in after.items()
        }


class Throttling:
    """How often the hardware slowed a CPU down because of heat."""

    name = "throttling"
    summary = "how often heat made a CPU slow down"

    def available(self, target: Target) -> Availability:
        """On x86 machines that count it."""
        return (
            Availability() if self.snapshot(target) else Availability("the CPUs here do not count throttling")
        )

    def snapshot(self, target: Target) -> dict[str, int]:
        """Counts by CPU and kind (core or package)."""
        found = {}
        for path in target.glob(COUNTERS):
            value = target.read(path)
            if value is not None and value.isdigit():
                cpu, _, kind = path.split("/")[-3:]
                found[f"{kind.removesuffix('_throttle_count')}.{cpu}"] = int(value)
        return found

    def readings(self, before: dict[str, int], after: dict[str, int]) -> Mapping[str, Reading]:
        """Counts between the snapshots."""
        return {name: Reading(after[name] - before[name], "1") for name in before if name in after}
