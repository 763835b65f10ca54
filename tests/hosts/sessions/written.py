"""Small sessions as the agents write them: the same talk in every form, with things nobody said in it.

`forms/` has them as files, with names in `@` for what differs from test to test.
"""

import contextlib
import json
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

from memolith.hosts.sessions import AGENTS
from memolith.memory.sessions import Session
from memolith.text.safe.structure import CLOSE, OPEN

Row = dict[str, Any]
BLOCK = f"{OPEN}OUR OWN WORDS{CLOSE}"
AT = "2026-11-15T10:00:00.000Z"
FORMS = Path(__file__).with_name("forms")
# What every reader makes of it: role, tool, outcome, text.
TALK = [
    ("user", "", "", "Why does the build fail?"),
    ("assistant", "", "", "I build it."),
    ("tool", "error", "$ make all\nno rule for target lib"),
    ("tool", "ok", "src/Makefile\nall: app"),
    ("assistant", "", "", "The target is called app."),
]


def lines(*rows: Row) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def read(agent: str, path: Path, *rows: Row) -> list[Session]:
    """Return the sessions that an agent's reader finds in a file of these rows."""
    path.write_text(lines(*rows))
    return list(AGENTS[agent].read(str(path)))


def rows(form: str, cwd: str = "/w", session: str = "s1") -> list[Row]:
    """Return the records of a form."""
    text = (FORMS / f"{form}.jsonl").read_text(encoding="utf-8")
    for name, value in {"BLOCK": BLOCK, "CWD": cwd, "SESSION": session}.items():
        text = text.replace(f"@{name}@", json.dumps(value)[1:-1])
    return [json.loads(line) for line in text.splitlines()]


claude, codex, copilot = partial(rows, "claude"), partial(rows, "codex"), partial(rows, "copilot")
pi, gemini, generic = partial(rows, "pi"), partial(rows, "gemini"), partial(rows, "generic")
codex_flat = partial(
    rows, "codex_flat"
)  # bare items, an exit code in JSON, the directory in the first message


def opencode(path: Path) -> Path:
    """Write a database with one session and a sub-agent's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript((FORMS / "opencode.sql").read_text(encoding="utf-8"))
    return path


# Aider ends each line of its own with two blanks (there ¬); an answer is written down as it is.
AIDER = (FORMS / "aider.md").read_text(encoding="utf-8").replace("¬", "  ")
