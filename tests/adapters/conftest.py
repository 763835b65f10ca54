"""What the tests with real frameworks share."""

import pytest


@pytest.fixture(autouse=True)
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the local model out, keep the frameworks from calling home."""
    monkeypatch.setenv("MEMOLITH_SEMANTIC_PROVIDER", "none")
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "not-used")
