"""Fitting text into a budget without splitting a character, and saying so when something was cut."""

from __future__ import annotations

from memolith.base.values import TRUNCATED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Measure = Callable[[str], int]

_ZWJ, _ZWNJ = "\u200d", "\u200c"
# Less than this many units of a section is noise, not information.
_MIN_SHOWN = 24
_WORD = 24  # characters that are given up for a whole word
_OPENINGS, _MARKER = ("[secret:", "[private", "(secret:"), 52  # how a marker begins; its length at most


def utf8_len(text: str) -> int:
    """Return the size of `text` in UTF-8 bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def plural(count: int, noun: str, many: str = "") -> str:
    """Return a number with its noun: `1 file`, `1,200 files`; `many` is the plural if it has no -s."""
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"


def estimate_tokens(text: str) -> int:
    """Estimate tokens: wide (CJK) characters count 0.9, others 0.25, at least 1 for any text."""
    if not text:
        return 0
    wide = 0 if text.isascii() else sum(1 for char in text if _is_wide(char))
    return max(1, round(wide * 0.9 + (len(text) - wide) * 0.25))


def _is_wide(char: str) -> bool:
    code = ord(char)
    return code >= 0x1100 and (
        code <= 0x115F
        or 0x2E80 <= code <= 0xA4CF
        or 0xAC00 <= code <= 0xD7A3
        or 0xF900 <= code <= 0xFAFF
        or 0xFE30 <= code <= 0xFE6F
        or 0xFF00 <= code <= 0xFF60
        or 0xFFE0 <= code <= 0xFFE6
        or 0x1F300 <= code <= 0x1F64F
        or 0x1F900 <= code <= 0x1F9FF
        or 0x20000 <= code <= 0x3FFFD
    )


def head(text: str, limit: int, measure: Measure = utf8_len) -> str:
    """Return the longest beginning of `text` within `limit` that does not split what one sees.

    Prefers to end at a line break, or else between words, when that gives up little.
    """
    if measure(text) <= limit:
        return text
    if limit <= 0:
        return ""
    end = _fit(text, limit, measure)
    line = text.rfind("\n", 0, end)
    if line >= 0 and line >= end * 3 // 4:
        return text[:line].removesuffix("\r")
    word = text.rfind(" ", max(0, end - _WORD, end * 3 // 4), end + 1)
    return text[: outside_marker(text, word if word > 0 else _grapheme_start(text, end))]


def tail(text: str, limit: int, measure: Measure = utf8_len) -> str:
    """Return the longest end of `text` within `limit`; the mirror image of `head`."""
    if measure(text) <= limit:
        return text
    if limit <= 0:
        return ""
    start = len(text) - _fit(text[::-1], limit, measure)
    line = text.find("\n", start)
    if 0 <= line < start + (len(text) - start) // 4:
        return text[line + 1 :]
    word = text.find(" ", start - 1, min(start + _WORD, start + (len(text) - start) // 4) + 1)
    start = word + 1 if word >= 0 else start
    while start < len(text) and _continues(text, start):
        start += 1
    return text[start:]


def _fit(text: str, limit: int, measure: Measure) -> int:
    """Return the largest n with measure(text[:n]) <= limit (a character measures 1 or more)."""
    low, high = 0, min(len(text), limit)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return low


def _grapheme_start(text: str, position: int) -> int:
    while 0 < position < len(text) and _continues(text, position):
        position -= 1
    return position


def whole_end(text: str, end: int, start: int = 0) -> int:
    """Return where to cut a text at `end` or before without splitting what one sees; never at its `start`."""
    before = _grapheme_start(text, end)
    return before if before > start else end


def _continues(text: str, position: int) -> bool:
    """Whether the character at `position` belongs to the one before it on screen."""
    char, before = text[position], text[position - 1]
    if char.isascii() and before.isascii():
        return before == "\r" and char == "\n"
    if _ZWJ in (char, before) or char == _ZWNJ or "\ufe00" <= char <= "\ufe0f":
        return True
    if "\u1160" <= char <= "\u11ff" or char in "\uff9e\uff9f":
        return True  # second and third letters of a Hangul syllable, half-width voice marks
    if "\U0001f3fb" <= char <= "\U0001f3ff" or "\U000e0020" <= char <= "\U000e007f":
        return True
    if _is_flag(char) and _is_flag(before):
        run = 0
        while position - 1 - run >= 0 and _is_flag(text[position - 1 - run]):
            run += 1
        return run % 2 == 1
    import unicodedata

    return unicodedata.category(char) in ("Mn", "Me", "Mc")


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _cut(part: Callable[[str, int, Measure], str], text: str, room: int, measure: Measure) -> str:
    """Cut with `head` or `tail`. Half a code fence or half a link would mean something else: clean again."""
    from memolith.text.safe.hygiene import for_block

    kept = part(text, room, measure)
    shown = for_block(kept)
    while shown and measure(shown) > room:
        kept = part(kept, min(measure(kept) - 1, room - (measure(shown) - measure(kept))), measure)
        shown = for_block(kept)
    return shown


class Section:
    """A titled part of the block. Lower `priority` is served first; beyond `cap` goes only what others leave.

    A `floor` is set apart for it however much those before it need. Of what is too long the beginning stays;
    with `keep_end` the end, with `keep_both` the ends (60 and 40 %).
    """

    __slots__ = (
        *("body", "cap", "cut", "floor", "keep_both", "keep_end", "left_out", "priority", "source", "title"),
    )

    def __init__(
        self,
        title: str,
        body: str,
        source: str,
        *,
        priority: int,
        cap: int,
        floor: int = 0,
        keep_end: bool = False,
        keep_both: bool = False,
    ) -> None:
        self.title, self.body, self.source = title, body, source
        self.priority, self.cap, self.keep_end, self.keep_both = priority, cap, keep_end, keep_both
        self.cut, self.floor = False, floor
        self.left_out = ""  # what the body says is not in it, if it was never read

    def mark_cut(self) -> None:
        """Say that something is missing: before the body if its end is kept, else after it."""
        parts = [TRUNCATED, self.body] if self.keep_end else [self.body, TRUNCATED]
        self.body = "\n".join(parts)
        self.cut = True

    def shorten(self, limit: int, measure: Measure) -> None:
        """Cut the body to `limit`, marker included."""
        body = self.body
        if self.keep_both:
            first, _, last = body.partition(f"\n{TRUNCATED}\n")
            room = limit - measure(TRUNCATED) - 2
            first = _cut(head, first, room * 6 // 10, measure)
            last = _cut(tail, last or body, room - room * 6 // 10, measure)
            self.body, self.cut = f"{first}\n{TRUNCATED}\n{last}", True
            return
        if self.cut and self.keep_end:
            body = body.removeprefix(TRUNCATED + "\n")
        elif self.cut:
            body = body.removesuffix("\n" + TRUNCATED)
        room = limit - measure(TRUNCATED) - 1
        self.body = _cut(tail if self.keep_end else head, body, room, measure)
        self.mark_cut()


def allot(
    sections: Sequence[Section], limit: int, overhead: Callable[[Section], int], measure: Measure
) -> tuple[list[Section], list[Section]]:
    """Give out `limit` by priority; return the sections that are shown, and those for which no room was left.

    `overhead` is what a section costs beyond its body. A section that does not fit is cut; one of
    which next to nothing would be left is dropped.
    """
    least = measure(TRUNCATED) + 1 + _MIN_SHOWN
    most = limit // 16 if limit // 16 >= least else 0  # that a floor may take

    def floor(section: Section) -> int:
        apart = min(section.floor, most)
        return min(apart, measure(section.body)) + overhead(section) if apart else 0

    dropped: list[Section] = []
    apart = sum(map(floor, sections))
    wanted = sum(measure(section.body) + overhead(section) for section in sections)
    for section in sorted(sections, key=lambda each: each.priority):
        apart -= floor(section)
        size = measure(section.body)
        wanted -= size + overhead(section)  # by those after it
        room = limit - overhead(section)
        room = min(room - apart, max(section.cap, room - wanted))
        if size > room:
            if room < least:
                dropped.append(section)
                continue
            section.shorten(room, measure)
            size = measure(section.body)
        limit -= size + overhead(section)
    return [section for section in sections if section not in dropped], dropped


def pieces(text: str, size: int = 4_000) -> list[str]:
    """Cut a text into pieces of at most `size` characters, at line ends where there are any; none is lost."""
    if size < 1:
        raise ValueError(f"pieces of {size} characters: give at least 1")
    found: list[str] = []
    at, end = 0, size
    while at < len(text):
        if end < len(text):
            end = text.rfind("\n", at, end) + 1 or whole_end(text, end, at)
        found.append(text[at:end])
        at, end = end, end + size
    return found


def outside_marker(text: str, end: int) -> int:
    """Return where to cut a text instead of in the middle of `[secret:github-token]`."""
    first = max(0, end - _MARKER)
    start = max(text.rfind(opening, first, end + len(opening) - 1) for opening in _OPENINGS)
    return start if start >= 0 and not set("])") & set(text[start:end]) else end
