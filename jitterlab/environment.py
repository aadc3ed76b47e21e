# SPDX-License-Identifier: Apache-2.0
"""The environment of a recording: what the machine was like when it was begun, as far as it can be read."""

import gzip
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Timer
from typing import Any

from jitterlab import __version__
from jitterlab.errors import NotAvailableError
from jitterlab.targets import Target

CPU = "/sys/devices/system/cpu"
COMMAND_S = 20.0
# Options of the kernel that decide about latencies, for the digest of its configuration.
OPTIONS = re.compile(
    r"PREEMPT|^CONFIG_HZ|NO_HZ|HIGH_RES_TIMERS|CPU_FREQ|CPU_IDLE|RCU_NOCB|RCU_BOOST|RT_GROUP|ISOLATION|"
    r"IRQ_FORCED|SCHED_(?:SMT|MC|CORE|AUTOGROUP|HRTICK)|TRANSPARENT_HUGEPAGE|^CONFIG_(?:PSI|KVM_GUEST|NUMA|SMP|"
    r"FTRACE|FUNCTION_TRACER|LOCKUP_DETECTOR|PROVE_LOCKING|DEBUG_(?:PREEMPT|LOCK_ALLOC|OBJECTS|PAGEALLOC)|KASAN)\b"
)
TOOLS = {"stress-ng": ("--version",), "cyclictest": ("--help",), "gcc": ("--version",)}
NOT_THERE = "not there, or not readable"


class UnreadableError(Exception):
    """An item that cannot be read; the message is the reason."""


def _file(target: Target, path: str) -> str:
    text = target.read(path)
    if text is None:
        raise UnreadableError(f"{path}: {NOT_THERE}")
    return text


def _by_path(target: Target, pattern: str) -> dict[str, str]:
    found = {path: target.read(path) for path in target.glob(pattern)}
    if not found:
        raise UnreadableError(f"{pattern}: {NOT_THERE}")
    return {path: text for path, text in found.items() if text is not None}


def _config(target: Target) -> dict[str, str]:
    """The digest of the kernel's configuration, by option."""
    release = target.info().kernel
    for path in (
        f"/boot/config-{release}",
        f"/lib/modules/{release}/config",
        f"/lib/modules/{release}/build/.config",
    ):
        text = target.read(path)
        if text:
            return _digest(text)
    if target.info().name != "local":
        raise UnreadableError("there is no configuration file in /boot or /lib/modules")
    try:
        with gzip.open("/proc/config.gz", "rt") as file:
            return _digest(file.read())
    except OSError:
        raise UnreadableError(
            "there is no configuration file in /boot or /lib/modules, and no /proc/config.gz"
        ) from None


def _digest(text: str) -> dict[str, str]:
    options = re.findall(r"^(CONFIG_\w+)=(.*)$", text, re.MULTILINE)
    return {name: value for name, value in options if OPTIONS.search(name)}


def _cpu(target: Target) -> dict[str, object]:
    text = _file(target, "/proc/cpuinfo")
    first = dict(re.findall(r"^([\w ]+?)\s*:\s*(.*)$", text.split("\n\n")[0], re.MULTILINE))
    names = (
        "model name",
        "vendor_id",
        "cpu family",
        "model",
        "stepping",
        "microcode",
        "CPU implementer",
        "CPU part",
    )
    flags = set(first.get("flags", "").split())
    return {
        **{name: first[name] for name in names if name in first},
        "cpus": list(target.info().cpus),
        "hypervisor": "hypervisor" in flags,
        "constant_tsc": "constant_tsc" in flags,
        "nonstop_tsc": "nonstop_tsc" in flags,
    }


def _idle_states(target: Target) -> dict[str, dict[str, str]]:
    states = {}
    for folder in target.glob(f"{CPU}/cpu[0-9]*/cpuidle/state*"):
        values = {
            name: target.read(f"{folder}/{name}") for name in ("name", "latency", "residency", "disable")
        }
        states[folder.removeprefix(f"{CPU}/")] = {
            name: text for name, text in values.items() if text is not None
        }
    if not states:
        raise UnreadableError("the kernel shows no idle states (usual in a virtual machine)")
    return states


def _mitigations(target: Target) -> dict[str, str]:
    found = _by_path(target, f"{CPU}/vulnerabilities/*")
    return {Path(path).name: text for path, text in found.items()}


def _cgroup(target: Target) -> str:
    controllers = target.read("/sys/fs/cgroup/cgroup.controllers")
    if controllers is not None:
        return "v2"
    if target.glob("/sys/fs/cgroup/*/cgroup.procs"):
        return "hybrid" if target.read("/sys/fs/cgroup/unified/cgroup.procs") is not None else "v1"
    raise UnreadableError("no cgroup file system is mounted at /sys/fs/cgroup")


