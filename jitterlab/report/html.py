# SPDX-License-Identifier: Apache-2.0
"""The HTML report: one file that needs no network, shows no foreign markup and runs no foreign code."""

import base64
import hashlib
import json
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from jitterlab import __version__
from jitterlab.analysis.findings import Findings
from jitterlab.recording import Recording
from jitterlab.report import contents
from jitterlab.report.legend import legend
from jitterlab.report.palette import DARK, LIGHT
from jitterlab.report.plotly import chart
from jitterlab.report.scale import printable, unbroken

ASSETS = files("jitterlab.report") / "assets"


def page(recording: Recording, found: Findings) -> bytes:
    """The report as the bytes of an HTML file (UTF-8)."""
    sections = contents.sections(recording, found)
    drawn = [figure for section in sections for figure in section.figures]
    library, script = _asset("plotly-cartesian.min.js"), _asset("report.js")
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["unbroken"] = unbroken
    template = environment.from_string(_asset("report.html.j2"))
    text = template.render(
        title=printable(found.title),
        facts=contents.facts(recording, found),
        sections=sections,
        answers=[(printable(a.question), [printable(s) for s in a.sentences]) for a in found.answers],
        cautions=[(printable(c.sentence), printable(c.remedy)) for c in found.cautions],
        provenance=contents.provenance(recording),
        version=__version__,
        policy=_policy(library, script),
        legends={figure.name: legend(figure) for figure in drawn},
        colours=Markup(_colours()),  # noqa: S704 (our own colours)
        style=Markup(_asset("report.css")),  # noqa: S704 (our own file)
        library=Markup(library),  # noqa: S704 (our own file)
        library_licence=Markup(_asset("plotly-LICENSE.txt")),  # noqa: S704 (our own file)
        script=Markup(script),  # noqa: S704 (our own file)
        figures=_json({figure.name: chart(figure) for figure in drawn}),
        themes=_json({"light": asdict(LIGHT), "dark": asdict(DARK)}),
    )
    return text.encode("utf-8", "replace")


def _colours() -> str:
    """The colours of the page as CSS; the dark ones only on a screen, for readers who prefer them."""
    light, dark = (
        "".join(
            f"--{name}:{value};"
            for name, value in (
                ("ink", theme.ink),
                ("muted", theme.muted),
                ("grid", theme.grid),
                ("paper", theme.paper),
                *((f"c{index}", colour) for index, colour in enumerate(theme.colours)),
            )
        )
        for theme in (LIGHT, DARK)
    )
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _json(value: Any) -> Markup:  # noqa: ANN401
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 (every character that means something in HTML was replaced)


def _policy(*scripts: str) -> str:
    """The page may run its own scripts, and load nothing from anywhere."""
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    sources = " ".join(f"'sha256-{digest}'" for digest in hashes)
    return f"default-src 'none'; script-src {sources}; style-src 'unsafe-inline'; img-src data: blob:"
