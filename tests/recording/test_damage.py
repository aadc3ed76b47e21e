# SPDX-License-Identifier: Apache-2.0
"""Recordings that were damaged after they were written."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jitterlab.errors import InputError, RunError
from jitterlab.recording import Recording, RunRow, folder
from tests.recording import stream_writer
from tests.recording.conftest import manifest

FILES = [
    "recording.json",
    "environment.json",
    "runs.parquet",
    "samples/00001.parquet",
    "counts/00001.parquet",
]


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("intact")
    (path / "stream").write_bytes(stream_writer.stream([[5, 6, 7] * 50, [9, 9, 12] * 50], warmup=1))
    recording = Recording.begin(path / "recording", manifest(), "", {"kernel": "6.1"})
    for run in (1, 2):
        recording.append(RunRow(run, "ok", 1, 1.0), path / "stream")
    return recording.path


@pytest.fixture
def copy(intact: Path, tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "copy"
    shutil.copytree(intact, path)
    yield path
    shutil.rmtree(path)


def look(path: Path) -> None:
    """Read everything that a recording holds."""
    recording = Recording.open(path)
    list(recording.counts())
    recording.samples.to_arrow()
    recording.worst()


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(InputError, match=f"{name} is missing") as caught:
        look(copy)
    assert caught.value.remedy


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_truncated_file_is_named(copy: Path, name: str, share: float) -> None:
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[: int(len(content) * share)])
    with pytest.raises(InputError, match=name) as caught:
        look(copy)
    assert caught.value.remedy


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FILES), st.floats(0, 1, exclude_max=True), st.integers(0, 7))
def test_a_flipped_bit_never_ends_in_anything_but_an_input_error(
    intact: Path, copy: Path, name: str, share: float, bit: int
) -> None:
    content = bytearray((intact / name).read_bytes())
    content[int(share * len(content))] ^= 1 << bit
    (copy / name).write_bytes(content)
    try:
        look(copy)
        assert name in {"recording.json", "environment.json", "runs.parquet"}  # texts that nobody can check
    except InputError:
        assert (copy / name).exists()
    finally:
        shutil.copy(intact / name, copy / name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "is not of a recording"),
        ({"version": 2}, "has version 2; this jitterlab reads version 1"),
        ({"factors": 7}, "factors"),
        ({"plan": [{"run": "x"}]}, "plan.0.run"),
        ({"responses": [{"name": "cpu", "unit": "ns", "summary": ""}]}, "cannot be called 'cpu'"),
    ],
)
def test_a_manifest_that_cannot_be_is_refused(copy: Path, change: dict[str, object], message: str) -> None:
    manifest_file = copy / "recording.json"
    manifest_file.write_text(json.dumps(json.loads(manifest_file.read_text()) | change))
    with pytest.raises(InputError, match=r"recording\.json|cannot be called") as caught:
        Recording.open(copy)
    assert message in str(caught.value)


def test_a_recording_of_an_earlier_form_is_not_called_damaged(copy: Path) -> None:
    table = pq.read_table(copy / "runs.parquet")
    pq.write_table(table.drop_columns(["files"]), copy / "runs.parquet")
    with pytest.raises(InputError, match=r"earlier form of recordings: it has no column files") as caught:
        Recording.open(copy)
    assert "measure again" in caught.value.remedy


def test_a_folder_that_is_not_empty_is_not_overwritten(intact: Path) -> None:
    with pytest.raises(InputError, match="not empty"):
        Recording.begin(intact, manifest(), "", {})


def test_a_full_disk_loses_nothing(copy: Path, intact: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = Recording.open(copy)

    def full(path: Path) -> None:
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(folder, "sync_file", full)
        with pytest.raises(RunError, match="run 3 cannot be written: No space left on device"):
            recording.append(RunRow(3, "ok", 1, 1.0, log="x"), intact.parent / "stream")
    assert list(Recording.open(copy).runs["run"]) == [1, 2]
    assert not list(copy.rglob("*.part"))
    recording.append(RunRow(3, "ok", 1, 1.0), intact.parent / "stream")
    assert list(Recording.open(copy).runs["run"]) == [1, 2, 3]
