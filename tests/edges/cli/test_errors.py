"""Every mistake that a person can make at the command line: its exit code, and a line with the next step."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from memolith import Mem
from memolith.edges.cli import main
from memolith.edges.cli.app import cli, load_commands
from tests.promises.test_canary import commands

Capture = pytest.CaptureFixture[str]

# A command line, its exit code, and a piece of the message that says what to do. Words in braces are places
# and values of the fixture `filled`.
MISTAKES: list[tuple[str, int, str]] = [
    ("writ", 2, "did you mean 'write'?"),
    ("stauts", 2, "did you mean 'status'?"),
    ("frobnicate", 2, "see --help"),
    ("write", 2, "Missing argument"),
    ("write long_term", 2, "Missing argument 'TEXT'"),
    ("write longterm x", 2, "one of long_term, scratchpad, daily, note"),
    ("write daily x --mode replace", 2, "one of append, overwrite"),
    ("write daily ''", 2, "text is empty"),
    ("write daily '  \n'", 2, "text is empty"),
    ("write note x", 2, "give --name NAME"),
    ("write note x --name ../up", 2, "use letters, digits"),
    ("write note x --name /etc/passwd", 2, "use letters, digits"),
    ("write note x --name con", 2, "choose another"),
    ("write note x --name MEMORY", 2, "index of the notes"),
    ("write note x --name n --scope team", 2, "one of project, user"),
    ("write daily x --if-sha256 {zeros}", 4, "read it again"),
    ("write daily x --nmae y", 2, "--nmae"),
    ("read diary", 2, "one of long_term"),
    ("read daily --name tomorrow", 2, "YYYY-MM-DD"),
    ("read daily --name ../../etc/passwd", 2, "YYYY-MM-DD"),
    ("read note", 2, "needs a name"),
    ("read --offset -1", 2, "0 or more"),
    ("edit long_term --old absent --new x", 5, "0 times"),
    ("edit long_term", 2, "--old TEXT"),
    ("edit note --name absent", 3, "memolith list notes"),
    ("remember x", 2, "--title"),
    ("remember '' --title T", 2, "give the text"),
    ("remember x --title ' '", 2, "--title"),
    ("update x --mode append --section ' '", 2, "Give its title"),
    ("update x --mode rewrite --section A", 2, "append"),
    ("update x --mode rwrite", 2, "one of append, rewrite"),
    ("context --max-chars 12", 2, "at least 400"),
    ("context --max-chars many", 2, "whole number"),
    ("search x --max-chars 5", 2, "belongs to `context`"),
    ("list note", 2, "did you mean 'notes'?"),
    ("history absent", 3, "memolith list"),
    ("history --show 1", 2, "needs a FILE"),
    ("undo absent", 3, "memolith history"),
    ("undo --home {absent}", 13, "nothing to undo"),
    ("undo --to 3", 2, "needs a FILE"),
    ("undo long_term --to 99", 13, "there are: none"),
    ("config get identty", 12, "did you mean 'identity'?"),
    ("config set identity maybe", 12, "one of git, cwd"),
    ("config set identity", 2, "KEY VALUE"),
    ("config show", 2, "one of list, get, set, path"),
    ("project link absent", 3, "memolith project list"),
    ("project lnk", 2, "did you mean 'link'?"),
    ("completion tcsh", 2, "bash"),
    ("-x", 2, "unknown command '-x'"),
    ("project -x", 2, "unknown command '-x'"),
    ("project show -x", 2, "(-x)"),
    ("completion -x", 2, "unknown shell '-x'"),
    ("config get -x", 12, "unknown setting '-x'"),
    ("write daily ---", 2, "to write text that begins with a dash, put -- before it"),
    ("list --scope team", 2, "one of project, user"),
    ("read --home /etc/passwd", 2, "/etc/passwd: is not a directory"),
    ("context --home /etc/passwd/below", 2, "/etc/passwd: is not a directory"),
    ("status --project /no/such/directory", 2, "no such directory"),
    ("write daily x --home ''", 2, "needs a directory"),
    ("init nonsense", 2, "--help"),
    ("init --agent nope", 2, "one of claude"),
    ("record ad", 2, "did you mean 'add'"),
    ("record add", 2, "Missing argument 'TEXT'"),
    ("record add x", 2, "Missing option '--category'"),
    ("record add x --category decision --scope project", 2, "one of decisions"),
    ("record add x --category decisions --scope team", 2, "one of project, user"),
    ("record add '' --category decisions --scope project", 2, "give it some words"),
    ("record add x --category decisions --scope project --expires 2026-11-20", 2, "use valid_until"),
    ("record add x --category incidents --scope project --expires soon", 2, "YYYY-MM-DD"),
    (
        "record add x --category decisions --scope project --supersedes use-pnmp",
        3,
        "did you mean 'use-pnpm'?",
    ),
    ("record add x --category decisions --scope project --valid-from never", 2, "YYYY-MM-DD"),
    ("record update use-pnmp x", 3, "did you mean 'use-pnpm'?"),
    ("record update use-pnpm", 2, "Give a text or an option"),
    ("record update use-pnpm ''", 2, "give it some words"),
    ("record get use-pnmp", 3, "did you mean 'use-pnpm'?"),
    ("record get ''", 3, "memolith record list"),
    ("record reclassify use-pnpm decision", 2, "one of decisions"),
    ("record archive absent", 3, "memolith record list"),
    ("record restore absent", 3, "memolith record list"),
    ("record delete absent", 3, "memolith record list"),
    ("record list --category decision", 2, "one of decisions"),
    ("record list --status gone", 2, "one of active"),
    ("record list --scope team", 2, "one of project, user"),
    ("ticket add ''", 2, "give it some words"),
    ("ticket add x --type nope", 2, "one of bug"),
    ("ticket add x --priority 9", 2, "one of low"),
    ("ticket add x --status nope", 2, "one of open"),
    ("ticket add x --id ../x", 2, "use letters, digits"),
    ("ticket get fix-logn", 3, "did you mean 'fix-login'?"),
    ("ticket update fix-login --status nope", 2, "one of open"),
    ("ticket update fix-login", 2, "Give an option"),
    ("ticket note fix-login ''", 2, "give it some words"),
    ("ticket note absent x", 3, "memolith ticket list"),
    ("ticket close absent", 3, "memolith ticket list"),
    ("ticket delete absent", 3, "memolith ticket list"),
    ("ticket list --status nope", 2, "one of open"),
    ("ticket import {absent}", 3, "check the path"),
    ("ticket import {folder}", 2, "name a file"),
    ("ticket import {binary}", 7, "iconv"),
    ("ticket import {broken}", 7, "give a list"),
    ("session add {absent} --agent a --id 1", 3, "check the path"),
    ("session add {folder} --agent a --id 1", 2, "name a file"),
    ("session add {binary} --agent a --id 1", 7, "iconv"),
    ("session add {broken} --agent a --id 1", 7, "expected {"),
    ("session add {broken} --agent a", 2, "Missing option '--id'"),
    ("session add {broken} --agent a --id 1 --status nope", 2, "one of running"),
    ("session list extra", 2, "--help"),
    ("session show claude-2", 3, "memolith session list"),
    ("session show claude-1 --turn 9", 3, "they are 1 to 1"),
    ("session show claude-1 --turn x", 2, "not a valid integer"),
    ("session delete claude-2", 3, "memolith session list"),
    ("session delete claude-1", 2, "add --yes"),
    ("session import {absent}", 2, "check the path"),
    ("session import --agent cluade", 2, "one of claude"),
    ("learn run", 12, "memolith config set memories.enabled true"),
    ("learn run --phase 3", 2, "must be 1 or 2"),
    ("learn status extra", 2, "--help"),
    ("learn why absent", 3, "memolith session list"),
    ("learn enqueue absent", 12, "memolith config set"),
    ("learn retry absent", 12, "memolith config set"),
    ("learn cancel absent", 12, "memolith config set"),
    ("learn cost --days x", 2, "not a valid integer"),
    ("learn cost --days 0", 2, "from 1 to"),
    ("memory frob", 2, "/memory help"),
    ("memory statuss", 2, "did you mean status?"),
    ("memory view extra", 2, "--help"),
    ("memory note", 2, "Missing argument"),
    ("memory note absent", 3, "memolith list notes"),
    ("memory edit absent", 3, "memolith list notes"),
    ("memory edit running-the-tests", 2, "edit the file itself: /"),
    ("memory read diary", 2, "one of long_term"),
    ("memory read daily tomorrow", 2, "YYYY-MM-DD"),
    ("memory read note", 2, "note NAME"),
    ("memory write daily", 2, "Missing argument"),
    ("memory write diary x", 2, "one of long_term"),
    ("memory write note x", 2, "note:NAME"),
    ("memory clear", 2, "add --yes"),
    ("memory clear notes", 2, "only scratchpad or daily"),
    ("memory clear --scope team --yes", 2, "one of project, user"),
    ("memory enqueue", 12, "memolith config set"),
    ("memory help extra", 2, "--help"),
    ("why", 2, "Missing argument"),
    ("why absent", 3, "memolith list"),
    ("why runing-the-tests", 3, "did you mean 'running-the-tests'?"),
    ("why session:claude-2#1", 3, "memolith session list"),
    ("why session:claude-1#7", 3, "they are 1 to 1"),
    ("why memory://x", 2, "one of root"),
    ("why memory://root/none", 3, "memolith list"),
    ("promote", 2, "Missing argument"),
    ("promote absent", 3, "memolith list notes"),
    ("review frob", 2, "one of list"),
    ("review show absent", 3, "memolith review"),
    ("review accept absent --yes", 3, "memolith review"),
    ("review refuse absent", 3, "memolith review"),
    ("review accept", 2, "memolith review accept ID"),
    ("review edit absent", 3, "memolith review"),
    ("import", 2, "memolith import PATH"),
    ("import {absent}", 2, "check the path"),
    ("import {binary}", 2, "--from"),
    ("import {folder} --from obsidan", 2, "did you mean 'obsidian'?"),
    ("import {folder} --scope team", 2, "one of project, user"),
    ("import {absent} --from archive", 2, "memolith export"),
    ("import {binary} --from archive", 7, "nothing was written"),
    ("export", 2, "Missing argument"),
    ("export {folder}", 2, "choose another name"),
    ("export {absent}/x.tar.gz", 2, "make it, or choose another place"),
    ("project show x", 2, "--help"),
    ("project list x", 2, "--help"),
    ("project unlink {absent}", 3, "memolith project list"),
    ("project move {absent} {absent}", 3, "memolith project list"),
    ("project move {absent}", 2, "Missing argument 'NEW'"),
    ("project adopt absent", 3, "memolith project list"),
    ("index frob", 2, "one of status"),
    ("scan {absent}", 3, "check the path"),
    ("scan ''", 2, "give a file or a folder"),
    ("scan {folder} --purge", 2, "leave one of them out"),
    ("scan --dry-run", 2, "belongs to --purge"),
    ("forget absent", 3, "memolith search"),
    ("forget ''", 2, ""),
    ("forget pnpm", 2, "--yes"),
    ("allow --remove", 2, "memolith allow"),
    ("allow x --remove", 3, "memolith allow"),
    ("allow ''", 2, "give it as VALUE"),
    ("allow x --scope team", 2, "one of project, user"),
    ("history long_term --show 99", 13, "there are: "),
    ("history long_term --show x", 2, "not a valid integer"),
    ("undo long_term --to x", 2, "not a valid integer"),
    ("doctor x", 2, "--help"),
    ("config set history.versions many", 12, "must be a number"),
    ("config set history.versions -1", 12, "0 or more"),
    ("demo x", 2, "--help"),
    ("completion", 2, "bash"),
    ("mcp x", 2, "--help"),
    ("tui", 2, "in a pipe, use"),
    ("tui x", 2, "--help"),
    ("recall", 2, "Give a question"),
    ("recall x --limit many", 2, "whole number"),
    ("recall x --limit 0", 2, "give 1 to 1000"),
    ("recall x --format xml", 2, "one of snippets"),
    ("recall x --scope team", 2, "one of project, user"),
    ("recall x --kind notes", 2, "one of memory"),
    ("recall x --category decision", 2, "did you mean 'decisions'?"),
    ("recall x --since soon", 2, "YYYY-MM-DD"),
    ("recall x --as-of soon", 2, "YYYY-MM-DD"),
    ("recall x --budget many", 2, "whole number"),
    ("recall x --budget -1", 2, "give the tokens"),
    ("recall x --ticket fix-logn", 3, "memolith ticket list"),
    ("read memory://x", 2, "one of root"),
    ("read memory://root/none", 3, "memory://project lists"),
    ("read --lines 0", 2, "1 or more"),
    ("status x", 2, "--help"),
    ("write daily x --home {file}", 2, "choose another home"),
    ("write note x --name '{long}'", 2, "use letters, digits"),
    ("remember x --title '{long}'", 2, "shorten it"),
    ("write daily '{nul}'", 7, "give text"),
    ("write daily x --home {readonly}", 8, "Make the memory directory writable"),
    (
        "record add x --category decisions --scope project --home {readonly}",
        8,
        "Make the memory directory writable",
    ),
]
# `hook` answers agents, whatever they send; it has no mistakes.
NONE = {"hook"}
# These need no memory.
SETTLED = {"doctor", "project list", "scan"}  # they work while settings are broken
HOMELESS = {"completion", "demo", "hook", "init", "mcp", "memory help", "tui"}

load_commands()


class Filled:
    """A memory with one of each kind, and files that no command can read."""

    def __init__(self, base: Path) -> None:
        self.base, self.home, self.work = base, base / "home", base / "work"
        # A repository of its own: the tests may run inside another one.
        subprocess.run(["git", "init", "-q", str(self.work)], check=True)
        with Mem.open(self.work, home=self.home) as mem:
            mem.remember("Run pytest.", "Running the tests")
            mem.records.add("Use pnpm.", category="decisions", scope="project", title="Use pnpm")
            mem.tickets.add("Fix login")
            mem.sessions.end([{"role": "user", "content": "hello"}], agent="claude", session_id="1")
        (base / "binary").write_bytes(bytes(range(1, 256)))
        (base / "broken").write_text("{nope")
        (base / "folder").mkdir()
        self.values = {name: str(base / name) for name in ("binary", "broken", "folder", "absent")}
        self.values |= {"file": str(base / "broken"), "readonly": "/sys/memolith"}
        self.values |= {"long": "x" * 300, "zeros": "0" * 64, "nul": "\0"}

    def state(self) -> dict[str, bytes]:
        """Return what is stored."""
        return {str(each): each.read_bytes() for each in (self.home / "memory").rglob("*.md")}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """Return a memory that all mistakes are made with: none of them may change it."""
    made = Filled(tmp_path_factory.mktemp("filled"))
    before = made.state()
    yield made
    assert made.state() == before


@pytest.fixture(autouse=True)
def _here(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMOLITH_HOME", str(filled.home))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(filled.work)


def told(capfd: Capture) -> str:
    """Return the one line that a person is told."""
    said = capfd.readouterr()
    assert said.err.startswith("memolith: error: ")
    assert said.err.count("\n") == 1, said.err
    assert said.out == ""
    assert "Traceback" not in said.err
    assert "\uf8ff" not in said.err
    assert "\\uf8ff" not in said.err
    return said.err


@pytest.mark.parametrize(("line", "code", "hint"), MISTAKES, ids=[line[:60] for line, _, _ in MISTAKES])
def test_a_mistake_gets_its_exit_code_and_a_next_step(
    line: str, code: int, hint: str, filled: Filled, capfd: Capture
) -> None:
    if "{readonly}" in line and not Path("/sys/kernel").exists():
        pytest.skip("needs /sys, in which nobody can make a directory")
    assert main(shlex.split(line.format(**filled.values))) == code
    assert hint in told(capfd)


def test_every_command_is_in_the_table() -> None:
    lines = [f"{line} " for line, _, _ in MISTAKES]
    missing = {name for name in commands(cli) if not any(line.startswith(f"{name} ") for line in lines)}
    assert missing == NONE


@pytest.mark.parametrize("name", sorted(commands(cli) - NONE))
def test_no_command_takes_an_unknown_option_a_home_that_is_a_file_or_broken_settings(
    name: str, filled: Filled, capfd: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert main([*name.split(), "--frobnicate"]) == 2
    said = told(capfd)
    assert "--frobnicate" in said
    assert f"memolith {name} --help" in said or "memolith --help" in said
    if name in HOMELESS:
        return
    required = [each for each in find(name).params if each.required]
    given = [word for each in required for word in words(each.opts, each.param_type_name)]
    assert main([*name.split(), *given, "--home", filled.values["file"]]) in (2, 3, 7)
    told(capfd)
    if name in SETTLED:
        return
    (tmp_path / "config.yml").write_text("inject:\n  daily: [\n")
    monkeypatch.setenv("MEMOLITH_HOME", str(tmp_path))
    monkeypatch.delenv("MEMOLITH_SEMANTIC_PROVIDER")  # what it says need not be looked up
    assert main([*name.split(), *given]) in (2, 3, 7, 12)
    told(capfd)


def find(name: str) -> click.Command:
    """Return a command by its name."""
    found: click.Command = cli
    for word in name.split():
        assert isinstance(found, click.Group)
        found = found.commands[word]
    return found


def words(names: list[str], kind: str) -> list[str]:
    """Return something for a parameter that has to be given."""
    value = {"--category": "decisions", "--scope": "project"}.get(names[0], "x")
    return [names[0], value] if kind == "option" else [value]


def test_a_lock_that_somebody_holds_is_named(
    filled: Filled, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_LOCK_SECONDS", "0")
    mem = Mem.open(filled.work)
    with mem.gate.scope(mem.project):
        for line in ("write daily x", "undo running-the-tests", "memory clear scratchpad"):
            assert main(line.split()) == 9
            assert "try again, or raise lock.seconds" in told(capfd)


def test_a_head_that_cannot_be_read_is_told_and_loses_nothing(
    work: Path, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_HOME", str(tmp_path / "home"))
    mem = Mem.open(work)
    record = mem.records.add("Use pnpm.", category="decisions", scope="project", title="Use pnpm")
    path = mem.root / record.filename
    path.write_text("---\nid: [\n  x: :\n---\nUse pnpm.\n")
    for line in ("record get use-pnpm", "record list", "why use-pnpm"):
        assert main([*line.split(), "--project", str(work)]) == 0
    assert "frontmatter line 2" in capfd.readouterr().out
    assert main(["doctor", "--project", str(work)]) == 1
    assert "frontmatter" in capfd.readouterr().out
