"""Tokens that show what they are: published formats, random runs, credentials in a URL.

Most formats are a fixed beginning and a tail of one alphabet: a row of `tokens.txt` says both. What follows a
beginning is matched where the beginning is found, so a text without it costs a substring search and no more.
A run is what could be one token: letters, digits and the few signs that tokens contain. Ordinary text has few
long ones, so everything else looks at those only.
"""

from __future__ import annotations

from bisect import bisect_right

from memolith.base.lean import lru_cache
from memolith.text.patterns import lazy, lines
from memolith.text.secrets.values import TABLE, is_digest, is_mixed, is_random, is_stand_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[str, int, int]

_ALPHABETS = {
    "hex": "[0-9a-fA-F]",
    "alnum": "[A-Za-z0-9]",
    "word": r"[\w-]",
    "dotted": r"[\w.-]",  # tokens of several parts
    "base64": r"[\w.+/=-]",  # Base64 of either kind
    "upper": "[A-Z0-9]",
}
# Kind, beginning, alphabet of the tail, how long the tail is at least; by the first character of the
# beginning, of which few occur in the long runs of an ordinary text.
BEGINNINGS: dict[str, list[tuple[str, str, str, int]]] = {}
for _line in lines("secrets/tokens.txt"):
    _kind, _alphabet, _least, _row = _line.split(" ", 3)
    for _beginning in _row.split():
        BEGINNINGS.setdefault(_beginning[0], []).append((_kind, _beginning, _alphabet, int(_least)))
# kind, where it is looked for, what must occur, pattern.
_SHAPES = [tuple(line.split(" ", 3)) for line in lines("secrets/token_shapes.txt")]
# What stands between the parts of a token that did not fit into one line.
_BREAK = lazy(r"\\?\r?\n[ \t>#*|]{0,8}+|['\"]\s{0,4}[+.\\]?\s{0,8}['\"]")
_REPEATED = lazy(r"([A-Za-z0-9])\1{7}|xxxx|XXXX")
_compile = lru_cache(maxsize=1_000)(lazy)


def named_tokens(text: str, runs: list[tuple[int, int]]) -> Iterator[Span]:
    """Find tokens by their published formats; `runs` are the places where one could be."""
    joined = "\n".join([text[start:end] for start, end in runs])
    for first in BEGINNINGS.keys() & set(joined):
        for kind, beginning, alphabet, least in BEGINNINGS[first]:
            if beginning in joined:
                yield from _prefixed(text, kind, beginning, _ALPHABETS[alphabet], least)
    for kind, where, needle, pattern in _SHAPES:
        if needle in (joined if where == "run" else text):
            for place in runs if where == "run" else [(0, len(text))]:
                for match in _compile(pattern).finditer(text, *place):
                    if not _is_sample(match[0]):
                        yield kind, *match.span(match.re.groups)


def slugged_tokens(name: str) -> Iterator[Span]:
    """Find tokens in a name that was made of a text: in lower case, with `-` for every other sign."""
    slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in name.lower())
    if len(slug) != len(name):
        return
    for kind, beginning, alphabet, least in (row for rows in BEGINNINGS.values() for row in rows):
        start = "".join(char if char.isalnum() else "-" for char in beginning.lower())
        if start not in slug or not (start.endswith("-") or alphabet == "upper"):
            continue  # a few letters without a sign may begin any hash
        for match in _compile(rf"(?<![a-z0-9]){start}(?:\d{{6,}}-){{0,3}}([a-z0-9]{{12,}})").finditer(slug):
            # Without its capitals, a tail may look like words: then its length has to say it.
            exact = alphabet == "upper" and len(match[1]) == least
            long = exact or (len(start) > 4 and len(match[1]) >= least)
            if is_random(match[1], 12) or (long and not _is_sample(match[1]) and not match[1].isdigit()):
                yield kind, *match.span()


