"""memolith is gone, or moved, or its home cannot be written: agents do not notice, and a person is told."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memolith.edges.cli import main
from memolith.hosts.install import entries
from memolith.hosts.install.agents import HOSTS, Place

COMMAND = str(Path(sys.executable).parent / "memolith")


def hooks(user: Path) -> list[dict[str, Any]]:
    """Return every hook that is installed, whatever the form of its agent."""
    found = []
    for path in user.rglob("*.json"):
        for groups in (entries.value_of(path.read_text("utf-8"), "json").get("hooks") or {}).values():
            found += [each for group in groups for each in group.get("hooks", [group])]
    return found


@pytest.fixture
def movable(tmp_path: Path) -> Path:
    """Return a `memolith` that can be removed."""
    (tmp_path / "venv").mkdir()
    return Path(shutil.copy(COMMAND, tmp_path / "venv" / "memolith"))


def install(movable: Path, *options: str) -> None:
    names = [option for name in HOSTS for option in ("--agent", name)]
    subprocess.run([movable, "init", "--yes", *(options or names)], check=True, capture_output=True)


def doctor(capfd: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    capfd.readouterr()
    main(["doctor", "--json"])
    found = json.loads(capfd.readouterr().out)["findings"]
    return [each for each in found if each["kind"] == "agent"]


def test_a_hook_whose_command_is_gone_says_nothing_and_succeeds(user: Path, movable: Path) -> None:
    """A shell's 127 blocked every prompt in Gemini CLI."""
    install(movable)
    shutil.rmtree(movable.parent)
    found = hooks(user)
    assert len(found) >= 20
    for each in found:
        for shell in ("/bin/sh", "/bin/bash"):
            done = subprocess.run(
                [shell, "-c", each.get("command") or each["bash"]],
                input=b"{}",
                capture_output=True,
                check=False,
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), each


def test_a_hook_whose_interpreter_is_gone_says_nothing_and_succeeds(user: Path, movable: Path) -> None:
    install(movable, "--agent", "gemini")
    movable.write_text("#!/gone/bin/python\n")
    for each in hooks(user):
        done = subprocess.run(
            ["/bin/sh", "-c", each["command"]], input=b"{}", capture_output=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_a_hook_answers_still_arrives(user: Path, work: Path) -> None:
    assert main(["write", "long_term", "- I am Ada."]) == 0
    assert main(["init", "--yes", "--agent", "gemini"]) == 0
    event = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(work), "timestamp": "t"}
    command = hooks(user)[0]["command"]
    done = subprocess.run(
        ["/bin/sh", "-c", command], input=json.dumps(event).encode(), capture_output=True, check=True
    )
    assert "I am Ada." in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_powershell_gets_a_command_that_catches_what_is_missing(user: Path) -> None:
    place = Place(command="C:\\it's\\memolith.exe", env={}, home=str(user), project="")
    hook = next(
        entry.value
        for target in HOSTS["copilot"].targets(place)
        for entry in target.entries
        if entry.how == "add"
    )
    assert isinstance(hook, dict)
    run = "& 'C:\\it''s\\memolith.exe' hook --host copilot --event sessionStart 2>$null"
    assert hook["powershell"] == f"try {{ {run} }} catch {{}}; exit 0"
    assert entries.commands({"hooks": {"x": [{"powershell": hook["powershell"]}]}})


