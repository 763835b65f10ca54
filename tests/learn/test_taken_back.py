"""What people delete does not come back: not by a new run, not in other words, not in another place."""

import time
from pathlib import Path
from random import Random

import pytest

from memolith import Mem
from memolith.env.paths import Tree
from memolith.learn.model import llm
from memolith.learn.model.values import Completion, Question
from memolith.store import writeset
from memolith.store.writeset import Edit
from tests.conftest import NOON
from tests.learn.scripted import Scripted
from tests.learn.talk import session
from tests.ledger import proves

NAMES = ("ledger", "billing", "search", "gateway", "mailer", "cache", "worker", "portal", "reports", "audit")
TOOLS = ("pnpm", "nomad", "bazel", "uv", "terraform", "redis", "kafka", "nginx", "vault", "grafana")
# What a person says, and how a model may put it otherwise.
SAID = (
    (
        "We always deploy {name} with {tool}.",
        ("Deployments of {name} go through {tool}.", "{tool} ships {name}."),
    ),
    (
        "Never restart {name} by hand, {tool} does that.",
        ("{tool} is in charge of restarting {name}.", "Leave restarts of {name} to {tool}."),
    ),
    (
        "The {name} service needs {tool} on port {port}.",
        ("Port {port} of {tool} has to be open for {name}.", "{name} talks to {tool} at {port}."),
    ),
)


class Rewording(Scripted):
    """A model that puts all it is told in other words, in both phases, and makes a skill of it."""

    def __init__(self, random: Random) -> None:
        super().__init__("")
        self._random = random
        self.facts: dict[str, tuple[int, list[str]]] = {}  # what was said: its turn, and other words for it
        self.lately: tuple[int, str, str] | None = None  # what only the synopsis says: turn, quote, words

    def ask(self, question: Question, seconds: float) -> Completion:
        assert seconds > 0
        self.questions.append(question)
        words = {said: self._random.choice(others) for said, (_, others) in self.facts.items()}
        if "memory_md" not in question.user:
            claims = [
                {
                    "category": "principles",
                    "scope": "project",
                    "title": other,
                    "body": other,
                    "aliases": [],
                    "keywords": [],
                    "evidence": [{"turn": self.facts[said][0], "quote": said.rstrip(".")}],
                }
                for said, other in words.items()
            ]
            lines = "\n".join(f'- {o} [turn {self.facts[s][0]}: "{s}"]' for s, o in words.items())
            turn, quote, other = self.lately or (0, "", "")
            synopsis = f'- {other} [turn {turn}: "{quote}"]' if turn else lines
            data: dict[str, object] = {"rollout_summary": synopsis, "rollout_slug": None, "raw_memory": lines}
            return Completion("", 1, 1, data={**data, "records": claims})
        text = "".join(f"- {other}\n" for other in words.values())
        skills = [{"name": "how-to", "content": text}]
        return Completion("", 1, 1, data={"memory_md": text, "memory_summary": text, "skills": skills})


@pytest.fixture
def learning(monkeypatch: pytest.MonkeyPatch) -> Rewording:
    """Return the model that a memory learns with."""
    model = Rewording(Random(20261118))
    for key, value in {
        "MEMORIES_ENABLED": "true",
        "MODELS_DEFAULT": "command",
        "MODELS_COMMAND": "true",
    }.items():
        monkeypatch.setenv(f"MEMOLITH_{key}", value)
    for key in ("REQUESTS_PER_DAY", "TOKENS_PER_DAY", "REQUESTS_PER_RUN", "TOKENS_PER_RUN"):
        monkeypatch.setenv(f"MEMOLITH_MEMORIES_{key}", "1000000")
    monkeypatch.setattr(llm, "find", lambda *_, **__: model)
    return model


