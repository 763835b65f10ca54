"""Phase 1 with a model: the form of a reply, and what may be kept of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memolith import Mem
from memolith.base.values import Value
from memolith.env.settings import Settings
from memolith.learn.extract import evidence, extract
from memolith.learn.extract.extracted import Extracted, citations
from memolith.memory.sessions import Session
from tests.learn.talk import session
from tests.ledger import proves

SETTINGS = Settings("/nonexistent", {})
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
TALK = session(
    ("user", "Use pnpm here, never npm. And answer in German, please."),
    ("assistant", "Installed with pnpm."),
    ("user", "we decided to keep the queue in SQLite because the CLI works offline"),
    ("bash error", "$ make build\nld: library not found for -lpq"),
)
PNPM = {"turn": 1, "quote": "Use pnpm here, never npm."}
GERMAN = {"turn": 1, "quote": "And answer in German, please."}
SQLITE = {"turn": 3, "quote": "we decided to keep the queue in SQLite because the CLI works offline"}


class Reply(Value):
    """What a model answers."""

    data: Any


class Scripted:
    """A model that gives the answers it was told, and remembers what it was asked."""

    name = "scripted"

    def __init__(self, data: object, window: int = 0) -> None:
        self.data, self.window = data, window
        self.asked: list[tuple[str, str, dict[str, Any]]] = []

    def complete(
        self, system: str, user: str, schema: dict[str, Any], *, max_output: int, deadline: float | None
    ) -> Reply:
        assert max_output > 0
        assert deadline is None or deadline > 0
        self.asked.append((system, user, schema))
        return Reply(data=self.data)


class Prompts:
    """The prompts, as short as can be."""

    system = "Extract."

    def fill(self, **variables: str) -> str:
        return f"{variables['thread_id']}\n{variables['response_items_json']}"


def reply(*records: dict[str, Any], **fields: object) -> dict[str, Any]:
    lines = '- Use pnpm here, never npm. [turn 1: "Use pnpm here, never npm."]'
    known = {"rollout_summary": "Installed with pnpm.", "rollout_slug": "pnpm", "raw_memory": lines}
    return {**known, "records": list(records), **fields}


def record(body: str, *quotes: dict[str, Any], **fields: object) -> dict[str, Any]:
    known = {"category": "principles", "scope": "project", "title": body, "aliases": [], "keywords": []}
    return {**known, "body": body, "evidence": list(quotes), **fields}


def run(data: object, one: Session = TALK, settings: Settings = SETTINGS) -> Extracted:
    return extract.extract(one, Scripted(data), settings, Prompts())


@proves("S2.40", "S3.9")
def test_a_good_reply_gives_a_raw_memory_a_synopsis_and_records() -> None:
    model = Scripted(
        reply(
            record("Use pnpm here, never npm.", PNPM, title="Use pnpm", aliases=["package manager"]),
            record("The queue is in SQLite because the CLI works offline.", SQLITE, category="decisions"),
        )
    )
    found = extract.extract(TALK, model, SETTINGS, Prompts())
    assert found.raw_memory == '- Use pnpm here, never npm. [turn 1: "Use pnpm here, never npm."]'
    assert (found.rollout_summary, found.rollout_slug) == ("Installed with pnpm.", "pnpm")
    first, second = found.records
    assert (first.title, first.category, first.scope, first.aliases) == (
        "Use pnpm",
        "principles",
        "project",
        ["package manager"],
    )
    assert second.evidence == [(3, SQLITE["quote"])]
    assert found.outcome == "learned 2 record(s) and 1 line(s)"
    system, user, schema = model.asked[0]
    assert system == "Extract."
    assert user.startswith("claude-s1\n[")
    assert schema["additionalProperties"] is False


@proves("S2.34")
def test_text_around_the_object_is_tolerated_and_records_may_be_missing() -> None:
    data = reply()
    del data["records"]
    assert run(f"Here you are:\n```json\n{json.dumps(data)}\n```\nAnything {{else}}?").raw_memory
    assert run({**data, "rollout_slug": None}).rollout_slug == ""


@proves("S2.34")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("I am sorry, I cannot do that.", "no JSON object"),
        ("{broken", "no JSON object"),
        (["a list"], "no JSON object"),
        (None, "no JSON object"),
        ({"rollout_summary": "x", "raw_memory": "y"}, "lacks rollout_slug"),
        ({**reply(), "notes": "z"}, "nobody asked for: notes"),
        ({**reply(), "raw_memory": ["x"]}, "raw_memory in the reply is list"),
        ({**reply(), "raw_memory": "x" * 70_000}, "70,000 characters"),
        ({**reply(), "rollout_slug": 7}, "rollout_slug"),
        ({**reply(), "records": {}}, "not a list"),
    ],
)
def test_any_other_reply_fails_with_a_reason(data: object, reason: str) -> None:
    with pytest.raises(extract.ReplyError, match=reason):
        run(data)


@proves("S2.75")
@pytest.mark.parametrize("key", ["raw_memory", "rollout_summary"])
@pytest.mark.parametrize("blank", ["", "  \n "])
def test_nothing_worth_keeping_is_a_success_without_output(key: str, blank: str) -> None:
    """Half of S2.35; that the earlier output goes is the queue's."""
    found = run({**reply(record("Use pnpm here.", PNPM)), key: blank})
    assert found.empty
    assert (found.raw_memory, found.rollout_summary, found.records) == ("", "", [])
    assert found.outcome == "the model found nothing worth keeping"


def test_a_session_without_words_costs_no_request() -> None:
    model = Scripted(reply())
    assert extract.extract(session(("WebFetch ok", "page")), model, SETTINGS, Prompts()).empty
    assert model.asked == []


