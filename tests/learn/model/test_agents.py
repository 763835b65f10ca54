"""Models behind programs: real processes that answer as scripted."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from memolith.learn.model import llm
from memolith.learn.model.llm import Client
from tests.learn.model.asked import GOOD, KEY, ask, failure
from tests.learn.model.fake_agent import Agent, install
from tests.learn.scripted import client, settings, spent
from tests.ledger import proves
from tests.shared import rows

ALL = pytest.mark.parametrize("name", ["claude", "codex", "gemini"])


def model(agent: Agent, name: str, **values: str) -> Client:
    outside = {**os.environ, **agent.env, "MEMOLITH_HOME": "/home/x", "CLAUDECODE": "1", "MINE": "kept"}
    return client(llm.find(settings("models", default=name, **values), "default", outside), timeout=20)


def is_gone(pid: int) -> bool:
    """Tell whether a process ended; one that nobody has reaped yet counts too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_until_gone(pid: int) -> None:
    end = time.monotonic() + 5
    while not is_gone(pid):
        assert time.monotonic() < end, f"{pid} is still there"


@ALL
def test_an_agent_is_asked_once_in_an_empty_place_and_told_that_it_is_ours(tmp_path: Path, name: str) -> None:
    agent = install(tmp_path, name, {"say": GOOD})
    asked = model(agent, name)
    assert (ask(asked, user=f"Key {KEY}."), asked.name) == (GOOD, name)
    assert (spent(asked).tokens_in, spent(asked).tokens_out) == (95, 7)
    (call,) = agent.calls
    env = call["env"]
    assert (env["MEMOLITH_INTERNAL"], env["MINE"]) == ("1", "kept")
    assert [key for key in env if key.startswith("MEMOLITH_")] == ["MEMOLITH_INTERNAL"]
    assert "CLAUDECODE" not in env
    assert call["leads"]
    assert not call["tty"]
    assert not Path(call["cwd"]).exists()
    assert set(call["files"]) <= {"schema.json", "system.md", ".gemini/settings.json"}
    given = json.dumps([call["argv"], call["input"], call["files"]])
    assert "You extract." in given
    assert "[secret:" in call["input"]
    assert KEY not in given


