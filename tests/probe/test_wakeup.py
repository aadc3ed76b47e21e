# SPDX-License-Identifier: Apache-2.0
"""What `jitter-probe wakeup` records, with every way to wait, to schedule and to record."""

import json
import os
import statistics
from pathlib import Path

import pytest

from tests.probe.probing import BROKE_LIMIT, QUICK, WARMUP, probe, read_stream, wakeup

CPUS = sorted(os.sched_getaffinity(0))


@pytest.mark.parametrize("record", ["raw", "ring"])
def test_every_sample_is_recorded_with_its_period_and_cpu(record: str) -> None:
    run = wakeup(*QUICK, "--record", record)
    assert run.tail["end"] == "complete"
    assert [source.head["effective"]["cpus"] for source in run.sources] == [[cpu] for cpu in CPUS]
    for cpu, source in zip(CPUS, run.sources, strict=True):
        periods = [row[0] for row in source.rows]
        assert periods == sorted(set(periods))
        assert {row[1] for row in source.rows} == {cpu}
        assert min(row[3] for row in source.rows) >= 0
        assert len(source.measured) == source.tail["samples"] == 300
        assert len(source.rows) - len(source.measured) == source.tail["warmup"] == 20
        assert all(row[2] & WARMUP for row in source.rows[:20])
        assert source.tail["lost"] == 0
        assert source.gaps == source.tail["missed"]


def test_counts_hold_the_measured_samples_and_the_worst_of_them() -> None:
    done = probe("wakeup", "--output", "-", *QUICK, "--record", "counts", "--worst", "50")
    head, rows, tail = read_stream(done.stdout)
    assert [table["name"] for table in head["tables"]] == ["counts", "worst"]
    for source, facts in enumerate(tail["sources"]):
        counts = [row for table, at, row in rows if (table, at) == (0, source)]
        worst = [row for table, at, row in rows if (table, at) == (1, source)]
        assert sum(count for _, count in counts) == facts["samples"] == 300
        assert counts == sorted(set(counts))
        largest = sorted(value for value, count in counts for _ in range(count))[-50:]
        assert sorted(row[3] for row in worst) == largest
        assert worst == sorted(worst)


def test_nothing_is_faulted_in_while_measuring() -> None:
    for record in ("raw", "ring", "counts"):
        for facts in wakeup(*QUICK, "--samples", "1000", "--record", record).tail["sources"]:
            assert (facts["minor_faults"], facts["major_faults"]) == (0, 0)


@pytest.mark.parametrize("wake", ["nanosleep", "timerfd", "sleep-spin", "spin"])
def test_nobody_wakes_early(wake: str) -> None:
    run = wakeup(*QUICK, "--wake", wake)
    assert run.head["settings"]["wake"] == wake
    for source in run.sources:
        assert len(source.measured) == 300
        assert min(row[3] for row in source.rows) >= 0
        assert source.gaps == source.tail["missed"]


def test_slack_is_set_and_read_back() -> None:
    assert wakeup(*QUICK).sources[0].head["effective"]["slack_ns"] == 1
    assert wakeup(*QUICK, "--slack", "50us").sources[0].head["effective"]["slack_ns"] == 50_000


def test_nice_is_set_and_read_back() -> None:
    assert wakeup(*QUICK, "--nice", "5").sources[0].head["effective"]["nice"] == 5


def _session_nice(*starter: str) -> object:
    return wakeup(*QUICK, "--nice", "5", prefix=starter).sources[0].head["effective"]["autogroup_nice"]


def test_nice_is_that_of_the_session_too_where_it_is_the_probes_own() -> None:
    """Nice values of threads count only inside a session where the kernel weighs sessions first."""
    enabled = Path("/proc/sys/kernel/sched_autogroup_enabled")
    weighed = enabled.exists() and enabled.read_text().strip() == "1"
    assert _session_nice("setsid") == (5 if weighed else None)
    assert _session_nice("setsid", "sh", "-c", '"$0" "$@"; exit $?') == (0 if weighed else None)


@pytest.mark.root
@pytest.mark.parametrize("starter", [("chrt", "--fifo", "1"), ("chrt", "--idle", "0"), ("nice", "-n", "7")])
def test_nothing_is_inherited_from_the_starter(starter: tuple[str, ...]) -> None:
    effective = (
        wakeup(*QUICK, "--policy", "other", "--nice", "0", prefix=starter).sources[0].head["effective"]
    )
    assert (effective["policy"], effective["nice"]) == ("other", 0)


