# SPDX-License-Identifier: Apache-2.0
"""The command line: finds the verb, and turns every error into a message, a remedy and an exit code."""

import os
import sys
from importlib import import_module

import click

from jitterlab import __version__
from jitterlab.commands import VERBS
from jitterlab.errors import INTERRUPTED, JitterlabError, RunError

EPILOG = """\b
Examples:
  jitterlab doctor                          what makes this machine late
  jitterlab plan wakeup                     what a study would do, and what this machine can do
  jitterlab run wakeup --output DIR         measure, explain, write a report
  jitterlab report DIR                      write the report again
  jitterlab anova CELLS.csv --formula "latency ~ network * size"

\b
Exit codes: 0 done; 1 runs failed; 2 wrong usage or input; 3 not available on this machine;
130 interrupted (what was measured until then is kept)."""


class Verbs(click.Group):
    """The verbs, each loaded only when it is used, so that the command starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All verbs, in the order in which a study meets them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a verb; None if there is no such verb."""
        if cmd_name not in VERBS:
            return None
        command = import_module(f"jitterlab.commands.{VERBS[cmd_name]}").command
        assert isinstance(command, click.Command)
        return command


@click.command(
    cls=Verbs,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="jitterlab")
def jitterlab() -> None:
    """One laboratory for the question why a Linux device is late: measure, explain, fix, remember."""


def _report_error(error: JitterlabError) -> None:
    click.echo(f"error: {error}", err=True)
    if error.remedy:
        click.echo(f"remedy: {error.remedy}", err=True)


def _flush() -> None:
    """Write out what is buffered, unless the reader is gone (`jitterlab show … | head`)."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        sys.exit(jitterlab.main(standalone_mode=False) or 0)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except JitterlabError as error:
        _report_error(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        _report_error(RunError(str(error), "give another path, or make it usable"))
        sys.exit(RunError.exit_code)
    finally:
        _flush()
