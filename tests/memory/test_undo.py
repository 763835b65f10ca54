"""Taking changes back by name: the whole change, in the order in which it was made; and the log of them."""

from pathlib import Path
from typing import Any

import pytest

from memolith import HistoryError, InputError, Mem
from memolith.care import written
from memolith.memory.undo import lineage
from memolith.store.together import Command
from tests.learn.talk import session
from tests.ledger import proves


@pytest.fixture
def mem(work: Path) -> Mem:
    """Return a memory with a clock that goes on: the order of changes matters here."""
    return Mem.open(work)


def notes(mem: Mem) -> list[str]:
    """Return the names of the notes."""
    return [path.rpartition("/")[2] for path in mem.list() if "/notes/" in path]


@proves("X.9")
def test_a_rename_is_taken_back_and_made_again_as_a_whole_by_either_name(mem: Mem) -> None:
    mem.remember("start here", "M1")
    mem.rename("m1", "M2")
    for name in ("m2", "m1"):
        assert mem.undo(name).also
        assert notes(mem) == ["m1.md"]
        mem.redo(name)
        assert notes(mem) == ["m2.md"]


@proves("X.9")
def test_half_of_a_rename_is_never_taken_back(mem: Mem) -> None:
    mem.remember("start here", "M1")
    mem.rename("m1", "M2")
    mem.remember("another", "M1")
    with pytest.raises(HistoryError, match=r"also changed .*m1\.md, which has changed since"):
        mem.undo("m2")
    assert notes(mem) == ["m1.md", "m2.md"]


@proves("X.29")
def test_links_follow_a_renamed_note_and_come_back_with_it(mem: Mem) -> None:
    links = (
        "See [[zeta]], [[zeta#part|Z]], [z](zeta.md#top), memory://root/notes/zeta.md, [z](<./zeta.md>), "
        "[z](memory://project/notes/zeta.md); not [[zetas]], zeta, memory://user/notes/zeta.md."
    )
    mem.remember("See [[zeta#part]] below.", "Zeta")
    mem.remember(links, "Linker")
    mem.rename("zeta", "Omega")
    assert mem.read("note", "omega").endswith("See [[omega#part]] below.\n")
    moved = links.replace("[[zeta]]", "[[omega]]").replace("[[zeta#", "[[omega#")
    moved = moved.replace("zeta.md", "omega.md").replace("user/notes/omega", "user/notes/zeta")
    assert mem.read("note", "linker").endswith(f"{moved}\n")
    mem.undo()
    assert mem.read("note", "linker").endswith(f"{links}\n")
    assert notes(mem) == ["linker.md", "zeta.md"]


@proves("X.29")
def test_links_to_a_name_with_spaces_follow_in_each_of_their_spellings(mem: Mem, store: Path) -> None:
    mem.remember(
        "[[my page]], [a](my%20page.md), [b](<my page.md>), memory://root/notes/my%20page.md", "Links"
    )
    (store / "notes" / "my page.md").write_text("By hand.\n")
    mem.rename("my page", "Omega")
    said = mem.read("note", "links")
    assert "[[omega]], [a](omega.md), [b](<omega.md>), memory://root/notes/omega.md" in said


@proves("S3.32", "X.9")
def test_a_record_that_replaced_another_is_taken_back_together_with_that(mem: Mem) -> None:
    for text in ("Use tabs.", "Use spaces."):
        replaces = ["use-tabs"] if "spaces" in text else []
        mem.records.add(text, category="decisions", scope="project", supersedes=replaces)
    mem.undo("use-spaces")
    assert [(each.id, each.status) for each in mem.records.list(archived=True)] == [("use-tabs", "active")]


@proves("X.9")
def test_after_an_undo_to_a_version_the_next_one_goes_further_back(mem: Mem) -> None:
    for text in ("one", "two", "three"):
        mem.remember(text, "V")
    mem.undo("v", 2)
    assert mem.read("note", "v").endswith("one\n")
    mem.undo("v")
    assert notes(mem) == []
    mem.redo("v")
    mem.redo("v")
    assert mem.read("note", "v").endswith("three\n")