@pytest.mark.parametrize("how", ["removed", "interpreter", "long"])
def test_doctor_and_status_name_a_command_that_cannot_run(
    how: str, user: Path, movable: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    install(movable)
    found = doctor(capfd)
    assert [each for each in found if "not trusted" not in each["message"]] == []
    if how == "removed":
        movable.unlink()
        expected = f"runs {movable}, which is gone; `memolith init` installs the command that runs this"
    else:
        first = (
            "#!/gone/python -I\n" if how == "interpreter" else "#!/bin/sh\n'''exec' \"/gone/python\" \"$0\"\n"
        )
        movable.write_text(first)
        expected = f"runs {movable}, whose interpreter /gone/python is gone"
    found = [each for each in doctor(capfd) if expected in each["message"]]
    names = {Path(each["path"]).relative_to(user).as_posix() for each in found}
    assert {
        ".claude.json",
        ".claude/settings.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".copilot/hooks/memolith.json",
        ".copilot/mcp-config.json",
        ".cursor/mcp.json",
        ".config/opencode/plugin/memolith.ts",
        ".pi/agent/extensions/memolith.ts",
    } <= names
    assert main(["status"]) == 0
    said = capfd.readouterr().out
    assert f"warning      {user}/.gemini/settings.json: Gemini CLI {expected}" in said
    assert main(["init", "--yes"]) == 0  # the command that runs this
    assert [each for each in doctor(capfd) if "runs" in each["message"]] == []


def test_a_command_that_cannot_run_is_neither_installed_nor_called_good(
    user: Path, movable: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """`python -m memolith` runs in an environment that was moved; the command beside it does not."""
    (user / ".gemini").mkdir()
    movable.write_text("#!/gone/bin/python\n")
    monkeypatch.setattr(sys, "executable", str(movable.with_name("python")))
    monkeypatch.setattr(sys, "argv", ["__main__.py"])
    monkeypatch.setenv("PATH", str(movable.parent))
    assert main(["init", "--yes"]) == 2
    assert "cannot run: its interpreter /gone/bin/python is gone" in capfd.readouterr().err
    assert not list(user.rglob("settings.json"))
    assert main(["init", "--check"]) == 1
    assert capfd.readouterr().out.startswith(f"BAD  memolith: command {movable} cannot run")
    monkeypatch.setenv("PATH", str(Path(COMMAND).parent))
    assert main(["init", "--yes"]) == 0
    assert COMMAND in (user / ".gemini" / "settings.json").read_text()


def test_doctor_and_status_name_hooks_that_somebody_took_out(
    user: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    settings, command = user / ".claude" / "settings.json", user / ".claude" / "commands" / "memolith.md"
    assert main(["init", "--yes", "--agent", "claude", "--agent", "gemini"]) == 0
    assert doctor(capfd) == []
    whole = settings.read_bytes()
    value = json.loads(whole)
    del value["hooks"]["Stop"], value["hooks"]["SessionStart"]
    for text, why in (
        (json.dumps(value), "does not run memolith here: SessionStart, Stop; `memolith init` adds this"),
        ('{"model": "best"}', "does not run memolith here: SessionStart, UserPromptSubmit, "),
        ("{,", "cannot read line 1: "),
    ):
        settings.write_text(text)
        (found,) = doctor(capfd)
        assert found["path"] == str(settings)
        assert f"Claude Code {why}" in found["message"]
        assert main(["status"]) == 0
        assert f"warning      {settings}: Claude Code {why}" in capfd.readouterr().out
    settings.write_bytes(whole)
    command.unlink()
    (found,) = doctor(capfd)
    assert (found["path"], "has lost this file" in found["message"]) == (str(command), True)
    assert main(["init", "--yes"]) == 0
    assert doctor(capfd) == []


def test_a_plugin_needs_no_hooks_in_the_settings(user: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--yes", "--agent", "claude"]) == 0
    (user / ".claude" / "settings.json").write_text('{"enabledPlugins": {"memolith@memolith": true}}')
    assert doctor(capfd) == []


@pytest.mark.parametrize("key", ["enabled", "hooks.enabled"])
def test_doctor_and_status_say_that_hooks_are_switched_off(
    key: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 0
    assert main(["config", "set", key, "false"]) == 0
    capfd.readouterr()
    assert main(["doctor"]) == 1
    assert f"`memolith config set {key} true` turns" in capfd.readouterr().out
    assert main(["status"]) == 0
    assert f"`memolith config set {key} true` turns" in capfd.readouterr().out


def test_a_bare_name_that_is_on_no_path_is_put_there_and_not_installed_again(
    user: Path, work: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """`memolith init` writes the same name into a project's files."""
    assert user.is_dir()
    assert main(["init", "--yes", "--scope", "project", "--agent", "gemini"]) == 0
    monkeypatch.setenv("PATH", "/nowhere")
    (found,) = doctor(capfd)
    assert found["path"] == f"{work}/.gemini/settings.json"
    assert "memolith, which is not on the PATH; install it with" in found["message"]
    assert "memolith init" not in found["message"]


def test_doctor_names_hooks_that_codex_skips(user: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--yes", "--agent", "codex"]) == 0
    (found,) = doctor(capfd)
    assert found["path"] == f"{user}/.codex/hooks.json"
    assert "5 of the hooks are not trusted yet" in found["message"]


def test_doctor_and_check_name_a_home_that_cannot_be_written(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["write", "long_term", "- I am Ada."]) == 0
    (user / ".pi").mkdir()
    assert main(["init", "--yes"]) == 0
    may = os.access  # root may write anywhere, but for a disk that is mounted so
    home = str(tmp_path / "home")
    monkeypatch.setattr(os, "access", lambda path, mode, **how: path != home and may(path, mode, **how))
    (found,) = doctor(capfd)
    assert found["path"] == home
    assert "cannot be written" in found["message"]
    assert main(["init", "--check"]) == 1
    assert f"BAD  memolith: {home} cannot be written" in capfd.readouterr().out


@pytest.mark.usefixtures("user")
def test_uninstall_finds_what_was_installed_under_another_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {name: tmp_path / name for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME")}
    for name, place in places.items():
        monkeypatch.setenv(name, str(place))
    (places["CLAUDE_CONFIG_DIR"]).mkdir()
    (places["CLAUDE_CONFIG_DIR"] / "settings.json").write_text('{"model": "best"}')
    assert main(["init", "--yes", "--agent", "claude", "--agent", "codex", "--agent", "opencode"]) == 0
    config = places["CODEX_HOME"] / "config.toml"
    config.write_text(config.read_text() + '\n[later]\na = "b"\n')
    for name in places:
        monkeypatch.delenv(name)
    assert main(["init", "--yes", "--uninstall", "--agent", "opencode"]) == 0
    assert not places["XDG_CONFIG_HOME"].exists()
    assert main(["init", "--yes", "--uninstall"]) == 0
    assert [each.name for each in places["CLAUDE_CONFIG_DIR"].iterdir()] == ["settings.json"]
    assert (places["CLAUDE_CONFIG_DIR"] / "settings.json").read_text() == '{"model": "best"}'
    assert [each.name for each in places["CODEX_HOME"].iterdir()] == ["config.toml"]
    assert "memolith" not in config.read_text()
    assert list((tmp_path / "home" / "state" / "installs").iterdir()) == []


def test_uninstall_leaves_the_files_of_projects_and_names_the_command(
    user: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--yes", "--scope", "project", "--agent", "gemini"]) == 0
    assert main(["init", "--yes", "--agent", "gemini"]) == 0
    capfd.readouterr()
    assert main(["init", "--yes", "--uninstall"]) == 0
    assert f"--uninstall --scope project --project {work}` removes it there" in capfd.readouterr().out
    assert list(user.iterdir()) == []
    assert (work / ".gemini/settings.json").exists()
    assert main(["init", "--yes", "--uninstall", "--scope", "project"]) == 0
    assert list(work.iterdir()) == []


def test_a_check_with_only_the_plugin_is_good(user: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (user / ".claude").mkdir()
    (user / ".claude/settings.json").write_text('{"enabledPlugins": {"memolith@memolith": true}}')
    assert main(["init", "--check"]) == 0
    assert "ok   Claude Code: the plugin memolith@memolith is switched on" in capfd.readouterr().out


def test_an_inline_table_is_named_with_its_line(user: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (user / ".codex").mkdir()
    config = user / ".codex/config.toml"
    config.write_text('model = "x"\nmcp_servers = {other = {command = "y"}}\n')
    assert main(["init", "--yes", "--agent", "codex"]) == 12
    said = capfd.readouterr().err
    assert f"{config}, line 2: mcp_servers is an inline table, to which nothing can be added" in said
