"""The OpenAI Agents SDK on memolith: `pip install '.[openai-agents]'`.

>>> from memolith.adapters.openai_agents import MemolithSession, instructions, tools
>>> agent = Agent("helper", instructions=instructions(mem, "You help."), tools=tools(mem))
>>> await Runner.run(agent, "…", session=MemolithSession(mem, "chat-7"))
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from agents import FunctionTool
from agents.memory import SessionABC

from memolith import Tools, append_memory_block
from memolith.adapters.values import Conversation
from memolith.hosts.sessions.transcript import Transcript, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith import Mem, Tool
    from memolith.edges.mcp.tools import Permit
    from memolith.memory.sessions import Stored


class MemolithSession(SessionABC):  # type: ignore[misc,unused-ignore]
    """A conversation that any process can continue by its id."""

    session_settings: Any = None

    def __init__(self, mem: Mem, session_id: str, *, session_settings: Any = None) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._mem, self._kept = mem, Conversation(mem, session_id)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the conversation, or its newest `limit` items, oldest first."""
        if limit is None:
            limit = getattr(self.session_settings, "limit", None)
        return await asyncio.to_thread(self._kept.items, limit)

    async def add_items(self, items: list[Any]) -> None:
        """Add to the conversation; it is on disk when this returns."""
        await asyncio.to_thread(self._kept.add, items)

    async def pop_item(self) -> Any:
        """Remove and return the newest item."""
        return await asyncio.to_thread(self._kept.pop)

    async def clear_session(self) -> None:
        """Remove all items; `memolith undo` restores them."""
        await asyncio.to_thread(self._kept.clear)

    def end(self) -> Stored:
        """Store the conversation as a finished session, which is recalled and learned from."""
        into = Transcript("openai-agents", "")
        for item in self._kept.items():
            kind = item.get("type", "message")
            if kind == "message" and item.get("role") in ("user", "assistant"):
                into.heed(item.get("content"))
                into.say(item["role"], plain(item.get("content")))
            elif kind == "function_call":
                into.call(item.get("call_id"), item.get("name"), item.get("arguments"))
            elif kind == "function_call_output":
                into.result(item.get("call_id"), plain(item.get("output")), ok=True)
            elif kind != "reasoning":
                into.fetched(str(kind))  # of the provider itself, or of an application: anybody's words
        return self._mem.sessions.add(into.session(self._kept.name))


def instructions(mem: Mem, text: str = "", *, read_only: bool = False) -> Callable[[Any, Any], str]:
    """Return instructions for an agent: `text`, how to use memory, and the block, recomputed at each run."""

    def text_with_memory(_context: Any, _agent: Any) -> str:
        usage = Tools(mem, read_only=read_only).instructions
        return append_memory_block("\n\n".join(filter(None, [text, usage])), mem.context_block())

    return text_with_memory


def tools(
    mem: Mem | None,
    *,
    read_only: bool = False,
    permit: Permit | None = None,
    ask_before_changes: bool = False,
) -> list[Any]:
    """Return memory as function tools; `read_only` is for sub-agents.

    With `ask_before_changes`, the run stops for a person's approval before a tool rewrites or deletes
    existing text; tools that only add a fact (`remember`, `record`) need none.
    """
    box = Tools(mem, read_only=read_only, permit=permit)
    return [_function(box, tool, ask=ask_before_changes and tool.needs_approval) for tool in box]


def _function(box: Tools, tool: Tool, *, ask: bool) -> Any:
    async def invoke(_context: Any, arguments: str) -> str:
        try:
            parsed = json.loads(arguments or "{}")
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict):
            return f"{tool.name} takes a JSON object; nothing was done"
        return (await box.acall(tool.name, parsed)).text

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.schema,
        on_invoke_tool=invoke,
        strict_json_schema=False,  # optional arguments are optional
        needs_approval=ask,
    )
