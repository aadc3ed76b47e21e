# SPDX-License-Identifier: Apache-2.0
"""Files of real tools (their names tell tool and version), and of rtla in the layout of its writer."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jitterlab.errors import InputError
from jitterlab.recording import Recording
from jitterlab.recording.importers import detect, importers
from jitterlab.recording.importers.assembly import ImportedFile, record

DATA = Path(__file__).parent / "data"

TIMERLAT = """# RTLA timerlat histogram
# Time unit is microseconds (us)
# Duration:   0 00:00:05
Index   IRQ-000   Thr-000   IRQ-003   Thr-003
0           100         0        90         0
1             7        60        20         2
3             2        40         0       100
over:         1        10         0         8
count:      110       110       110       110
min:          0         1         0         1
avg:          0         2         0         3
max:          9        12         1        33
ALL:        IRQ       Thr
count:      220       220
min:          0         1
avg:          0         2
max:          9        33
"""
OSNOISE = """# RTLA osnoise histogram
# Time unit is nanoseconds (ns)
# Duration:   0 00:00:05
Index   CPU-000   CPU-001
0            20        10
1000          1         0
over:         0         0
count:       21        10
min:        200         -
avg:        300         -
max:       1100         -
"""


def imported(folder: Path, *paths: Path, tool: str | None = None, **given: Any) -> Recording:
    options = {name: given.pop(name) for name in ("response", "unit", "by") if name in given}
    known = importers(**options)
    files = [ImportedFile(path, (known[tool] if tool else detect(path, known)).read(path)) for path in paths]
    return record(files, folder / "recording", given)


def totals(recording: Recording) -> dict[tuple[int, int | None], tuple[int, int, int]]:
    response = recording.responses[0].name
    return {
        (entry.run, entry.cpu): (entry.counts.n, entry.counts.min, entry.counts.max)
        for entry in recording.counts(response)
    }


def test_cyclictest_json(tmp_path: Path) -> None:
    path = DATA / "cyclictest-2.40.json"
    recording = imported(tmp_path, path)
    threads = json.loads(path.read_text())["thread"]
    inside = [sum(thread["histogram"].values()) for thread in threads.values()]
    assert totals(recording) == {
        (1, thread["cpu"]): (count + 1, thread["min"] * 1_000, thread["max"] * 1_000)
        for count, thread in zip(inside, threads.values(), strict=True)
    }
    assert list(recording.runs["lost"]) == [400 - sum(inside) - 2]
    assert recording.environment["imported"][0]["tool"] == "cyclictest 2.40"
    assert recording.runs["started"][0].astype("datetime64[D]") == np.datetime64("2026-11-20")


@pytest.mark.parametrize("name", ["cyclictest-2.40-h.txt", "cyclictest-2.40-H.txt"])
def test_cyclictest_histogram(tmp_path: Path, name: str) -> None:
    recording = imported(tmp_path, DATA / name)
    text = (DATA / name).read_text()
    maxima = re.findall(r"# Max Latencies: (\d+) (\d+)", text)[0]
    overflows = re.findall(r"# Histogram Overflows: (\d+) (\d+)", text)[0]
    (entry,) = recording.counts()
    assert entry.cpu is None
    assert entry.counts.max == max(map(int, maxima)) * 1_000
    assert entry.counts.n + recording.runs["lost"][0] == 400
    assert recording.runs["lost"][0] == sum(max(int(number) - 1, 0) for number in overflows)


def test_cyclictest_histogram_of_nanoseconds(tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_text("# Histogram\n000000 000000\n000001 000005\n# Max Latencies: 00001\n")
    assert totals(imported(tmp_path, tmp_path / "h.txt", unit="ns")) == {(1, None): (5, 1, 1)}


def test_cyclictest_verbose(tmp_path: Path) -> None:
    recording = imported(tmp_path, DATA / "cyclictest-2.40-v.txt")
    lines = (DATA / "cyclictest-2.40-v.txt").read_text().splitlines()
    in_order = [line.split(":") for line in lines if line.count(":") == 2]
    expected = sorted(in_order, key=lambda sample: int(sample[0]))
    samples = recording.samples.to_pandas()
    assert list(samples.latency) == [int(latency) * 1_000 for _, _, latency in expected]
    assert list(samples.period) == [int(period) for _, period, _ in expected]
    interval = int(next(line for line in lines if "Interval" in line).split(":")[1]) * 1_000
    assert list(samples.due[:2]) == [0, interval]


def test_rtla_timerlat(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(TIMERLAT)
    recording = imported(tmp_path, tmp_path / "t.txt")
    assert recording.factors == {"context": ("irq", "thread")}
    assert totals(recording) == {
        (1, 0): (110, 0, 9_000),
        (1, 3): (110, 0, 1_000),
        (2, 0): (101, 1_000, 12_000),
        (2, 3): (103, 1_000, 33_000),
    }
    assert list(recording.runs["lost"]) == [0, 9 + 7]


def test_rtla_osnoise(tmp_path: Path) -> None:
    (tmp_path / "o.txt").write_text(OSNOISE)
    recording = imported(tmp_path, tmp_path / "o.txt")
    assert recording.responses[0].name == "noise"
    assert totals(recording) == {(1, 0): (21, 0, 1_000), (1, 1): (10, 0, 0)}


def test_jitterdebugger_results_and_samples_agree(tmp_path: Path) -> None:
    from_results = imported(tmp_path / "a", DATA / "jitterdebugger-0.3/results.json")
    from_samples = imported(tmp_path / "b", DATA / "jitterdebugger-0.3/samples.raw")
    assert [n for n, _, _ in totals(from_results).values()] == [150, 150]
    assert [n for n, _, _ in totals(from_samples).values()] == [150, 148]  # it loses its last samples
    counts = [next(recording.counts()).counts for recording in (from_results, from_samples)]
    assert counts[0] == counts[1]
    due = from_samples.samples_of(1).to_pandas().query("cpu == 0").due
    assert 499_000 < due.diff().median() < 700_000


def test_jitterdebugger_samples_need_their_unit(tmp_path: Path) -> None:
    shutil.copy(DATA / "jitterdebugger-0.3/samples.raw", tmp_path)
    with pytest.raises(InputError, match="unit of raw samples"):
        imported(tmp_path, tmp_path / "samples.raw")


def test_fio_bins_and_logs(tmp_path: Path) -> None:
    job = json.loads((DATA / "fio-3.33.json").read_text())["jobs"][0]
    recording = imported(tmp_path / "a", DATA / "fio-3.33.json")
    assert recording.factors == {"direction": ("read", "write")}
    for entry, direction in zip(recording.counts(), ("read", "write"), strict=True):
        latency = job[direction]["clat_ns"]
        assert entry.counts.n == latency["N"]
        assert entry.counts.quantile(0.5) == latency["percentile"]["50.000000"]
        assert entry.counts.mean == pytest.approx(latency["mean"], rel=0.02)
    exact = imported(tmp_path / "b", DATA / "fio-3.33_clat.1.log")
    for entry, direction in zip(exact.counts(), ("read", "write"), strict=True):
        assert entry.counts.mean == pytest.approx(job[direction]["clat_ns"]["mean"], abs=0.001)
        assert entry.counts.max == job[direction]["clat_ns"]["max"]


def test_fio_without_bins_says_how_to_get_them(tmp_path: Path) -> None:
    content = json.loads((DATA / "fio-3.33.json").read_text())
    del content["jobs"][0]["read"]["clat_ns"]["bins"]
    (tmp_path / "fio.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="'randread' has no bins") as caught:
        imported(tmp_path, tmp_path / "fio.json")
    assert "json+" in caught.value.remedy


def test_hyperfine(tmp_path: Path) -> None:
    results = json.loads((DATA / "hyperfine-1.15.json").read_text())["results"]
    recording = imported(tmp_path, DATA / "hyperfine-1.15.json")
    assert recording.factors == {"parameter_n": ("0.001", "0.002")}
    for entry, result in zip(recording.counts("wall_time"), results, strict=True):
        assert entry.counts.mean == pytest.approx(result["mean"] * 1e9, abs=1)
        assert entry.counts.sd == pytest.approx(result["stddev"] * 1e9, abs=2)


def test_csv_with_factors_runs_and_cpus(tmp_path: Path) -> None:
    text = "network;run;cpu;latency_us\nlan;1;0;1.5\nlan;1;1;2\nwan;2;0;9\nlan;3;0;4\n"
    (tmp_path / "t.csv").write_text(text)
    recording = imported(tmp_path, tmp_path / "t.csv", response="latency_us", by=["network"])
    assert recording.factors == {"network": ("lan", "wan")}
    assert recording.responses[0].name == "latency"
    assert list(recording.runs["block"]) == [1, 1, 2]
    assert totals(recording) == {
        (1, 0): (1, 1_500, 1_500),
        (1, 1): (1, 2_000, 2_000),
        (2, 0): (1, 9_000, 9_000),
        (3, 0): (1, 4_000, 4_000),
    }


def test_csv_of_counts(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("latency,count\n3,1000000000000\n5,2\n")
    assert totals(imported(tmp_path, tmp_path / "t.csv")) == {(1, None): (10**12 + 2, 3, 5)}


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("latency\n1\n", {"response": "lag"}, "has no column 'lag'"),
        ("latency\nx\n", {}, "something else than numbers"),
        ("latency\n1\n", {"unit": "weeks"}, "'weeks' is no unit"),
        ("latency\n1e300\n", {}, "a number that cannot be"),
        ("latency,latency\n1,2\n", {}, "two columns of one name"),
        ("latency\n", {}, "has no rows"),
        ("latency,cpu\n1,-4\n", {}, "something else than CPUs"),
        ("latency,a\n1,2\n3\n", {}, "is no CSV"),
    ],
)
def test_csv_that_cannot_be_is_refused(
    tmp_path: Path, text: str, options: dict[str, Any], message: str
) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        imported(tmp_path, tmp_path / "t.csv", **options)


def test_files_get_levels_from_outside(tmp_path: Path) -> None:
    path = DATA / "cyclictest-2.40.json"
    recording = imported(tmp_path, path, path, path, load=["none", "cpu", "none"], machine=["pc"])
    assert recording.factors == {"load": ("none", "cpu"), "machine": ("pc",)}
    runs = recording.runs.to_pandas()
    assert list(runs.cell) == [1, 2, 1]
    assert list(runs.block) == [1, 1, 2]
    with pytest.raises(InputError, match="'load' has 2 levels for 3 files"):
        imported(tmp_path / "x", path, path, path, load=["none", "cpu"])


def test_files_are_told_apart_by_their_names(tmp_path: Path) -> None:
    recording = imported(tmp_path, DATA / "cyclictest-2.40.json", DATA / "cyclictest-2.40-v.txt")
    assert recording.factors == {"file": ("cyclictest-2.40", "cyclictest-2.40-v")}


def test_different_measurements_are_not_put_together(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="measure different things"):
        imported(tmp_path, DATA / "cyclictest-2.40.json", DATA / "hyperfine-1.15.json")


def test_a_failed_import_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"latency,cpu,count\n1,0,{2**61}\n1,1,{2**61}\n2,1,{2**61}\n")
    with pytest.raises(InputError, match="more than"):
        imported(tmp_path, tmp_path / "t.csv")
    assert not (tmp_path / "recording").exists()


def test_an_unknown_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\x7fELF")
    with pytest.raises(InputError, match="no importer knows") as caught:
        imported(tmp_path, tmp_path / "x")
    assert "cyclictest" in caught.value.remedy
    with pytest.raises(InputError, match="cannot be read"):
        imported(tmp_path, tmp_path / "absent")
