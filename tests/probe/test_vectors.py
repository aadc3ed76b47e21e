# SPDX-License-Identifier: Apache-2.0
"""The committed streams, for readers in any language to be tried on: `vectors.json` says what each holds."""

import json
from typing import Any

import pytest

from tests.probe.probing import ROOT, read_stream

FOLDER = ROOT / "tests" / "vectors"
VECTORS: dict[str, Any] = json.loads((FOLDER / "vectors.json").read_text())


def test_every_vector_is_described() -> None:
    assert sorted(VECTORS) == sorted(path.stem for path in FOLDER.glob("*.stream"))


@pytest.mark.parametrize("name", [name for name in VECTORS if "error" not in VECTORS[name]])
def test_documented_reader_finds_what_is_there(name: str) -> None:
    head, rows, tail = read_stream((FOLDER / f"{name}.stream").read_bytes())
    expected = VECTORS[name]
    assert head["clock"]["name"] == expected["clock"]
    assert (tail and tail["end"]) == expected["end"]
    found = [
        {
            "source": source["name"],
            "table": table["name"],
            "rows": len(own),
            "column_sums": [sum(column) for column in zip(*own, strict=True)],
        }
        for at, source in enumerate(head["sources"])
        for kind, table in enumerate(head["tables"])
        for own in [[row for where, whose, row in rows if (where, whose) == (kind, at)]]
    ]
    assert found == expected["rows"]


def test_documented_reader_refuses_a_flipped_bit() -> None:
    with pytest.raises(ValueError, match=VECTORS["damaged"]["error"]):
        read_stream((FOLDER / "damaged.stream").read_bytes())
