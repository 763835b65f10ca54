"""Every row of the table of token formats finds what it describes, and only that.

Samples are drawn from the rows themselves at run time, so that no scanner takes this file for a leak.
"""

import random

import pytest

from memolith.text.secrets import tokens
from memolith.text.secrets.redact import redact

HEX = "0123456789abcdef"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
ALNUM = "abcdefghijkmnopqrstuvwyzABCDEFGHIJKLMNPQRSTUVWYZ0123456789"
ALPHABETS = {"hex": HEX, "upper": UPPER}
ROWS = [row for rows in tokens.BEGINNINGS.values() for row in rows]


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