def test_claude_has_no_tools_no_settings_and_no_history(tmp_path: Path) -> None:
    agent = install(tmp_path, "claude", {"say": GOOD})
    ask(model(agent, "claude:haiku", effort="minimal"))
    (call,) = agent.calls
    argv = call["argv"]
    said = {flag: argv[argv.index(flag) + 1] for flag in argv[:-1] if flag.startswith("--")}
    assert argv[0] == "-p"
    assert (said["--output-format"], said["--tools"], said["--setting-sources"]) == ("json", "", "")
    assert (said["--model"], said["--effort"], said["--system-prompt"]) == ("haiku", "low", "You extract.")
    assert json.loads(said["--json-schema"])["required"] == ["fact", "level", "tags"]
    assert {"--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"} <= set(argv)
    assert call["env"]["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "500"
    assert "What is" not in " ".join(argv)
    assert call["input"].startswith("What is")


def test_codex_gets_its_schema_as_a_file_and_may_only_read(tmp_path: Path) -> None:
    agent = install(tmp_path, "codex", {"say": GOOD})
    ask(model(agent, "codex:gpt-x", effort="high"))
    (call,) = agent.calls
    argv = call["argv"]
    assert argv[0] == "exec"
    assert argv[-1] == "-"
    assert argv[argv.index("--output-schema") + 1] == f"{call['cwd']}/schema.json"
    assert argv[argv.index("-s") + 1] == "read-only"
    assert argv[argv.index("-m") + 1] == "gpt-x"
    assert argv[argv.index("-c") + 1] == 'model_reasoning_effort="high"'
    assert {"--ephemeral", "--ignore-user-config", "--ignore-rules", "--skip-git-repo-check"} <= set(argv)
    assert json.loads(call["files"]["schema.json"])["additionalProperties"] is False


def test_gemini_has_no_tools_and_is_told_the_schema(tmp_path: Path) -> None:
    agent = install(tmp_path, "gemini", {"say": GOOD})
    ask(model(agent, "gemini:flash"))
    (call,) = agent.calls
    assert json.loads(call["files"][".gemini/settings.json"]) == {"tools": {"core": ["none"]}}
    assert call["env"]["GEMINI_SYSTEM_MD"] == f"{call['cwd']}/system.md"
    assert call["argv"][-2:] == ["-m", "flash"]
    assert '"additionalProperties"' in call["input"]
    assert "You extract." not in call["input"]


def test_any_command_will_do(tmp_path: Path) -> None:
    agent = install(tmp_path, "mine", {"say": f"Sure!\n{json.dumps(GOOD)}\nAnything else?"})
    asked = model(agent, "command:big", command="mine --schema={schema} --model '{model}' x")
    assert (ask(asked), asked.name) == (GOOD, "command:big")
    (call,) = agent.calls
    assert call["argv"] == [f"--schema={call['cwd']}/schema.json", "--model", "big", "x"]
    assert "You extract." in call["input"]
    assert (spent(asked).tokens_in, spent(asked).tokens_out) == (6, 15)  # nobody counted: estimated


@proves("S2.57")
def test_auto_takes_the_agent_of_the_session_else_the_first_that_is_there(tmp_path: Path) -> None:
    install(tmp_path, "gemini", {"say": GOOD})
    path = {"PATH": str(install(tmp_path, "codex", {"say": GOOD}).env["PATH"].partition(":")[0])}
    auto = settings("models", default="auto")
    found = [llm.find(auto, "smol", path, agent=agent).name for agent in ("gemini", "claude", "")]
    assert found == ["gemini", "codex", "codex"]


@pytest.mark.parametrize(("name", "step", "kind", "said", "times"), rows("learn/model/failures"))
def test_what_an_agent_says_of_its_failure_is_understood(
    tmp_path: Path, name: str, step: dict[str, Any], kind: str, said: str, times: int
) -> None:
    agent = install(tmp_path, name, step)
    failure(model(agent, name), kind, said)
    assert len(agent.calls) == times


def test_a_secret_in_what_a_program_says_is_not_repeated(tmp_path: Path) -> None:
    agent = install(tmp_path, "mine", {"error": f"login failed for {KEY}\x1b[2J", "exit": 1})
    message = str(failure(model(agent, "command", command="mine"), "unavailable", "login failed"))
    assert KEY not in message
    assert message.isprintable()


def test_a_child_that_does_not_end_is_gone_after_the_deadline_with_all_its_helpers(tmp_path: Path) -> None:
    agent = install(tmp_path, "claude", {"hang": True, "deaf": True, "helper": True})
    failure(model(agent, "claude"), "timeout", "it was stopped", seconds=2)
    (call,) = agent.calls
    assert is_gone(call["pid"])
    wait_until_gone(call["helper"])


def test_a_helper_that_stays_behind_is_not_waited_for_and_ended(tmp_path: Path) -> None:
    agent = install(tmp_path, "claude", {"say": GOOD, "helper": True})
    started = time.monotonic()
    assert ask(model(agent, "claude")) == GOOD
    assert time.monotonic() - started < 10
    wait_until_gone(agent.calls[0]["helper"])


def test_a_program_that_never_stops_talking_is_stopped(tmp_path: Path) -> None:
    agent = install(tmp_path, "mine", {"flood": True})
    failure(model(agent, "command", command="mine"), "too_long", "printed too much")
    assert is_gone(agent.calls[0]["pid"])


def test_a_program_that_cannot_be_started_is_unavailable(tmp_path: Path) -> None:
    agent = install(tmp_path, "mine", {"say": GOOD})
    asked = model(agent, "command", command="mine")
    (tmp_path / "bin" / "mine").write_bytes(b"#!/nonexistent/interpreter\n")
    failure(asked, "unavailable", "cannot be started")
