# SPDX-License-Identifier: Apache-2.0
"""The guard under test: built with the address and undefined-behaviour sanitizers."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build-sanitize"


@pytest.fixture(scope="session")
def sanitized() -> str:
    if not (BUILD / "build.ninja").exists():
        options = ["--buildtype=debugoptimized", "-Db_sanitize=address,undefined"]
        subprocess.run(["meson", "setup", *options, BUILD, ROOT], check=True, capture_output=True)
    subprocess.run(["ninja", "-C", BUILD, "probe/jitter-probe"], check=True, capture_output=True)
    return str(BUILD / "probe" / "jitter-probe")


@pytest.fixture(autouse=True)
def probe(sanitized: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The probe that the client finds too; undefined behaviour ends it."""
    monkeypatch.setenv("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1")
    monkeypatch.setenv("JITTERLAB_PROBE", sanitized)
    return sanitized
