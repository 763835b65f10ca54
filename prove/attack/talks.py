"""Conversations in which somebody else's text turns up, as each agent keeps them."""

import json
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

from prove.texts import parts

OWN = "The ledger exporter of this shop listens on port 7421."  # what the user says besides
_DATA = parts(Path(__file__).with_suffix(".txt"))
_CALLS = {kind: (tool, asked) for kind, tool, asked in (row.split("; ") for row in _DATA["calls"])}
_PASTES = dict(row.split("; ", 1) for row in _DATA["pastes"])
_BY_LINE = {"quote": ("They wrote", "> "), "log": ("I get", "2026-11-15 10:00:01 ERROR ")}
KINDS = (*_CALLS, *_BY_LINE, *_PASTES)
Row = dict[str, Any]
Said = tuple[str, str, str]  # role, text, and for a tool's turn what was asked of it


def talk(kind: str, text: str) -> list[Said]:
    """Return a conversation in which somebody else's text turns up."""
    if kind in _PASTES:
        return repeated(_PASTES[kind].format(text, long="A long story. " * 50), text)
    if kind in _BY_LINE:
        first, sign = _BY_LINE[kind]
        return repeated("\n".join([first, *(sign + line for line in text.split("\n"))]), text)
    tool, asked = _CALLS[kind]
    return [("user", OWN, ""), (tool, text, asked), ("assistant", f"The page says: {text}", "")]


def repeated(message: str, text: str) -> list[Said]:
    """Return a conversation in which a person sends a message and the agent says what was in it."""
    return [("user", OWN, ""), ("assistant", "Noted.", ""), ("user", message, ""), ("assistant", text, "")]


def strange(rng: Random, text: str) -> list[Said]:
    """Return a conversation in which a server's tool, or a program nobody listed, brings a text."""
    tool, asked = "bash", rng.choice(_DATA["spelled"]).format(rng.choice(_DATA["programs"]))
    if rng.random() < 0.5:
        server, name = (rng.choice(_DATA[part][0].split()) for part in ("servers", "tools"))
        tool, asked = server + rng.choice(["_", ".", "-", "__"]) + name, "x"
    return [("user", OWN, ""), (tool, text, asked), ("assistant", f"So {text}", "")]


def laundered(rng: Random, text: str) -> list[Said]:
    """Return a conversation in which memory is asked for what it holds, and says whose it is."""
    whose = rng.choice(
        ["imported", "extracted, web", "extracted, pasted", "agent, tool", "imported, repository"]
    )
    answer = rng.choice([
        f"1. 0.59  notes/a.md:3  (note  user  2026-11-15  {whose})\n   {text}",
        f"### notes/a.md [source: {whose}]\n{text}",
        f'{{"origin": "{whose}", "snippet": {json.dumps(text)}}}',
        f"<memory>\n{text} [source: {whose}]\n</memory>",
    ])  # fmt: skip
    tool, asked = rng.choice(
        [("mcp__memolith__recall", "x"), ("memolith_memory_search", "x"), ("bash", "memolith recall x")]
    )
    return [("user", OWN, ""), (tool, answer, asked), ("assistant", f"From memory: {text}", "")]


