"""What a model quotes from somebody else's text waits for a person, and does not flood them."""

import json
import time
from pathlib import Path

import pytest

from memolith import Mem
from memolith.edges.cli import main
from memolith.learn.extract.facts import MOST_OUTSIDE
from memolith.recall.recall import for_block
from tests.conftest import NOON
from tests.learn.extract.inventions import claim
from tests.learn.model.loopback import Loopback, Reply, Request, says
from tests.learn.talk import session
from tests.ledger import proves

PASTED = "Always run the migration twice on the blue cluster."
OWN = "We never deploy on Fridays."
MESSAGE = f"{OWN}\n\nHere is the issue:\n\n> {PASTED}\n"


@pytest.fixture
def learning(loopback: Loopback, monkeypatch: pytest.MonkeyPatch, mem: Mem) -> Mem:
    """Return a memory that learns with a model which quotes each line that anybody said."""
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    monkeypatch.setenv("MEMOLITH_MODELS_DEFAULT", "openai:test-model")
    monkeypatch.setenv("MEMOLITH_MODELS_URL", loopback.url)
    loopback.answer = quoting
    return mem


def quoting(request: Request) -> Reply:
    if "memory_md" in request.user:
        known = "".join(f"- {each}\n" for each in (OWN, PASTED) if each in request.user)
        text = f"# Said\n\n{known}"
        return says({"memory_md": text, "memory_summary": text, "skills": []})
    items = json.loads("[" + request.user.partition("[")[2].rpartition("]")[0] + "]")
    quotes = [
        (item["turn"], line.strip("> "))
        for item in items
        for line in item["text"].split("\n")
        if item["role"] == "user" and len(line) > 12
    ]
    cited = "\n".join(f'- {quote} [turn {turn}: "{quote}"]' for turn, quote in quotes)
    claims = [claim(quote, "principles", turn, quote) for turn, quote in quotes]
    return says({"rollout_summary": cited, "rollout_slug": None, "raw_memory": cited, "records": claims})


def add(mem: Mem, name: str, *said: str) -> str:
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NOON - 86_400))
    turns = [pair for text in said for pair in (("user", text), ("assistant", "OK."))]
    return mem.sessions.add(session(*turns, name=name, time=when)).name


def texts(store: Path) -> str:
    pages = [page for page in store.rglob("*.md") if "records" not in page.parts]
    return "\n".join(page.read_text() for page in pages)


@proves("S2.85")
def test_what_a_model_quotes_from_pasted_text_is_shown_to_nobody_unasked_until_a_person_accepts_it(
    learning: Mem, store: Path, work: Path
) -> None:
    add(learning, "one", MESSAGE)
    learning.learning.run(force=True)
    assert OWN in texts(store)
    assert PASTED not in texts(store) + (learning.context_block() or "")
    unasked = for_block(learning, "migration on the blue cluster").hits
    assert "twice" not in "".join(hit.snippet for hit in unasked)
    hit = next(hit for hit in learning.recall("migration on the blue cluster").hits if hit.kind == "record")
    assert (PASTED in hit.snippet, hit.origin) == (True, "extracted, pasted")
    (held,) = learning.review.list()
    assert held.text.strip() == PASTED
    assert main(["review", "accept", held.id, "--yes", "--project", str(work)]) == 0
    learning.learning.run(force=True)
    assert PASTED in (store / "MEMORY.md").read_text()
    assert learning.review.list() == []


@proves("S2.85")
def test_what_a_person_refused_of_pasted_text_does_not_come_back(
    learning: Mem, store: Path, work: Path
) -> None:
    add(learning, "one", MESSAGE)
    learning.learning.run(force=True)
    (held,) = learning.review.list()
    assert main(["review", "refuse", held.id, "--project", str(work)]) == 0
    learning.learning.run(force=True)
    add(learning, "two", MESSAGE)
    learning.learning.run(force=True)
    assert learning.review.list() == []
    assert PASTED not in "".join(each.body for each in learning.records.list(archived=True))
    assert OWN in texts(store)


@proves("S2.85")
def test_a_session_full_of_pastes_asks_a_person_for_a_few_decisions_and_one_takes_all(
    learning: Mem, work: Path
) -> None:
    page = [f"The {name} of the plant lies beside the {name} of the river." for name in names(30)]
    message = "\n".join(["Here is the page:", "", *page, PASTED, PASTED.replace("Always", "Please always")])
    name = add(learning, "one", message)
    learning.learning.run(force=True)
    first = [held.text.strip() for held in learning.review.list()]
    assert len(first) == MOST_OUTSIDE
    assert sum("migration" in each for each in first) == 1  # the plainest is among them, and once
    # A session that goes on is read again, and says more, and more plainly.
    rules = [f"Never open the valve of the {name} pump." for name in names(9)]
    add(learning, "one", message, "\n".join(["Here is a page:", "", *rules]))
    learning.learning.run(force=True)
    assert [held.text.strip() for held in learning.review.list()] == first
    assert {held.session for held in learning.review.list()} == {name}
    assert main(["review", "accept", name, "--yes", "--project", str(work)]) == 0
    assert learning.review.list() == []
    assert main(["undo", "--project", str(work)]) == 0
    assert len(learning.review.list()) == MOST_OUTSIDE


def names(count: int) -> list[str]:
    letters = "abcdefghijklmnoprstuvw"
    return [f"{one}{'aeiou'[n % 5]}{letters[(7 * n) % 21]}" for n in range(count) for one in letters[n % 21]]
