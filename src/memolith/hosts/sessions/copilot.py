"""GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`."""

from __future__ import annotations

import os

from memolith.hosts.sessions.calls import Record, fields
from memolith.hosts.sessions.files import JsonLines, stem
from memolith.hosts.sessions.transcript import Transcript, is_anothers, listed, plain
from memolith.learn.extract import strip
from memolith.text.patterns import lazy

_TYPED = (None, "", "user")  # where a message comes from that a person typed
_ABOUT = ("source", "parentAgentTaskId", "agentMode")
_SENT = ("inputOrigin", "inputIntegrity")  # said of what another session sent
_FILES = ("file", "directory")  # of this machine
# What is said in an answer, or asked of tools, or only thought.
_OWN = (
    *("content", "toolRequests", "reasoningText", "reasoningOpaque", "encryptedContent", "model"),
    *("parentToolCallId", "messageId", "interactionId", "turnId", "phase"),
)
# A command that fails is a success of the tool.
_EXITED = lazy(r"completed with exit code (-?\d+)>\s*$")


class Copilot(JsonLines):
    """`content` is what was typed; `transformedContent` has what was put around it."""

    name = "copilot"
    quiet = frozenset(
        f"{about}.{each}"
        for about, events in (
            ("session", "info warning error title_changed model_change mode_changed shutdown truncation"),
            ("session", "compaction_start snapshot_rewind task_complete tools_updated usage_info"),
            ("session", "context_changed permissions_changed mcp_servers_loaded"),
            ("assistant", "turn_start turn_end intent reasoning usage"),
            ("permission", "requested completed"),
            ("user_input", "requested completed"),
            ("tool", "execution_partial_result execution_progress"),
            ("hook", "start"),
        )
        for each in events.split()
    )
    patterns = ("session-state/*/events.jsonl",)

    def begin(self, path: str) -> Transcript:  # noqa: D102
        into = Transcript(self.name, path)
        if stem(path) == "events":
            into.know(id=os.path.basename(os.path.dirname(path)))
        return into

    def take(self, row: Record, into: Transcript) -> bool:  # noqa: D102
        kind, data, time = row.get("type"), fields(row.get("data")), row.get("timestamp")
        if kind in ("session.start", "session.resume"):
            into.know(started=data.get("startTime"), cwd=fields(data.get("context")).get("cwd"))
        elif kind == "session.compaction_complete":
            into.sum_up(data)
        elif kind == "hook.end":
            said = fields(data.get("output"))
            context = plain(said.pop("additionalContext", None))
            into.pass_over([said, "" if strip.is_memory(context) else context])
        elif kind == "hook.start" and data.get("hookType") == "userPromptSubmitted":
            into.known["prompted"] = plain(fields(data.get("input")).get("prompt"))
        elif kind == "user.message" and not _is_typed(data, into):
            into.fetched("prompt")  # of a skill or another agent
        elif kind == "user.message":
            for each in listed(data.get("attachments")):
                _attach(each, into)
            into.say("user", plain(data.get("content")), time)
        elif kind in ("assistant.message", "assistant.server_tool_progress"):
            about = {key: each for key, each in data.items() if key not in _OWN}
            into.look_up({**about, "server_tool": kind != "assistant.message"})
            into.pass_over(about)
            into.say("assistant", plain(data.get("content")), time, str(data.get("messageId") or ""))
        elif kind in ("tool.execution_start", "tool.execution_complete"):
            _tool(kind == "tool.execution_start", data, time, into)
        else:
            return kind == "system.message" and data.get("role") in (None, "system")
        return True


def _attach(each: Record, into: Transcript) -> None:
    path = str(each.get("path") or each.get("filePath"))
    if each.get("type") == "selection":
        into.shown(path)
    else:
        into.fetched("read" if each.get("type") in _FILES else "attachment", path)


def _tool(begins: bool, data: Record, time: object, into: Transcript) -> None:
    if begins:
        server, tool = data.get("mcpServerName") or data.get("mcpToolName"), data.get("toolName")
        into.call(data.get("toolCallId"), f"{server}__{tool}" if server else tool, data.get("arguments"))
        return
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
    if data.get("source") not in _TYPED or any(data.get(key) for key in _SENT) or is_anothers(data, _ABOUT):
        return False
    if not task:
        return True
    if not into.turns and data.get("delivery"):
        into.know(task=task)
    typed = plain(data.get("content"))
    return task == into.known.get("task") or bool(typed and typed == into.known.get("prompted"))
