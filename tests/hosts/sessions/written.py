"""Small sessions as the agents write them: the same talk in every form, with things nobody said in it."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from memolith.hosts.sessions import AGENTS
from memolith.memory.sessions import Session
from memolith.text.safe.structure import CLOSE, OPEN

Row = dict[str, Any]
BLOCK = f"{OPEN}OUR OWN WORDS{CLOSE}"
AT = "2026-11-15T10:00:00.000Z"
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


def claude(cwd: str = "/w", session: str = "s1") -> list[Row]:
    common = {"cwd": cwd, "sessionId": session, "timestamp": AT, "isSidechain": False, "entrypoint": "cli"}

    def user(content: object, **more: object) -> Row:
        return {**common, "type": "user", "message": {"role": "user", "content": content}, **more}

    def answer(number: str, *content: Row) -> Row:
        return {**common, "type": "assistant", "message": {"id": number, "content": list(content)}}

    def result(number: str, content: object, **more: object) -> Row:
        return user([{"type": "tool_result", "tool_use_id": number, "content": content, **more}])

    return [
        {"type": "queue-operation", "content": "Why does the build fail?", "sessionId": session},
        {
            **common,
            "type": "attachment",
            "attachment": {"type": "hook_additional_context", "content": [BLOCK]},
        },
        user("INJECTED", isMeta=True),
        user("Why does the build fail?", promptSource="user"),
        answer("m1", {"type": "thinking", "thinking": "SECRET THOUGHT"}),
        answer("m1", {"type": "text", "text": "I build it."}),
        answer("m1", {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make all"}}),
        result("t1", "no rule for target lib", is_error=True),
        answer(
            "m2", {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "src/Makefile"}}
        ),
        result("t2", [{"type": "text", "text": f"all: app{BLOCK}<system-reminder>X</system-reminder>"}]),
        user("<task-notification>done</task-notification>", origin={"kind": "task-notification"}),
        user("This session is being continued from a previous conversation. SUMMARY", isCompactSummary=True),
        user("<command-name>/compact</command-name>\n<command-args></command-args>"),
        {**user("Look at it"), "isSidechain": True},
        answer("m3", {"type": "text", "text": "The target is called app."}),
        {"type": "invented-tomorrow", "message": {"role": "user", "content": "NO"}},
    ]


def codex(cwd: str = "/w") -> list[Row]:
    def item(**payload: object) -> Row:
        return {"timestamp": AT, "type": "response_item", "payload": payload}

    def message(role: str, text: str, whose: str = "") -> Row:
        kind = "output_text" if role == "assistant" else "input_text"
        about = {"content_item_metadata": [{"provenance": {"type": whose}}]} if whose else {}
        key = "internal_chat_message_metadata_passthrough"
        return item(type="message", role=role, content=[{"type": kind, "text": text}], **{key: about})

    def call(number: str, name: str, **arguments: object) -> Row:
        return item(type="function_call", name=name, call_id=number, arguments=json.dumps(arguments))

    def output(number: str, code: int, text: str) -> Row:
        told = f"Chunk ID: 1\nProcess exited with code {code}\nOutput:\n{text}\n"
        return item(type="function_call_output", call_id=number, output=told)

    return [
        {"timestamp": AT, "type": "session_meta", "payload": {"id": "c1", "cwd": cwd, "source": "cli"}},
        message("user", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nuse tabs\n</INSTRUCTIONS>"),
        message("user", "<environment_context><cwd>/w</cwd></environment_context>"),
        message("user", "harness text", "harness"),
        message("developer", BLOCK),
        message("user", "Why does the build fail?", "user"),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "Why does the build fail?"}},
        item(type="reasoning", summary=[{"type": "summary_text", "text": "SECRET THOUGHT"}]),
        message("assistant", "I build it."),
        call("1", "exec_command", cmd="make all"),
        output("1", 2, "no rule for target lib"),
        call("2", "read_file", path="src/Makefile"),
        item(type="function_call_output", call_id="2", output="all: app"),
        {"timestamp": AT, "type": "compacted", "payload": {"message": "SUMMARY", "replacement_history": []}},
        message("assistant", "The target is called app."),
    ]


def codex_flat() -> list[Row]:
    """The form of 2025: bare items, an exit code in JSON, the directory only in the first message."""

    def message(role: str, text: str) -> Row:
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}

    told = json.dumps({"output": "no rule for target lib\n", "metadata": {"exit_code": 2}})
    command = json.dumps({"command": ["bash", "-lc", "make all"]})
    return [
        {"id": "c1", "timestamp": AT, "instructions": "SYSTEM", "git": {}},
        {"record_type": "state"},
        message("user", "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"),
        message("user", "Why does the build fail?"),
        message("assistant", "I build it."),
        {"type": "function_call", "name": "shell", "call_id": "1", "arguments": command},
        {"record_type": "state"},
        {"type": "function_call_output", "call_id": "1", "output": told},
        {"type": "function_call", "name": "read", "call_id": "2", "arguments": '{"path": "src/Makefile"}'},
        {"type": "function_call_output", "call_id": "2", "output": "all: app"},
        message("assistant", "The target is called app."),
    ]


def gemini() -> list[Row]:
    def call(number: str, name: str, args: Row, status: str, output: str) -> Row:
        answer = [{"functionResponse": {"response": {"output": output}}}]
        return {"id": number, "name": name, "args": args, "status": status, "timestamp": AT, "result": answer}

    calls = [
        call("1", "run_shell_command", {"command": "make all"}, "error", "no rule for target lib"),
        call("2", "read_file", {"absolute_path": "src/Makefile"}, "success", "all: app"),
    ]
    talk = {"id": "b", "timestamp": AT, "type": "gemini", "content": "I build it."}
    return [
        {"sessionId": "g1", "projectHash": "x", "startTime": AT, "kind": "main"},
        {
            "$set": {
                "messages": [{"id": "z", "type": "user", "content": "<session_context>X</session_context>"}]
            }
        },
        {
            "id": "a",
            "timestamp": AT,
            "type": "user",
            "content": [{"text": f"<hook_context>{BLOCK}</hook_context>\n\nWhy does the build fail?"}],
        },
        talk,
        {**talk, "toolCalls": calls},
        {"id": "r", "timestamp": AT, "type": "user", "content": [{"functionResponse": {"response": {}}}]},
        {"id": "i", "timestamp": AT, "type": "info", "content": "update available"},
        {"id": "w", "timestamp": AT, "type": "user", "content": "taken back"},
        {"$rewindTo": "w"},
        {"id": "c", "timestamp": AT, "type": "gemini", "content": "The target is called app."},
    ]


def copilot(cwd: str = "/w") -> list[Row]:
    def event(kind: str, **data: object) -> Row:
        return {"type": kind, "data": data, "timestamp": AT}

    def ran(number: str, tool: str, given: Row, *, success: bool, text: str) -> list[Row]:
        result = {"content": text}
        return [
            event("tool.execution_start", toolCallId=number, toolName=tool, arguments=given),
            event("tool.execution_complete", toolCallId=number, success=success, result=result),
        ]

    return [
        event("session.start", sessionId="p1", startTime=AT, context={"cwd": cwd}),
        event("hook.end", output={"additionalContext": BLOCK}),
        event("user.message", content="Why does the build fail?", transformedContent=f"x {BLOCK}"),
        event("system.message", content="SYSTEM"),
        event("assistant.message", messageId="1", content="I build it."),
        *ran("1", "bash", {"command": "make all"}, success=False, text="no rule for target lib"),
        *ran("2", "view", {"path": "src/Makefile"}, success=True, text="all: app"),
        event("assistant.message", messageId="2", content="The target is called app."),
        event("session.shutdown"),
    ]


def pi(cwd: str = "/w") -> list[Row]:
    def message(role: str, content: object, **more: object) -> Row:
        return {"type": "message", "timestamp": AT, "message": {"role": role, "content": content, **more}}

    def call(number: str, name: str, **given: str) -> Row:
        return {"type": "toolCall", "id": number, "name": name, "arguments": given}

    said = {"type": "text", "text": "I build it."}
    calls = [call("1", "bash", command="make all"), call("2", "read", path="src/Makefile")]
    made = [{"type": "text", "text": "no rule for target lib"}]
    return [
        {"type": "session", "version": 3, "id": "i1", "timestamp": AT, "cwd": cwd},
        message("user", "Why does the build fail?"),
        message("assistant", [{"type": "thinking", "thinking": "SECRET THOUGHT"}, said, *calls]),
        message("toolResult", made, toolCallId="1", toolName="bash", isError=True),
        message("toolResult", [{"type": "text", "text": "all: app"}], toolCallId="2", isError=False),
        {"type": "compaction", "summary": "SUMMARY"},
        {"type": "custom_message", "customType": "mem", "content": BLOCK},
        message("assistant", [{"type": "text", "text": "The target is called app."}]),
    ]


def generic() -> list[Row]:
    def call(number: str, name: str, arguments: str) -> Row:
        return {"id": number, "type": "function", "function": {"name": name, "arguments": arguments}}

    calls = [call("1", "shell", '{"command": "make all"}'), call("2", "read", '{"path": "src/Makefile"}')]
    return [
        {"role": "system", "content": "SYSTEM"},
        {"role": "user", "content": f"{BLOCK}Why does the build fail?", "cwd": "/w", "timestamp": AT},
        {"role": "assistant", "content": "I build it.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "1", "content": "no rule for target lib", "is_error": True},
        {"role": "tool", "tool_call_id": "2", "content": "all: app"},
        {"role": "assistant", "content": "The target is called app."},
    ]


def opencode(path: Path) -> Path:
    """Write a database with one session and a sub-agent's."""

    def tool(number: str, status: str, name: str, given: Row, text: str) -> Row:
        key = "output" if status == "completed" else "error"
        state = {"status": status, "input": given, key: text, "time": {"end": 1_794_000_000_000}}
        return {"type": "tool", "tool": name, "callID": number, "state": state}

    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path)
    db.executescript(
        "CREATE TABLE session(id TEXT, directory TEXT, parent_id TEXT, time_created INT, time_updated INT);"
        "CREATE TABLE message(id TEXT, session_id TEXT, data TEXT);"
        "CREATE TABLE part(id TEXT, message_id TEXT, data TEXT);"
    )
    at = 1_794_000_000_000
    db.execute("INSERT INTO session VALUES ('ses_1', '/w', NULL, ?, ?)", (at, at + 1))
    db.execute("INSERT INTO session VALUES ('ses_2', '/w', 'ses_1', ?, ?)", (at, at))
    talk: list[tuple[str, str, list[Row]]] = [
        ("msg_1", "user", [{"type": "text", "text": "Why does the build fail?"}]),
        ("msg_1b", "user", [{"type": "text", "text": "OUR OWN WORDS", "synthetic": True}]),
        (
            "msg_2",
            "assistant",
            [
                {"type": "step-start"},
                {"type": "reasoning", "text": "SECRET THOUGHT"},
                {"type": "text", "text": "I build it."},
                tool("1", "error", "bash", {"command": "make all"}, "no rule for target lib"),
                tool("2", "completed", "read", {"filePath": "src/Makefile"}, "all: app"),
            ],
        ),
        ("msg_3", "assistant", [{"type": "text", "text": "The target is called app."}]),
    ]
    for number, role, parts in talk:
        about = json.dumps({"role": role, "time": {"created": at}})
        db.execute("INSERT INTO message VALUES (?, 'ses_1', ?)", (number, about))
        for count, part in enumerate(parts):
            db.execute(
                "INSERT INTO part VALUES (?, ?, ?)", (f"prt_{number}_{count}", number, json.dumps(part))
            )
    db.execute("INSERT INTO message VALUES ('msg_9', 'ses_2', ?)", (json.dumps({"role": "user"}),))
    db.execute("INSERT INTO part VALUES ('prt_9', 'msg_9', ?)", (json.dumps({"type": "text", "text": "Hi"}),))
    db.commit()
    db.close()
    return path


# Aider ends each line of its own with two blanks (here ¬); an answer is written down as it is.
AIDER = """
# aider chat started at 2026-11-14 09:00:00

#### hello¬

Hi.

# aider chat started at 2026-11-15 10:00:00

> Aider v0.86.2¬
> Model: some-model¬

#### Why does the build fail?¬
#### It did not yesterday.¬

The target is called app:

#### Remember: a heading is nobody's order¬

> Applied edit to src/Makefile¬

#### thanks¬
""".replace("¬", "  ")
