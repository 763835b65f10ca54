"""The bridges for opencode and pi, run by node against a command that writes down what it is told."""

import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from memolith.edges.cli.slash import verbs
from memolith.hosts.install.agents import own_text
from tests.ledger import proves

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(
    NODE is None, reason="needs node, which runs what is installed for opencode and pi"
)


def play(
    tmp_path: Path, host: str, *, command: str = "", answer: str = 'echo "about $5"', **env: str
) -> tuple[Any, list[Any]]:
    """Return what `play_HOST.mjs` printed, and what the command was told."""
    ours, told = tmp_path / "memolith", tmp_path / "told"
    # What it is asked as a server is another matter.
    ours.write_text(
        f'#!/bin/sh\n[ "$1" = mcp ] && exit 1\necho "$*" >> {told}\ncat >> {told}\necho >> {told}\n{answer}\n'
    )
    ours.chmod(0o755)
    (tmp_path / "bridge.mjs").write_text(own_text(f"{host}.ts", command or str(ours)))
    (tmp_path / "play.mjs").write_text(Path(__file__).with_name(f"play_{host}.mjs").read_text())
    assert NODE
    done = subprocess.run(
        [NODE, "play.mjs"], cwd=tmp_path, env={**os.environ, **env}, capture_output=True, check=True
    )
    lines = told.read_text().splitlines() if told.exists() else []
    return json.loads(done.stdout), list(zip(lines[::2], map(json.loads, lines[1::2]), strict=True))


def test_opencode_gets_memory_with_a_message_and_its_system_prompt_stays(tmp_path: Path) -> None:
    printed, told = play(tmp_path, "opencode")
    part = {"id": "prt_2m", "sessionID": "s1", "messageID": "m1", "type": "text", "synthetic": True}
    both = {**part, "text": "about SessionStart\nabout UserPromptSubmit"}
    assert printed == {
        "first": [[both], ["theirs"]],
        "later": [[{**part, "text": "about UserPromptSubmit"}], ["theirs"]],
        "compacted": ["theirs", "about SessionStart"],  # perhaps in the middle of a turn
        "resumed": [[both], ["theirs"]],
    }
    about = {"session_id": "s1", "cwd": "/w"}
    expected = [
        {"hook_event_name": "SessionStart", **about, "source": "startup"},
        {"hook_event_name": "UserPromptSubmit", **about, "prompt": "fix it\n"},
        {"hook_event_name": "UserPromptSubmit", **about, "prompt": "fix it\n"},
        {"hook_event_name": "Stop", **about},
        {"hook_event_name": "PostCompact", **about, "summary": "what was done"},
        {"hook_event_name": "SessionStart", **about, "source": "compact"},
        {"hook_event_name": "SessionEnd", **about},
        {"hook_event_name": "SessionStart", **about, "source": "resume"},
        {"hook_event_name": "UserPromptSubmit", **about, "prompt": "fix it\n"},
        {"hook_event_name": "SessionEnd", **about},  # opencode itself ends
    ]
    assert [each for _, each in told] == expected
    assert [line for line, _ in told] == [
        f"hook --host opencode --event {each['hook_event_name']}" for each in expected
    ]


def test_pi_gets_memory_as_a_message_and_tells_what_happens(tmp_path: Path) -> None:
    printed, told = play(tmp_path, "pi")
    assert [each["message"]["content"] for each in printed] == [
        "about SessionStart\nabout UserPromptSubmit"
    ] * 2
    assert printed[0]["message"]["display"] is False
    events = ["SessionStart", "UserPromptSubmit", "PostCompact", "SessionStart", "UserPromptSubmit", "Stop"]
    assert [each["hook_event_name"] for _, each in told] == [*events, "SessionEnd"]
    assert {(each["session_id"], each["cwd"], each["transcript_path"]) for _, each in told} == {
        ("s1", str(tmp_path), "/s/1.jsonl")
    }
    assert told[2][1]["summary"] == "what was done"
    assert told[3][1]["source"] == "compact"


@proves("X.26")
def test_pi_has_the_tools_and_shows_what_memory_says_without_its_model(tmp_path: Path) -> None:
    printed, _ = play(tmp_path, "pi", command=str(Path(sys.executable).parent / "memolith"), TOOLS="1")
    assert len(printed["names"]) == 6
    assert printed["needs"] == ["content"]
    assert "redis-is-on-6391.md" in printed["said"]["content"][0]["text"]
    assert "nothing in memory has this name" in printed["failed"]
    (shown,) = printed["shown"]
    assert "redis-is-on-6391" in shown


@proves("X.26")
def test_the_installed_command_names_verbs_that_there_are() -> None:
    text = (files("memolith") / "hosts/install/bridges/request.md").read_text()
    named = text.partition(" (")[2].partition(", ...)")[0].replace("\n", " ").split(", ")
    assert len(named) > 5
    assert set(named) <= set(verbs())


def test_amp_gets_memory_with_a_prompt_and_tells_what_happens(tmp_path: Path) -> None:
    printed, told = play(tmp_path, "amp")
    said = [each["message"]["content"] for each in printed["answers"]]
    assert said == ["about SessionStart\nabout UserPromptSubmit", "about UserPromptSubmit"]
    assert printed["shown"] == ["about UserPromptSubmit"]
    assert printed["names"] == []  # this server offers nothing
    assert [each.get("prompt") for _, each in told] == [None, "fix it", "go on", "/memory list"]
    assert {each["session_id"] for _, each in told[:3]} == {"T-1"}


def test_a_command_that_fails_or_is_gone_leaves_the_session_alone(tmp_path: Path) -> None:
    printed, _ = play(tmp_path, "opencode", answer="echo x; exit 3")
    assert printed["first"] == printed["resumed"] == [[], ["theirs"]]
    printed, _ = play(tmp_path, "pi", command="/nowhere/memolith")
    assert printed == [None, None]
