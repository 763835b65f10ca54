"""The bridges for opencode and pi, run by node against a command that writes down what it is told."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memolith.hosts.install.agents import own_text

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(
    NODE is None, reason="needs node, which runs what is installed for opencode and pi"
)

OPENCODE = """
import { Memolith } from "./bridge.mjs"
const messages = [{ info: { summary: true }, parts: [{ type: "text", text: "what was done" }] }]
const client = { session: { messages: async () => ({ data: messages }) } }
const plugin = await Memolith({ client, directory: "/w" })
const system = async () => {
  const output = { system: ["theirs"] }
  await plugin["experimental.chat.system.transform"]({ sessionID: "s1" }, output)
  return output.system
}
const parts = [{ type: "text", text: "fix it" }, { type: "file" }]
const title = system()
await plugin["chat.message"]({ sessionID: "s1" }, { parts })
await title
const first = await system()
await plugin.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
await plugin.event({ event: { type: "session.compacted", properties: { sessionID: "s1" } } })
const second = await system()
await plugin.event({ event: { type: "session.deleted", properties: { info: { id: "s1" } } } })
await plugin["chat.message"]({ sessionID: "s1" }, { parts })
await plugin.dispose()
console.log(JSON.stringify([first, second]))
"""
PI = """
import extension from "./bridge.mjs"
const on = {}
extension({ on: (name, handler) => (on[name] = handler) })
const ctx = { cwd: "/w", sessionManager: { getSessionFile: () => "/s/1.jsonl", getSessionId: () => "s1" } }
await on.session_start({ reason: "startup" }, ctx)
const first = await on.before_agent_start({ prompt: "fix it" }, ctx)
await on.session_compact({ compactionEntry: { summary: "what was done" } }, ctx)
const second = await on.before_agent_start({ prompt: "go on" }, ctx)
await on.agent_end({}, ctx)
await on.session_shutdown({}, ctx)
console.log(JSON.stringify([first, second]))
"""


def play(
    tmp_path: Path, bridge: str, script: str, *, answer: str = 'echo "about $5"'
) -> tuple[Any, list[Any]]:
    """Return what the script printed, and what the command was told."""
    command, told = tmp_path / "memolith", tmp_path / "told"
    command.write_text(f'#!/bin/sh\necho "$*" >> {told}\ncat >> {told}\necho >> {told}\n{answer}\n')
    command.chmod(0o755)
    (tmp_path / "bridge.mjs").write_text(bridge)
    (tmp_path / "play.mjs").write_text(script)
    assert NODE
    done = subprocess.run([NODE, "play.mjs"], cwd=tmp_path, capture_output=True, check=True)
    lines = told.read_text().splitlines() if told.exists() else []
    return json.loads(done.stdout), list(zip(lines[::2], map(json.loads, lines[1::2]), strict=True))


def test_opencode_gets_memory_in_its_system_prompt_and_tells_what_happens(tmp_path: Path) -> None:
    printed, told = play(tmp_path, own_text("opencode.ts", str(tmp_path / "memolith")), OPENCODE)
    assert printed == [
        ["theirs", "about SessionStart", "about UserPromptSubmit"],
        ["theirs", "about SessionStart"],
    ]
    about = {"session_id": "s1", "cwd": "/w"}
    expected = [
        {"hook_event_name": "SessionStart", **about, "source": "startup"},
        {"hook_event_name": "UserPromptSubmit", **about, "prompt": "fix it\n"},
        {"hook_event_name": "Stop", **about},
        {"hook_event_name": "PostCompact", **about, "summary": "what was done"},
        {"hook_event_name": "SessionStart", **about, "source": "compact"},
        {"hook_event_name": "SessionEnd", **about},
        {"hook_event_name": "SessionStart", **about, "source": "startup"},
        {"hook_event_name": "UserPromptSubmit", **about, "prompt": "fix it\n"},
        {"hook_event_name": "SessionEnd", **about},  # opencode itself ends
    ]
    assert [each for _, each in told] == expected
    assert [line for line, _ in told] == [
        f"hook --host opencode --event {each['hook_event_name']}" for each in expected
    ]


def test_pi_gets_memory_as_a_message_and_tells_what_happens(tmp_path: Path) -> None:
    printed, told = play(tmp_path, own_text("pi.ts", str(tmp_path / "memolith")), PI)
    assert [each["message"]["content"] for each in printed] == [
        "about SessionStart\nabout UserPromptSubmit"
    ] * 2
    assert printed[0]["message"]["display"] is False
    events = ["SessionStart", "UserPromptSubmit", "PostCompact", "SessionStart", "UserPromptSubmit", "Stop"]
    assert [each["hook_event_name"] for _, each in told] == [*events, "SessionEnd"]
    assert {(each["session_id"], each["cwd"], each["transcript_path"]) for _, each in told} == {
        ("s1", "/w", "/s/1.jsonl")
    }
    assert told[2][1]["summary"] == "what was done"
    assert told[3][1]["source"] == "compact"


def test_a_command_that_fails_or_is_gone_leaves_the_session_alone(tmp_path: Path) -> None:
    printed, _ = play(
        tmp_path, own_text("opencode.ts", str(tmp_path / "memolith")), OPENCODE, answer="echo x; exit 3"
    )
    assert printed == [["theirs"], ["theirs"]]
    printed, _ = play(tmp_path, own_text("pi.ts", "/nowhere/memolith"), PI)
    assert printed == [None, None]
