"""`/memory`: the grammar, in the command line and inside a host."""

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import Mem, pieces, slash
from memolith.edges.cli import main
from memolith.store import layout
from tests.ledger import proves

Snapshot = Callable[[Path], dict[str, bytes]]


def said(mem: Mem, line: str = "") -> str:
    """Return the answer to a line that succeeds."""
    answer = slash(mem, line)
    assert not answer.error, answer.text
    return answer.text


@pytest.fixture
def filled(mem: Mem) -> Mem:
    mem.remember("The suite needs Redis on 6380.", "Running the tests")
    mem.remember("Answer in German.", "Language", scope="user")
    mem.write("scratchpad", "- [ ] changelog")
    return mem


@proves("S1.22", "S1.34")
def test_memory_alone_shows_the_index_the_notes_with_their_size_and_where_they_are(
    filled: Mem, store: Path, snapshot: Snapshot, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(filled.root)
    text = said(filled)
    assert text.startswith(f"# Memory of {filled.project}\n")
    size = (store / "notes" / "running-the-tests.md").stat().st_size
    assert "- [Running the tests](running-the-tests.md) — The suite needs Redis on 6380." in text
    assert f"- running-the-tests ({size} bytes)" in text
    assert str(store / "notes") in text
    assert "- [Language](language.md)" in text
    for form in ("`/memory NOTE`", "`/memory edit [NOTE]`", "`/memory view`", "`/memory help`"):
        assert form in text
    assert snapshot(filled.root) == before
    assert main(["memory", "--project", str(work)]) == 0
    assert capfd.readouterr().out == f"{text}\n".replace("`/memory ", "`memolith memory ")


@proves("X.26")
def test_a_text_to_remember_or_to_forget_stays_as_it_was_typed(mem: Mem) -> None:
    text = 'Say "hello" to Ana\'s bot,\nnot "hi".'
    said(mem, f"remember {text}")
    (note,) = (mem.root / "projects" / mem.project / "notes").glob("s*.md")
    assert text in note.read_text()
    assert "removes lines in 1 place" in slash(mem, 'forget Say "hello"').text
    said(mem, 'remember "In quotes." --title Words')
    assert "In quotes." in mem.read("note", "words")


@proves("S1.22")
@proves("X.26")
@pytest.mark.parametrize(
    ("line", "text", "scope"),
    [
        ("always pass --scope user to npm", "always pass --scope user to npm", "project"),
        ("we use -n in echo", "we use -n in echo", "project"),
        ("use --force never", "use --force never", "project"),
        ('--scope user --title "A b" it\'s -n', "it's -n", "user"),
        ("it's  -n --scope=user", "it's  -n", "user"),
    ],
)
def test_options_are_taken_before_and_behind_a_text_to_remember_but_not_out_of_it(
    mem: Mem, line: str, text: str, scope: str
) -> None:
    said(mem, f"remember {line}")
    (path,) = (each for each in mem.list() if layout.is_note(each))
    assert (Path(mem.root) / path).read_text().endswith(f"---\n{text}\n")
    assert (layout.scope_of(path) == "") == (scope == "user")
    assert text in said(mem, f"recall {text} --limit 1")
    assert slash(mem, "remember --title X").error


def test_memory_alone_says_that_there_are_no_notes(mem: Mem) -> None:
    assert "There are no notes yet." in said(mem)
    assert not Path(mem.home).exists()


@proves("S1.23")
@pytest.mark.parametrize("name", ["running-the-tests", "running-the-tests.md", "../../etc/running-the-tests"])
def test_the_base_name_of_a_note_prints_it(filled: Mem, name: str) -> None:
    assert said(filled, name).endswith("The suite needs Redis on 6380.")
    assert said(filled, "/memory language").endswith("Answer in German.")


@proves("S1.23", "S2.20")
def test_a_missing_note_is_a_message_with_the_nearest_match_and_makes_no_file(
    filled: Mem, snapshot: Snapshot
) -> None:
    before = snapshot(filled.root)
    answer = slash(filled, "runing-the-tests")
    assert "did you mean running-the-tests?" in answer.text
    assert (answer.error, answer.data["exit_code"]) == (True, 2)  # nothing was shown
    assert "did you mean status?" in slash(filled, "statuss").text
    assert "neither a verb nor a note" in slash(filled, "../../etc/passwd").text
    assert "usage: /memory" in slash(filled, "frobnicate the thing").text
    assert "memolith list" in slash(filled, "edit absent").text
    assert snapshot(filled.root) == before


RESERVED = (
    "view status search read write edit clear reset enqueue rebuild list record recall doctor undo help"
)


@proves("X.7")
@pytest.mark.parametrize("word", [*RESERVED.split(), "note"])
def test_a_note_with_the_name_of_a_verb_is_reached_with_note(mem: Mem, word: str) -> None:
    mem.write("note", f"All about {word}.", name=word)
    assert said(mem, f"note {word}") == f"All about {word}."
    assert f"All about {word}." not in slash(mem, "help" if word == "note" else word).text.splitlines()


@proves("S0.72", "X.7")
def test_the_verbs_do_what_the_commands_do(filled: Mem, store: Path) -> None:
    assert "scratchpad   1 open item" in said(filled, "status")
    assert "running-the-tests" in said(filled, "search redis")
    assert "6380" in said(filled, "recall which port has redis")
    assert "Wrote" in said(filled, "write daily don't \"panic\" -- it's  fine")
    assert "don't \"panic\" -- it's  fine" in said(filled, "read daily")
    assert said(filled, "read 2026-11-15") == said(filled, "read daily 2026-11-15")
    assert said(filled, "read scratchpad") == "- [ ] changelog"
    said(filled, "write scratchpad - [ ] buy milk")
    assert "- [ ] buy milk" in said(filled, "/memory read scratchpad")
    said(filled, "write note:database The port is 5433.")
    for line in ("read note:database", "read note database", "note:database"):
        assert said(filled, line) == "The port is 5433."
    said(filled, "write memory://root/notes/database.md Its user is app.")
    assert said(filled, "read memory://root/notes/database.md").endswith("Its user is app.")
    assert "database" in said(filled, "list")
    number = said(filled, 'record add "Use pnpm." --category decisions --scope project').split()[-1]
    assert "Use pnpm." in said(filled, "record list"), number
    assert "Everything is in order." in said(filled, "doctor")
    assert "Emptied scratchpad" in said(filled, "clear scratchpad")
    assert said(filled, "read scratchpad") == "(empty)"
    said(filled, "undo scratchpad")
    assert "buy milk" in said(filled, "read scratchpad")
    assert said(filled, "clear daily").startswith("Emptied daily")
    assert not (store / "daily" / "2026-11-15.md").exists()
    assert f"{said(filled, 'view')}\n".endswith(f"{filled.context_block()}\n")
    verbs = said(filled, "help")
    assert verbs.startswith("/memory [NOTE | VERB …] ")
    assert "\n  edit [NOTE] " in verbs
    assert max(map(len, verbs.splitlines())) <= 80


def test_a_host_is_never_asked_and_its_standard_input_is_its_own(filled: Mem) -> None:
    assert "add --yes" in slash(filled, "clear").text
    assert "edit the file itself: /" in slash(filled, "edit running-the-tests").text
    assert "choose scratchpad or daily" in slash(filled, "clear notes").text
    assert slash(filled, "write daily -").text.startswith("Wrote")
    assert slash(filled, "status --home /elsewhere --project /nowhere").error is False


def test_what_a_person_types_in_a_host_is_theirs_and_an_ephemeral_memory_stays_open(work: Path) -> None:
    with Mem.open(work, ephemeral=True) as mem:
        said(mem, "write note:a It is red.")
        said(mem, "write note:a It is blue.")
        newest = mem.gate.history.versions(mem.find("a").path, markers=True)[0]
        assert newest.by == "user"
        assert "It is blue." in said(mem, "a")


@proves("S4.14")
@given(st.text(max_size=300), st.integers(1, 50))
def test_pieces_are_short_and_lose_nothing(text: str, size: int) -> None:
    cut = pieces(text, size)
    assert "".join(cut) == text
    assert all(0 < len(piece) <= size for piece in cut)
    with pytest.raises(ValueError, match="at least 1"):
        pieces(text, 0)


@proves("S4.14")
def test_the_whole_memory_is_printed_in_pieces_for_narrow_channels(mem: Mem) -> None:
    lines = [f"- fact number {number} about the shop" for number in range(2_000)]
    mem.root.mkdir(parents=True)
    (mem.root / "MEMORY.md").write_text("\n".join(lines))
    cut = pieces(said(mem, "read"))
    assert max(map(len, cut)) <= 4_000
    assert "".join(cut).split("\n") == lines
    assert all(piece.endswith("\n") for piece in cut[:-1])


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give the test a terminal as its standard input."""
    import pty

    master, slave = pty.openpty()
    with os.fdopen(slave) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield
    os.close(master)


@proves("S1.25")
@pytest.mark.usefixtures("terminal")
def test_the_command_opens_the_real_editor_on_the_real_file(
    filled: Mem,
    work: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    script = tmp_path / "my editor.py"
    script.write_text(
        "import sys\np = sys.argv[2]\nt = open(p).read()\nopen(p, 'w').write(t + sys.argv[1])\n"
    )
    monkeypatch.setenv("EDITOR", f"{sys.executable} -S '{script}' '- [x] done'")
    assert main(["memory", "edit", "scratchpad", "--project", str(work)]) == 0
    assert "+- [x] done" in capfd.readouterr().out.splitlines()
    assert said(filled, "read scratchpad") == "- [ ] changelog\n- [x] done"
    monkeypatch.setenv("EDITOR", "no-such-editor")
    assert main(["memory", "edit", "scratchpad", "--project", str(work)]) == 3
    assert "set $EDITOR to another, or open the file yourself: /" in capfd.readouterr().err
    assert slash(filled, "edit scratchpad", terminal=True).error


@proves("S1.25")
@pytest.mark.usefixtures("terminal", "filled")
@pytest.mark.parametrize("command", [["edit"], ["memory", "edit"]])
def test_an_editor_that_fails_is_an_error_and_what_it_saved_stands(
    command: list[str],
    work: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    saves = "import sys; open(sys.argv[1], 'a').write('- [x] done'); sys.exit(3)"
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, "-S", "-c", saves]))
    assert main([*command, "scratchpad", "--project", str(work)]) == 16
    said = capfd.readouterr()
    assert "+- [x] done" in said.out.splitlines()
    assert said.err == "memolith: error: the editor ended with exit code 3; what it saved stands\n"


@proves("S2.16")
def test_the_view_is_the_block_itself_and_says_why_there_is_none(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "memory is empty" in slash(mem, "view").text
    mem.remember("Alpha fact.", "Alpha")
    assert slash(mem, "view").text == mem.context_block()
    monkeypatch.setenv("MEMOLITH_INJECT_NOTES", "false")
    said = slash(mem, "view").text
    assert ("memory is empty" in said, "context --explain" in said) == (False, True)
