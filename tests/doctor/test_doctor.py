# SPDX-License-Identifier: Apache-2.0
"""What the doctor says of machines that are described, and of this one."""

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from jitterlab.commands.doctor import command
from jitterlab.doctor import CHECKS, Finding, examine
from jitterlab.doctor.interrupts import device_interrupts
from jitterlab.errors import InputError
from jitterlab.targets import TargetInfo
from jitterlab.targets.local import LocalTarget

CPU = "/sys/devices/system/cpu"
LIMITS = """Limit                     Soft Limit           Hard Limit           Units
Max locked memory         8388608              8388608              bytes
Max realtime priority     {priority}                    0
"""

DESKTOP = {
    f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave",
    f"{CPU}/cpu1/cpufreq/scaling_governor": "powersave",
    f"{CPU}/intel_pstate/no_turbo": "0",
    f"{CPU}/cpu0/cpuidle/state0/latency": "0",
    f"{CPU}/cpu0/cpuidle/state0/name": "POLL",
    f"{CPU}/cpu0/cpuidle/state0/disable": "0",
    f"{CPU}/cpu0/cpuidle/state3/latency": "133",
    f"{CPU}/cpu0/cpuidle/state3/name": "C6",
    f"{CPU}/cpu0/cpuidle/state3/disable": "0",
    f"{CPU}/smt/active": "1",
    f"{CPU}/smt/control": "on",
    f"{CPU}/cpu0/topology/thread_siblings_list": "0-1",
    f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "7",
    f"{CPU}/isolated": "",
    f"{CPU}/vulnerabilities/meltdown": "Mitigation: PTI",
    "/sys/class/thermal/thermal_zone0/temp": "91000",
    "/proc/sys/kernel/sched_rt_runtime_us": "950000",
    "/proc/sys/kernel/sched_rt_period_us": "1000000",
    "/proc/self/timerslack_ns": "50000",
    "/proc/loadavg": "2.50 1.00 0.50 3/200 1234",
    "/sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
    "/proc/swaps": "Filename Type Size Used Priority\n/swapfile file 2097148 0 -2",
    "/sys/kernel/mm/ksm/run": "1",
    "/proc/sys/kernel/numa_balancing": "1",
    "/sys/devices/system/node/node0": "",
    "/sys/devices/system/node/node1": "",
    "/proc/interrupts": "       CPU0  CPU1\n  8:  5 0 IO-APIC rtc0\nLOC: 99 99 timer",
    "/proc/uptime": "40.00 70.00",
    "/proc/sys/kernel/random/boot_id": "this-boot",
    "/run/jitterlab/guard.record": "jitterlab-guard 1 this-boot\nswappiness 60",
    "/proc/sys/kernel/nmi_watchdog": "1",
    "/proc/version": "Linux version 6.1.0-13-amd64 #1 SMP PREEMPT_DYNAMIC Debian",
    f"{CPU.replace('cpu', 'clocksource')}/clocksource0/current_clocksource": "hpet",
    f"{CPU.replace('cpu', 'clocksource')}/clocksource0/available_clocksource": "tsc hpet acpi_pm",
    "/sys/kernel/tracing/current_tracer": "function",
    "/sys/kernel/tracing/events/enable": "X",
    "/proc/cpuinfo": "flags : fpu tsc hypervisor sse",
    "/proc/stat": "cpu 1 0 0 8 0 0 0 1 0 0\ncpu0 10 0 0 80 0 0 0 10 0 0\ncpu1 1 0 0 9 0 0 0 0 5 0",
    "/proc/self/limits": LIMITS.format(priority=0),
}
TUNED = DESKTOP | {
    f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
    f"{CPU}/cpu1/cpufreq/scaling_governor": "performance",
    f"{CPU}/intel_pstate/no_turbo": "1",
    f"{CPU}/cpu0/cpuidle/state3/disable": "1",
    f"{CPU}/smt/active": "0",
    f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "0",
    f"{CPU}/isolated": "1",
    f"{CPU}/vulnerabilities/meltdown": "Not affected",
    "/proc/sys/kernel/sched_rt_runtime_us": "-1",
    "/proc/self/timerslack_ns": "1",
    "/proc/loadavg": "0.01 0.00 0.00 1/200 1234",
    "/sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]",
    "/proc/swaps": "Filename Type Size Used Priority",
    "/sys/kernel/mm/ksm/run": "0",
    "/proc/sys/kernel/numa_balancing": "0",
    "/proc/interrupts": "       CPU0  CPU1\n  8:  0 0 IO-APIC rtc0\nLOC: 99 99 timer",
    "/run/jitterlab/guard.record": "jitterlab-guard 1 last-boot\nswappiness 60",
    "/proc/sys/kernel/nmi_watchdog": "0",
    "/proc/version": "Linux version 6.1.0-13-rt-amd64 #1 SMP PREEMPT_RT Debian",
    f"{CPU.replace('cpu', 'clocksource')}/clocksource0/current_clocksource": "tsc",
    "/sys/kernel/tracing/current_tracer": "nop",
    "/sys/kernel/tracing/events/enable": "0",
    "/proc/cpuinfo": "flags : fpu tsc sse",
    "/proc/stat": "cpu0 10 0 0 80 0 0 0 0 0 0\ncpu1 1 0 0 9 0 0 0 0 5 0",
    "/proc/self/limits": LIMITS.format(priority=99).replace("8388608 ", "unlimited "),
}


