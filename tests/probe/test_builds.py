# SPDX-License-Identifier: Apache-2.0
"""The C code builds with two compilers, for three architectures and under sanitizers, and runs.

Build folders stay beside `build/`, so that a second run only compiles what has changed.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.probe.probing import PROBE, QUICK, ROOT, Run, read_stream

AARCH64 = ("qemu-aarch64-static",)
ARMHF = ("qemu-arm-static",)
LARGEST_BYTES = 1_000_000
SANITIZED = {
    "ASAN_OPTIONS": "abort_on_error=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}


def _command(*words: str | Path, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def _build(name: str, *options: str, compiler: str | None = None) -> Path:
    """A build folder that is up to date."""
    folder = ROOT / f"build-{name}"
    if not (folder / "build.ninja").exists():
        shutil.rmtree(folder, ignore_errors=True)
        _command("meson", "setup", *options, folder, environment={"CC": compiler} if compiler else None)
    _command("ninja", "-C", folder)
    return folder / "probe" / "jitter-probe"


def _wakeup(
    binary: Path, path: Path, *options: str, emulator: Sequence[str] = (), timeout_s: float = 60
) -> Run:
    done = subprocess.run(
        [*emulator, binary, "wakeup", *QUICK, *options, "--output", path],
        capture_output=True,
        timeout=timeout_s,
        check=False,
        env={**os.environ, **SANITIZED},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return Run.of(path.read_bytes())


def _is_static(binary: Path) -> bool:
    return "INTERP" not in _command("readelf", "--program-headers", "--wide", binary)


def test_shipped_program_is_one_small_static_file() -> None:
    assert _is_static(PROBE)
    assert PROBE.stat().st_size < LARGEST_BYTES


def test_clang_builds_it(tmp_path: Path) -> None:
    binary = _build("clang", "--buildtype=release", compiler="clang")
    assert _wakeup(binary, tmp_path / "stream").tail["end"] == "complete"


@pytest.mark.parametrize(
    ("name", "emulator", "cycles"), [("aarch64", AARCH64, "cntvct"), ("armhf", ARMHF, None)]
)
def test_other_architectures(
    tmp_path: Path, name: str, emulator: tuple[str, ...], cycles: str | None
) -> None:
    binary = _build(name, "--buildtype=release", f"--cross-file=probe/cross/{name}.ini")
    assert _is_static(binary)
    assert binary.stat().st_size < LARGEST_BYTES
    _command("meson", "test", "-C", ROOT / f"build-{name}", "--quiet")
    for record in ("raw", "ring"):
        run = _wakeup(binary, tmp_path / record, "--record", record, emulator=emulator)
        assert all(len(source.measured) == source.tail["samples"] == 300 for source in run.sources)
        assert all(source.gaps == source.tail["missed"] for source in run.sources)
    described = json.loads(_command(*emulator, binary, "clock"))
    assert described["cycles"].get("name") == cycles
    done = subprocess.run(
        [*emulator, binary, "wakeup", *QUICK, "--clock", "cycles", "--output", tmp_path / "cycles"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if cycles is None:
        assert done.returncode == 3
        assert "lets no user program read its cycle counter" in done.stderr
    else:
        assert done.returncode == 0
        assert read_stream((tmp_path / "cycles").read_bytes())[0]["clock"]["name"] == cycles


@pytest.mark.parametrize("record", ["raw", "ring", "counts"])
def test_sanitizers_find_nothing_while_measuring(tmp_path: Path, record: str) -> None:
    binary = _build("sanitize", "--buildtype=debugoptimized", "-Db_sanitize=address,undefined")
    run = _wakeup(binary, tmp_path / "stream", "--record", record, "--progress", "20ms")
    assert run.tail["end"] == "complete"


def test_units_under_sanitizers() -> None:
    _build("sanitize", "--buildtype=debugoptimized", "-Db_sanitize=address,undefined")
    _command("meson", "test", "-C", ROOT / "build-sanitize", "--quiet", environment=SANITIZED)


def test_stack_records_through_the_library(tmp_path: Path) -> None:
    """The program of the unit test is the example of a stack."""
    _build("sanitize", "--buildtype=debugoptimized", "-Db_sanitize=address,undefined")
    _command("ninja", "-C", ROOT / "build-sanitize", "probe/tests/test_stream")
    _command(ROOT / "build-sanitize/probe/tests/test_stream", tmp_path / "stream")
    head, rows, tail = read_stream((tmp_path / "stream").read_bytes())
    assert head["workload"] == "request"
    assert head["clock"]["name"] == "CLOCK_MONOTONIC"
    assert "interval_ns" not in head["sources"][0]
    assert [row for _, _, row in rows] == [(0, 0), (100, -1), (200, -2)]
    assert tail["sources"][0] == {"name": "client0", "samples": 3}


def test_library_goes_elsewhere_and_links_beside_zlib(tmp_path: Path) -> None:
    for file in ("probe/include/jitterstream.h", "build/probe/libjitterstream.a"):
        shutil.copy(ROOT / file, tmp_path)
    (tmp_path / "stack.c").write_text("""
        #include <stdlib.h>
        #include "jitterstream.h"

        unsigned long crc32(unsigned long crc, const unsigned char *data, unsigned int length)
        {
            (void)crc, (void)data, (void)length;
            abort(); // zlib's is for zlib
        }

        int main(int argc, char **argv)
        {
            struct jitterstream stream;
            struct jitterstream_head head = {.producer = "stack", .workload = "request"};

            return argc < 2 || jitterstream_open(&stream, argv[1]) || jitterstream_write_head(&stream, &head);
        }
    """)
    program, path = tmp_path / "stack", tmp_path / "stream"
    _command("gcc", tmp_path / "stack.c", "-o", program, "-L", tmp_path, "-ljitterstream", "-lm")
    _command(program, path)
    head, _, _ = read_stream(path.read_bytes())
    assert head["producer"] == "stack"
