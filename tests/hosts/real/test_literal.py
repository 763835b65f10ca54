"""A model that follows the text to the letter, in every program: does the text say enough?"""

import json
import re
from collections.abc import Iterator

import pytest

from tests.hosts.real.literal import READ_ALL, Literal
from tests.hosts.real.model import Reply
from tests.hosts.real.programs import Program, trust_codex_hooks

pytestmark = pytest.mark.timeout(900)

# Twenty things that have nothing to do with each other: one about the same would replace the other.
FACTS = """
the staging database listens on port 5433
deploys are on Tuesdays
Grace reviews the parser
invoices are rounded half to even
the linter is ruff
snapshots live in tests/golden
releases are tagged with a leading v
Redis must be version 7
the mobile client is written in Kotlin
prices are kept in cents
cron runs in UTC
the walrus service is retired
uploads may have 20 MB
passwords are hashed with argon2
the docs are built by mkdocs
feature flags are read once at start
the queue keeps messages for 4 days
emails go through the outbox table
the nightly backup takes 40 minutes
Windows builds need the long path setting
""".strip().splitlines()
REASON = "ticket ZX-{:02} says so"


@pytest.fixture
def model() -> Iterator[Literal]:
    """Return the model that the programs ask."""
    with Literal() as model:
        yield model


def test_it_saves_twenty_of_twenty_corrections_and_reads_twenty_of_twenty_addresses(
    bare: Program, model: Literal
) -> None:
    bare.memolith("init", "--yes", "--agent", bare.name)
    if bare.name == "codex":
        trust_codex_hooks(bare)
    said = [f"No, that is wrong: {fact}. Reason: {REASON.format(n)}." for n, fact in enumerate(FACTS)]
    for start in range(0, 20, 5):
        model.say()
        bare.ask("\n".join(said[start : start + 5]))
    notes = "\n".join(path.read_text("utf-8") for path in (bare.home / "memory").rglob("notes/*.md"))
    assert [fact for fact in FACTS if f"{fact}." not in notes] == []
    assert [n for n in range(20) if REASON.format(n) not in notes] == []
    model.say()
    bare.ask(READ_ALL)
    last = model.asked[-1].text
    assert len(model.read) == 20, model.read
    assert [n for n in range(20) if REASON.format(n) not in last] == []  # no line of the index has it


def test_an_empty_memory_costs_less_than_900_tokens_in_each_request(bare: Program) -> None:
    bare.memolith("init", "--yes", "--agent", bare.name)
    if bare.name == "codex":
        trust_codex_hooks(bare)
    bare.model.say(Reply("Hello."))
    bare.ask("Say hello.")
    first = bare.model.asked[0]
    ours = {
        name: offer
        for name, offer in first.offers.items()
        if re.search(r"(?:^|[_.-])(?:memory_(?:read|search|write|edit)|remember|recall)$", name)
    }
    assert len(ours) == 6
    told = re.search(r"# Memory\s+Your memory outlives.*?do that first\.", first.text, re.DOTALL)
    assert "<memory" not in first.text.replace("The <memory> block", "")
    for offer in ours.values():  # Gemini CLI adds one of its own to every tool
        for schema in (offer.get("parametersJsonSchema"), offer.get("parameters")):
            (schema or {}).get("properties", {}).pop("wait_for_previous", None)
    paid = len(json.dumps(list(ours.values()), separators=(",", ":"), ensure_ascii=False))
    assert (paid + len(told[0] if told else "")) / 4 <= 900
