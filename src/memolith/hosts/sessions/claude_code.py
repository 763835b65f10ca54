"""Claude Code: `~/.claude/projects/<slug>/<session>.jsonl`; sub-agents are sidechains, or have own files."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from memolith.hosts.sessions.calls import Record, fields
from memolith.hosts.sessions.files import UNREAD, JsonLines, records, stem
from memolith.hosts.sessions.transcript import (
    Transcript,
    has_words,
    is_anothers,
    listed,
    plain,
    texts,
)
from memolith.learn.extract import strip
from memolith.prompt.guidance import MEMORY_TOOLS_PROMPT
from memolith.text.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.memory.sessions import Session

# What the program itself put where a prompt would be.
_NOT_TYPED = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "teamName", "agentName")
# What a row says of who sent a prompt; `sdk` is a program, or a window of one in which a person types.
_SENT = {
    "kind": ("human",),
    "turnOrigin": ("human", "user", "sdk"),
    "promptSource": ("typed", "queued", "clipboard", "user", "sdk"),
}
_SENDER = ("origin", "turnOrigin", "promptSource", "sourceToolAssistantUUID", "sourceToolUseID", "agentId")
# How people start it; of what else starts it, prompts are a program's.
_TYPED_AT = ("", "cli", "claude-vscode", "claude-desktop", "vscode", "jetbrains")
# What it reminds of. A command's author may begin as those do, so behind a command they are not its own.
_OWN_NOTES = lazy(
    r"(?s)\s*<system-reminder>\s*(?:Your todo list|This is a reminder that your todo list|The TodoWrite tool"
    r"|The task tools|Plan mode|As you answer the user's questions|The following skills)"
    r"(?:(?!</system-reminder>).)*</system-reminder>\s*"
)
_COMMAND = "<command-name>"
_SERVER = "a server's command"
_OF_SERVER = lazy(r"<command-name>/?(?:mcp__[^<\n]*|[^<\n]*\(MCP\)\s*)</command-name>")
# What it notes for itself, and about itself.
_QUIET_SUBTYPES = (
    *("local_command", "compact_boundary", "microcompact_boundary", "api_error", "api_refusal", "error"),
    *("turn_duration", "away_summary", "informational", "session_start", "model_refusal_fallback"),
    *("bridge_status", "api_metrics", "memory_saved", "agents_killed", "file_snapshot", "init"),
)
_OF_FILES = (
    *("file", "directory", "edited_text_file", "compact_file_reference", "already_read_file"),
    *("opened_file_in_ide", "selected_lines_in_ide", "diagnostics", "nested_memory", "instructions"),
)
_OWN_ATTACHMENTS = frozenset(
    [
        *_OF_FILES,
        *("todo", "todo_reminder", "task_reminder", "plan_mode", "plan_mode_exit", "plan_mode_reentry"),
        *("plan_file_reference", "hook_cancelled"),
        *("date_change", "output_style", "command_permissions", "critical_system_reminder"),
        *("deferred_tools_delta", "skill_listing", "token_usage", "output_token_usage"),
        *("agent_listing_delta", "prompt_snapshot", "environment", "model", "date", "auto_mode"),
        "remote_session_change",
    ]
)
_PATHS = ("filename", "uri", "path", "filePath", "displayPath", "planFilePath")
_REJECTED = "User rejected tool use"
_REJECTS = f"Error: {strip.REFUSAL} The tool use was rejected"
_SILENT = ("Edit", "MultiEdit", "NotebookEdit", "Write", "ExitPlanMode")  # their errors are the program's own


class ClaudeCode(JsonLines):
    """Each block of an answer is a record of its own; those with one `message.id` are one turn."""

    name = "claude"
    quiet = frozenset(
        [
            *("summary", "queue-operation", "progress", "file-history-snapshot", "file-history-delta"),
            *("last-prompt", "custom-title", "ai-title", "agent-name", "tag", "mode", "permission-mode"),
            *("pr-link", "frame-link", "worktree-state", "relocated", "cost-state", "attribution-snapshot"),
            *("bridge-session", "api-request", "api-request-blob", "api-request-shape", "tools-used"),
            *("agent-color", "agent-setting", "task-summary", "atis-latch"),
        ]
    )
    patterns = (
        "projects/*/*.jsonl",
        "projects/*/*/subagents/*.jsonl",
    )

    def begin(self, path: str) -> Transcript:  # noqa: D102
        folder, name = os.path.split(path)
        into = Transcript(self.name, path, side=name.startswith("agent-"))
        if into.side:
            into.know(source="subagent")
            if os.path.basename(folder) == "subagents":
                into.know(id=f"{os.path.basename(os.path.dirname(folder))}.{stem(path)}")
        return into

    def read(self, path: str) -> Iterator[Session]:
        """Yield the session of a file, then what sub-agents did in it: older versions have one file."""
        yield from super().read(path)
        if self.begin(path).side:
            return
        beside = Transcript(self.name, path, side=True)
        beside.know(source="subagent", id=f"{stem(path)}.sidechain")
        for row in records(path):
            if row is UNREAD:
                beside.fetched("")
            elif row.get("isSidechain"):
                self.take(row, beside)
        if beside.turns:
            yield beside.session(stem(path))

    def take(self, row: Record, into: Transcript) -> bool:  # noqa: D102
        kind = row.get("type")
        attached = fields(row.get("attachment"))
        if kind == "attachment":
            into.know(cwd=row.get("cwd"))
            _attach(attached, into)
        if kind == "system":
            if row.get("subtype") != "stop_hook_summary":
                return row.get("subtype") in (None, *_QUIET_SUBTYPES)
            said = [plain(each) for key, each in row.items() if key.startswith("hookAdditional")]
            into.pass_over([each for each in said if not strip.is_memory(each)])
            return True
        if kind not in ("user", "assistant") or bool(row.get("isSidechain")) != into.side:
            return kind in ("user", "assistant", "attachment")
        into.know(cwd=row.get("cwd"), started=row.get("timestamp"))
        if not into.side:  # a program may go on with a person's session, and a person with a program's
            into.typed = _is_typed(row)
            is_persons = into.typed or into.known.get("source") == "interactive"
            into.known["source"] = "interactive" if is_persons else "automation"
        message = fields(row.get("message"))
        if kind == "user":
            self._prompt(row, message, into)
        elif message.get("model") != "<synthetic>":
            self._answer(row, message, into)
        return True

    def _prompt(self, row: Record, message: Record, into: Transcript) -> None:
        content, time = message.get("content"), row.get("timestamp")
        # Said by the program beside the result: a result itself may say anything.
        results = [block for block in listed(content) if block.get("type") == "tool_result"]
        told = row.get("toolUseResult")
        denied = row.get("toolDenialKind") == "user-rejected" or told == _REJECTED
        if str(told).startswith(_REJECTS) and results:  # before 2.1, where only what cannot print is believed
            denied = denied or into.awaited(results[0].get("tool_use_id")) in _SILENT
        denied = denied and len(results) == 1  # of several, nobody says which
        for block in results:
            ok, text = not block.get("is_error"), plain(block.get("content"))
            into.result(block.get("tool_use_id"), text, ok=ok, denied=denied and not ok, time=time)
        texts = _texts(content)
        into.heed(content)
        if _is_put_there(row, into):
            # A summary is of what was said before in the file; any other text may be a stranger's.
            summed = row.get("isCompactSummary") and into.turns
            if not summed and not all(_is_note(each, into) for each in texts):
                into.fetched("prompt")
            return
        if texts and into.known.get("command") == _SERVER:
            into.fetched("prompt")  # what the server's prompt says
            into.known["command"] = _COMMAND
            return
        if texts:
            is_servers = any(map(_OF_SERVER.search, texts))
            is_any = any(_COMMAND in each for each in texts)
            into.known["command"] = _SERVER if is_servers else _COMMAND if is_any else ""
        into.ask(texts, time)

    def _answer(self, row: Record, message: Record, into: Transcript) -> None:
        content, key = message.get("content"), str(message.get("id") or "")
        if into.known.get("command") == _SERVER:
            into.known["command"] = _COMMAND  # its text would have come before
        into.look_up(message.get("usage"))
        for block in listed(content):
            if block.get("type") not in ("text", "tool_use", "thinking", "redacted_thinking"):
                into.fetched(str(block.get("name")))  # of the provider itself: its result is not kept
            elif block.get("type") == "text":
                into.look_up(block)
        for text in _texts(content):
            into.say("assistant", text, row.get("timestamp"), key)
        for block in listed(content):
            if block.get("type") == "tool_use":
                into.call(block.get("id"), block.get("name"), block.get("input"))


def _attach(attached: Record, into: Transcript) -> None:
    """Note what an attachment brings: a file's text is whose the file is."""
    if not _is_own(attached):
        into.fetched("attachment")
    inside, found = fields(fields(attached.get("content")).get("file")), False
    for about in (attached, inside, *listed(attached.get("files"))):
        named = {key: str(about[key]).removeprefix("file://") for key in _PATHS if about.get(key)}
        if short := named.pop("displayPath", ""):
            into.fetched("read", short)
        found = found or bool(named)
        for path in named.values():
            into.shown(path)
    if not found and attached.get("type") in _OF_FILES:
        into.fetched("attachment")