def _prefixed(text: str, kind: str, beginning: str, letters: str, least: int) -> Iterator[Span]:
    whole = _compile(f"{letters}{{{least},2000}}+")
    size = len(beginning)
    at = text.find(beginning)
    while at >= 0:
        after = at + size
        # Inside a longer word it begins nothing.
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
    """Return where a token that is split over lines or concatenated strings ends; 0 if it is no token."""
    value = ""
    for _ in range(8):
        part = _compile(f"{letters}{{1,400}}+").match(text, at)
        if not part:
            return 0
        is_word = part[0] == part[0].lower() and not any(map(str.isdigit, part[0]))
        if not value and (is_word or start + 12 > part.end()):
            return 0  # a word, and the next line or string
        value += part[0]
        if len(value) >= least:
            return part.end() if is_mixed(value) and not _is_sample(value) else 0
        gap = _BREAK.match(text, part.end())
        if not gap or len(part[0]) < 6:
            return 0
        at = gap.end()
    return 0


def _is_sample(value: str) -> bool:
    """Tell the samples of documentation: `AKIA…EXAMPLE`, `ghp_xxxx…`, `glc_1111…`."""
    return value.endswith(("EXAMPLE", "example")) or _REPEATED.search(value) is not None


def _has_digit_or_cases(value: str) -> bool:
    """Tell a random tail from words that happen to follow a beginning: `sk-learn-pipeline`, `API-…`."""
    return any(map(str.isdigit, value)) or not (value.islower() or "_" in value or "-" in value)


RUN = lazy(r"\b[A-Za-z0-9_][A-Za-z0-9_.~+/=-]{11,}+")
_PIECE = lazy(r"[^=]{16,}+={0,2}(?![^=])")
_TOKEN = lazy(r"[\w-]+(?:\.[\w-]+){0,4}={0,2}")
# `abc_live_` before a tail; what such a beginning says of itself.
_PREFIX = lazy(r"((?:[A-Za-z][A-Za-z0-9]{0,11}[_.-]){1,3}?)([A-Za-z0-9]{8,}+(?:[_-][A-Za-z0-9]{8,}+)?)$")
_VERBS = frozenset(["is", "was", "are", "of"])
_NEAR = lazy(r"[a-z][a-z0-9]*")
_URL_LOGIN = lazy(
    r"(?:://([^\s/:@'\"<>`\\]{0,64}+):|jdbc:oracle:[a-z0-9]{2,5}:([\w$#]{1,64}+)/)"
    r"([^\s/'\"<>`\\]{1,128})@(?=[\w\[$%{./-])"
)
_URL_TOKEN = lazy(r"://([\w.~%-]{16,255}+)@")
_HOOK = lazy(r"[hH]ook[^\s'\"<>`)\]]{0,300}+")
_HOOK_PART = lazy(r"/[\w@-]{16,}+")
_SIGNED = lazy(
    r"(?i)[?&;](?:sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token|hmac|sas)=([\w%+/=.~-]{16,2000}+)"
)
_OPEN_BLOCK = lazy(r"-----BEGIN [A-Z0-9 ]{3,60}-----(?:[A-Za-z0-9+/=\s\\:,.>|\"'#]|-(?!----)){0,20000}+")
_WHOLE_LINE = (64, 76)
# A token taken apart so that it survives, or so that it is not found.
APART_WORDS = frozenset(word.encode() for word in TABLE["apart"])
_SPELLED = lazy(r"(?<!\S)(?:[!-~][ -]){5,62}[!-~](?!\S)")  # one by one
_APART = lazy(
    r"\b(?:[A-Za-z0-9]{2,8}_ ?){0,3}[A-Za-z0-9]{4}([ .·-]{1,3})[A-Za-z0-9]{4}(?:\1[A-Za-z0-9]{4}){3,40}"
    r"(?:\1[A-Za-z0-9]{1,3})?(?![A-Za-z0-9])"
)


HINTS, PROVIDERS, _PUBLIC = (frozenset(TABLE[name]) for name in ("hints", "providers", "public"))


def url_secrets(text: str) -> Iterator[Span]:
    """Find what lets one in through a URL: a password, a token, a signature, a secret path of a webhook."""
    for match in _URL_LOGIN.finditer(text):
        name, word = match[1] or match[2] or "", match[3]
        if len(word) >= 3 and name.lower() != word.lower() and not is_stand_in(word):
            yield "url-password", match.start(3), match.end(3)
    for match in _URL_TOKEN.finditer(text):
        if is_random(match[1]):
            yield "url-token", match.start(1), match.end(1)
    if "hook" in text or "Hook" in text:
        for match in _HOOK.finditer(text):
            parts = [part for part in _HOOK_PART.finditer(text, *match.span()) if is_random(part[0][1:])]
            if parts:
                yield "webhook", parts[0].start() + 1, parts[-1].end()
    # Who has the signature has the file.
    for match in _SIGNED.finditer(text):
        if is_random(match[1]):
            yield "signature", match.start(1), match.end(1)


