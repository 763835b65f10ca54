"""The requirement ledger: rows in docs/requirements.md, citations in the tests, and whether they agree.

`./dev ledger` prints what is built and what is open, by design.
"""

import ast
import functools
import re
import sys

import pytest

from tests.shared import ROOT

ROWS = ROOT / "docs" / "requirements.md"
DESIGNS = {
    "S0": "global MEMORY.md, scratchpad, daily log, notes, block, search, compaction",
    "S1": "index and one file per fact, remember, /memory, ephemeral",
    "S2": "two-phase learning, summary, memory://",
    "S3": "recall, typed records, sessions, tickets",
    "S4": "one document, sections, limits",
    "X": "across the designs",
}
_ROW = re.compile(r"^\| (S\d\.\d+|X\.\d+) \|.*\| (built|open) \|$")


def proves(*ids: str) -> pytest.MarkDecorator:
    """Say which requirements a test proves."""
    return pytest.mark.proves(*ids)


def rows() -> dict[str, str]:
    """Return each requirement's id with its mark, `built` or `open`."""
    found: dict[str, str] = {}
    for line in ROWS.read_text(encoding="utf-8").splitlines():
        match = _ROW.match(line)
        if match:
            assert match[1] not in found, f"{match[1]} stands twice in {ROWS}"
            found[match[1]] = match[2]
    return found


@functools.cache
def citations() -> dict[str, list[str]]:
    """Return each cited id with the tests that cite it, as pytest names them."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        name = path.relative_to(ROOT)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "proves":
                    for argument in decorator.args:
                        assert isinstance(argument, ast.Constant)
                        found.setdefault(str(argument.value), []).append(f"{name}::{node.name}")
    return found


def report() -> str:
    """Return what is built and open, by design."""
    marks, cited = rows(), citations()
    lines = []
    for design, about in DESIGNS.items():
        ids = [row for row in marks if row.startswith(design + ".")]
        built = [row for row in ids if marks[row] == "built"]
        still = [row for row in ids if marks[row] == "open"]
        lines.append(f"{design:<3} {len(built):>3} built {len(still):>3} open   {about}")
        if still:
            lines.append(f"    open: {' '.join(still)}")
    done = sum(1 for mark in marks.values() if mark == "built")
    tests = len({test for each in cited.values() for test in each})
    lines.append(f"{done} of {len(marks)} requirements are built, proven by {tests} tests")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(report() + "\n")
