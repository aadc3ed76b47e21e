# SPDX-License-Identifier: Apache-2.0
"""What limits the numbers of a recording in its runs, each with what to do about it."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jitterlab.analysis.wording import number, percent, quantity

DEFAULT_SLACK_NS = 50_000
STOLEN_SHARE = 0.001
"""Stolen time of more than this share of a run is worth a warning: 1 ms in each second."""


@dataclass(frozen=True, slots=True)
class Caution:
    """A fact that a reader must know to judge the numbers.

    Attributes:
        sentence: What is the case, with numbers.
        remedy: What to do about it; empty if nothing can be done.
    """

    sentence: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class _Run:
    """A run with what its stream said at the beginning and at the end."""

    row: Mapping[str, Any]
    head: Mapping[str, Any]
    tail: Mapping[str, Any]

    @property
    def number(self) -> int:
        return int(self.row["run"])

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.head.get("settings") or {}

    @property
    def effective(self) -> list[Mapping[str, Any]]:
        return [source.get("effective") or {} for source in self.head.get("sources", [])]

    def total(self, name: str) -> int:
        """The sum of what all sources counted; 0 where none is known."""
        return sum(source.get(name) or 0 for source in self.tail.get("sources", []))


def cautions(runs: Iterable[Mapping[str, Any]], planned: int) -> tuple[Caution, ...]:
    """What limits the data.

    Args:
        runs: The rows of the recording's table of runs.
        planned: How many runs the plan has.
    """
    known = [_Run(row, *_facts(row.get("facts"))) for row in runs]
    checks = (_failed, _unfinished(planned), _lost, _missed, _faults, _differing, _slack, _throttled, _stolen)
    return tuple(caution for check in checks for caution in check(known))


def _facts(text: str | None) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    facts = json.loads(text) if text else {}
    return facts.get("head") or {}, facts.get("tail") or {}


def _named(runs: Sequence[_Run]) -> str:
    shown = [str(run.number) for run in runs[:5]]
    more = f" and {len(runs) - 5} more" if len(runs) > 5 else ""
    return f"{'run' if len(runs) == 1 else 'runs'} {', '.join(shown)}{more}"


def _failed(runs: Sequence[_Run]) -> Iterator[Caution]:
    failed = [run for run in runs if run.row["status"] == "failed"]
    if failed:
        reasons = Counter(str(run.row["error"]) for run in failed)
        yield Caution(
            f"{number(len(failed), 'run')} of {len(runs)} failed and {'is' if len(failed) == 1 else 'are'} "
            f"not in the numbers ({_named(failed)}): {reasons.most_common(1)[0][0]}.",
            "see the logs in the recording's folder, then run `jitterlab resume`",
        )
    retried = [run for run in runs if run.row["attempts"] > 1 and run.row["status"] == "ok"]
    if retried:
        yield Caution(f"{number(len(retried), 'run')} succeeded only when tried again ({_named(retried)}).")


def _unfinished(planned: int) -> Any:  # noqa: ANN401 (a check like the others)
    def check(runs: Sequence[_Run]) -> Iterator[Caution]:
        missing = planned - len(runs)
        cut = [run for run in runs if run.row["status"] == "interrupted"]
        if missing:
            yield Caution(
                f"{missing} of {number(planned, 'planned run')} have not been measured.",
                "finish the study with `jitterlab resume`",
            )
        if cut:
            yield Caution(
                f"{number(len(cut), 'run')} ended early and {'has' if len(cut) == 1 else 'have'} fewer "
                f"samples ({_named(cut)})."
            )

    return check


def _lost(runs: Sequence[_Run]) -> Iterator[Caution]:
    losing = [run for run in runs if run.row["lost"]]
    if losing:
        lost = sum(run.row["lost"] for run in losing)
        yield Caution(
            f"{number(lost, 'sample')} were taken and lost in {_named(losing)}: the recorder could not keep "
            "up.",
            'record with `record = "raw"` or `"counts"`, or with a longer interval',
        )


def _missed(runs: Sequence[_Run]) -> Iterator[Caution]:
    missing = [run for run in runs if run.row["missed"]]
    if missing:
        missed = sum(run.row["missed"] for run in missing)
        taken = sum(run.row["samples"] or 0 for run in missing)
        yield Caution(
            f"{number(missed, 'period')} were missed in {_named(missing)} "
            f"({percent(missed / (missed + taken))} of theirs): a wake-up was later than the next one was "
            "due, so that the worst moments have fewer samples than the good ones.",
            "read the maxima, not the percentiles, of these runs; a longer interval misses fewer",
        )


def _faults(runs: Sequence[_Run]) -> Iterator[Caution]:
    faulty = [run for run in runs if run.total("minor_faults") or run.total("major_faults")]
    if faulty:
        faults = sum(run.total("minor_faults") + run.total("major_faults") for run in faulty)
        yield Caution(
            f"{number(faults, 'page fault')} happened while samples were taken ({_named(faulty)}): some "
            "latencies are those of memory.",
            "let the probe lock its memory: run as root, or raise `ulimit -l`",
        )


def _differing(runs: Sequence[_Run]) -> Iterator[Caution]:
    differing: dict[str, list[_Run]] = {}
    for run in runs:
        for difference in sorted(
            {text for found in run.effective for text in _differences(run.settings, found)}
        ):
            differing.setdefault(difference, []).append(run)
    for difference, where in differing.items():
        yield Caution(
            f"In {_named(where)} the machine did not do what was asked: {difference}.",
            "see `jitterlab doctor` for the missing privilege",
        )


def _differences(asked: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    """In words, where what was read back from the kernel is not what was asked for."""
    real_time = asked.get("policy") in {"fifo", "rr"}
    compared = {"policy": True, "priority": real_time, "nice": asked.get("policy") == "other"}
    compared["slack_ns"] = asked.get("policy") == "other"
    for name, applies in compared.items():
        if applies and name in asked and name in found and asked[name] != found[name]:
            yield f"{name.removesuffix('_ns')} {found[name]} instead of {asked[name]}"


def _slack(runs: Sequence[_Run]) -> Iterator[Caution]:
    policies = {found.get("policy") for run in runs for found in run.effective}
    slacks = {
        found["slack_ns"]
        for run in runs
        for found in run.effective
        if found.get("policy") == "other" and found.get("slack_ns")
    }
    if len(policies) > 1 and len(slacks) == 1 and max(slacks) >= DEFAULT_SLACK_NS / 2:
        yield Caution(
            f"Under the policy `other` the kernel may wake a thread up to {quantity(max(slacks), 'ns')} "
            "late on purpose (timer slack), under real-time policies never: part of what looks like an "
            "effect of the policy is slack.",
            'set slack = "1ns" in [parameters], or make slack a factor',
        )


def _throttled(runs: Sequence[_Run]) -> Iterator[Caution]:
    for run in runs:
        runtime, period = (run.settings.get(f"sched_rt_{name}_us") for name in ("runtime", "period"))
        spins = run.settings.get("wake") == "spin" and run.settings.get("policy") in {"fifo", "rr"}
        if spins and runtime and period and 0 < runtime < period:
            yield Caution(
                f"The kernel stops real-time threads that never sleep for {(period - runtime) / 1000:g} ms "
                f"in every {period / 1000:g} ms (RT throttling): with wake = `spin` these holes are in the "
                "maxima.",
                "vary or hold rt_runtime at -1 for this study, or wait by sleep-spin",
            )
            return


def _stolen(runs: Sequence[_Run]) -> Iterator[Caution]:
    stolen = [(run.row.get("cpu_time.steal") or 0.0, run.row["duration_s"] or 0.0, run) for run in runs]
    hit = [(steal, length, run) for steal, length, run in stolen if length and steal / length > STOLEN_SHARE]
    if hit:
        steal, length = sum(entry[0] for entry in hit), sum(entry[1] for entry in hit)
        yield Caution(
            f"The hypervisor took {steal:.2f} s of CPU time away in {number(len(hit), 'run')} of {len(runs)} "
            f"({percent(steal / length)} of one CPU): late wake-ups may be the host's, not this system's.",
            "measure on the bare machine, or on a host that gives this guest CPUs of its own",
        )
