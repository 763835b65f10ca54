"""Secrets are found in every language and on every command line; what only mentions one stays.

The texts come from the grammar of the attack rig (`prove/attack/secrets.txt`), a few of each row.
"""

import random
from collections.abc import Callable

import pytest
from prove.attack import secret_grammar as grammar

from memolith.text.secrets.precheck import may_hold_secret
from memolith.text.secrets.redact import redact
from tests.shared import rows

DATA = grammar.DATA


def missed(make: Callable[[random.Random], grammar.Told], count: int, seed: str) -> list[str]:
    rng = random.Random(seed)
    told = [make(rng) for _ in range(count)]
    assert all(may_hold_secret(text) for text, secret, _ in told if secret not in redact(text).text)
    return [text for text, secret, _ in told if secret in redact(text).text]


@pytest.mark.parametrize("language", grammar.LANGUAGES)
def test_a_password_told_in_a_language_is_masked(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "LANGUAGES", {language: grammar.LANGUAGES[language]})
    # Verb-final languages may put it before its name without a word between them: some of those stay.
    assert len(missed(grammar.told, 120, language)) <= (8 if language == "tr" else 1)


@pytest.mark.parametrize("form", DATA["commands"])
def test_a_password_on_a_command_line_is_masked(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(grammar.DATA, "commands", [form])
    assert missed(grammar.command, 12, form) == []


@pytest.mark.parametrize("form", DATA["numbers"])
def test_a_number_told_as_a_secret_is_masked(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(grammar.DATA, "numbers", [form])
    assert missed(grammar.number, 4, form) == []


@pytest.mark.parametrize("form", DATA["networks"])
def test_the_key_of_a_network_is_masked(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(grammar.DATA, "networks", [form])
    assert missed(grammar.network, 8, form) == []


@pytest.mark.parametrize("kind", sorted({row.partition("; ")[0] for row in grammar.ANYWHERE}))
def test_a_secret_is_found_by_its_look_wherever_its_name_stands(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grammar, "ANYWHERE", [row for row in grammar.ANYWHERE if row.startswith(f"{kind}; ")])
    assert len(missed(grammar.anywhere, 100, kind)) <= 5


@pytest.mark.parametrize("pattern", DATA["ordinary"])
def test_a_sentence_that_tells_no_secret_stays(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(grammar.DATA, "ordinary", [pattern])
    rng = random.Random(pattern)
    for text in (grammar.ordinary(rng) for _ in range(8)):
        assert redact(text).text == text


@pytest.mark.parametrize(
    ("text", "left"),
    rows("text/secrets/only"),
)  # fmt: skip
def test_only_the_secret_is_masked(text: str, left: str) -> None:
    assert redact(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        "Stripe.js uses pk_test_" + "TYooMQauvdEDq54NiTphI7jx in the docs",
        "password_hash: $argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$"
        "RdescudvJCsgt3ub+b4dWRWJTmaaVHNobCtwVUxMbTQ",
    ],
)
def test_what_is_made_to_be_public_stays(text: str) -> None:
    assert redact(text).findings == []
