"""Extraction with a model: the form of a reply, and what may be kept of it."""

import json
from typing import Any

import pytest

from memolith import Mem
from memolith.env.settings import Settings
from memolith.learn.extract import evidence
from memolith.learn.extract.extract import citations
from memolith.learn.extract.facts import Findings
from memolith.learn.model import prompt
from memolith.learn.model.values import ModelError
from memolith.memory.sessions import Session
from tests.learn.scripted import Scripted, extract_with
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
LINE = '- Use pnpm here, never npm. [turn 1: "Use pnpm here, never npm."]'
PNPM = {"turn": 1, "quote": "Use pnpm here, never npm."}
GERMAN = {"turn": 1, "quote": "And answer in German, please."}
SQLITE = {"turn": 3, "quote": "we decided to keep the queue in SQLite because the CLI works offline"}


def reply(*records: dict[str, Any], **fields: object) -> dict[str, Any]:
    known = {"rollout_summary": LINE, "rollout_slug": "pnpm", "raw_memory": LINE}
    return {**known, "records": list(records), **fields}


def record(body: str, *quotes: dict[str, Any], **fields: object) -> dict[str, Any]:
    known = {"category": "principles", "scope": "project", "title": body, "aliases": [], "keywords": []}
    return {**known, "body": body, "evidence": list(quotes), **fields}


def run(data: object, one: Session = TALK, settings: Settings = SETTINGS) -> Findings:
    return extract_with(Scripted(data), one, settings)


@proves("S2.40", "S3.9")
def test_a_good_reply_gives_a_raw_memory_a_synopsis_and_records() -> None:
    model = Scripted(
        reply(
            record(
                "Use pnpm here, never npm.", PNPM, title="Use Bun", aliases=["package manager", "the queue"]
            ),
            record("SQLite holds the queue: the command line has no network.", SQLITE, category="decisions"),
        )
    )
    found = extract_with(model, TALK, SETTINGS)
    assert found.raw_memory.splitlines()[:2] == ["## Principles", LINE]
    assert (found.rollout_summary, found.rollout_slug) == (LINE, "pnpm")
    first, second = found.facts
    assert (first.title, first.category, first.scope) == ("Use pnpm here, never npm", "principles", "project")
    assert first.aliases == ["the queue"]  # nobody spoke of a package manager
    assert second.quotes == [(3, SQLITE["quote"])]
    assert second.text == "We decided to keep the queue in SQLite because the CLI works offline."
    assert found.outcome == "learned 2 records"
    (question,) = model.questions
    assert question.system == prompt.load("stage_one_system", "/nonexistent").text
    assert "claude-s1" in question.user
    assert "Use pnpm here, never npm." in question.user


@proves("S2.34")
def test_text_around_the_object_is_tolerated() -> None:
    assert run(f"Here you are:\n```json\n{json.dumps(reply())}\n```\nAnything {{else}}?").raw_memory
    assert run(reply(rollout_slug=None)).rollout_slug == ""


@proves("S2.34")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("I am sorry, I cannot do that.", "no JSON object"),
        ("{broken", "the JSON is broken"),
        ("[1]", "no JSON object"),
        ({"rollout_summary": "x", "raw_memory": "y"}, "lacks the key 'rollout_slug'"),
        (reply(notes="z"), "has the key 'notes'"),
        (reply(raw_memory=["x"]), "raw_memory must be string"),
        (reply(raw_memory="x" * 70_000), "70000 characters"),
        (reply(rollout_slug=7), "rollout_slug"),
        (reply(records={}), "records must be array"),
        (reply(record("Use pnpm here.", PNPM, category="gossip")), "gossip"),
        (reply(record("Use pnpm here.", {"turn": "1", "quote": PNPM["quote"]})), "must be integer"),
    ],
)
def test_any_other_reply_fails_with_a_reason(data: object, reason: str) -> None:
    with pytest.raises(ModelError, match=reason):
        run(data)


@proves("S2.75")
@pytest.mark.parametrize("key", ["raw_memory", "rollout_summary"])
@pytest.mark.parametrize("blank", ["", "  \n "])
def test_nothing_worth_keeping_is_a_success_without_output(key: str, blank: str) -> None:
    """Half of S2.35; that the earlier output goes is the queue's."""
    found = run({**reply(record("Use pnpm here.", PNPM)), key: blank})
    assert found.empty
    assert (found.raw_memory, found.rollout_summary, found.facts) == ("", "", [])
    assert found.outcome == "the model found nothing worth keeping"


def test_a_session_without_words_costs_no_request() -> None:
    model = Scripted(reply())
    assert extract_with(model, session(("WebFetch ok", "page")), SETTINGS).empty
    assert model.asked == []


def test_lines_without_evidence_are_dropped_and_counted() -> None:
    raw = f"""## Tools
{LINE}
- Use yarn. [turn 1: "Use yarn always"]
- The build needs libpq.
## Kubernetes secrets
The user also loves Kubernetes."""
    found = run(
        reply(raw_memory=raw, rollout_summary="Migrated everything to Kubernetes.", rollout_slug="kubernetes")
    )
    assert found.raw_memory == f"## Principles\n{LINE}"
    assert found.dropped == {evidence.NOT_THERE: 1, evidence.NO_EVIDENCE: 1}
    assert "dropped 2" in found.outcome
    assert "ubernetes" not in repr(found)


