# SPDX-License-Identifier: Apache-2.0
"""What a study is, once it is valid."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class StudyFactor:
    """Something that a study varies.

    Attributes:
        name: A parameter of the workload or a registered factor.
        levels: The canonical texts of its levels, in the order of the study; at least two.
        between_boots: Whether a change needs a boot, so that the other factors are nested in it.
    """

    name: str
    levels: tuple[str, ...]
    between_boots: bool = False


@dataclass(frozen=True, slots=True)
class Study:
    """A question: one workload, its parameters, factors with levels, replicates.

    Attributes:
        title: The question as people ask it.
        workload: The name of the registered workload.
        replicates: How many blocks there are; each holds every cell once.
        samples: Measured samples per run and source (for `wakeup`: per CPU).
        warmup: Samples per run and source that are taken first and kept apart.
        seed: What the order of the runs is drawn from; the same seed gives the same plan.
        order: "blocks" (randomised complete blocks), "random" (completely randomised) or "listed".
        design: "full", "plackett-burman" or "fractional:GENERATORS" (such as "fractional:a b ab").
        control: Whether the first cell is repeated under a number of its own (an A/A control).
        parameters: What is held fixed, as canonical texts: parameters of the workload and registered factors.
        factors: What is varied; without any there is one cell.
        text: The study as TOML: the file as given, or as it became by options of the command line.
        path: Where it came from.
    """

    title: str
    workload: str
    replicates: int
    samples: int
    warmup: int
    seed: int
    order: str
    design: str
    control: bool
    parameters: Mapping[str, str]
    factors: tuple[StudyFactor, ...]
    text: str
    path: Path
