# SPDX-License-Identifier: Apache-2.0
"""Importers meet damaged and hostile files with an InputError, whatever these hold."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitterlab.errors import InputError
from jitterlab.recording.importers import detect, importers
from jitterlab.recording.importers.assembly import ImportedFile, record
from tests.recording.test_importers import DATA, OSNOISE, TIMERLAT

FILES = {
    **{str(path.relative_to(DATA)): path.read_bytes() for path in sorted(DATA.rglob("*")) if path.is_file()},
    "timerlat.txt": TIMERLAT.encode(),
    "osnoise.txt": OSNOISE.encode(),
    "plain.csv": b"network,cpu,latency,count\nlan,0,5,3\nwan,1,7,9\n",
}
JSON_FILES = [name for name in FILES if name.endswith(".json")]
TOOLS = list(importers())
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just(2**70)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


def attempt(name: str, content: bytes, tool: str | None = None) -> None:
    """Import a file; nothing but an InputError may come of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        shutil.copy(DATA / "jitterdebugger-0.3/results.json", folder)
        path.write_bytes(content)
        try:
            importer = importers()[tool] if tool else detect(path, importers())
            recording = record([ImportedFile(path, importer.read(path))], Path(folder) / "recording")
        except InputError:
            return
        assert sum(entry.counts.n for entry in recording.counts(recording.responses[0].name)) >= 0


@pytest.fixture(scope="module", autouse=True)
def not_durable() -> Iterator[None]:
    """Hundreds of recordings need not survive a power cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(FILES)), st.data())
def test_damaged_bytes(name: str, data: st.DataObject) -> None:
    content = FILES[name]
    start = data.draw(st.integers(0, len(content)))
    removed = data.draw(st.integers(0, 40) | st.just(len(content)))
    inserted = data.draw(
        st.binary(max_size=20) | st.sampled_from([b"-", b"9" * 30, b"1e9", b"\n", b"\xff", b"NaN"])
    )
    attempt(name, content[:start] + inserted + content[start + removed :])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in JSON content."""
    inner: list[tuple[Any, ...]] = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        inner += places(part, (*path, key))
    return inner


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(JSON_FILES), st.data())
def test_json_with_other_types(name: str, data: st.DataObject) -> None:
    content = json.loads(FILES[name])
    *path, last = data.draw(st.sampled_from(places(content)))
    target = content
    for key in path:
        target = target[key]
    target[last] = data.draw(VALUES)
    attempt(name, json.dumps(content).encode())


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(FILES)), st.sampled_from(TOOLS))
def test_files_of_another_tool(name: str, tool: str) -> None:
    attempt(name, FILES[name], tool)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"{}",
        b"\x80,x\n1,2\n",
        b"[]",
        b"null",
        b"1:" * 50_000,
        b" " * 100_000,
        b"\n" * 100_000,
    ],
)
def test_hostile_files(tool: str, content: bytes) -> None:
    attempt("x.json", content, tool)
    attempt("x.raw", content, tool)
    attempt("x.csv", content, tool)
