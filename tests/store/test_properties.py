"""Any sequence of changes by agent and person: files say what a simple model says, and all can be undone."""

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from prove.lines import kept

from memolith import Mem
from memolith.base.errors import ConfigError, ConflictError, HistoryError
from memolith.env.paths import Place
from memolith.memory.undo import notice
from memolith.store.history import History
from memolith.text.digest import sha256
from tests.conftest import NOON, Clock
from tests.ledger import proves

DAY = 86_400.0
WORDS = st.text("abc äß€𝄞-#", min_size=1, max_size=12).filter(lambda text: bool(text.strip()))
BY_HAND = st.one_of(
    st.binary(max_size=20),
    st.lists(WORDS, max_size=4).map(lambda lines: "\r\n".join(lines).encode()),
    st.lists(WORDS, max_size=4).map(lambda lines: ("\ufeff" + "\n".join(lines) + "\n").encode()),
)
FILES = st.sampled_from(["long_term", "scratchpad", "note"])


class Done:
    """A change in the model: the bytes before and after."""

    def __init__(self, number: int, before: bytes | None, after: bytes | None) -> None:
        self.number, self.before, self.after = number, before, after

    @property
    def took_something(self) -> bool:
        return self.before is not None and (self.after is None or not self.after.startswith(self.before))


class Memory(RuleBasedStateMachine):
    """Three files, changed through `Mem` and by hand, next to a model of what they should be."""

    def __init__(self) -> None:
        super().__init__()
        self._cleanup = contextlib.ExitStack()
        # Thousands of writes, and not one is about durability: in memory where there is such a place.
        place = "/dev/shm" if os.path.isdir("/dev/shm") else None
        base = self._cleanup.enter_context(tempfile.TemporaryDirectory(dir=place))
        self.clock = Clock(NOON)
        self.mem = Mem.open(base, home=os.path.join(base, "home"), now=self.clock)
        self.mem.register()
        project = f"projects/{self.mem.project}"
        self.names = {
            "long_term": "MEMORY.md",
            "scratchpad": f"{project}/SCRATCHPAD.md",
            "note": f"{project}/notes/topic.md",
        }
        self.now: dict[str, bytes | None] = dict.fromkeys(self.names)
        # The changes that no undo took back; and those that stood before each change.
        self.standing: dict[str, list[Done]] = {file: [] for file in self.names}
        self.stood: dict[str, dict[int, list[Done]]] = {file: {} for file in self.names}
        self.versions: dict[str, dict[int, bytes]] = {file: {} for file in self.names}
        self.count = 0

    def teardown(self) -> None:
        self._cleanup.close()

    # ------------------------------------------------------------ helpers

    def path(self, file: str) -> Path:
        return self.mem.root / self.names[file]

    def unique(self, words: str) -> str:
        """Return a line that no file has yet: long_term leaves out lines that it knows."""
        self.count += 1
        return f"{self.count} {words}"

    def note_change(self, file: str, after: bytes | None, undid: int | None = None) -> None:
        """Take over in the model what a change did, and find the version that it made."""
        before = self.now[file]
        self.now[file] = after
        stood = self.standing[file]
        if undid is not None:
            self.standing[file] = self.stood[file][undid]
        if before == after:
            return
        entry = self.mem.gate.history.entries(self.names[file])[-1]
        change = Done(entry.id, before, after)
        self.stood[file][entry.id] = stood
        if undid is None:
            self.standing[file] = [*stood, change]
        assert entry.stored == change.took_something
        if change.took_something:
            assert before is not None
            self.versions[file][entry.id] = before

    # ------------------------------------------------------------ what may happen

    @rule(file=FILES, words=WORDS)
    def append(self, file: Any, words: str) -> None:
        text = self.unique(words)
        self.mem.write(file, text, name="topic")
        old = self.now[file] or b""
        newline = b"\r\n" if b"\n" in old and old[: old.index(b"\n")].endswith(b"\r") else b"\n"
        gap = b"" if not old or old.endswith(b"\n") else newline
        self.note_change(file, old + gap + text.encode() + newline)

    @rule(file=FILES, words=WORDS)
    def overwrite(self, file: Any, words: str) -> None:
        text = self.unique(words)
        self.mem.write(file, text, "overwrite", name="topic", force=True)
        self.note_change(file, text.encode())

    @rule(file=FILES, words=WORDS)
    def overwrite_with_precondition(self, file: Any, words: str) -> None:
        text = self.unique(words)
        with pytest.raises(ConflictError):
            self.mem.write(
                file, text, "overwrite", name="topic", force=True, if_sha256=sha256(b"never there")
            )
        self.mem.write(file, text, "overwrite", name="topic", force=True, if_sha256=sha256(self.now[file]))
        self.note_change(file, text.encode())

    @rule(file=FILES, words=WORDS, data=st.data())
    def edit(self, file: Any, words: str, data: st.DataObject) -> None:
        old = (self.now[file] or b"").decode("utf-8", "surrogateescape")
        lines = old.replace("\r", "").split("\n")
        known = [line for line in lines if line.strip() and line.isprintable() and old.count(line) == 1]
        if not known:
            return
        wanted, text = data.draw(st.sampled_from(known)), self.unique(words)
        self.mem.edit(file, wanted, text, name="topic")
        self.note_change(file, old.replace(wanted, text).encode("utf-8", "surrogateescape"))

    @precondition(lambda self: self.now["note"] is not None)
    @rule()
    def delete(self) -> None:
        self.mem.edit("note", name="topic")
        self.note_change("note", None)

    @rule(file=FILES)
    def undo(self, file: str) -> None:
        left = self.standing[file]
        blocked = left and not left[-1].took_something and left[-1].before is not None
        if not left or (blocked and left[-1].after != self.now[file]):
            with pytest.raises(HistoryError):
                self.mem.gate.undo(self.names[file], None)
            return
        _, number = self.mem.gate.undo(self.names[file], None)
        assert number == left[-1].number
        self.note_change(file, left[-1].before, number)

    @rule(file=FILES, data=st.data())
    def undo_to(self, file: str, data: st.DataObject) -> None:
        if not self.versions[file]:
            return
        number = data.draw(st.sampled_from(sorted(self.versions[file])))
        self.mem.undo(self.names[file], number)
        self.note_change(file, self.versions[file][number], number)

    @rule(file=FILES, saved=BY_HAND)
    def edit_by_hand(self, file: str, saved: bytes) -> None:
        self.path(file).parent.mkdir(parents=True, exist_ok=True)
        self.path(file).write_bytes(saved)
        self.by_hand(file, saved)

    @rule(file=FILES)
    def delete_by_hand(self, file: str) -> None:
        self.path(file).unlink(missing_ok=True)
        self.by_hand(file, None)

    def by_hand(self, file: str, after: bytes | None) -> None:
        notice(self.mem)
        self.note_change(file, after)

    # ------------------------------------------------------------ what always holds

    @invariant()
    def files_are_as_in_the_model(self) -> None:
        for file, expected in self.now.items():
            path = self.path(file)
            assert (path.read_bytes() if path.exists() else None) == expected

    @invariant()
    def every_destructive_change_is_kept_byte_for_byte(self) -> None:
        for file, versions in self.versions.items():
            for number, before in versions.items():
                assert self.mem.gate.history.read(self.names[file], number) == before

    @invariant()
    def nothing_else_is_listed(self) -> None:
        listed = {self.names[file] for file in self.names if self.now[file] is not None}
        assert set(self.mem.list()) == listed
        assert not list(self.mem.root.rglob(".tmp/*"))


