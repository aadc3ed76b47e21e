# SPDX-License-Identifier: Apache-2.0
"""Meters tell what happened between two looks at a machine, here one made of text."""

from collections.abc import Mapping
from fnmatch import fnmatch
from typing import Any

import pytest

from jitterlab.meters.cpu_time import CpuTime
from jitterlab.meters.frequency import Frequency
from jitterlab.meters.interrupts import Interrupts, SoftInterrupts
from jitterlab.meters.pressure import Pressure
from jitterlab.meters.temperature import Temperature, Throttling
from jitterlab.registry import registered
from jitterlab.targets.local import LocalTarget


class Tree(LocalTarget):
    """A machine whose files are these."""

    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__()
        self.files = files

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def glob(self, pattern: str) -> list[str]:
        folders = {path[:end] for path in self.files for end in range(len(path)) if path[end] == "/"}
        depth = pattern.count("/")
        return sorted(p for p in {*self.files, *folders} if p.count("/") == depth and fnmatch(p, pattern))


CPU = "/sys/devices/system/cpu"
STAT = """cpu  {0} 0 20 1000 5 1 2 3 0 0
cpu0 50 0 10 500 5 1 1 {1} 0 0
cpu1 50 0 10 500 0 0 1 0 0 0
intr 12345
"""
INTERRUPTS = """           CPU0       CPU1
  1:         {0}          5   IO-APIC   1-edge      i8042
 24:          7          {1}   PCI-MSI 512000-edge      virtio0
LOC:     {2}       2000   Local timer interrupts
RES:         11         12   Rescheduling interrupts
ERR:          4
MIS:          0
"""
SOFTIRQS = """                    CPU0       CPU1
          HI:          1          0
       TIMER:       {0}        200
"""
PRESSURE = "some avg10=0.00 avg60=0.00 avg300=0.00 total={0}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7"


def between(meter: Any, before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, tuple[float, str]]:
    assert meter.available(Tree(before))
    readings = meter.readings(meter.snapshot(Tree(before)), meter.snapshot(Tree(after)))
    return {name: (reading.value, reading.unit) for name, reading in readings.items()}


def test_cpu_time() -> None:
    found = between(CpuTime(), {"/proc/stat": STAT.format(100, 3)}, {"/proc/stat": STAT.format(350, 8)})
    expected = {"user": (2.5, "s"), "idle": (0.0, "s"), "steal.cpu0": (0.05, "s")}
    assert found == found | expected


def test_interrupts() -> None:
    found = between(
        Interrupts(),
        {"/proc/interrupts": INTERRUPTS.format(1, 2, 1000)},
        {"/proc/interrupts": INTERRUPTS.format(3, 6, 1010)},
    )
    expected = {
        "device.cpu0": (2, "1"),
        "device.cpu1": (4, "1"),
        "timer.cpu0": (10, "1"),
        "all.cpu0": (12, "1"),
        "reschedule.cpu1": (0, "1"),
    }
    assert found == found | expected


def test_soft_interrupts() -> None:
    found = between(
        SoftInterrupts(), {"/proc/softirqs": SOFTIRQS.format(100)}, {"/proc/softirqs": SOFTIRQS.format(130)}
    )
    expected = {"timer.cpu0": (30, "1")}
    assert found == found | expected


def test_pressure() -> None:
    found = between(
        Pressure(), {"/proc/pressure/cpu": PRESSURE.format(10)}, {"/proc/pressure/cpu": PRESSURE.format(45)}
    )
    assert found == {"cpu.some": (35, "us"), "cpu.full": (0, "us")}


def test_frequency() -> None:
    folder = f"{CPU}/cpu0/cpufreq"
    files = {f"{folder}/scaling_cur_freq": "800000"}
    assert between(Frequency(), files, {f"{folder}/scaling_cur_freq": "2400000"}) == {"cpu0": (2400.0, "MHz")}


def test_temperature_and_throttling() -> None:
    zone = "/sys/class/thermal/thermal_zone0"
    cool, warm = ({f"{zone}/temp": degrees, f"{zone}/type": "x86_pkg_temp"} for degrees in ("41000", "62500"))
    assert between(Temperature(), cool, warm) == {
        "x86_pkg_temp0.before": (41.0, "degC"),
        "x86_pkg_temp0.after": (62.5, "degC"),
    }
    counter = f"{CPU}/cpu0/thermal_throttle/core_throttle_count"
    assert between(Throttling(), {counter: "3"}, {counter: "5"}) == {"core.cpu0": (2, "1")}


METERS: list[Any] = [
    CpuTime(),
    Interrupts(),
    SoftInterrupts(),
    Pressure(),
    Frequency(),
    Temperature(),
    Throttling(),
]


@pytest.mark.parametrize("meter", METERS, ids=lambda meter: meter.name)
def test_what_is_not_there_has_a_reason(meter: Any) -> None:
    empty = Tree({})
    assert not meter.available(empty)
    assert len(meter.available(empty).reason) > 10
    assert not meter.readings(meter.snapshot(empty), meter.snapshot(empty))


def test_a_cpu_that_vanishes_is_left_out() -> None:
    one = SOFTIRQS.format(100).replace("CPU1", "").replace("200", "").replace("0\n", "\n")
    found = between(SoftInterrupts(), {"/proc/softirqs": SOFTIRQS.format(100)}, {"/proc/softirqs": one})
    assert "timer.cpu1" not in found


def test_all_meters_are_registered_under_their_names_and_read_this_machine() -> None:
    target = LocalTarget()
    assert registered("meters").keys() >= {meter.name for meter in METERS}
    for name, meter in registered("meters").items():
        assert meter.name == name
        readings = meter.readings(meter.snapshot(target), meter.snapshot(target))
        assert bool(readings) == bool(meter.available(target))
        assert all(reading.unit for reading in readings.values())
