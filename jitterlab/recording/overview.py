# SPDX-License-Identifier: Apache-2.0
"""What is in a recording, in short."""

from collections.abc import Iterable, Mapping
from typing import Any

from jitterlab.recording.counts import Counts
from jitterlab.recording.recording import Recording

_LISTED = (
    "run",
    "block",
    "cell",
    "status",
    "attempts",
    "duration_s",
    "samples",
    "warmup",
    "missed",
    "lost",
    "raw",
    "error",
)


def overview(recording: Recording) -> dict[str, Any]:
    """What a recording is about, and every run in short, ready for JSON.

    Quantiles that the number of samples does not support are None.

    Raises:
        InputError: A file of the recording is missing or damaged.
    """
    counts: dict[int, dict[str, Any]] = {}
    for response in recording.responses:
        for run, merged in _by_run(recording, response.name):
            counts.setdefault(run, {})[response.name] = {"unit": response.unit, **_summary(merged)}
    manifest = recording.manifest
    return {
        "path": str(recording.path),
        "title": manifest.title,
        "workload": manifest.workload,
        "created": manifest.created,
        "jitterlab": manifest.jitterlab,
        "target": dict(manifest.target),
        "environment": recording.environment,
        "factors": {name: list(levels) for name, levels in recording.factors.items()},
        "planned": len(manifest.plan),
        "missing": [run.run for run in recording.missing],
        "runs": [
            {name: row[name] for name in _LISTED}
            | {
                "started": row["started"].isoformat() if row["started"] else None,
                "levels": {name: row[name] for name in recording.factors},
                "responses": counts.get(row["run"], {}),
            }
            for row in recording.runs.to_arrow().drop_columns(["facts", "files"]).to_pylist()
        ],
    }


def _by_run(recording: Recording, response: str) -> Iterable[tuple[int, Counts]]:
    parts: dict[int, list[Counts]] = {}
    for entry in recording.counts(response):
        parts.setdefault(entry.run, []).append(entry.counts)
    return ((run, Counts.merge(found)) for run, found in parts.items())


def _summary(counts: Counts) -> Mapping[str, int | None]:
    if not counts.n:
        return {"n": 0, "min": None, "p50": None, "p99": None, "max": None}
    return {
        "n": counts.n,
        "min": counts.min,
        "p50": counts.quantile(0.5),
        "p99": counts.supported_quantile(0.99),
        "max": counts.max,
    }
