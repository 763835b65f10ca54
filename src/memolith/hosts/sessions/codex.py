"""Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`, in today's form and the flat one of 2025.

Every turn is in a rollout twice, as `response_item` and as `event_msg`; only the first is read. What a person
typed has an event of its own; a prompt without one is the program's, but in the flat form, which has none.
"""

from __future__ import annotations

import contextlib
import json

from memolith.hosts.sessions.calls import Record, fields
from memolith.hosts.sessions.files import JsonLines, records
from memolith.hosts.sessions.transcript import Transcript, is_anothers, listed, plain
from memolith.memory.sessions import MODES
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
_WRAPPER = frozenset(["output", "metadata", "content", "success"])  # what it puts around a result
_EXITED = lazy(r"(?:^|\n)(?:Process exited with code|Exit code:) (-?\d+)")
_CWD = lazy(r"<cwd>([^<\n]+)</cwd>|Current working directory: ([^\n]+)")
_OWN_FIELDS = ("internal_chat_message_metadata_passthrough",)
_REQUEST = "##MyrequestforCodex"
_INSTRUCTIONS = ("permissions.instructions", "collaboration_mode.instructions")
_BY_PROGRAM = {"provenance": {"type": "harness", "hook": False}}
_TYPED = (None, "plain")  # kinds of prompts; others are instructions and the like
_TYPED_AT = (None, "cli", "vscode")


class Codex(JsonLines):
    """A rollout's first messages of a user are the program's own."""

    name = "codex"
    patterns = (
        "sessions/**/rollout-*.jsonl",
        "archived_sessions/**/rollout-*.jsonl",
    )

    quiet = frozenset(["event_msg", "world_state", "token_usage_record"])

    def prepare(self, path: str, into: Transcript) -> None:  # noqa: D102
        payloads = (fields(row.get("payload")) for row in records(path) if row.get("type") == "event_msg")
        into.prompts = set(filter(None, map(_squeezed, _prompts(payloads))))

    def take(self, row: Record, into: Transcript) -> bool:  # noqa: D102
        kind, payload = row.get("type"), fields(row.get("payload"))
        if kind == "session_meta":
            into.know(id=payload.get("id"), cwd=payload.get("cwd"), started=payload.get("timestamp"))
            into.know(source=_source(payload.get("source"), payload.get("originator")))
            into.typed = None if into.prompts else False  # a fork's, or another version's
            if (mode := payload.get("memory_mode")) in MODES[1:]:  # a later row may say so, too
                into.known["mode"] = str(mode)
        elif kind == "compacted":
            into.sum_up(payload)
        elif kind == "event_msg" and str(payload.get("type")).startswith("web_search"):
            into.fetched("web_search")
        elif kind == "turn_context":
            into.know(cwd=payload.get("cwd"))
        elif kind == "response_item":
            return self._item(payload, row.get("timestamp"), into)
        elif not payload and "record_type" not in row:  # the flat form
            if kind is None:
                into.know(id=row.get("id"), started=row.get("timestamp"))
            return kind is None or self._item(row, row.get("timestamp"), into)
        else:
            return row.get("record_type") == "state"
        return True

    def _item(self, item: Record, time: object, into: Transcript) -> bool:
        kind, call_id = item.get("type"), item.get("call_id") or item.get("id")
        if kind == "message":
            return self._message(item, time, into)
        if kind in _CALLS:
            arguments = item.get("arguments") or item.get("input") or item.get("action")
            into.call(call_id, _called(item), arguments)
        elif str(kind).endswith("_call"):  # of the provider itself, as `web_search_call`: without a result
            into.fetched(str(kind))
        elif kind in _OUTPUTS:
            text, ok = _output(item.get("output"))
            into.result(call_id, text, ok=ok, time=time)
        elif kind in ("compaction", "compaction_summary", "context_compaction"):
            into.sum_up(item)
        else:
            return kind in ("reasoning", "ghost_snapshot")
        return True

    def _message(self, item: Record, time: object, into: Transcript) -> bool:
        role, content = item.get("role"), item.get("content")
        text = plain(content)
        if role == "assistant":
            into.heed(content)
            into.say("assistant", text, time)
        elif role != "user":  # what a hook says has this form, too
            said = [text] if isinstance(content, str) else _not_its_own(item, listed(content))
            return role == "developer" and into.note(said, "codex developer")
        elif is_anothers(item, _OWN_FIELDS):
            into.pass_over(item)
        else:
            into.heed(content)
            # AGENTS.md may have such a block in its own, which comes first.
            if text.startswith("<environment_context>") and (found := _CWD.search(text)):
                into.know(cwd=(found[1] or found[2]).strip())
            parts = [{"text": content}] if isinstance(content, str) else listed(content)
            if into.prompts:
                added = [each for each in map(plain, parts) if not _is_typed(each, into.prompts)]
                parts = [each for each in parts if _is_typed(plain(each), into.prompts)]
                into.pass_over([each for each in added if not into.note([each])])
            about = fields(item.get("internal_chat_message_metadata_passthrough"))
            if metadata := listed(about.get("content_item_metadata")):
                kinds = [fields(each.get("provenance")).get("type") for each in metadata]
                whose = [*kinds, *[None] * len(parts)]
                added = [plain(part) for part, by in zip(parts, whose, strict=False) if by != "user"]
                parts = [part for part, by in zip(parts, whose, strict=False) if by == "user"]
                into.pass_over([each for each in added if not into.note([each])])
            # What the program adds is a part of its own, with whatever AGENTS.md or a directory's name says.
            into.ask(map(plain, parts), time, whole=True)
        return True