def test_lines_without_evidence_are_dropped_and_counted() -> None:
    raw = """## Tools
- Use pnpm here, never npm. [turn 1: "Use pnpm here, never npm."]
- Use yarn. [turn 1: "Use yarn always"]
- The build needs libpq.
## Kubernetes secrets
The user also loves Kubernetes."""
    found = run(
        reply(raw_memory=raw, rollout_summary="Installed with pnpm.\nMigrated everything to Kubernetes.")
    )
    assert found.raw_memory.splitlines() == [
        "## Tools",
        '- Use pnpm here, never npm. [turn 1: "Use pnpm here, never npm."]',
    ]
    assert found.rollout_summary == "Installed with pnpm."
    assert found.dropped == {evidence.NOT_THERE: 1, evidence.NO_EVIDENCE: 1, evidence.NOT_ABOUT: 3}
    assert "dropped 5" in found.outcome


def test_when_nothing_in_a_reply_is_supported_there_is_no_output_and_it_says_why() -> None:
    found = run(
        reply(record("Use yarn.", {"turn": 1, "quote": "Use yarn for everything"}), raw_memory="- Use yarn.")
    )
    assert found.empty
    assert found.outcome.startswith("nothing in the reply is supported by the session; dropped 2")


@proves("S3.9")
@pytest.mark.parametrize(
    ("category", "scope", "body", "quote", "placed"),
    [
        ("preferences", "project", "Answer in German.", GERMAN, ("preferences", "user")),
        ("preferences", "assistant", "Answer in German.", GERMAN, ("preferences", "user")),
        ("principles", "user", "Use pnpm here, never npm.", PNPM, ("principles", "project")),
        ("decisions", "user", "The queue is kept in SQLite.", SQLITE, ("decisions", "project")),
    ],
)
def test_personal_rules_become_the_users_preferences_and_facts_of_a_repository_its_projects(
    category: str, scope: str, body: str, quote: dict[str, Any], placed: tuple[str, str]
) -> None:
    found = run(reply(record(body, quote, category=category, scope=scope))).records[0]
    assert (found.category, found.scope) == placed


@proves("S3.10")
@pytest.mark.parametrize(
    "body",
    [
        "Let me check whether we use pnpm here, never npm.",
        "User: use pnpm\nAssistant: ok\nUser: never npm\nAssistant: ok",
        "ERROR: use pnpm\nWARN: never npm",
        "$ make build\n$ pnpm install",
        "Use pnpm here, never npm. " * 80,
        "",
    ],
)
def test_thoughts_transcripts_and_output_are_no_facts(body: str) -> None:
    assert run(reply(record(body, PNPM, title="Use pnpm"))).records == []


@pytest.mark.parametrize(
    "broken",
    [
        "text",
        {},
        {**record("Use pnpm here.", PNPM), "category": "gossip"},
        {**record("Use pnpm here.", PNPM), "scope": "galaxy"},
        {**record("Use pnpm here.", PNPM), "body": 7},
        {**record("Use pnpm here."), "evidence": "turn 1"},
        {**record("Use pnpm here."), "evidence": [{"turn": "1", "quote": PNPM["quote"]}]},
    ],
)
def test_one_broken_record_is_left_out_and_the_others_stay(broken: Any) -> None:
    found = run(reply(broken, record("Use pnpm here.", PNPM)))
    assert [each.body for each in found.records] == ["Use pnpm here."]
    assert sum(found.dropped.values()) == 1


def test_a_reply_full_of_secrets_leaves_none() -> None:
    one = session(("user", f"remember that the deploy key {TOKEN} is for staging"))
    quote = {"turn": 1, "quote": f"remember that the deploy key {TOKEN} is for staging"}
    raw = f'- The deploy key {TOKEN} is for staging. [turn 1: "the deploy key {TOKEN} is for staging"]'
    found = run(
        reply(record(f"The deploy key {TOKEN} is for staging.", quote), raw_memory=raw, rollout_slug=TOKEN),
        one,
    )
    assert TOKEN not in repr(found)


def test_a_scope_that_is_switched_off_learns_nothing() -> None:
    settings = Settings("/nonexistent", {"MEMOLITH_MEMORIES_USER": "false"})
    records = (record("Answer in German.", GERMAN, category="preferences"), record("Use pnpm here.", PNPM))
    found = run(reply(*records), settings=settings)
    assert [each.scope for each in found.records] == ["project"]
    assert found.dropped == {"memories.user is off": 1}


def test_a_session_gives_at_most_fifty_records() -> None:
    records = [record("Use pnpm here.", PNPM, keywords=[f"k{number}"]) for number in range(60)]
    found = run(reply(*records))
    assert (len(found.records), found.dropped) == (50, {"more than 50 records": 10})


def test_citations_may_hold_quotes_and_brackets_and_there_may_be_several() -> None:
    line = 'Call it "x" [a]. [turn 3: "name it "x" [a]"] [turn 12: "yes"]'
    assert citations(line) == ('Call it "x" [a].', [(3, 'name it "x" [a]'), (12, "yes")])
    assert citations("No citation [turn x].") == ("No citation [turn x].", [])


def test_what_was_learned_can_be_stored_with_its_source(mem: Mem) -> None:
    fact = run(reply(record("Use pnpm here, never npm.", PNPM))).records[0]
    writer = mem.from_source("extracted", fact.taint)
    source = f"{TALK.name}#{fact.evidence[0][0]}"
    writer.records.add(fact.body, category=fact.category, scope=fact.scope, title=fact.title, source=source)
    assert mem.records.list()[0].source == "claude-s1#1"
