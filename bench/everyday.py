"""`python -m bench.everyday [--lexical] [--failures] …`: scenarios of everyday use, passed of each area.

Runs the runner beside the public scenarios (MEMOLITH_DATA) with this Python, from outside of the checkout, as
it is run by others: it uses the public interface only. Its options are its own (`--help`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from bench.corpora import DATA

if TYPE_CHECKING:
    from collections.abc import Sequence


def run(name: str, *given: str) -> int:
    """Run the runner of a public set; return its exit code."""
    runner = DATA.resolve() / name / f"{name}.py"
    if not runner.is_file():
        raise SystemExit(f"Nothing was measured: there is no {runner}; set MEMOLITH_DATA.")
    return subprocess.run([sys.executable, "-P", str(runner), *given], env=os.environ, check=False).returncode


def main(argv: Sequence[str]) -> int:
    return run("everyday", str(DATA.resolve() / "everyday" / "dev.jsonl"), *argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