def _not_its_own(item: Record, parts: list[Record]) -> list[str]:
    """Return the parts of a message but for those that it says are instructions of the program's own."""
    about = fields(item.get("internal_chat_message_metadata_passthrough"))
    kinds, said = about.get("content_item_kinds"), listed(about.get("content_item_metadata"))
    if not isinstance(kinds, list) or not len(kinds) == len(said) == len(parts):
        return [plain(part) for part in parts]
    rows = zip(parts, kinds, said, strict=True)
    return [plain(part) for part, kind, by in rows if kind not in _INSTRUCTIONS or by != _BY_PROGRAM]


def _prompts(events: Iterable[Record]) -> Iterator[str]:
    """Yield what a person typed: an event of its own says it, or since 0.169 an item of a turn they began."""
    is_theirs = True
    for event in events:
        item = fields(event.get("item"))
        if event.get("type") == "task_started":
            is_theirs = fields(event.get("turn_attribution")).get("turn_trigger", "user") == "user"
        elif event.get("type") == "user_message" and event.get("kind") in _TYPED:
            yield plain(event.get("message"))
        elif event.get("type") == "item_completed" and item.get("type") == "UserMessage" and is_theirs:
            yield from map(plain, listed(item.get("content")))


def _is_typed(text: str, prompts: set[str]) -> bool:
    """Whether a text is a prompt that somebody typed, a part of one, or one below what an editor adds."""
    said = _squeezed(text)
    return said in prompts or any(
        said in each or (_REQUEST in said and said.endswith(each)) for each in prompts
    )


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _called(item: Record) -> str:
    """Return the whole name of a tool: that of a server's has the server in a field of its own."""
    name, server = str(item.get("name") or "shell"), str(item.get("namespace") or "")
    return f"{server.rstrip('_')}__{name}" if server else name


def _source(value: object, started_by: object) -> str:
    if isinstance(value, dict) and "subagent" in value:
        return "subagent"
    is_program = str(started_by).endswith(("_exec", "_sdk"))  # older versions say it only there
    return "interactive" if value in _TYPED_AT and not is_program else "automation"


def _output(value: object) -> tuple[str, bool]:
    """Return what a tool printed, and whether it went well."""
    about = fields(value)
    if isinstance(value, str) and value.startswith("{"):
        with contextlib.suppress(ValueError, RecursionError):
            about = fields(json.loads(value))
        if not _WRAPPER.issuperset(about):  # a tool's own words, which may say whose they are
            about = {}
    if "output" in about:
        code = fields(about.get("metadata")).get("exit_code")
        return plain(about["output"]), code in (None, 0)
    if "content" in about:
        return plain(about["content"]), about.get("success") is not False
    text = plain(value)
    exited = _EXITED.search(text[:1000])
    header, found, rest = text.partition("\nOutput:\n")
    if exited and found and len(header) < 1000:
        text = rest
    return text, exited is None or int(exited[1]) == 0