@proves("S0.26", "S0.28", "X.9")
def test_any_sequence_of_changes_matches_the_model_and_can_be_undone_byte_for_byte() -> None:
    run_state_machine_as_test(Memory, settings=settings(stateful_step_count=25))


def test_the_model_catches_a_history_that_keeps_the_wrong_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    real = History.keep

    def keep(self: History, relative: str, source: Place, op: str, undoes: int | None = None) -> None:
        Path(source.path).write_bytes(Path(source.path).read_bytes()[:-1])
        real(self, relative, source, op, undoes)

    monkeypatch.setattr(History, "keep", keep)
    quick = settings(max_examples=50, stateful_step_count=10, database=None, phases=[Phase.generate])
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Memory, settings=quick)


# ---------------------------------------------------------------- undo, told as stories


@proves("X.9", "S0.26")
def test_undo_again_and_again_walks_back_to_before_the_file_existed(mem: Mem) -> None:
    texts = ["one\n", "two\n", "three\n"]
    for text in texts:
        mem.write("scratchpad", text, "overwrite")
    mem.write("scratchpad", "four\n")
    seen = []
    for _ in range(4):
        mem.undo("scratchpad")
        seen.append(mem.read("scratchpad"))
    assert seen == ["three\n", "two\n", "one\n", "(empty)"]
    with pytest.raises(HistoryError, match="nothing to undo"):
        mem.undo("scratchpad")


