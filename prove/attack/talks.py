"""Conversations in which somebody else's text turns up, as each agent keeps them."""

import json
import sqlite3
from collections.abc import Callable, Iterator
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


def _claude(said: list[Said], cwd: str) -> Iterator[Row]:
    for number, (role, text, asked) in enumerate(said):
        common = {"sessionId": "s1", "cwd": cwd, "entrypoint": "cli"}
        if role == "user":
            yield {**common, "type": "user", "message": {"role": "user", "content": text}}
        elif role == "assistant":
            content: list[Row] = [{"type": "text", "text": text}]
            yield {**common, "type": "assistant", "message": {"id": f"m{number}", "content": content}}
        else:
            given = {"command" if role == "bash" else "url": asked}
            use = {"type": "tool_use", "id": "t", "name": role, "input": given}
            yield {**common, "type": "assistant", "message": {"id": f"m{number}", "content": [use]}}
            result = {"type": "tool_result", "tool_use_id": "t", "content": text}
            yield {**common, "type": "user", "message": {"role": "user", "content": [result]}}


def _codex(said: list[Said], cwd: str) -> Iterator[Row]:
    yield {"type": "session_meta", "payload": {"id": "c1", "cwd": cwd, "source": "cli"}}
    for role, text, asked in said:
        if role in ("user", "assistant"):
            content = [{"type": "input_text", "text": text}]
            yield {"type": "response_item", "payload": {"type": "message", "role": role, "content": content}}
        elif role == "web_search":
            yield {
                "type": "response_item",
                "payload": {"type": "web_search_call", "action": {"query": asked}},
            }
        else:
            about = {"call_id": "1", "name": role, "arguments": json.dumps({"cmd": asked})}
            yield {"type": "response_item", "payload": {"type": "function_call", **about}}
            about = {"call_id": "1", "output": text}
            yield {"type": "response_item", "payload": {"type": "function_call_output", **about}}


def _gemini(said: list[Said], _: str) -> Iterator[Row]:
    yield {"sessionId": "g1", "projectHash": "x", "kind": "main"}
    for number, (role, text, asked) in enumerate(said):
        row: Row = {"id": str(number), "type": "user" if role == "user" else "gemini", "content": text}
        if role not in ("user", "assistant"):
            call = {"id": "1", "name": role, "args": {"command" if role == "bash" else "url": asked}}
            answer = [{"functionResponse": {"response": {"output": text}}}]
            row |= {"content": "", "toolCalls": [{**call, "status": "success", "result": answer}]}
        yield row


def _copilot(said: list[Said], cwd: str) -> Iterator[Row]:
    yield {"type": "session.start", "data": {"context": {"cwd": cwd}}}
    for role, text, asked in said:
        if role in ("user", "assistant"):
            yield {"type": f"{role}.message", "data": {"content": text}}
        else:
            call = {"toolCallId": "1", "toolName": role, "arguments": {"command": asked}}
            yield {"type": "tool.execution_start", "data": call}
            yield {"type": "tool.execution_complete", "data": {**call, "result": {"content": text}}}


def _pi(said: list[Said], cwd: str) -> Iterator[Row]:
    yield {"type": "session", "id": "i1", "cwd": cwd}
    for role, text, asked in said:
        content: list[Row] = [{"type": "text", "text": text}]
        if role not in ("user", "assistant"):
            call = {"type": "toolCall", "id": "1", "name": role, "arguments": {"command": asked}}
            yield {"type": "message", "message": {"role": "assistant", "content": [call]}}
            result = {"role": "toolResult", "toolCallId": "1", "toolName": role, "content": content}
            yield {"type": "message", "message": result}
        else:
            yield {"type": "message", "message": {"role": role, "content": content}}


def _generic(said: list[Said], _: str) -> Iterator[Row]:
    for role, text, asked in said:
        if role not in ("user", "assistant"):
            call = {"id": "1", "function": {"name": role, "arguments": json.dumps({"command": asked})}}
            yield {"role": "assistant", "content": "", "tool_calls": [call]}
            yield {"role": "tool", "tool_call_id": "1", "content": text}
        else:
            yield {"role": role, "content": text}


def _cursor(said: list[Said], _: str) -> Iterator[Row]:
    """Return what Cursor keeps: nothing of tools."""
    yield from ({"role": role, "content": text} for role, text, asked in said if not asked)


_FORMS: dict[str, tuple[str, Callable[[list[Said], str], Iterator[Row]]]] = {
    "claude": ("s1.jsonl", _claude),
    "codex": ("rollout-c1.jsonl", _codex),
    "gemini": ("session-g1.jsonl", _gemini),
    "copilot": ("events.jsonl", _copilot),
    "pi": ("i1.jsonl", _pi),
    "generic": ("x1.jsonl", _generic),
    "cursor": ("u1.jsonl", _cursor),
}
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
    name, form = _FORMS[agent]
    path = base / agent / name
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = form(said, str(cwd))
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return str(path)


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
