"""Secrets that a sentence tells: "the password for staging is …", "use … as the client secret".

Between the name and the value there may be words, so the value itself has to look more like a secret.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secret_shapes import has_token_prefix
from memolith.text.secret_value import is_digest, is_name, is_password, is_random, is_stand_in

_IS = lazy(
    r"(?i)(?:(?<!\w)(?P<how>is|was|are|now|remains|becomes|(?:re)?set to|changed to|"
    r"(?:upda|rota)ted to|switched to)(?=[ :])|"
    r"(?<!\w)(?P<loose>to|as|be|with|append|prepend)(?=[ :])|"
    r"=>|->|→|=|:)[ :=]{1,3}"
    r"(?:(?:still|now|currently|always|just|simply|literally|called|set to|the string) ){0,2}"
    r"(?P<open>['\"`*(]{0,3})(?P<value>[^\s'\"`,;<>|\u3000-\u3002\uff0c\uff1b]{4,100}+)"
)
_BEFORE = lazy(
    r"(?<![^\s('\"`])([^\s'\"`(),;<>|]{6,100}+)['\"`)]{0,2} "
    r"(?:is|was|as) (?:the|our|my) (?:[\w-]{1,14} ){0,2}$"
)
_CLAUSE_END = lazy(r"(?![^\s.,;:!)])(?! (?!for|of|in|on|to|and|at|now|there)[a-z])")
_CODE = lazy(r"\w\(|::|\\|=\w")
_SENTENCE = lazy(r"[.!?](?=\s)|\n")
_GAP_WORD = lazy(r"[A-Za-z0-9][\w+/.~%-]{11,400}+={0,2}")
_STOP = lazy(
    r"(?i)\b(?:sha-?\d{0,3}|md5|hash(?:es|ed)?|digest|checksum|integrity|commit(?:ted)?|etag|finger-?prints?|"
    r"public|uuid|ulid|ids?|revision|cursor|version|trace|span|request|session|branch|image|model|at|in|under|"
    r"path|vault|see|via|from|ssh-\w{3,8})\b"
)


def is_fingerprint(text: str, at: int, word: str) -> bool:
    """Tell what follows `gpg --recv-keys`: a public key's fingerprint."""
    return text[max(0, at - 4) : at].lower() == "keys" and is_digest(word)


def told(text: str, at: int, kind: str, limit: int) -> tuple[int, int] | None:
    """Judge a value that a sentence tells: "the password for staging is …"."""
    last = min(limit, at + 100)
    stop = _SENTENCE.search(text, at, last)
    last = stop.start() if stop else last
    for match in _IS.finditer(text, at, last + 120):
        if match.start() > last:
            return None
        start = match.start("value")
        word = match["value"].rstrip(".,:)]}>*")
        if word.endswith("!") and not any(map(str.isdigit, word)):
            word = word.rstrip("!")
        quoted = bool(match["how"] and match["open"].strip("*("))
        if _is_told(word, "secret" if match["loose"] else kind, quoted=quoted):
            return start, start + len(word)
    return None


def told_before(text: str, at: int, end: int, kind: str) -> tuple[int, int] | None:
    """Judge a value that a sentence tells before its name: "use … as the client secret"."""
    start = max(0, at - 160)
    head = text[start:at]
    if kind in {"weak", "assigned"} or not ("s the " in head or "s our " in head or "s my " in head):
        return None
    match = _BEFORE.search(head)
    if not match or not _CLAUSE_END.match(text, end):
        return None
    word = match[1].rstrip(",.:")
    is_value = is_password(word) and not _CODE.search(word) if kind == "password" else is_random(word)
    return (start + match.start(1), start + match.start(1) + len(word)) if is_value else None


def _is_told(word: str, kind: str, *, quoted: bool) -> bool:
    if kind != "password":
        return is_random(word, 12) or has_token_prefix(word, 8)
    return (is_password(word) and not _CODE.search(word)) or (
        quoted and len(word) >= 4 and not is_stand_in(word) and not is_name(word)
    )


def random_nearby(text: str, at: int, limit: int) -> tuple[int, int] | None:
    """Judge the next long runs on the line, and on the line after it."""
    window = text[at : min(at + 160, limit)]
    for match in _GAP_WORD.finditer(window):
        if match.start() > 40 or window.count("\n", 0, match.start()) > 1:
            return None
        value = match[0].rstrip(".-_")
        if is_random(value, 16) and not (
            _STOP.search(window, 0, match.start()) or is_fingerprint(text, at, value)
        ):
            tail = _GAP_WORD.match(text, at + match.start())
            end = tail.end() if tail else at + match.end()
            return at + match.start(), end
    return None
