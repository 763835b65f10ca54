"""The agents whose sessions can be read, one file each, all with the same methods.

`places(env, home)` says where the sessions of this machine are, `changed(path)` when one was last changed,
`head(path)` what it is about without reading all of it, `read(path)` gives it. A place is the path of a file,
with `#session` where a file holds many. `files` and `transcript` have what readers share, `gather` stores.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memolith.hosts.sessions.aider import FILE, Aider
from memolith.hosts.sessions.claude_code import ClaudeCode
from memolith.hosts.sessions.cline import Cline
from memolith.hosts.sessions.codex import Codex
from memolith.hosts.sessions.copilot import Copilot
from memolith.hosts.sessions.droid import Droid
from memolith.hosts.sessions.files import Agent, records
from memolith.hosts.sessions.gemini import Gemini
from memolith.hosts.sessions.generic import Cursor, Generic, Pi
from memolith.hosts.sessions.opencode import OpenCode
from memolith.hosts.sessions.qwen import Qwen

if TYPE_CHECKING:
    from memolith.hosts.sessions.calls import Record


__all__ = ["AGENTS", "Agent", "guess"]

AGENTS: dict[str, Agent] = {
    each.name: each
    for each in (
        ClaudeCode(),
        Codex(),
        Gemini(),
        Qwen(),
        Copilot(),
        Droid(),
        Cline(),
        OpenCode(),
        Pi("pi"),
        Pi("omp"),
        Cursor(),
        Aider(),
        Generic(),
    )
}
_LOOKED_AT = 50  # records


def guess(path: str) -> Agent:
    """Return the agent whose file this seems to be, by its name and its first records."""
    file = path.partition("#")[0]
    name = os.path.basename(file)
    if name == FILE:
        return AGENTS["aider"]
    if name.endswith(".messages.json"):
        return AGENTS["cline"]
    if name.endswith(".db"):
        return AGENTS["opencode"]
    if f"{os.sep}.omp{os.sep}" in file:
        return AGENTS["omp"]
    if f"{os.sep}agent-transcripts{os.sep}" in file:
        return AGENTS["cursor"]
    if f"{os.sep}chats{os.sep}" in file and name.endswith(".json"):
        return AGENTS["gemini"]
    for count, row in enumerate(records(file)):
        if found := _by_record(row):
            return AGENTS[found]
        if count > _LOOKED_AT:
            break
    return AGENTS["generic"]


def _by_record(row: Record) -> str:
    kind = row.get("type")
    if "sessionId" in row and "projectHash" in row:
        return "gemini"
    if "sessionId" in row and "provenance" in row:
        return "qwen"
    if "payload" in row or row.get("record_type") == "state" or kind in ("function_call", "reasoning"):
        return "codex"
    if kind == "session_start":
        return "droid"
    if kind == "message" and "content" in row:
        return "codex"
    if kind == "session" or (kind == "message" and "message" in row):
        return "pi"
    if isinstance(kind, str) and kind.startswith(("session.", "user.", "assistant.", "tool.")):
        return "copilot"
    return "claude" if "sessionId" in row or "parentUuid" in row else ""
