"""Finding and masking credentials in text before it is stored.

A masked value leaves a visible marker that names the kind, `[secret:github-token]`; masking twice changes
nothing. `<private>…</private>` leaves `[private]`. A value whose SHA-256 the caller allows stays, and so does
what a person wrote in a line with `memolith:allow`: the caller says whether one did.
"""

from __future__ import annotations

from bisect import bisect_right

from memolith.base.values import Value
from memolith.text.digest import sha256
from memolith.text.patterns import lazy
from memolith.text.safe.hygiene import ALLOW
from memolith.text.secrets import asked, commands, doors, forms, logins
from memolith.text.secrets.armour import private_keys
from memolith.text.secrets.assigned import labelled
from memolith.text.secrets.encoded import encoded
from memolith.text.secrets.names import KNOWN as NAMES
from memolith.text.secrets.names import known_in, lowered
from memolith.text.secrets.tokens import APART_WORDS, RUN, named_tokens, random_runs, taken_apart, url_secrets
from memolith.text.secrets.values import bare, is_identifier, made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[str, int, int]


class Finding(Value):
    """One secret: its kind, and where it stood in the text that was given."""

    kind: str
    start: int
    end: int


class Redaction(Value):
    """Text with its secrets masked, and what was found."""

    text: str
    findings: list[Finding]


_LABEL = "[source:"
# Masking one value can bring another one closer to the word that names it, or end a token that was glued to
# it. Each round finds what the one before uncovered; ordinary text has nothing to find and costs one.
_ROUNDS = 64
_KNOWN = NAMES | commands.KNOWN | doors.KNOWN | APART_WORDS
# Kinds that only say how a value was found; a kind that names a provider is worth more.
_GUESSED = frozenset(["api-key", "basic-auth", "bearer-token", "password", "secret", "token", "webhook"])
_MOST_QUOTED = 600  # characters of a phrase in quotes
_NO_COPIES = frozenset(["private", "private-key"])
# Characters that are looked through for copies; letters of a value that need nothing around it to be one.
_LOOKED_THROUGH, _LONG = 20_000_000, 8
# In the text of a link a mask has round brackets.
_MARKED = r"\[(?:secret:[a-z0-9-]{1,40}|private)\]|\(secret:[a-z0-9-]{1,40}\)"
# Where something was said is no secret either: `[claude-0f8fad5b-…#3]`, `source: opencode-ses_e13c…#1`.
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_HOSTS = "aider|claude|cline|codex|copilot|droid|gemini|opencode|qwen"
_NAME = rf"(?:[a-z]{{2,12}}-(?:outside-)?{_UUID}[\w.-]{{0,60}}|(?:{_HOSTS})-[\w.-]{{1,120}}(?=#))"
_CITED = rf"{_NAME}(?:#\d{{1,6}})?"
_TURN = lazy(_CITED)
_MASK = lazy(
    rf"(?m){_MARKED}|\[{_CITED}(?:, {_CITED}){{0,9}}(?:, …)?\]|^(?:source: |[ \t]{{0,4}}- )\"?{_CITED}\"?$"
)
_BEGINS = ("[", "(secret:", "source: ", "- ")
_TAG = lazy(r"(?i)<(/?)private(?:\s{1,3}[\w-]{1,30}=[^<>]{0,200})?\s{0,3}>")
# A token that names itself has a digit, or else many capitals; most runs show the first at once.
_DIGIT = lazy(r"[0-9]")
_CAPITALS = lazy(r"[A-Z](?:[^A-Z]{0,9}[A-Z]){4}")
# What an editor, `cat -n` or `grep -n` writes before each line: a number and a sign, maybe the file's name.
_MARGIN = lazy(r"(?m)^([^\s:→|]{1,120}?[:-])?[ \t]{0,8}(\d{1,7})(?:→|\t| ?[:│|-])")
_ZEROS = "\u0660\u06f0\u0966\u09e6\u0a66\u0ae6\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u1040\u17e0\uff10"
_DIGITS = {ord(zero) + number: str(number) for zero in _ZEROS for number in range(10)}
_OTHER_DIGIT = lazy(f"[{''.join(map(chr, _DIGITS))}]")
_PIN = lazy(r"(?<![\w.])\d{4,8}(?![\w.])")
# Glued to a token, these are part of it: behind a marker they could begin a token of their own.
_GLUED = lazy(r"[\w-]+")


def redact(text: str, allow: frozenset[str] = frozenset(), *, by_hand: bool = False) -> Redaction:
    """Return `text` with every credential masked, and what was found.

    `allow` holds the SHA-256, in hex, of values that are no secrets although they look like some. In what was
    written `by_hand` lines may say so themselves.
    """
    found = list(_private(text))
    shown = masked(text, found)
    for _ in range(_ROUNDS):
        more = list(_moved_back(found, _scan(shown, allow, by_hand=by_hand)))
        more = more or _copies(text, found, allow, by_hand=by_hand)
        if not more:
            break
        found = sorted([*found, *more], key=lambda span: span[1])
        shown = masked(text, found)
    return Redaction(
        text=shown, findings=[Finding(kind=kind, start=start, end=end) for kind, start, end in found]
    )


