# SPDX-License-Identifier: Apache-2.0
"""100 million samples: record, cells, ANOVA, report; beside pandas with statsmodels and a bare DuckDB scan.

Every step runs in a process of its own, which says how long it took and its peak memory.
"""

import json
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

SAMPLES_PER_RUN = 500_000
REPLICATES = 2
ROWS_PER_FRAME = 65_536
RAW_SLICE = 2_000_000
"""Samples that pandas and statsmodels are given: the largest slice that keeps them under 8 GiB here."""

STUDY = f"""
[study]
title = "Benchmark: 100 million made-up samples"
workload = "wakeup"
replicates = {REPLICATES}
samples = {SAMPLES_PER_RUN}
seed = 1

[factors]
policy = ["other", "fifo:80"]
load = ["none", "cpu:1", "cpu:2", "cpu:3", "cpu:4"]
slack = ["1us", "2us", "3us", "4us", "5us", "6us", "7us", "8us", "9us", "10us"]
"""

HEAD: dict[str, object] = {
    "format": "jitterlab-stream",
    "version": 1,
    "producer": "bench",
    "workload": "wakeup",
    "clock": {"name": "CLOCK_MONOTONIC", "tick_hz": 1_000_000_000, "resolution_ns": 1, "overhead_ns": 22.0},
    "realtime_offset_ns": 1_790_000_000_000_000_000,
    "tables": [
        {
            "name": "samples",
            "columns": [
                {"name": "period", "type": "u32", "unit": "1"},
                {"name": "cpu", "type": "u16", "unit": "1"},
                {"name": "flags", "type": "u16", "unit": "1"},
                {"name": "latency", "type": "i64", "unit": "tick"},
            ],
        }
    ],
    "sources": [{"name": "cpu0", "start_ns": 1_000_000_000, "interval_ns": 200_000, "effective": {}}],
    "settings": {},
}
ROW = np.dtype([("period", "<u4"), ("cpu", "<u2"), ("flags", "<u2"), ("latency", "<i8")])


def write_stream(path: Path, seed: int, shift_ns: float) -> None:
    """A stream of one run with latencies as a machine shows them: a narrow mode and a long tail."""
    random = np.random.default_rng(seed)
    rows = np.zeros(SAMPLES_PER_RUN, ROW)
    rows["period"] = np.arange(SAMPLES_PER_RUN)
    tail = random.pareto(3.0, SAMPLES_PER_RUN) * 400
    rows["latency"] = 3_000 + shift_ns + random.gamma(4.0, 120.0, SAMPLES_PER_RUN) + tail
    side = {"name": "cpu0", "samples": SAMPLES_PER_RUN, "warmup": 0, "missed": 0, "lost": 0}
    ending = {
        "end": "complete",
        "clock_drift_ns": 0,
        "duration_ns": 1,
        "sources": [side],
        "not_available": {},
    }
    with path.open("wb") as file:
        for kind, payload in [
            (b"HEAD", json.dumps(HEAD).encode()),
            *(
                (b"ROWS", rows[start : start + ROWS_PER_FRAME].tobytes())
                for start in range(0, SAMPLES_PER_RUN, ROWS_PER_FRAME)
            ),
            (b"TAIL", json.dumps(ending).encode()),
        ]:
            file.write(kind + struct.pack("<IIHH", len(payload), zlib.crc32(payload), 0, 0) + payload)


def record(folder: Path) -> Mapping[str, float]:
    """Append 200 runs (100 cells) to a recording; making the streams is not part of the time."""
    from jitterlab.design import plan
    from jitterlab.recording import Recording, RunRow
    from jitterlab.registry import lookup
    from jitterlab.study import parse
    from jitterlab.targets import TargetInfo

    study = parse(STUDY, folder / "study.toml")
    runs = plan(study)
    target = TargetInfo("local", "x86_64", "made up", (0,), privileged=True)
    recording = Recording.create(folder, study, runs, {}, lookup("workloads", "wakeup"), target)
    stream = folder.with_suffix(".stream")
    seconds = 0.0
    for run in runs:
        write_stream(
            stream, run.run, 100.0 * int(run.levels["load"].removeprefix("cpu:").replace("none", "0"))
        )
        begin = time.perf_counter()
        recording.append(RunRow(run.run, "ok", 1_790_000_000_000_000_000, 200.0), stream)
        seconds += time.perf_counter() - begin
    stream.unlink()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return {"seconds": seconds, "samples": len(runs) * SAMPLES_PER_RUN, "bytes": size}


