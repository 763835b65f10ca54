"""What the tests with real programs get: one of them, with memolith installed, and a model that it asks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.real.model import Model
from tests.hosts.real.programs import CLIS, TABLE, Program, is_here, program, trust_codex_hooks


@pytest.fixture
def model() -> Iterator[Model]:
    """Return the model that a program asks."""
    with Model() as model:
        yield model


@pytest.fixture(params=list(TABLE))
def bare(request: pytest.FixtureRequest, tmp_path: Path, work: Path, model: Model) -> Iterator[Program]:
    """Return a program in a home with what a person has configured; nothing of ours is there yet."""
    if not is_here(request.param):
        pytest.skip(f"MEMOLITH_CLIS={CLIS} has no {request.param}; `./dev agents` installs the programs")
    for part, why in TABLE[request.param].get("cannot", {}).items():
        if part in request.node.name:
            pytest.skip(why)
    user = tmp_path / "user"
    found = program(request.param, user, work, model)
    user.mkdir()
    for name, text in found.had.items():
        path = user / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    yield found
    found.settle()


@pytest.fixture
def agent(bare: Program) -> Program:
    """Return a program with memolith installed and a memory of one line."""
    bare.memolith("write", "long_term", "- The build needs Zig 0.15.")
    bare.memolith("init", "--yes", "--agent", bare.name)
    if bare.name == "codex":
        trust_codex_hooks(bare)
    return bare
