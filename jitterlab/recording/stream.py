# SPDX-License-Identifier: Apache-2.0
"""Reader of the streams that probes and stacks write. See docs/stream-format.md."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from jitterlab.errors import InputError
from jitterlab.recording.header import Head, TableHead, Tail, parse

FRAME = struct.Struct("<4sIIHH")
LONGEST_PAYLOAD = 16 * 2**20
_DAMAGED = "the file was damaged after it was written, or its writer is faulty: measure that run again"
_SEARCHED = 4 * LONGEST_PAYLOAD


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one frame.

    Attributes:
        table: The table they belong to.
        source: The index of the source that wrote them.
        rows: The rows as a structured array, its fields named and typed as the header says.
        verified: Whether the checksum could be checked; not in the last frame of a cut stream.
    """

    table: TableHead
    source: int
    rows: NDArray[Any]
    verified: bool


class StreamReader:
    """Reads a stream frame by frame, front to back; memory holds one frame at a time.

    Args:
        file: The stream: a file or a pipe, opened for bytes.
        name: What to call it in messages.

    Attributes:
        head: What the rows mean.
        name: What to call it in messages.
        tail: How the run ended; None before all rows were read, and in a stream that was cut.
        facts: HEAD and TAIL in full, as {"head": …, "tail": …}.

    Raises:
        InputError: The stream is empty, is something else, or its HEAD is damaged or cut.
    """

    head: Head
    tail: Tail | None

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self.name = name
        self._offset = self._end_of_frame = 0
        self._frame = 0
        frame = self._next()
        if frame is None:
            raise InputError(f"{name}: the stream is empty", "measure that run again")
        kind, payload, _, _, whole = frame
        if kind != b"HEAD":
            raise self._damaged("the stream does not begin with HEAD")
        if not whole:
            raise InputError(f"{name}: the stream ends inside its HEAD", "measure that run again")
        self.head, head = parse(Head, payload, f"{name}: HEAD")
        self.tail = None
        self.facts: dict[str, Any] = {"head": head, "tail": None}
        self._dtypes = [table.dtype for table in self.head.tables]

    @property
    def cut(self) -> bool:
        """Whether the stream ended without a TAIL; known after all rows were read."""
        return self.tail is None

    def frames(self) -> Iterator[Rows]:
        """The rows of all frames, in their order; of an incomplete last frame its whole rows.

        Raises:
            InputError: A frame is damaged; the message names the file, the frame and its offset.
        """
        while (frame := self._next()) is not None:
            kind, payload, table, source, whole = frame
            if kind == b"TAIL":
                self._end(payload, whole)
                return
            if kind != b"ROWS":
                raise self._damaged(f"its kind is {kind!r}")
            yield self._rows(payload, table, source, whole)

    def _rows(self, payload: bytes, table: int, source: int, whole: bool) -> Rows:
        if table >= len(self.head.tables):
            raise self._damaged(f"it belongs to table {table}, and there are {len(self.head.tables)}")
        if source >= len(self.head.sources):
            raise self._damaged(f"it belongs to source {source}, and there are {len(self.head.sources)}")
        dtype = self._dtypes[table]
        count, rest = divmod(len(payload), dtype.itemsize)
        if rest and whole:
            raise self._damaged(f"{len(payload)} bytes are no whole number of rows of {dtype.itemsize} bytes")
        return Rows(self.head.tables[table], source, np.frombuffer(payload, dtype, count), verified=whole)

    def _end(self, payload: bytes, whole: bool) -> None:
        if not whole:
            return
        self.tail, self.facts["tail"] = parse(Tail, payload, f"{self.name}: TAIL")
        if len(self.tail.sources) != len(self.head.sources):
            raise self._damaged(f"TAIL names {len(self.tail.sources)} sources, HEAD {len(self.head.sources)}")
        if self._file.read(1):
            raise InputError(f"{self.name}: the stream goes on after its TAIL", _DAMAGED)

    def _next(self) -> tuple[bytes, bytes, int, int, bool] | None:
        """Kind, payload, table, source of the next frame and whether all of it is there; None at the end."""
        self._frame += 1
        self._offset = self._end_of_frame
        header = self._read(FRAME.size)
        if len(header) < FRAME.size:
            return None
        kind, length, checksum, table, source = FRAME.unpack(header)
        if kind not in {b"HEAD", b"ROWS", b"TAIL"} or length > LONGEST_PAYLOAD:
            raise self._damaged(f"kind {kind!r}, {length} bytes: no frame begins like this")
        payload = self._read(length)
        whole = len(payload) == length
        if whole and zlib.crc32(payload) != checksum:
            raise self._damaged("its checksum is wrong")
        if not whole and _holds_frame(payload):
            raise self._damaged(f"its length of {length} bytes is wrong")
        self._end_of_frame += FRAME.size + length
        return kind, payload, table, source, whole

    def _read(self, length: int) -> bytes:
        """That many bytes, or fewer at the end; a pipe may give them piece by piece."""
        data = self._file.read(length)
        while len(data) < length and (more := self._file.read(length - len(data))):
            data += more
        return data

    def _damaged(self, what: str) -> InputError:
        return InputError(
            f"{self.name}: frame {self._frame} at byte {self._offset} is damaged: {what}", _DAMAGED
        )


def _holds_frame(payload: bytes) -> bool:
    """Whether another whole frame stands in what should be the rest of a cut one."""
    searched = 0
    for kind in (b"ROWS", b"TAIL"):
        place = payload.find(kind)
        while place >= 0 and place + FRAME.size <= len(payload) and searched < _SEARCHED:
            _, length, checksum, _, _ = FRAME.unpack_from(payload, place)
            end = place + FRAME.size + length
            if end <= len(payload):
                searched += length
                if zlib.crc32(payload[place + FRAME.size : end]) == checksum:
                    return True
            place = payload.find(kind, place + 1)
    return False
