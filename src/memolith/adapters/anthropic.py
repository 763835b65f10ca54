"""Anthropic's memory tool (`memory_20250818`) on memolith: `pip install '.[anthropic]'`.

>>> from memolith.adapters.anthropic import tools
>>> client.beta.messages.run_tools(tools=tools(mem), …)
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from anthropic.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool

from memolith import MemolithError, Tool, Tools
from memolith.adapters.files import Memories
from memolith.edges.mcp.handlers import message
from memolith.edges.mcp.tools import denied

if TYPE_CHECKING:
    from memolith import Mem
    from memolith.edges.mcp.tools import Permit

_READS = ("view",)
_ADDS = ("create",)


class _Calls:
    """What both kinds of tool share: ask the host, and report errors to the model."""

    def __init__(self, mem: Mem, *, permit: Permit | None, read_only: bool) -> None:
        self._mem, self.files, self._permit = mem, Memories(mem), permit
        self._read_only = read_only

    def ask(self, name: str, arguments: dict[str, object]) -> Any:
        """Return the host's verdict, or an awaitable of it; True if there is no `permit`."""
        if self._read_only and name not in _READS:
            return "this memory is read-only here"
        if self._permit is None:
            return True
        kind = "read" if name in _READS else "add" if name in _ADDS else "change"
        tool = Tool(name=f"memory.{name}", description="", kind=kind, schema={})
        return self._permit(tool, dict(arguments))

    def run(self, name: str, arguments: dict[str, object], verdict: object) -> str:
        """Run the command if the verdict allows it."""
        if refusal := denied(name, verdict):
            raise ToolError(refusal)
        try:
            return self.files.run({"command": name, **arguments})
        except (MemolithError, OSError) as error:
            raise ToolError(message(self._mem, str(error))) from error


def _arguments(command: Any) -> dict[str, object]:
    fields: dict[str, object] = command.model_dump(exclude_none=True)
    fields.pop("command", None)
    return fields


class MemoryTool(BetaAbstractMemoryTool):  # type: ignore[misc,unused-ignore]
    """The tool for `client.beta.messages.run_tools`."""

    def __init__(self, calls: _Calls, **options: Any) -> None:
        super().__init__(**options)
        self._calls = calls

    def _run(self, command: Any) -> str:
        arguments = _arguments(command)
        return self._calls.run(command.command, arguments, self._calls.ask(command.command, arguments))

    view = create = str_replace = insert = delete = rename = _run

    def clear_all_memory(self) -> str:
        """Remove all files of the tool; `memolith undo` brings them back."""
        return self._calls.files.clear()


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):  # type: ignore[misc,unused-ignore]
    """The same for an async client; `permit` may be async."""

    def __init__(self, calls: _Calls, **options: Any) -> None:
        super().__init__(**options)
        self._calls = calls

    async def _run(self, command: Any) -> str:
        arguments = _arguments(command)
        verdict = self._calls.ask(command.command, arguments)
        if not isinstance(verdict, (bool, str)):
            verdict = await verdict
        return await asyncio.to_thread(self._calls.run, command.command, arguments, verdict)

    view = create = str_replace = insert = delete = rename = _run

    async def clear_all_memory(self) -> str:
        """Remove all files of the tool; `memolith undo` brings them back."""
        return await asyncio.to_thread(self._calls.files.clear)


def tools(mem: Mem, *, permit: Permit | None = None, read_only: bool = False, **options: Any) -> list[Any]:
    """Return the memory tool of a project, as a list; empty while memory is switched off.

    `permit` is asked before each command; `read_only` is for sub-agents; `options` are those of the SDK.
    """
    calls = _Calls(mem, permit=permit, read_only=read_only)
    return [MemoryTool(calls, **options)] if Tools(mem).enabled else []


def async_tools(
    mem: Mem, *, permit: Permit | None = None, read_only: bool = False, **options: Any
) -> list[Any]:
    """Return the same for an async client; `permit` may be async."""
    calls = _Calls(mem, permit=permit, read_only=read_only)
    return [AsyncMemoryTool(calls, **options)] if Tools(mem).enabled else []
