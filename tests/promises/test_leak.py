"""Ten projects with the same words and another name in each: nothing of one is seen in another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memolith import Mem, MemolithError
from memolith.edges.cli import main
from memolith.edges.mcp.protocol import Protocol
from memolith.hosts.hook import edge
from memolith.learn import run
from memolith.memory import addresses
from tests.edges.mcp.test_mcp import READERS
from tests.ledger import proves
from tests.recall.made import record, session

QUESTION = "Which port does the gateway listen on?"
COUNT = 10
NAMES = [f"walrus{chr(ord('a') + number)}" for number in range(COUNT)]  # what is planted, one name in each


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Mem]:
    """Return the memories, by the name that was planted in everything a project can hold."""
    monkeypatch.setenv("MEMOLITH_SEMANTIC_PROVIDER", "none")
    monkeypatch.setenv("MEMOLITH_HOOKS_SESSIONS", "false")
    return plant(tmp_path)


def plant(base: Path) -> dict[str, Mem]:
    """Make ten projects of one home; `prove leaks` uses them too."""
    found = {}
    for name in NAMES:
        work = base / "work" / name.removeprefix("walrus") / "shop"  # nearly the same slug
        work.mkdir(parents=True)
        mem = found[name] = Mem.open(work)
        mem.write("scratchpad", f"- [ ] ask {name} about the gateway")
        mem.append_daily("Gateway", f"The gateway of {name} was moved.")
        mem.remember(f"The gateway of {name} listens on a port of its own.", f"Gateway {name}")
        mem.records.add(f"The gateway restarts as {name} says.", category="decisions", scope="project")
        record(mem, f"old-{name}", f"The gateway port was chosen by {name}.")
        mem.tickets.add(f"Gateway of {name}", description=f"The port of the gateway, see {name}.")
        rule = f"Remember: always restart the gateway with {name} before a release."
        session(mem, f"s-{name}", rule, f"The gateway of {name} listens on its port.")
    return found


def in_process(mem: Mem) -> Iterator[str]:
    """Yield what the library says: block, search, recall, lists, addresses, the prompt."""
    yield mem.context_block() or ""
    yield mem.context_block(QUESTION) or ""
    for question in (QUESTION, *NAMES):
        yield repr(mem.search(question))
        yield repr([(hit.id, hit.text, hit.also) for hit in mem.recall(question)])
    yield repr([mem.list(), mem.sessions.stored(), mem.guidance()])
    yield repr([mem.records.list(), mem.tickets.list()])
    for uri in addresses.complete(mem, "memory://root/"):
        yield addresses.resolve(mem, uri).text


def over_mcp(mem: Mem) -> Iterator[str]:
    """Yield what a server says to an agent that asks for everything."""
    server = Protocol(lambda: mem, settings=mem.settings)

    def ask(method: str, **params: object) -> Any:
        answer = server.answer({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return json.loads(json.dumps(answer))

    for question in (QUESTION, *NAMES):
        for tool in sorted(READERS - {"memory_read"}):
            yield str(ask("tools/call", name=tool, arguments={"query": question})["result"])
    for target in ("long_term", "scratchpad", "daily"):
        yield str(ask("tools/call", name="memory_read", arguments={"target": target}))
    for each in ask("resources/list")["result"]["resources"]:
        yield str(ask("resources/read", uri=each["uri"]))
    yield str(ask("prompts/get", name="memory", arguments={"topic": QUESTION}))


def through_hooks(mem: Mem, work: str) -> Iterator[str]:
    """Yield what a session is told, also one that goes on after another project's."""
    for event in ({"hook_event_name": "SessionStart"}, {"hook_event_name": "UserPromptSubmit"}):
        row = {"session_id": f"s-{mem.project}", "cwd": work, "prompt": QUESTION, **event}
        yield edge.answer(json.dumps(row).encode())


def on_the_command_line(work: str, capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    """Yield what a person sees who asks in a project."""
    for command in (["context"], ["search", "gateway"], ["recall", QUESTION], ["list"], ["session", "list"]):
        assert main([*command, "--project", work]) == 0
        yield capsys.readouterr().out


@proves("X.15")
def test_nothing_of_a_project_is_seen_in_another_on_any_way(
    projects: dict[str, Mem], capsys: pytest.CaptureFixture[str]
) -> None:
    for own, mem in projects.items():
        work = mem.identity.root or ""
        ways = {
            "library": in_process(mem),
            "mcp": over_mcp(mem),
            "hook": through_hooks(mem, work),
            "cli": on_the_command_line(work, capsys),
        }
        for way, said in ways.items():
            texts = list(said)
            foreign = [text for text in texts for name in NAMES if name != own and name in text]
            assert not foreign, (way, own, foreign[0][:500])
            assert any(own in text for text in texts), (way, own)


@proves("X.15")
def test_no_address_and_no_name_leads_into_another_project(projects: dict[str, Mem]) -> None:
    first, second = list(projects.values())[:2]
    for path in ("notes", f"../{second.project}/notes", f"projects/{second.project}/notes/MEMORY.md"):
        try:
            shown = addresses.resolve(first, f"memory://root/{path}").text
        except MemolithError as error:
            shown = str(error)
        assert NAMES[1] not in shown


@proves("X.15")
def test_what_is_learned_stays_in_the_project_whose_sessions_taught_it(
    projects: dict[str, Mem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    learned = 0
    for own, mem in list(projects.items())[:3]:
        with Mem.open(mem.identity.root) as again:
            report = run.run(again)
            learned += report.extracted
        store = mem.root / "projects" / mem.project
        texts = "".join(path.read_text("utf-8") for path in store.rglob("*.md"))
        assert own in texts
        assert not [name for name in NAMES if name != own and name in texts]
    assert learned == 3
    shared = "".join(path.read_text("utf-8") for path in mem.root.glob("*.md"))
    assert "walrus" not in shared
