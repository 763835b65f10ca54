"""A memory file in a person's editor: the file itself, with nothing lost; and two changes made one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import Mem, NotFoundError
from memolith.care.edit import command, edit, merged
from memolith.memory.document import TEMPLATE
from tests.care.test_scan import canary, hits
from tests.ledger import proves


@pytest.fixture
def filled(mem: Mem) -> Mem:
    mem.remember("The suite needs Redis on 6380.", "Running the tests")
    mem.write("scratchpad", "- [ ] changelog")
    return mem


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
    assert "6380" in filled.read("note", "running-the-tests")


@proves("S1.24")
def test_edit_alone_opens_the_index_and_a_line_of_a_person_stays(filled: Mem, store: Path) -> None:
    done = edit(filled, None, saving(lambda text: f"{text}\nRead the tests first.\n"))
    assert done.path == str(store / "notes" / "MEMORY.md")
    assert "Read the tests first." in (filled.context_block() or "")
    assert edit(filled, "scratchpad", saving(lambda text: text)).diff == ""


@proves("S1.4", "S1.24")
def test_in_a_fresh_workspace_there_is_an_index_and_a_document_to_edit(mem: Mem, store: Path) -> None:
    opened: list[str] = []

    def look(path: str) -> int:
        opened.append(Path(path).read_text())
        return 0

    assert edit(mem, None, look).path == str(store / "notes" / "MEMORY.md")
    assert edit(mem, "long_term", look).path == str(mem.root / "MEMORY.md")
    assert opened[0].startswith("# ")
    assert opened[1] == TEMPLATE
    assert mem.context_block() is None


@proves("S1.24")
def test_what_is_not_there_cannot_be_edited_and_nothing_is_created(mem: Mem) -> None:
    def never(path: str) -> int:
        raise AssertionError(path)

    for name in ("absent", "scratchpad", "../../etc/passwd"):
        with pytest.raises(NotFoundError):
            edit(mem, name, never)
    assert not Path(mem.home).exists()


@proves("S0.72")
@pytest.mark.parametrize("left", [b"", b" \n", b"\xff\xfe", b"a\0b", None])
def test_an_editor_that_leaves_no_text_does_not_lose_the_text(filled: Mem, left: bytes | None) -> None:
    def breaks(path: str) -> int:
        Path(path).unlink() if left is None else Path(path).write_bytes(left)
        return 1

    before = filled.read("note", "running-the-tests")
    done = edit(filled, "running-the-tests", breaks)
    assert filled.read("note", "running-the-tests") == before
    assert done.diff == ""
    assert done.warnings[0] == "the editor ended with exit code 1"
    assert "the text from before is back" in done.warnings[1]


@proves("X.20")
def test_what_an_agent_wrote_while_the_editor_was_open_is_kept(filled: Mem, store: Path) -> None:
    path = store / "SCRATCHPAD.md"

    def meanwhile() -> None:
        for each in ("from the agent", "and more"):
            filled.write("scratchpad", f"- [ ] {each}")

    done = edit(filled, "scratchpad", saving(lambda text: f"- [x] mine\n{text}", meanwhile))
    assert path.read_text() == "- [x] mine\n- [ ] changelog\n- [ ] from the agent\n- [ ] and more\n"
    assert not list(Path(filled.home, "history").rglob("*meanwhile*"))
    assert "what was written to it meanwhile was kept as well" in done.warnings


@proves("S0.72", "X.20")
@pytest.mark.parametrize("typed", ["", "Also Postgres."])
@pytest.mark.parametrize("saves", [True, False])
@pytest.mark.parametrize("how", ["rm", "mv"])
def test_a_note_that_others_removed_meanwhile_comes_back_only_with_what_a_person_typed(
    filled: Mem, how: str, saves: bool, typed: str
) -> None:
    before = filled.read("note", "running-the-tests")

    def run(path: str) -> int:
        _ = filled.remove("running-the-tests") if how == "rm" else filled.rename("running-the-tests", "Tests")
        if saves:
            Path(path).write_text(before + typed)
        return 0

    done = edit(filled, "running-the-tests", run)
    names = {Path(each).stem for each in filled.list() if "/notes/" in each} - {"MEMORY"}
    kept = {"running-the-tests"} if saves and typed else set()
    assert names == kept | ({"tests"} if how == "mv" else set())
    assert f"{'deleted' if how == 'rm' else 'renamed'} meanwhile" in done.warnings[0]
    if kept:
        assert filled.read("note", "running-the-tests").endswith(typed)
        filled.undo("running-the-tests")
        assert "running-the-tests" not in {Path(each).stem for each in filled.list()}


def test_two_changes_of_one_line_leave_the_persons_and_keep_the_other(filled: Mem) -> None:
    def meanwhile() -> None:
        filled.edit("scratchpad", "changelog", "their changelog")

    done = edit(filled, "scratchpad", saving(lambda text: text.replace("changelog", "mine"), meanwhile))
    assert filled.read("scratchpad") == "- [ ] mine\n"
    number = int(done.warnings[0].rpartition(" ")[2])
    assert b"their changelog" in filled.gate.history.read(done.name, number)


def test_a_secret_typed_in_the_editor_is_masked_and_kept_nowhere(filled: Mem) -> None:
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
