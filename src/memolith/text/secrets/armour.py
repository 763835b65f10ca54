"""Private keys, whole or in part.

A key is seldom shown bare: an editor numbers its lines, `grep -A` and `git blame` write before each, a diff
marks them, JSON escapes their ends. So what stands before a line says nothing: between the two ends of an
armour every long piece of Base64 is the key's. Of one that shows only an end, or the bytes that every key
begins with, it goes as far as there is such a piece in each line.
"""

from __future__ import annotations

from itertools import islice

from memolith.text.patterns import lazy
from memolith.text.secrets.values import is_stand_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[str, int, int]
_KIND, _MASKED = "private-key", "[secret:"
_HEAD = 5  # lines before the first of a key: how it is encrypted
_WHOLE = 60  # characters of a line that is full
_MOST = 60_000  # characters of one key, with what stands before its lines
# With five dashes, or as SSH2 has it with four.
_BEGIN = lazy(r"----(?:-| )BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?(?:-| )----")
_END = lazy(r"----(?:-| )END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?(?:-| )----")
_BARE = lazy(r"(?:[A-Za-z0-9+/=\s\\:,.>|\"'#⏎]|-(?!---)){1,20000}+")
# A key that was cut off may still have the header that says how it is encrypted.
_CUT_OFF = lazy(
    r"(?:\s{1,2}[A-Za-z-]{3,24}: [^\n]{1,120}){0,4}+"
    r"(?:(?:\s|\\n|\\r|[>#|\"'+⏎])*+[A-Za-z0-9+/=]{16,100}+){1,400}+"
)
_LINE_END = lazy(r"\r\n|[\n\r⏎]|\\+r\\+n|\\+[nr](?:[\"'][ +,]{0,4}\r?\n)?")
_PIECE = lazy(r"[A-Za-z0-9+/=]{16,}+")
_LAST = lazy(r"(?:^|[^A-Za-z0-9+/=])([A-Za-z0-9+/]{4,15}={0,2})[\s\"',\\+\]})]*$")  # of a line
_LONG = lazy(r"[A-Za-z0-9+/]{20}")
_SHORT = lazy(r"(?:\s|\\n|\\r)*+([A-Za-z0-9+/]{4,19}+={0,2})(?:\s|\\n|\\r)*+")
_CUT_SHORT = lazy(r"(?:\s|\\n|\\r)*+([A-Za-z0-9+/]{8,19}+={0,2})(?![^\s'\"\\])")
_PUTTY = lazy(r"Private-Lines: {0,2}(\d{1,3})(?!\d)")
# What is left of a key without its ends: full lines of OpenSSL or OpenSSH, one below the other. Of a picture
# or an archive they are longer, or more, or the first bytes tell.
_FULL = lazy(r"(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70})(?![A-Za-z0-9+/=])")
_FEWEST, _MOST_FULL, _MARGIN = 3, 60, 40
_OTHERS = ("iVBOR", "/9j/", "R0lGOD", "UklGR", "JVBERi", "H4sI", "UEsDB", "PD94", "PHN2", "MIIC", "MIID")
_OTHER_BEGIN = lazy(r"-----BEGIN (?![A-Z0-9 ]{0,40}PRIVATE KEY)[A-Z0-9 ]{3,60}-----")
_OTHER_END = lazy(r"[\s\S]{0,160}?-----END (?![A-Z0-9 ]{0,40}PRIVATE KEY)")
_HEX = lazy(
    r"\b(?:priv(?:ateExponent)?|prime[12]|exponent[12]|coefficient):((?:\s{1,12}(?:[0-9a-f]{2}:){3,20}+(?:[0-9a-f]{2})?){1,80}+)"
)  # OpenSSL's
# How the bytes of a key begin: RSA, PKCS #8, an elliptic curve, OpenSSH.
FIRST_BYTES = lazy(
    r"(?<![A-Za-z0-9/])(?:MII[A-Za-z0-9+/]{3}IBA[AD]|M[A-Za-z0-9+/]{3}AgEAM|MHcCAQEE"
    r"|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjE)"
)


def private_keys(text: str, runs: list[tuple[int, int]]) -> Iterator[Span]:
    """Find private keys; one whose end was cut off goes as far as its lines do. `runs`: its long words."""
    if "PRIVATE KEY" in text:
        begins = list(_BEGIN.finditer(text))
        limits = [*(begin.start() for begin in begins[1:]), len(text)]
        for begin, limit in zip(begins, limits, strict=False):
            yield from _armoured(text, begin.start(), begin.end(), limit)
        low = 0
        for end in _END.finditer(text):
            yield from _backwards(text, max(low, end.start() - _MOST), end.start())
            low = end.end()
    if "Private-Lines" in text:
        at = 0
        while putty := _PUTTY.search(text, at):
            lines = islice(_lines(text, putty.end(), min(len(text), putty.end() + _MOST)), 1 + int(putty[1]))
            at = max(high for _, high in lines)
            yield from _between(text, putty.end(), at)
    if "priv" in text or "prime1" in text:
        yield from ((_KIND, *match.span(1)) for match in _HEX.finditer(text))
    if sum(end - start >= _WHOLE for start, end in runs) >= _FEWEST:
        yield from _amid(text)
    at = 0
    while first := FIRST_BYTES.search(text, at):
        found, at = _forwards(text, first.start(), len(text), head=0)
        yield from found


