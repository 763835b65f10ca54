"""The samples in `../shared/samples` (or MEMOLITH_SAMPLES), after the real programs; never copied here."""

import gzip
from pathlib import Path

import pytest

from memolith.hosts.sessions import guess
from memolith.text import turns as spoken
from tests.shared import SAMPLES

# Read before the tests' own environment is set up.
pytestmark = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason=f"{SAMPLES} is not there; MEMOLITH_SAMPLES says where the samples are"
)
# Turns of the first session: user, assistant, tool.
GOLDEN = {
    "claude_code/projects/*/*.jsonl": ("claude", (2, 5, 3)),
    "claude_code/projects/*/*/subagents/*.jsonl": ("claude", (1, 1, 0)),
    "claude_code/projects/*/*.truncated.jsonl.txt": ("claude", (1, 0, 0)),
    "codex/sessions/*/*/*/*.jsonl": ("codex", (1, 1, 1)),
    "copilot/session-state/*/events.jsonl": ("copilot", (1, 1, 1)),
    "gemini/tmp/*/chats/*.jsonl": ("gemini", (1, 1, 1)),
    "pi/sessions/*/*.jsonl": ("pi", (1, 1, 1)),
    "aider/.aider.chat.history.md": ("aider", (2, 2, 1)),
}
REAL = {
    "claude-code-agentsessions-small": (3, 6),
    "claude-code-dkimuson-1af7fc5e-8455-4414-9ccd-011d40f70b2a": (15,),
    "claude-code-dkimuson-5c0375b4-57a5-4f26-b12d-d022ee4e51b7": (17, 14),
    "claude-code-happy-0-say-lol-session": (2,),
    "claude-code-happy-1-continue-run-ls-tool": (5,),
    "claude-code-happy-permission-prompt-aborted-with-interrupt": (3,),
    "claude-code-happy-task_non_sdk": (4, 6),
    "claude-code-happy-task_sdk": (6,),
    "claude-code-sniffly-ba79134d-b6e9-4867-af0c-6941038c9e4b": (45,),
    "claude-code-sniffly-fed8ce56-bc79-401f-a83e-af084253362f": (12,),
    "codex-agentsessions-small": (7,),
    "pi-before-compaction": (759,),
}


@pytest.mark.parametrize("pattern", GOLDEN)
def test_a_golden_sample_is_read_without_what_was_planted_in_it(pattern: str) -> None:
    (path,) = SAMPLES.glob(pattern)
    name, counts = GOLDEN[pattern]
    agent = guess(str(path))
    session = next(agent.read(str(path)))
    roles = [turn.role for turn in session.turns]
    assert agent.name == name
    assert tuple(roles.count(role) for role in ("user", "assistant", "tool")) == counts
    said = "\n".join(turn.text for turn in session.turns)
    planted = ("INJECTED", "<memory", "task-notification", "being continued", "rewound", "session_context")
    assert [each for each in planted if each in said] == []
    ran = [turn for turn in session.turns if spoken.command(turn.tool, turn.text)]
    assert {spoken.command(turn.tool, turn.text) for turn in ran} <= {"pnpm test"}
    assert all(turn.text.startswith("$ pnpm test\n") for turn in ran)


@pytest.mark.parametrize("name", REAL)
def test_a_real_transcript_is_read_to_its_turns(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.jsonl"
    path.write_bytes(gzip.decompress((SAMPLES / "transcripts" / f"{name}.jsonl.gz").read_bytes()))
    sessions = list(guess(str(path)).read(str(path)))
    assert tuple(len(each.turns) for each in sessions) == REAL[name]
    for turn in sessions[0].turns:
        assert turn.role != "tool" or (turn.tool and turn.outcome in ("ok", "error"))