def _is_own(attached: Record) -> bool:
    """Whether an attachment brings nobody's words: what a hook says may be anybody's, but for our own."""
    if attached.get("type") in ("hook_additional_context", "hook_success"):
        said = [*texts(attached.get("content")), *_said(plain(attached.get("stdout")))]
        return all(strip.is_memory(each) for each in said if each.strip())
    if attached.get("type") == "mcp_instructions_delta":  # of a server: anybody's, but for our own
        told = (plain(each).partition("\n")[2] for each in attached.get("addedBlocks") or [""])
        return all(each.strip() == MEMORY_TOOLS_PROMPT.strip() for each in told)
    if attached.get("type") == "session_context":  # as `git status` and `git log` print it
        return set(fields(attached.get("context"))) <= {"gitStatus"}
    return str(attached.get("type")) in _OWN_ATTACHMENTS


def _said(printed: str) -> list[str]:
    """Return what a hook tells the agent by what it prints: that, or whatever is in it as JSON."""
    try:
        answer = fields(json.loads(printed))
    except (ValueError, RecursionError):
        return [printed]
    told = {**fields(answer.pop("hookSpecificOutput", None)), **answer}
    told.pop("systemMessage", None)  # for the person only
    context = plain(told.pop("additionalContext", None))
    return [context, json.dumps(told)] if has_words(told) else [context]


