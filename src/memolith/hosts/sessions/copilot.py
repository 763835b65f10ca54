"""GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`."""

from __future__ import annotations

import os

from memolith.hosts.sessions.files import JsonLines, stem
from memolith.hosts.sessions.transcript import Record, Transcript, fields, listed, plain
from memolith.text.patterns import lazy

_TYPED = (None, "", "user")  # where a message comes from that a person typed
_FILES = ("file", "directory", "selection")  # of this machine
# A command that fails is a success of the tool.
_EXITED = lazy(r"completed with exit code (-?\d+)>\s*$")


class Copilot(JsonLines):
    """`content` is what was typed; `transformedContent` has what was put around it."""

    name = "copilot"
    patterns = ("session-state/*/events.jsonl",)

    def begin(self, path: str) -> Transcript:  # noqa: D102
        into = Transcript(self.name, path)
        if stem(path) == "events":
            into.know(id=os.path.basename(os.path.dirname(path)))
        return into

    def take(self, row: Record, into: Transcript) -> None:  # noqa: D102
        kind, data, time = row.get("type"), fields(row.get("data")), row.get("timestamp")
        if kind == "session.start":
            into.know(started=data.get("startTime"), cwd=fields(data.get("context")).get("cwd"))
        elif kind == "hook.start" and data.get("hookType") == "userPromptSubmitted":
            into.known["prompted"] = plain(fields(data.get("input")).get("prompt"))
        elif kind == "user.message" and not _is_typed(data, into):
            into.fetched("prompt")  # of a skill or another agent
        elif kind == "user.message":
            for each in listed(data.get("attachments")):
                is_file = each.get("type") in _FILES
                into.fetched(
                    "read" if is_file else "attachment", str(each.get("path") or each.get("filePath"))
                )
            into.say("user", plain(data.get("content")), time)
        elif kind == "assistant.message":
            into.say("assistant", plain(data.get("content")), time, str(data.get("messageId") or ""))
        elif kind == "tool.execution_start":
            server, tool = data.get("mcpServerName"), data.get("toolName")
            into.call(data.get("toolCallId"), f"{server}__{tool}" if server else tool, data.get("arguments"))
        elif kind == "tool.execution_complete":
            text = plain(fields(data.get("result")).get("content"))
            text = text or plain(fields(data.get("error")).get("message"))
            exited = _EXITED.search(text[-200:])
            ok = data.get("success") is not False and (exited is None or int(exited[1]) == 0)
            into.result(data.get("toolCallId"), text, ok=ok, time=time, tool=data.get("toolName"))


def _is_typed(data: Record, into: Transcript) -> bool:
    """Whether a person typed a message, and no skill or agent sent it.

    Every message names a task since 1.0.102. A person's is that of the session's first message, or was told
    to a hook as typed.
    """
    task = data.get("parentAgentTaskId")
    if data.get("source") not in _TYPED or not task:
        return data.get("source") in _TYPED
    if not into.turns and data.get("delivery"):
        into.know(task=task)
    typed = plain(data.get("content"))
    return task == into.known.get("task") or bool(typed and typed == into.known.get("prompted"))
