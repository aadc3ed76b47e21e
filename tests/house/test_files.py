# SPDX-License-Identifier: Apache-2.0
"""Every file says its licence, and none says what has no place in the product."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRACKED = subprocess.run(
    ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.splitlines()
SOURCES = [name for name in TRACKED if name.endswith((".py", ".c", ".h", ".build"))]
VENDORED = ("jitterlab/report/assets/plotly",)
REGISTRY_HOST = re.compile(r"https?://[a-z.-]*(pypi|pythonhosted|crates|npmjs|golang|maven|debian)[a-z.-]*")


@pytest.mark.parametrize("name", SOURCES)
def test_source_names_its_licence(name: str) -> None:
    first = (ROOT / name).read_text().splitlines()[:2]
    assert any("SPDX-License-Identifier: " in line for line in first)


def test_no_file_names_a_registry_host() -> None:
    found = []
    for name in TRACKED:
        if name.startswith(VENDORED) or not (ROOT / name).is_file():
            continue
        text = (ROOT / name).read_bytes().decode("utf-8", errors="ignore")
        found += [f"{name}: {match.group()}" for match in REGISTRY_HOST.finditer(text)]
    assert found == []


def test_no_file_names_this_checkout() -> None:
    here = f"{ROOT}/".encode()
    assert [n for n in TRACKED if (ROOT / n).is_file() and here in (ROOT / n).read_bytes()] == []
