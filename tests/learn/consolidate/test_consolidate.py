"""Consolidation: from extractions to MEMORY.md, summary and skills, with a model and without one."""

import os
from pathlib import Path

import pytest

from memolith import Mem, MemolithError
from memolith.base.errors import ProviderError, UnsafePathError
from memolith.learn.consolidate import current, draft, statements
from memolith.memory.document import MARKER
from tests.care.test_scan import canary
from tests.conftest import Clock
from tests.learn.scripted import Scripted, consolidate, extraction, reply
from tests.ledger import proves
from tests.store.test_writeset import texts

SKILL = {"name": "Deploy the App", "content": "# Deploying\n\nRun `make deploy`.\n"}


# ---------------------------------------------------------------- with a model


@proves("S2.42", "S2.43", "S2.73")
def test_a_consolidation_writes_the_document_the_summary_skills_and_what_they_were_made_from(
    mem: Mem, store: Path
) -> None:
    mem.register()
    (store / "MEMORY.md").write_text("# Mine\n")
    done = consolidate(
        mem,
        extraction(mem, "claude-1", "Redis on 6380", slug="Redis Setup!"),
        extraction(mem, "codex-2", "Deploy the app: run `make deploy`", started="2026-11-11T10:00:00Z"),
        model=Scripted(reply("- The suite needs Redis on 6380.\n", "Redis: 6380.\n", SKILL)),
    )
    assert done.held == ""
    found = texts(store)
    assert "- 2026-11-10: Redis on 6380 [claude-1]\n" in found["MEMORY.md"]
    assert found["MEMORY.md"].startswith(f"# Mine\n{MARKER}\n")
    assert found["memory_summary.md"].startswith(f"{current.VERSION}\n## Facts\n- Redis on 6380\n")
    assert "make deploy" in found["skills/deploy-the-app/SKILL.md"]
    raw = found["raw_memories.md"]
    assert "## claude-1 (2026-11-10T09:00:00Z)\n\n- Redis on 6380\n" in raw
    assert "## codex-2 (2026-11-11T10:00:00Z)" in raw
    assert set(os.listdir(store / "rollout_summaries")) == {"claude-1-redis-setup.md", "codex-2.md"}


@proves("S2.43")
def test_synopses_that_are_no_longer_selected_are_removed(mem: Mem, store: Path) -> None:
    one, two = (extraction(mem, name, f"Fact {name}") for name in ("claude-1", "codex-2"))
    consolidate(mem, one, two)
    consolidate(mem, two)
    assert os.listdir(store / "rollout_summaries") == ["codex-2.md"]
    assert "claude-1" not in (store / "raw_memories.md").read_text()


@proves("S2.41")
def test_only_extractions_of_the_same_project_are_read_and_the_newest_of_them(
    mem: Mem, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_MAX_RAW_MEMORIES_FOR_GLOBAL", "2")
    mine = [
        extraction(mem, f"claude-{day}", f"Fact of day {day}", started=f"2026-11-0{day}T00:00:00Z")
        for day in (1, 2, 3)
    ]
    other = extraction(mem, "claude-9", "Another's secret plan")
    other = other.but(project="other-12345678")
    model = Scripted(reply())
    consolidate(mem, *mine, other, model=model)
    asked = model.asked[0]
    assert "Fact of day 3" in asked
    assert "Fact of day 2" in asked
    assert "Fact of day 1" not in asked
    assert "secret plan" not in asked + "".join(texts(store).values())


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {"memory_md": "x", "memory_summary": "y"},
        {**reply(), "extra": 1},
        reply(memory=" \n"),
        reply(summary=""),
        {**reply(), "memory_md": 1},
        {**reply(), "skills": {}},
        reply("x", "y", "not an object"),
        reply("x", "y", {"name": "a"}),
        reply("x", "y", {"name": "a", "content": "b", "tools": []}),
        reply("x", "y", {"name": "a", "content": "b", "scripts": [{"path": "x"}]}),
        reply(
            "x", "y", {"name": "a", "content": "b", "scripts": [{"path": "x", "content": "y", "mode": "z"}]}
        ),
        ProviderError("the model is gone"),
    ],
)
@proves("S2.50")
def test_a_reply_that_is_not_exactly_what_was_asked_for_changes_nothing(
    mem: Mem, store: Path, answer: object
) -> None:
    given = extraction(mem, "claude-1", "Redis")
    consolidate(mem, given, model=Scripted(reply("- Redis.\n", "Redis.\n", SKILL)))
    before = texts(store)
    with pytest.raises(MemolithError):
        consolidate(mem, given, extraction(mem, "claude-2", "More"), model=Scripted(answer))
    assert texts(store) == before


