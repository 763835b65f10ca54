"""A virtual environment for each rival, under `.dev/rivals/`: installed once, with what that cost."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.rivals.talking import ROOT, Failed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.rivals.rivals import Rival

PLACE = ROOT / ".dev" / "rivals"
LIMIT = 600.0
NEWEST = ("3.13", "3.12", "3.14")  # one of them for all: basic-memory wants 3.12 or newer


@dataclass(frozen=True)
class Installed:
    """A rival that can be run."""

    rival: Rival
    python: Path
    cost: dict[str, Any]

    @property
    def bin(self) -> Path:
        """Where its commands are."""
        return self.python.parent


def interpreter(wanted: str | None) -> str:
    """Return the interpreter of all the environments."""
    found = [wanted] if wanted else []
    if not wanted:
        for version in NEWEST:
            pyenv = Path.home() / ".pyenv" / "versions"
            found += [f"python{version}", *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))]
    for each in [*found, sys.executable]:
        try:
            done = subprocess.run(
                [each, "-c", "import sys; print(sys.executable)"], check=True, capture_output=True, text=True
            )
        except (OSError, subprocess.CalledProcessError):
            continue
        return done.stdout.strip()
    raise SystemExit(f"{wanted} cannot be run; name another interpreter with --python")


def wheel() -> Path:
    """Build this checkout; return the wheel, the same one as long as the sources are the same."""
    sources = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.md"), ROOT / "pyproject.toml"])
    digest = hashlib.sha256(b"".join(each.read_bytes() for each in sources)).hexdigest()[:12]
    place = PLACE / "wheel" / digest
    if not list(place.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        _run([*command, "--wheel-dir", place, ROOT], {})
    return next(place.glob("*.whl"))


def install(rival: Rival, python: str) -> Installed:
    """Install a rival unless it is there already."""
    place = PLACE / rival.place
    requirement = rival.requirement
    if requirement.startswith("memolith"):
        requirement = f"{wheel()}{requirement.removeprefix('memolith')}"
    want = f"{python} {requirement}"
    note = place / "installed.json"
    known = json.loads(note.read_text()) if note.exists() else {}
    if known.get("want") != want:
        known = {"want": want, **_fresh(place, requirement, python)}
        note.write_text(json.dumps(known))
    if "failed" in known:
        raise Failed(known["failed"])
    own = place / "bin" / "python"
    if rival.check:
        why = subprocess.run([own, "-c", rival.check], check=False, capture_output=True, text=True)
        if reason := why.stdout.strip():
            raise Failed(reason)
    return Installed(rival, own, known)


def _fresh(place: Path, requirement: str, python: str) -> dict[str, Any]:
    shutil.rmtree(place, ignore_errors=True)
    _run([python, "-m", "venv", place], {})
    before = size(place)
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-cache-dir"]
    start = time.monotonic()
    try:
        _run([*pip, requirement], {"PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    except Failed as failed:
        return {"failed": f"cannot be installed: {failed}"}
    seconds = time.monotonic() - start
    packages = len(list(place.glob("lib/python*/site-packages/*.dist-info"))) - 1  # without pip
    return {"seconds": seconds, "megabytes": (size(place) - before) / 1e6, "packages": packages}


def size(place: Path) -> int:
    """Return the bytes of all files below a directory."""
    return sum(each.lstat().st_size for each in place.rglob("*") if not each.is_dir())


def _run(command: Sequence[str | Path], variables: dict[str, str]) -> None:
    kept = {key: value for key, value in os.environ.items() if key not in ("PIP_CONSTRAINT", "PYTHONPATH")}
    try:
        subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            env={**kept, **variables},
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"stopped after {LIMIT:.0f} s") from None
    except subprocess.CalledProcessError as error:
        errors = [line for line in error.stderr.splitlines() if line.startswith(("ERROR", "error"))]
        raise Failed(
            " ".join((errors or error.stderr.splitlines() or ["no message"])[-1].split())[:200]
        ) from None