def _said(target: Target, argv: list[str]) -> str:
    """What a command says on its standard output and error."""
    if target.which(argv[0]) is None:
        raise UnreadableError(f"{argv[0]} is not installed")
    process = target.start(argv)
    limit = Timer(COMMAND_S, process.terminate)
    limit.start()
    try:
        text = process.stdout.read()
        status = process.wait()
    except BaseException:
        process.terminate()
        raise
    finally:
        limit.cancel()
    if status < 0:
        raise UnreadableError(f"{argv[0]} was ended by signal {-status}, or after {COMMAND_S:.0f} s")
    return text or process.stderr


def _version(target: Target, program: str, options: tuple[str, ...]) -> str:
    lines = _said(target, [program, *options]).strip().splitlines()
    if not lines:
        raise UnreadableError(f"{program} tells no version")
    return lines[0]


def _packages(target: Target) -> dict[str, str]:
    names = [
        "linux-image-*",
        "stress-ng",
        "rt-tests",
        "libc6",
        "tuned",
        "irqbalance",
        "cpufrequtils",
        "linux-cpupower",
    ]
    text = _said(
        target, ["dpkg-query", "--show", "--showformat=${Package} ${Version} ${db:Status-Abbrev}\n", *names]
    )
    rows = [line.split() for line in text.splitlines()]
    return {row[0]: row[1] for row in rows if len(row) == 3 and row[2] == "ii"}


def _clock(target: Target) -> Any:  # noqa: ANN401
    try:
        return json.loads(_said(target, [target.probe(), "clock"]))
    except (NotAvailableError, ValueError) as error:
        raise UnreadableError(f"jitter-probe clock: {error}") from None


def _probe(target: Target) -> str:
    try:
        return _version(target, target.probe(), ("version",))
    except NotAvailableError as error:
        raise UnreadableError(str(error)) from None


Items = Mapping[str, Callable[[Target], object]]

FILES: Mapping[str, str] = {
    "kernel_version": "/proc/version",
    "command_line": "/proc/cmdline",
    "preempt_rt": "/sys/kernel/realtime",
    "clock_source": "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "clock_sources_available": "/sys/devices/system/clocksource/clocksource0/available_clocksource",
    "isolated_cpus": f"{CPU}/isolated",
    "nohz_full_cpus": f"{CPU}/nohz_full",
    "smt": f"{CPU}/smt/control",
    "idle_driver": f"{CPU}/cpuidle/current_driver",
    "transparent_hugepages": "/sys/kernel/mm/transparent_hugepage/enabled",
    "rt_runtime_us": "/proc/sys/kernel/sched_rt_runtime_us",
    "rt_period_us": "/proc/sys/kernel/sched_rt_period_us",
    "nmi_watchdog": "/proc/sys/kernel/nmi_watchdog",
    "timer_migration": "/proc/sys/kernel/timer_migration",
    "address_space_randomisation": "/proc/sys/kernel/randomize_va_space",
    "swappiness": "/proc/sys/vm/swappiness",
    "swaps": "/proc/swaps",
    "load_average": "/proc/loadavg",
    "uptime": "/proc/uptime",
    "product": "/sys/class/dmi/id/product_name",
}

ITEMS: Items = {
    "cpu": _cpu,
    "kernel_config": _config,
    "governors": lambda target: _by_path(target, f"{CPU}/cpu[0-9]*/cpufreq/scaling_governor"),
    "frequency_driver": lambda target: _file(target, f"{CPU}/cpu0/cpufreq/scaling_driver"),
    "frequency_limits": lambda target: _by_path(target, f"{CPU}/cpu[0-9]*/cpufreq/scaling_m[ai][xn]_freq"),
    "idle_states": _idle_states,
    "mitigations": _mitigations,
    "memory_total": lambda target: _file(target, "/proc/meminfo").splitlines()[0].partition(":")[2].strip(),
    "cgroup": _cgroup,
    "distribution": lambda target: re.sub(
        r'(?s).*^PRETTY_NAME="?([^"\n]*)"?.*', r"\1", _file(target, "/etc/os-release"), flags=re.MULTILINE
    ),
    "packages": _packages,
    "probe": _probe,
    "clock": _clock,
}


def capture(target: Target) -> dict[str, Any]:
    """Everything that is known about a target, ready for JSON.

    Items that cannot be read are None, and their reasons stand by name under `not_available`.
    """
    info = target.info()
    found: dict[str, Any] = {
        "jitterlab": __version__,
        "kernel": info.kernel,
        "architecture": info.architecture,
    }
    reasons: dict[str, str] = {}

    def item(name: str, read: Callable[[Target], object]) -> None:
        try:
            found[name] = read(target)
        except UnreadableError as error:
            found[name], reasons[name] = None, str(error)

    for name, path in FILES.items():
        item(name, lambda there, path=path: _file(there, path))  # type: ignore[misc]
    for name, read in ITEMS.items():
        item(name, read)
    for name, options in TOOLS.items():
        item(name, lambda there, name=name, options=options: _version(there, name, options))  # type: ignore[misc]
    return {**found, "not_available": reasons}
