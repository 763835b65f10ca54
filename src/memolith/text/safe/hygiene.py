"""Making stored text safe to keep and to show, without touching what a person means to write.

Two moments: `clean` when text enters the store, `inert` when stored text is put into a prompt or on
a terminal (the file may have been edited by hand or come from someone else).
"""

from __future__ import annotations

from memolith.base.lean import lru_cache
from memolith.text.safe.structure import disarm

# C0 and C1 control characters except tab, line feed and carriage return. They have no meaning in
# Markdown; a terminal acts on them. The three that separate lines become line feeds, so that the words
# around them do not run together.
_CONTROL: dict[int, str | None] = {
    **dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)]),
    **dict.fromkeys([0x85, 0x2028, 0x2029], "\n"),
}
# What hides or reorders text: bidi embeddings, overrides and isolates, soft hyphen, letters and signs of
# music, shorthand and Khitan that show nothing.
_HIDDEN: dict[int, str | None] = {
    **dict.fromkeys([0x00AD, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0, 0x16FE4, 0x1D159]),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFFF0, 0xFFFC)]),
    **dict.fromkeys([*range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B)]),
    0x2800: " ",  # the blank of Braille
}
_INERT = _CONTROL | _HIDDEN
_ASCII_CONTROL = bytes(c for c in _CONTROL if c < 128)

_ZWSP, _ZWNJ, _ZWJ = "\u200b", "\u200c", "\u200d"
_MONGOLIAN_SEPARATOR, _GRAPHEME_JOINER = "\u180e", "\u034f"
_DIRECTION_MARKS = "\u061c\u200e\u200f"
_RTL = frozenset(["R", "AL", "AN"])  # letters and digits of scripts that are written from the right
_IN_CONTEXT = frozenset(_ZWSP + _ZWNJ + _ZWJ + _MONGOLIAN_SEPARATOR + _GRAPHEME_JOINER + _DIRECTION_MARKS)
_TAG_FLAG_BASE, _TAG_END = "\U0001f3f4", "\U000e007f"

# What a person writes into a line whose value may stay.
ALLOW = "memolith:allow"


def unallowed(text: str, before: str = "") -> str:
    """Return a text of which no line says that it may keep a secret, unless it stood there before."""
    if ALLOW not in text:
        return text
    known, taken = set(before.split("\n")), ALLOW.replace(":", " ")
    return "\n".join(line if line in known else line.replace(ALLOW, taken) for line in text.split("\n"))


def whole(text: str) -> str:
    """Return text in which half characters (how JavaScript sends an emoji that it cut) are replaced.

    What a command line in another locale has as single bytes is read as the UTF-8 that it is.
    """
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode()
    except UnicodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean(text: str) -> tuple[str, list[str]]:
    """Return text fit for the store, and a warning when something had to go."""
    text = text.removeprefix("\ufeff")
    cleaned = _uncoloured(text).translate(_CONTROL)
    if cleaned == text:
        return text, []
    removed = sum(1 for char in text if ord(char) in _CONTROL)
    return cleaned, [f"{removed} control characters were removed"]


def _uncoloured(text: str) -> str:
    """Return text without the sequences by which a terminal sets colours: their letters are no text."""
    first, *rest = text.split("\x1b[")
    for part in rest:
        letters = part.lstrip("0123456789;:")
        first += letters[1:] if letters[:1] in _COLOURS and letters else f"\x1b[{part}"
    return first


_COLOURS = ("m", "K")


def inert(text: str) -> str:
    """Return text without characters that a terminal obeys or that hide text from the reader."""
    if "\r" in text:
        # Alone, it lets a terminal write the rest over the beginning of the line.
        text = "\r\n".join(part.replace("\r", "\n") for part in text.split("\r\n"))
    if text.isascii():
        # Most text is clean ASCII; one C-level pass decides.
        raw = text.encode("ascii")
        return text if raw.translate(None, _ASCII_CONTROL) == raw else text.translate(_CONTROL)
    # Few characters are distinct: judge each once, then go over the text at C level, if at all.
    different = set(text)
    unwanted = {ord(char): _INERT.get(ord(char)) for char in different if _is_unwanted(ord(char))}
    if unwanted:
        text = text.translate(unwanted)
    special = set(filter(_needs_context, different))
    return _drop_stray(text, special) if special else text


def is_hidden(char: str) -> bool:
    """Whether a terminal acts on a character or, at least alone, does not show it."""
    return char not in "\t\n\r" and (
        _is_unwanted(ord(char)) or _needs_context(char) or not char.isprintable()
    )


def _is_unwanted(code: int) -> bool:
    return (
        code in _INERT
        or 0xFDD0 <= code <= 0xFDEF
        or code & 0xFFFE == 0xFFFE
        or (0xE0000 <= code <= 0xE0FFF and not _needs_context(chr(code)))
    )


