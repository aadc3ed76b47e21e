# SPDX-License-Identifier: Apache-2.0
"""Writes docs/commands.md and docs/factors.md from what the program says: `python docs/reference.py`."""

from collections.abc import Callable
from pathlib import Path

import click

from jitterlab.cli import jitterlab
from jitterlab.registry import registered

DOCS = Path(__file__).parent
NO_LEVEL = object()
NOTE = "<!-- Written by docs/reference.py from the program itself; change the program, then run it again. -->"


def _help(path: list[str], command: click.Command) -> str:
    """The help text of a command as it is shown in a terminal of 100 columns."""
    settings = {**jitterlab.context_settings, "terminal_width": 100, "max_content_width": 100}
    context = click.Context(command, info_name=" ".join(path), **settings)
    return command.get_help(context).rstrip()


def commands() -> str:
    """The page of all verbs."""
    context = click.Context(jitterlab, info_name="jitterlab")
    parts = [NOTE, "# Commands", f"```text\n{_help(['jitterlab'], jitterlab)}\n```"]
    for verb in jitterlab.list_commands(context):
        command = jitterlab.get_command(context, verb)
        assert command is not None
        parts += [f"## jitterlab {verb}", f"```text\n{_help(['jitterlab', verb], command)}\n```"]
    return "\n\n".join(parts) + "\n"


def _allowed(parse: Callable[[object], object]) -> str:
    """What a factor or a parameter says about its levels to somebody who wrote something else."""
    try:
        parse(NO_LEVEL)
    except ValueError as error:
        return str(error).replace("|", "\\|")
    raise AssertionError(f"{parse} takes anything")


def factors() -> str:
    """The page of all machine factors, workloads with their parameters and responses, and meters."""
    lines = [NOTE, "", "# Factors, workloads and meters", ""]
    lines += ["`jitterlab plan STUDY` says which of them this machine has, and why it lacks the others."]
    lines += ["[study-file.md](study-file.md) says how values are written.", ""]
    lines += ["## Factors of the machine", "", "| factor | what it varies | levels |", "| --- | --- | --- |"]
    lines += [
        f"| `{name}` | {factor.summary} | {_allowed(factor.parse)} |"
        for name, factor in registered("factors").items()
    ]
    lines += ["", "`default` is the machine as found."]
    for name, workload in registered("workloads").items():
        lines += ["", f"## Workload `{name}`", "", workload.summary, ""]
        lines += [
            "Any parameter can be a factor.",
            "",
            "| parameter | default | meaning | levels |",
            "| --- | --- | --- | --- |",
        ]
        lines += [
            f"| `{key}` | `{parameter.default}` | {parameter.summary} | {_allowed(parameter.parse)} |"
            for key, parameter in workload.parameters.items()
        ]
        lines += ["", "| response | unit | meaning |", "| --- | --- | --- |"]
        lines += [f"| `{item.name}` | {item.unit} | {item.summary} |" for item in workload.responses]
    lines += ["", "## Meters", "", "| meter | what it reads |", "| --- | --- |"]
    lines += [f"| `{name}` | {meter.summary} |" for name, meter in registered("meters").items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write both pages."""
    for name, text in {"commands.md": commands(), "factors.md": factors()}.items():
        (DOCS / name).write_text(text)
        print(f"docs/{name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
