"""Tokens that name themselves: rules written from the providers' published formats.

Most formats are a fixed beginning and a tail of one alphabet: a row says both. What follows a beginning is
matched where the beginning is found, so a text without it costs a substring search and no more.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.values import is_mixed
from memolith.text.secrets.words import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_ALPHABETS = {
    "hex": "[0-9a-fA-F]",
    "alnum": "[A-Za-z0-9]",
    "word": r"[\w-]",
    "dotted": r"[\w.-]",  # tokens of several parts
    "base64": r"[\w.+/=-]",  # Base64 of either kind
    "upper": "[A-Z0-9]",
}
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ALNUM = _CAPITALS + _CAPITALS.lower() + "0123456789"
# The same as sets of characters, for who may not use `re`.
MEMBERS = {
    "hex": frozenset("0123456789abcdefABCDEF"),
    "alnum": frozenset(_ALNUM),
    "word": frozenset(_ALNUM + "_-"),
    "dotted": frozenset(_ALNUM + "_.-"),
    "base64": frozenset(_ALNUM + "_.+/=-"),
    "upper": frozenset(_CAPITALS + "0123456789"),
}
# kind, beginnings, alphabet of the tail, how long the tail is at least.
_PREFIXED: tuple[tuple[str, str, str, int], ...] = tuple(
    (kind, beginnings, alphabet, int(least))
    for kind, alphabet, least, beginnings in (line.split(" ", 3) for line in lines("tokens.txt"))
)
# kind, what must occur, pattern. Group 1, where there is one, is the secret. Each repetition is bounded, or
# over a class that what follows is not in; `+` after one never gives back. These are looked for in runs only:
_IN_RUNS: tuple[tuple[str, str, str], ...] = (
    ("airtable-token", "pat", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b"),
    ("discord-token", ".", r"(?<![\w.-])[MNO][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,40}(?![\w.-])"),
    ("cloudflare-key", "v1.0-", r"(?<![\w.-])v1\.0-[0-9a-f]{24}-[0-9a-f]{100,160}"),
    ("zoho-token", "1000.", r"(?<![\w.])1000\.[0-9a-f]{32}\.[0-9a-f]{32}\b"),
    ("mailchimp-key", "-us", r"(?<![\w-])[0-9a-f]{32}-us\d{1,2}\b"),
    (
        "1password-key",
        "A3-",
        r"\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b",
    ),
    (
        "aws-secret",
        "+",
        r"(?<![\w+/=])(?=[\w+/]{0,39}[+/])(?=[A-Za-z0-9+/]{0,39}[0-9])(?=[a-z0-9+/]{0,39}[A-Z])"
        r"[A-Za-z0-9+/]{40}(?![\w+/=])",
    ),
)
# These anywhere. Each begins with something that `re` can search for fast.
_SHAPED: tuple[tuple[str, str, str], ...] = (
    ("aws-key-id", "A3T", r"\bA3T[A-Z0-9][A-Z0-9]{16}\b"),
    (
        "jwt",
        "eyJ",
        r"eyJ(?<![\w.-]eyJ)[\w-]{12,4000}+\.[\w-]{10,8000}+\.[\w-]{10,4000}+(?:\.[\w-]{10,4000}+){0,2}",
    ),
    ("azure-secret", "Q~", r"(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])"),
    ("telegram-token", ":AA", r"(?<![\w:])(?:bot)?(\d{8,10}:AA[\w-]{32,34})(?![\w-])"),
    ("facebook-token", "|", r"\|(?<=\d{15}\|)[\w-]{27}(?![\w-])"),
    (
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{20,200}+)",
    ),
    (
        "password-hash",
        "$",
        r"\$(?<![\w$]\$)(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|[156]\$(?:rounds=\d{1,9}\$)?"
        r"[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|"
        r"y\$[./A-Za-z0-9$]{40,200})",
    ),
    ("kerberos-ticket", "$krb5", r"\$krb5(?:tgs|asrep|pa)\$[^\s'\"]{32,4000}+"),
    (
        "bundler-credentials",
        "BUNDLE_",
        r"\bBUNDLE_\w{2,64}__\w{2,12}['\"]?\s{0,3}[:=]\s{0,3}['\"]?"
        r"([\w.~+@-]{3,100}:[\w.~+-]{3,100}|[\w-]{20,100})",
    ),
    ("wifi-key", "WIFI:", r"\bWIFI:[^\n]{0,80}?[:;]P:([^;\s]{4,63}+)"),
    ("split-token", "AKIA", r"\bAKIA(?:[ .·-]{1,3}[A-Z0-9]{2,8}){3,8}(?![A-Za-z0-9])"),
    ("split-token", "ghp", r"\bghp_?(?:[ .·-]{1,3}[A-Za-z0-9]{2,8}){6,18}(?![A-Za-z0-9])"),
)
# What stands between the parts of a token that did not fit into one line.
_BREAK = lazy(r"\\?\r?\n[ \t>#*|]{0,8}+|['\"]\s{0,4}[+.\\]?\s{0,8}['\"]")
_REPEATED = lazy(r"([A-Za-z0-9])\1{7}|xxxx|XXXX")
_compiled: dict[str, re.Pattern[str]] = {}
# By their first character: few of them occur in the long runs of an ordinary text.
_beginnings: dict[str, list[tuple[str, str, str, int]]] = {}


def named_tokens(text: str, runs: list[tuple[int, int]]) -> Iterator[tuple[str, int, int]]:
    """Find tokens by their published formats; `runs` are the places where one could be."""
    rows = beginnings()
    joined = "\n".join([text[start:end] for start, end in runs])
    for first in rows.keys() & set(joined):
        for kind, beginning, alphabet, least in rows[first]:
            if beginning in joined:
                yield from _prefixed(text, kind, beginning, _ALPHABETS[alphabet], least)
    for kind, needle, pattern in _IN_RUNS:
        if needle in joined:
            for start, end in runs:
                yield from _shaped(text, kind, pattern, start, end)
    for kind, needle, pattern in _SHAPED:
        if needle in text:
            yield from _shaped(text, kind, pattern, 0, len(text))


def beginnings() -> dict[str, list[tuple[str, str, str, int]]]:
    """Return the rows of the table by the first character of a beginning."""
    if not _beginnings:
        for kind, row, alphabet, least in _PREFIXED:
            for beginning in row.split():
                _beginnings.setdefault(beginning[0], []).append((kind, beginning, alphabet, least))
    return _beginnings


def _compile(pattern: str) -> re.Pattern[str]:
    compiled = _compiled.get(pattern)
    if compiled is None:
        compiled = _compiled[pattern] = lazy(pattern)
    return compiled


def _shaped(text: str, kind: str, pattern: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    for match in _compile(pattern).finditer(text, start, end):
        low, high = match.span(match.re.groups)
        if not _is_sample(match[0]):
            yield kind, low, high


def _prefixed(
    text: str, kind: str, beginning: str, letters: str, least: int
) -> Iterator[tuple[str, int, int]]:
    whole = _compile(f"{letters}{{{least},2000}}+")
    size = len(beginning)
    at = text.find(beginning)
    while at >= 0:
        after = at + size
        # A beginning inside a longer word is none.
        if at == 0 or not (text[at - 1].isalnum() and text[at - 1].isascii()):
            match = whole.match(text, after)
            if match:
                after = match.end()
                if not _is_sample(match[0]) and _has_digit_or_cases(match[0]):
                    yield kind, at, after
            elif size >= 4 and (end := _broken_end(text, at, after, letters, least)):
                yield kind, at, end
                after = end
        at = text.find(beginning, after)


def _broken_end(text: str, start: int, at: int, letters: str, least: int) -> int:
    """Return where a token ends that is broken over lines, or over strings that are added; 0 if none is."""
    value = ""
    for _ in range(8):
        part = _compile(f"{letters}{{1,400}}+").match(text, at)
        if not part:
            return 0
        if not value and (not _has_digit_or_capital(part[0]) or start + 12 > part.end()):
            return 0  # a word, and the next line or string
        value += part[0]
        if len(value) >= least:
            return part.end() if is_mixed(value) and not _is_sample(value) else 0
        gap = _BREAK.match(text, part.end())
        if not gap or len(part[0]) < 6:
            return 0
        at = gap.end()
    return 0


def _has_digit_or_capital(value: str) -> bool:
    return value != value.lower() or any(map(str.isdigit, value))


def _is_sample(value: str) -> bool:
    """Tell the samples of documentation: `AKIA…EXAMPLE`, `ghp_xxxx…`, `glc_1111…`."""
    return value.endswith(("EXAMPLE", "example")) or _REPEATED.search(value) is not None


def _has_digit_or_cases(value: str) -> bool:
    """Tell a random tail from words that happen to follow a beginning: `sk-learn-pipeline`, `API-…`."""
    return any(map(str.isdigit, value)) or not (value.islower() or "_" in value or "-" in value)
