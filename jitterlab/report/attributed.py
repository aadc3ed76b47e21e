# SPDX-License-Identifier: Apache-2.0
"""What the factors do, as tables: analyses of variance, and differences between levels."""

from jitterlab.analysis.anovatable import Anova, p_text
from jitterlab.analysis.attribution import Attribution
from jitterlab.analysis.differences import Difference
from jitterlab.analysis.factorial import FactorialAnova
from jitterlab.analysis.findings import Findings
from jitterlab.analysis.wording import between, number, quantity
from jitterlab.report.scale import significant
from jitterlab.report.tables import Column, Table, Value

MOST_READINGS = 10


def differences_table(found: Findings) -> Table:
    """The differences between levels with their intervals, for several statistics of a run."""
    rows = tuple(_difference_row(one) for one in found.differences)
    columns = (
        "factor",
        "level",
        "against",
        "statistic",
        "level is",
        "against is",
        "difference",
        "ratio",
        "p",
    )
    return Table(
        "differences",
        "Differences between levels",
        tuple(Column(name) for name in columns),
        rows,
        "Averages over runs, with 95 % intervals over runs in brackets; p is corrected for the number of "
        "pairs (Holm). A dash stands where there are too few runs.",
    )


def _difference_row(one: Difference) -> tuple[Value, ...]:
    contrast = one.contrast
    a, b, difference = (
        None if value is None else quantity(value, contrast.unit)
        for value in (contrast.a, contrast.b, contrast.difference)
    )
    if difference is not None and contrast.difference_interval is not None:
        difference += f" ({between(*contrast.difference_interval, contrast.unit)})"
    ratio = None if contrast.ratio is None else significant(contrast.ratio)
    if ratio is not None and contrast.ratio_interval is not None:
        ratio += f" ({' to '.join(significant(end) for end in contrast.ratio_interval)})"
    p = None if one.p_adjusted is None else p_text(one.p_adjusted)
    return (one.factor, one.level, one.reference, contrast.statistic, b, a, difference, ratio, p)


def anova_tables(result: FactorialAnova, name: str) -> tuple[Table, ...]:
    """The analysis with samples as units (as papers print it) and with runs as units (the one to believe)."""
    tables = [_anova_table(result.samples, f"{name}-samples", f"{name.capitalize()}: samples as units")]
    if result.runs is not None:
        tables.append(_anova_table(result.runs, f"{name}-runs", f"{name.capitalize()}: runs as units"))
    return tuple(tables)


def attribution_table(found: Attribution) -> Table:
    """The readings of meters that rise and fall with late runs, the most certain first."""
    rows = tuple(
        (one.reading, one.correlation, p_text(one.p), p_text(one.q))
        for one in found.associations[:MOST_READINGS]
    )
    columns = (Column("reading"), Column("rank correlation", decimals=2))
    return Table(
        "attribution",
        "What goes along with late runs",
        (*columns, Column("p", right=True), Column("q", right=True)),
        rows,
        f"{found.sentence()} q is p after the correction for all readings that were looked at.",
    )


def _anova_table(anova: Anova, name: str, title: str) -> Table:
    rows = tuple(
        (term.term, f"{term.sum_sq:.4e}", term.df, term.F, term.p_text or None, term.omega_sq)
        for term in anova.terms
    )
    notes = " ".join(anova.notes)
    units = f"n = {number(anova.n, anova.unit_of_analysis)}"
    return Table(
        name,
        title,
        (
            Column("term"),
            Column("sum_sq", right=True),
            Column("df"),
            Column("F", decimals=3),
            Column("PR(>F)", right=True),
            Column("ω²", decimals=3),
        ),
        rows,
        f"{anova.response}; type {anova.type} sums of squares; {units}. {notes}".strip(),
    )
