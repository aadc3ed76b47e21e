# SPDX-License-Identifier: Apache-2.0
"""The import rules of docs/architecture.md hold."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "jitterlab"

BASE = {"jitterlab", "errors", "registry", "quantities"}
"""What every layer may use."""

MEASURING = {
    "study",
    "design",
    "targets",
    "guard",
    "factors",
    "workloads",
    "meters",
    "environment",
    "recording",
}
"""What a session works with."""

MAY_IMPORT = {
    "errors": set(),
    "quantities": set(),
    "registry": {"errors"},
    "study": {"workloads", "factors", "registry"},
    "design": {"study"},
    "targets": {"guard"},
    "guard": {"targets"},
    "factors": {"guard", "targets"},
    "workloads": {"targets"},
    "meters": {"targets"},
    "environment": {"targets", "guard", "meters"},
    "recording": {"study", "design"},
    "session": MEASURING,
    "doctor": {"targets", "guard"},
    "analysis": {"recording", "study"},
    "report": {"analysis", "recording", "study"},
    "commands": MEASURING | {"session", "doctor", "analysis", "report"},
    "cli": {"commands"},
}
"""Per top-level module or package: the others that it may import, besides BASE and itself."""

HEAVY = [
    "numpy",
    "pandas",
    "pyarrow",
    "polars",
    "duckdb",
    "scipy",
    "statsmodels",
    "matplotlib",
    "sklearn",
    "rich",
]


def part_of(path: Path) -> str:
    """The top-level module or package of the lab that a file belongs to."""
    relative = path.relative_to(PACKAGE)
    return relative.parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    parts = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == "jitterlab":
                parts.add(rest.split(".")[0] or "jitterlab")
    return {part for part in parts if (PACKAGE / part).is_dir() or (PACKAGE / f"{part}.py").exists()}


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_follow_the_layers(path: Path) -> None:
    part = part_of(path)
    allowed = BASE | {part} | MAY_IMPORT.get(part, set())
    if part == "__init__":
        allowed |= {"recording"}
    assert imported_parts(path) <= allowed


@pytest.mark.parametrize("module", ["jitterlab", "jitterlab.cli", "jitterlab.study"])
def test_import_is_light(module: str) -> None:
    code = f"import sys, {module}; print(*[m for m in {HEAVY} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []
