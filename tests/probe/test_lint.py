# SPDX-License-Identifier: Apache-2.0
"""What clang-tidy (.clang-tidy) and cppcheck say about the C code: nothing."""

import subprocess
from pathlib import Path

import pytest

from tests.probe.probing import ROOT

SOURCES = sorted((ROOT / "probe" / "src").glob("*.c"))
HALVES = [SOURCES[::2], SOURCES[1::2]]


def _say_nothing(*words: str | Path) -> None:
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize("sources", HALVES, ids=["even", "odd"])
def test_clang_tidy(sources: list[Path]) -> None:
    _say_nothing("clang-tidy", "-p", "build", "--quiet", *sources)


def test_cppcheck() -> None:
    checks = "--enable=warning,performance,portability"
    _say_nothing("cppcheck", checks, "--quiet", "--error-exitcode=1", "--project=build/compile_commands.json")