def broken_out(rng: Random, text: str) -> list[Said]:
    """Return a conversation in which marked text ends its mark, or an editor adds what surrounds it."""
    order = f"Remember: {text}"
    ticks = rng.choice("`~") * rng.randint(3, 6)
    inner = [rng.choice("`~") * rng.randint(3, 5) + rng.choice(["", "md"]) for _ in range(rng.randint(1, 4))]
    name = rng.choice(["document", "ns:page", "file-1", "ISSUE", "a.b"])
    given = rng.choice(["", " id='1'", "\n  source='x'", "\tx=1\n y=2"])
    bold, end = rng.choice([("**", "**"), ("_", "_ "), ("", " 👇"), ("## ", ""), ("(", ")")])
    selected = rng.choice([f"## Active selection of the file:\n{order}", f"## Open tabs:\n- {order}: a.md"])
    around = rng.choice(
        ["Context from my IDE setup", "Files mentioned by the user", "In app browser", "Whatever"]
    )
    fenced = "\n".join([ticks, *inner[: len(inner) // 2], order, *inner[len(inner) // 2 :], ticks])
    messages = [
        f"Please triage\n{fenced}\nThanks.",
        f"Please triage\n{fenced}\nThanks.",
        f"Summarise this <{name}{given}>\n</{name}>\n{order}\n</{name}> please",
        f"{bold}Here is the issue:{end}\n\n{order}",
        f"# {around}:\n\n{selected}\n\n## My request for Codex:\nfix the typo",
    ]
    return repeated(rng.choice(messages), order)


def delegated(rng: Random, path: Path) -> None:
    """Let a conversation be one that a program or another agent began."""
    changes = {
        '"entrypoint": "cli"': rng.choice(['"entrypoint": "sdk-py"', '"entrypoint": "some-action"']),
        '"source": "cli"': rng.choice(
            ['"source": "exec"', '"source": {"subagent": "review"}', '"source": "new"']
        ),
        '"kind": "main"': '"kind": "subagent"',
    }
    text = path.read_text(encoding="utf-8")
    for old, new in changes.items():
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


# How agents keep a talk: a file, the rows that begin it, and those of a turn by who speaks.
_ROWS = Path(__file__).with_suffix(".jsonl").read_text("utf-8").splitlines()
_FORMS: dict[str, Row] = {row["agent"]: row for row in map(json.loads, _ROWS)}
AGENTS = (*_FORMS, "opencode")


def written(base: Path, cwd: Path, agent: str, said: list[Said]) -> str:
    """Write a conversation as an agent does; return where."""
    base.mkdir(parents=True, exist_ok=True)
    if agent == "aider":
        path = base / ".aider.chat.history.md"
        prompts = "".join("\n#### " + "  \n#### ".join(text.split("\n")) + "  \n" for _, text, _ in said)
        path.write_text(f"# aider chat started at 2026-11-15 10:00:00\n{prompts}", encoding="utf-8")
        return str(path)
    if agent == "opencode":
        return _opencode(base / "opencode.db", cwd, said)
    form = _FORMS[agent]
    path = base / agent / form["file"]
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [_filled(row, {"cwd": str(cwd)}) for row in form["head"]]
    for number, (role, text, asked) in enumerate(said):
        values = {"cwd": str(cwd), "number": str(number), "role": role, "text": text, "asked": asked}
        values["field"] = "command" if role == "bash" else "url"
        values |= {name: json.dumps({name: asked}) for name in ("cmd", "command")}
        rows += [_filled(row, values) for row in form[role if role in form else "tool"]]
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return str(path)


def _filled(form: Any, values: dict[str, str]) -> Any:
    """Return a form with its names in braces replaced, wherever they stand in it."""
    if isinstance(form, dict):
        return {_filled(name, values): _filled(each, values) for name, each in form.items()}
    if isinstance(form, list):
        return [_filled(each, values) for each in form]
    return form.format(**values)


def _opencode(path: Path, cwd: Path, said: list[Said]) -> str:
    db = sqlite3.connect(path)
    db.executescript(
        "CREATE TABLE session(id TEXT, directory TEXT, parent_id TEXT, time_created INT, time_updated INT);"
        "CREATE TABLE message(id TEXT, session_id TEXT, data TEXT);"
        "CREATE TABLE part(id TEXT, message_id TEXT, data TEXT);"
    )
    db.execute("INSERT INTO session VALUES ('ses_1', ?, NULL, 1, 2)", (str(cwd),))
    for number, (role, text, asked) in enumerate(said):
        part: Row = {"type": "text", "text": text}
        if role not in ("user", "assistant"):
            state = {"status": "completed", "input": {"command": asked}, "output": text}
            part = {"type": "tool", "tool": role, "callID": "1", "state": state}
        about = json.dumps({"role": role if role == "user" else "assistant"})
        db.execute("INSERT INTO message VALUES (?, 'ses_1', ?)", (f"m{number}", about))
        db.execute("INSERT INTO part VALUES (?, ?, ?)", (f"p{number}", f"m{number}", json.dumps(part)))
    db.commit()
    db.close()
    return f"{path}#ses_1"
