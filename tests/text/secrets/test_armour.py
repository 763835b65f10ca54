"""A private key is masked however its lines are shown."""

from __future__ import annotations

import json

import pytest

from memolith.text.secrets.redact import redact
from tests.text.secrets.test_redact import token

LONG = token(64 * 9)
LINES = [
    "MIIEvQIBADANBgkqhkiG9w0B" + token(40),
    *(LONG[at : at + 64] for at in range(0, 576, 64)),
    "Zm9vYmFy==",
]
KEY = ["-----BEGIN PRIVATE KEY-----", *LINES, "-----END PRIVATE KEY-----"]
SHOWN = {
    "Read": "{0:6}→{1}",
    "cat -n": "{0:6}\t{1}",
    "grep -A": "k.pem-{0}-{1}",
    "rg": "{0}-{1}",
    "blame": "^a1b2c3d (Ann Lee 2026-11-01 10:00:00 +0000 {0:2}) {1}",
    "diff": "+{1}",
    "margin": "│ {1}",
    "brackets": "({0}) {1}",
    "logged": "web-1  | 2026-11-17T10:00:00.000Z {1}",
}


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
@pytest.mark.parametrize("part", ["whole", "no begin", "no end", "neither", "noted"])
def test_a_key_is_known_whatever_stands_before_its_lines(shown: str, part: str) -> None:
    key = {"no begin": KEY[1:], "no end": KEY[:-1], "neither": KEY[1:-1]}.get(part, KEY)
    lines = [shown.format(number, line) for number, line in enumerate(key, 2 if key[0] != KEY[0] else 1)]
    if part == "noted":
        lines.insert(4, "… and so on …")
    text = "\n".join(["Here:", *lines, "That is all."])
    found = redact(text).text
    assert [line for line in LINES if line in found] == []
    assert redact(found).text == found
    assert found.startswith("Here:\n")
    assert found.endswith("\nThat is all.")


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
@pytest.mark.parametrize("key", [KEY, KEY[:-1], KEY[1:]], ids=["whole", "no end", "no begin"])
def test_a_key_is_known_in_a_string_of_json(shown: str, key: list[str]) -> None:
    inner = json.dumps({"text": "\n".join(shown.format(at, line) for at, line in enumerate(key, 1))})
    for text in (inner, json.dumps(inner)):
        found = redact(text).text
        assert [line for line in LINES if line in found] == []


def test_a_word_about_an_armour_hides_nothing_around_it() -> None:
    text = (
        "Look for `-----BEGIN PRIVATE KEY-----` (in files\nof src/memolith/text/secrets and documentation)\n"
        "and for -----END PRIVATE KEY----- too, see\n/usr/local/share/certificates/README"
    )
    assert redact(text).findings == []
