# SPDX-License-Identifier: Apache-2.0
import io
import json
import os
import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from jitterlab.errors import InputError
from jitterlab.recording.stream import Rows, StreamReader
from tests.recording import stream_writer

VECTORS = Path(__file__).parents[1] / "vectors"
X = {"name": "x", "type": "u8", "unit": "ns"}
WHOLE = stream_writer.stream([[30, 31, 32, 33, 34], [40, 41, 42, 43, 44]], warmup=1, rows_per_frame=2)
FRAMES = [place for place in range(len(WHOLE)) if WHOLE[place : place + 4] in {b"HEAD", b"ROWS", b"TAIL"}]


def read(content: bytes) -> tuple[StreamReader, list[Rows]]:
    reader = StreamReader(io.BytesIO(content), "run.stream")
    return reader, list(reader.frames())


def outcome(content: bytes) -> tuple[str, list[Rows]]:
    """The error, if there is one, and the rows."""
    try:
        return "", read(content)[1]
    except InputError as error:
        return str(error), []


def latencies(frames: list[Rows], source: int) -> list[int]:
    return [int(value) for frame in frames if frame.source == source for value in frame.rows["latency"]]


def with_head(**changes: Any) -> bytes:
    return stream_writer.json_frame(b"HEAD", stream_writer.head() | changes)


def test_a_whole_stream_gives_all_rows_and_facts() -> None:
    reader, frames = read(WHOLE)
    assert latencies(frames, 0) == [30, 31, 32, 33, 34]
    assert latencies(frames, 1) == [40, 41, 42, 43, 44]
    assert all(frame.verified and frame.table.name == "samples" for frame in frames)
    assert reader.tail is not None
    assert reader.tail.end == "complete"
    assert reader.facts["tail"]["clock_drift_ns"] == -12
    assert [source.cpu for source in reader.head.sources] == [0, 1]


def test_a_pipe_is_read_like_a_file() -> None:
    readable, writable = os.pipe()

    def feed() -> None:
        with os.fdopen(writable, "wb", buffering=0) as pipe:
            for place in range(0, len(WHOLE), 7):
                pipe.write(WHOLE[place : place + 7])

    writer = threading.Thread(target=feed)
    writer.start()
    with os.fdopen(readable, "rb", buffering=0) as pipe:
        reader = StreamReader(pipe, "pipe")
        assert latencies(list(reader.frames()), 1) == [40, 41, 42, 43, 44]
    writer.join()


