"""Whose session a file is, told by its name and its first records."""

from __future__ import annotations

import os

from memolith.hosts.sessions import aider, read

_LOOKED_AT = 50


def recognise(path: str) -> str:
    """Return the name of an agent; `generic` if nothing speaks for another."""
    file = path.partition("#")[0]
    name = os.path.basename(file)
    if name == aider.FILE:
        return "aider"
    if name.endswith(".db"):
        return "opencode"
    if f"{os.sep}.omp{os.sep}" in file:
        return "omp"
    if f"{os.sep}agent-transcripts{os.sep}" in file:
        return "cursor"
    if f"{os.sep}chats{os.sep}" in file and name.endswith(".json"):
        return "gemini"
    for count, (_, row) in enumerate(read.records(file)):
        if found := _by_record(row):
            return found
        if count > _LOOKED_AT:
            break
    return "generic"


def _by_record(row: read.Record) -> str:
    kind = row.get("type")
    if "sessionId" in row and "projectHash" in row:
        return "gemini"
    if "payload" in row or row.get("record_type") == "state" or kind in ("function_call", "reasoning"):
        return "codex"
    if kind == "message" and "content" in row:
        return "codex"
    if kind == "session" or (kind == "message" and "message" in row):
        return "pi"
    if isinstance(kind, str) and kind.startswith(("session.", "user.", "assistant.", "tool.")):
        return "copilot"
    return "claude" if "sessionId" in row or "parentUuid" in row else ""
