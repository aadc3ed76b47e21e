# SPDX-License-Identifier: Apache-2.0
"""`jitterlab report` and `jitterlab figure` as a user calls them."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from jitterlab.commands.figure import command as figure
from jitterlab.commands.report import command as report
from jitterlab.errors import InputError, RunError
from jitterlab.recording import Recording


@pytest.fixture(scope="module")
def folder(effect: Recording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(effect.path, tmp_path_factory.mktemp("copy") / "recording"))


def call(command: object, *arguments: object) -> str:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)  # type: ignore[arg-type]
    assert result.exit_code == 0, result.output
    return result.output


def test_the_page_stands_beside_the_recording(folder: Path) -> None:
    assert call(report, folder).strip() == str(folder / "report.html")
    assert (folder / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert not list(folder.glob("*.part"))


def test_the_text_is_the_answer(folder: Path) -> None:
    text = call(report, folder, "--format", "text")
    assert "The factor policy decides the median latency" in text


def test_the_json_holds_all_findings(folder: Path, tmp_path: Path) -> None:
    call(report, folder, "--format", "json", "--output", tmp_path / "findings.json")
    found = json.loads((tmp_path / "findings.json").read_text())
    assert found["answers"][0]["deciding"] == "policy"
    assert [term["term"] for term in found["anova"]["mean"]["runs"]["terms"]][-1] == "Residual"
    assert found["cells"][0]["n"] == 20_000


def test_figures_are_listed_and_written(folder: Path, tmp_path: Path) -> None:
    assert call(figure, folder, "--list").splitlines()[0].startswith("effects")
    call(figure, folder, "ccdf", "--output", tmp_path / "tail.svg")
    assert b"<svg" in (tmp_path / "tail.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--output", "x.png"], "no figure is named"),
        (["ccdf", "--output", "x.pdf"], "png or svg"),
        (["nothing", "--output", "x.png"], "has no figure 'nothing'"),
    ],
)
def test_what_cannot_be_drawn_is_said(folder: Path, arguments: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        call(figure, folder, *arguments)


def test_a_file_that_cannot_be_written_is_said(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be written"):
        call(report, folder, "--output", tmp_path / "absent" / "report.html")
