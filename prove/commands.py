"""Every command that writes, as data: what the rounds of `prove faults` interrupt.

`{base}` has the files that commands read (prove/world.py). `acks`: exit code 0 means that it is written; a
hook always says 0, because an agent must not stumble over its memory. `repeats`: run again after a crash,
it ends in the same state as if nothing had happened. `admits`: a word by which it says that a part was not
done and is tried again by the next run, though it goes on and says 0.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Command:
    """A command line; `before` are commands that run undisturbed first."""

    name: str
    line: list[str]
    stdin: str = ""
    before: list[list[str]] = field(default_factory=list)
    acks: bool = True
    repeats: bool = False
    codes: tuple[int, ...] = (0,)
    admits: str = ""
    learns: bool = False


def event(name: str, **more: str) -> str:
    """Return the message of an event, as Claude Code sends it."""
    return json.dumps({"session_id": "s-1", "cwd": "{base}/work/shop", "hook_event_name": name, **more})


_NEW = "\n".join(f"- new{each} zebra begins a line" for each in range(30))
_ADD = ["session", "add", "{base}/more.jsonl", "--agent", "claude", "--id", "two"]
_LEARN = ["learn", "run", "--force", "--model", "none"]
_ENDED = event("SessionEnd", transcript_path="{base}/more.jsonl").replace("s-1", "s-2", 1)

COMMANDS = [
    Command("write append", ["write", "long_term", "- zebra appended"]),
    Command(
        "write overwrite", ["write", "note", _NEW, "--mode", "overwrite", "--name", "topic"], repeats=True
    ),
    Command("write new note", ["write", "note", _NEW, "--name", "fresh"]),
    Command("write daily", ["write", "daily", "- zebra today"]),
    Command("remember", ["remember", "The zebra cache is warm.", "--title", "Warm cache"]),
    Command("update", ["update", "- zebra rule", "--section", "Rules"]),
    Command("edit", ["edit", "long_term", "--old", "old1 begins", "--new", "old1 zebra begins"]),
    Command("edit deletes", ["edit", "note", "--name", "topic"]),
    Command("undo", ["undo", "topic"]),
    Command("promote", ["promote", "topic"]),
    Command("record add", ["record", "add", "zebra queue", "--category", "decisions", "--scope", "project"]),
    Command("record update", ["record", "update", "fact-0", "zebra number0 was changed"], repeats=True),
    Command("record reclassify", ["record", "reclassify", "fact-1", "principles"]),
    Command("record archive", ["record", "archive", "fact-1"]),
    Command("record delete", ["record", "delete", "fact-2"]),
    Command("ticket add", ["ticket", "add", "Another zebra", "--description", "text"]),
    Command("ticket note", ["ticket", "note", "slow-zebra", "zebra progress"]),
    Command("ticket close", ["ticket", "close", "slow-zebra"]),
    Command("session add", _ADD, repeats=True),
    Command("session import", ["session", "import", "{base}/s-1.jsonl", "--agent", "claude"], repeats=True),
    Command("session delete", ["session", "delete", "claude-one", "--yes"]),
    Command("import folder", ["import", "{base}/vault"], repeats=True),
    Command(
        "import archive",
        ["import", "--from", "archive", "{base}/whole.tar.gz", "--yes"],
        before=[["edit", "note", "--name", "topic"]],
        repeats=True,
    ),
    Command("learn run", _LEARN, before=[_ADD], repeats=True, admits="failed", learns=True),
    Command(
        "memory clear",
        ["memory", "clear", "--yes"],
        before=[_LEARN],
        repeats=True,
    ),
    Command("scan --purge", ["scan", "--purge"], repeats=True),
    Command("forget", ["forget", "zebra number2", "--yes"], repeats=True, codes=(0, 3)),
    Command("allow", ["allow", "zebra-is-no-secret"]),
    Command("config set", ["config", "set", "history.versions", "40"], repeats=True),
    Command("init", ["init", "--agent", "claude", "--yes"], repeats=True),
    Command("hook SessionEnd", ["hook", "--host", "claude"], _ENDED, acks=False),
    Command(
        "hook prompt", ["hook", "--host", "claude"], event("UserPromptSubmit", prompt="zebra?"), acks=False
    ),
    Command("hook worker", ["hook", "--work"], before=[_ADD], acks=False, learns=True),
]
