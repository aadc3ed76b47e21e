# SPDX-License-Identifier: Apache-2.0
"""`jitterlab completion`: what a shell needs to complete the command."""

import click
from click.shell_completion import get_completion_class

EPILOG = """\b
Examples:
  jitterlab completion bash >> ~/.bashrc
  jitterlab completion zsh >> ~/.zshrc
  jitterlab completion fish > ~/.config/fish/completions/jitterlab.fish"""


@click.command("completion", epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell."""
    completion = get_completion_class(shell)
    assert completion is not None
    root = ctx.find_root().command
    click.echo(completion(root, {}, "jitterlab", "_JITTERLAB_COMPLETE").source())
