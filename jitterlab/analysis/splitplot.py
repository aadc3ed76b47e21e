# SPDX-License-Identifier: Apache-2.0
"""Split-plot designs: factors that need a boot are tested against the scatter from boot to boot.

A boot (one block with one combination of the factors between boots) is the whole plot, a run a sub-plot.
Sources: Yates, "Complex experiments" (1935); Cochran and Cox, "Experimental Designs" (1957), chapter 7.

Factors between boots are compared by the averages of boots, each the average of the boot's combinations of
the other factors; the other terms and their interactions with them are compared inside boots, with every boot
as a block. In a balanced design these are the two classical strata. Where runs are missing, the second stays
exact (it gives up only what boots say about factors inside them), and the first uses the boots that hold
every combination.
"""

from typing import TYPE_CHECKING

from jitterlab.analysis.anova import anova, lack_of_fit, unestimable
from jitterlab.analysis.anovatable import Anova, ErrorPart, Row, Type, table
from jitterlab.analysis.designmatrix import columns
from jitterlab.analysis.formula import Formula
from jitterlab.analysis.grouped import grouped
from jitterlab.analysis.leastsquares import decompose
from jitterlab.analysis.wording import number
from jitterlab.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

BOOT = "boot"
BOOT_ERROR = "Residual (boots)"


def split_plot(
    runs: "pd.DataFrame",
    formula: Formula,
    between: tuple[str, ...],
    type: Type = 2,  # noqa: A002 (the word of the field)
    block: str = "block",
) -> Anova:
    """Analyse runs whose factors were set partly between boots.

    Args:
        runs: One row per run: `block`, the factors, `n` (1), `mean` (the run's statistic) and `variance` (0).
        formula: The model; a term that names the block is part of the comparison between boots.
        between: The factors that are set between boots.
        type: Type of the sums of squares, in each stratum.
        block: The column that tells repeated boots of the same combination apart.

    Returns:
        The table: terms between boots, `Residual (boots)`, terms inside boots, `Residual`.

    Raises:
        InputError: No boot, or only boots of one level, hold all combinations of the other factors.
    """
    outer = tuple(term for term in formula.terms if set(term) <= {*between, block})
    inner = tuple(term for term in formula.terms if term not in outer)
    inside = tuple(name for name in formula.factors if name not in {*between, block})
    frame = runs.assign(**{BOOT: runs[[block, *between]].astype(str).agg("\x1f".join, axis=1)})
    boots, size = boot_means(frame, inside, [block, *between])
    top = anova(boots, Formula(formula.response, None, outer), type, unit_of_analysis="run", blocks=(block,))
    boot_error = Row(BOOT_ERROR, top.residual.sum_sq * size, top.residual.df, "error")
    cells = grouped(frame, (BOOT, *formula.factors))
    boot_columns = columns(((BOOT,),), cells.factors)
    inner_columns = columns(formula.terms, cells.factors)
    design = boot_columns | {term: inner_columns[term] for term in inner}
    parts = decompose(design, cells.n, cells.mean, type)
    error = Row(
        "Residual", parts.lack_of_fit + cells.pure_sum_sq, parts.lack_of_fit_df + cells.pure_df, "error"
    )
    rows = [Row(t.term, t.sum_sq * size, t.df, t.kind, boot_error) for t in top.terms if t.kind != "error"]
    rows.append(boot_error)
    rows += [
        Row(":".join(term), parts.shares[term].sum_sq, parts.shares[term].df, "effect", error)
        for term in inner
    ]
    total = parts.total + cells.pure_sum_sq
    return Anova(
        terms=table([*rows, error], total),
        formula=str(formula),
        response=formula.left,
        type=type,
        unit_of_analysis="run",
        n=len(runs),
        total_sum_sq=total,
        r_squared=1 - (error.sum_sq + boot_error.sum_sq) / total if total > 0 else None,
        pure_error=ErrorPart(cells.pure_sum_sq, cells.pure_df),
        lack_of_fit=lack_of_fit(parts, cells),
        notes=_notes(between, boots, frame, boot_error) + unestimable(parts),
    )


def boot_means(
    frame: "pd.DataFrame", inside: tuple[str, ...], keys: list[str]
) -> "tuple[pd.DataFrame, float]":
    """One row per boot that holds every combination of the factors inside boots, and the runs per boot.

    The mean of a boot is that of its combinations; runs per boot is the harmonic mean.

    Args:
        frame: One row per run with `mean`.
        inside: The factors that change inside boots.
        keys: The columns that tell boots apart: the block and the factors between boots.

    Raises:
        InputError: No boot holds all combinations.
    """
    combinations = frame.groupby([*keys, *inside], observed=True)["mean"].agg(["mean", "size"]).reset_index()
    boots = combinations.groupby(keys, observed=True).agg(
        mean=("mean", "mean"), held=("mean", "size"), runs=("size", "sum")
    )
    wanted = len(combinations.drop_duplicates(list(inside))) if inside else 1
    complete = boots[boots["held"] == wanted].reset_index()
    if complete.empty:
        raise InputError(
            f"no boot holds all {wanted} combinations of {', '.join(inside)}",
            "finish the recording with 'jitterlab resume'",
        )
    size = float(len(complete) / (1 / complete["runs"]).sum())
    return complete.assign(n=1, variance=0.0), size


def _notes(
    between: tuple[str, ...], boots: "pd.DataFrame", frame: "pd.DataFrame", error: Row
) -> tuple[str, ...]:
    names = ", ".join(between)
    notes = [f"{names}: changed by a boot, and tested against the scatter of {number(len(boots), 'boot')}."]
    missing = frame[BOOT].nunique() - len(boots)
    if missing:
        lack = "boot lacks" if missing == 1 else "boots lack"
        notes.append(f"{missing} {lack} combinations of the other factors: left out of that test.")
    if boots["runs"].min() < boots["runs"].max():
        notes.append("Boots differ in their number of runs: that test is approximate.")
    if error.df == 0:
        notes.append("No combination was booted twice: nothing to test factors between boots against.")
    return tuple(notes)
