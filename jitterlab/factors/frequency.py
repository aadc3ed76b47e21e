# SPDX-License-Identifier: Apache-2.0
"""Factors of frequency: the governor, its limits, boost, and one fixed frequency."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal

from jitterlab.factors import Bench
from jitterlab.factors.machine import SWITCH, MachineFactor, Words
from jitterlab.guard import Knob
from jitterlab.quantities import parse_whole

_FREQUENCY = re.compile(r"(\d{1,7}(?:\.\d{1,6})?)\s*(kHz|MHz|GHz)", re.ASCII)
_KHZ = {"GHz": 1_000_000, "MHz": 1_000, "kHz": 1}
FREQUENCY_ALLOWED = 'a frequency such as "1.6GHz" or "1600MHz"'


def parse_frequency(text: str) -> int:
    """A frequency in kHz from "1.6GHz", "1600MHz" or "1600000kHz".

    Raises:
        ValueError: It is no frequency with a unit, zero, or not a whole number of kHz.
    """
    match = _FREQUENCY.fullmatch(text)
    khz = Decimal(match[1]) * _KHZ[match[2]] if match else Decimal(0)
    if not khz or khz != int(khz):
        raise ValueError(FREQUENCY_ALLOWED)
    return int(khz)


def format_frequency(khz: int) -> str:
    """The frequency in the largest unit without a fraction: 1_600_000 is "1600MHz"."""
    unit = next(unit for unit, factor in _KHZ.items() if khz % factor == 0)
    return f"{khz // _KHZ[unit]}{unit}"


class _PerCpu(MachineFactor):
    """A factor with one knob for each CPU that is measured; CPUs of one policy share it."""

    def concerned(self, bench: Bench) -> tuple[str, ...]:
        """The knobs of the CPUs that are measured."""
        return tuple(f"{self.family}/{cpu}" for cpu in bench.measured_cpus)

    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """The same value for each of them."""
        return dict.fromkeys(self.concerned(bench), level)


class Governor(_PerCpu):
    """The frequency governor of the CPUs that are measured."""

    name = "governor"
    summary = "frequency governor of the measured CPUs (and of all CPUs of their policies)"
    family = "governor"
    allowed = "the name of a governor, such as performance or schedutil"

    def parse_level(self, text: str) -> str:
        """A name; which ones exist is known on the target."""
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,30}", text, re.ASCII):
            raise ValueError(text)
        return text

    def levels_of(self, knobs: Iterable[Knob]) -> tuple[str, ...] | None:
        """The governors of the kernel."""
        return tuple(dict.fromkeys(word for knob in knobs for word in knob.allowed))


class EnergyPreference(_PerCpu):
    """What hardware that chooses its frequency by itself prefers."""

    name = "energy_preference"
    summary = "what the hardware prefers, speed or saving energy, on the measured CPUs (EPP of HWP and CPPC)"
    family = "energy_preference"
    allowed = "a preference such as performance or balance_power, or a whole number from 0 (speed) to 255"

    def parse_level(self, text: str) -> str:
        """A name or a number."""
        if re.fullmatch(r"[a-z][a-z_]{0,30}", text, re.ASCII):
            return text
        return str(parse_whole(text, 0, 255))

    def levels_of(self, knobs: Iterable[Knob]) -> tuple[str, ...] | None:
        """Any number may be asked for too."""
        del knobs
        return None


class _Limit(_PerCpu):
    """A limit of the frequency."""

    allowed = FREQUENCY_ALLOWED

    def parse_level(self, text: str) -> str:
        """A frequency."""
        return format_frequency(parse_frequency(text))

    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """The frequency in kHz."""
        return dict.fromkeys(self.concerned(bench), str(parse_frequency(level)))


class MinFrequency(_Limit):
    """The lowest frequency that the governor may choose."""

    name = "min_frequency"
    summary = "lowest frequency that the governor may choose for the measured CPUs"
    family = "min_freq"


class MaxFrequency(_Limit):
    """The highest frequency that the governor may choose."""

    name = "max_frequency"
    summary = "highest frequency that the governor may choose for the measured CPUs"
    family = "max_freq"


class Frequency(_Limit):
    """One fixed frequency: both limits at once."""

    name = "frequency"
    summary = "one fixed frequency of the measured CPUs (both limits of the governor)"
    family = "max_freq"

    def concerned(self, bench: Bench) -> tuple[str, ...]:
        """Both limits of each CPU."""
        return tuple(f"{limit}/{cpu}" for cpu in bench.measured_cpus for limit in ("min_freq", "max_freq"))

    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """The same frequency for both, in an order in which the lower limit never exceeds the upper one."""
        khz = parse_frequency(level)
        ordered: list[str] = []
        for cpu in bench.measured_cpus:
            limits = [f"min_freq/{cpu}", f"max_freq/{cpu}"]
            raised = khz > int(bench.guard.get(limits[1]))
            ordered += reversed(limits) if raised else limits
        return dict.fromkeys(ordered, str(khz))


class Boost(Words):
    """Frequencies above the nominal one."""

    name = "boost"
    summary = "frequencies above the nominal one (boost, turbo), for the whole machine"
    family = "boost"
    allowed = "on or off"
    words: Mapping[str, str] = SWITCH