def _armoured(text: str, start: int, at: int, limit: int) -> Iterator[Span]:
    limit = min(limit, at + _MOST)
    body = _BARE.match(text, at)
    end = _END.match(text, body.end()) if body else None
    if body and end and _is_key(text, at, body.end()):
        yield _KIND, start, end.end()
        return
    if lines := _CUT_OFF.match(text, at):
        yield _KIND, start, lines.end()
    elif (short := _CUT_SHORT.match(text, at)) and _has_code(short[1]):
        yield _KIND, start, short.end()
    if end := _END.search(text, at, limit):
        if _pieces(text, at, end.start()):
            yield from _between(text, at, end.start())
    elif not lines:
        yield from _forwards(text, at, limit, head=_HEAD)[0]


def _between(text: str, start: int, end: int) -> Iterator[Span]:
    """Find the pieces of a key, whatever stands before them in their lines; the last may be a short one."""
    last = None
    for low, high in _lines(text, start, end):
        found = [piece.span() for piece in _PIECE.finditer(text, low, high)]
        yield from ((_KIND, *piece) for piece in found)
        if not found and (short := _LAST.search(text[low:high])):
            last = (low + short.start(1), low + short.end(1))
        elif found:
            last = None
    if last:
        yield _KIND, *last


def _forwards(text: str, start: int, limit: int, *, head: int) -> tuple[list[Span], int]:
    """Return the pieces of a key up to the first line without one, and where the search ended."""
    spans: list[Span] = []
    high = start
    for number, (low, high) in enumerate(_lines(text, start, min(limit, start + _MOST))):
        begun = bool(spans) or not head
        found = _pieces(text, low, high, is_sure=begun)
        if not found and _MASKED not in text[low:high] and (begun or number > head):
            short = _LAST.search(text[low:high]) if begun else None
            if short and _has_code(short[1]):
                spans.append((_KIND, low + short.start(1), low + short.end(1)))
            break
        spans += found
    return spans, high


def _amid(text: str) -> Iterator[Span]:
    """Find the full lines of a key whose ends are not shown."""
    rows: list[tuple[int, int]] = []
    done = 0
    for match in [*_FULL.finditer(text), None]:
        if match and rows and _is_next(text, rows[-1], match.span()):
            rows.append(match.span())
            continue
        if _FEWEST <= len(rows) <= _MOST_FULL and rows[0][0] >= done and not _is_other(text, rows):
            found, done = _forwards(text, rows[0][0], len(text), head=0)
            yield from found
        rows = [match.span()] if match else []


def _is_next(text: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    between = text[one[1] : other[0]]
    return (
        one[1] - one[0] == other[1] - other[0]
        and len(between) <= _MARGIN
        and sum(1 for _ in _LINE_END.finditer(between)) == 1
    )


def _is_other(text: str, rows: list[tuple[int, int]]) -> bool:
    """Whether full lines are of a certificate, a picture, an archive; or no Base64 at all."""
    start, end = rows[0][0], rows[-1][1]
    begin = text.rfind("-----BEGIN ", max(0, start - _MOST), start)
    return (
        text.startswith(_OTHERS, start)
        or not all(_has_all(text[low:high], is_sure=False) for low, high in rows)
        or _OTHER_END.match(text, end) is not None
        or (begin >= 0 and "-----END " not in text[begin:start] and bool(_OTHER_BEGIN.match(text, begin)))
    )


def _backwards(text: str, limit: int, end: int) -> Iterator[Span]:
    """Find the pieces of a key that shows its end only."""
    for number, (low, high) in enumerate(reversed(list(_lines(text, limit, end)))):
        found = _pieces(text, low, high)
        short = None if found or number > 1 else _LAST.search(text[low:high])
        if short and _has_code(short[1]):
            yield _KIND, low + short.start(1), low + short.end(1)
        elif not found and _MASKED not in text[low:high] and number > 1:
            return
        yield from found


def _pieces(text: str, start: int, end: int, *, is_sure: bool = False) -> list[Span]:
    """Return what may be of a key in a line: neither a word nor a path."""
    found = [piece.span() for piece in _PIECE.finditer(text, start, end)]
    return [
        (_KIND, low, high)
        for low, high in found
        if high - low >= _WHOLE or _has_all(text[low:high], is_sure=is_sure)
    ]


def _has_all(value: str, *, is_sure: bool) -> bool:
    kinds = (str.isupper, str.islower) if is_sure else (str.isdigit, str.isupper, str.islower)
    return all(any(map(kind, value)) for kind in kinds)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _LINE_END.finditer(text, start, end):
        yield start, found.start()
        start = found.end()
    yield start, end


def _is_key(text: str, start: int, end: int) -> bool:
    """Whether what stands between the ends of an armour is a key, not the placeholder in a manual."""
    short = _SHORT.fullmatch(text, start, end)
    return _has_code(short[1]) if short else _LONG.search(text, start, end) is not None


def _has_code(value: str) -> bool:
    """Whether a piece is Base64, not a word."""
    return not is_stand_in(value) and (
        any(map(str.isdigit, value)) or value.endswith("=") or any(map(str.isupper, value[1:]))
    )
