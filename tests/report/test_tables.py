# SPDX-License-Identifier: Apache-2.0
import pytest

from jitterlab.analysis.findings import Findings
from jitterlab.recording import Counts, Recording
from jitterlab.report.attributed import anova_tables, differences_table
from jitterlab.report.scale import Scale, printable, significant, unbroken
from jitterlab.report.tables import Column, Table
from jitterlab.report.tabulated import cells_table, worst_table


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1234.5, "1,234"),
        (12.345, "12.3"),
        (-0.001234, "−0.00123"),
        (float("nan"), "–"),
        (1e-9, "1.00e−09"),
    ],
)
def test_numbers_carry_three_digits(value: float, text: str) -> None:
    assert significant(value) == text


def test_times_are_shown_in_microseconds_unless_they_are_long() -> None:
    assert Scale.of("ns", 15_400).say(15_400) == "15.4 µs"
    assert Scale.of("ns", 5e7).say(51_234_567) == "51.2 ms"
    assert Scale.of("byte", 4096).say(4096) == "4,096 byte"


def test_what_is_absent_is_a_dash() -> None:
    table = Table("t", "T", (Column("a"), Column("b", "µs", decimals=1)), ((None, 1234.56), (3, None)))
    assert table.texts() == [["–", "1,234.6"], ["3", "–"]]
    assert table.numeric(0)


def test_control_characters_are_replaced() -> None:
    assert printable("a\x1b[31mb\n\u202ec\ud800") == "a\ufffd[31mb\ufffd\ufffdc\ufffd"


def test_the_cells_table_shows_exactly_what_the_counts_say(effect: Recording, effect_found: Findings) -> None:
    table = cells_table(effect_found)
    parts: dict[tuple[str, ...], list[Counts]] = {}
    for run in effect.counts("latency"):
        parts.setdefault(tuple(run.levels.values()), []).append(run.counts)
    assert len(table.rows) == len(parts) == 4
    headings = [column.heading for column in table.columns]
    assert headings[:3] == ["policy", "load", "n"]
    assert table.caption.startswith("5 runs per cell; no sample was lost")
    for texts in table.texts():
        counts = Counts.merge(parts[tuple(texts[:2])])
        shown = dict(zip(headings, texts, strict=True))
        assert shown["n"] == f"{counts.n:,}"
        assert shown["min (µs)"] == f"{counts.min / 1000:,.1f}"
        assert shown["p50 (µs)"] == f"{counts.quantile(0.5) / 1000:,.1f}"
        assert shown["p99.9 (µs)"] == f"{counts.quantile(0.999) / 1000:,.1f}"
        assert shown["max (µs)"] == f"{counts.max / 1000:,.1f}"
        assert shown["sd (µs)"] == f"{counts.sd / 1000:,.1f}"
        assert shown["missed"] == "0"


def test_the_worst_samples_stand_with_their_time(effect: Recording, effect_found: Findings) -> None:
    found = effect_found
    table = worst_table(found)
    values = [row[0] for row in table.rows]
    assert values == sorted(values, reverse=True)  # type: ignore[type-var]
    assert values[0] == max(cell.counts.max for cell in found.cells.cells) / 1000
    assert all("2026-" in str(row[-1]) for row in table.rows)


def test_anova_tables_have_the_layout_of_the_papers(effect: Recording, effect_found: Findings) -> None:
    found = effect_found
    assert found.mean is not None
    samples, runs = anova_tables(found.mean, "mean")
    assert [column.title for column in samples.columns[:5]] == ["term", "sum_sq", "df", "F", "PR(>F)"]
    assert [row[0] for row in samples.rows] == ["policy", "load", "policy:load", "Residual"]
    assert [row[0] for row in runs.rows] == ["block", "policy", "load", "policy:load", "Residual"]
    assert samples.rows[-1][3] is None
    assert "80,000 samples" in samples.caption
    assert "20 runs" in runs.caption


def test_differences_carry_intervals_and_units(effect_found: Findings) -> None:
    rows = differences_table(effect_found).texts()
    assert [row[:4] for row in rows][:2] == [
        ["policy", "fifo:80", "other", "median"],
        ["load", "cpu:all", "none", "median"],
    ]
    assert {row[3] for row in rows} == {"median", "p99", "sd"}
    assert all(("µs" in row[6] or "ns" in row[6]) and " to " in row[6] and " to " in row[7] for row in rows)


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    assert unbroken("12.3 µs (95 % interval, p ≤ 0.001) of 5 samples") == (
        "12.3\u00a0µs (95\u00a0% interval, p\u00a0≤\u00a00.001) of 5 samples"
    )
