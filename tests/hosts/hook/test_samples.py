"""Every event in `../shared/samples` (or MEMOLITH_SAMPLES), as real programs tell it; never copied here."""

import json
from pathlib import Path

import pytest

from memolith import Mem
from memolith.base.errors import InputError
from memolith.hosts.hook import edge, payload
from tests.hosts.hook.conftest import context
from tests.shared import SAMPLES

# Read before the tests' own environment is set up.
pytestmark = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason=f"{SAMPLES} is not there; MEMOLITH_SAMPLES says where the samples are"
)
DIRECTORIES = {
    "claude": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "copilot": "copilot",
    "cursor": "cursor",
}
START = ("SessionStart", "sessionStart", "SubagentStart")
PROMPT = ("UserPromptSubmit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt")
OTHER = ("InstructionsLoaded", "PreToolUse", "PostToolUse", "preToolUse", "postToolUse")
ANSWERS = {"claude": "inject", "copilot": "inject", "cursor": "inject"}


def events() -> list[tuple[str, Path]]:
    return [
        (host, path)
        for host, name in DIRECTORIES.items()
        for path in sorted((SAMPLES / name / "hook_stdin").glob("*.json"))
    ]


@pytest.mark.parametrize(
    ("host", "path"), events(), ids=lambda value: value if isinstance(value, str) else value.stem
)
@pytest.mark.parametrize("named", [True, False], ids=["named", "found"])
def test_an_event_is_answered_as_its_host_takes_it(host: str, path: Path, named: bool, work: Path) -> None:
    mem = Mem.open(work)
    mem.write("long_term", "- The tests fail because of the port; use pnpm.")
    mem.remember("The API tests fail on a machine whose test port is 5432.", "Why the tests fail")
    event, data = path.name.partition(".")[0], _here(path.read_bytes(), work)
    if event in OTHER:
        with pytest.raises(InputError, match="unknown event"):
            edge.answer(data, host if named else "", event)
        return
    answer = edge.answer(data, host if named else "", event)
    if event in START:
        assert context(answer) == mem.context_block()
    elif event in PROMPT and "task_notification" not in path.name:
        assert "whose test port is 5432" in context(answer)
    else:
        assert answer == ""
    if answer and (named or host != "cursor") and host in ANSWERS:
        sample = json.loads((SAMPLES / DIRECTORIES[host] / "hook_stdout" / "inject.json").read_text())
        assert json.loads(answer).keys() == sample.keys()
        nested = json.loads(answer).get("hookSpecificOutput", {})
        assert nested.get("hookEventName", event) == event
    if event == "PostCompact":
        log = "\n".join(each.text for each in mem.review.list())  # its transcript is not here
        assert ("Decision: PGPORT=5433" in log and "thinking" not in log) or host == "codex"


def _here(data: bytes, work: Path) -> bytes:
    row = json.loads(data)
    row |= {key: str(work) for key in ("cwd",) if key in row}
    row |= {"workspace_roots": [str(work)]} if "workspace_roots" in row else {}
    return json.dumps(row).encode()


def test_a_hook_of_claude_code_that_cursor_runs_is_answered_in_both_forms(work: Path) -> None:
    Mem.open(work).write("long_term", "- a")
    data = _here((SAMPLES / "cursor/hook_stdin/sessionStart.json").read_bytes(), work)
    row = json.loads(edge.answer(data, "claude"))
    assert row["additional_context"] == row["hookSpecificOutput"]["additionalContext"]
    assert edge.answer(data, "cursor") == ""  # it is installed twice


def test_windsurf_is_not_taken_for_another() -> None:
    with pytest.raises(InputError, match="Windsurf"):
        payload.read(b'{"agent_action_name":"x"}')
