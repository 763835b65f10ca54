"""`bench/results.json`: what was measured, with the date, the machine and the command of each part."""

from __future__ import annotations

import json
import math
import os
import platform
import sqlite3
import statistics
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = dict[str, Any]
PLACE = Path(__file__).parent / "results.json"


def stamp(command: str) -> Row:
    """Return what has to be known of a run, before it begins."""
    root = PLACE.parent.parent

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    changed = "+" if git("status", "--porcelain", "--", "src", "bench") else ""
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "command": command,
        "commit": (git("rev-parse", "--short=12", "HEAD") or "unknown") + changed,
        "load": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "kernel": f"{platform.system()} {platform.release()}",
    }


def load(place: Path = PLACE) -> dict[str, Row]:
    """Return the parts that were measured, each with its own run."""
    if not place.exists():
        return {}
    found: dict[str, Row] = json.loads(place.read_text(encoding="utf-8"))
    return found


def save(parts: dict[str, Row], place: Path = PLACE) -> None:
    """Keep the parts, a line for each row, so that a change can be read."""
    text = ",\n".join(f" {json.dumps(name)}: {_part(part)}" for name, part in sorted(parts.items()))
    place.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")


def _part(part: Row) -> str:
    lines = []
    for name, value in part.items():
        told = json.dumps(_short(value), ensure_ascii=False)
        if isinstance(value, list):
            rows = ",\n".join(f"   {json.dumps(_short(each), ensure_ascii=False)}" for each in value)
            told = f"[\n{rows}\n  ]"
        lines.append(f"  {json.dumps(name)}: {told}")
    return "{\n" + ",\n".join(lines) + "\n }"


def _short(value: Any) -> Any:
    """Return a value with four significant digits: more would be noise, and a longer difference."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    return [_short(each) for each in value] if isinstance(value, list | tuple) else value


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float | None:
    """Return with which power of the size a cost grows: the slope of their logarithms, by least squares."""
    if len(set(sizes)) < 2 or min(costs) <= 0:
        return None
    slope: float = statistics.linear_regression(
        [math.log(each) for each in sizes], [math.log(each) for each in costs]
    ).slope
    return slope
