# SPDX-License-Identifier: Apache-2.0
"""The figures of a recording, by name."""

from jitterlab.analysis.findings import Findings
from jitterlab.recording import Recording
from jitterlab.report.figure import Figure
from jitterlab.report.figures import distributions, factors, latency, over_time
from jitterlab.report.tabulated import scale_of


def of(recording: Recording, found: Findings) -> dict[str, Figure]:
    """All figures that this recording has the data for."""
    cells, scale = found.cells, scale_of(found)
    medians = [one for one in found.differences if one.contrast.statistic == "median"]
    drawn = [
        factors.effects(medians, scale),
        *factors.interactions(cells, scale, found.median),
        latency.latency_plot(cells, scale, found.per_cpu),
        distributions.histograms(cells, scale),
        distributions.boxes(cells, scale),
        distributions.density(cells, scale),
        distributions.cdf(cells, scale),
        distributions.ccdf(cells, scale),
        over_time.time_series(recording, cells, scale),
        over_time.run_order(cells, scale),
        over_time.heat_map(cells, scale),
    ]
    return {figure.name: figure for figure in drawn if figure is not None}
