"""`memolith init`: every agent gets what it needs, and gives back the same bytes."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memolith.base.errors import ConflictError
from memolith.edges.cli import main
from memolith.hosts.install import entries, json_text
from memolith.hosts.install.agents import HOSTS, Place
from memolith.hosts.install.plan import Planner
from memolith.store.outside import Installs, tidy
from tests.hosts.sessions import written
from tests.ledger import proves

COMMAND = str(Path(sys.executable).parent / "memolith")
Snapshot = Callable[[Path], dict[str, bytes]]

SETTINGS = """\
// settings of somebody
{
  "model": "best", // the one I like
  "hooks": {
    "Stop": [
      {"hooks": [{"type": "command", "command": "say done"}]}
    ],
    "PreToolUse": []
  },
  "permissions": {"allow": ["Bash(ls:*)"], "deny": []}, /* careful */
}
"""
# What people have before us: with comments, other indentation, other line ends, no line end, nothing at all.
BEFORE: dict[str, dict[str, str]] = {
    "claude": {".claude/settings.json": SETTINGS, ".claude.json": '{"numStartups":3,"mcpServers":{}}'},
    "codex": {".codex/config.toml": '# mine\r\nmodel = "x"\r\n\r\n[mcp_servers.other]\r\ncommand = "y"'},
    "gemini": {".gemini/settings.json": '{\n\t"mcpServers": {\n\t\t"o": {"command": "o"}\n\t}\n}'},
    "qwen": {".qwen/settings.json": '{\n  // mine\n  "hooks": {"Stop": []}\n}\n'},
    "copilot": {".copilot/mcp-config.json": '\ufeff{\r\n    "mcpServers": {}\r\n}\r\n'},
    "cursor": {".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "x"}]}}\n'},
    "opencode": {".config/opencode/opencode.jsonc": '{\n  // mine\n  "instructions": ["AGENTS.md"],\n}\n'},
    "pi": {".pi/agent/settings.json": ""},
    "droid": {".factory/hooks.json": '{"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}\n'},
    "cline": {".cline/data/settings/cline_mcp_settings.json": '{"mcpServers": {}}'},
    "amp": {".config/amp/settings.json": ""},
}


@pytest.fixture
def everybody(user: Path) -> Path:
    """Return the home of somebody who has every agent, with settings of their own."""
    for files in BEFORE.values():
        for name, text in files.items():
            (user / name).parent.mkdir(parents=True, exist_ok=True)
            (user / name).write_bytes(text.encode())
    return user


def init(*options: str) -> int:
    return main(["init", *options])


def told(capfd: pytest.CaptureFixture[str], *options: str, code: int = 0) -> dict[str, Any]:
    capfd.readouterr()
    assert init("--json", *options) == code
    found: dict[str, Any] = json.loads(capfd.readouterr().out)
    return found


def value(path: Path) -> Any:
    return json_text.parse(path.read_bytes().decode()).value


def test_every_agent_gets_hooks_and_server_and_what_was_there_stays(everybody: Path) -> None:
    """What exactly each file gets is what the pages show (test_pages.py)."""
    assert init("--yes") == 0
    place = Place(command=COMMAND, env={}, home=str(everybody), project="")
    for host in HOSTS.values():
        texts = {target.path: Path(target.path).read_text() for target in host.targets(place)}
        settings = [
            entries.value_of(texts[target.path], target.form)
            for target in host.targets(place)
            if target.form != "text"
        ]
        run = [command for each in settings for command in entries.commands(each)]
        assert COMMAND in run or host.name in ("pi", "amp"), host.name
        if host.name in ("opencode", "pi", "amp"):
            assert any(f"const MEMOLITH = {json.dumps(COMMAND)}" in text for text in texts.values())
        elif host.name != "cline":  # which has no hooks that could tell a model anything
            assert any(each.startswith(f"{COMMAND} hook --host {host.name}") for each in run), host.name
    config = tomllib.loads((everybody / ".codex/config.toml").read_text())
    assert config["mcp_servers"]["other"] == {"command": "y"}
    for files in BEFORE.values():
        for name, text in files.items():
            now = (everybody / name).read_bytes().decode()
            if name.endswith("toml") or not text:
                assert now.startswith(text)
                continue
            lines = iter(now.splitlines())
            kept = [line for line in text.splitlines() if line.strip(" ]}{,\t\ufeff") and "{}" not in line]
            assert all(any(_same(line, each) for each in lines) for line in kept), name


def _same(line: str, now: str) -> bool:
    return all(part in now for part in line.rstrip("]}, ").split("]"))


def test_uninstall_gives_back_the_same_bytes_and_leaves_nothing(
    everybody: Path, work: Path, tmp_path: Path, snapshot: Snapshot
) -> None:
    (everybody / ".claude/settings.json").chmod(0o640)
    before, directories = snapshot(everybody), sorted(everybody.rglob("*"))
    assert init("--yes", "--native") == 0
    assert snapshot(everybody) != before
    assert (everybody / ".claude/settings.json").stat().st_mode & 0o777 == 0o640
    kept = tmp_path / "home" / "state" / "installs"
    assert all(each.stat().st_mode & 0o077 == 0 for each in kept.iterdir())
    assert SETTINGS.encode() in snapshot(kept).values()
    assert init("--yes", "--uninstall") == 0
    assert snapshot(everybody) == before
    assert sorted(everybody.rglob("*")) == directories
    assert (everybody / ".claude/settings.json").stat().st_mode & 0o777 == 0o640
    assert list(kept.iterdir()) == []
    assert list(work.iterdir()) == []


@pytest.mark.parametrize("name", HOSTS)
def test_an_agent_that_has_nothing_yet_gets_files_and_loses_them_again(
    name: str, user: Path, snapshot: Snapshot
) -> None:
    assert init("--yes", "--agent", name) == 0
    assert snapshot(user)
    # Agents keep the mode that they find, and put accounts and keys into some of them.
    assert {path.stat().st_mode & 0o777 for path in user.rglob("*") if path.is_file()} == {0o600}
    assert init("--yes", "--agent", name, "--uninstall") == 0
    assert list(user.rglob("*")) == []


def test_a_second_installation_changes_nothing(
    everybody: Path, snapshot: Snapshot, capfd: pytest.CaptureFixture[str]
) -> None:
    assert told(capfd, "--yes")["written"] is True
    before = snapshot(everybody)
    again = told(capfd, "--yes")
    assert {each["action"] for each in again["files"]} == {"unchanged"}
    assert again["message"] == "Nothing to change"
    assert snapshot(everybody) == before


def test_when_others_changed_a_file_since_only_ours_leaves(everybody: Path) -> None:
    assert init("--yes") == 0
    path = everybody / ".claude/settings.json"
    path.write_text(path.read_text().replace('"best"', '"better"'))
    config = everybody / ".codex/config.toml"
    config.write_bytes(config.read_bytes() + b"\r\n[later]\r\na = 1\r\n")
    hooks = everybody / ".codex/hooks.json"
    hooks.write_text(hooks.read_text().replace('"Stop": [', '"Stop": [{"hooks": [{"command": "theirs"}]},'))
    assert init("--yes", "--uninstall") == 0
    assert path.read_text() == SETTINGS.replace('"best"', '"better"')
    assert config.read_bytes().decode() == BEFORE["codex"][".codex/config.toml"] + "\r\n[later]\r\na = 1\r\n"
    assert value(hooks) == {"hooks": {"Stop": [{"hooks": [{"command": "theirs"}]}]}}


def test_a_change_of_ours_by_hand_stays_and_a_command_that_moved_is_replaced(everybody: Path) -> None:
    assert init("--yes") == 0
    path = everybody / ".claude/settings.json"
    path.write_text(path.read_text().replace('"timeout": 5', '"timeout": 4'))
    assert init("--yes") == 0
    assert '"timeout": 4' in path.read_text()
    for each in everybody.rglob("*"):
        if each.is_file():
            each.write_bytes(each.read_bytes().replace(COMMAND.encode(), b"/gone/bin/memolith"))
    place = Place(command=COMMAND, env={}, home=str(everybody), project="")
    for target in (each for host in HOSTS.values() for each in host.targets(place)):
        if target.form == "text":
            Path(target.path).unlink()
    assert init("--yes") == 0
    assert not [each for each in everybody.rglob("*") if each.is_file() and b"/gone/" in each.read_bytes()]
    assert path.read_text().count("memolith hook") == 6
    assert init("--yes", "--uninstall") == 0
    assert path.read_text() == SETTINGS


def test_a_path_with_blanks_is_quoted_for_the_shell(user: Path) -> None:
    place = Place(command="/opt/my tools/memolith", env={}, home=str(user), project="")
    text = str([target.entries for target in HOSTS["claude"].targets(place)])
    assert "'/opt/my tools/memolith' hook --host claude" in text


@proves("S1.18")
def test_claude_code_may_remember_without_a_question_and_asks_before_memory_is_edited(user: Path) -> None:
    assert init("--yes", "--agent", "claude") == 0
    allowed = value(user / ".claude/settings.json")["permissions"]["allow"]
    assert {each.rpartition("__")[2] for each in allowed} == {
        "memory_search",
        "memory_read",
        "recall",
        "remember",
    }


def test_at_a_terminal_it_asks_before_it_writes_and_offers_past_sessions(
    user: Path, work: Path, tmp_path: Path
) -> None:
    import pty

    (user / ".pi/agent/sessions/--w--").mkdir(parents=True)
    (user / ".pi/agent/sessions/--w--/1_i1.jsonl").write_text(written.lines(*written.pi(str(work))))
    said = []
    for answers in (b"d\nn\n", b"y\nn\n", b"y\n", b"y\n"):
        our_end, terminal = pty.openpty()
        os.write(our_end, answers)
        done = subprocess.run([COMMAND, "init"], stdin=terminal, capture_output=True, text=True, check=True)
        os.close(terminal)
        os.close(our_end)
        said.append(done.stdout + done.stderr)
        assert (user / ".pi/agent/extensions/memolith.ts").exists() is (answers[:1] == b"y")
        if len(said) == 2:
            assert not (tmp_path / "home" / "sessions").exists()
    assert said[0].count("Change 1 file? [Y/n, d shows every line]") == 2
    assert "+// " in said[0]
    assert "Nothing was changed" in said[0]
    assert "Read 1 past session into memory and learn by rules" in said[1]
    assert "Later: memolith init --import" in said[1]
    assert "1 session read" in said[2]
    assert "All past sessions are known already" in said[3]
    assert "Read 1 past session" not in said[3]


def test_a_link_stays_a_link(user: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n")
    (user / ".claude").mkdir()
    (user / ".claude/settings.json").symlink_to(real)
    assert init("--yes", "--agent", "claude") == 0
    assert (user / ".claude/settings.json").is_symlink()
    assert "memolith hook" in real.read_text()
    assert init("--yes", "--agent", "claude", "--uninstall") == 0
    assert (user / ".claude/settings.json").is_symlink()
    assert real.read_text() == "{}\n"


def test_a_broken_file_is_named_with_its_line_and_the_others_go_on(
    everybody: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, config = everybody / ".claude/settings.json", everybody / ".codex/config.toml"
    path.write_text('{\n  "a": 1\n  "b": 2\n}\n')
    config.write_text("a = 1\nb = \n")
    assert init("--yes") == 12
    said = capfd.readouterr().err
    assert f"{path}, line 3: a comma or '}}' is expected; correct it and run `memolith init` again" in said
    assert f"{config}, line 2: " in said
    assert path.read_text() == '{\n  "a": 1\n  "b": 2\n}\n'
    assert "memolith" in (everybody / ".gemini/settings.json").read_text()


def test_a_file_that_changes_between_reading_and_writing_is_left_alone(user: Path, tmp_path: Path) -> None:
    path = user / ".cursor/mcp.json"
    path.parent.mkdir()
    path.write_text("{}")
    place = Place(command=COMMAND, env={}, home=str(user), project="")
    planner = Planner(place, Installs(str(tmp_path / "home")))
    step = next(each for each in planner.steps(HOSTS["cursor"]) if each.path == str(path))
    path.write_text('{"theirs": 1}')
    with pytest.raises(ConflictError, match="changed since it was read"):
        planner.apply(step)
    assert path.read_text() == '{"theirs": 1}'
    assert [each.name for each in path.parent.iterdir()] == ["mcp.json"]


def test_a_link_to_nowhere_and_a_directory_are_named_and_left_alone(
    user: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (user / ".cursor/hooks.json").mkdir(parents=True)
    (user / ".cursor/mcp.json").symlink_to("nowhere.json")
    assert init("--yes") == 12
    said = capfd.readouterr().err
    assert f"{user}/.cursor/hooks.json: not a regular file; move it out of the way" in said
    assert f"{user}/.cursor/mcp.json: No such file or directory; it is unchanged. Make it readable" in said
    # An agent gets all of it or nothing.
    assert not (user / ".cursor/commands/memolith.md").exists()


def test_what_has_our_name_and_is_not_ours_is_left_alone(
    user: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    files = {
        ".codex/prompts/memolith.md": "my own prompt",
        ".codex/config.toml": '[mcp_servers.memolith]\ncommand = "other"\n',
        ".cursor/mcp.json": '{"mcpServers": {"memolith": {"url": "https://x.example"}}}',
    }
    for name, text in files.items():
        (user / name).parent.mkdir(parents=True, exist_ok=True)
        (user / name).write_text(text)
    assert init("--yes") == 12
    said = capfd.readouterr().err
    for name, text in files.items():
        assert f"{user / name}: " in said
        assert (user / name).read_text() == text
    assert init("--yes", "--uninstall") == 12  # of the prompt it is not known whose it is
    assert {name: (user / name).read_text() for name in files} == files


@pytest.mark.usefixtures("user")
def test_of_a_file_that_is_new_it_says_in_a_line_what_it_holds(capfd: pytest.CaptureFixture[str]) -> None:
    assert init("--agent", "claude") == 2
    said = capfd.readouterr().out
    assert re.search(r"create +~/.claude/settings.json +[5-9] hooks; permissions ", said)
    assert "permissions mcp__memolith__memory_search, mcp__memolith__memory_read" in said
    assert len(said.splitlines()) == 5


def test_without_a_terminal_or_with_dry_run_it_is_only_shown(
    everybody: Path, tmp_path: Path, snapshot: Snapshot, capfd: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(everybody)
    assert init() == 2
    assert capfd.readouterr().out.endswith(
        "nothing was written: repeat with --yes; --dry-run shows every line\n"
    )
    assert init("--import") == 2
    assert "repeat with --yes" in capfd.readouterr().out
    assert init("--yes", "--ephemeral-memory") == 2
    assert init("--dry-run", "--yes", "--native", "--import") == 0
    said = capfd.readouterr().out
    assert f'+            "command": "{COMMAND} hook --host claude 2>/dev/null || true",' in said
    assert snapshot(everybody) == before
    assert not (tmp_path / "home").exists()


def test_a_project_gets_files_for_everybody_who_shares_it(
    user: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    names = [option for name in HOSTS for option in ("--agent", name)]
    found = told(capfd, "--yes", "--scope", "project", *names)
    assert all(each["path"].startswith(str(work)) for each in found["files"])
    assert value(work / ".mcp.json")["mcpServers"]["memolith"]["command"] == "memolith"
    assert '"memolith hook --host claude 2>/dev/null || true"' in (work / ".claude/settings.json").read_text()
    assert (
        '"memolith hook --host copilot --event sessionEnd 2>/dev/null || true"'
        in (work / ".github/hooks/memolith.json").read_text()
    )
    assert "command" in tomllib.loads((work / ".codex/config.toml").read_text())["mcp_servers"]["memolith"]
    assert list(user.iterdir()) == []
    assert init("--yes", "--scope", "project", "--uninstall") == 0
    assert list(work.iterdir()) == []


def test_only_agents_of_this_machine_are_asked_and_their_directories_may_be_elsewhere(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert told(capfd, "--yes")["message"].startswith("No agent found on this machine")
    for variable in (
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "COPILOT_HOME",
        "PI_CODING_AGENT_DIR",
        "XDG_CONFIG_HOME",
    ):
        (tmp_path / variable).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / variable))
    (tmp_path / "XDG_CONFIG_HOME/opencode").mkdir()
    found = told(capfd, "--yes")
    assert {each["agent"] for each in found["files"]} == {"claude", "codex", "copilot", "pi", "opencode"}
    assert list(user.iterdir()) == []
    assert (tmp_path / "CLAUDE_CONFIG_DIR/.claude.json").exists()


def test_double_installations_are_named(everybody: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (everybody / ".claude/settings.json").write_text('{"enabledPlugins": {"memolith@memolith": true}}')
    config = everybody / ".codex/config.toml"
    config.write_text('[plugins."memolith@memolith"]\nenabled = true\n')
    notes = " ".join(told(capfd, "--yes")["notes"])
    assert notes.count("Codex CLI has the plugin memolith@memolith switched on") == 1
    assert "plugin memolith@memolith switched on" in notes
    assert "Cursor also runs the hooks of Claude Code's settings" in notes


def test_a_secret_in_a_settings_file_is_not_shown(everybody: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from tests.care.test_scan import canary

    key = canary("a token next to our lines")
    (everybody / ".claude.json").write_text(f'{{\n  "mcpServers": {{\n    "o": "{key}"\n  }}\n}}')
    assert init("--yes") == 0
    assert init("--check") in (0, 1)
    printed = capfd.readouterr()
    assert key not in printed.out + printed.err


def test_check_says_whether_command_files_and_server_are_alive(
    user: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (user / ".codex").mkdir()
    (user / ".pi/agent").mkdir(parents=True)
    assert init("--yes", "--agent", "codex") == 0
    found = told(capfd, "--check", code=1)
    checked = {each["told"]: each["is_good"] for each in found["checked"]}
    assert checked[f"command {COMMAND}"]
    assert checked["server answers with 6 tools"]
    assert checked["installed in 3 files"]
    assert not any(each["what"] == "pi" for each in found["checked"])  # nobody asked for it
    alone = told(capfd, "--check", "--agent", "pi", code=1)
    assert {each["is_good"] for each in alone["checked"] if "not installed" in each["told"]} == {False}
    assert any("trust the hooks" in each for each in found["notes"])
    untrusted = "5 of the hooks are not trusted yet, and skipped: start `codex` and trust them"
    assert checked[untrusted] is False
    config = user / ".codex/config.toml"
    events = ("session_start", "user_prompt_submit", "post_compact", "stop", "session_end")
    for event in events:  # as Codex writes it when somebody has agreed
        row = f'[hooks.state."{user}/.codex/hooks.json:{event}:0:0"]\ntrusted_hash = "sha256:0"\n'
        config.write_text(f"{config.read_text()}\n{row}")
    init("--json", "--check", "--agent", "codex")
    again = json.loads(capfd.readouterr().out)
    assert {"what": "Codex CLI", "is_good": True, "told": "hooks are trusted"} in again["checked"]
    assert again["notes"] == []  # what works needs no advice


def test_what_a_killed_process_left_next_to_a_settings_file_goes_and_a_live_one_stays(tmp_path: Path) -> None:
    """Found by `prove faults`: a copy of the settings stayed for good."""
    page = tmp_path / "settings.json"
    page.write_bytes(b"{}")
    gone = subprocess.Popen(["true"])
    gone.wait()
    stale, alive = (tmp_path / f".settings.json.memolith-{number}" for number in (gone.pid, os.getppid()))
    stale.write_bytes(b"tokens")
    alive.write_bytes(b"somebody else's")
    tidy(str(page))
    assert page.read_bytes() == b"{}"
    assert not stale.exists()
    assert alive.exists()
