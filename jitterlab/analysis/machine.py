# SPDX-License-Identifier: Apache-2.0
"""What limits the numbers of a recording in its machine, each with what to do about it."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from jitterlab.analysis.cautions import Caution
from jitterlab.analysis.wording import listing


def of_machine(environment: Mapping[str, Any], varied: Collection[str]) -> Iterator[Caution]:
    """What limits the numbers in the machine that they come from.

    Args:
        environment: The recording's environment.
        varied: The factors of the study: what is varied is no surprise.
    """
    yield from _left_out(environment.get("left_out"))
    cpu = environment.get("cpu")
    if isinstance(cpu, Mapping) and cpu.get("hypervisor"):
        yield Caution(
            "This is a virtual machine: its host can delay it at any moment, often without a trace.",
            "trust medians and ratios more than maxima; measure on the bare machine for those",
        )
    if _real_time(environment) is False:
        yield Caution(
            f"The kernel ({environment.get('kernel', 'unknown')}) is built without PREEMPT_RT, so that "
            "drivers and interrupts can hold up even the highest priority.",
            "install a real-time kernel (Debian: `linux-image-rt-amd64`) and compare",
        )
    governors = environment.get("governors")
    found = {str(name) for name in governors.values()} if isinstance(governors, Mapping) else set()
    if found - {"performance"} and "governor" not in varied:
        yield Caution(
            f"CPUs change their frequency under the governor {listing(sorted(found - {'performance'}))}.",
            'hold governor = "performance" in [parameters], or make it a factor',
        )


def _left_out(left_out: object) -> Iterator[Caution]:
    """What was asked for and the machine could not do: {name: {level: reason}}; a reason is told once."""
    for name, levels in left_out.items() if isinstance(left_out, Mapping) else ():
        reasons: dict[str, list[str]] = {}
        for level, reason in levels.items() if isinstance(levels, Mapping) else ():
            reasons.setdefault(str(reason), []).append(str(level))
        for reason, same in reasons.items():
            yield Caution(
                f"The study asks for {name} = {listing(same)} too, which could not be had: {reason}.",
                "make it possible and run the study again, in a new folder",
            )


def _real_time(environment: Mapping[str, Any]) -> bool | None:
    """Whether the kernel is built with PREEMPT_RT; None if nothing tells."""
    config, version = environment.get("kernel_config"), environment.get("kernel_version")
    if environment.get("preempt_rt") == "1" or "PREEMPT_RT" in str(version):
        return True
    if isinstance(config, Mapping):
        return config.get("CONFIG_PREEMPT_RT") == "y"
    return False if version else None
