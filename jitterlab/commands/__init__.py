# SPDX-License-Identifier: Apache-2.0
"""The verbs of the command line: one module per verb, each with a `command`."""

VERBS = {
    "run": "run",
    "plan": "plan",
    "resume": "resume",
    "restore": "restore",
    "report": "report",
    "figure": "figure",
    "show": "show",
    "compare": "compare",
    "anova": "anova",
    "import": "import_",
    "export": "export",
    "doctor": "doctor",
    "studies": "studies",
    "completion": "completion",
}