@pytest.mark.root
@pytest.mark.parametrize("policy", ["fifo", "rr"])
def test_realtime_policy_is_set_and_read_back(policy: str) -> None:
    run = wakeup(*QUICK, "--policy", policy, "--priority", "42")
    for source in run.sources:
        assert source.head["effective"]["policy"] == policy
        assert source.head["effective"]["priority"] == 42
        assert source.head["effective"]["locked"] is True
    assert run.head["settings"]["sched_rt_period_us"] > 0


@pytest.mark.root
def test_deadline_gets_the_interval_as_its_period() -> None:
    effective = wakeup(*QUICK, "--policy", "deadline", "--interval", "1ms").sources[0].head["effective"]
    assert effective["policy"] == "deadline"
    assert effective["period_ns"] == effective["deadline_ns"] == 1_000_000
    assert effective["runtime_ns"] == 200_000


def test_distance_and_alignment_set_threads_apart() -> None:
    run = wakeup(*QUICK, "--distance", "30us", "--align", "70us")
    first, second = run.head["sources"][:2]
    assert (first["interval_ns"], second["interval_ns"]) == (200_000, 230_000)
    assert second["start_ns"] - first["start_ns"] == 70_000


def test_duration_ends_the_measured_part() -> None:
    run = wakeup("--interval", "1ms", "--duration", "100ms", "--cpus", str(CPUS[0]))
    source = run.sources[0]
    assert source.tail["samples"] + source.tail["missed"] <= 100
    assert source.tail["samples"] > 0
    assert run.tail["duration_ns"] >= 95_000_000
    assert run.head["settings"]["samples"] is None


def test_break_ends_the_run_and_marks_the_sample() -> None:
    run = wakeup("--interval", "1ms", "--samples", "100000", "--break", "1ns", "--cpus", str(CPUS[0]))
    assert run.tail["end"] == "break"
    assert [row[2] for row in run.sources[0].measured] == [BROKE_LIMIT]


@pytest.mark.parametrize("wake", ["nanosleep", "sleep-spin"])
def test_cycle_counter_agrees_with_the_monotonic_clock(wake: str) -> None:
    described = json.loads(probe("clock").stdout)
    assert described["monotonic"]["tick_hz"] == 1_000_000_000
    assert "not_available" not in described["cycles"], "this machine cannot show that it works"
    run = wakeup(*QUICK, "--clock", "cycles", "--wake", wake)
    tick_hz = run.head["clock"]["tick_hz"]
    assert run.head["clock"]["name"] == described["cycles"]["name"]
    assert tick_hz == pytest.approx(described["cycles"]["tick_hz"], rel=1e-4)
    assert abs(run.tail["clock_drift_ns"]) < 100_000
    for source in run.sources:
        latencies_ns = [row[3] / tick_hz * 1e9 for row in source.measured]
        # Reading both clocks together is good to some tens of nanoseconds, more when interrupted.
        assert statistics.quantiles(latencies_ns, n=20)[0] > -1000
        assert statistics.median(latencies_ns) < 5_000_000


def test_lost_samples_are_counted_exactly() -> None:
    run = wakeup(
        "--record", "ring", "--ring", "16", "--interval", "20us", "--samples", "3000", "--wake", "spin"
    )
    for source in run.sources:
        assert source.tail["lost"] > 0
        assert source.tail["samples"] + source.tail["lost"] == 3000
        assert len(source.measured) == source.tail["samples"]
    assert any(source.gaps > 0 for source in run.sources)


def test_progress_is_told_in_lines_of_json(tmp_path: pytest.TempPathFactory) -> None:
    done = probe(
        "wakeup", *QUICK, "--samples", "2000", "--progress", "100ms", "--output", f"{tmp_path}/stream"
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) >= 3
    assert lines[-1]["samples"] == lines[-1]["wanted"] == 2000 * len(CPUS)
    assert 0 < lines[-1]["p50_ns"] <= lines[-1]["p99_ns"] <= lines[-1]["max_ns"]


def test_head_tells_what_was_asked_for_and_where() -> None:
    run = wakeup(*QUICK, "--cpus", str(CPUS[0]))
    assert run.head["producer"].startswith("jitter-probe ")
    assert run.head["settings"]["interval_ns"] == 200_000
    assert run.head["settings"]["main_cpus"] == [cpu for cpu in CPUS if cpu != CPUS[0]] or CPUS
    assert run.head["clock"]["resolution_ns"] > 0
    assert run.head["clock"]["overhead_ns"] > 0
    for name in ("cycles", "instructions", "cache_misses", "migrations"):
        assert (run.tail["sources"][0][name] is None) == (name in run.tail["not_available"])
