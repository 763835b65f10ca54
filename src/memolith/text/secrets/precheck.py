"""Whether a name or a message can hold a secret at all, decided without a regular expression.

For the hook, the context and the search, which run often: loading `re` and the scanner's patterns costs
more than their whole answer. What they look at is short: a path, a session's id, a line of a log. A no is
certain (tests/text/secrets/test_precheck.py); a yes means that the scanner has to look. Everywhere else
`redact` is asked at once.
"""

from __future__ import annotations

from itertools import pairwise

from memolith.text.secrets import names
from memolith.text.secrets.encoded import may_be_dump, may_be_encoded
from memolith.text.secrets.tokens import APART_WORDS, BEGINNINGS, HINTS, PROVIDERS
from memolith.text.secrets.values import HEADS, TABLE, is_jumbled, is_shuffled

_KNOWN = names.KNOWN | APART_WORDS
# Signs and words that announce a finder's work by themselves; names and messages seldom have one.
_SIGNS = (
    *TABLE["signs"],
    *TABLE["sign-in"],
    "bundle_",
    "? ",
    "？",
    "؟",
    "?\n",
    '?"',
    '("',
    "('",
    "<(",
)
_ACCOUNTS = tuple(f"{who}:" for name in ("accounts", "accounts-too") for who in TABLE[name])
_HEADS_TOO = tuple(TABLE["heads-too"])
_IN_LONG = (".", "+", "/", "-us", "A3-")
_RUN_SIGNS = "_.~+/=-"
_ONLY_RUNS = bytes(
    each if each < 128 and (chr(each).isalnum() or chr(each) in _RUN_SIGNS) else 32 for each in range(256)
)
_BREAKS = frozenset("\\\r\n'\"")
_BETWEEN = frozenset(" \t\n'\"")  # the words of a command
_APART = frozenset(",;|-–—:")  # what may stand between a mail address and a password
_IN_PATHS = frozenset("/.-_@\\:abcdefghijklmnopqrstuvwxyz0123456789") | {""}
_LONG, _MANY_COLONS, _RUN_LENGTH = 36, 4, 12


def may_hold_secret(text: str) -> bool:
    """Whether `redact(text)` could find something; False is certain."""
    lower = names.lowered(text)
    for sign in _SIGNS:  # `any` takes twice as long, and a search asks for every file that it found
        if sign in lower:
            return True
    if text.count(":") >= _MANY_COLONS or _has_login(text) or _has_account(text, lower):
        return True
    if (":" in text and any(who in lower for who in _ACCOUNTS)) or ("@" in text and _is_beside(text)):
        return True
    if "\n" in text and may_be_dump(text):
        return True
    programs: frozenset[bytes] = frozenset()
    if not (
        text.isascii() and _BETWEEN.isdisjoint(text)
    ):  # a name has no words of a command, and no sentence
        from memolith.text.secrets import commands, doors

        programs = commands.KNOWN
        if any(map(str.isdigit, text)) and doors.may_open(lower, names.known_in(lower, doors.KNOWN)):
            return True
    known = names.known_in(lower, _KNOWN, programs)
    return (
        not known.isdisjoint(APART_WORDS)
        or not known.isdisjoint(programs)
        or _names_one(text, lower, known)
        or any(_could_be_token(text, lower, *run) for run in _runs(text))
    )


def _has_login(text: str) -> bool:
    """Whether a URL has a password or a token before its host."""
    for rest in text.split("://")[1:]:
        login, at, _ = rest.partition("@")
        if at and "/" not in login and (":" in login or len(login) >= 16):
            return True
    return False


def _has_account(text: str, lower: str) -> bool:
    """Whether a line names who logs in, or a host, with a word beside it: in a path, `/root/x`, none is."""
    for who in HEADS:
        if who in lower and any(rest[:1] not in _IN_PATHS for rest in lower.split(who)[1:]):
            return True
    if ("(" in text or "（" in text) and any(who in lower for who in _HEADS_TOO):
        return True
    return " " in text and any("." in line and 1 < len(line.split(None, 5)) < 5 for line in text.split("\n"))