@given(st.integers(0, len(WHOLE) - 1))
def test_a_cut_stream_gives_its_whole_rows(length: int) -> None:
    if length < FRAMES[1]:
        with pytest.raises(InputError, match=r"run\.stream: the stream (is empty|ends inside its HEAD)"):
            read(WHOLE[:length])
        return
    reader, frames = read(WHOLE[:length])
    assert reader.cut
    ends = [*FRAMES[1:], len(WHOLE)]
    kept = [max(0, min(end, length) - start - 16) // 16 for start, end in zip(FRAMES, ends, strict=True)]
    rows = sum(kept[1:-1])
    assert sum(len(frame.rows) for frame in frames) == rows
    assert latencies(frames, 0) == [30, 31, 32, 33, 34][: len(latencies(frames, 0))]


@given(st.integers(0, len(WHOLE) * 8 - 1))
def test_a_flipped_bit_is_found_or_harmless(bit: int) -> None:
    content = bytearray(WHOLE)
    content[bit // 8] ^= 1 << bit % 8
    frame = max(place for place in FRAMES if place <= bit // 8)
    in_header = bit // 8 - frame < 16
    number = FRAMES.index(frame) + 1
    message, frames = outcome(bytes(content))
    if message:
        assert f"frame {number} at byte {frame} is damaged" in message or "HEAD" in message
    else:  # the checksum is of the payload: the conversion compares table and source with TAIL's totals
        assert in_header
        assert 12 <= bit // 8 - frame < 16 or frame == FRAMES[-1]
        assert sum(len(part.rows) for part in frames) == 10


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"PAR1" * 20, "frame 1 at byte 0 is damaged"),
        (stream_writer.frame(b"TAIL", b"{}"), "does not begin with HEAD"),
        (struct.pack("<4sIIHH", b"HEAD", 2**32 - 1, 0, 0, 0), "4294967295 bytes"),
        (stream_writer.frame(b"HEAD", b"[" * 100_000), "not valid JSON"),
        (stream_writer.frame(b"HEAD", b"\xff{}"), "not valid JSON"),
        (stream_writer.frame(b"HEAD", b'{"a": ' + b"9" * 5000 + b"}"), "not valid JSON"),
        (stream_writer.frame(b"HEAD", b'{"a": NaN}'), "NaN is no number"),
        (stream_writer.frame(b"HEAD", b"[]"), "HEAD"),
        (with_head(version=2), "version"),
        (with_head(tables=[]), "tables"),
        (with_head(sources=[]), "sources"),
        (with_head(realtime_offset_ns=2**80), "realtime_offset_ns"),
        (with_head(clock={"name": "tsc", "tick_hz": 0}), "clock.tick_hz"),
        (with_head(clock={"name": "tsc", "tick_hz": True}), "clock.tick_hz"),
        (with_head(sources=[{"name": "cpu0", "start_ns": 0, "interval_ns": -1}]), "interval_ns"),
        (
            with_head(tables=[{"name": "samples", "columns": [{"name": "x", "type": "u128", "unit": "ns"}]}]),
            "tables.0.columns.0.type",
        ),
        (
            with_head(
                tables=[{"name": "samples", "columns": [{"name": "x", "type": "u8", "unit": "ns"}] * 2}]
            ),
            "two columns of one name",
        ),
        (
            with_head(tables=[{"name": "x", "columns": [X]}] * 2),
            "two tables of one name",
        ),
        (
            with_head(tables=[{"name": "counts", "columns": [X]}]),
            "one response and a column 'count'",
        ),
        (with_head(tables=[{"name": "a\u0000b", "columns": []}]), "tables.0.name"),
    ],
)
def test_a_hostile_head_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(content)
    assert message in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        (stream_writer.frame(b"ROWS", bytes(16), table=2), "table 2"),
        (stream_writer.frame(b"ROWS", bytes(16), source=1), "source 1"),
        (stream_writer.frame(b"ROWS", bytes(17)), "17 bytes"),
        (stream_writer.json_frame(b"TAIL", stream_writer.tail([0, 0])), "names 2 sources"),
        (stream_writer.json_frame(b"TAIL", stream_writer.tail([0])) + b"x", "goes on after its TAIL"),
        (stream_writer.json_frame(b"TAIL", {"end": "soon", "sources": []}), "TAIL: end"),
        (with_head(), "its kind is b'HEAD'"),
    ],
)
def test_frames_that_do_not_fit_the_head_are_refused(frames: bytes, message: str) -> None:
    with pytest.raises(InputError, match="run") as caught:
        read(with_head() + frames)
    assert message in str(caught.value)


def test_a_wrong_length_is_not_taken_for_a_cut() -> None:
    start = FRAMES[1]
    content = WHOLE[: start + 4] + struct.pack("<I", 100_000) + WHOLE[start + 8 :]
    with pytest.raises(InputError, match=f"frame 2 at byte {start} is damaged: its length of 100000 bytes"):
        read(content)


@pytest.mark.parametrize("length", [0, 8_000_000, 2**32 - 1])
def test_what_looks_like_frames_is_searched_in_bounded_time(length: int) -> None:
    trap = np.frombuffer(b"ROWS" + struct.pack("<II", length, 1) + bytes(4), np.uint8)
    payload = np.tile(trap, 600_000).tobytes()
    header = struct.pack("<4sIIHH", b"ROWS", 16 * 2**20, 0, 0, 0)
    reader, frames = read(with_head() + header + payload)
    assert reader.cut
    assert len(frames[0].rows) == 600_000
    assert not frames[0].verified


@given(st.binary(max_size=400), st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)))
def test_any_bytes_are_read_or_refused(inserted: bytes, start: int, length: int) -> None:
    message, _ = outcome(WHOLE[:start] + inserted + WHOLE[start + length :])
    assert message.startswith("run.stream: ") or not message


@pytest.mark.parametrize("path", sorted(VECTORS.glob("*.stream")), ids=lambda path: path.stem)
def test_the_streams_of_the_probe_are_read_as_documented(path: Path) -> None:
    if path.stem == "damaged":
        with pytest.raises(InputError, match="is damaged"):
            read(path.read_bytes())
        return
    expected = json.loads((VECTORS / "vectors.json").read_text())[path.stem]
    reader, frames = read(path.read_bytes())
    assert reader.head.clock.name == expected["clock"]
    assert (reader.tail.end if reader.tail else None) == expected["end"]
    found: dict[tuple[str, str], list[NDArray[Any]]] = {}
    for frame in frames:
        found.setdefault((frame.table.name, reader.head.sources[frame.source].name), []).append(frame.rows)
    assert len(found) == len(expected["rows"])
    for part in expected["rows"]:
        rows = np.concatenate(found[part["table"], part["source"]])
        assert len(rows) == part["rows"]
        assert [int(rows[name].astype(object).sum()) for name in rows.dtype.names or ()] == part[
            "column_sums"
        ]
