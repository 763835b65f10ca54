"""The command line: transcripts, wrong input, exit codes, JSON, pipes, completion."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from memolith import Mem, MemolithError
from memolith.base import errors
from memolith.base.values import TARGETS
from memolith.edges.cli import main
from memolith.edges.cli.app import cli, load_commands
from memolith.edges.cli.topics import topics
from memolith.env.settings import SETTINGS
from memolith.text.names import NAMESPACES
from tests.edges.cli import console
from tests.ledger import proves

CANARY = "ghp_" + "aB3dE5gH7j" * 3 + "k9Lm2N"
Capture = pytest.CaptureFixture[str]
_FAR = "how is the staging invoice exported to the tax office of the region?"
SCRIPT = Path(sys.executable).with_name("memolith")


def rows(name: str) -> list[str]:
    """Return the lines of a table beside this file; the first says what they are."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()[1:]


def run(*arguments: str, cwd: Path, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    """Run the real program."""
    return subprocess.run(
        [str(SCRIPT), *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, **env},
    )


def test_the_tests_that_a_transcript_names_are_there() -> None:
    named = [
        each for path in console.transcripts() for each in re.findall(r"`(tests/\S+::\w+)`", path.read_text())
    ]
    assert named
    for each in named:
        file, _, test = each.partition("::")
        assert f"def {test}(" in (Path(__file__).parents[3] / file).read_text(), each


@pytest.mark.parametrize("path", console.transcripts(), ids=lambda path: path.stem)
def test_a_console_session_prints_what_its_transcript_says(path: Path, work: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    played = console.play(text, work, tmp_path / "home")
    if "UPDATE_TRANSCRIPTS" in os.environ:
        path.write_text(played, encoding="utf-8")
    assert played == text


def test_the_hundred_tasks_are_in_their_transcript_or_said_to_be_elsewhere() -> None:
    text = (console.DIRECTORY / "tasks.md").read_text(encoding="utf-8")
    played = {int(number) for number in re.findall(r"(?m)^\$ .*# (\d+)$", text)}
    elsewhere = {22, 33, 38, 43, 44, 61, 64, *range(76, 79), 80, *range(86, 91), 99, 100}
    assert played | elsewhere == set(range(1, 101))


def test_each_kind_of_error_has_an_exit_code_of_its_own() -> None:
    kinds: list[type[MemolithError]] = [MemolithError, *MemolithError.__subclasses__()]
    codes = [kind.exit_code for kind in kinds]
    assert sorted(codes) == list(range(1, len(kinds) + 1))
    for kind in kinds:
        assert f"{kind.__name__} " in (errors.__doc__ or "")
        assert f"\n{kind.exit_code:>4}  " in f"\n{topics()['exit-codes']}"


@pytest.mark.parametrize(
    ("stdin", "code", "hint"),
    [
        (b"", 2, b"empty"),
        (b"caf\xe9", 7, b"iconv"),
        (b"a\0b", 7, b"NUL"),
        (b"x" * 52_428_800, 6, b"too many"),
        ("é".encode() * 30_000_000, 6, b"too many"),
        (bytes(range(256)) * 100, 7, b"UTF-8"),
    ],
)
def test_bad_bytes_on_standard_input_are_refused_and_nothing_is_touched(
    stdin: bytes, code: int, hint: bytes, work: Path, tmp_path: Path
) -> None:
    done = run("write", "long_term", "-", cwd=work, stdin=stdin)
    assert done.returncode == code
    assert hint in done.stderr
    assert b"Traceback" not in done.stderr
    assert not list((tmp_path / "home").rglob("*.md"))


def test_text_that_begins_with_a_dash_is_text(mem: Mem, work: Path) -> None:
    texts = ["- a list item", "-5 degrees", "--- rule", "- [ ] --json", "-"]
    for text in texts:
        assert run("write", "scratchpad", text, cwd=work, stdin=b"from stdin").returncode == 0
    assert mem.read("scratchpad").splitlines() == [*texts[:-1], "from stdin"]
    assert run("edit", "scratchpad", "--old", "- a list item", "--new", "- b", cwd=work).returncode == 0
    assert run("search", "- b", cwd=work).returncode == 0
    assert run("write", "--", "scratchpad", "--json", cwd=work).returncode == 0
    assert run("write", "scratchpad", "x", "-n", "3", cwd=work).returncode == 2  # an option that is unknown
    # Of every option it is known whether it takes what follows.
    assert b"- no such file" in run("import", "--mine", "- no such file", cwd=work).stderr


@proves("S0.53")
def test_crlf_bom_and_unicode_arrive_as_they_are(work: Path, store: Path) -> None:
    text = "\ufeffä\r\n項目 👨‍👩‍👧".encode()
    run("write", "note", "n", "-", "--mode", "overwrite", cwd=work, stdin=text)
    assert (store / "notes" / "n.md").read_bytes() == "ä\r\n項目 👨‍👩‍👧".encode()
    assert "項目".encode() in run("read", "note", "n", cwd=work, LC_ALL="C").stdout
    assert "項目".encode() in run("read", "note", "n", cwd=work, PYTHONIOENCODING="latin-1").stdout


def test_shared_options_work_before_and_after_the_command(work: Path, tmp_path: Path, capfd: Capture) -> None:
    other = str(tmp_path / "other home")
    assert main(["--home", other, "--project", str(work), "write", "long_term", "here"]) == 0
    assert main(["--home", "nowhere", "read", "--home", other]) == 0
    assert main([f"--home={other}", "context"]) == 0
    assert "here" in capfd.readouterr().out
    assert not (tmp_path / "home").exists()


def test_the_fast_door_and_the_slow_door_answer_alike(mem: Mem, work: Path, capfd: Capture) -> None:
    from memolith.edges.cli import app, ask

    mem.write("long_term", "word")
    for arguments in (["context"], ["search", "word"], ["context", "--json"], ["context", "--max-chars=500"]):
        command = [*arguments, "--project", str(work)]
        assert ask.run_fast(command) == 0
        quick = capfd.readouterr()
        assert app.run(command) == 0
        assert capfd.readouterr() == quick
    for unusual in (["context", "--help"], ["search"], ["context", "-h"], ["write", "x"], []):
        assert ask.run_fast(unusual) is None


@pytest.mark.parametrize("more", [[], ["--kind=preference", "--scope", "user", "--json"], ["--taint", "web"]])
def test_both_doors_remember_alike(more: list[str], work: Path, tmp_path: Path, capfd: Capture) -> None:
    from memolith.edges.cli import app, ask

    seen = []
    for number, door in enumerate((ask.run_fast, app.run)):
        home = tmp_path / f"home{number}"
        places = ["--home", str(home), "--project", str(work)]
        assert door(["remember", "Use 6380.", "--title", "Port", *places, *more]) == 0
        files = [each.read_text() for each in sorted(home.glob("memory/**/*.md"))]
        seen.append((capfd.readouterr().out.replace(str(home), "home"), files))
    assert seen[0] == seen[1]
    assert seen[0][1]
    for line in ("x --title", "- --title T", "x --title T --limit 1", ""):
        assert ask.run_fast(["remember", *line.split()]) is None


def test_escape_sequences_in_a_memory_do_not_reach_the_terminal(mem: Mem, work: Path) -> None:
    mem.write("long_term", "x")
    (mem.root / "MEMORY.md").write_text("evil \x1b]0;title\x07 \x1b[2J \x9b text\n")
    for command in (["read"], ["context"], ["search", "evil"], ["status"], ["doctor"]):
        out = run(*command, cwd=work).stdout.decode()
        assert not any(char in out for char in "\x1b\x07\x9b")


@pytest.mark.parametrize("command", ["context", "read"])
def test_a_closed_pipe_is_no_error(mem: Mem, work: Path, command: str) -> None:
    mem.write("long_term", "x" * 30_000)
    script = f"{SCRIPT} {command} > fifo & head -c 1 < fifo > /dev/null; wait $!"
    done = subprocess.run(["sh", "-c", f"mkfifo fifo; {script}"], cwd=work, capture_output=True, check=False)
    assert done.stderr == b""
    assert done.returncode == 0


def test_help_shows_at_most_30_commands_in_five_groups_on_80_columns_and_at_once() -> None:
    shown = run("help", cwd=Path.cwd()).stdout.decode()
    groups = [part.splitlines()[1:] for part in shown.split("\n\n")[4:] if part.splitlines()[1:]]
    assert len(groups[:-1]) == 5
    assert sum(map(len, groups[:-1])) <= 30
    assert max(map(len, shown.splitlines())) <= 80
    for other in (["--help"], []):
        assert run(*other, cwd=Path.cwd()).stdout.decode() == shown
    code = (
        "import sys; from memolith.edges.cli import main; main(['help']); assert 'click' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)


def test_help_has_examples_for_every_command(capfd: Capture) -> None:
    from memolith.edges.cli.app import cli
    from memolith.edges.cli.app import run as run_app

    for option in ("--version", "-v"):
        run_app([option])
        assert capfd.readouterr().out.startswith("memolith 0.")
    for name, command in cli.commands.items():
        names = [name] if not hasattr(command, "commands") else [f"{name} {sub}" for sub in command.commands]
        for each in names:
            assert run_app([*each.split(), "--help"]) == 0
            text = capfd.readouterr().out
            assert "memolith" in text.partition("Options:")[0].split("\n", 2)[2], each


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_offered_for_each_shell(shell: str, work: Path) -> None:
    script = run("completion", shell, cwd=work)
    assert script.returncode == 0
    assert b"_MEMOLITH_COMPLETE" in script.stdout
    words = "memolith hi"
    done = run(
        cwd=work,
        _MEMOLITH_COMPLETE=f"{shell}_complete",
        COMP_WORDS=words,
        COMP_CWORD="hi" if shell == "fish" else "1",
    )
    assert b"history" in done.stdout


@pytest.fixture
def offered(work: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> Callable[[str], list[str]]:
    """Return a function that says what bash would offer at the end of a line."""
    monkeypatch.chdir(work)
    monkeypatch.setenv("_MEMOLITH_COMPLETE", "bash_complete")

    def ask(line: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        assert main([]) == 0
        said = capfd.readouterr()
        assert said.err == ""
        return [each.partition(",")[2] for each in said.out.splitlines() if each]

    return ask


@pytest.mark.parametrize("row", rows("completions.txt"))
def test_the_shell_offers_the_words_and_names_that_fit(
    row: str, mem: Mem, offered: Callable[[str], list[str]]
) -> None:
    mem.write("note", "x", name="alpha")
    mem.write("note", "x", name="beta")
    mem.write("note", "x", name="mine", scope="user")
    mem.write("daily", "x")
    lists = {"TARGETS": TARGETS, "SETTINGS": SETTINGS, "SLUG": [mem.project], "ROOT": [mem.identity.root]}
    if "alpha |" in row:
        mem.edit("note", "x", "y", "alpha")
    if "--ticket" in row or "--supersedes" in row:
        mem.tickets.add("Fix login")
        mem.records.add("Use tabs.", category="decisions", scope="project")
    lists["ADDRESSES"] = [f"memory://{name}" for name in NAMESPACES]
    line, _, words = row.partition("|")
    wanted = [each for word in words.split() for each in lists.get(word, [word])]
    assert offered(f"memolith {line}") == wanted


def test_completion_looks_into_the_home_that_was_given(
    mem: Mem,
    work: Path,
    tmp_path: Path,
    offered: Callable[[str], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mem.write("note", "x", name="real")
    Mem.open(work, home=tmp_path / "other").write("note", "x", name="elsewhere")
    assert offered(f"memolith read note --home {tmp_path / 'other'} ") == ["elsewhere"]
    assert offered(f"memolith --home {tmp_path / 'other'} undo e") == ["elsewhere"]
    monkeypatch.setenv("MEMOLITH_IDENTITY", "broken")
    assert offered("memolith undo r") == []


@pytest.mark.parametrize(
    ("key", "value", "step"),
    [
        ("models.url", "https://bob:Zq7mPwAf@example.org/v1", "MEMOLITH_MODELS_URL"),
        ("models.command", "curl -H 'Authorization: Bearer Zq7mPwAeAeAeAeAe99'", "`models.key_command`"),
    ],
)
def test_a_setting_with_a_secret_in_it_is_refused_with_the_next_step(
    key: str, value: str, step: str, tmp_path: Path, capfd: Capture
) -> None:
    assert main(["config", "set", key, value]) == 2
    told = capfd.readouterr().err
    assert step in told
    assert "Zq7mPw" not in told
    assert not any("Zq7mPw" in each.read_text() for each in tmp_path.rglob("config.yml"))
    assert main(["config", "set", "models.key_command", "pass show openai"]) == 0


def test_a_completion_script_and_the_path_of_the_settings_can_be_had_as_json(capfd: Capture) -> None:
    assert main(["completion", "fish"]) == 0
    script = capfd.readouterr().out
    assert main(["completion", "fish", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == {"version": 1, "shell": "fish", "script": script}
    assert main(["config", "path", "--json"]) == 0
    assert json.loads(capfd.readouterr().out).keys() == {"version", "path"}


def shell(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a line in a shell, with `memolith` on its path."""
    path = f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path}
    return subprocess.run(
        ["sh", "-c", command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("row", rows("streams.txt"))
def test_a_closed_stream_drops_what_would_go_there_and_nothing_else(row: str, mem: Mem, work: Path) -> None:
    mem.write("long_term", "x")
    mem.write("scratchpad", "one")
    mem.write("scratchpad", "two", "overwrite")
    code, _, command = row.partition(" ")
    done = shell(command, work)
    assert done.returncode == int(code), done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert done.stdout == ""
    if "<&-" in command and done.returncode:
        assert "standard input is closed" in done.stderr
    assert mem.read("long_term") == "x\n"
    assert len(list(mem.root.rglob("daily/*.md"))) == (1 if "daily x" in command else 0)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("command", "unbuffered"),
    [
        *(("write daily x", ""), ("write daily x", "1"), ("context", "1"), ("status --json", "")),
        *(("--help", ""), ("list -h", "1"), ("", "")),
    ],
)
def test_a_full_disk_behind_standard_output_is_not_blamed_on_the_memory(
    command: str, unbuffered: str, mem: Mem, work: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    mem.write("long_term", "x")
    done = shell(f"memolith {command} > /dev/full", work)
    assert done.stderr == "memolith: error: standard output: No space left on device\n"
    assert done.returncode == 8
    assert len(list(store.glob("daily/*.md"))) == (1 if "daily" in command else 0)


@pytest.mark.parametrize("scope", ["user", "assistant", "global"])
def test_list_knows_all_names_of_a_scope(scope: str, mem: Mem, work: Path, capfd: Capture) -> None:
    mem.write("note", "x", name="mine", scope="user")
    mem.write("note", "x", name="ours")
    assert main(["list", "notes", "--scope", scope, "--json", "--project", str(work)]) == 0
    assert [row["path"] for row in json.loads(capfd.readouterr().out)["files"]] == ["notes/mine.md"]
    assert main(["list", "notes", "--scope", "workspace", "--json", "--project", str(work)]) == 0
    (row,) = json.loads(capfd.readouterr().out)["files"]
    assert row["path"].endswith("/ours.md")


def test_list_leaves_out_what_is_not_a_regular_file_or_cannot_be_read(
    mem: Mem, work: Path, store: Path, capfd: Capture
) -> None:
    mem.write("note", "x", name="real")
    (store / "notes" / "link.md").symlink_to("/etc/passwd")
    (store / "SCRATCHPAD.md").symlink_to("/etc/passwd")
    mem.write("note", "x", name="theirs")
    theirs = store / "notes" / "theirs.md"
    theirs.chmod(0)
    if os.geteuid() == 0:  # who may read everything
        os.chown(theirs, 12345, -1)
    assert main(["list", "--json", "--project", str(work)]) == 16
    printed = json.loads(capfd.readouterr().out)
    assert [Path(row["path"]).name for row in printed["files"]] == ["real.md"]
    assert printed["complete"] is False


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("MEMOLITH_HISTORY_DAYS", "999999999999999999", "at most 36500"),
        ("MEMOLITH_LOCK_SECONDS", "1e9", "at most 3600"),
        ("MEMOLITH_HOME", "/etc/passwd", "/etc/passwd: not a directory"),
        ("MEMOLITH_HOME", "  ", "MEMOLITH_HOME is blank"),
    ],
)
def test_a_bad_variable_is_told_before_anything_is_written(
    name: str, value: str, hint: str, work: Path, tmp_path: Path
) -> None:
    done = run("write", "daily", "x", cwd=work, stdin=b"", **{name: value})
    assert done.returncode == 12
    assert hint in done.stderr.decode()
    assert not (tmp_path / "home" / "memory").exists()
    assert list(work.iterdir()) == []


def test_an_empty_home_variable_means_no_home(work: Path) -> None:
    done = run("write", "daily", "x", cwd=work, HOME="", MEMOLITH_HOME="")
    assert done.returncode == 12
    assert b"there is no home directory" in done.stderr


def test_the_demo_remembers_injects_recalls_and_leaves_nothing(work: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = run("demo", cwd=work, TMPDIR=str(temporary))
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "error" not in text
    for piece in (
        "$ memolith remember",
        "<memory note=",
        "- [ ] release 1.4",
        "[secret:aws-key-id]",
        "notes/running-the-tests.md",
        "it has 18 bytes again",
    ):
        assert piece in text
    assert list(temporary.iterdir()) == []
    assert not (tmp_path / "home").exists()


def test_a_broken_config_names_the_file_and_line(mem: Mem, work: Path, capfd: Capture) -> None:
    path = Path(mem.home) / "config.yml"
    path.parent.mkdir(parents=True)
    path.write_text("identity: git\ninject: [\n")
    assert main(["context", "--project", str(work)]) == 12
    assert f"{path}:2:" in capfd.readouterr().err


@proves("X.21")
def test_a_machine_without_a_home_directory_gets_a_clear_error(work: Path) -> None:
    script = (
        "import pwd; pwd.getpwuid = lambda _: {}['nobody']; "
        "from memolith.edges.cli import main; raise SystemExit(main(['context']))"
    )
    env = {key: value for key, value in os.environ.items() if key not in ("HOME", "MEMOLITH_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=work, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 12
    assert "MEMOLITH_HOME" in done.stderr


def test_an_undo_can_name_a_version_and_history_can_show_it(mem: Mem, work: Path, capfd: Capture) -> None:
    for text in ("one", "two", "three"):
        mem.write("scratchpad", text, "overwrite")
    assert main(["history", "scratchpad", "--json", "--project", str(work)]) == 0
    versions = json.loads(capfd.readouterr().out)["versions"]
    assert [row["op"] for row in versions] == ["overwrite", "overwrite"]
    assert main(["history", "scratchpad", str(versions[-1]["id"]), "--project", str(work)]) == 0
    assert capfd.readouterr().out == "one"
    assert main(["undo", "scratchpad", str(versions[-1]["id"]), "--project", str(work)]) == 0
    assert mem.read("scratchpad") == "one"


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_version_is_shown_without_the_secret_that_somebody_typed(
    mem: Mem, store: Path, work: Path, capfd: Capture, codec: str, as_json: list[str]
) -> None:
    """Found by an attack: an agent may run the command."""
    mem.write("note", "one", name="plan")
    (store / "notes" / "plan.md").write_bytes(f"Plan\n\ntoken: {CANARY}\n".encode(codec))
    mem.write("note", "two", "overwrite", name="plan")
    arguments = ["history", "plan", "--project", str(work)]
    assert main([*arguments, "--json"]) == 0
    version = json.loads(capfd.readouterr().out)["versions"][0]["id"]
    assert main([*arguments, *as_json, str(version)]) == 0
    shown = capfd.readouterr()
    plain = (shown.out + shown.err).replace("\0", "").replace("\\u0000", "")
    assert CANARY not in plain
    assert "[secret:" in plain
    assert "scan --purge" in plain


@pytest.mark.parametrize("answer", ["y", "n"])
@pytest.mark.parametrize(
    "command",
    [
        ["remember", "We deploy with Kustomize.", "--title", "Deploying now"],
        ["record", "add", "We deploy with Kustomize.", "--category", "decisions", "--scope", "project"],
    ],
    ids=["note", "record"],
)
def test_at_a_terminal_a_person_decides_whether_a_fact_replaces_another(
    mem: Mem, work: Path, command: list[str], answer: str
) -> None:
    if command[0] == "remember":
        mem.remember("We deploy with Helm.", "Deploying")
    else:
        mem.records.add("We deploy with Helm.", category="decisions", scope="project")
    ours, theirs = os.openpty()
    os.write(ours, f"{answer}\n".encode())
    run = [sys.executable, "-m", "memolith", *command, "--project", str(work)]
    done = subprocess.run(run, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, check=True)
    asked = os.read(ours, 4096).decode()
    os.close(ours)
    os.close(theirs)
    assert "We deploy with Helm." in asked
    assert b"beside" in done.stdout or b"see also" in done.stdout or answer == "y"
    known = {hit.snippet for hit in mem.recall("how do we deploy?")}
    assert known == {"We deploy with Kustomize."} | ({"We deploy with Helm."} if answer == "n" else set())


@pytest.mark.parametrize(("question", "code"), [("who restarts the staging cluster 3?", 0), (_FAR, 1)])
def test_hits_of_which_none_is_sure_end_with_the_code_of_nothing_found(
    question: str, code: int, mem: Mem, work: Path, capfd: Capture
) -> None:
    for number in range(6):
        mem.remember(f"The staging cluster {number} is restarted by the night shift.", f"Cluster {number}")
    assert main(["recall", question, "--project", str(work)]) == code
    first = capfd.readouterr().out.splitlines()[0]
    assert first.startswith("1. ")
    assert first.endswith(" weak)") == bool(code)
    assert main(["recall", question, "--quiet", "--project", str(work)]) == code


def test_every_argument_and_option_that_is_not_free_text_is_completed() -> None:
    load_commands()
    typed = {
        "TEXT",
        "TITLE",
        "N",
        "DATE",
        "TOKENS",
        "HASH",
        "P",
        "VALUE",
        "MODEL",
        "QUERY",
        "COMMAND",
        "[NAME]",
    }
    left = []
    for name, command in _commands(cli):
        for each in command.params:
            is_given = not (isinstance(each, click.Option) and (each.is_flag or each.hidden))
            is_text = (each.metavar or str(each.name).upper()) in typed or each.opts == ["--id"]
            if is_given and not is_text and name != "hook" and vars(each)["_custom_shell_complete"] is None:
                left.append(f"{name} {each.name}")
    assert left == []


def _commands(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{above}{name} ")
        else:
            yield f"{above}{name}", command
