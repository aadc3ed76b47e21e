# SPDX-License-Identifier: Apache-2.0
"""The frequency of every CPU at the end of a run, when the load is still in force."""

from collections.abc import Mapping

from jitterlab.meters import Reading
from jitterlab.registry import Availability
from jitterlab.targets import Target

CPU = "/sys/devices/system/cpu"


class Frequency:
    """MHz per CPU: what the hardware reports where the driver can tell, or what was asked of it."""

    name = "frequency"
    summary = "current frequency of every CPU at the end of the run"

    def available(self, target: Target) -> Availability:
        """Where the kernel has a cpufreq driver."""
        if self.snapshot(target):
            return Availability()
        return Availability("there is no cpufreq driver here (usual in a virtual machine)")

    def snapshot(self, target: Target) -> dict[str, float]:
        """MHz by CPU."""
        found = {}
        for folder in target.glob(f"{CPU}/cpu[0-9]*/cpufreq"):
            khz = target.read(f"{folder}/cpuinfo_cur_freq") or target.read(f"{folder}/scaling_cur_freq")
            if khz is not None and khz.isdigit():
                found[folder.split("/")[-2]] = int(khz) / 1000
        return found

    def readings(self, before: dict[str, float], after: dict[str, float]) -> Mapping[str, Reading]:  # noqa: ARG002
        """The frequencies of the second snapshot."""
        return {cpu: Reading(mhz, "MHz") for cpu, mhz in after.items()}