@proves("X.9")
def test_a_version_that_is_no_text_is_not_restored_by_deleting_the_file(mem: Mem) -> None:
    mem.remember("one", "V")
    mem.remember("two", "V")
    with pytest.raises(HistoryError, match=r"version 1 has no text, .*`memolith rm v` deletes it"):
        mem.undo("v", 1)
    assert mem.read("note", "v").endswith("two\n")


@pytest.mark.parametrize("name", ["alpha-beta", "Alpha Beta", "ALPHA-BETA.md", "alph"])
def test_what_is_gone_is_brought_back_by_its_name_its_title_or_their_beginning(mem: Mem, name: str) -> None:
    mem.remember("one", "Alpha Beta")
    mem.remember("another", "Gamma")
    mem.remove("alpha-beta")
    mem.undo(name)
    assert notes(mem) == ["alpha-beta.md", "gamma.md"]


@proves("X.9")
def test_what_was_forgotten_cannot_be_brought_back_as_an_empty_note(mem: Mem) -> None:
    mem.remember("elsewhere", "Q")
    mem.remember("Old secret plan.", "P")
    mem.remember("New plan.", "P")
    mem.forget("Old secret")
    with pytest.raises(HistoryError, match="was forgotten"):
        mem.undo("p")
    with pytest.raises(HistoryError, match="was forgotten"):
        mem.undo("p", 2)
    with pytest.raises(HistoryError, match="the last thing here was a forget"):
        mem.undo()  # not something older in its place
    assert mem.undo("q").name.endswith("q.md")
    assert mem.read("note", "p").endswith("New plan.\n")


def everything(mem: Mem) -> dict[str, bytes]:
    """Return the bytes of all memory files."""
    found = (path for path in mem.root.rglob("*") if path.is_file() and ".tmp" not in path.parts)
    return {str(path.relative_to(mem.root)): path.read_bytes() for path in found}


def clear(mem: Mem) -> None:
    mem.learning.withdraw(everywhere=True, everything=True)


def clear_user(mem: Mem) -> None:
    mem.learning.withdraw(user=True, everything=True)


def fix(mem: Mem) -> None:
    assert mem.doctor(fix=True).fixed


def reclassify(mem: Mem) -> None:
    mem.records.reclassify("use-tabs", "principles")


def delete_learned(mem: Mem) -> None:
    mem.records.delete("the-server-is-db1")


def accept(mem: Mem) -> None:
    for held in mem.review.list():
        mem.review.accept(held.id)


def adopt(mem: Mem) -> None:
    mem.projects.adopt("other")


def overflow(mem: Mem) -> None:
    Path(mem.home, "config.yml").write_text("long_term:\n  soft_limit: 100\n  overflow: archive\n")
    with Mem.open(home=mem.home) as again:
        again.write("long_term", "a later fact, which leaves no room for earlier ones, however short, " * 2)
    assert "notes/memory-archive.md" in everything(mem)


@proves("X.9", "S2.18")
@pytest.mark.parametrize(
    "command", [clear, clear_user, fix, reclassify, delete_learned, accept, adopt, overflow]
)
def test_one_command_is_one_undo_whatever_files_it_changes(mem: Mem, work: Path, command: Any) -> None:
    other = work.parent / "other"
    other.mkdir()
    with Mem.open(other, home=mem.home) as there:
        there.remember("elsewhere", "Away")
        there.write("scratchpad", "- [ ] elsewhere too")
    mem.remember("here", "Here")
    for page in mem.root.rglob("notes/MEMORY.md"):  # a person's pages, with links to what is gone
        page.write_text("# My notes\n\n- [Gone](gone.md)\n")
    mem.write("long_term", "an earlier fact")
    for scope in ("project", "user"):
        mem.records.add("Use tabs.", category="decisions", scope=scope)
    learned = mem.from_source("extracted", "user")
    learned.records.add("The server is db1.", category="principles", scope="project")
    mem.from_source("imported", "web").write("long_term", "a line from elsewhere")
    before = everything(mem)
    command(mem)
    after = everything(mem)
    assert after != before
    mem.undo()
    assert everything(mem) == before
    mem.redo()
    assert everything(mem) == after


