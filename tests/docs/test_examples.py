# SPDX-License-Identifier: Apache-2.0
"""The examples of the documentation are run as they stand there."""

import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import click
import pytest

import jitterlab
from jitterlab import study
from jitterlab.commands import VERBS
from jitterlab.design import plan
from jitterlab.quantities import parse_duration, parse_size
from jitterlab.study.screening import cell_count
from jitterlab.study.validation import DEFAULTS, STUDY_KEYS

ROOT = Path(__file__).parents[2]
JITTERLAB = Path(sys.executable).parent / "jitterlab"
EXAMPLE = """
[study]
title = "Does copying disturb?"
workload = "wakeup"
replicates = 1
samples = 100
[parameters]
cpus = "0"
interval = "200us"
[factors]
copying = ["none", "dd"]
"""
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


TRACKED = [
    path
    for folder in ("jitterlab", "probe", "tests", "studies", "docs", "bench")
    for path in (ROOT / folder).rglob("*.*")
] + [*ROOT.glob("*.*")]


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a language, each after as many empty lines as stand before it on the page."""
    text = page.read_text()
    return [
        "\n" * text.count("\n", 0, found.start(1)) + found[1]
        for found in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    ]


def one_file(page: Path, language: str) -> str:
    """All blocks of a language as one text, on the lines on which they stand on the page."""
    lines: list[str] = []
    for block in blocks(page, language):
        lines += block.splitlines()[len(lines) :]
    return "\n".join(lines)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the recording that docs/python.md is about, and the examples."""
    folder = tmp_path
    (folder / "timers.toml").write_text(blocks(ROOT / "docs" / "python.md", "toml")[0])
    command = [str(JITTERLAB), "run", "timers.toml", "--output", "recordings/timers"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    (folder / "docs").mkdir()
    (folder / "docs" / "examples").symlink_to(ROOT / "docs" / "examples")
    return folder


def test_the_python_page_runs_and_means_what_its_comments_say(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    script = place / "python.md.py"
    script.write_text(one_file(ROOT / "docs" / "python.md", "python"))
    names = runpy.run_path(str(script))
    recording = names["recording"]
    assert recording.factors == {"wake": ("nanosleep", "timerfd")}
    assert (recording.missing, len(recording.runs)) == ((), 10)
    assert names["everything"].n == len(recording.samples) == 6000
    assert (
        names["everything"].max == recording.worst("latency", 1)[0].value == names["samples"]["latency"].max()
    )
    assert names["runs"].schema.field("cpu_time.steal").metadata == {b"unit": b"s"}
    assert names["extremes"](names["series"], "ns").refusal
    anova = names["anova"](names["table"].groups, "latency ~ Network * Data_Size", type=2)
    assert pytest.approx(97.45, abs=0.005) == anova["Network"].F


def test_the_package_of_the_contributors_page_installs_and_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "CONTRIBUTING.md"
    (tmp_path / "example.py").write_text(one_file(page, "python"))
    (tmp_path / "pyproject.toml").write_text(blocks(page, "toml")[0])
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    pip += ["--no-build-isolation", "--target", "installed", "."]
    subprocess.run(pip, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    (tmp_path / "study.toml").write_text(EXAMPLE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "installed"))
    run = [str(JITTERLAB), "run", "study.toml", "--output", "copied"]
    result = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    recording = jitterlab.open(tmp_path / "copied")
    assert recording.factors == {"copying": ("none", "dd")}
    assert (recording.runs["switches.all"] > 0).all()
    copied = recording.runs["run"][recording.runs["copying"] == "dd"][0]
    assert '"runs": "dd"' in (tmp_path / "copied" / "logs" / f"{copied:05}.txt").read_text()


@pytest.mark.parametrize("text", blocks(ROOT / "docs" / "study-file.md", "toml"))
def test_studies_on_the_page_are_valid_and_can_be_planned(text: str) -> None:
    parsed = study.parse(text, "study-file.md")
    cells = cell_count(parsed.design, [len(factor.levels) for factor in parsed.factors])
    assert len(plan(parsed)) == parsed.replicates * cells


def test_the_page_names_every_key_of_a_study_with_its_default() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \|", (ROOT / "docs" / "study-file.md").read_text(), re.MULTILINE)
    keys = {key: default.strip("`") for key, default in rows if key in STUDY_KEYS}
    assert set(keys) == set(STUDY_KEYS)
    assert {key: tomllib.loads(f"x = {keys[key]}")["x"] for key in DEFAULTS} == dict(DEFAULTS)
    assert {key for key, default in keys.items() if default == "required"} == set(STUDY_KEYS) - set(DEFAULTS)


def test_quantities_on_the_page_can_be_read() -> None:
    text = (ROOT / "docs" / "study-file.md").read_text()
    rows = dict(re.findall(r"^\| (duration|size) \| (.*) \|$", text, re.MULTILINE))
    assert all(parse_duration(value) for value in re.findall(r'"([^"]+)"', rows["duration"]))
    assert all(parse_size(value) for value in re.findall(r'"([^"]+)"', rows["size"]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_pages_name_exist(page: Path) -> None:
    """Paths in code spans; words in capitals stand for something else."""
    named = re.findall(r"`([a-z][\w.-]*(?:/[\w.-]+)*\.(?:py|c|h|ini|toml))`", page.read_text())
    files = [f"/{path.relative_to(ROOT)}" for path in TRACKED]
    paths = {name for name in named if not re.search("[A-Z]{2}", name)}
    paths -= {"example.py", "study.toml"}  # of the contributor's package, of a recording
    assert [name for name in sorted(paths) if not any(file.endswith(f"/{name}") for file in files)] == []


def command_lines(page: Path) -> list[str]:
    """Every call of the lab in a block of shell commands."""
    lines = "\n".join(blocks(page, "sh")).splitlines()
    return [line.partition("#")[0].strip() for line in lines if "jitterlab " in line.partition("#")[0]]


CALLS = [(page.name, line) for page in PAGES for line in command_lines(page)]


@pytest.mark.parametrize(("page", "line"), CALLS)
def test_commands_on_the_pages_exist_with_their_options(page: str, line: str) -> None:
    words = shlex.split(line)
    start = next(place for place, word in enumerate(words) if Path(word).name == "jitterlab")
    verb, *arguments = words[start + 1 :]
    command: click.Command = import_module(f"jitterlab.commands.{VERBS[verb]}").command
    known = {name for parameter in command.params for name in parameter.opts} | {"--help"}
    used = {word.partition("=")[0] for word in arguments if word.startswith("--")}
    assert used <= known, page


SHORT = "--samples 150 --replicates 2 --set load=none --set slack=1ns"


@pytest.mark.root
def test_the_tour_works_as_written_but_for_the_length_of_runs(tmp_path: Path) -> None:
    """All but `restore`, which refuses while another guard is at work on the machine of the tests."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / ".venv").symlink_to(JITTERLAB.parents[1])
    for line in command_lines(ROOT / "README.md"):
        if line.endswith(" restore"):
            continue
        told = ["bash", "-c", f"{line} {SHORT}" if " run " in line else line]
        result = subprocess.run(told, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert result.returncode == 0, f"{told[-1]}\n{result.stderr}"
    written = {"DIR", "MINE", "tail.svg", "cells.csv", "mine.toml"}
    assert written <= {path.name for path in tmp_path.iterdir()}
