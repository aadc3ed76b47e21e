# SPDX-License-Identifier: Apache-2.0
"""Synthetic machines: trees of plain files that stand for /sys, /proc and /dev of real ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

CPU = "sys/devices/system/cpu"
BOOT = "0f0f0f0f-0000-4000-8000-000000000001"

COMMON = {
    "proc/sys/kernel/random/boot_id": BOOT,
    "proc/sys/kernel/sched_rt_period_us": "1000000",
    "proc/sys/kernel/sched_rt_runtime_us": "950000",
    "proc/sys/kernel/randomize_va_space": "2",
    "proc/sys/kernel/timer_migration": "1",
    "proc/sys/kernel/nmi_watchdog": "1",
    "proc/sys/vm/swappiness": "60",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
}


@dataclass(frozen=True)
class Machine:
    """What a synthetic machine is made of.

    Attributes:
        cpus: How many CPUs are on line.
        policies: The CPUs of each cpufreq policy; empty for a machine without cpufreq.
        governors: What the driver offers.
        preferences: What the hardware offers to prefer; empty if it does not choose frequencies.
        set_speed: Content of scaling_setspeed.
        boost: The file that switches boost, with its content; None if there is none.
        states: Idle states of each CPU as (name, exit latency in µs).
        smt: Content of smt/control.
        irqs: Interrupt numbers.
        cpuset: "v1", "v2" or "none".
    """

    cpus: int = 2
    policies: tuple[tuple[int, ...], ...] = ()
    governors: str = "performance powersave"
    preferences: str = ""
    set_speed: str = "<unsupported>"
    boost: tuple[str, str] | None = None
    states: tuple[tuple[str, int], ...] = ()
    smt: str = "notsupported"
    irqs: tuple[int, ...] = ()
    cpuset: str = "none"
    files: Mapping[str, str] = field(default_factory=dict)

    def contents(self) -> dict[str, str]:
        """Every file by its path below the root, without the newline at its end."""
        all_cpus = f"0-{self.cpus - 1}" if self.cpus > 1 else "0"
        contents = COMMON | {f"{CPU}/online": all_cpus, f"{CPU}/smt/control": self.smt}
        for cpus in self.policies:
            policy = f"{CPU}/cpufreq/policy{cpus[0]}"
            contents |= {
                f"{policy}/related_cpus": " ".join(map(str, cpus)),
                f"{policy}/scaling_governor": "powersave",
                f"{policy}/scaling_available_governors": self.governors,
                f"{policy}/scaling_min_freq": "800000",
                f"{policy}/scaling_max_freq": "3400000",
                f"{policy}/cpuinfo_min_freq": "800000",
                f"{policy}/cpuinfo_max_freq": "3400000",
                f"{policy}/scaling_setspeed": self.set_speed,
            }
            if self.preferences:
                contents |= {
                    f"{policy}/energy_performance_preference": "balance_performance",
                    f"{policy}/energy_performance_available_preferences": self.preferences,
                }
        if self.boost:
            contents[f"{CPU}/{self.boost[0]}"] = self.boost[1]
        for cpu in range(self.cpus):
            for state, (name, latency_us) in enumerate(self.states):
                path = f"{CPU}/cpu{cpu}/cpuidle/state{state}"
                contents |= {f"{path}/name": name, f"{path}/latency": str(latency_us), f"{path}/disable": "0"}
        for irq in self.irqs:
            contents[f"proc/irq/{irq}/smp_affinity_list"] = all_cpus
        if self.irqs:
            contents["proc/irq/default_smp_affinity"] = f"{(1 << self.cpus) - 1:x}"
            contents["sys/devices/virtual/workqueue/cpumask"] = f"{(1 << self.cpus) - 1:x}"
        return contents | self._cpuset(all_cpus) | dict(self.files)

    def _cpuset(self, all_cpus: str) -> dict[str, str]:
        base = "sys/fs/cgroup"
        if self.cpuset == "v1":
            return {
                f"{base}/cpuset/cpuset.cpus": all_cpus,
                f"{base}/cpuset/cpuset.mems": "0",
                f"{base}/cpuset/cpuset.sched_load_balance": "1",
            }
        if self.cpuset == "v2":
            return {
                f"{base}/cgroup.controllers": "cpuset cpu io memory pids",
                f"{base}/cgroup.subtree_control": "cpu memory pids",
            }
        return {}

    def build(self, root: Path) -> Path:
        """Write the tree, and return its root."""
        for path, content in self.contents().items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content + "\n")
        return root


INTEL = Machine(
    cpus=4,
    policies=((0,), (1,), (2,), (3,)),
    preferences="default performance balance_performance balance_power power",
    boost=("intel_pstate/no_turbo", "0"),
    states=(("POLL", 0), ("C1", 2), ("C1E", 10), ("C6", 133)),
    smt="on",
    irqs=(0, 8, 24, 130),
    cpuset="v2",
)
AMD = Machine(
    cpus=4,
    policies=((0, 1), (2, 3)),
    governors="conservative ondemand userspace powersave performance schedutil",
    boost=("cpufreq/boost", "1"),
    states=(("POLL", 0), ("C1", 1), ("C2", 18)),
    smt="off",
    irqs=(9, 25),
    cpuset="v1",
)
VIRTUAL = Machine(states=(("POLL", 0), ("haltpoll idle", 1)), irqs=(24,), cpuset="v1")
BARE = Machine(cpus=1)
MACHINES = {"intel": INTEL, "amd": AMD, "virtual": VIRTUAL, "bare": BARE}


def snapshot(root: Path) -> dict[str, bytes | None]:
    """Every file and folder with its bytes, but for the guard's own folder."""
    own = root / "run"
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None
        for path in sorted(root.rglob("*"))
        if path != own and own not in path.parents
    }
