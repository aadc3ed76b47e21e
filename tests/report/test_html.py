# SPDX-License-Identifier: Apache-2.0
"""The page is whole, valid, needs no network, and shows hostile names as text."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from jitterlab.analysis.findings import Findings, findings
from jitterlab.recording import Recording
from jitterlab.report.html import page
from jitterlab.report.palette import DARK, LIGHT, Theme
from tests.report.conftest import Synthetic, nothing_decides

EVIL = '</script><script>alert(1)</script><img src=x onerror="alert(2)">&amp;\u2028{{ 7*7 }}\x1b[31m'
VOID = {"meta", "img", "br", "hr", "link", "input"}
LOADING = {"src", "href", "srcset", "action", "data", "poster", "formaction", "background"}
MOST_BYTES = 2_000_000


class Page(HTMLParser):
    """Reads a page strictly: every element is closed in its order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: dict[str, str] = {}
        self.ids: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if "id" in dict(attrs):
            self.ids.append(str(dict(attrs)["id"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            attributes = self.tags[-1][1]
            self.scripts[str(attributes.get("id"))] = data
        elif self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def whole(effect: Recording, effect_found: Findings) -> str:
    return page(effect, effect_found).decode()


@pytest.fixture(scope="module")
def read(whole: str) -> Page:
    return Page(whole)


def test_every_element_is_closed_and_every_id_is_unique(read: Page) -> None:
    assert read.open == []
    assert len(read.ids) == len(set(read.ids))


def test_nothing_is_loaded_from_anywhere(read: Page, whole: str) -> None:
    for tag, attributes in read.tags:
        for name, value in attributes.items():
            if name in LOADING:
                assert str(value).startswith("#"), f"<{tag} {name}={value}>"
    assert not re.search(r"@import|url\(", whole.split("</style>", maxsplit=1)[0])
    policy = next(a["content"] for t, a in read.tags if t == "meta" and a.get("http-equiv"))
    assert str(policy).startswith("default-src 'none'; script-src 'sha256-")


def test_links_inside_the_page_lead_somewhere(read: Page) -> None:
    links = [str(attributes["href"]) for tag, attributes in read.tags if tag == "a"]
    assert len(links) > 5
    assert all(link.removeprefix("#") in read.ids for link in links)


def test_a_typical_report_is_small(whole: str) -> None:
    assert len(whole.encode()) < MOST_BYTES


def test_every_figure_has_a_description_and_data(read: Page) -> None:
    figures = json.loads(read.scripts["figures"])
    charts = [attributes for _, attributes in read.tags if attributes.get("class") == "chart"]
    assert {chart["data-figure"] for chart in charts} == set(figures)
    assert all(chart["role"] == "img" and len(str(chart["aria-label"])) > 20 for chart in charts)


def test_the_page_says_what_the_findings_say(read: Page, effect_found: Findings) -> None:
    for answer in effect_found.answers:
        assert all(sentence in read.text for sentence in answer.sentences)
    for row in effect_found.rows:
        assert f"{row.max / 1000:,.1f}" in read.text
        assert f"{row.n:,}" in read.text
    assert "PREEMPT_RT" not in read.text or effect_found.cautions


def test_the_licence_of_the_library_is_in_the_page(whole: str) -> None:
    assert "Permission is hereby granted" in whole


def test_hostile_names_are_text(tmp_path: Path) -> None:
    study = Synthetic(
        {"<b>": (EVIL, "</style>")},
        nothing_decides,
        replicates=2,
        title=EVIL,
        environment={"kernel": EVIL, "x": [EVIL]},
    )
    recording = study.record(tmp_path / "<i>")
    text = page(recording, findings(recording)).decode()
    read = Page(text)
    assert read.open == []
    tags = [tag for tag, _ in read.tags]
    assert tags.count("script") == 4
    assert not {"img", "b", "i", "iframe", "object"} & set(tags)
    assert not any(name.startswith("on") for _, attributes in read.tags for name in attributes)
    assert "{{ 7*7 }}" in read.text
    assert "\x1b" not in text
    assert json.loads(read.scripts["figures"])
    assert "</script" not in read.scripts["figures"]


def contrast(first: str, second: str) -> float:
    """The contrast ratio of two colours, as WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
        linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_colours_can_be_read(theme: Theme) -> None:
    assert contrast(theme.ink, theme.paper) >= 7
    assert contrast(theme.muted, theme.paper) >= 4.5
    assert all(contrast(colour, theme.paper) >= 3 for colour in theme.colours)
