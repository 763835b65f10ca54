"""Every row of the table of token formats finds what it describes, and only that.

Samples are drawn from the rows themselves at run time, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.text.secrets import names, tokens
from memolith.text.secrets.redact import redact

HEX = "0123456789abcdef"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
ALNUM = "abcdefghijkmnopqrstuvwyzABCDEFGHIJKLMNPQRSTUVWYZ0123456789"
ALPHABETS = {"hex": HEX, "upper": UPPER}
ROWS = [
    (kind, beginning, alphabet, least)
    for kind, beginnings, alphabet, least in tokens._PREFIXED
    for beginning in beginnings.split()
]


def drawn(seed: str, size: int, alphabet: str) -> str:
    source = random.Random(seed)
    return "".join(source.choice(alphabet) for _ in range(size))


def sample(row: tuple[str, str, str, int]) -> str:
    _, beginning, alphabet, least = row
    return beginning + drawn(beginning, least, ALPHABETS.get(alphabet, ALNUM))


SAMPLES = [sample(row) for row in ROWS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_a_token_of_a_published_format_is_masked_whole(row: tuple[str, str, str, int]) -> None:
    for context in ("{}", "we use {} there.", "X={}\n", '{{"a": "{}"}}', "(`{}`)", "密钥{}。"):
        text = context.format(sample(row))
        result = redact(text)
        (finding,) = result.findings
        assert text[finding.start : finding.end] == sample(row)
        assert result.text == context.format(f"[secret:{finding.kind}]")


@pytest.mark.parametrize("row", [row for row in ROWS if len(row[1]) < 16], ids=lambda row: row[1])
def test_a_beginning_alone_and_its_placeholder_stay(row: tuple[str, str, str, int]) -> None:
    for text in (
        f"keys begin with {row[1]} there",
        f"{row[1]}{'x' * row[3]}",
        f"{row[1]}{'X' * row[3]}",
        f"{row[1]}<token>",
        f"{row[1]}...",
    ):
        assert redact(text).findings == []


@given(
    st.lists(
        st.sampled_from(SAMPLES)
        | st.sampled_from([f"{word}{sign}" for word in names.WORDS for sign in ("", "=", ": ", " is ")])
        | st.sampled_from(
            [" ", "\n", "=", ":", "'", '"', "`", "-", "_", ".", "/", "@", "://", "&", "[secret:token]"]
        )
        | st.text(max_size=6),
        max_size=10,
    ).map("".join)
)
def test_whatever_stands_around_tokens_masking_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    again = redact(once.text)
    assert (again.text, again.findings) == (once.text, [])
    assert [
        text[finding.start : finding.end] for finding in once.findings if finding.end <= finding.start
    ] == []
