"""The tools as any host gets them: who may call what, who is asked, and memory that is switched off."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memolith import InputError, Mem, Tool, Tools, append_memory_block
from memolith.edges.cli import main
from memolith.edges.mcp.protocol import Protocol
from memolith.env.settings import Settings
from memolith.learn.run import why_not
from tests.ledger import proves
from tests.shared import ROOT

# One good call for each tool.
CALLS: dict[str, dict[str, object]] = {
    "recall": {"query": "port"},
    "memory_search": {"query": "port"},
    "memory_read": {},
    "memory_write": {"target": "daily", "content": "The port is 5433."},
    "memory_edit": {"target": "long_term", "old_str": "tea", "new_str": "coffee"},
    "remember": {"content": "The port is 5433.", "title": "Port"},
}
# Names of the designs for the same, which are answered but not offered.
UNLISTED: dict[str, dict[str, object]] = {
    "memory_update": {"content": "- likes ports"},
    "record": {"text": "The port is 5433.", "category": "decisions", "scope": "project"},
}
READERS = {"recall", "memory_search", "memory_read"}


@pytest.fixture(autouse=True)
def by_words(monkeypatch: pytest.MonkeyPatch, mem: Mem) -> None:
    monkeypatch.setenv("MEMOLITH_SEMANTIC_PROVIDER", "none")
    mem.write("long_term", "- likes tea")


def test_every_tool_is_listed_with_a_schema_and_can_be_called(mem: Mem) -> None:
    tools = Tools(mem)
    assert {tool.name for tool in tools} == set(CALLS)
    for tool in tools:
        assert tool.description
        assert tool.schema["type"] == "object"
        answer = tools.call(tool.name, CALLS[tool.name])
        assert not answer.error, answer.text
        assert answer.text
        assert answer.data
    assert "5433" in tools.call("recall", {"query": "port"}).text
    assert tools.call("recall", {}).text == "recall needs query"


@proves("S4.6")
def test_reading_without_arguments_gives_the_whole_document(mem: Mem) -> None:
    mem.write("long_term", "- likes books")
    assert Tools(mem).call("memory_read", {}).text == "- likes tea\n- likes books\n"


@proves("S0.71")
def test_a_sub_agent_can_read_and_search_and_nothing_else(
    mem: Mem, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    tools = Tools(mem, read_only=True)
    assert {tool.name for tool in tools} == READERS
    before = snapshot(Path(mem.root))
    for name, arguments in (CALLS | UNLISTED).items():
        answer = tools.call(name, arguments)
        assert answer.error == (name not in READERS)
    assert snapshot(Path(mem.root)) == before
    assert "memory_write" not in tools.instructions


@proves("S0.71")
@pytest.mark.parametrize("verdict", [False, "not on a Monday"])
def test_every_call_asks_the_host_and_a_denied_one_writes_nothing(
    mem: Mem, snapshot: Callable[[Path], dict[str, bytes]], verdict: bool | str
) -> None:
    asked: list[tuple[str, dict[str, object]]] = []

    def permit(tool: Tool, arguments: dict[str, object]) -> bool | str:
        asked.append((tool.name, dict(arguments)))
        arguments.clear()  # what a host does with its copy changes nothing
        return verdict

    before = snapshot(Path(mem.home))
    tools = Tools(mem, permit=permit)
    for name, arguments in (CALLS | UNLISTED).items():
        answer = tools.call(name, arguments)
        assert answer.error
        assert "denied" in answer.text
        assert not isinstance(verdict, str) or verdict in answer.text
    assert asked == list((CALLS | UNLISTED).items())
    for offer in Tools(mem).offers:  # as the server calls them
        assert "denied" in str(tools.raw(offer, {"content": "x"}))
    assert snapshot(Path(mem.home)) == before


@proves("S0.71")
def test_a_host_may_answer_later_and_until_then_nothing_is_written(mem: Mem) -> None:
    async def permit(tool: Tool, _: dict[str, object]) -> bool:
        await asyncio.sleep(0)
        return tool.kind != "change"

    tools = Tools(mem, permit=permit)
    answer = asyncio.run(tools.acall("remember", CALLS["remember"]))
    assert not answer.error, answer.text
    assert asyncio.run(tools.acall("memory_edit", CALLS["memory_edit"])).error
    assert "tea" in mem.read()
    with pytest.raises(InputError, match="acall"):
        tools.call("remember", {"content": "x", "title": "other"})
    with pytest.raises(InputError, match="acall"):
        tools.raw(Tools(mem).offers[0], {"content": "x", "title": "other"})
    assert "other" not in mem.read("list")


@proves("S0.71")
@pytest.mark.parametrize("verdict", [None, 0, 1])
def test_a_verdict_that_is_neither_yes_nor_no_nor_a_reason_denies(mem: Mem, verdict: Any) -> None:
    answer = Tools(mem, permit=lambda *_: verdict).call("remember", {"content": "x", "title": "other"})
    assert (answer.error, "denied" in answer.text, mem.list()) == (True, True, ["MEMORY.md"])


@proves("S1.18")
def test_remember_needs_no_approval_while_edits_of_files_do(mem: Mem) -> None:
    """A host that gates edits asks for what `needs_approval`, and for nothing else."""
    kinds = {tool.name: tool.kind for tool in Tools(mem)}
    assert {name for name, kind in kinds.items() if kind == "add"} == {"remember"}
    tools = Tools(mem, permit=lambda tool, _: not tool.needs_approval)
    allowed = {name for name in CALLS if not tools.call(name, CALLS[name]).error}
    assert allowed == READERS | {"remember"}


def system_prompt(mem: Mem) -> str:
    told = [Tools(mem).instructions, mem.guidance()]
    return append_memory_block("\n\n".join(["You help.", *filter(None, told)]), mem.context_block())


@proves("S0.1")
def test_memory_that_is_off_for_one_project_is_on_for_another(mem: Mem, work: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    mem.write("note", "about tea", name="n")
    open_before = Protocol(lambda: mem, settings=mem.settings)
    assert main(["project", "off", "--project", str(work)]) == 0
    for where, on in ((work, False), (other, True)):
        here = Mem.open(where)
        fresh = Protocol(lambda here=here: here, settings=Settings(mem.home))  # type: ignore[misc]
        for server in [fresh] if on else [fresh, open_before]:
            answer: object = server.answer({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
            assert isinstance(answer, dict)
            assert bool(answer["result"]["tools"]) is on
        assert bool(list(Tools(here))) is bool(here.guidance()) is bool(here.context_block()) is on
        assert ("memory is off for this project" in why_not(here)) is not on
    assert [hit.name for hit in Mem.open(work).search("tea")]
    (Path(mem.home) / "state" / "projects-off").unlink()  # derived: then a call is refused
    assert "off for this project" in Tools(Mem.open(work)).call("recall", {"query": "tea"}).text
    assert main(["project", "on", "--project", str(work)]) == 0
    assert Mem.open(work).context_block()


@proves("S0.1")
def test_memory_that_is_off_registers_no_tool_and_leaves_the_prompt_as_it_was(
    mem: Mem, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert "likes tea" in system_prompt(mem)
    assert main(["config", "set", "enabled", "false", "--project", str(work)]) == 0
    mem.settings.reload()
    server = Protocol(lambda: mem, settings=mem.settings)
    assert list(Tools(mem)) == list(Tools(None)) == []
    for method, name in (("tools/list", "tools"), ("prompts/list", "prompts")):
        answer: object = server.answer({"jsonrpc": "2.0", "id": 1, "method": method})
        assert isinstance(answer, dict)
        assert answer["result"] == {name: []}
    hello: object = server.answer({"jsonrpc": "2.0", "id": 1, "method": "server/discover"})
    assert isinstance(hello, dict)
    assert "instructions" not in hello["result"]
    assert "switched off" in Tools(mem).call("recall", {"query": "tea"}).text
    assert system_prompt(mem) == "You help."
    assert system_prompt(Mem.open(work)) == "You help."
    capfd.readouterr()
    assert main(["context", "--project", str(work)]) == 0
    assert capfd.readouterr().out.strip() == ""


def test_the_ten_lines_of_the_page_run(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    block, slash = re.findall(
        r"(?ms)^```python\n(.*?)^```$", (ROOT / "docs" / "python.md").read_text("utf-8")
    )
    assert len([line for line in block.splitlines() if line]) <= 10
    monkeypatch.chdir(work)
    names: dict[str, Any] = {}
    exec(compile(block, "python.md", "exec"), names)  # noqa: S102
    said, known = capsys.readouterr().out.rstrip().split("\n", 1)
    assert "port.md" in said
    assert "5433" in known
    assert names["system"].startswith("You are a careful engineer.\n\n# Memory")
    assert "- likes tea" in names["system"]
    assert len(names["schemas"]) == 6
    assert [each.name for each in names["mem"].sessions.list()] == ["mine-1"]
    assert "5433" in names["mem"].read("daily")
    exec(compile(slash, "python.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out.endswith("The database listens on port 5433.\n")


@proves("S1.15")
def test_a_fact_without_a_title_replaces_the_one_with_another_value(mem: Mem) -> None:
    tools = Tools(mem)
    for port in (1010, 2020):
        assert not tools.call("remember", {"content": f"The staging port is {port}."}).error
    answer = tools.call("remember", {"content": "The staging port is 3030.", "title": "Staging port"})
    assert "instead of “The staging port is 2020.”" in answer.text
    assert len([name for name in mem.list() if "/notes/" in name]) == 1


def test_calls_at_once_from_one_event_loop_all_arrive(mem: Mem) -> None:
    tools = Tools(mem)

    async def both(number: int) -> bool:
        stored = await tools.acall("remember", {"content": f"port {number}", "title": f"Port {number}"})
        found = await tools.acall("recall", {"query": f"port {number}"})
        return not stored.error and not found.error

    async def all_of_them() -> list[bool]:
        return await asyncio.gather(*(both(number) for number in range(8)))

    assert asyncio.run(all_of_them()) == [True] * 8
    assert len([name for name in mem.list() if "/notes/" in name]) == 8


@proves("X.4", "S0.51")
def test_a_note_is_read_by_any_name_that_was_shown_and_the_list_is_in_order(mem: Mem) -> None:
    mem.remember("Needs Redis.", "Running the tests")
    mem.remember("For all.", "Only mine", scope="user")
    mem.write("scratchpad", "- [ ] x")
    tools = Tools(mem)
    for given, said in (
        ({"target": "note", "name": "Running the tests"}, "Needs Redis."),
        ({"target": "Running the tests"}, "Needs Redis."),
        ({"target": "running-the-tests.md"}, "Needs Redis."),
        ({"target": "note", "name": "only-mine"}, "For all."),
        ({"target": "Scratchpad"}, "- [ ] x"),
        ({"target": "note", "name": "runn"}, "(empty)"),
    ):
        answer = tools.call("memory_read", given)
        assert (answer.error, said in answer.text) == (False, True), answer.text
    assert tools.call("memory_read", {"target": "no such thing"}).error
    listed = tools.call("memory_read", {"target": "list"}).text.splitlines()
    assert listed == sorted(listed)


def test_what_is_recalled_of_a_memory_md_is_without_its_comments(mem: Mem) -> None:
    mem.update_section("Machine", "- The laptop has 16 GB.")
    said = Tools(mem).call("recall", {"query": "laptop"}).text
    assert "## Machine\n  - The laptop has 16 GB." in said
    assert "!--" not in said
