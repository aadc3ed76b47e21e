# SPDX-License-Identifier: Apache-2.0
"""What every verb of the command line promises: help, examples, exit codes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jitterlab.commands import VERBS

JITTERLAB = Path(sys.executable).parent / "jitterlab"


def jitterlab(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(JITTERLAB), *arguments], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(verb: str) -> None:
    result = jitterlab(verb, "--help")
    assert result.returncode == 0, result.stderr
    assert "Examples:" in result.stdout
    assert f"jitterlab {verb}" in result.stdout


def test_the_overview_lists_every_verb_and_the_exit_codes() -> None:
    result = jitterlab("--help")
    assert all(f"\n  {verb} " in result.stdout for verb in VERBS)
    assert "Exit codes" in result.stdout


def test_an_unknown_verb_is_wrong_usage() -> None:
    result = jitterlab("mesure")
    assert result.returncode == 2
    assert "No such command" in result.stderr


@pytest.mark.parametrize("verb", ["report", "figure", "show", "resume", "export", "anova"])
def test_a_recording_that_is_not_there_is_bad_input(verb: str, tmp_path: Path) -> None:
    arguments = {"figure": ["ccdf", "--output", str(tmp_path / "x.svg")], "export": ["--format", "csv"]}
    result = jitterlab(verb, str(tmp_path / "absent"), *arguments.get(verb, []))
    assert result.returncode == 2, result.stderr
    assert "Traceback" not in result.stderr
    assert "absent" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str) -> None:
    result = jitterlab("completion", shell)
    assert result.returncode == 0
    assert "_JITTERLAB_COMPLETE" in result.stdout


def test_the_overview_and_help_load_no_heavy_library() -> None:
    code = """
import sys
from jitterlab.cli import jitterlab
from jitterlab.commands import VERBS
assert all(jitterlab.get_command(None, verb) for verb in VERBS)
print(sorted({"numpy", "pandas", "pyarrow", "pydantic", "scipy", "matplotlib"} & set(sys.modules)))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout == "[]\n"


@pytest.mark.parametrize(("typed", "offered"), [("wa", "plain,wakeup"), ("./mine", "file,./mine")])
def test_studies_are_completed(typed: str, offered: str) -> None:
    environment = {
        **os.environ,
        "_JITTERLAB_COMPLETE": "bash_complete",
        "COMP_WORDS": f"jitterlab run {typed}",
        "COMP_CWORD": "2",
    }
    result = subprocess.run(
        [str(JITTERLAB)], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout == f"{offered}\n"
