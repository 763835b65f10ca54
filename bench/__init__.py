"""Benchmarks: every figure is a ratio to a floor measured in the same run.

Search by meaning is measured with the weights that `./dev` gets, unless the environment names others.
"""

import os
from pathlib import Path

_WEIGHTS = Path(__file__).parent.parent / ".dev" / "weights" / "models" / "all-MiniLM-L6-v2.q8"
if _WEIGHTS.is_file():
    os.environ.setdefault("MEMOLITH_SEMANTIC_MODEL", str(_WEIGHTS))
