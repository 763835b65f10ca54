"""Secrets in another coat: what `base64 key.pem`, `xxd .env` or `openssl … -outform DER | xxd -p` prints.

A coat is taken off and what is below is looked at as any text is. Hashes and random bytes are no text and no
key, which the first bytes tell; so nearly all that looks like Base64 or hexadecimals costs one glance.
"""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64, unhexlify

from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Span = tuple[str, int, int]
_KIND = "encoded-secret"
_LEAST = 40  # characters of a run; what is shorter has hardly room for a name and its value
_GLANCE, _MOST = 24, 60_000  # bytes
_HEXADECIMALS = frozenset("0123456789abcdef")
_TEXT = frozenset([*range(32, 127), 9, 10, 13])
_BASE64 = lazy(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40,}+={0,2}(?:\r?\n[A-Za-z0-9+/]{2,}+={0,2}(?![^\s]))*+")
_HEX = lazy(r"(?i)(?<![0-9a-f])[0-9a-f]{40,}+(?:\r?\n[0-9a-f]{2,}+(?!\S))*+")
# A dump: bytes or words in columns, behind an offset or not, before their letters or not.
_DUMP = lazy(
    r"(?im)^ {0,8}(?:[0-9a-f]{6,8}:?[ \t]+)?((?:(?:[0-9a-f]{2}){1,4}+ {1,2}){4,}(?:[0-9a-f]{2}){1,4}+)"
    r"(?:[ \t].*)?$(?:\r?\n {0,8}[0-9a-f]{2,8}:?(?:[ \t].*)?$)*+"
)
_BEGINS = lazy(r"\n {0,8}[0-9a-fA-F]{2,8}:?[ \t]{1,2}[0-9a-fA-F]{2}")  # the cheapest look at its second row
_ROW = lazy(r"(?im)^ {0,8}(?:[0-9a-f]{6,8}(?::?[ \t]+|:?$))?+((?:(?:[0-9a-f]{2}){1,4}+(?: {1,2}|$)){1,16})")
# A program that shows a file in another form, and a file that is a secret itself.
_SHOWS = lazy(
    r"(?:^|[\s|;&(/])(?:base(?:64|32|nc)|xxd|od|hexdump|hd|uuencode|rev|tac|strings|gzip|bzip2|xz|zstd|tar|keytool|gpg"
    r"|openssl\s+(?:pkey|rsa|ec|dsa|pkcs8|pkcs12|enc|base64|asn1parse|genpkey|genrsa|rand))\s([^|;&\n⏎]*)"
)
_SECRET_FILE = lazy(
    r"(?i)\.(?:pem|key|p12|pfx|jks|keystore|kdbx?|ppk|asc|gpg|ovpn|tfstate)(?![\w.-])|(?:^|[\s/'\"=])(?:id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|\.env(?:\.[\w-]+)?|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.htpasswd|credentials|shadow|[\w.-]*secrets?(?:\.\w+)?)(?![\w.-])"
)


def shows_secret_file(command: str) -> bool:
    """Whether a command prints a file that is a secret in a form that nobody would recognise."""
    return any(_SECRET_FILE.search(asked) for asked in _SHOWS.findall(command))


def encoded(text: str, runs: list[tuple[int, int]], is_secret: Callable[[str], bool]) -> Iterator[Span]:
    """Find what holds a secret once it is decoded, as `is_secret` says. `runs`: the text's long words."""
    done = 0
    for start, end in runs:
        if end - start < _LEAST or end <= done:
            continue
        for pattern, decode in ((_BASE64, _from_base64), (_HEX, _from_hex)):
            first = pattern.search(text, max(start, done), end)
            # A glance at one line first: to follow all lines from each of them would take the square.
            if first and _is_worth_it(decode(first[0][: 2 * _GLANCE])):
                found = pattern.match(text, first.start())
                done = found.end() if found else done
                if found and _holds(decode(found[0][: 2 * _MOST]), is_secret):
                    yield _KIND, *found.span()
    if _BEGINS.search(text):
        for found in _DUMP.finditer(text):
            rows = "".join(row[1] for row in _ROW.finditer(found[0][: 8 * _MOST]))
            raw = _from_hex(rows)
            if _holds(raw, is_secret) or _holds(_swapped(raw), is_secret):
                yield _KIND, *found.span()


def may_be_encoded(run: str) -> bool:
    """Whether a run may be text or a key in Base64 or hexadecimals, told by its first bytes."""
    return len(run) >= _LEAST and any(
        _is_worth_it(decode(run[: 2 * _GLANCE])) for decode in (_from_base64, _from_hex)
    )


def may_be_dump(text: str) -> bool:
    """Whether some line begins like a dump's: with an offset or a byte, and another."""
    for line in text.split("\n"):
        first, *more = line[:40].lower().replace(":", "").split()[:2] or [""]
        if more and len(first) > 1 and _HEXADECIMALS.issuperset(first + more[0]):
            return True
    return False


def _from_base64(text: str) -> bytes:
    bare = "".join(text.split()).rstrip("=")
    try:
        return a2b_base64(bare[: len(bare) // 4 * 4])
    except (Error, ValueError):
        return b""


def _from_hex(text: str) -> bytes:
    bare = "".join(text.split())
    try:
        return unhexlify(bare[: len(bare) // 2 * 2])
    except (Error, ValueError):
        return b""


def _swapped(raw: bytes) -> bytes:
    """Return bytes that were shown as words of two, the later one first."""
    even = raw[: len(raw) // 2 * 2]
    swapped = bytearray(even)
    swapped[::2], swapped[1::2] = even[1::2], even[::2]
    return bytes(swapped)


def _is_worth_it(raw: bytes) -> bool:
    return len(raw) >= _GLANCE and (raw[:1] == b"0" or _TEXT.issuperset(raw[:_GLANCE]))


def _holds(raw: bytes, is_secret: Callable[[str], bool]) -> bool:
    from memolith.text.secrets.armour import FIRST_BYTES  # late: the quick look does not need it

    if not _is_worth_it(raw):
        return False
    if FIRST_BYTES.match(b2a_base64(raw[:_GLANCE]).decode("ascii")):
        return True
    text = raw.decode("ascii", "replace")
    return "PRIVATE KEY" in text or (_TEXT.issuperset(raw[:_MOST]) and is_secret(text))