def _copies(text: str, found: list[Span], allow: frozenset[str], *, by_hand: bool) -> list[Span]:
    """Find the same values elsewhere in the text, where nothing says what they are."""
    values = {text[start:end].lower(): kind for kind, start, end in found if kind not in _NO_COPIES}
    lower = text.lower()
    if not values or len(lower) != len(text):
        return []
    taken = bytearray(len(text))
    for _, start, end in found:
        taken[start:end] = b"x" * (end - start)
    keep = _Keep(text, allow, by_hand=by_hand)
    more: list[Span] = []
    for value in list(values)[: 1 + _LOOKED_THROUGH // len(text)]:
        loose = len(value) >= _LONG and not value.isalpha() and not value.isdigit()
        if len(value) < (_LONG if value.isalpha() else 4):
            continue
        at = lower.find(value)
        while at >= 0:
            end = at + len(value)
            apart = loose or not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum())
            if apart and not any(taken[at:end]) and not keep.allows(at, end) and not keep.is_masked(at, end):
                more.append((values[value], at, end))
                taken[at:end] = b"x" * len(value)
            at = lower.find(value, end)
    return more


def _private(text: str) -> Iterator[Span]:
    """Find what its author wants nobody to keep; without an end, up to the end of the paragraph."""
    depth = begin = last = 0
    for tag in _TAG.finditer(text) if "<" in text else ():
        closes = bool(tag[1])
        # In code quotes it is a word about the tag, not the tag.
        if (
            not closes
            and not depth
            and text[tag.start() - 1 : tag.start()] == text[tag.end() : tag.end() + 1] == "`"
        ):
            continue
        if not closes and not depth:
            begin = tag.start()
        if closes and not depth:
            continue
        last = tag.end()
        depth += -1 if closes else 1
        if not depth:
            yield "private", begin, last
    if depth:
        end = text.find("\n\n", last)
        yield "private", begin, end if end >= 0 else len(text)


def masked(text: str, found: list[Span], *, by_line: bool = False) -> str:
    """Return a text with a marker in each of these places. `by_line`: what follows keeps its line number."""
    pieces: list[str] = []
    at = 0
    for kind, start, end in found:
        pieces += [text[at:start], _marker(kind), "\n" * (text.count("\n", start, end) if by_line else 0)]
        at = end
    return "".join([*pieces, text[at:]])


def _marker(kind: str) -> str:
    return "[private]" if kind == "private" else f"[secret:{kind}]"


def _moved_back(found: list[Span], more: list[Span]) -> Iterator[Span]:
    """Turn places in the masked text into places in the text that was given."""
    ends, shifts = [0], [0]
    for kind, start, end in found:
        shift = shifts[-1] + (end - start) - len(_marker(kind))
        ends.append(end - shift)
        shifts.append(shift)
    for kind, start, end in more:
        shift = shifts[bisect_right(ends, start) - 1]
        yield kind, start + shift, end + shift


def _scan(text: str, allow: frozenset[str], *, by_hand: bool) -> list[Span]:
    """Find secrets: joined where they overlap, without those that are allowed or touch a marker."""
    bare = _Bare(text)
    # Digits of every script are digits; each stays in its place.
    given = bare.text
    if not given.isascii() and _OTHER_DIGIT.search(given):
        given = given.translate(_DIGITS)
    found = ((kind, start, _run_end(given, kind, end)) for kind, start, end in _matches(given))
    spans = [(kind, *bare.original(start, end)) for kind, start, end in found if end > start]
    if not spans:
        return []
    keep = _Keep(text, allow, by_hand=by_hand)
    joined: list[Span] = []
    allowed = 0
    for kind, start, end in sorted(spans, key=lambda span: (span[1], -span[2])):
        if keep.allows(start, end):
            # All of it: the lines of an allowed key are no secrets either.
            allowed = max(allowed, end)
        if start < allowed or keep.is_masked(start, end):
            continue
        if joined and start < joined[-1][2]:
            first, low, high = joined.pop()
            joined.append((min(first, kind, key=_vagueness), low, max(high, end)))
        else:
            joined.append((kind, start, end))
    return [
        (kind, start, end)
        for kind, start, end in joined
        if not keep.is_masked(start, end)
        and not keep.allows(start, end)
        and not (kind in _GUESSED and is_identifier(text, start, end))
    ]


def is_citation(text: str) -> bool:
    """Whether a text is nothing but the name of a session of one of the agents, perhaps with a turn."""
    return _TURN.fullmatch(text) is not None


def _has_secret(text: str) -> bool:
    return bool(_scan(text, frozenset(), by_hand=False))


def _vagueness(kind: str) -> int:
    return 2 if kind == "token" else kind in _GUESSED


