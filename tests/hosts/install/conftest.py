"""What the tests of installing share: a home without agents."""

import sys
from pathlib import Path

import pytest


@pytest.fixture
def user(tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home of somebody who has no agent yet, and stand in a project."""
    for name in (
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "COPILOT_HOME",
        "GEMINI_CLI_HOME",
        "QWEN_HOME",
        "PI_CODING_AGENT_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    monkeypatch.chdir(work)
    home = tmp_path / "user"
    home.mkdir()
    return home
