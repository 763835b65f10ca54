"""`/memory`: the grammar, in the command line and inside a host; editing a file in an editor."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import Mem, NotFoundError, pieces, slash
from memolith.care.edit import command, edit, merged
from memolith.edges.cli import main
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
    size = (store / "notes" / "running-the-tests.md").stat().st_size
    assert "- [Running the tests](running-the-tests.md) — The suite needs Redis on 6380." in text
    assert f"- running-the-tests ({size} bytes)" in text
    assert str(store / "notes") in text
    assert "- [Language](language.md)" in text
    assert "/memory edit [NOTE]" in text
    assert snapshot(filled.root) == before
    assert main(["memory", "--project", str(work)]) == 0
    assert capfd.readouterr().out == f"{text}\n"


@proves("S1.22")
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
    assert "did you mean running-the-tests?" in slash(filled, "runing-the-tests").text
    assert "did you mean status?" in slash(filled, "statuss").text
    assert "neither a verb nor a note" in slash(filled, "../../etc/passwd").text
    assert "usage: /memory" in slash(filled, "frobnicate the thing").text
    assert "memolith list notes" in slash(filled, "edit absent").text
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
    assert said(filled, "read note:database") == said(filled, "read note database") == "The port is 5433."
    assert "notes/database.md" in said(filled, "list")
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
    assert "/memory edit [NOTE]" in said(filled, "help")


def test_a_host_is_never_asked_and_its_standard_input_is_its_own(filled: Mem) -> None:
    assert "add --yes" in slash(filled, "clear").text
    assert "edit the file itself: /" in slash(filled, "edit running-the-tests").text
    assert "only scratchpad or daily" in slash(filled, "clear notes").text
    assert slash(filled, "write daily -").text.startswith("Wrote")
    assert slash(filled, "status --home /elsewhere --project /nowhere").error is False


def test_what_a_person_types_in_a_host_is_theirs_and_an_ephemeral_memory_stays_open(work: Path) -> None:
    with Mem.open(work, ephemeral=True) as mem:
        said(mem, "write note:a It is red.")
        said(mem, "write note:a It is blue.")
        newest = mem.gate.history.versions(mem.find_file("a"), markers=True)[0]
        assert newest.by == "user"
        assert "It is blue." in said(mem, "a")


@proves("S4.14")
@given(st.text(max_size=300), st.integers(1, 50))
def test_pieces_are_short_and_lose_nothing(text: str, size: int) -> None:
    cut = pieces(text, size)
    assert "".join(cut) == text
    assert all(0 < len(piece) <= size for piece in cut)


@proves("S4.14")
def test_the_whole_memory_is_printed_in_pieces_for_narrow_channels(mem: Mem) -> None:
    lines = [f"- fact number {number} about the shop" for number in range(2_000)]
    mem.root.mkdir(parents=True)
    (mem.root / "MEMORY.md").write_text("\n".join(lines))
    cut = pieces(said(mem, "read"))
    assert max(map(len, cut)) <= 4_000
    assert "".join(cut).split("\n") == lines
    assert all(piece.endswith("\n") for piece in cut[:-1])


# ---------------------------------------------------------------- the editor


def saving(
    change: Callable[[str], str], meanwhile: Callable[[], object] = lambda: None
) -> Callable[[str], int]:
    """Return an editor that reads, lets something happen, and saves what it read with a change."""

    def run(path: str) -> int:
        text = Path(path).read_text(encoding="utf-8")
        meanwhile()
        Path(path).write_text(change(text), encoding="utf-8")
        return 0

    return run


@proves("S1.24", "S1.26")
def test_an_edit_is_seen_at_once_is_in_the_history_and_shown(filled: Mem, store: Path) -> None:
    done = edit(filled, "running-the-tests.md", saving(lambda text: text.replace("6380", "6381")))
    assert done.path == str(store / "notes" / "running-the-tests.md")
    assert "+The suite needs Redis on 6381." in done.diff.splitlines()
    assert "Redis on 6381" in (filled.context_block() or "")  # the same session, its next turn
    assert "6380" not in (filled.context_block() or "")
    assert filled.gate.history.versions(done.name)[0].by == "user"
    filled.undo()
    assert "6380" in said(filled, "running-the-tests")


@proves("S1.24")
def test_edit_alone_opens_the_index_and_a_line_of_a_person_stays(filled: Mem, store: Path) -> None:
    done = edit(filled, None, saving(lambda text: f"{text}\nRead the tests first.\n"))
    assert done.path == str(store / "notes" / "MEMORY.md")
    assert "Read the tests first." in (filled.context_block() or "")
    assert edit(filled, "scratchpad", saving(lambda text: text)).diff == ""


@proves("S1.24")
def test_what_is_not_there_cannot_be_edited_and_nothing_is_created(mem: Mem) -> None:
    def never(path: str) -> int:
        raise AssertionError(path)

    for name in (None, "absent", "scratchpad", "../../etc/passwd"):
        with pytest.raises(NotFoundError):
            edit(mem, name, never)
    assert not Path(mem.home).exists()


@proves("S0.72")
@pytest.mark.parametrize("left", [b"", b" \n", b"\xff\xfe", b"a\0b", None])
def test_an_editor_that_leaves_no_text_does_not_lose_the_text(filled: Mem, left: bytes | None) -> None:
    def breaks(path: str) -> int:
        Path(path).unlink() if left is None else Path(path).write_bytes(left)
        return 1

    before = said(filled, "running-the-tests")
    done = edit(filled, "running-the-tests", breaks)
    assert said(filled, "running-the-tests") == before
    assert done.diff == ""
    assert done.warnings[0] == "the editor ended with exit code 1"
    assert "the text from before is back" in done.warnings[1]


def test_what_an_agent_wrote_while_the_editor_was_open_is_kept(filled: Mem, store: Path) -> None:
    path = store / "SCRATCHPAD.md"

    def meanwhile() -> None:
        filled.write("scratchpad", "- [ ] from the agent")
        wait_for(lambda: b"from the agent" in path.read_bytes())

    done = edit(filled, "scratchpad", saving(lambda text: f"- [x] mine\n{text}", meanwhile))
    assert path.read_text() == "- [x] mine\n- [ ] changelog\n- [ ] from the agent\n"
    assert "what was written to it meanwhile was kept as well" in done.warnings


def wait_for(true: Callable[[], bool]) -> None:
    """Let the thread that watches the file come by."""
    import threading

    assert true()
    threading.Event().wait(0.2)


def test_two_changes_of_one_line_leave_the_persons_and_keep_the_other(filled: Mem) -> None:
    def meanwhile() -> None:
        filled.edit("scratchpad", "changelog", "their changelog")
        wait_for(lambda: True)

    done = edit(filled, "scratchpad", saving(lambda text: text.replace("changelog", "mine"), meanwhile))
    assert said(filled, "read scratchpad") == "- [ ] mine"
    number = int(done.warnings[0].rpartition(" ")[2])
    assert b"their changelog" in filled.gate.history.read(done.name, number)


def test_a_secret_typed_in_the_editor_is_masked_and_kept_nowhere(filled: Mem) -> None:
    from tests.care.test_scan import canary, hits

    key = canary("typed in an editor")
    done = edit(filled, "running-the-tests", saving(lambda text: f"{text}\ntoken = {key}\n"))
    assert "masked 1 secret" in done.warnings[0]
    assert key not in str(done)
    assert hits(Path(filled.home), [key]) == []

    def in_latin_1(path: str) -> int:
        Path(path).write_bytes(f"schön: token = {key}\n".encode("latin-1"))
        return 0

    done = edit(filled, "running-the-tests", in_latin_1)
    assert "was not UTF-8 (byte 3)" in done.warnings[0]
    assert hits(Path(filled.home), [key]) == []


def test_a_frontmatter_that_cannot_be_read_is_told(filled: Mem) -> None:
    done = edit(filled, "running-the-tests", saving(lambda text: text.replace("type:", "\ttype", 1)))
    assert "frontmatter cannot be read" in done.warnings[-1]


@proves("S1.25")
def test_the_editor_is_visual_then_editor_then_what_the_system_has() -> None:
    def only(*names: str) -> Callable[[str], str | None]:
        return lambda name: f"/bin/{name}" if name in names else None

    assert command({"VISUAL": "code --wait", "EDITOR": "vi"}, "linux", only()) == ["code", "--wait"]
    assert command({"VISUAL": " ", "EDITOR": "'/my editor' -x"}, "linux", only()) == ["/my editor", "-x"]
    assert command({}, "linux", only("vi", "vim")) == ["vim"]
    assert command({}, "darwin", only("nano", "vim")) == ["nano"]
    assert command({}, "win32", only("notepad", "nano")) == ["notepad"]
    assert command({}, "linux", only()) == []


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


# ---------------------------------------------------------------- two changes

TEXTS = st.lists(st.sampled_from("abcd"), max_size=6).map(lambda lines: "".join(f"{x}\n" for x in lines))


@given(TEXTS, TEXTS, TEXTS)
def test_a_merge_has_both_changes_or_says_that_it_cannot(base: str, one: str, other: str) -> None:
    assert merged(base, one, base) == one
    assert merged(base, base, other) == other
    assert merged(base, one, one) == one
    both = merged(base, one, other)
    if both is not None:
        new = [line for line in (one + other).splitlines() if line not in base.splitlines()]
        assert set(new) <= set(both.splitlines())


def test_lines_added_at_the_same_end_are_all_kept() -> None:
    assert merged("a\n", "a\nb\n", "a\nc\n") == "a\nb\nc\n"
    assert merged("a", "a\nb", "x\na") == "x\na\nb\n"
    assert merged("a\n", "b\n", "c\n") is None
