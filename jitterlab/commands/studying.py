# SPDX-License-Identifier: Apache-2.0
"""What the verbs around studies share: options that change a study, and what a machine cannot do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

import click
from click.shell_completion import CompletionItem

from jitterlab.errors import InputError, NotAvailableError

if TYPE_CHECKING:
    from jitterlab.session import Feasibility
    from jitterlab.study import Study
    from jitterlab.targets import Target

R = TypeVar("R", str, str | None)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for.

    Attributes:
        study: The study, as the options change it.
        target: Where to run it.
        skip_unavailable: Whether to leave out what the target cannot do.
    """

    study: "Study"
    target: "Target"
    skip_unavailable: bool


def _studies(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Studies that come with jitterlab, or files where none fits, for shells to complete."""
    from jitterlab.study import shipped

    names = [CompletionItem(name) for name in shipped() if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


_OPTIONS = (
    click.argument("study", metavar="STUDY", shell_complete=_studies),
    click.option(
        "--samples",
        metavar="N",
        help="Measured samples per run and source (`wakeup`: per CPU), whatever the study says.",
    ),
    click.option(
        "--replicates", metavar="N", help="How often every cell is repeated, whatever the study says."
    ),
    click.option(
        "--seed", metavar="N", help="What the order of the runs is drawn from, whatever the study says."
    ),
    click.option("--control", is_flag=True, help="Repeat the first cell under another number (A/A control)."),
    click.option(
        "--set",
        "fixed",
        metavar="NAME=VALUE",
        multiple=True,
        help="Hold a parameter or factor fixed at a value, whatever the study says; can be repeated.",
    ),
    click.option("--target", "target_name", default="local", show_default=True, help="Where to run."),
    click.option(
        "--skip-unavailable", is_flag=True, help="Leave out levels that this machine cannot do, and say so."
    ),
)


def study_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the argument STUDY and the options that change a study: it gets them as an `Asked`."""

    @wraps(function)
    def verb(  # noqa: PLR0917 (one per option)
        study: str,
        samples: str | None,
        replicates: str | None,
        seed: str | None,
        control: bool,
        fixed: tuple[str, ...],
        target_name: str,
        skip_unavailable: bool,
        **own: object,
    ) -> None:
        chosen = _chosen(study, {"samples": samples, "replicates": replicates, "seed": seed}, control, fixed)
        function(Asked(chosen, target_named(target_name), skip_unavailable), **own)

    for option in reversed(_OPTIONS):
        verb = option(verb)
    return verb


def _chosen(study: str, numbers: Mapping[str, str | None], control: bool, fixed: tuple[str, ...]) -> "Study":
    """The study as the command line asks for it.

    Raises:
        InputError: The study or an option is wrong.
    """
    from jitterlab.study import load

    options: dict[str, object] = {
        name: value.replace("_", "") for name, value in numbers.items() if value is not None
    }
    if control:
        options["control"] = True
    pairs = dict(pair.partition("=")[::2] for pair in fixed)
    if not all(name and value for name, value in pairs.items()):
        raise InputError(
            f"--set {' --set '.join(fixed)}: a name or a value is missing", "write --set NAME=VALUE"
        )
    return load(study, options=options, fixed=pairs)


def target_named(name: str) -> "Target":
    """The target of that name.

    Raises:
        NotAvailableError: There is none.
    """
    from jitterlab.registry import lookup

    target: Target = lookup("targets", name)
    return target


def by_reason(levels: Mapping[str, R]) -> dict[R, str]:
    """{reason: the levels that share it, as text}, so that a reason is told once."""
    found: dict[R, list[str]] = {}
    for level, reason in levels.items():
        found.setdefault(reason, []).append(level)
    return {reason: ", ".join(same) for reason, same in found.items()}


def possible(study: "Study", feasibility: "Feasibility", *, skip: bool) -> "Study":
    """The study as it can run here.

    Args:
        study: The study.
        feasibility: What the machine can do of it.
        skip: Whether to leave out what it cannot do; a study that says nothing else is refused.

    Raises:
        NotAvailableError: Something cannot be done here; every reason is said.
    """
    if feasibility.workload is not None:
        raise NotAvailableError(f"the workload {study.workload} cannot run here: {feasibility.workload}")
    missing = feasibility.unavailable
    if not missing:
        return study
    if skip:
        from jitterlab.study import leave_out

        return leave_out(study, missing)
    lines = [
        f"  {name} = {same}: {reason}"
        for name, levels in missing.items()
        for reason, same in by_reason(levels).items()
    ]
    raise NotAvailableError(
        "this machine cannot do all of the study; nothing was changed\n" + "\n".join(lines),
        "grant or install what is missing, or leave these out with --skip-unavailable",
    )
