# SPDX-License-Identifier: Apache-2.0
"""Factors of memory: transparent huge pages, randomised address spaces, swapping."""

from collections.abc import Mapping

from jitterlab.factors.machine import MachineKnob, Words
from jitterlab.quantities import parse_whole


class HugePages(Words):
    """Transparent huge pages."""

    name = "thp"
    summary = "transparent huge pages: for all memory, where a program asks (madvise), or never"
    family = "thp"
    allowed = "always, madvise or never"
    words: Mapping[str, str] = {word: word for word in ("always", "madvise", "never")}


class AddressRandomisation(Words):
    """Address space layout randomisation."""

    name = "aslr"
    summary = "randomisation of address spaces: off, all but the heap (partial), or all (full)"
    family = "aslr"
    allowed = "off, partial or full"
    words: Mapping[str, str] = {"off": "0", "partial": "1", "full": "2"}


class Swappiness(MachineKnob):
    """How readily memory is swapped out."""

    name = "swappiness"
    summary = "how readily memory is swapped out, from 0 (only when nothing else helps) to 200"
    family = "swappiness"
    allowed = "a whole number from 0 to 200"

    def parse_level(self, text: str) -> str:
        """A number from 0 to 200."""
        return str(parse_whole(text, 0, 200))
