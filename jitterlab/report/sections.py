# SPDX-License-Identifier: Apache-2.0
"""What stands in the HTML report, section by section."""

from dataclasses import dataclass

from jitterlab.report.figure import Figure
from jitterlab.report.tables import Table


@dataclass(frozen=True, slots=True)
class Source:
    """A text that is shown as it is, folded under its title unless `unfolded`."""

    title: str
    text: str
    unfolded: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the report.

    Attributes:
        name: What a link to it ends in.
        title: Its heading.
        text: Its paragraphs.
        figures: Its figures.
        tables: Its tables; side by side where the page is wide enough.
        side_by_side: Whether the tables are.
        sources: Texts that are shown as they are.
        glossary: Words with their meaning.
    """

    name: str
    title: str
    text: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    side_by_side: bool = False
    sources: tuple[Source, ...] = ()
    glossary: tuple[tuple[str, str], ...] = ()

    @property
    def filled(self) -> bool:
        """Whether anything stands in it."""
        return bool(self.text or self.figures or self.tables or self.sources or self.glossary)
