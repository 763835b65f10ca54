"""A random run near the name of a secret: some words behind it, in the next line, behind a clause."""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.values import TABLE, is_digest, is_random

Place = tuple[int, int]

_GAP_WORD = lazy(r"[A-Za-z0-9][\w+/.~%-]{11,400}+={0,2}")
_POINTS_ON = ":：=＝|→\\-–—("
_OTHER_KEY = lazy(r"[\s\"'-]{0,8}[\w.-]{1,40}[\"']?\s{0,3}[:=]")
_STOP = lazy(rf"(?i)\b(?:{'|'.join(TABLE['something-else'])})\b")

_CLAUSE_THEN = lazy(
    r"(?P<words>[^\n.!?;:：=→()\[\]{}<>|\"`]{4,140}?) ?(?:[:：→]|->|=>|[—–](?= ))\s{0,3}[\"'`„“«「]?"
    r"(?P<value>[A-Za-z0-9][\w+/.~%-]{15,400}={0,2})(?![\w/(])"
)
_OF_API = lazy(r"(?i)api|secret|access|licen|zugang|zugriff|acc[eè]|acess|доступ|bot|訪問|访问|接口")
_HASHED = lazy(
    r"(?i)\b(?:sha-?\d{0,3}|md5|hash\w{0,4}|digest|checksum|integrity|commit\w{0,4}|etag|finger-?prints?|public|uuid|ulid|ids?|rev\w{0,6}"
    r"|cursor|versions?|trace|span|request|session|branch|image|model|cache|lock|коммит\w{0,3}|хеш\w{0,3}|хэш\w{0,3})\b"
)
_DIGEST = 32  # characters


def is_fingerprint(text: str, at: int, word: str) -> bool:
    """Tell what follows `gpg --recv-keys`: a public key's fingerprint."""
    return text[max(0, at - 8) : at].lower().endswith(("keys", "recv-key")) and is_digest(
        word.removeprefix("0x")
    )


def random_nearby(text: str, at: int, limit: int) -> Place | None:
    """Judge the next long runs on the line, and on the line after it."""
    window = text[at : min(at + 160, limit)]
    line = window.partition("\n")[0].rstrip(" \t\r*_`\"')>")
    if line and line[-1] not in _POINTS_ON:
        window = window.partition("\n")[0]  # the line does not announce the next one
    for match in _GAP_WORD.finditer(window):
        if match.start() > 40 or window.count("\n", 0, match.start()) > 1:
            return None
        if _OTHER_KEY.match(window[: match.start()].rpartition("\n")[2]) and "\n" in window[: match.start()]:
            return None
        value = match[0].rstrip(".-_")
        if match.start() == 1 and window[0] in ".-":
            value = value.partition("/")[0]  # of a path
        if is_random(value, 16) and not (
            _STOP.search(window, 0, match.start()) or is_fingerprint(text, at, value)
        ):
            tail = _GAP_WORD.match(text, at + match.start())
            end = tail.end() if tail else at + match.end()
            return at + match.start(), end
    return None


def random_after_clause(text: str, at: int, kind: str, *, foreign: bool) -> Place | None:
    """Judge what follows a clause and a sign: "the API key of the service that we use in production: …"."""
    if kind not in {"token", "secret", "password"} and not (
        kind in {"key", "loose"}
        and (foreign or _OF_API.search(text[max(0, at - 32) : at + 40].partition("\n")[0]))
    ):
        return None
    found = _CLAUSE_THEN.match(text, at)
    if not found or _HASHED.search(found["words"]):
        return None
    value = found["value"].rstrip(".-_")
    if is_random(value, 16) or (len(value) >= _DIGEST and is_digest(value)):
        return found.start("value"), found.start("value") + len(value)
    return None
