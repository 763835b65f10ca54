"""What the tests of hooks get: a host that tells of events. No worker is started unless a test wants one."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memolith import Mem
from memolith.hosts.hook import edge
from memolith.text.safe import structure
from tests.conftest import Clock


class Host:
    """A session of Claude Code, or of another host."""

    def __init__(self, work: Path, now: Callable[[], float], session: str = "s-1") -> None:
        self.work, self.now, self.session = work, now, session

    def tell(self, event: str, host: str = "claude", **fields: object) -> str:
        """Tell of an event; return the context that comes back."""
        row = {"session_id": self.session, "cwd": str(self.work), "hook_event_name": event, **fields}
        return context(edge.answer(json.dumps(row).encode(), host, now=self.now))

    def talk(self, *tools: str) -> str:
        """Write a transcript in which these tools were called; return its path."""
        blocks: list[object] = [{"type": "text", "text": "Let me see."}]
        blocks += [{"type": "tool_use", "id": name, "name": name, "input": {}} for name in tools]
        rows = [
            {
                "type": "user",
                "sessionId": self.session,
                "cwd": str(self.work),
                "message": {"content": "Mend the tests."},
            },
            {"type": "assistant", "sessionId": self.session, "message": {"id": "m", "content": blocks}},
        ]
        path = self.work.parent / f"{self.session}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return str(path)

    def start(self, source: str = "startup") -> str:
        return self.tell("SessionStart", source=source)

    def ask(self, prompt: str) -> str:
        return self.tell("UserPromptSubmit", prompt=prompt)


def context(answer: str) -> str:
    """Return the context in an answer, in whatever form it is, without the line about the files."""
    return re.sub(rf"(?m)^{re.escape(structure.FILES)}.*\n", "", whole_context(answer))


def whole_context(answer: str) -> str:
    """Return all of the context in an answer."""
    if not answer.startswith("{"):
        return answer
    row = json.loads(answer)
    nested = row.get("hookSpecificOutput", {})
    return str(row.get("additionalContext") or row.get("additional_context") or nested["additionalContext"])


def unless_busy(seconds: float) -> None:
    """Go on with a test of who holds a prompt up, unless an event takes so long that this cannot be told."""
    if seconds > 0.6:
        pytest.skip(f"an event takes {seconds:.1f} seconds here")


class Ticking(Clock):
    """A clock on which a minute passes at each look: no two events are at the same time."""

    def __call__(self) -> float:
        self.seconds += 60
        return self.seconds


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep hooks from starting processes."""
    monkeypatch.setenv("MEMOLITH_HOOKS_SESSIONS", "false")


@pytest.fixture
def home(work: Path, isolated: Path) -> Path:
    """Return the home of a memory with a note, and an index."""
    with Mem.open(work) as mem:
        mem.remember("It is port 5433.", "Port")
        mem.recall("port", semantic=False)
    return isolated / "home"


@pytest.fixture
def host(work: Path, clock: Clock) -> Host:
    """Return a session in the directory `work`."""
    return Host(work, Ticking(clock.seconds))
