"""A host's message to a hook as one value, and the answer in the form that the host understands.

Hosts run each other's hooks (Cursor those of Claude Code, Codex those of a Claude plugin), so what the
message itself reveals about its sender takes precedence over the command line.
"""

from __future__ import annotations

import os

from memolith.base.errors import InputError, TextError
from memolith.store import receipts
from memolith.store.screen import quoted
from memolith.text.safe.hygiene import whole

HOSTS = ("claude", "codex", "gemini", "qwen", "droid", "copilot", "cursor", "opencode", "pi", "amp")
START, PROMPT, COMPACTED, STOP, NOTHING = "start", "prompt", "compacted", "stop", ""
END = receipts.END
_EVENTS = {
    "sessionstart": START,
    "userpromptsubmit": PROMPT,
    "userpromptsubmitted": PROMPT,  # Copilot
    "beforeagent": PROMPT,  # Gemini
    "beforesubmitprompt": PROMPT,  # Cursor
    "postcompact": COMPACTED,
    "stop": STOP,
    "agentstop": STOP,
    "afteragent": STOP,
    "sessionend": END,
    "subagentstart": START,
    # Gemini says `PreCompress` before every request, and nothing of a summary; sub-agents only read.
    **dict.fromkeys(("precompress", "precompact", "subagentstop"), NOTHING),
}
_SOURCES = ("startup", "resume", "clear", "compact", "fork")
CLEARED = "cleared"  # a start whose answer the host throws away: the next prompt gets it
# Hosts that do not keep what hooks injected: a resumed session starts without it.
_FORGETFUL = ("gemini", "copilot")
_BRIDGES = ("opencode", "pi", "amp")  # ours: they take plain text
_MUTE = ("copilot",)  # cannot show a person anything in place of an answer
# Gemini prepends what was injected at the start to the first prompt.
_SAID = "<hook_context>", "</hook_context>"
# What a host itself sends in place of a prompt.
_HARNESS = ("<task-notification>", "<local-command-", "<command-name>", "<command-message>", "<bash-")
# What a person types to see memory, and how the text begins that our command files have behind that.
_OURS = ("/memory", "/memolith", "/memolith:memory", "/prompts:memolith", "/prompts:memory")
_FILE = "\n\nmemolith answers the line above itself"
_BEGIN, _END = 5_000, 3_000  # characters of a prompt used as the question: a log says last what went wrong
_MAX_PLACE = 4_096
MAX_BYTES = 8 * 1_048_576


class Call:
    """One event. `prompt` is empty if nobody typed it; `key` distinguishes events of the same kind.

    `command` is what stands behind `/memory`, None if a prompt is no such command.
    """

    def __init__(self, row: dict[str, object], host: str, event: str) -> None:
        self.named_host, self.host = host, _host(row, host)
        self.name = _text(row, "hook_event_name") or event
        kind = _EVENTS.get(self.name.casefold())
        if kind is None:
            raise InputError(f"unknown event {quoted(self.name)}; see docs/hooks.md for those that are used")
        self.event = kind
        self.session = _text(row, "session_id", "sessionId", "conversation_id")
        if not self.session:
            raise TextError("standard input names no session, so it is unknown what that has been told")
        roots = row.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
        self.cwd = _place(_text(row, "cwd")) or _place(whole(first))
        self.transcript = _place(_text(row, "transcript_path", "transcriptPath"))
        source = _text(row, "source")
        self.source = source if source in _SOURCES else "startup"
        if self.source == "clear" and self.host == "gemini":
            self.source = CLEARED
        if self.source == "resume" and self.host in _FORGETFUL:
            self.source = "clear"
        if self.name.casefold() == "subagentstart":  # it knows nothing of what its session was told
            self.session = f"{self.session}.{_text(row, 'agent_id')}"
        self.summary = _text(row, "compact_summary", "summary")
        typed = _typed(_text(row, "prompt"))
        self.command = _command(typed) if kind == PROMPT and self.host not in _MUTE else None
        self.prompt = "" if typed.startswith(_HARNESS) or _is_command(typed) else _bounded(typed)
        self.key = mark({START: self.source, COMPACTED: self.summary}.get(kind, typed))

    @property
    def signature(self) -> str:
        """What marks the entries of this session in a log."""
        return f"({self.host} {self.label.removeprefix('session-')[:8]})"

    @property
    def label(self) -> str:
        """A name for the session that is safe as a file name and contains no secret."""
        plain = all(char.isascii() and (char.isalnum() or char in "-_.") for char in self.session)
        if plain and 0 < len(self.session) <= 100 and self.session[0] != ".":
            from memolith.text.secrets.veil import masked_name

            if masked_name(self.session) == self.session:
                return self.session
        return f"session-{mark(self.session).replace('.', '-')}"