@proves("X.9")
def test_undo_takes_back_an_append_alone_and_before_it_what_a_person_added_by_hand(
    mem: Mem, store: Path
) -> None:
    mem.write("daily", "one\n")
    mem.write("daily", "two\n")
    mem.undo("daily")
    assert mem.read("daily") == "one\n"
    mem.write("daily", "two\n")
    page = store / "daily" / f"{mem.today}.md"
    page.write_text("one\ntwo\nmine\n")
    mem.undo("daily")
    assert page.read_text() == "one\ntwo\n"
    mem.undo("daily")
    assert page.read_text() == "one\n"


@proves("X.9")
def test_undo_after_a_create_removes_the_file_and_can_be_taken_back_by_number(mem: Mem) -> None:
    mem.write("note", "one\n", name="topic")
    mem.undo("topic")
    relative = f"projects/{mem.project}/notes/topic.md"
    assert mem.read("note", "topic") == "(empty)"
    newest = mem.gate.history.versions(relative)[0]
    mem.undo(relative, newest.id)
    assert mem.read("note", "topic") == "one\n"


@proves("X.9")
def test_an_undo_that_finds_nothing_to_change_does_not_block_the_next_one(mem: Mem) -> None:
    for text in ("one\n", "two\n", "three\n"):
        mem.write("long_term", text, "overwrite")
    (mem.root / "MEMORY.md").write_text("two\n")  # a person took the last change back by hand
    assert not mem.gate.undo("MEMORY.md", None)[0].changed
    mem.undo("MEMORY.md")
    assert mem.read() == "one\n"


@proves("S0.26", "X.9")
def test_undo_brings_back_what_a_person_wrote_before_the_agent_overwrote_it(mem: Mem) -> None:
    mem.write("long_term", "one\n")
    odd = b"\xef\xbb\xbfmine\r\nnot UTF-8: \xff\xfe"
    (mem.root / "MEMORY.md").write_bytes(odd)
    mem.write("long_term", "two\n", "overwrite")
    mem.undo("MEMORY.md")
    assert (mem.root / "MEMORY.md").read_bytes() == odd


@proves("S0.26")
def test_a_first_write_and_an_append_keep_no_bytes_in_the_history(mem: Mem) -> None:
    mem.write("long_term", "one\n")
    mem.write("long_term", "two\n")
    assert mem.gate.history.versions("MEMORY.md") == []
    assert kept(mem) == set()


# ---------------------------------------------------------------- how long versions are kept


@proves("X.9")
def test_only_as_many_versions_are_kept_as_the_setting_says(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_HISTORY_VERSIONS", "3")
    for number in range(8):
        mem.write("long_term", f"{number}\n", "overwrite")
    assert kept(mem) == {b"4\n", b"5\n", b"6\n"}


@proves("X.9")
def test_versions_older_than_the_setting_says_go_except_the_newest(
    mem: Mem, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_HISTORY_DAYS", "10")
    for number in range(4):
        mem.write("long_term", f"{number}\n", "overwrite")
    clock.seconds += 9 * DAY
    mem.write("long_term", "4\n", "overwrite")
    assert kept(mem) == {b"0\n", b"1\n", b"2\n", b"3\n"}
    clock.seconds += 2 * DAY
    mem.write("long_term", "5\n", "overwrite")
    assert kept(mem) == {b"3\n", b"4\n"}
    clock.seconds += 1000 * DAY
    mem.write("scratchpad", "other\n", "overwrite")
    assert kept(mem) == {b"3\n", b"4\n"}
    mem.write("long_term", "6\n", "overwrite")
    assert kept(mem) == {b"5\n"}


@proves("X.9")
def test_undo_stops_where_versions_are_gone_and_never_skips_one(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_HISTORY_VERSIONS", "4")
    for number in range(8):
        mem.write("long_term", f"{number}\n", "overwrite")
    seen = [mem.read()]
    with contextlib.suppress(HistoryError):
        for _ in range(8):
            mem.undo("MEMORY.md")
            seen.append(mem.read())
    assert seen == ["7\n", "6\n", "5\n"]  # each undo is a change too and takes a place


@proves("X.9")
def test_a_setting_that_is_no_number_is_told_before_anything_is_written(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_HISTORY_VERSIONS", "many")
    with pytest.raises(ConfigError):
        mem.write("long_term", "one\n")
    assert not (mem.root / "MEMORY.md").exists()


@proves("S0.28", "X.9")
def test_versions_are_outside_of_list_search_and_block(mem: Mem) -> None:
    mem.write("long_term", "zebra\n")
    mem.write("long_term", "horse\n", "overwrite")
    assert b"zebra\n" in kept(mem)
    assert mem.list() == ["MEMORY.md"]
    assert len(mem.search("zebra")) == 0
    assert "zebra" not in (mem.context_block() or "")
