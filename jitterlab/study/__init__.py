# SPDX-License-Identifier: Apache-2.0
"""Studies: a question, written as a TOML file, validated as a whole before anything runs."""

from jitterlab.study.model import Study, StudyFactor
from jitterlab.study.reading import load, parse, shipped
from jitterlab.study.writing import leave_out, to_toml

__all__ = ["Study", "StudyFactor", "leave_out", "load", "parse", "shipped", "to_toml"]
