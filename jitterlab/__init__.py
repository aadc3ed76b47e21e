# SPDX-License-Identifier: Apache-2.0
"""jitterlab: one laboratory for the question why a Linux device is late.

Glossary (one meaning per word, the same in code, files and documentation):

study: a question, written as a TOML file: one workload, its parameters, factors with levels, replicates.
factor, level: something that is varied, and one value of it.
cell: one combination of levels.
replicate, block: one repetition of a cell; a block holds every cell once, in random order.
run: one execution of one cell in one block; the unit that is measured, retried and made durable.
workload: what is done over and over, and yields samples.
response: a measured quantity of a sample, with a unit.
sample: one operation's responses, with the time it was due, and the CPU it ran on.
target: where runs happen.
guard: the only thing that changes a machine's settings, and always puts them back.
meter: something that watches a run.
recording: everything one execution of a study left behind: a folder of open formats.
counts: the exact (value, count) table of a response, from which every statistic is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from jitterlab.recording import Recording

__version__ = "0.1.0"
__all__ = ["__version__", "open"]


def open(path: str | PathLike[str]) -> Recording:  # noqa: A001
    """Open a recording: the folder that `jitterlab run` wrote.

    Raises:
        InputError: The folder is no recording, or it is damaged; the message names the file.
    """
    from jitterlab.recording import Recording

    return Recording.open(path)
