# SPDX-License-Identifier: Apache-2.0
"""The guard under test: built with the address and undefined-behaviour sanitizers."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "sanitized"


@pytest.fixture(scope="session")
def probe() -> str:
    if not (BUILD / "build.ninja").exists():
        options = ["--buildtype", "debugoptimized", "-Db_sanitize=address,undefined", "-Db_lundef=false"]
        subprocess.run(["meson", "setup", *options, BUILD, ROOT], check=True, capture_output=True)
    subprocess.run(["ninja", "-C", BUILD, "probe/jitter-probe"], check=True, capture_output=True)
    return str(BUILD / "probe" / "jitter-probe")