def _is_put_there(row: Record, into: Transcript) -> bool:
    """Whether no person typed a prompt: whatever a person's says of where it comes from says that.

    Where a version says it of one prompt, it does of each but its own commands.
    """
    if any(row.get(key) for key in _NOT_TYPED) or is_anothers(row, _SENDER):
        return True
    if fields(row.get("message")).get("role", "user") != "user" or row.get("sessionKind"):
        return True
    version, said = str(row.get("version") or ""), _senders(row)
    if said:
        into.known["says who typed"] = version
    elif version and into.known.get("says who typed") == version:
        return _COMMAND not in plain(fields(row.get("message")).get("content"))
    return any(each not in _SENT[key] for key, each in said.items())


def _senders(row: Record) -> Record:
    """Return what a row says of who sent it, in each of three fields that do."""
    origin = row.get("origin")
    said = {key: row.get(key) for key in _SENT} | {"kind": fields(origin).get("kind") or origin}
    return {key: each for key, each in said.items() if each}


def _is_typed(row: Record) -> bool:
    """Whether a person typed into the program, as far as a row says."""
    said = _senders(row)
    is_program = said.get("turnOrigin", said.get("promptSource")) == "sdk" and said.get("kind") != "human"
    return (row.get("entrypoint") or "") in _TYPED_AT and not is_program


def _is_note(text: str, into: Transcript) -> bool:
    return into.note([text]) or bool(not into.known.get("command") and _OWN_NOTES.fullmatch(text))


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [plain(block) for block in listed(content) if block.get("type") == "text"]
