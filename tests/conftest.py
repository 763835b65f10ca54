"""What every test gets: a home of its own, no network, and hypothesis profiles."""

import itertools
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from memolith import Mem

settings.register_profile("default", deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
settings.register_profile("long", deadline=None, max_examples=10_000, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

_NUMBERS = itertools.count()
NOON = time.mktime((2026, 11, 15, 12, 0, 0, 0, 0, -1))


class Clock:
    """A clock that tests set by hand."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the test's own directory is to be: most tests are of functions and make none."""
    return tmp_path_factory.getbasetemp() / f"t{next(_NUMBERS)}"


@pytest.fixture
def tmp_path(sandbox: Path) -> Path:
    """Return the test's own directory. Pytest's fixture of this name also renews a link to it each time."""
    sandbox.mkdir(0o700, exist_ok=True)
    return sandbox


@pytest.fixture(autouse=True)
def isolated(sandbox: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point everything that could reach a real home at the test's own directory; forbid sockets."""
    for name in list(os.environ):
        if name.startswith(("MEMOLITH_", "XDG_", "GIT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(sandbox / "user"))
    monkeypatch.setenv("MEMOLITH_HOME", str(sandbox / "home"))
    # Only tests of meaning name a model: loading it costs more than any other test.
    monkeypatch.setenv("MEMOLITH_SEMANTIC_PROVIDER", "none")
    # No test takes the power away (`prove faults` does, with the calls of a process of its own).
    monkeypatch.setattr(os, "fsync", os.fstat)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    # The tests' own directory may be inside this repository's checkout.
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(sandbox.parent))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "t")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "t@example.org")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "t")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "t@example.org")

    def no_network(*_: object) -> None:
        raise AssertionError("a test tried to use the network")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    return sandbox


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return a directory without git to work in."""
    path = tmp_path / "work" / "shop"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands at noon of 2026-11-15, local time."""
    return Clock(NOON)


@pytest.fixture
def mem(work: Path, clock: Clock) -> Mem:
    """Return a memory for the project `work`."""
    return Mem.open(work, now=clock)


@pytest.fixture
def store(mem: Mem) -> Path:
    """Return the directory of that memory's project."""
    return mem.root / "projects" / mem.project


@pytest.fixture
def snapshot() -> Callable[[Path], dict[str, bytes]]:
    """Return a function that reads a whole tree, to compare before and after."""

    def take(root: Path) -> dict[str, bytes]:
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }

    return take
