# SPDX-License-Identifier: Apache-2.0
"""An analysis of variance as plain text, laid out as the papers of this field print it."""

from collections.abc import Sequence

from jitterlab.analysis.anovatable import Anova, Term, p_text
from jitterlab.analysis.robust import RobustTest

_HEADING = ("", "sum_sq", "df", "F", "PR(>F)", "eta_sq", "omega_sq")


def as_text(anova: Anova) -> str:
    """The table with a title, and the notes below it."""
    units = {"sample": "samples", "run": "runs"}[anova.unit_of_analysis]
    right = anova.formula.partition("~")[2].strip()
    title = f"{anova.response} ~ {right}   (type {anova.type}, {anova.n:,} {units} as units)"
    notes = [f"Note: {note}" for note in anova.notes]
    return "\n".join([title, *_aligned([_HEADING, *(_row(term) for term in anova.terms)]), *notes])


def robust_as_text(title: str, tests: tuple[RobustTest, ...]) -> str:
    """The table of tests that allow unequal variances, under the title."""
    rows = [("", "df", "F", "PR(>F)")]
    rows += [(test.term, f"{test.df:,}", f"{test.F:.6f}", p_text(test.p)) for test in tests]
    heading = f"{title}   (Wald tests, {tests[0].method.upper()}, type 3, sum-to-zero contrasts)"
    return "\n".join([heading, *_aligned(rows), f"Error: {tests[0].error_df:,.0f} degrees of freedom"])


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The first column to the left, numbers to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  ".join(
            text.rjust(width) if place else text.ljust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _row(term: Term) -> tuple[str, ...]:
    return (
        term.term,
        f"{term.sum_sq:.6e}",
        f"{term.df:,}",
        "" if term.F is None else f"{term.F:.6f}" if term.F < 1e6 else f"{term.F:.6e}",
        term.p_text,
        "" if term.eta_sq is None else f"{term.eta_sq:.4f}",
        "" if term.omega_sq is None else f"{term.omega_sq:.4f}",
    )
