# SPDX-License-Identifier: Apache-2.0
"""The verbs import, show and export, as a script uses them."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

JITTERLAB = Path(sys.executable).parent / "jitterlab"
DATA = Path(__file__).parent / "data"


def jitterlab(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(JITTERLAB), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("imported") / "recording"
    file = DATA / "cyclictest-2.40.json"
    result = jitterlab("import", file, file, file, "--factor", "load=none,cpu,none", "--output", path)
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"3 runs in {path}\n"
    return path


def test_show_lists_runs(recorded: Path) -> None:
    result = jitterlab("show", recorded)
    assert result.returncode == 0, result.stderr
    assert "workload  imported\n" in result.stdout
    assert [line.split()[:4] for line in result.stdout.splitlines() if " ok " in line] == [
        ["1", "1", "none", "ok"],
        ["2", "1", "cpu", "ok"],
        ["3", "2", "none", "ok"],
    ]


def test_show_for_scripts(recorded: Path) -> None:
    content = json.loads(jitterlab("show", recorded, "--json").stdout)
    assert content["factors"] == {"load": ["none", "cpu"]}
    run = content["runs"][1]
    assert (run["status"], run["levels"], run["missed"]) == ("ok", {"load": "cpu"}, None)
    assert run["responses"]["latency"]["n"] == run["samples"] > 300


def test_export_to_a_pipe_and_to_a_file(recorded: Path, tmp_path: Path) -> None:
    piped = jitterlab("export", recorded, "--format", "csv", "--where", "load=cpu")
    assert piped.stdout.splitlines()[0].replace('"', "").startswith("load,n,mean,sd")
    assert len(piped.stdout.splitlines()) == 2
    written = jitterlab(
        "export", recorded, "--format", "parquet", "--table", "counts", "--output", tmp_path / "c"
    )
    assert written.returncode == 0, written.stderr
    assert (tmp_path / "c").read_bytes().startswith(b"PAR1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["import", "absent.json", "--output", "x"], "absent.json: cannot be read"),
        (["import", "absent.json", "--output", "x", "--format", "abc"], "there is no format 'abc'"),
        (["import", "absent.json", "--output", "x", "--factor", "load"], "a factor needs a name and a level"),
        (["export", "{recorded}", "--format", "xls"], "there is no format 'xls'"),
        (["export", "{recorded}", "--format", "parquet"], "cannot be written to a terminal or a pipe"),
        (["export", "{recorded}", "--format", "csv", "--table", "samples"], "kept only counts"),
        (["export", "{recorded}", "--format", "csv", "--where", "load"], "a factor and a level are needed"),
        (["export", "{recorded}", "--format", "csv", "--output", "/proc/x/y"], "cannot be written"),
    ],
)
def test_wrong_usage_is_explained(recorded: Path, arguments: list[str], message: str) -> None:
    result = jitterlab(*(text.replace("{recorded}", str(recorded)) for text in arguments))
    assert result.returncode == 2
    assert message in result.stderr
    assert "remedy: " in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("tool", ["hyperfine", "csv", "cyclictest"])
def test_imported_samples_are_analysed_like_measured_ones(tmp_path: Path, tool: str) -> None:
    generator = random.Random(3)
    samples = [
        f"{load},{generator.gammavariate(4, mean):.3f}" for load, mean in [("no", 5), ("yes", 9)] * 400
    ]
    (tmp_path / "samples.csv").write_text("load,latency_us\n" + "\n".join(samples))
    arguments: dict[str, list[object]] = {
        "hyperfine": [DATA / "hyperfine-1.15.json"],
        "csv": [tmp_path / "samples.csv", "--response", "latency_us", "--by", "load"],
        "cyclictest": [DATA / "cyclictest-2.40-v.txt"],
    }
    imported = jitterlab("import", *arguments[tool], "--output", tmp_path / "recording")
    assert imported.returncode == 0, imported.stderr
    for verb in ("show", "report"):
        result = jitterlab(verb, tmp_path / "recording")
        assert result.returncode == 0, result.stderr
    assert (tmp_path / "recording/report.html").stat().st_size > 10_000
