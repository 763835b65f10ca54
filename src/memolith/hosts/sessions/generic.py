"""Agents that write a message to a line, each with its role: as the OpenAI interface has it, Cursor, pi."""

from __future__ import annotations

from memolith.hosts.sessions.calls import Record, fields
from memolith.hosts.sessions.files import JsonLines
from memolith.hosts.sessions.transcript import Transcript, is_anothers, listed, plain, texts
from memolith.learn.extract import strip
from memolith.text.patterns import lazy


class Generic(JsonLines):
    """Files of this kind are nowhere in particular: they are named by the one who has them."""

    name = "generic"
    _HEADER = frozenset(["session_id", "cwd", "started", "messages"])

    def take(self, row: Record, into: Transcript) -> bool:  # noqa: D102
        known = row.get("session_id") or (row.get("id") if "role" not in row else None)  # of a header
        into.know(id=known, cwd=row.get("cwd"), started=row.get("started"))
        for message in [row, *listed(row.get("messages"))]:
            self._message(message, into)
        return True

    def _message(self, row: Record, into: Transcript) -> None:
        role = row.get("role")
        content = row.get("content") or row.get("text") or fields(row.get("message")).get("content")
        if role not in ("user", "assistant", "tool") and not (role == "system" and not into.turns):
            into.pass_over(content if self._HEADER.intersection(row) else row)
        time = row.get("timestamp") or row.get("time") or row.get("created_at")
        if role == "user":
            into.heed(content)
            self._prompt(row, texts(content), time, into)
        if role == "assistant":
            into.heed(content)
            into.look_up({key: each for key, each in row.items() if key != "tool_calls"})
            into.say("assistant", plain(content), time)
            for call in listed(row.get("tool_calls")):
                function = fields(call.get("function")) or call
                into.call(call.get("id"), function.get("name"), function.get("arguments"))
        if role == "tool":
            ok = not row.get("is_error") and row.get("outcome") in (None, "", "ok")
            tool = row.get("name") or row.get("tool")
            into.result(row.get("tool_call_id"), plain(content), ok=ok, time=time, tool=tool)

    def _prompt(self, row: Record, parts: list[str], time: object, into: Transcript) -> None:
        if is_anothers(row) or row.get("name") not in (None, "", "user", "human"):  # another agent's
            into.pass_over(row)
        else:
            into.ask(parts, time)


# What pi tells its model of itself; the instructions of a project count as the files that they are.
_PREAMBLE = "You are an expert coding assistant operating inside pi, a coding agent harness."
_SECTIONS = frozenset(["preamble", "tools", "rules", "docs", "project_context", "cwd"])
_INSTRUCTED = lazy(r'<project_instructions path="([^"\n]*)">')


def _is_pis(sections: Record, into: Transcript) -> bool:
    """Whether a system prompt has no words of others but in files; note those."""
    context = plain(sections.get("project_context"))
    paths = _INSTRUCTED.findall(context)
    for path in paths:
        into.shown(path)
    is_own = plain(sections.get("preamble")).startswith(_PREAMBLE) and set(sections) <= _SECTIONS
    return is_own and bool(paths or not context)


# Around what a person typed; right behind the tag, without a new line, the program itself speaks.
_QUERY = lazy(r"(?s)(?:(?!<user_query\b).)*<user_query>[^\S\n]*\n")


class Cursor(Generic):
    """`~/.cursor/projects/<slug>/agent-transcripts/`: no tool results in them, nor where the session was."""

    name = "cursor"
    patterns = ("projects/*/agent-transcripts/**/*.jsonl",)

    def begin(self, path: str) -> Transcript:  # noqa: D102
        into = super().begin(path)
        into.fetched("tool")  # which ones were called is not written down, so it may have been any
        return into

    def _prompt(self, row: Record, parts: list[str], time: object, into: Transcript) -> None:
        typed = [each for each in parts if _QUERY.match(each)]
        if len(typed) < len(parts):
            into.pass_over(row)
        super()._prompt(row, typed, time, into)


class Pi(JsonLines):
    """Pi and oh-my-pi: a tree of which every branch is read.

    Only messages: what an extension adds, a `custom_message`, may be anybody's words, but for our own.
    """

    patterns = ("sessions/*/*.jsonl",)
    quiet = frozenset(
        ["session_info", "model_change", "thinking_level_change", "label", "usage", "custom", "mode_change"]
    )

    def __init__(self, name: str) -> None:
        self.name = name

    def take(self, row: Record, into: Transcript) -> bool:  # noqa: D102
        if row.get("type") == "session":
            into.know(id=row.get("id"), cwd=row.get("cwd"), started=row.get("timestamp"))
        elif row.get("type") in ("compaction", "branch_summary") and not row.get("fromHook"):
            into.sum_up(row)
        elif row.get("customType") == "memolith":
            return strip.is_memory(plain(row.get("content")))
        else:
            message = fields(row.get("message"))
            return row.get("type") == "message" and self._message(message, row.get("timestamp"), into)
        return True

    def _message(self, message: Record, time: object, into: Transcript) -> bool:
        role, content = message.get("role"), message.get("content")
        if role == "user" and is_anothers(message):
            return False
        if role == "user":
            into.heed(content)
            into.ask(texts(content), time)
        elif role == "assistant":
            into.heed(content)
            into.say("assistant", plain(content), time)
            for block in listed(content):
                if block.get("type") == "toolCall":
                    into.call(block.get("id"), block.get("name"), block.get("arguments"))
        elif role == "toolResult":
            number, ok = message.get("toolCallId"), not message.get("isError")
            into.result(number, plain(content), ok=ok, time=time, tool=message.get("toolName"))
        elif role == "bashExecution":  # what the person ran
            into.call("!", "bash", {"command": message.get("command")})
            ok = message.get("exitCode") in (None, 0) and not message.get("cancelled")
            into.result("!", plain(message.get("output")), ok=ok, time=time)
        elif role == "system" and not plain(content):
            return _is_pis(fields(message.get("sections")), into)
        else:
            return False
        return True