@proves("S2.49")
def test_without_extractions_what_was_generated_goes_without_asking_a_model(mem: Mem, store: Path) -> None:
    mem.register()
    (store / "MEMORY.md").write_text("# Mine\n")
    (store / "skills" / "own").mkdir(parents=True)
    (store / "skills" / "own" / "SKILL.md").write_text("made by hand")
    consolidate(
        mem,
        extraction(mem, "claude-1", "Redis", "Deploy the app: run `make deploy`"),
        model=Scripted(reply("- Redis.\n", "Redis.\n", SKILL)),
    )
    assert (store / "skills" / "deploy-the-app").exists()
    model = Scripted()
    consolidate(mem, model=model)
    assert model.asked == []
    found = texts(store)
    del found["generated.txt"]
    assert found == {
        "MEMORY.md": "# Mine\n",
        "raw_memories.md": draft.NO_RAW,
        "skills/own/SKILL.md": "made by hand",
    }
    assert os.listdir(store / "skills") == ["own"]


@proves("S2.63")
def test_the_model_sees_the_previous_text_and_what_changed_since(mem: Mem, store: Path) -> None:
    one = extraction(mem, "claude-1", "Redis is on 6380.", "Postgres is on 5433.")
    both = "- Redis is on 6380.\n- Postgres is on 5433.\n"
    consolidate(mem, one, model=Scripted(reply(both, both)))
    page = store / "MEMORY.md"
    line = "- 2026-11-10: Postgres is on 5433. [claude-1]"
    page.write_text(page.read_text().replace(line, "- Ask Ana about Kafka."))
    model = Scripted(reply(both, both))
    done = consolidate(mem, one, extraction(mem, "claude-2", "More of it"), model=model)
    asked = model.asked[0]
    assert "Redis is on 6380. [claude-1]\n- Ask Ana about Kafka." in asked
    assert "new session: claude-2" in asked
    assert "keep word for word: - Ask Ana about Kafka." in asked
    # What a person deleted does not come back, whatever the model says, now or later.
    for _ in range(2):
        assert done.held == ""
        assert "Postgres" not in page.read_text() + (store / "memory_summary.md").read_text()
        assert "Ask Ana about Kafka" in page.read_text()
        done = consolidate(mem, one, extraction(mem, "claude-3", "x"), model=Scripted(reply(both, both)))


@proves("S2.63", "S2.86")
def test_the_model_sees_the_skills_and_what_people_took_back(mem: Mem, store: Path) -> None:
    one = extraction(mem, "claude-1", "Redis is on 6380.", "Deploy the app: run `make deploy`")
    consolidate(mem, one, model=Scripted(reply("- Redis is on 6380.\n", "Redis is on 6380.\n", SKILL)))
    mem.register()
    (store / "taken_back.md").write_text("- Postgres is on 5433.\n")
    model = Scripted(reply())
    consolidate(mem, one, extraction(mem, "claude-2", "Postgres listens on 5433"), model=model)
    assert "- Postgres is on 5433." in model.asked[0]
    assert "Postgres listens" not in model.asked[0]
    assert "name: deploy-the-app" in model.asked[0]
    assert "Postgres" not in (store / "MEMORY.md").read_text() + (store / "memory_summary.md").read_text()