def talk(mem: Mem, model: Rewording, random: Random, more: str = "") -> list[str]:
    """Store a session in which somebody says ten things; return them."""
    if not model.facts:
        for name, tool in zip(NAMES, random.sample(TOOLS, len(TOOLS)), strict=True):
            said, others = random.choice(SAID)
            values = {"name": name, "tool": tool, "port": str(random.randrange(1000, 9999))}
            turn = 2 * len(model.facts) + 2
            model.facts[said.format(**values)] = (turn, [each.format(**values) for each in others])
    turns = [("assistant", "What should I know?")]  # else the first thing said may be a task
    turns += [turn for said in model.facts for turn in (("user", said), ("assistant", "Understood."))]
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NOON - 86_400))
    mem.sessions.add(session(*turns, *([("user", more)] if more else []), name="s1", time=when))
    return list(model.facts)


def told(mem: Mem, store: Path) -> str:
    """Return all that an agent may be told."""
    pages = [store / "MEMORY.md", store / "memory_summary.md", *(store / "skills").rglob("*.md")]
    pages += list((store / "rollout_summaries").rglob("*.md"))
    records = [record.body for record in mem.records.list(archived=True)]
    return "\n".join(
        [*(page.read_text() for page in pages if page.exists()), *records, mem.context_block() or ""]
    )


def delete(mem: Mem, store: Path, said: str, way: str) -> None:
    """Delete what was learned, as a person would: a line of a page, the file of a record, or a record."""
    if way.endswith(".md"):
        page = store / way
        page.write_text(
            "".join(line for line in page.read_text().splitlines(keepends=True) if said not in line)
        )
        return
    (record,) = (each for each in mem.records.list() if each.body.strip() == said)
    if way == "file":
        (Path(mem.root) / record.filename).unlink()
    else:
        mem.records.delete(record.id)


@proves("S2.63", "S2.87")
@pytest.mark.parametrize("way", ["record", "file", "MEMORY.md", "memory_summary.md"])
def test_what_a_person_deletes_does_not_come_back_in_other_words(
    mem: Mem, store: Path, learning: Rewording, way: str
) -> None:
    random = Random(way)
    facts = talk(mem, learning, random)
    mem.learning.run(force=True)
    assert all(said in told(mem, store) for said in facts)
    gone = random.sample(facts, 5)
    for said in gone:
        delete(mem, store, said, way)
    for again in range(4):
        talk(mem, learning, random, more=f"thanks {again}")
        mem.learning.run(force=True)
        now = told(mem, store)
        for said in facts:
            others = [said, *learning.facts[said][1]]
            assert any(each in now for each in others) == (said not in gone), (said, way)
    for said in facts:  # a session says it still, but not to who asks for it
        recalled = [hit.snippet for hit in mem.recall(said, semantic=False)]
        assert any(said in each for each in recalled) == (said not in gone), (said, way)
    assert mem.review.list() == []


@proves("S2.87")
def test_a_skill_that_a_person_deletes_does_not_come_back_under_another_name(
    mem: Mem, store: Path, learning: Rewording
) -> None:
    talk(mem, learning, Random(7))
    mem.learning.run(force=True)
    (page,) = (store / "skills").rglob("SKILL.md")
    page.unlink()
    page.parent.rmdir()
    for again in range(3):
        talk(mem, learning, Random(7), more=f"thanks {again}")
        mem.learning.run(force=True)
        assert not list((store / "skills").rglob("SKILL.md"))
    assert "Skills" not in (mem.context_block() or "")


@proves("S2.87")
def test_what_a_person_deletes_from_the_summary_alone_stays_away_when_the_session_grows(
    mem: Mem, store: Path, learning: Rewording
) -> None:
    talk(mem, learning, Random(11), more="I looked at the invoice importer today.")
    learning.lately = (22, "I looked at the invoice importer today.", "The invoice importer was looked at.")
    mem.learning.run(force=True)
    page = store / "memory_summary.md"
    assert "invoice importer" in page.read_text()
    delete(mem, store, "invoice importer", page.name)
    for again in range(3):
        talk(mem, learning, Random(11), more=f"I looked at the invoice importer today. Thanks {again}.")
        mem.learning.run(force=True)
        assert "invoice importer" not in told(mem, store)
    assert "## Principles" in page.read_text()