def taken_apart(text: str) -> Iterator[Span]:
    """Find tokens written in groups, for a text that says that something is."""
    for match in _SPELLED.finditer(text):
        if any(map(str.isdigit, match[0])) and sum(map(str.isalpha, match[0])) > 2:
            yield "split-token", match.start(), match.end()
    for match in _APART.finditer(text):
        joined = "".join(char for char in match[0].rpartition("_")[2] if char.isalnum())
        if is_mixed(joined) and any(map(str.isdigit, joined)):
            yield "split-token", match.start(), match.end()


# A token has more different characters than this; most runs in ordinary text have not.
_FEW = 8


# An id that opencode gives to a session.
_SESSION = lazy(r"(?:^|-)ses_[0-9A-Za-z]{26}(?:\.|$)")


def random_runs(text: str, spans: list[tuple[int, int]]) -> Iterator[Span]:
    """Find runs that can only be tokens: mixed, or random behind a token's beginning or a provider's name."""
    blocks = [match.span() for match in _OPEN_BLOCK.finditer(text)] if "-----BEGIN " in text else []
    starts = [low for low, _ in blocks]
    for start, end in spans:
        if len(set(text[start:end])) < _FEW:
            continue  # a ruler, a word, a date: most runs end here
        block = bisect_right(starts, start) - 1
        if (block >= 0 and start < blocks[block][1]) or _is_blob(text, start, end):
            continue
        for piece in _PIECE.finditer(text, start, end):
            low, high = piece.span()
            high -= len(piece[0]) - len(piece[0].rstrip(".-_~+/"))
            if high - low < 256 and (found := _kind_of(text, low, high)):
                yield found, low, high


def _is_blob(text: str, start: int, end: int) -> bool:
    """Tell a line of a long Base64 text, a data URL, or a path from a token."""
    if end - start > 1000 or text[start - 1 : start] in {"/", "\\"} or text[start - 7 : start] == "base64,":
        return True
    start -= text[start - 1 : start] == "+"  # with which no run begins, but one line in 64
    return (
        end - start in _WHOLE_LINE
        and text[max(0, start - 1) : start] in {"", "\n"}
        and text[end : end + 1] in {"", "\n"}
    )


def _kind_of(text: str, start: int, end: int) -> str:
    value = text[start:end]
    if (
        not _TOKEN.fullmatch(value)
        or text[start - 1 : start] in {"/", "@", "#", "%"}
        or _SESSION.search(value)
    ):
        return ""
    # Made to be slow to turn back: no secret in clear.
    if text[start - 1 : start] == "$" and "$argon2" in text[max(0, start - 120) : start]:
        return ""
    match = _PREFIX.match(value)
    tail = match[2] if match else value  # without what names its owner: `acme_live_…`
    mixed = len(tail) >= 20 and is_mixed(tail) and not is_stand_in(value)
    if not mixed and not is_random(value, 16):
        return ""
    before = _NEAR.findall(text[max(0, start - 40) : start].rpartition("\n")[2].lower())
    called = before[-2:-1] if before[-1:] and before[-1] in _VERBS else before[-1:]
    if called and called[0] in _PUBLIC:
        return ""
    if (mixed and not is_digest(value)) or has_token_prefix(value):
        return "token"
    # A hash may be near any name; a key is right behind it.
    near = before[-2:] if is_digest(value) else before[-4:]
    return "token" if not PROVIDERS.isdisjoint(near) else ""


def has_token_prefix(value: str, least: int = 16) -> bool:
    """Tell a value whose beginning says that it is a key: `abc_live_…`, `xyz_tok_…`."""
    match = _PREFIX.match(value)
    if not match or len(match[2]) < least:
        return False
    parts = match[1].lower().replace("-", "_").replace(".", "_").split("_")
    return not HINTS.isdisjoint(parts) and (is_random(match[2], least) or is_mixed(match[2]))
