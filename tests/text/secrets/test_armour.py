"""A private key is masked however its lines are shown."""

from __future__ import annotations

import base64
import json
import random

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


SSH2 = ["---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", 'Comment: "x"', *LINES[1:9]]
PUTTY = ["PuTTY-User-Key-File-3: ssh-rsa", "Private-Lines: 8", *LINES[1:9], "Private-MAC: " + "0a" * 32]
OPENSSL = ["Private-Key: (256 bit)", "priv:", *["    " + "a1:" * 15] * 2, "pub:"]
OTHERS = {
    "ssh2": ([*SSH2, "---- END SSH2 ENCRYPTED PRIVATE KEY ----"], LINES[1:9]),
    "ssh2 without an end": (SSH2, LINES[1:9]),
    "putty": (PUTTY, LINES[1:9]),
    "putty, one line": (["Private-Lines: 1", LINES[3][:44], "x"], [LINES[3][:44]]),
    "amid": (LINES[3:8], LINES[3:8]),
    "amid openssh": ([f"{line}AbC1d2" for line in LINES[3:8]], LINES[3:8]),
    "openssl -text": (OPENSSL, ["a1:a1:a1:a1"]),
}


@pytest.mark.parametrize("shown", [*SHOWN.values(), "{1}", '"{1}\\n" +'], ids=[*SHOWN, "plain", "strings"])
@pytest.mark.parametrize(("key", "private"), OTHERS.values(), ids=OTHERS)
def test_a_key_of_another_form_or_without_its_ends_is_known(
    shown: str, key: list[str], private: list[str]
) -> None:
    lines = [shown.format(number, line) for number, line in enumerate(key, 7)]
    found = redact("\n".join(["Here:", *lines, "That is all."])).text
    if key is OPENSSL and shown not in (*list(SHOWN.values())[:2], "{1}"):
        return  # only a number before its lines is known to be none of it
    assert [line for line in private if line in found] == []
    assert redact(found).text == found
    assert found.endswith("\nThat is all.")


def wrapped(data: bytes, width: int) -> list[str]:
    text = base64.b64encode(data).decode()
    return [text[at : at + width] for at in range(0, len(text), width)]


NOISE = random.Random(7).randbytes(1500)
HARMLESS = {
    "a picture": wrapped(b"\x89PNG\r\n\x1a\n" + NOISE, 64),
    "an attachment": wrapped(NOISE, 76),
    "a long blob": wrapped(NOISE * 3, 64),
    "a certificate": ["-----BEGIN CERTIFICATE-----", *wrapped(NOISE, 64), "-----END CERTIFICATE-----"],
    "a certificate's end": [*wrapped(NOISE, 64), "-----END CERTIFICATE-----"],
    "a signature": ["-----BEGIN PGP SIGNATURE-----", "", *wrapped(NOISE, 64)],
    "a lock file": [f'      "integrity": "sha512-{line}=="' for line in wrapped(NOISE, 86)],
    "a bundle": [f"!function(e,t){{var n{at}=t({at})}}();" * 9 for at in range(9)],
    "a hex dump": [f"{at:08x}  {NOISE[at : at + 32].hex()}" for at in range(0, 320, 32)],
    "hashes": [NOISE[at : at + 32].hex() for at in range(0, 320, 32)],
}


@pytest.mark.parametrize("shown", [*list(SHOWN.values())[:3], "{1}"], ids=[*list(SHOWN)[:3], "plain"])
@pytest.mark.parametrize("lines", HARMLESS.values(), ids=HARMLESS)
def test_what_only_looks_like_a_key_stays(shown: str, lines: list[str]) -> None:
    text = "\n".join(shown.format(number, line) for number, line in enumerate(lines, 1))
    assert redact(text).findings == []


def test_a_word_about_an_armour_hides_nothing_around_it() -> None:
    text = (
        "Look for `-----BEGIN PRIVATE KEY-----` (in files\nof src/memolith/text/secrets and documentation)\n"
        "and for -----END PRIVATE KEY----- too, see\n/usr/local/share/certificates/README"
    )
    assert redact(text).findings == []