@proves("S2.40")
def test_a_synopsis_without_evidence_costs_no_supported_line() -> None:
    found = run(reply(rollout_summary="All went well."))
    assert (found.raw_memory, found.rollout_summary) == (f"## Principles\n{LINE}", "")


def test_when_nothing_in_a_reply_is_supported_there_is_no_output_and_it_says_why() -> None:
    yarn = record("Use yarn.", {"turn": 1, "quote": "Use yarn for everything"})
    found = run(reply(yarn, raw_memory="- Use yarn."))
    assert found.empty
    assert found.outcome.startswith("nothing in the reply was said to be kept; dropped 2")


@proves("S2.84")
def test_a_long_session_is_asked_about_in_several_requests_that_fit_into_a_small_window() -> None:
    said = [
        f"Rule number {number}: always keep the port of service{number} at {number}443."
        for number in range(60)
    ]
    one = session(*(turn for text in said for turn in (("user", text), ("assistant", "ok " * 400))))
    model = Scripted(reply(raw_memory="", rollout_summary=""), window=4096)
    extract_with(model, one, SETTINGS)
    assert len(model.asked) > 1
    assert all(question.most_tokens + question.max_output <= 4096 for question in model.questions)
    assert all(any(text in asked for asked in model.asked) for text in said)


@proves("S2.84")
def test_a_window_without_room_for_a_session_gets_no_request() -> None:
    model = Scripted(reply(), window=1200)
    with pytest.raises(ModelError, match="no room for a session"):
        extract_with(model, TALK, SETTINGS)
    assert model.asked == []


@proves("S3.9")
@pytest.mark.parametrize(
    ("category", "scope", "body", "quote", "placed"),
    [
        ("preferences", "project", "Answer in German.", GERMAN, ("preferences", "user")),
        ("principles", "user", "Use pnpm here, never npm.", PNPM, ("principles", "project")),
        ("decisions", "user", "The queue is kept in SQLite.", SQLITE, ("decisions", "project")),
    ],
)
def test_personal_rules_become_the_users_preferences_and_facts_of_a_repository_its_projects(
    category: str, scope: str, body: str, quote: dict[str, Any], placed: tuple[str, str]
) -> None:
    found = run(reply(record(body, quote, category=category, scope=scope))).facts[0]
    assert (found.category, found.scope) == placed


@proves("S3.10")
@pytest.mark.parametrize(
    "body",
    [
        "Let me check whether we use pnpm here, never npm.",
        "User: use pnpm\nAssistant: ok\nUser: never npm\nAssistant: ok",
        "ERROR: use pnpm\nWARN: never npm",
        "Use pnpm here, never npm. " * 80,
        "",
    ],
)
def test_whatever_a_model_writes_only_what_was_said_is_stored(body: str) -> None:
    (found,) = run(reply(record(body, PNPM, title="Use pnpm"))).facts
    assert (found.text, found.title) == ("Use pnpm here, never npm.", "Use pnpm here, never npm")


@proves("S3.10")
def test_thoughts_are_no_facts() -> None:
    one = session(("user", "fix it"), ("assistant", "Let me check whether make is broken."), ("user", "yes"))
    quote = {"turn": 2, "quote": "Let me check whether make is broken."}
    assert run(reply(record("Make is broken.", quote, category="incidents"), raw_memory="x"), one).facts == []


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
    assert [each.scope for each in found.facts] == ["project"]
    assert found.dropped == {"memories.user is off": 1}


def test_a_session_gives_at_most_fifty_records() -> None:
    said = [f"always keep service{number} on port {number}443" for number in range(60)]
    records = [record(each, {"turn": at, "quote": each}) for at, each in enumerate(said, 1)]
    found = run(reply(*records, raw_memory="x"), session(*(("user", each) for each in said)))
    assert (len(found.facts), found.dropped) == (50, {"more than 50 records": 10})


def test_citations_may_hold_quotes_and_brackets_and_there_may_be_several() -> None:
    line = 'Call it "x" [a]. [turn 3: "name it "x" [a]"] [turn 12: "yes"]'
    assert citations(line) == ('Call it "x" [a].', [(3, 'name it "x" [a]'), (12, "yes")])
    assert citations("No citation [turn x].") == ("No citation [turn x].", [])


def test_what_was_learned_can_be_stored_with_its_source(mem: Mem) -> None:
    fact = run(reply(record("Use pnpm here, never npm.", PNPM))).facts[0]
    writer = mem.from_source("extracted", fact.taint)
    source = f"{TALK.name}#{fact.quotes[0][0]}"
    writer.records.add(fact.text, category=fact.category, scope=fact.scope, title=fact.title, source=source)
    assert mem.records.list()[0].source == "claude-s1#1"
