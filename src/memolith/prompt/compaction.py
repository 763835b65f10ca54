"""Helpers for a host that compacts its sessions: save the summary, count the block, append it."""

from __future__ import annotations

from memolith.base.errors import MemolithError
from memolith.base.values import MAX_WRITE_BYTES
from memolith.memory.writing import append_daily
from memolith.text.budget import estimate_tokens
from memolith.text.secrets.veil import in_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.memory.home import Home

SEPARATOR = "\n\n---\n\n"
_HEADING = 256  # bytes for the heading of an entry, and a label


def compaction_heading(count: int | None = None) -> str:
    """Return the heading of a summary in the daily log."""
    return "compaction summary" if count is None else f"compaction summary ({count} msgs)"


def flush_compaction_summary(mem: Home, summary: str, count: int | None = None) -> bool:
    """Write a summary to today's log before the session is compacted.

    A host whose session fetched something passes `mem.from_source("extracted", "web")`: then the summary
    waits for a person. A failure is logged and returned as False; it never stops the compaction.
    """
    try:
        # The summary may have any length: its beginning is better than an error.
        kept = in_bytes(summary, MAX_WRITE_BYTES - _HEADING) if isinstance(summary, str) else summary
        writer = mem.from_source("extracted", "agent") if mem.source.trusted else mem
        append_daily(writer, compaction_heading(count), kept)
    except (MemolithError, OSError) as error:
        import logging

        logging.getLogger("memolith").warning("the compaction summary was not kept: %s", error)
        return False
    return True


def effective_reserve(base: int, memory_block: str | None) -> int:
    """Return the tokens to reserve if the block is not part of the session's own count."""
    return base + (estimate_tokens(memory_block) if memory_block else 0)


def append_memory_block(preamble: str, memory: str | None) -> str:
    """Append the block to a system prompt; without a block the prompt stays byte-identical."""
    return f"{preamble}{SEPARATOR}{memory}" if memory else preamble
