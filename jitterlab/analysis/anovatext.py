# SPDX-License-Identifier: Apache-2.0
"""An analysis of variance as plain text, laid out as the papers of this field print it."""

from jitterlab.analysis.anovatable import Anova, Term

_HEADING = ("", "sum_sq", "df", "F", "PR(>F)", "eta_sq", "omega_sq")


def as_text(anova: Anova) -> str:
    """The table with a title, and the notes below it."""
    rows = [_HEADING, *(_row(term) for term in anova.terms)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADING))]
    units = {"sample": "samples", "run": "runs"}[anova.unit_of_analysis]
    lines = [f"{anova.formula}   (type {anova.type}, {anova.n:,} {units} as units)"]
    for name, *numbers in rows:
        cells = [text.rjust(width) for text, width in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *cells]).rstrip())
    return "\n".join([*lines, *(f"Note: {note}" for note in anova.notes)])


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