def _matches(text: str) -> Iterator[Span]:
    lower = lowered(text)
    runs = [match.span() for match in RUN.finditer(text)]
    yield from private_keys(text, runs)
    yield from encoded(text, runs, _has_secret)
    if _DIGIT.search(text) or _CAPITALS.search(text):
        yield from named_tokens(
            text, [span for span in runs if _DIGIT.search(text, *span) or _CAPITALS.search(text, *span)]
        )
    yield from random_runs(text, runs)
    if "://" in text or "jdbc:oracle:" in text:
        yield from url_secrets(text)
    yield from _said(text, lower)
    for quote in ("`", '"'):
        if quote in text:
            yield from _quoted(text, quote)


def _quoted(text: str, quote: str) -> Iterator[Span]:
    """Find what is told in a phrase in quotes or as code, which is judged as without them, too."""
    start = 0
    for number, inner in enumerate(text.split(quote)):
        if (
            number % 2
            and " " in inner
            and len(inner) <= _MOST_QUOTED
            and (_PIN.search(inner) or (_DIGIT.search(inner) and any(map(_is_made, inner.split()))))
        ):
            for kind, low, high in _said(inner, lowered(inner)):
                yield kind, start + low, start + high
        start += len(inner) + 1


def _is_made(word: str) -> bool:
    return made(bare(word.strip("\"'`()<>[],;"))) > 0


def _said(text: str, lower: str) -> Iterator[Span]:
    """Find what the words around it make a secret."""
    yield from commands.logins(text, lower)
    yield from logins.logins(text, lower)
    yield from forms.given(text, lower)
    yield from asked.answers(text, lower)
    known = known_in(lower, _KNOWN)
    if not known.isdisjoint(APART_WORDS):
        yield from taken_apart(text)
    yield from commands.secrets(text, known)
    yield from labelled(text, lower, known)


def _run_end(text: str, kind: str, end: int) -> int:
    if kind in _GUESSED or kind == "private-key" or not (text[end - 1].isalnum() or text[end - 1] in "_-"):
        return end
    glued = _GLUED.match(text, end)
    return glued.end() if glued else end


class _Bare:
    """A text without its margins, and where each part of it was.

    A name and the value below it, or two lines of a key, are neighbours without them.
    """

    def __init__(self, text: str) -> None:
        self._points, self._shifts = [0], [0]
        pieces, at = [], 0
        for start, end in _numbered(text):
            pieces.append(text[at:start])
            at = end
            self._shifts.append(self._shifts[-1] + end - start)
            self._points.append(end - self._shifts[-1])
        self.text = "".join([*pieces, text[at:]]) if at else text

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the text that was given a part of the bare one is."""
        return start + self._shift(start), end + self._shift(end - 1)

    def _shift(self, at: int) -> int:
        return self._shifts[bisect_right(self._points, at) - 1]


def _numbered(text: str) -> list[tuple[int, int]]:
    """Return the margins: two or more that count on, one below the other; an arrow is one by itself."""
    found: list[tuple[int, int]] = []
    where, number, span = "", -1, (0, 0)
    for match in _MARGIN.finditer(text) if "\n" in text or "→" in text else ():
        before, span = span, match.span()
        follows = ((match[1] or "")[:-1], int(match[2]) - 1) == (where, number)
        where, number = (match[1] or "")[:-1], int(match[2])
        if follows and text.find("\n", before[1]) == span[0] - 1:
            found += [before, span] if found[-1:] != [before] else [span]
        elif match[0][-1] == "→":
            found.append(span)
    return found


class _Keep:
    """What stays although it looks like a secret: markers, allowed lines, allowed values."""

    def __init__(self, text: str, allow: frozenset[str], *, by_hand: bool) -> None:
        self._text = text
        self._allow = allow
        self._masks = (
            [match.span() for match in _MASK.finditer(text)] if any(map(text.__contains__, _BEGINS)) else []
        )
        self._mask_ends = [end for _, end in self._masks]
        self._lines: list[tuple[int, int]] = []
        at = text.find(ALLOW) if by_hand else -1
        while at >= 0:
            end = text.find("\n", at)
            end = end if end >= 0 else len(text)
            begin = text.rfind("\n", 0, at) + 1
            if _LABEL not in text[begin:end]:  # of somebody else
                self._lines.append((begin, end))
            at = text.find(ALLOW, end)
        self._line_ends = [end for _, end in self._lines]

    def is_masked(self, start: int, end: int) -> bool:
        """Whether a marker is in a span: a marker is never part of a secret."""
        first = bisect_right(self._mask_ends, start)
        return first < len(self._masks) and self._masks[first][0] < end

    def allows(self, start: int, end: int) -> bool:
        """Whether the author or the caller wants to keep what is in a span."""
        line = bisect_right(self._line_ends, start)
        if line < len(self._lines) and self._lines[line][0] < end:
            return True
        if not self._allow:
            return False
        value = self._text[start:end].encode("utf-8", "surrogatepass")
        return sha256(value) in self._allow
