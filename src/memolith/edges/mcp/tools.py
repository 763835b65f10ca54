"""The memory tools, for any host: what there is, when a person should be asked, and one way to call them.

The MCP server and every framework adapter go through here, so that a rule which holds for one holds for all:
a sub-agent gets no tool that writes, a host's `permit` is asked before anything happens, and while memory is
switched off there are no tools and no word about them.
"""

from __future__ import annotations

from memolith.base.errors import ConfigError, InputError
from memolith.edges.mcp import offers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping
    from typing import Any

    from memolith.base.values import Answer, Tool
    from memolith.env.settings import Settings
    from memolith.mem import Mem

    # True lets a call through; False, or the reason as a text, denies it.
    Verdict = bool | str
    Permit = Callable[[Tool, dict[str, object]], Verdict | Awaitable[Verdict]]


class Tools:
    """The tools of one memory; `None` in place of a memory is a memory that is switched off.

    `read_only` is for sub-agents. `permit(tool, arguments)` is asked before every call.
    """

    def __init__(
        self,
        mem: Mem | Callable[[], Mem] | None,
        *,
        read_only: bool = False,
        permit: Permit | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._mem, self._read_only, self._permit, self._settings = mem, read_only, permit, settings

    @property
    def enabled(self) -> bool:
        """Whether there is a memory, and it is switched on (the setting `enabled`)."""
        settings = self._settings
        if self._mem is None or (settings is None and callable(self._mem)):
            return self._mem is not None
        settings = settings or self._open().settings
        settings.reload()  # a person may have switched it since
        try:
            return settings.flag("enabled")
        except ConfigError:
            return True  # whoever calls a tool is told what is wrong with the file

    @property
    def offers(self) -> tuple[dict[str, object], ...]:
        """The tools as the Model Context Protocol writes them."""
        return offers.tools(read_only=self._read_only) if self.enabled else ()

    @property
    def instructions(self) -> str:
        """What an agent is told about its memory; empty while that is switched off."""
        return offers.instructions(read_only=self._read_only) if self.enabled else ""

    def __iter__(self) -> Iterator[Tool]:
        return map(_tool, self.offers)

    def call(self, name: str, arguments: Mapping[str, object] | None = None) -> Answer:
        """Call a tool. What is wrong with the call, or denied, is an answer that says so."""
        offer = self._offer(name)
        if self._permit is not None and offer is not None:
            verdict = self._permit(_tool(offer), dict(arguments or {}))
            if not isinstance(verdict, (bool, str)):
                if callable(close := getattr(verdict, "close", None)):
                    close()  # nobody will wait for it
                raise InputError("permit answers later (it is async); use `await tools.acall(…)`")
            if refusal := denied(name, verdict):
                return _failed(refusal, denied=True)
        return self._run(name, offer, arguments)

    async def acall(self, name: str, arguments: Mapping[str, object] | None = None) -> Answer:
        """Call a tool from an event loop, which goes on meanwhile; `permit` may be async here."""
        import asyncio

        offer = self._offer(name)
        if self._permit is not None and offer is not None:
            verdict = self._permit(_tool(offer), dict(arguments or {}))
            if not isinstance(verdict, (bool, str)):
                verdict = await verdict
            if refusal := denied(name, verdict):
                return _failed(refusal, denied=True)
        return await asyncio.to_thread(self._run, name, offer, arguments)

    def raw(self, offer: dict[str, object], arguments: dict[str, object]) -> dict[str, object]:
        """Call one of the `offers`; the result is that of the Model Context Protocol."""
        from memolith.edges.mcp.handlers import call

        return call(self._open, offer, arguments)

    def _offer(self, name: str) -> dict[str, object] | None:
        return next((each for each in self.offers if each["name"] == name), None)

    def _run(
        self, name: str, offer: dict[str, object] | None, arguments: Mapping[str, object] | None
    ) -> Answer:
        if offer is None:
            there = ", ".join(tool.name for tool in self) or "none: memory is switched off"
            return _failed(f"there is no tool {str(name)[:80]!r} here; one of {there}")
        done: Any = self.raw(offer, dict(arguments or {}))
        text = "\n".join(part["text"] for part in done["content"])
        from memolith.base.values import Answer

        return Answer(text=text, data=done.get("structuredContent", {}), error=done["isError"])

    def _open(self) -> Mem:
        if self._mem is None:
            raise InputError("memory is switched off")
        return self._mem() if callable(self._mem) else self._mem


def _tool(offer: dict[str, Any]) -> Tool:
    from memolith.base.values import (
        Tool,  # the list of tools is asked for before anything else: it must be quick
    )

    hints = offer["annotations"]
    kind = "read" if hints["readOnlyHint"] else "change" if hints["destructiveHint"] else "add"
    return Tool(name=offer["name"], description=offer["description"], schema=offer["inputSchema"], kind=kind)


def denied(name: str, verdict: object) -> str:
    """Return why a call is refused; nothing if it may be made."""
    if verdict is True:
        return ""
    reason = f": {verdict}" if isinstance(verdict, str) and verdict else ""
    return f"{name} was denied{reason}; nothing was done"


def _failed(text: str, **data: object) -> Answer:
    from memolith.base.values import Answer

    return Answer(text=text, data=data, error=True)