JUNK = st.lists(st.sampled_from(["CPU0", "1:", "cpu0", "9", "-1", "9e9", "[always]", "\n", "x"])).map(
    " ".join
)


class PaperTarget(LocalTarget):
    """A machine of which only some files are known."""

    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__()
        self.files = files

    def info(self) -> TargetInfo:
        return TargetInfo("paper", "x86_64", "6.1.0", (0, 1), privileged=False)

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def glob(self, pattern: str) -> list[str]:
        depth = pattern.count("/") + 1
        paths = {"/".join(path.split("/")[:depth]) for path in self.files}
        return sorted(path for path in paths if fnmatchcase(path, pattern))


def look(files: Mapping[str, str]) -> dict[str, Finding]:
    return {finding.name: finding for finding in examine(PaperTarget(files))}


def test_an_untuned_machine_is_late_in_every_way() -> None:
    found = look(DESKTOP)
    assert {name for name, finding in found.items() if finding.verdict != "late"} == set()
    assert all(finding.remedy and finding.source and finding.cost for finding in found.values())
    assert "C6, exit latency 133 µs (CPU 0)" in found["idle states"].evidence
    assert "CPU 0: 10.000%" in found["stolen time"].evidence
    assert found["boost"].remedy == f"echo 1 | sudo tee {CPU}/intel_pstate/no_turbo"
    assert "linux-image-rt-amd64" in found["preemption"].remedy
    assert "echo tsc |" in found["clock source"].remedy
    assert "throttled 7 times since boot, hottest zone 91 degrees C" in found["temperature"].evidence


def test_a_tuned_machine_is_well() -> None:
    found = look(TUNED)
    assert {name: finding.evidence for name, finding in found.items() if finding.verdict != "ok"} == {}
    assert {finding.remedy for finding in found.values()} == {""}


def test_the_worst_comes_first() -> None:
    findings = examine(PaperTarget(DESKTOP | {f"{CPU}/smt/active": "0"}))
    assert findings[-1].name == "sibling threads"
    severities = [finding.severity for finding in findings[:-1]]
    assert severities == sorted(severities, reverse=True)


def test_an_unknown_machine_is_never_guessed() -> None:
    found = look({})
    assert len(found) == len(CHECKS)
    for name in ("governor", "boost", "idle states", "temperature", "stolen time", "tracing", "clock source"):
        assert found[name].verdict == "unknown"


def test_only_the_cpus_that_matter_count() -> None:
    files = TUNED | {f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave"}
    assert {f.name: f for f in examine(PaperTarget(files), (1,))}["governor"].verdict == "ok"
    assert {f.name: f for f in examine(PaperTarget(files), (0,))}["governor"].verdict == "late"


@given(st.dictionaries(st.sampled_from(sorted(DESKTOP)), st.text(max_size=60) | JUNK, max_size=4))
def test_files_with_anything_in_them_never_break_it(files: Mapping[str, str]) -> None:
    stripped = {path: text.strip() for path, text in files.items()}
    assert len(look(DESKTOP | stripped)) == len(CHECKS)


def test_interrupts_of_devices_are_counted_per_cpu() -> None:
    text = """           CPU0       CPU2
  1:          3          4   IO-APIC   1-edge      i8042
 24:         10          0   PCI-MSI 512000-edge      ahci
LOC:       1000       2000   Local timer interrupts
ERR:          0
"""
    assert device_interrupts(text) == {0: 13, 2: 4}
    assert device_interrupts("") == {}


def test_this_machine_is_examined() -> None:
    target = LocalTarget()
    findings = examine(target)
    assert {finding.name for finding in findings} == {check.name for check in CHECKS}
    assert all(finding.evidence for finding in findings)


def test_the_command_prints_a_table_and_json() -> None:
    shown = CliRunner().invoke(command, [])
    assert shown.exit_code == 0
    assert "real-time throttling" in shown.output
    listed = json.loads(CliRunner().invoke(command, ["--json"]).output)
    assert {item["name"] for item in listed} == {check.name for check in CHECKS}
    assert set(listed[0]) == {
        *("name", "verdict", "severity", "costs_up_to", "evidence", "cost", "source", "remedy"),
    }


@pytest.mark.parametrize("cpus", ["x", "9999", "0-8190", ""])
def test_wrong_cpus_are_refused(cpus: str) -> None:
    result = CliRunner().invoke(command, ["--cpus", cpus])
    assert isinstance(result.exception, InputError)
    assert result.exception.remedy