def _needs_context(char: str) -> bool:
    """Whether a character is invisible, but in some places part of what one sees."""
    return char in _IN_CONTEXT or _is_selector(char) or "\U000e0020" <= char <= _TAG_END


def _is_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _drop_stray(text: str, special: set[str]) -> str:
    """Remove invisible characters that change nothing one sees: they can only carry hidden text."""
    from unicodedata import bidirectional

    kept: list[str] = []
    cut = done = 0
    last = ""  # what was kept before `done`
    line_end, is_rtl = -1, False
    for at in [at for at, char in enumerate(text) if char in special]:
        if at < done:
            continue
        before = text[at - 1] if at > done else last
        if text[at] in _DIRECTION_MARKS:
            if at > line_end:
                line_end = text.find("\n", at)
                line_end = line_end if line_end >= 0 else len(text)
                line = text[text.rfind("\n", 0, at) + 1 : line_end]
                is_rtl = any(bidirectional(char) in _RTL for char in line if char not in _DIRECTION_MARKS)
            end = at + 1 if is_rtl and before not in _IN_CONTEXT else 0
        else:
            end = _visible_end(text, at, before)
        if end:
            done, last = end, text[end - 1]
        else:
            kept.append(text[cut:at])
            cut = done = at + 1
            last = before
    return "".join([*kept, text[cut:]])


def _visible_end(text: str, at: int, before: str) -> int:
    """Return where the visible character that goes on at `at` ends; 0 if `before` has no use for it."""
    char = text[at]
    plain = before.isascii() or before.isspace()
    if char in (_ZWNJ, _ZWJ, _GRAPHEME_JOINER):
        keep = not plain and before not in _IN_CONTEXT
    elif char == _ZWSP:
        # Thai, Lao, Myanmar and Khmer are written without spaces; this one says where a word ends.
        keep = (
            "\u0e00" <= before <= "\u0eff" or "\u1000" <= before <= "\u109f" or "\u1780" <= before <= "\u17ff"
        )
    elif char == _MONGOLIAN_SEPARATOR:
        keep = "\u1820" <= before <= "\u18aa"
    elif "\U000e0100" <= char <= "\U000e01ef":
        # Variants of Chinese characters.
        han = (("\u3400", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff"))
        keep = any(first <= before <= last for first, last in han)
    elif _is_selector(char):
        keep = before in tuple("0123456789#*") or not (plain or _is_selector(before))
    else:
        # The flag of a region: a black flag, up to six letters and digits as tags, an end mark.
        end = at
        while end < len(text) and end - at < 6 and "\U000e0030" <= text[end] <= "\U000e007a":
            end += 1
        is_flag = before == _TAG_FLAG_BASE and end - at > 2 and text[end : end + 1] == _TAG_END
        return end + 1 if is_flag else 0
    return at + 1 if keep else 0


_ROUNDS = 4
_ACTIVE = ("](", "<", "![", "]:", "://", "```", "~~~")


# A host may ask for the block on every request; what did not change is not looked through again.
@lru_cache(maxsize=32)
def for_block(text: str) -> str:
    """Return `text` as it may stand inside the block; doing it twice changes nothing more.

    Without what hides, with links and tags that do nothing (`active`), unable to end, reopen or imitate the
    block (`structure`), and with a code fence that was left open closed.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        # Characters without an agreed meaning: a model may have learnt one.
        private = [ord(char) for char in set(text) if "\ue000" <= char <= "\uf8ff" or char >= "\U000f0000"]
        text = text.translate(dict.fromkeys(private)) if private else text
    text = inert(text)
    # What was escaped may show something else in a new light; two rounds are the rule.
    for _ in range(_ROUNDS):
        shown = _for_block_once(text)
        if shown == text:
            return text
        text = shown
    return _for_block_once(_without_signs(text))


def _for_block_once(text: str) -> str:
    if any(sign in text for sign in _ACTIVE):
        from memolith.text.safe.active import defuse

        text = defuse(text)
    shown = disarm(text)
    # A joiner that stood after a look-alike of `<` may now stand after plain text, where it has no use.
    text = text if shown == text else inert(shown)
    if "```" in text or "~~~" in text:
        from memolith.text.fences import open_fence

        fence = open_fence(text)
        text = f"{text}\n{fence}" if fence else text
    return text


def _without_signs(text: str) -> str:
    """Return `text` without the signs of Markdown and HTML: for what was made to confuse."""
    for sign, plain in (
        ("<", "&lt;"),
        ("`", "'"),
        ("~~~", "---"),
        ("![", "! ["),
        ("](", "] ("),
        ("]:", "] :"),
    ):
        text = text.replace(sign, plain)
    return text
