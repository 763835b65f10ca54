"""The look before the scanner never says no where the scanner finds something, and loads nothing heavy."""

import gzip
import json
import os
import random
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.text.secrets import names, precheck, tokens
from memolith.text.secrets.precheck import may_hold_secret
from memolith.text.secrets.redact import redact
from tests.shared import ROOT
from tests.text.secrets.test_redact import CONTEXTS, HARMLESS, SAMPLES
from tests.text.secrets.test_rules import SAMPLES as FORMATS

DATA = Path(os.environ.get("MEMOLITH_DATA") or ROOT.parent / "shared" / "data") / "secrets"
SECRETS = ["".join(sample[1:]) for sample in SAMPLES] + FORMATS
NAMES = [f"{word}{sign}" for word in names.WORDS for sign in ("", "=", ": ", " is ", "='")]
PIECES = ["<private>", "hook/", "://", "@", "?sas=", "-u a:", "github ", "spaces ", "$2b$", "[secret:token]"]


def mutated(text: str, seed: int) -> str:
    """Return a text with something changed that may make or break a secret."""
    source = random.Random(seed)
    at = source.randrange(len(text) + 1)
    return source.choice(
        [
            text.upper(),
            text.replace(" ", "\n"),
            text.replace("=", ": "),
            text.replace('"', "'"),
            text[:at],
            text[at:],
            f"{text[:at]}{source.choice('é密 -_.=/K0²')}{text[at:]}",
            text.swapcase(),
            text.replace("-", " "),
        ]
    )


def check(text: str) -> None:
    found = redact(text).findings
    assert may_hold_secret(text) or not found, [(each.kind, text[each.start : each.end]) for each in found]


@pytest.mark.parametrize("context", CONTEXTS)
def test_it_says_yes_to_every_sample(context: str) -> None:
    for number, sample in enumerate(SECRETS):
        text = context.format(sample)
        assert may_hold_secret(text)
        check(mutated(text, number))


def test_it_says_yes_to_whatever_is_found_in_the_labelled_sets() -> None:
    if not DATA.is_dir():
        pytest.skip(f"there is no {DATA}; set MEMOLITH_DATA")
    for name in ("cases", "prose"):
        with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                text = json.loads(line)["text"]
                check(text)
                check(mutated(text, number))
                check(mutated(mutated(text, number), number + 1))


@given(
    st.lists(
        st.sampled_from(SECRETS)
        | st.sampled_from(HARMLESS)
        | st.sampled_from(NAMES)
        | st.sampled_from(PIECES)
        | st.text(alphabet="abcXYZ019_-.=/+:'\" \n", max_size=24)
        | st.text(max_size=8),
        max_size=8,
    ).map("".join),
    st.integers(0, 1000),
)
def test_it_says_yes_to_whatever_is_found(text: str, seed: int) -> None:
    check(text)
    check(mutated(text, seed))


@given(st.sampled_from(NAMES), st.text(alphabet="abcdxyzQWKJ0123!@-_. '\"`", min_size=4, max_size=40))
def test_it_says_yes_to_whatever_a_name_makes_a_secret(name: str, value: str) -> None:
    check(f"x {name}{value}")


def test_it_says_no_to_ordinary_names_and_messages() -> None:
    for text in (
        "",
        "/home/bob/src/component_library_v2",
        "2024-03-01-decisions.md",
        "6a21555a-6761-d615-91f9-456cfa11c1eb",
        "0123456789abcdef0123456789abcdef01234567",
        "https://example.org/some/page.git",
        "git@example.org:team/monkey-keyboard.git",
        "there is no memory for /tmp/pytest-of-bob/pytest-17/work0; say memolith init",
    ):
        assert not may_hold_secret(text), text


def test_every_beginning_is_made_of_what_a_run_is_made_of() -> None:
    """The look goes through runs only, so no format may begin with anything else."""
    for rows in tokens.BEGINNINGS.values():
        for _, beginning, _, _ in rows:
            assert set(beginning) <= {*string.ascii_letters, *string.digits, *precheck._RUN_SIGNS}