@proves("S2.54")
def test_no_secret_reaches_the_disk_or_the_request(mem: Mem, store: Path) -> None:
    key = canary("consolidation")
    text = f"the token is {key}"
    skill = {
        "name": f"skill {key}",
        "content": text,
        "scripts": [{"path": "run.sh", "content": text}, {"path": f"{key}.sh", "content": "x"}],
    }
    mem.register()
    given = extraction(mem, "claude-1", text, synopsis=text, slug=key)
    model = Scripted(reply(f"- {text}\n", text, skill), reply())
    consolidate(mem, given, model=model)
    page = store / "MEMORY.md"
    page.write_text(page.read_text() + f"- typed by hand: {text}\n")
    consolidate(mem, given, extraction(mem, "claude-2", "more"), model=model)
    consolidate(mem, given)
    assert key not in "".join(model.asked)
    home = Path(mem.home)
    part = key.lower().rpartition("_")[2]  # as it would be in a name
    for path in (each for each in home.rglob("*") if "MEMORY.md" not in str(each)):
        assert part not in str(path).lower()
        assert not path.is_file() or part.encode() not in path.read_bytes().lower(), path


def test_a_request_fits_into_the_window_and_leaves_out_what_is_oldest(mem: Mem) -> None:
    many = [
        extraction(mem, f"claude-{day:02}", f"fact{day:02} " + "word " * 1000, started=f"2026-10-{day:02}")
        for day in range(1, 29)
    ]
    model = Scripted(reply(), window=20_000)
    consolidate(mem, *many, model=model)
    assert len(model.asked[0]) < 4 * 20_000
    assert "fact28" in model.asked[0]
    assert "fact01" not in model.asked[0]


def test_paths_into_the_memory_become_addresses(mem: Mem, store: Path) -> None:
    text = f"see {store}/notes/a.md and {mem.root}/MEMORY.md"
    consolidate(mem, extraction(mem, "claude-1", text), model=Scripted(reply(f"- {text}\n", text)))
    found = texts(store)
    assert "see memory://root/notes/a.md and memory://user/MEMORY.md" in found["memory_summary.md"]
    assert str(mem.root) not in "".join(found.values())


@proves("S2.72")
def test_a_link_in_the_memory_stops_a_consolidation(mem: Mem, store: Path, tmp_path: Path) -> None:
    mem.register()
    (store / "notes").mkdir()
    link = store / "notes" / "x.md"
    link.symlink_to(tmp_path / "elsewhere")
    model = Scripted()
    with pytest.raises(UnsafePathError, match=r"x\.md is a symbolic link"):
        consolidate(mem, extraction(mem, "claude-1", "x"), model=model)
    assert model.asked == []
    assert not (store / "MEMORY.md").exists()
    link.unlink()
    real = store.rename(tmp_path / "real")
    store.symlink_to(real)
    with pytest.raises(UnsafePathError):
        consolidate(mem, extraction(mem, "claude-1", "x"), model=model)


# ---------------------------------------------------------------- without a model


@proves("S4.24")
def test_without_a_model_statements_are_merged_by_category_newest_first_each_once(
    mem: Mem, store: Path
) -> None:
    one = extraction(
        mem,
        "claude-1",
        "# Decisions",
        'The API uses port 8080. [turn 3: "use 8080"]',
        'The database is Postgres 15. [turn 5: "we use Postgres 15"]',
        "## Preferences",
        'Answer in German. [turn 9: "auf Deutsch bitte"]',
        started="2026-11-01T08:00:00Z",
    )
    two = extraction(
        mem,
        "codex-2",
        'decision: the API uses port 8080 [turn 2: "8080"]',
        'decision: The database is Postgres 16. [turn 4: "now 16"]',
        'The build needs node 22. [turn 6: "node 22"]',
        started="2026-11-02T08:00:00Z",
        synopsis="Moved the data of the customers.",
    )
    consolidate(mem, one, two)
    page = (store / "MEMORY.md").read_text()
    assert page == (
        f"{MARKER}\n# Learned from sessions\n\n"
        "## Preferences\n- 2026-11-01: Answer in German. [claude-1#9]\n\n"
        "## Decisions\n"
        "- 2026-11-02: the API uses port 8080 [codex-2#2, claude-1#3]\n"
        "- 2026-11-02: The database is Postgres 16. [codex-2#4]\n\n"
        "## Facts\n- 2026-11-02: The build needs node 22. [codex-2#6]\n"
    )
    summary = (store / "memory_summary.md").read_text()
    assert (
        "- 2026-11-02: Moved the data of the customers. (memory://root/rollout_summaries/codex-2.md)"
        in summary
    )
    before = texts(store)
    assert consolidate(mem, two, one).message == "nothing is different"
    assert texts(store) == before


