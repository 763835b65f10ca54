"""The page about frameworks is true: each block runs where its package is installed."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.shared import ROOT

PAGE = (ROOT / "docs" / "frameworks.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"(?ms)pip install '\.\[([\w-]+)\]'.*?^```python\n(.*?)^```$", PAGE))
NEEDS = {
    "anthropic": "anthropic",
    "langgraph": "langgraph",
    "openai-agents": "agents",
    "pydantic-ai": "pydantic_ai",
}
SHOWS = {"anthropic": "5433", "langgraph": "oolong", "openai-agents": "chat-7", "pydantic-ai": "recall"}


def test_every_framework_has_a_block() -> None:
    assert set(BLOCKS) == set(NEEDS)


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("extra", NEEDS)
def test_the_block_of_a_framework_runs(
    extra: str, work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if find_spec(NEEDS[extra]) is None:
        pytest.skip(f"{extra} is not installed; `./dev frameworks` has it")
    monkeypatch.chdir(work)
    exec(compile(BLOCKS[extra], "frameworks.md", "exec"), {})  # noqa: S102
    assert SHOWS[extra] in capsys.readouterr().out