@proves("X.9")
def test_a_record_in_another_category_has_the_versions_that_it_had(mem: Mem) -> None:
    mem.records.add("Use tabs.", category="decisions", scope="project")
    mem.records.update("use-tabs", "Use two tabs.")
    mem.records.reclassify("use-tabs", "preferences")
    mem.undo("use-tabs", 2)
    assert mem.records.get("use-tabs").body == "Use tabs.\n"
    assert mem.records.get("use-tabs").category == "preferences"


@proves("X.9")
def test_what_others_wrote_between_two_changes_of_a_command_is_not_taken_back_with_it(mem: Mem) -> None:
    with Command("clear"):
        mem.write("scratchpad", "- [ ] one")
    with Command("clear"):
        mem.write("scratchpad", "- [ ] two")
        mem.write("scratchpad", "- [ ] three")
    mem.undo()
    assert mem.read("scratchpad") == "- [ ] one\n"


def test_the_history_of_a_note_follows_its_renames(mem: Mem) -> None:
    mem.remember("start", "S1")
    mem.edit("note", "start", "begin", name="s1")
    mem.rename("s1", "S2")
    mem.rename("s2", "S3")
    last = mem.find("s3").path
    assert lineage(mem, last) == [last.replace("s3", name) for name in ("s3", "s2", "s1")]


def test_the_log_says_what_each_change_brought_in_the_order_of_time(mem: Mem) -> None:
    mem.remember("first", "B")
    mem.remember("second", "B")
    mem.remember("another", "A")
    mem.write("note", "more", name="b")
    mem.edit("note", "more", "", name="b")
    mem.remove("b")
    mem.undo()
    says = ["second", "(removed: second)", "(removed: more)", "more", "another", "second", "first"]
    assert [each.says for each in written.since(mem)] == says


@proves("X.9")
def test_one_import_of_tickets_is_one_undo(mem: Mem) -> None:
    mem.tickets.add("Zero bug")
    mem.tickets.load(
        [{"title": "One bug"}, {"title": "Zero bug", "body": "It crashes."}, {"title": "Two bug"}]
    )
    assert len(mem.undo().also) == 2
    assert [(each.id, each.description) for each in mem.tickets.list()] == [("zero-bug", "")]
    mem.redo()
    assert [each.id for each in mem.tickets.list()] == ["one-bug", "two-bug", "zero-bug"]


@proves("X.9")
def test_a_list_of_tickets_with_one_that_has_no_title_changes_nothing(mem: Mem) -> None:
    with pytest.raises(InputError, match="without a title"):
        mem.tickets.load([{"title": "One bug"}, {"body": "It crashes."}])
    assert mem.tickets.list() == []


@proves("X.9")
def test_one_run_of_learning_is_one_undo(mem: Mem, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    said = (
        "From now on always run make check before committing.",
        "In all my projects I prefer short answers.",
    )
    mem.sessions.add(session(*(("user", each) for each in said)))
    mem.remember("The sky is blue.", "Sky")
    mem.learning.run(force=True, model="none")
    learned = {each.body.strip() for each in mem.records.list()}
    page = (store / "MEMORY.md").read_bytes()
    assert learned == set(said)
    assert [each.op.partition("-")[0] for each in written.since(mem)] == ["learn", "learn", "remember"]
    mem.undo()
    assert (mem.records.list(), (store / "MEMORY.md").exists()) == ([], False)
    mem.redo()
    assert {each.body.strip() for each in mem.records.list()} == learned
    assert (store / "MEMORY.md").read_bytes() == page
    mem.undo()
    mem.undo()
    assert notes(mem) == []
