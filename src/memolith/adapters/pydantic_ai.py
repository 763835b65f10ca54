"""pydantic-ai on memolith: `pip install '.[pydantic-ai]'`.

>>> from memolith.adapters.pydantic_ai import MemolithToolset
>>> agent = Agent(model, toolsets=[MemolithToolset(mem)])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai import ModelRetry
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.toolsets.abstract import ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from memolith import Tools, append_memory_block

if TYPE_CHECKING:
    from memolith import Mem
    from memolith.edges.mcp.tools import Permit

_ARGUMENTS = SchemaValidator(core_schema.dict_schema(core_schema.str_schema()))


class MemolithToolset(AbstractToolset):  # type: ignore[misc,type-arg,unused-ignore]
    """Memory as tools, with instructions for them and the block, recomputed at each run.

    `read_only` is for sub-agents. `permit` is asked before each call. With `ask_before_changes`, calls that
    rewrite or delete text need pydantic-ai's approval (a deferred tool request).
    """

    def __init__(
        self,
        mem: Mem | None,
        *,
        read_only: bool = False,
        permit: Permit | None = None,
        ask_before_changes: bool = False,
        inject: bool = True,
        id: str = "memolith",  # noqa: A002 - the framework's own name for it
    ) -> None:
        self._mem, self._id, self._inject, self._ask = mem, id, inject, ask_before_changes
        self._tools = Tools(mem, read_only=read_only, permit=permit)

    @property
    def id(self) -> str:
        """The toolset's name within an agent."""
        return self._id

    async def get_instructions(self, ctx: Any) -> str | None:  # noqa: ARG002 - the framework's signature
        """Return how to use the tools, and the block."""
        block = self._mem.context_block() if self._mem is not None and self._inject else None
        return append_memory_block(self._tools.instructions, block) or None

    async def get_tools(self, ctx: Any) -> dict[str, Any]:  # noqa: ARG002 - the framework's signature
        """Return the tools; none while memory is switched off."""
        return {
            tool.name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=tool.name,
                    description=tool.description,
                    parameters_json_schema=tool.schema,
                    strict=False,  # optional arguments are optional
                    kind="unapproved" if self._ask and tool.needs_approval else "function",
                    metadata={"memolith": tool.kind},
                ),
                max_retries=2,
                args_validator=_ARGUMENTS,
            )
            for tool in self._tools
        }

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:  # noqa: ARG002
        """Call a tool; a model that called it wrongly gets the error and may retry."""
        answer = await self._tools.acall(name, tool_args)
        if answer.error and not answer.data.get("denied"):
            raise ModelRetry(answer.text)
        return answer.text