@pytest.mark.parametrize("text", ["The port is 5433.", "We pin Python to 3.12.", "Retries: 5. Timeout: 30."])
def test_numbers_in_a_line_are_no_bullets(text: str) -> None:
    for line in (f'1. {text} [turn 1: "x"]', f"- 2026-11-10: {text} [claude-1#1, claude-2]"):
        assert statements.content(line) == text
        assert statements.key(line) == statements.key(text)


def test_merging_two_thousand_statements_is_quick_enough(mem: Mem) -> None:
    given = [
        extraction(
            mem, f"claude-{session}", *(f"the service s{session}x{n} listens on port {n}" for n in range(10))
        )
        for session in range(200)
    ]
    found = [one for each in given for one in statements.facts(each)]
    assert len(statements.merge(found)) == 2000


@proves("S2.63")
def test_without_a_model_hand_edits_stay_and_deletions_stay_deleted(mem: Mem, store: Path) -> None:
    one = extraction(
        mem, "claude-1", "Redis is on 6380.", "Uses make.", "Uses git.", "Uses bash.", "Uses vim."
    )
    consolidate(mem, one)
    page = store / "MEMORY.md"
    changed = page.read_text().replace("Redis is on 6380.", "Redis is on 6381.")
    page.write_text(changed + "\nA paragraph of my own,\nin two lines.\n")
    for _ in range(2):
        consolidate(mem, one, extraction(mem, "claude-2", "Uses tox."))
        text = page.read_text()
        assert text.count("Redis is on 6381.") == 1
        assert "6380" not in text
        assert "A paragraph of my own,\nin two lines.\n" in text
        assert "Uses tox." in text


@proves("S2.71", "S2.60")
def test_a_lesson_is_a_dated_file_that_survives_and_is_taken_in(mem: Mem, store: Path, clock: Clock) -> None:
    mem.write("note", "x", name="other")
    before = mem.context_block()
    for _ in range(2):
        mem.lessons.add("Always run the linter before a commit")
    assert mem.context_block() == before  # the prompt of a running session does not change
    names = sorted(os.listdir(store / "lessons"))
    assert names == [
        "2026-11-15T12-00-00-always-run-the-linter-before-a-commit-2.md",
        "2026-11-15T12-00-00-always-run-the-linter-before-a-commit.md",
    ]
    assert [hit.name.rpartition("/")[2] for hit in mem.search("linter")] == names
    clock.seconds += 86_400
    model = Scripted(reply())
    consolidate(mem, extraction(mem, "claude-1", "Uses git."), model=model)
    assert "- 2026-11-15: Always run the linter before a commit" in model.asked[0]
    consolidate(mem, extraction(mem, "claude-1", "The suite needs Redis."))
    assert "- 2026-11-15: Always run the linter before a commit\n" in (store / "MEMORY.md").read_text()
    consolidate(mem)
    assert "Always run the linter" in (store / "MEMORY.md").read_text()
    assert sorted(os.listdir(store / "lessons")) == names


@proves("S4.24", "S4.25")
def test_lines_of_the_daily_log_that_ask_for_it_are_taken_in_and_the_log_stays(mem: Mem, store: Path) -> None:
    mem.write("daily", "- decision: we ship on Fridays\n- went for lunch\n- remember: staging is read-only\n")
    log = store / "daily" / f"{mem.today}.md"
    before = log.read_bytes()
    consolidate(mem, extraction(mem, "claude-1", "Uses git."))
    page = (store / "MEMORY.md").read_text()
    assert f"- {mem.today}: we ship on Fridays" in page
    assert f"- {mem.today}: staging is read-only" in page
    assert "lunch" not in page
    assert log.read_bytes() == before


@proves("S4.25")
def test_what_a_result_is_made_from_stays_until_the_result_is_valid(mem: Mem, store: Path) -> None:
    mem.lessons.add("Use tabs")
    consolidate(mem, extraction(mem, "claude-1", "Uses git."))
    before = texts(store)
    with pytest.raises(MemolithError):
        consolidate(mem, extraction(mem, "claude-2", "x"), model=Scripted(reply(summary="")))
    assert texts(store) == before
