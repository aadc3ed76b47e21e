# SPDX-License-Identifier: Apache-2.0
"""The probe: what a sample costs, and whether it wakes as soon as cyclictest does.

Both programs take turns with the same settings: one thread per CPU, aligned, the same priority and interval,
memory locked, `/dev/cpu_dma_latency` left alone.
"""

import json
import os
import re
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import binom

ROOT = Path(__file__).parents[1]
PROBE = ROOT / "build" / "probe" / "jitter-probe"
MOST_COST_NS = 30
MOST_RATIO = 1.05
ROUNDS = 30
LOOPS = 1000
INTERVALS_US = (200, 1000)
PRIORITY = 80 if os.geteuid() == 0 else 0
CPUS = ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0)))


@dataclass(frozen=True)
class Turn:
    """What one program saw in one turn, over all CPUs, in ns."""

    median: float
    mean: float


def _turn(values: list[int]) -> Turn:
    return Turn(statistics.median(values), statistics.fmean(values))


def _probe(interval_us: int, folder: Path) -> Turn:
    policy = ["--policy", "fifo", "--priority", str(PRIORITY)] if PRIORITY else ["--policy", "other"]
    options = [
        "--cpus",
        CPUS,
        "--interval",
        f"{interval_us}us",
        "--samples",
        str(LOOPS),
        "--warmup",
        "0",
        *policy,
    ]
    stream = folder / "stream"
    subprocess.run([PROBE, "wakeup", *options, "--record", "counts", "--output", stream], check=True)
    names: dict[str, object] = {}
    page = (ROOT / "docs" / "stream-format.md").read_text()
    example = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert example
    exec(example[1], names)  # noqa: S102  the reader of the documentation
    _, rows, tail = names["read"](stream.read_bytes())  # type: ignore[operator]
    faults = sum(source["minor_faults"] + source["major_faults"] for source in tail["sources"])
    assert faults == 0, f"{faults} page faults in the measured part"
    return _turn([value for table, _, (value, *rest) in rows if table == 0 for _ in range(rest[0])])


def _cyclictest(interval_us: int, folder: Path) -> Turn:
    policy = ["--policy=fifo", f"--priority={PRIORITY}"] if PRIORITY else ["--policy=other"]
    report = folder / "cyclictest.json"
    subprocess.run(
        [
            *["cyclictest", "--mlockall", "--quiet", "--nsecs", "--histogram=1000000", "--laptop", *policy],
            *[f"--affinity={CPUS}", f"--threads={CPUS.count(',') + 1}", "--aligned=0"],
            *[f"--interval={interval_us}", f"--loops={LOOPS}", f"--json={report}"],
        ],
        check=True,
        capture_output=True,
    )
    threads = json.loads(report.read_text())["thread"].values()
    values = [
        int(value) for thread in threads for value, count in thread["histogram"].items() for _ in range(count)
    ]
    # Its histogram ends at 1 ms; its own average does not.
    return Turn(statistics.median(values), statistics.fmean(thread["avg"] for thread in threads))


def _verdict(ratio: float, limit: float) -> str:
    return f"{ratio:.3f} ({'within' if ratio <= limit else 'OVER'} {limit})"


def _compare(interval_us: int) -> None:
    turns: dict[str, list[Turn]] = {"probe": [], "cyclictest": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            programs = [("probe", _probe), ("cyclictest", _cyclictest)]
            for name, measure in programs if number % 2 else reversed(programs):
                turns[name].append(measure(interval_us, Path(folder)))
    for statistic in ("median", "mean"):
        probe, cyclictest = (
            statistics.median(getattr(turn, statistic) for turn in turns[name]) for name in turns
        )
        ratios = [
            getattr(ours, statistic) / getattr(theirs, statistic)
            for ours, theirs in zip(*turns.values(), strict=True)
        ]
        rank = int(binom.ppf(0.025, ROUNDS, 0.5))
        low, high = sorted(ratios)[rank - 1], sorted(ratios)[ROUNDS - rank]
        print(
            f"{interval_us:5} us, {statistic:6}: probe {probe:7.0f} ns, cyclictest {cyclictest:7.0f} ns, "
            f"ratio {_verdict(statistics.median(ratios), MOST_RATIO)}, "
            f"95 % interval {low:.3f} to {high:.3f}"
        )


def main() -> None:
    """Print what a sample costs beyond reading the clock, and the comparison with cyclictest."""
    described = json.loads(subprocess.run([PROBE, "clock"], capture_output=True, check=True).stdout)
    print(f"clock_gettime alone: {described['monotonic']['overhead_ns']:.1f} ns")
    for record, cost in described["monotonic"]["sample_cost_ns"].items():
        verdict = "within" if cost <= MOST_COST_NS else "OVER"
        print(f"a sample kept as {record:6}: {cost:.1f} ns more ({verdict} {MOST_COST_NS})")
    print(f"{ROUNDS} turns each of {LOOPS} periods per CPU, page faults in the measured part: 0")
    for interval_us in INTERVALS_US:
        _compare(interval_us)


if __name__ == "__main__":
    main()
