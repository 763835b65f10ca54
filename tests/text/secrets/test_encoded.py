"""A secret in another coat is a secret: Base64, hexadecimals and dumps of a key or of a file of passwords."""

from __future__ import annotations

import base64
import random

import pytest

from memolith import redact
from memolith.text.secrets.encoded import shows_secret_file
from memolith.text.secrets.precheck import may_hold_secret

RNG = random.Random(16)
DER = bytes.fromhex("302e020100300506032b657004220420") + RNG.randbytes(32)
KEY = f"-----BEGIN PRIVATE KEY-----\n{base64.b64encode(DER).decode()}\n-----END PRIVATE KEY-----\n".encode()
SETTINGS = b"HOST=db.internal\nDB_PASSWORD=Tr0ub4dor3zXq\nSTRIPE_KEY=sk_live_4eC39HqLyjWDarjtT1zdp7dc\n"
HARMLESS = b"The quick brown fox jumps over the lazy dog, and then it sleeps for a whole day.\n" * 3


def wrapped(text: str, width: int) -> str:
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def dump(
    raw: bytes, *, offset: str = "{:08x}: ", words: int = 2, swap: bool = False, letters: bool = True
) -> str:
    rows = []
    for at in range(0, len(raw), 16):
        row = raw[at : at + 16]
        groups = [row[each : each + words] for each in range(0, len(row), words)]
        shown = " ".join((group[::-1] if swap else group).hex() for group in groups)
        text = "".join(chr(each) if 32 <= each < 127 else "." for each in row)
        rows.append(offset.format(at) + (f"{shown:<40}  {text}" if letters else shown))
    return "\n".join(rows)


def coats(raw: bytes) -> list[str]:
    even = raw + b"\n" * (len(raw) % 2)
    return [
        wrapped(base64.b64encode(raw).decode(), 76),
        wrapped(base64.b64encode(raw).decode(), 64),
        base64.b64encode(raw).decode(),
        wrapped(raw.hex(), 60),
        raw.hex(),
        dump(raw),
        dump(raw, offset="{:08x}  ", words=1) + f"\n{len(raw):08x}",
        dump(raw, offset=" ", words=1, letters=False),
        dump(even, offset="{:07o} ", swap=True, letters=False) + f"\n{len(even):07o}",
    ]


@pytest.mark.parametrize("raw", [KEY, SETTINGS, DER], ids=["pem", "env", "der"])
@pytest.mark.parametrize("before", ["", "$ show it\n", "Look:\n\n"])
def test_an_encoded_secret_is_masked_whole(raw: bytes, before: str) -> None:
    for text in coats(raw):
        shown = redact(f"{before}{text}\n").text
        lines = [line for line in text.split("\n") if len(line) > 24]
        assert [line for line in lines if line in shown] == []
        assert redact(shown).text == shown
        assert may_hold_secret(f"{before}{text}\n")


def test_what_is_no_secret_stays_in_any_coat() -> None:
    for raw in (HARMLESS, RNG.randbytes(200), b"0" + RNG.randbytes(63)):
        for text in coats(raw):
            if not any(char in text for char in "+/") or " " in text:  # else a random run for itself
                assert "encoded" not in redact(text).text


def test_every_private_number_of_a_key_is_masked() -> None:
    number = ":".join(f"{each:02x}" for each in RNG.randbytes(15))
    for name in ("privateExponent", "prime1", "prime2", "exponent1", "exponent2", "coefficient", "priv"):
        assert number not in redact(f"prime1:\n    00:aa:bb:cc\n{name}:\n    {number}\n").text


@pytest.mark.parametrize(
    ("command", "shows"),
    [
        ("$ base64 key.pem", True),
        ("$ cat a; base32 -w0 ~/.ssh/id_ed25519", True),
        ("$ od -c .env.local", True),
        ("$ gzip -c deploy/tls.key | base64", True),
        ("$ openssl rsa -in server.key -text", True),
        ("$ openssl x509 -in cert.pem -text", False),
        ("$ base64 logo.png", False),
        ("$ ls -l key.pem", False),
        ("$ ssh -i key.pem host uptime", False),
        ("$ tar xzf secretservice.tar.gz", False),
        ("$ xxd src/environment.bin", False),
    ],
)
def test_a_command_tells_that_it_prints_a_secret_file_in_another_form(command: str, shows: bool) -> None:
    assert shows_secret_file(command) is shows
