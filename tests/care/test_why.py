"""`why` and `promote`: where a memory came from, a note that becomes a skill."""

import json
from pathlib import Path

import pytest

from memolith import InputError, Mem, NotFoundError, import_memory
from memolith.care.edit import edit
from memolith.care.why import why
from memolith.hosts.hook.edge import answer
from memolith.learn.consolidate.skills import promote
from tests.conftest import Clock
from tests.ledger import proves

DAY = 86_400.0


@pytest.fixture
def told(mem: Mem, work: Path) -> Mem:
    """Return a memory of which an agent was given the block and a note."""
    mem.remember("The test database listens on port 5433.", "Test database")
    mem.write("long_term", "- I like tea.")
    mem.sessions.end([{"role": "user", "content": "Use pnpm."}], agent="claude", session_id="1")
    for text, source in (("Use npm.", ""), ("Use pnpm.", "session:claude-1#1")):
        mem.records.add(text, category="decisions", scope="project", title="Manager", source=source)
    for event in (
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "which port has the test database?"},
    ):
        message = {"session_id": "s1", "cwd": str(work), **event}
        assert answer(json.dumps(message).encode(), "claude", "", mem.home, "")
    return mem


def test_why_tells_where_a_note_came_from_and_to_whom_it_was_given(told: Mem) -> None:
    found = why(told, "test-database")
    assert (found.kind, found.title, found.origin) == ("note", "Test database", "")
    assert [(each.op, each.by) for each in found.changes] == [("remember", "agent")]
    assert [each.event for each in found.given] == ["prompt"]
    assert "given        1 time to 1 session" in found.render()
    assert "from         your agent" in found.render()
    block = why(told, "long_term")
    assert block.injected
    assert [each.event for each in block.given] == ["start-startup"]


@proves("S1.26")
def test_an_agent_is_told_of_an_edit_at_its_next_prompt(told: Mem, work: Path) -> None:
    def save(path: str) -> int:
        Path(path).write_text("- I like coffee.\n")
        return 0

    edit(told, "long_term", save)
    message = {"session_id": "s1", "cwd": str(work), "hook_event_name": "UserPromptSubmit", "prompt": "go on"}
    assert "I like coffee." in answer(json.dumps(message).encode(), "claude", "", told.home, "")


def test_why_knows_sources_and_what_replaced_what(told: Mem) -> None:
    first, second = sorted(told.records.list(archived=True), key=lambda each: each.status, reverse=True)
    assert first.status == "superseded"
    assert why(told, first.id).replaced_by == [second.id]
    found = why(told, second.id)
    assert (found.replaces, found.sources, found.kind) == ([first.id], ["session:claude-1#1"], "record")
    turn = why(told, found.sources[0])
    assert (turn.kind, turn.title) == ("session", "Use pnpm.")
    assert "a session with claude" in turn.origin


@pytest.mark.parametrize(
    "ref",
    ["test-database", "memory://root/notes/test-database.md", "notes/test-database.md", "PATH:6", "PATH"],
)
def test_a_memory_may_be_named_in_many_ways(told: Mem, ref: str) -> None:
    path = f"projects/{told.project}/notes/test-database.md"
    assert why(told, ref.replace("PATH", path)).name == path
    for hit in told.recall("port of the test database, pnpm or npm").hits:
        assert why(told, hit.id).kind == hit.kind


def test_why_of_what_is_imported_and_of_nothing(told: Mem, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "plan.md").write_text("The plan is good.")
    import_memory(told, vault)
    assert "imported" in why(told, "plan").origin
    with pytest.raises(NotFoundError, match="did you mean 'test-database'"):
        why(told, "test-databse")
    with pytest.raises(NotFoundError, match="has no turn '9'; they are 1 to 1"):
        why(told, "session:claude-1#9")


@proves("S1.32")
def test_a_promoted_note_is_a_skill_and_each_links_to_the_other(told: Mem, store: Path) -> None:
    before = told.read("note", "test-database")
    done = promote(told, "test-database")
    skill = store / "skills" / "test-database" / "SKILL.md"
    assert done.filename == str(skill)
    assert (skill.parent / "../../notes/test-database.md").resolve().is_file()
    assert "[Test database](../../notes/test-database.md)" in skill.read_text()
    assert skill.read_text().startswith("---\nname: test-database\ndescription: The test database listens")
    assert "[test-database](../skills/test-database/SKILL.md)" in told.read("note", "test-database")
    assert "skills" not in (told.context_block() or "")  # a skill in memory is not taken for one to load
    assert promote(told, "test-database").message.endswith("is up to date")
    told.edit("note", "5433", "5434", "test-database")
    promote(told, "test-database")
    assert "5434" in skill.read_text()
    skill.write_text("---\nname: x\n---\nMine.\n")
    with pytest.raises(InputError, match="there is a skill of that name already"):
        promote(told, "test-database")
    assert skill.read_text().endswith("Mine.\n")
    assert before in told.read("note", "test-database").replace("5434", "5433")


def test_one_undo_takes_a_promotion_back(told: Mem, clock: Clock, store: Path) -> None:
    before = told.read("note", "test-database")
    clock.seconds += 1
    assert promote(told, "test-database").message.startswith("Made ")
    told.undo()
    assert not (store / "skills" / "test-database" / "SKILL.md").exists()
    assert told.read("note", "test-database") == before
    with pytest.raises(NotFoundError, match="no note is called 'absent'"):
        promote(told, "absent")
