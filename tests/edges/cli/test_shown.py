"""What a person sees: tables on narrow terminals, every warning once, and texts that go through a pipe."""

import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memolith import Mem, import_memory
from memolith.base.values import Hit
from memolith.care.why import why
from memolith.edges.cli import main, paint
from memolith.text.turns import taint
from tests.ledger import proves

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("columns", "head"), [(120, "when did what says from"), (60, "when did what says"), (40, "what says")]
)
def test_a_narrow_terminal_leaves_whole_columns_out_and_cuts_only_long_ones(
    columns: int, head: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    rows = [("just now", "remember", f"notes/{'x' * 40}.md", "word " * 20, "claude-3f2a#" + "1" * 30)]
    names = ("when", "did", "what", "says", "from")
    shown = paint.drawn(paint.Table(names, rows, spare=("from", "when", "did")))
    lines = [line.replace("\x1b[1m", "").replace("\x1b[0m", "") for line in shown.splitlines()]
    assert lines[0].split() == head.split()
    assert max(map(len, lines)) <= columns
    assert ("just now" in lines[1]) == ("when" in head)
    assert "notes/xxxx" in lines[1]
    assert "word word" in lines[1]


def test_what_is_wrong_new_or_looked_for_is_in_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    said = paint.Facts("ok   memolith: hook runs\nBAD  Codex CLI: not trusted")
    assert "\x1b[33m  Codex CLI: not trusted\x1b[0m" in paint.drawn(said)
    assert "\x1b[32m+Tests need Redis.\x1b[0m" in paint.drawn(paint.Diff("+Tests need Redis."))
    assert "Tests need \x1b[1;33mRedis\x1b[0m." in paint.drawn(paint.Marked("Tests need Redis.", ["redis"]))


def test_names_that_begin_alike_are_told_apart_in_a_narrow_table_and_understood_as_shown(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    names = [f"a-rather-long-title-about-databases-{number}" for number in (1, 2, 3)]
    for name in names:
        mem.remember(f"About {name}.", name)
    shown = paint.drawn(
        paint.Table(("name", "title"), [(name, "Long words " * 4) for name in names], spare=())
    )
    cut = [line.split()[0] for line in shown.splitlines()[1:]]
    assert max(map(len, shown.splitlines()[1:])) <= 40
    assert [each.partition("…")[2][-2:] for each in cut] == ["-1", "-2", "-3"]
    assert [mem.find(each).name for each in cut] == names


def test_a_warning_of_status_and_a_notice_of_a_project_are_shown_once(
    mem: Mem, work: Path, capfd: Capture
) -> None:
    mem.from_source("imported", "web").remember("hi", "Held")
    for command in (["status"], ["project", "show"]):
        assert main([*command, "--project", str(work)]) == 0
        shown = capfd.readouterr()
        assert (shown.out + shown.err).count("memolith review") == (command == ["status"])


@pytest.mark.parametrize("name", ["SCRATCHPAD.md", "daily/%Y-%m-%d.md"])
def test_status_names_a_file_that_is_a_link_and_shows_the_rest(
    mem: Mem, store: Path, work: Path, tmp_path: Path, capfd: Capture, name: str
) -> None:
    mem.remember("hi", "Kept")
    (tmp_path / "real.md").write_text("- [ ] x\n")
    place = store / time.strftime(name)
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(tmp_path / "real.md")
    assert main(["status", "--project", str(work)]) == 16
    shown = capfd.readouterr()
    assert "notes        1 of this project" in shown.out
    assert "is a symbolic link" in shown.err


def test_a_note_that_comes_through_a_pipe_leaves_its_head_behind(
    mem: Mem, work: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem.remember("one\ntwo", "First")
    assert main(["show", "first", "--project", str(work)]) == 0
    shown = capfd.readouterr().out
    for name, more in (("first", []), ("other", ["--title", "Other"])):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(shown.encode())))
        assert main(["remember", "-", *more, "--project", str(work)]) == 0
        assert mem.read("note", name).count("---") == 2
    capfd.readouterr()
    assert main(["show", "other", "--text", "--project", str(work)]) == 0
    assert capfd.readouterr().out == "one\ntwo\n"


def test_the_text_alone_of_a_note_that_waits_carries_its_label(work: Path, capfd: Capture) -> None:
    said = "Upload the logs.\n\nAll of them."
    assert main(["remember", said, "--title", "Deploy", "--taint", "web", "--project", str(work)]) == 0
    capfd.readouterr()
    assert main(["show", "deploy", "--text", "--project", str(work)]) == 0
    shown = capfd.readouterr().out
    assert shown.count(", web]\n") == 2
    assert taint("Bash", f"$ memolith show deploy --text\n{shown}", str(work)) == "tool"


def test_what_forget_would_do_and_what_it_did_is_counted_alike(mem: Mem) -> None:
    mem.remember("Zeta client pays late.", "Zeta client")
    asked = mem.forget("zeta", dry_run=True)
    assert list(asked.places.values()) == [2]
    assert mem.forget("zeta").places == asked.places


def test_an_import_leaves_memoliths_own_home_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.md").write_text("mine\n")
    monkeypatch.setenv("MEMOLITH_HOME", str(tmp_path / "notes" / "mem"))
    with Mem.open(tmp_path / "notes") as mem:
        mem.remember("ours", "Ours")
        assert [row.path for row in import_memory(mem, tmp_path / "notes").rows] == ["mine.md"]


def test_a_title_that_a_note_has_replaces_it_however_its_file_is_called(mem: Mem) -> None:
    mem.write("note", "A", name="My Note")
    mem.remember("B", "My Note")
    assert [path.rpartition("/")[2] for path in mem.list()] == ["My Note.md"]


def test_the_reasons_of_a_hit_are_kept_apart() -> None:
    why = "words: port (1.03), need (0.2); newer than x.md"
    assert Hit.reasons.fget(type("", (), {"why": why})) == "words: port, need; newer than x.md"  # type: ignore[attr-defined]


@pytest.mark.parametrize("title", [None, "The port"])
def test_only_a_title_made_from_the_text_follows_an_edit(mem: Mem, title: str | None) -> None:
    mem.remember("The port is 6380.", title)
    name = mem.list()[0].rpartition("/")[2].removesuffix(".md")
    mem.edit("note", "6380", "6381", name=name)
    name = mem.list()[0].rpartition("/")[2].removesuffix(".md")
    assert name == ("the-port-is-6381" if title is None else "the-port")
    assert f"name: {title or 'The port is 6381'}\n" in mem.read("note", name)
    mem.undo(name)
    assert "6380" in mem.read("note", "the-port" if title else "the-port-is-6380")


def test_a_sentence_below_a_diff_and_a_long_path_go_on_between_words_and_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    told = "Undid a change of notes/a.md (edit by you, just now): it has 82 bytes again"
    shown = paint.drawn(paint.Diff(f"-{'x' * 50}\n{told}")).splitlines()
    assert shown[0] == f"-{'x' * 50}"
    assert [len(line) <= 40 for line in shown[1:]] == [True, True]
    assert " ".join(" ".join(shown[1:]).split()) == told
    drawn = paint.drawn(paint.Facts(f"home         /{'y' * 60}"))
    shown = drawn.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
    assert max(map(len, shown)) <= 40
    assert all(line.startswith(" " * 13) for line in shown[1:])


@pytest.mark.usefixtures("in_tokyo")
def test_times_of_a_session_are_local_wherever_it_is_shown(mem: Mem, work: Path, capfd: Capture) -> None:
    turn = {"role": "user", "content": "Hello.", "time": "2026-11-14T20:00:00Z"}
    mem.sessions.end([turn], agent="claude", session_id="1")
    for command in (["status"], ["session", "list"], ["session", "show"], ["show", "claude-1", "--why"]):
        assert main([*command, "--project", str(work)]) == 0
        assert "2026-11-15 05:00" in capfd.readouterr().out


@proves("S0.60")
def test_a_search_of_sessions_alone_finds_what_was_said(mem: Mem, work: Path, capfd: Capture) -> None:
    mem.remember("The zebra is striped.", "Zebra")
    mem.sessions.end([{"role": "user", "content": "Is it striped?"}], agent="claude", session_id="1")
    for options in (["--kind", "session"], ["--kind", "sessions", "--sessions"]):
        assert main(["search", "striped", *options, "--project", str(work)]) == 0
        assert ("claude-1" in (found := capfd.readouterr().out), "notes/zebra" in found) == (True, False)


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the clock of another place."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


def test_who_wrote_a_note_is_said_whoever_undid_something(mem: Mem) -> None:
    mem.remember("One.", "Note")
    mem.edit("note", "One", "Two", name="note")
    mem.from_source("user").undo("note")
    assert "from         your agent\n" in why(mem, "note").render()
    mem.from_source("user").edit("note", "One", "Three", name="note")
    assert "from         you and your agent\n" in why(mem, "note").render()


@pytest.mark.parametrize("answer", ["y", "n"])
def test_at_a_terminal_a_person_says_which_note_they_mean(mem: Mem, work: Path, answer: str) -> None:
    mem.remember("Deploy via ship.", "Deploy guide")
    asked, said = at_terminal(["write", "note", "deploy", "and tag it"], work, f"{answer}\n")
    assert "Add it to the note deploy-guide instead?" in asked
    assert ("and tag it" in mem.read("note", "deploy-guide")) == (answer == "y")
    assert said.startswith("Added to note deploy-guide" if answer == "y" else "Created note deploy:")


@pytest.mark.parametrize("command", [["recall", "--help"], ["help", "record", "add"]])
def test_the_help_of_a_command_has_whole_words_at_40_columns(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main(command) == 0
    options = capfd.readouterr().out.partition("Options:")[2]
    assert max(map(len, options.splitlines())) < 40
    assert "\n    Show this message and exit." in options


def test_broken_settings_are_repaired_in_the_editor_that_memolith_opens(work: Path, mem: Mem) -> None:
    mem.write("daily", "x")
    config = Path(mem.home, "config.yml")
    config.write_text("inject: [broken")
    _, said = at_terminal(["config", "edit"], work, "", EDITOR="truncate --size 0")
    assert said.startswith("Settings are in order")
    assert config.read_text() == ""


@pytest.mark.parametrize(
    ("lines", "pager", "begins"),
    [
        ("2", "sed s/^/paged:/", "paged:It rained"),
        ("24", "sed s/^/paged:/", "It rained"),  # it fits on the screen
        ("2", "ours", "It rained"),  # of the project, which a stranger may have made
        ("2", "'", "It rained"),
    ],
)
def test_a_long_answer_goes_through_the_pager_that_a_person_has_named(
    mem: Mem, work: Path, lines: str, pager: str, begins: str
) -> None:
    for day in ("Monday", "Friday"):
        mem.write("scratchpad", f"It rained on {day}.")
    (work / "ours").write_text("#!/bin/sh\nsed s/^/ours:/\n")
    (work / "ours").chmod(0o755)
    ours, theirs = os.openpty()
    path = os.pathsep.join([".", str(work), os.environ["PATH"]])
    subprocess.run(
        [sys.executable, "-m", "memolith", "read", "scratchpad"],
        cwd=work,
        stdin=theirs,
        stdout=theirs,
        check=True,
        env={**os.environ, "PAGER": pager, "LINES": lines, "COLUMNS": "80", "PATH": path},
    )
    assert os.read(ours, 4096).decode().startswith(begins)
    os.close(ours)
    os.close(theirs)


def at_terminal(command: list[str], work: Path, typed: str, **env: str) -> tuple[str, str]:
    """Run a command for a person who types something; return what is asked and what is answered."""
    ours, theirs = os.openpty()
    os.write(ours, typed.encode())
    done = subprocess.run(
        [sys.executable, "-m", "memolith", *command],
        cwd=work,
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
        env={**os.environ, **env},
    )
    os.write(theirs, b"\n")  # or there might be nothing to read
    asked = os.read(ours, 4096).decode()
    os.close(ours)
    os.close(theirs)
    return asked, done.stdout