def analyse(folder: Path) -> Mapping[str, float]:
    """Cells, ANOVA and all other findings, and the HTML report."""
    begin = time.perf_counter()
    import jitterlab
    from jitterlab.analysis.findings import findings
    from jitterlab.report.html import page

    recording = jitterlab.open(folder)
    (folder / "report.html").write_bytes(page(recording, findings(recording)))
    return {"seconds": time.perf_counter() - begin, "samples": len(recording.runs) * SAMPLES_PER_RUN}


def cells(folder: Path) -> Mapping[str, float]:
    """Cells and ANOVA alone."""
    begin = time.perf_counter()
    import jitterlab
    from jitterlab.analysis.anova import anova
    from jitterlab.analysis.cells import cells as cells_of

    recording = jitterlab.open(folder)
    anova(cells_of(recording).moments(), "latency ~ policy * load * slack", 2)
    return {"seconds": time.perf_counter() - begin, "samples": len(recording.runs) * SAMPLES_PER_RUN}


def scan(folder: Path) -> Mapping[str, float]:
    """A bare DuckDB scan of the same files: moments over all samples."""
    begin = time.perf_counter()
    import duckdb

    row = duckdb.execute(
        f"SELECT count(latency), sum(latency), min(latency), max(latency) "
        f"FROM read_parquet('{folder}/samples/*.parquet')"
    ).fetchone()
    assert row is not None
    return {"seconds": time.perf_counter() - begin, "samples": row[0]}


def raw_rows(folder: Path) -> Mapping[str, float]:
    """Give pandas and statsmodels' anova_lm raw rows, on a slice that fits."""
    begin = time.perf_counter()
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    runs = pd.read_parquet(folder / "runs.parquet").set_index("run")[["policy", "load", "slack"]]
    per_run = RAW_SLICE // len(runs)
    parts = []
    for run, levels in runs.iterrows():
        part = pd.read_parquet(folder / "samples" / f"{run:05d}.parquet", columns=["latency"])
        parts.append(
            part.head(per_run).assign(**{name: levels[name] for name in ("policy", "load", "slack")})
        )
    frame = pd.concat(parts, ignore_index=True)
    anova_lm(ols("latency ~ C(policy) * C(load) * C(slack)", frame).fit(), typ=2)
    return {"seconds": time.perf_counter() - begin, "samples": len(frame)}


STEPS: dict[str, Callable[[Path], Mapping[str, float]]] = {
    "record": record,
    "analyse": analyse,
    "cells": cells,
    "scan": scan,
    "raw_rows": raw_rows,
}


def step(name: str, folder: Path) -> dict[str, float]:
    """Run one step in a process of its own."""
    command = [sys.executable, "-m", "bench.scale", name, str(folder)]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(result.stdout.splitlines()[-1])
    print(
        f"{name:9} {figures['seconds']:8.2f} s  {figures['samples'] / 1e6:6.1f} M samples  "
        f"peak {figures['peak_mib']:7.0f} MiB",
        flush=True,
    )
    return figures


def main() -> None:
    base = Path(tempfile.mkdtemp(prefix="jitterlab-bench-"))
    try:
        folder = base / "recording"
        recorded = step("record", folder)
        scan_seconds = min(step("scan", folder)["seconds"] for _ in range(3))
        cells_seconds = min(step("cells", folder)["seconds"] for _ in range(3))
        analysed = step("analyse", folder)
        raw = step("raw_rows", folder)
    finally:
        shutil.rmtree(base)
    chain = recorded["seconds"] + analysed["seconds"]
    per_sample = raw["seconds"] / raw["samples"] * recorded["samples"]
    print(
        f"bytes per sample in the archive: {recorded['bytes'] / recorded['samples']:.2f} (goal: at most 2.5)"
    )
    print(
        f"record + cells + ANOVA + report: {chain:.1f} s; raw rows, scaled up: {per_sample:.0f} s; "
        f"{per_sample / chain:.0f} times faster (goal: 50)"
    )
    print(
        f"cells + ANOVA: {cells_seconds:.2f} s, {cells_seconds / scan_seconds:.2f} times the bare scan's "
        f"{scan_seconds:.2f} s; with findings and report: {analysed['seconds'] / scan_seconds:.2f} (goal: 3)"
    )


if __name__ == "__main__":
    result = dict(STEPS[sys.argv[1]](Path(sys.argv[2])))
    result["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))
