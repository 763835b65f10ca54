"""The memory tool as the SDK runs it, against its own file-system tool."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anthropic", reason="anthropic is not installed; `./dev frameworks` has it")

from anthropic.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

from memolith import Mem, Tool
from memolith.adapters.anthropic import async_tools, tools
from tests.adapters.test_files import WITH_SAMPLES
from tests.shared import SAMPLES, rows

CALLS: list[dict[str, Any]] = rows("adapters/commands")


def answered(call: Callable[[object], object], given: dict[str, Any]) -> str:
    try:
        return f"result: {call(given)}"
    except ToolError as error:
        return f"error: {error}"
    except NotImplementedError as error:
        return f"exception: {error}"


def sampled() -> list[dict[str, Any]]:
    cases = json.loads((SAMPLES / "memory_tool" / "calls.json").read_text(encoding="utf-8"))["cases"]
    return [case["input"] for case in cases]


@pytest.mark.parametrize("samples", [False, pytest.param(True, marks=WITH_SAMPLES)])
def test_the_same_calls_get_the_same_answers_as_from_the_sdks_own_tool(
    mem: Mem, tmp_path: Path, samples: bool
) -> None:
    (ours,), theirs = tools(mem), BetaLocalFilesystemMemoryTool(str(tmp_path / "theirs"))
    assert ours.to_dict() == theirs.to_dict() == {"type": "memory_20250818", "name": "memory"}
    size = (tmp_path / "theirs" / "memories").stat().st_size
    if size != 4096:
        pytest.skip(f"directories have {size} bytes here; the answers name 4096, as most file systems have")
    for given in sampled() if samples else CALLS:
        assert answered(ours.call, given) == answered(theirs.call, given)


async def _async(mem: Mem, given: dict[str, Any]) -> str:
    (tool,) = async_tools(mem)
    try:
        return f"result: {await tool.call(given)}"
    except ToolError as error:
        return f"error: {error}"


def test_the_async_tool_answers_alike(mem: Mem) -> None:
    assert asyncio.run(_async(mem, CALLS[0])) == "result: File created successfully at: /memories/a.md"
    assert asyncio.run(_async(mem, CALLS[0])) == "error: File /memories/a.md already exists"
    (tool,) = async_tools(mem)
    assert asyncio.run(tool.clear_all_memory()) == "All memory cleared"


def test_the_host_is_asked_and_a_sub_agent_only_views(mem: Mem) -> None:
    asked: list[str] = []

    def permit(tool: Tool, _: dict[str, object]) -> bool:
        asked.append(f"{tool.name} {tool.kind}")
        return not tool.needs_approval

    (tool,) = tools(mem, permit=permit)
    tool.call(CALLS[0])
    with pytest.raises(ToolError, match="denied"):
        tool.call({"command": "delete", "path": "/memories/a.md"})
    assert asked == ["memory.create add", "memory.delete change"]
    (tool,) = tools(mem, read_only=True)
    assert "one" in tool.call({"command": "view", "path": "/memories/a.md"})
    with pytest.raises(ToolError, match="read-only"):
        tool.call({"command": "delete", "path": "/memories/a.md"})


def test_there_is_no_tool_while_memory_is_off(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMOLITH_ENABLED", "off")
    assert tools(mem) == async_tools(mem) == []
