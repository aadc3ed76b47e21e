# SPDX-License-Identifier: Apache-2.0
"""Every figure says what it shows, and becomes a chart and a picture from the same data."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from jitterlab.analysis.cells import Cell, Cells, RunSummary
from jitterlab.analysis.findings import Findings, findings
from jitterlab.recording import Counts, Recording
from jitterlab.report import figures
from jitterlab.report.figure import Boxes, Figure, HeatMap, Lines, Steps
from jitterlab.report.figures.latency import latency_plot
from jitterlab.report.figures.over_time import heat_map
from jitterlab.report.figures.ranges import edges, stairs, thinned
from jitterlab.report.pictures import picture
from jitterlab.report.plotly import chart
from jitterlab.report.scale import Scale
from tests.report.conftest import Synthetic, nothing_decides

NAMES = [
    "effects",
    "interaction-policy-load",
    "latency-plot",
    "histograms",
    "boxes",
    "density",
    "cdf",
    "ccdf",
]
NAMES += ["time-series", "run-order", "heat-map"]


@pytest.fixture(scope="session")
def drawn(effect: Recording, effect_found: Findings) -> dict[str, Figure]:
    return figures.of(effect, effect_found)


def test_all_figures_are_there(drawn: dict[str, Figure]) -> None:
    assert list(drawn) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_says_its_units_and_n(drawn: dict[str, Figure], name: str) -> None:
    figure = drawn[name]
    assert figure.title
    assert figure.alt
    titles = [figure.x.title, figure.y.title, *(panel.title for panel in figure.panels)]
    assert any("(µs)" in title for title in titles)
    assert any(word in figure.caption + figure.alt for word in ("samples", "runs", "n = "))


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_becomes_a_chart_a_png_and_an_svg(drawn: dict[str, Figure], name: str) -> None:
    charted = json.dumps(chart(drawn[name]), allow_nan=False)
    assert len(charted) < 120_000
    assert picture(drawn[name], "png").startswith(b"\x89PNG")
    assert ET.fromstring(picture(drawn[name], "svg")).tag.endswith("svg")  # noqa: S314 (our own file)


def test_the_latency_plot_holds_every_sample_and_the_maximum_of_each_cpu(
    effect: Recording, drawn: dict[str, Figure]
) -> None:
    figure = drawn["latency-plot"]
    largest = {run.cpu: 0 for run in effect.counts()}
    for run in effect.counts():
        largest[run.cpu] = max(largest[run.cpu], run.counts.max)
    marks = [mark.x for panel in figure.panels for mark in panel.marks]
    assert {max(marks[0::2]), max(marks[1::2])} == {value / 1000 for value in largest.values()}


def test_the_median_in_the_boxes_is_the_median_of_the_counts(
    effect_found: Findings, drawn: dict[str, Figure]
) -> None:
    (boxes,) = [series for series in drawn["boxes"].panels[0].series if isinstance(series, Boxes)]
    cells = effect_found.cells.cells
    assert boxes.median.tolist() == [cell.counts.quantile(0.5) / 1000 for cell in reversed(cells)]


def test_the_tail_ends_at_one_sample(effect_found: Findings, drawn: dict[str, Figure]) -> None:
    cells = effect_found.cells.cells
    for series, cell in zip(drawn["ccdf"].panels[0].series, cells, strict=True):
        assert isinstance(series, Lines)
        assert series.x[-1] == cell.counts.max / 1000
        assert series.y[-1] == pytest.approx(1 / cell.counts.n)


def test_thinning_a_time_series_keeps_the_extremes(effect_found: Findings, drawn: dict[str, Figure]) -> None:
    largest = max(cell.counts.max for cell in effect_found.cells.cells)
    lines = [series for series in drawn["time-series"].panels[0].series if isinstance(series, Lines)]
    assert max(float(line.y.max()) for line in lines) == largest / 1000
    assert all(len(line.x) <= 800 for line in lines)


def test_stairs_hold_all_counts() -> None:
    counts = Counts.of(np.array([5, 5, 7, 100, 100_000]))
    borders = edges(counts.min, counts.max)
    assert counts.histogram(borders).sum() == counts.n
    x, y = stairs(counts, borders, 0.0)
    assert len(x) == len(y)
    assert y.max() == 2
    assert y[-1] == 0


def test_thinning_keeps_both_ends() -> None:
    x = np.linspace(1, 2, 10_000)
    kept, _ = thinned(x, np.exp(x), log_x=False, log_y=True)
    assert len(kept) < 700
    assert (kept[0], kept[-1]) == (1.0, 2.0)


def test_many_cells_are_cut_to_the_best_and_the_worst(tmp_path: Path) -> None:
    factors = {"a": tuple(f"a{n}" for n in range(4)), "b": tuple(f"b{n}" for n in range(4))}
    recording = Synthetic(factors, nothing_decides, replicates=1).record(tmp_path / "r")
    figure = figures.of(recording, findings(recording))["density"]
    assert len(figure.panels[0].series) == 12
    assert "Of 16 cells" in figure.caption


def test_hostile_names_stay_text_in_charts(tmp_path: Path) -> None:
    evil = '<a href="javascript:alert(1)">%{x}$\\frac</a>'
    recording = Synthetic({"_a": (evil, "@0")}, nothing_decides, replicates=2).record(tmp_path / "r")
    for figure in figures.of(recording, findings(recording)).values():
        traces = [
            {name: part for name, part in trace.items() if name != "meta"} for trace in chart(figure)["data"]
        ]
        charted = json.dumps([traces, chart(figure)["layout"]])
        assert "<a " not in charted
        assert "$" not in charted
        assert picture(figure, "svg")
    steps = [
        s
        for s in figures.of(recording, findings(recording))["density"].panels[0].series
        if isinstance(s, Steps)
    ]
    assert steps[1].name == "@0"


def test_of_many_cpus_the_latest_are_drawn(effect_found: Findings) -> None:
    cells = effect_found.cells
    numbers = [cell.runs[0].cell for cell in cells.cells]
    per_cpu: dict[tuple[int, int | None], Counts] = {
        (cell, cpu): Counts.of([1000, 10_000 + 100 * cpu]) for cell in numbers for cpu in range(64)
    }
    figure = latency_plot(cells, Scale("µs", 1000.0), per_cpu)
    assert "Of 64 CPUs the 24 with the largest maxima" in figure.caption
    for panel in figure.panels:
        assert [series.name for series in panel.series] == [f"CPU {cpu}" for cpu in range(40, 64)]
        assert [mark.label for mark in panel.marks if mark.label] == [
            "max 16.1 µs",
            "max 16.2 µs",
            "max 16.3 µs",
        ]


def test_a_long_session_is_a_heat_map_of_bounded_size() -> None:
    runs = [
        RunSummary(run, 1, 1, {}, Counts.of(np.arange(1_000, 1_000_000, 997) + run)) for run in range(1, 301)
    ]
    cells = Cells({}, "latency", "ns", (Cell({}, tuple(runs)),))
    (heat,) = heat_map(cells, Scale("µs", 1000.0)).panels[0].series
    assert isinstance(heat, HeatMap)
    assert heat.z.size < 10_000
    assert np.nansum(heat.z) == sum(run.counts.n for run in runs)
    assert len(heat.y) == heat.z.shape[0] + 1
