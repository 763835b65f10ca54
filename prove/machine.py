"""A machine for `prove fuzz` that calls the whole library in any order, next to a model of words.

Everything that is stored gets a word of its own. The model knows which things there are, what each says, and
which of the words can be found. `tests/store/test_properties.py` has the machine for bytes and undo.
"""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.conftest import NOON, Clock

from memolith import Mem, export_memory, import_memory
from memolith.memory.sessions import Session, Turn
from prove.lines import below

TITLES = st.sampled_from(["Red door", "Blue door", "Green door"])
CATEGORIES = st.sampled_from(["decisions", "procedures", "principles"])
PICK = st.integers(0, 50)


class Library(RuleBasedStateMachine):
    """Notes, records, tickets, sessions, the log and MEMORY.md of a project."""

    def __init__(self) -> None:
        super().__init__()
        self._cleanup = contextlib.ExitStack()
        place = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108
        self.base = Path(self._cleanup.enter_context(tempfile.TemporaryDirectory(dir=place)))
        self.work = self.base / "shop"
        self.work.mkdir()
        self.clock, self.count = Clock(NOON), 0
        self.home = self.base / "home"
        self.mem = self.open(self.home)
        self.notes: dict[str, str] = {}  # by title
        self.records: dict[str, tuple[str, str, str]] = {}  # by id: category, status, word
        self.tickets: dict[str, tuple[str, list[str]]] = {}  # by id: status, words
        self.sessions: dict[str, list[str]] = {}
        self.sections: dict[str, str] = {}
        self.log: list[str] = []
        self.gone: set[str] = set()  # words that nothing may bring back

    def teardown(self) -> None:
        """Remove everything."""
        self.mem.close()
        self._cleanup.close()

    def open(self, home: Path) -> Mem:
        """Open a memory of the project."""
        return Mem.open(self.work, home=home, now=self.clock)

    def word(self) -> str:
        """Return a word that nothing has yet."""
        self.count += 1
        self.clock.seconds += 60
        return f"quokka{self.count:03d}x"

    @staticmethod
    def pick(among: dict[str, object], number: int) -> str:
        """Return one of the keys."""
        return sorted(among)[number % len(among)]

    # ------------------------------------------------------------ what may happen

    @rule(title=TITLES)
    def remember(self, title: str) -> None:
        """Keep a note; the same title replaces it."""
        word = self.word()
        self.mem.remember(f"The {word} is behind it.", title)
        self.notes[title] = word

    @precondition(lambda self: self.notes)
    @rule(number=PICK)
    def delete_note(self, number: int) -> None:
        """Delete a note."""
        title = self.pick(dict(self.notes), number)
        self.mem.edit("note", name=title.lower().replace(" ", "-"))
        del self.notes[title]

    @rule(category=CATEGORIES)
    def record(self, category: str) -> None:
        """Add a record."""
        word = self.word()
        done = self.mem.records.add(
            f"We chose {word}.", category=category, scope="project", title=f"About {word}", force=True
        )
        self.records[done.id] = (category, "active", word)

    @precondition(lambda self: self.records)
    @rule(number=PICK, category=CATEGORIES, what=st.sampled_from(["update", "archive", "restore", "move"]))
    def change_record(self, number: int, category: str, what: str) -> None:
        """Change a record."""
        name = self.pick(dict(self.records), number)
        old, status, word = self.records[name]
        if what == "update":
            word = self.word()
            self.mem.records.update(name, f"We chose {word}.", title=f"About {word}")
        elif what == "move":
            self.mem.records.reclassify(name, category)
            old = category
        else:
            status = "archived" if what == "archive" else "active"
            getattr(self.mem.records, what)(name)
        self.records[name] = (old, status, word)

    @precondition(lambda self: self.records)
    @rule(number=PICK, again=st.booleans())
    def delete_record(self, number: int, again: bool) -> None:
        """Delete a record, and perhaps take that back."""
        name = self.pick(dict(self.records), number)
        path = self.mem.records.get(name).filename
        self.mem.records.delete(name)
        if again:
            self.mem.undo(path)
        else:
            del self.records[name]

    @rule()
    def ticket(self) -> None:
        """Add a ticket."""
        word = self.word()
        done = self.mem.tickets.add(f"Find {word}", description=f"It has to do with {word}.")
        self.tickets[done.id] = ("open", [word])

    @precondition(lambda self: self.tickets)
    @rule(number=PICK, what=st.sampled_from(["note", "close", "delete", "update"]))
    def change_ticket(self, number: int, what: str) -> None:
        """Change a ticket."""
        name = self.pick(dict(self.tickets), number)
        status, words = self.tickets.pop(name)
        if what == "note":
            words = [*words, self.word()]
            self.mem.tickets.note(name, f"Now with {words[-1]}.")
        elif what == "close":
            self.mem.tickets.close(name)
            status = "closed"
        elif what == "update":
            self.mem.tickets.update(name, status="in_progress")
            status = "in_progress"
        else:
            self.mem.tickets.delete(name)
            return
        self.tickets[name] = (status, words)

    @rule(number=st.integers(1, 3))
    def session(self, number: int) -> None:
        """Store a session, or the same one with one more turn."""
        name = f"claude-s{number}"
        said = [*self.sessions.get(name, []), self.word()]
        turns = [Turn(number=at, role="user", text=f"What about {word}?") for at, word in enumerate(said, 1)]
        when = "2026-11-01T10:00:00Z"
        if any(word in self.gone for word in said[:-1]):
            return  # the agent still has it, but its line stays away: another number of words
        self.mem.sessions.add(Session(agent="claude", id=f"s{number}", started=when, turns=turns))
        self.sessions[name] = said

    @precondition(lambda self: self.sessions)
    @rule(number=PICK)
    def delete_session(self, number: int) -> None:
        """Delete a session."""
        name = self.pick(dict(self.sessions), number)
        self.mem.sessions.delete(name)
        del self.sessions[name]

    @rule()
    def write_log(self) -> None:
        """Write into the daily log."""
        self.log.append(self.word())
        self.mem.append_daily("Noted", f"Saw {self.log[-1]}.")

    @rule(section=st.sampled_from(["Rules", "Machine"]))
    def section(self, section: str) -> None:
        """Replace a section of MEMORY.md."""
        self.sections[section] = self.word()
        self.mem.update_section(section, f"- Keep {self.sections[section]}.")

    @precondition(lambda self: self.words())
    @rule(number=PICK)
    def forget(self, number: int) -> None:
        """Forget one of the words, for good."""
        word = self.words()[number % len(self.words())]
        assert self.mem.forget(word).problems == []
        self.gone.add(word)
        self.notes = {title: each for title, each in self.notes.items() if each != word}
        self.records = {name: each for name, each in self.records.items() if each[2] != word}
        self.log = [each for each in self.log if each != word]
        self.sections = {name: each for name, each in self.sections.items() if each != word}
        for name, (status, words) in list(self.tickets.items()):
            if words[0] == word:
                # Its title had the word, so the name of its file has changed with it; see what is left.
                del self.tickets[name]
                for each in self.mem.tickets.list():
                    if each.id not in self.tickets:
                        self.mem.tickets.delete(each.id)
            elif word in words:
                self.tickets[name] = (status, [each for each in words if each != word])

    @rule()
    def reopen(self) -> None:
        """Close memory, throw the index away, and open it again."""
        self.mem.close()
        shutil.rmtree(self.home / "cache", ignore_errors=True)
        self.mem = self.open(self.home)

    @precondition(lambda self: self.words())
    @rule()
    def move_house(self) -> None:
        """Take everything to another home, and go on there."""
        self.count += 1
        archive, home = self.base / f"{self.count}.tar.gz", self.base / f"home{self.count}"
        export_memory(self.mem, archive)
        self.mem.close()
        self.home, self.mem = home, self.open(home)
        import_memory(self.mem, archive, kind="archive")

    # ------------------------------------------------------------ what always holds

    def words(self) -> list[str]:
        """Return the words that can be found now."""
        found = [*self.notes.values(), *self.log, *self.sections.values()]
        found += [word for _, status, word in self.records.values() if status == "active"]
        found += [word for _, words in self.tickets.values() for word in words]
        found += [word for said in self.sessions.values() for word in said if word not in self.gone]
        return sorted(set(found))

    @invariant()
    def things_are_as_in_the_model(self) -> None:
        """See that each thing is there, and says what it should."""
        kept = {
            each.id: (each.category, each.status, each.body) for each in self.mem.records.list(archived=True)
        }
        assert set(kept) == set(self.records)
        for name, (category, status, word) in self.records.items():
            assert kept[name][:2] == (category, status)
            assert word in kept[name][2]
        tickets = {each.id: each for each in self.mem.tickets.list()}
        assert {name: each.status for name, each in tickets.items()} == {
            name: each[0] for name, each in self.tickets.items()
        }
        for name, (_, words) in self.tickets.items():
            text = f"{tickets[name].title} {tickets[name].description} {tickets[name].notes}"
            assert [word for word in words if word not in text] == []
        assert {each.name for each in self.mem.sessions.list()} == set(self.sessions)
        block = self.mem.context_block() or ""
        for title, word in self.notes.items():
            name = title.lower().replace(" ", "-")
            assert word in self.mem.read("note", name)
            assert f"({name}.md)" in block
        assert all(word in self.mem.read("long_term") for word in self.sections.values())

    @invariant()
    def what_is_there_is_found_and_nothing_else(self) -> None:
        """Ask for a word that is there, and for one that is not."""
        words = self.words()
        for word in words[-2:]:
            assert any(word in hit.text for hit in self.mem.recall(word)), word
        for word in sorted(self.gone)[-1:]:
            assert not [hit for hit in self.mem.recall(word) if word in hit.text]

    @invariant()
    def no_byte_of_what_was_forgotten_is_left(self) -> None:
        """Search every file of the home."""
        for name, data in below(self.home) if self.gone else ():
            assert [word for word in self.gone if word.encode() in data] == [], name
