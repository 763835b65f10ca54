"""An agent of pydantic-ai that runs with a model of ours."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim is not installed; `./dev frameworks` has it")

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from memolith import Mem
from memolith.adapters.pydantic_ai import MemolithToolset
from memolith.edges.mcp import tools
from tests.ledger import proves


class Scripted:
    """Answers as it was told to, and keeps what it was sent."""

    __name__ = "scripted"  # older versions ask for it

    def __init__(self, *answers: Any) -> None:
        self.answers, self.seen = list(answers), []  # type: list[Any], list[Any]

    def __call__(self, messages: list[Any], info: Any) -> Any:
        self.seen.append((messages, info))
        answer = self.answers.pop(0)
        return ModelResponse(parts=[answer if not isinstance(answer, str) else TextPart(answer)])


def agent(script: Scripted, toolset: MemolithToolset, **options: Any) -> Any:
    return Agent(FunctionModel(script), toolsets=[toolset], **options)


def run(agent: Any, *prompt: str, **options: Any) -> Any:
    return asyncio.run(agent.run(*prompt, **options))


def told(messages: list[Any]) -> str:
    return str(messages[-1].parts)


def test_an_agent_has_the_tools_of_the_server_and_the_block(mem: Mem) -> None:
    mem.write("long_term", "- likes tea")
    script = Scripted(ToolCallPart("remember", {"content": "The port is 5433.", "title": "Port"}), "Noted.")
    result = run(agent(script, MemolithToolset(mem)), "The port is 5433.")
    assert result.output == "Noted."
    assert "5433" in mem.read("note", "port")
    info = script.seen[0][1]
    listed = {tool.name: tool.parameters_json_schema for tool in info.function_tools}
    assert listed == {tool["name"]: tool["inputSchema"] for tool in tools.offered(read_only=False)}
    assert "# Memory" in info.instructions
    assert "likes tea" in info.instructions


@proves("S0.71")
def test_a_sub_agent_reads_and_a_denied_call_writes_nothing(mem: Mem) -> None:
    script = Scripted("Hi")
    run(agent(script, MemolithToolset(mem, read_only=True)), "Hello")
    names = {tool.name for tool in script.seen[0][1].function_tools}
    assert names == {"recall", "memory_search", "memory_read"}
    script = Scripted(ToolCallPart("remember", {"content": "x", "title": "T"}), "Denied.")
    run(agent(script, MemolithToolset(mem, permit=lambda *_: "not now")), "Remember x.")
    assert "remember was denied: not now" in told(script.seen[1][0])
    assert mem.list() == []


def test_a_model_that_calls_wrongly_is_told_and_tries_again(mem: Mem) -> None:
    script = Scripted(
        ToolCallPart("remember", {"content": "x"}),
        ToolCallPart("remember", {"content": "x", "title": "T"}),
        "Noted.",
    )
    run(agent(script, MemolithToolset(mem)), "Remember x.")
    assert "remember needs title" in told(script.seen[1][0])
    assert len(mem.list()) == 1


@proves("S1.18")
def test_an_edit_waits_for_approval_and_remember_does_not(mem: Mem) -> None:
    mem.write("long_term", "- likes tea")
    script = Scripted(
        ToolCallPart("remember", {"content": "x", "title": "T"}),
        ToolCallPart("memory_edit", {"target": "long_term", "old_str": "tea", "new_str": "coffee"}, "e"),
        "Done.",
    )
    asking = agent(
        script, MemolithToolset(mem, ask_before_changes=True), output_type=[str, DeferredToolRequests]
    )
    first = run(asking, "Remember x, then edit.")
    assert [call.tool_name for call in first.output.approvals] == ["memory_edit"]
    assert "tea" in mem.read()
    assert mem.read("note", "t").strip().endswith("x")
    approved = DeferredToolResults(approvals={"e": True})
    done = run(asking, message_history=first.all_messages(), deferred_tool_results=approved)
    assert done.output == "Done."
    assert "coffee" in mem.read()


def test_memory_that_is_off_leaves_no_trace_in_a_request(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    mem.write("long_term", "- likes tea")
    monkeypatch.setenv("MEMOLITH_ENABLED", "off")
    for toolset in (MemolithToolset(mem), MemolithToolset(None)):
        script = Scripted("Hi")
        run(agent(script, toolset), "Hello")
        info = script.seen[0][1]
        assert info.function_tools == []
        assert not info.instructions