def read(data: bytes, host: str = "", event: str = "") -> Call:
    """Parse the event that a host reports; TextError if it is not one."""
    if host and host not in HOSTS:
        raise InputError(f"--host {quoted(host)}: must be one of {', '.join(HOSTS)}")
    if len(data) > MAX_BYTES:
        raise TextError(f"standard input has more than {MAX_BYTES:,} bytes; nothing was done")
    row = _parsed(data.decode("utf-8", "replace").strip("\ufeff \t\r\n"))
    if not isinstance(row, dict):
        raise TextError(f"standard input is {type(row).__name__}, not a JSON object as hosts send it")
    return Call(row, host, event)


def mark(text: str) -> str:
    """Return a hash that tells texts apart; not a secure one, because `hashlib` is slow to import."""
    from zlib import adler32, crc32

    data = text.encode("utf-8", "replace")
    return f"{crc32(data):08x}{adler32(data):08x}.{len(data)}"


def answer(call: Call, text: str) -> str:
    """Return a text in the form that the host injects as context; empty if there is none."""
    if not text:
        return ""
    if call.host in _BRIDGES:
        return text
    context = _quoted(text)
    nested = f'"hookSpecificOutput":{{"hookEventName":{_quoted(call.name)},"additionalContext":{context}}}'
    if call.host == "copilot":
        return f'{{"additionalContext":{context}}}'
    if call.host == "cursor":
        # As a hook of Claude Code it is answered in both ways.
        return f'{{"additional_context":{context}{"" if call.named_host == "cursor" else "," + nested}}}'
    return f"{{{nested}}}"


def shown(call: Call, text: str) -> str:
    """Return a text in the form that the host shows to the person in place of asking the model."""
    if call.host in _BRIDGES:
        return text
    said = _quoted(text)
    if call.host == "cursor":
        return f'{{"continue":false,"user_message":{said}}}'
    if call.host == "gemini":
        return f'{{"continue":false,"stopReason":{said}}}'
    quiet = f'"hookSpecificOutput":{{"hookEventName":{_quoted(call.name)},"suppressOriginalPrompt":true}}'
    return f'{{"decision":"block","reason":{said}{"," + quiet if call.host == "claude" else ""}}}'


def notice(call: Call, text: str) -> str:
    """Return a line for the person, for hosts that show one after events without context."""
    return f'{{"systemMessage":{_quoted(text)}}}' if call.host in ("claude", "codex", "gemini") else ""


def _host(row: dict[str, object], named: str) -> str:
    if "cursor_version" in row or "conversation_id" in row:
        return "cursor"
    if named:
        return named
    if "agent_action_name" in row:
        raise InputError("Windsurf's hooks cannot inject context; use `memolith mcp` there")
    if "sessionId" in row:
        return "copilot"
    if "turn_id" in row or os.path.basename(_text(row, "transcript_path")).startswith("rollout-"):
        return "codex"
    return "gemini" if "timestamp" in row else "claude"


def _typed(prompt: str) -> str:
    """Return a prompt without what hooks prepended to it."""
    (opening, closing), at = _SAID, 0
    prompt = prompt.strip()
    while prompt.startswith(opening, at) and (end := prompt.find(closing, at)) >= 0:
        at = end + len(closing)
        while prompt[at : at + 1].isspace():
            at += 1
    return prompt[at:]


def _bounded(prompt: str) -> str:
    return prompt if len(prompt) <= _BEGIN + _END else f"{prompt[:_BEGIN]}\n{prompt[-_END:]}"


def _command(typed: str) -> str | None:
    line = typed.partition(_FILE)[0]
    first, _, rest = line.partition(" ")
    return rest.strip() if first.strip() in _OURS else None


def _is_command(prompt: str) -> bool:
    """Whether a prompt is a command of the host, such as `/compact`, and not a path."""
    first = prompt.split(None, 1)[0] if prompt else ""
    return first.startswith("/") and "/" not in first[1:]


def _text(row: dict[str, object], *names: str) -> str:
    """Return the first of these fields that is text."""
    return whole(next((value for name in names if isinstance(value := row.get(name), str) and value), ""))


def _place(path: str) -> str:
    """Return a path; empty if it is too long to be one."""
    return path if len(path) <= _MAX_PLACE else ""


class _Plainly:
    """The settings of the JSON scanner: those of `json.loads`."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float
    memo: dict[str, str] = {}  # noqa: RUF012 - its own


def _parsed(text: str) -> object:
    """Parse JSON. The scanner alone, because `json` imports `re`: together an interpreter start."""
    try:
        from _json import make_scanner

        value, end = make_scanner(_Plainly())(text, 0)  # type: ignore[arg-type] # takes anything like it
    except (ImportError, AttributeError, TypeError):
        from json import loads

        try:
            return loads(text)
        except (ValueError, RecursionError):
            end, value = -1, None
    except (StopIteration, ValueError, SystemError, RecursionError):
        # A SystemError is a ValueError where nobody imported the class that the scanner wants to raise.
        end, value = -1, None
    if end != len(text):
        raise TextError("standard input is not JSON, so it is not an event")
    return value


def _quoted(text: str) -> str:
    """Return a text as an ASCII JSON string. A lone surrogate, which strict readers reject, becomes `?`."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    try:
        from _json import encode_basestring_ascii as encode
    except ImportError:
        from json import dumps as encode
    return str(encode(whole))
