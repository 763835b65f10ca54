"""Messages, names and excerpts as they may be shown or written down.

A directory, a remote or a session may have a secret in its name. It is stored as `…/[secret:token]~1a2b3c4d`;
the same name always gives the same text. The 32 bits tell two names apart and reveal little about them.

An excerpt is masked before it is cut, because half a secret is no longer recognised: the password in
`postgres://bob:S3cret@db` is known by the `@` behind it, a token by its length. Only the beginning of a long
text is looked at.
"""

from __future__ import annotations

from memolith.text.budget import head, outside_marker, utf8_len, whole_end
from memolith.text.digest import fnv1a64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.text.secrets.redact import Redaction

# What this process has veiled, by what it became: read back, it is the exact name again.
_exact: dict[str, str] = {}
_LONG = 16
_UUID, _HEX = 36, frozenset("0123456789abcdef-")
_OPENCODE = 30  # characters of `ses_e13cf0e0affeRhynR8xMMkoGs7`
_ENDING = 5  # characters of `.git`, `.jsonl`
_BEHIND = 4_096  # characters behind the cut that tell what stands before it
_WORD = 128  # characters that are given up so as not to end inside of a word


def masked(text: str) -> str:
    """Return what a message may show: names and values in it may be secrets."""
    from memolith.text.secrets.precheck import may_hold_secret

    if not may_hold_secret(text):
        return text
    from memolith.text.secrets.redact import redact

    return redact(text).text


def is_plain(name: str) -> bool:
    """Whether a name is only short words without digits, or an id as hosts give them to sessions.

    Most paths, addresses and ids are: the look before the scanner would take longer than the rest of a hook.
    """
    if len(name) == _UUID and name.count("-") == 4 and _HEX.issuperset(name):
        return True
    if len(name) == _OPENCODE and name.startswith("ses_") and name[4:].isalnum():
        return True  # random by itself, and without it the session is not found again
    words = name.replace("://", "/", 1)
    if not words.isascii() or any(char.isdigit() or char in "=:@?&% " for char in words):
        return False
    for sign in "\\-_.":
        words = words.replace(sign, "/")
    return all(len(word) < _LONG for word in words.split("/"))


def veiled(text: str) -> str:
    """Return a name as it may be written down: itself, unless there is a secret in it."""
    shown = masked_name(text)
    if shown == text:
        return text
    known = f"{shown}~{fnv1a64(text.encode('utf-8', 'surrogateescape')) & 0xFFFFFFFF:08x}"
    _exact[known] = text
    return known


def unveiled(text: str) -> str:
    """Return the exact name, if this process knows it; else what is written down."""
    return _exact.get(text, text)


def masked_name(text: str) -> str:
    """Return a name with its secrets masked, each part of a path by itself and then the whole."""
    if is_plain(text):
        return text
    from memolith.text.secrets.precheck import may_hold_secret

    parts = text.split("/")
    # A path is one long word, in which a name and a number are often far apart; a title is a text.
    is_text = any(sign in text for sign in "= :：") and may_hold_secret(text)
    if not is_text and not any(map(may_hold_secret, parts)):
        return text
    from memolith.text.secrets.redact import redact

    return redact("/".join([_masked_part(part, redact) for part in parts])).text


def _masked_part(part: str, redact: Callable[[str], Redaction]) -> str:
    """Return a part of a path masked, its ending and what a URL asks for each by themselves."""
    name, mark, query = part.partition("?")
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > _ENDING:
        stem, dot, ending = name, "", ""
    return redact(redact(stem).text + dot + ending + mark + query).text


def cut(text: str, most: int, ending: str = "", *, whole: bool = True, exact: bool = False) -> str:
    """Return the beginning of a text, in at most `most` characters; a cut one is masked, and has an ending.

    Without `whole`, the text is only the beginning of another, and nobody knows what stood behind it. An
    `exact` cut may be in the middle of a word.
    """
    if whole and len(text) <= most:
        return text
    shown, known = _masked_beginning(text, most, whole=whole)
    if known == len(shown) <= most:
        return shown  # what was masked was the longer part
    end = outside_marker(shown, min(known, max(0, most - len(ending))))
    return shown[: whole_end(shown, end if exact else _between_words(shown, end))] + ending


def in_bytes(text: str, most: int) -> str:
    """Return the beginning of a text, in at most `most` bytes of UTF-8; a cut one is masked, and says so."""
    size = utf8_len(text)
    if size <= most:
        return text
    shown, known = _masked_beginning(text, most)
    mark = f"\n…[cut: this had {size:,} bytes]"
    return head(shown[: outside_marker(shown, known)], most - utf8_len(mark)) + head(mark, most)


def in_one_line(text: str, between: str = " ") -> str:
    """Return the lines of a text with something else between them; a secret may be known by its lines."""
    lines = text.splitlines()
    if len(lines) > 1:
        from memolith.text.secrets.redact import redact

        lines = redact(text).text.splitlines()
    return between.join(line for line in lines if line.strip())


def _masked_beginning(text: str, most: int, *, whole: bool = True) -> tuple[str, int]:
    """Return the beginning of a text, masked, and up to where that took into account what follows."""
    from memolith.text.secrets.redact import redact

    part = text[: most + _BEHIND]
    shown = redact(part).text
    return shown, len(shown) if whole and len(part) == len(text) else max(0, len(shown) - _BEHIND)


def _between_words(text: str, end: int) -> int:
    if end >= len(text) or text[end].isspace():
        return end
    start = end
    while start and not text[start - 1].isspace():
        start -= 1
        if end - start > _WORD:  # a script without spaces, or something that is no word
            return end
    return start or end
