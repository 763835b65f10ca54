"""Tokens that no published format names: random runs, private keys, credentials in URLs and on command lines.

A run is what could be one token: letters, digits and the few signs that tokens contain. Ordinary text has few
long ones, so everything here looks at those only.
"""

from __future__ import annotations

from bisect import bisect_right

from memolith.text.patterns import lazy
from memolith.text.secrets.commands import LIKELY, SURE, candidates
from memolith.text.secrets.explicit import is_chosen
from memolith.text.secrets.values import (
    bare,
    is_digest,
    is_mixed,
    is_password,
    is_random,
    is_stand_in,
    is_strange,
)
from memolith.text.secrets.words import ACCOUNTS, HINTS, OPTIONS, PROVIDERS, PUBLIC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[str, int, int]

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
_LOGIN_FLAG = lazy(
    r"(?<![\w-])(?:-u|--user|-U|--[\w-]{0,12}auth)"
    r"[ =]{0,3}(['\"]?)([^\s:'\"]{0,64}+)['\"]?:['\"]?([^\s'\"]{0,200}+)"
)
# host:port:database:user:password
_PGPASS = lazy(
    r"(?m)(?:^[ \t>`-]{0,4}|['\"])(?!urn:)[\w.*-]{1,80}:(?:\d{4,5}|\*):[\w.*-]{1,64}:"
    r"[A-Za-z*][\w.*-]{0,63}:([^\s:`'\"]{4,100})"
)
_STROKE = lazy(r"(?:^|[\s(:*`→>=–—-])([\w.@+-]{2,40})[`*]? / ['\"`]?(\S{6,64})")
_PATH = lazy(r"[/.:]")
_PEM = lazy(r"-----BEGIN ((?:[A-Z0-9]{1,12} ){0,3})PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = lazy(r"(?:[A-Za-z0-9+/=\s\\:,.>|\"'#⏎]|-(?!----)){1,20000}+")
# A key that was cut off may still have the head that tells how it is encrypted.
_PEM_LINES = lazy(
    r"(?:\s{1,2}[A-Za-z-]{3,24}: [^\n]{1,120}){0,4}+"
    r"(?:(?:\s|\\n|\\r|[>#|\"'+⏎])*+[A-Za-z0-9+/=]{16,100}+){1,400}+"
)
_PEM_END = lazy(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
# One of which some lines were masked already, each by itself.
_PEM_REST = lazy(r"(?:[\s⏎]*+(?:\[secret:[a-z0-9-]{1,40}\]|[A-Za-z0-9+/=]{16,100}+)){2,400}+")
_PEM_LINE = lazy(r"[A-Za-z0-9+/=]{16,100}+")
_LONG = lazy(r"[A-Za-z0-9+/]{20}")
_SHORT = lazy(r"(?:\s|\\n|\\r)*+([A-Za-z0-9+/]{4,19}+={0,2})(?:\s|\\n|\\r)*+")
_CUT_SHORT = lazy(r"(?:\s|\\n|\\r)*+([A-Za-z0-9+/]{8,19}+={0,2})(?![^\s'\"\\])")
_PUTTY = lazy(r"Private-Lines: {0,2}\d{1,3}((?:\r?\n[A-Za-z0-9+/=]{16,100}){1,200})")
_OPEN_BLOCK = lazy(r"-----BEGIN [A-Z0-9 ]{3,60}-----(?:[A-Za-z0-9+/=\s\\:,.>|\"'#]|-(?!----)){0,20000}+")
_WHOLE_LINE = (64, 76)
# A token taken apart so that it survives, or so that it is not found.
APART_WORDS = frozenset(
    b"""spaces spaced segment segments segmented group groups grouped join joins joined joining pieces
    chunks dots hyphens concat concatenate concatenated""".split()
)
_APART = lazy(
    r"\b(?:[A-Za-z0-9]{2,8}_ ?){0,3}[A-Za-z0-9]{4}([ .·-]{1,3})[A-Za-z0-9]{4}(?:\1[A-Za-z0-9]{4}){3,40}"
    r"(?:\1[A-Za-z0-9]{1,3})?(?![A-Za-z0-9])"
)


def private_keys(text: str) -> Iterator[Span]:
    """Find private keys in their armour; one whose end was cut off goes as far as its lines do."""
    if "PRIVATE KEY" in text:
        for match in _PEM.finditer(text):
            body = _PEM_BODY.match(text, match.end())
            end = _PEM_END.match(text, body.end()) if body else None
            if body and end and _is_key(text, match.end(), body.end()):
                yield "private-key", match.start(), end.end()
            elif lines := _PEM_LINES.match(text, match.end()):
                yield "private-key", match.start(), lines.end()
            elif (short := _CUT_SHORT.match(text, match.end())) and _has_code(short[1]):
                yield "private-key", match.start(), short.end()
            elif rest := _PEM_REST.match(text, match.end()):
                for line in _PEM_LINE.finditer(text, *rest.span()):
                    yield "private-key", *line.span()
    if "Private-Lines" in text:
        for match in _PUTTY.finditer(text):
            yield "private-key", match.start(1), match.end(1)


def _is_key(text: str, start: int, end: int) -> bool:
    """Tell what stands between the lines of an armour from the placeholder in a manual."""
    short = _SHORT.fullmatch(text, start, end)
    return _has_code(short[1]) if short else _LONG.search(text, start, end) is not None


def _has_code(value: str) -> bool:
    """Tell a piece of Base64 from a word."""
    return not is_stand_in(value) and (
        any(map(str.isdigit, value)) or value.endswith("=") or any(map(str.isupper, value[1:]))
    )


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
    for match in _APART.finditer(text):
        joined = "".join(char for char in match[0].rpartition("_")[2] if char.isalnum())
        if is_mixed(joined) and any(map(str.isdigit, joined)):
            yield "split-token", match.start(), match.end()


def command_secrets(text: str, known: frozenset[bytes]) -> Iterator[Span]:
    """Find what a program is given as its password."""
    for start, end, sure in candidates(text, known):
        word = text[start:end]
        if sure == SURE and end - start >= 3 and word[0] != "-":
            if not is_stand_in(word) and word not in OPTIONS and "://" not in word:
                yield "password", start, end
        elif is_strange(word) or (sure == LIKELY and _is_likely(word)):
            yield "password", start, end


def _is_likely(word: str) -> bool:
    return (is_password(word) or is_chosen(word)) and any(map(str.isdigit, word)) and not _PATH.search(word)


def command_logins(text: str) -> Iterator[Span]:
    """Find `curl -u name:password`, `name / password`, and lines of a `.pgpass`."""
    if text.count(":") > 3:
        for match in _PGPASS.finditer(text):
            if not is_stand_in(match[1]) and not match[1].isdigit():
                yield "password", match.start(1), match.end(1)
    for match in _STROKE.finditer(text) if " / " in text else ():
        word = bare(match[2].rstrip("\"'`,;"))
        signs = not set(word).isdisjoint("!#$%^&*?") and not word.islower()
        if (signs and is_password(word)) or (match[1].lower() in ACCOUNTS and _is_likely(word)):
            yield "password", match.start(2), match.start(2) + len(word)
    if " -u" not in text and " -U" not in text and "--user" not in text and "-auth" not in text:
        return
    for match in _LOGIN_FLAG.finditer(text):
        name, word = match[2].strip("{}"), match[3].strip("{}")
        if is_password(word) or _is_likely(word):
            yield "password", match.start(3), match.end(3)
        elif not word and is_password(name, 8):
            yield "password", match.start(2), match.end(2)


# A token has more different characters than this; most runs in ordinary text have not.
_FEW = 8


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
    return (
        end - start in _WHOLE_LINE
        and text[start - 1 : start] in {"", "\n"}
        and text[end : end + 1] in {"", "\n"}
    )


def _kind_of(text: str, start: int, end: int) -> str:
    value = text[start:end]
    if not _TOKEN.fullmatch(value) or text[start - 1 : start] in {"/", "@", "#", "%"}:
        return ""
    # Made to be slow to turn back: no secret in clear.
    if text[start - 1 : start] == "$" and "$argon2" in text[max(0, start - 120) : start]:
        return ""
    tail = token_tail(value)
    mixed = len(tail) >= 20 and is_mixed(tail) and not is_stand_in(value)
    if not mixed and not is_random(value, 16):
        return ""
    before = _NEAR.findall(text[max(0, start - 40) : start].rpartition("\n")[2].lower())
    called = before[-2:-1] if before[-1:] and before[-1] in _VERBS else before[-1:]
    if called and called[0] in PUBLIC:
        return ""
    if (mixed and not is_digest(value)) or has_token_prefix(value):
        return "token"
    # A hash may be near any name; a key is right behind it.
    near = before[-2:] if is_digest(value) else before[-4:]
    return "token" if not PROVIDERS.isdisjoint(near) else ""


def token_tail(value: str) -> str:
    """Return a value without the beginning that names its owner: `acme_live_…`."""
    match = _PREFIX.match(value)
    return match[2] if match else value


def has_token_prefix(value: str, least: int = 16) -> bool:
    """Tell a value whose beginning says that it is a key: `abc_live_…`, `xyz_tok_…`."""
    match = _PREFIX.match(value)
    if not match or len(match[2]) < least:
        return False
    parts = match[1].lower().replace("-", "_").replace(".", "_").split("_")
    return not HINTS.isdisjoint(parts) and (is_random(match[2], least) or is_mixed(match[2]))
