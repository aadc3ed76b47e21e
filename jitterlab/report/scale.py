# SPDX-License-Identifier: Apache-2.0
"""How values are shown: in which unit, with how many digits; and names from outside, made harmless."""

import math
import re
import unicodedata
from dataclasses import dataclass

ABSENT = "–"


@dataclass(frozen=True, slots=True)
class Scale:
    """In which unit a response is shown: `shown = recorded / divisor`."""

    unit: str
    divisor: float

    @classmethod
    def of(cls, unit: str, typical: float) -> "Scale":
        """The scale for a response recorded in `unit`; times are shown in µs, or in ms where they are long.

        Args:
            unit: As recorded: `ns`, `byte`, `1`, ….
            typical: A typical value in that unit, such as the median.
        """
        if unit == "ns":
            return cls("ms", 1e6) if abs(typical) >= 1e7 else cls("µs", 1e3)
        return cls("" if unit == "1" else printable(unit), 1.0)

    def say(self, value: float, digits: int = 3) -> str:
        """A recorded value with its unit: "12.3 µs"."""
        return f"{significant(value / self.divisor, digits)} {self.unit}".rstrip()


def significant(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, thousands apart: 1,234 or 12.3 or 0.00012."""
    if not math.isfinite(value):
        return ABSENT if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude < -4 or magnitude > 12:
        return f"{value:.{digits - 1}e}".replace("-", "−")
    return f"{value:,.{max(0, digits - 1 - magnitude)}f}".replace("-", "−")


def printable(text: str) -> str:
    """A text from outside with its control characters replaced: it cannot steer a terminal or a page."""
    return "".join("\ufffd" if unicodedata.category(char) in {"Cc", "Cf", "Cs"} else char for char in text)


def unbroken(text: str) -> str:
    """The same text with blanks before units that no line break may take apart: 12.3 µs, p ≤ 0.001."""
    text = re.sub(r"(?<=\d) (?=(?:%|µs|ms|ns|s)(?:\W|$))", "\u00a0", text)
    return re.sub(r"\b([Fnp]) ([=≤<]) (?=\d)", "\\1\u00a0\\2\u00a0", text)