def _is_beside(text: str) -> bool:
    """Whether a value with a digit may stand beside a login: `root:…@host`, `bob@example.com:…`."""
    pieces = text.split("@")
    for before, behind in pairwise(pieces):
        if before and not before[-1].isspace() and ":" in before.split()[-1]:
            return True
        host = behind.split(None, 1)[0] if behind and not behind[0].isspace() else ""
        _, colon, value = host.partition(":")
        if (
            "/" not in value
            and any(map(str.isdigit, behind))
            and (colon or not _APART.isdisjoint(behind) or len(behind.split(None, 2)) > 2)
        ):
            return True
    return False


def _names_one(text: str, lower: str, known: frozenset[bytes]) -> bool:
    """Whether a secret is named whose value could be in the text as well."""
    kinds = {names.WORDS[word] for _, _, word in names.english(text, lower)}
    kinds.update(kind for _, _, kind in names.foreign_names(text, lower, known))
    if not kinds:
        return False
    if not kinds.isdisjoint(("password", "assigned", "phrase", "loose", "saying", "sign-in", "wallet")) or (
        "pair" in kinds and "/" in text
    ):
        return True
    random = any(map(str.isdigit, text)) or any(is_jumbled(run) for run in _segments(text) if len(run) >= 12)
    if "code" in kinds and any(word in lower for word in TABLE["users"]):
        return True
    return (random and kinds != {"pair"}) or any(word in lower for word in TABLE["wifi"])


def _segments(text: str) -> list[str]:
    return "".join([char if char.isalnum() else " " for char in text]).split()


def _runs(text: str) -> list[tuple[int, int]]:
    """Return where the runs are that are long enough for a token."""
    found: list[tuple[int, int]] = []
    ascii_text, end = text.encode("ascii", "replace").translate(_ONLY_RUNS), 0
    for run in ascii_text.split():
        if len(run) >= _RUN_LENGTH:
            start = ascii_text.index(run, end)
            end = start + len(run)
            found.append((start, end))
    return found


def _could_be_token(text: str, lower: str, start: int, end: int) -> bool:
    """Whether a run is random, or has one of the published beginnings."""
    run = text[start:end]
    if may_be_encoded(run):
        return True
    if run.isalpha() and run.islower() and not is_jumbled(run):
        return False
    digits = sum(map(str.isdigit, run))
    if digits and len(run) >= _LONG and any(sign in run for sign in _IN_LONG):
        return True
    for piece in run.split("="):
        if len(piece) >= 16 and (any(map(is_shuffled, _tails(piece))) or _is_called(lower, start, piece)):
            return True
    return _has_format(text, start, end)


def _tails(piece: str) -> list[str]:
    """Return a piece whole, and without its first one, two and three words."""
    parts = piece.replace(".", "_").replace("-", "_").split("_")
    return ["_".join(parts[at:]) for at in range(min(4, len(parts)))]


def _is_called(lower: str, start: int, piece: str) -> bool:
    """Whether a random piece begins as keys do, or stands behind the name of a provider."""
    segments = _segments(piece)
    if sum(map(str.isdigit, piece)) < 2 and not any(is_jumbled(each) for each in segments if len(each) >= 8):
        return False
    if len(segments[-1]) >= 8 and not HINTS.isdisjoint(map(str.lower, segments)):
        return True
    near = "".join(
        [char if char.isascii() and char.isalnum() else " " for char in lower[max(0, start - 40) : start]]
    )
    return any(word.lstrip("0123456789") in PROVIDERS for word in near.split())


def _has_format(text: str, start: int, end: int) -> bool:
    run = text[start:end]
    for first, rows in BEGINNINGS.items():
        for _, beginning, _, least in rows if first in run else ():
            at = run.find(beginning)
            if at >= 0:
                tail = len(run) - at - len(beginning)
                if tail >= least or (tail >= 6 and len(beginning) >= 4 and text[end : end + 1] in _BREAKS):
                    return True
    return False