@proves("S2.76")
@pytest.mark.parametrize("model", ["", "none"])
def test_what_a_deleted_session_taught_goes_from_summary_and_skills_even_if_a_model_repeats_it(
    mem: Mem, store: Path, learning: Rewording, model: str
) -> None:
    (said, *_) = facts = talk(mem, learning, Random(13))
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NOON - 90_000))
    mem.sessions.add(session(("user", said), ("assistant", "Understood."), name="s2", time=when))
    mem.learning.run(force=True)
    assert all(each in told(mem, store) for each in facts)
    mem.sessions.delete("s1")
    asked = len(learning.questions)
    for _ in range(2):
        mem.learning.run(force=True, model=model or None)
        now = told(mem, store)
        for each in facts:
            others = [each, *learning.facts[each][1]]
            assert any(other in now for other in others) == (each == said), each
    assert (len(learning.questions) > asked) == (model != "none")
    assert said in next((store / "skills").rglob("SKILL.md")).read_text()


@proves("S2.87")
def test_what_was_taken_back_can_be_allowed_again(mem: Mem, store: Path, learning: Rewording) -> None:
    said = talk(mem, learning, Random(3))[0]
    mem.learning.run(force=True)
    (record,) = (each for each in mem.records.list() if each.body.strip() == said)
    mem.records.delete(record.id)
    mem.learning.run(force=True)
    assert said not in told(mem, store)
    page = store / "taken_back.md"
    assert f"- {said}\n" in page.read_text()
    page.write_text(page.read_text().replace(f"- {said}\n", ""))
    mem.learning.run(force=True)
    assert said in (store / "MEMORY.md").read_text()


@proves("S2.87")
def test_clearing_takes_nothing_back(mem: Mem, store: Path, learning: Rewording) -> None:
    facts = talk(mem, learning, Random(5))
    mem.learning.run(force=True)
    mem.learning.withdraw()
    mem.learning.run(force=True)
    assert all(said in told(mem, store) for said in facts)


@proves("S2.87", "S3.48")
def test_clearing_what_is_user_wide_takes_nothing_back(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NOON - 86_400))
    said = "In all my projects I prefer short commit messages."
    mem.sessions.add(session(("user", said), ("assistant", "Understood."), time=when))
    mem.learning.run(force=True, model="none")
    assert [each.scope for each in mem.records.list()] == ["user"]
    mem.learning.withdraw(user=True)
    assert mem.records.list() == []
    mem.learning.run(force=True, model="none")
    assert [each.scope for each in mem.records.list()] == ["user"]
    assert not list(Path(mem.home).rglob("taken_back.md"))


@proves("S2.76", "S2.87")
def test_what_a_deleted_session_taught_is_struck_out_before_it_goes(
    mem: Mem, store: Path, learning: Rewording
) -> None:
    talk(mem, learning, Random(5))
    mem.learning.run(force=True)
    mem.sessions.delete("claude-s1")
    mem.learning.run(phase=1)
    assert mem.records.list() == []
    noted = (store / "generated.txt").stat().st_mtime_ns
    gone = list(Path(mem.home).glob("history/**/records/**/*.full.-"))
    assert noted <= min(each.stat().st_ctime_ns for each in gone)  # else a crash between: a person seems
    mem.learning.run()  # to have deleted them
    assert not (store / "taken_back.md").exists()


@proves("S2.48", "S2.87")
@pytest.mark.parametrize("late", ["generated.txt", "MEMORY.md"])
def test_a_consolidation_that_broke_off_is_finished_before_anything_is_taken_for_a_persons(
    mem: Mem, store: Path, learning: Rewording, late: str
) -> None:
    talk(mem, learning, Random(5))
    mem.learning.run(force=True)
    page, made = store / "MEMORY.md", (late, "memory_summary.md")
    texts = {name: (store / name).read_text() for name in made}
    top = store.relative_to(mem.root).as_posix()
    edits = [Edit(path=f"{top}/{name}", marker="", base=None, new=text) for name, text in texts.items()]
    for name in made:
        (store / name).unlink()  # only the first of its files was there when the power went
    with mem.gate.scope(mem.project):
        writeset.stage(Tree(str(mem.root)), mem.project, edits, "learn")
    mem.learning.run(force=True)
    assert "Added by hand" not in page.read_text()
    assert not (store / "taken_back.md").exists()
