"""Cutting or joining the lines of a text: masked first, because half a secret is no longer known for one.

The password in `postgres://bob:S3cret@db` is known by the `@` behind it, a token by its length. So what is
kept is masked while it still has what stands behind it. Only so much of a long text is looked at.
"""

from __future__ import annotations

from memolith.text.budget import head, outside_marker, utf8_len

_BEHIND = 4_096  # characters behind the cut that tell what stands before it
_WORD = 128  # characters that are given up so as not to end inside of a word


def cut(text: str, most: int, ending: str = "", *, whole: bool = True, exact: bool = False) -> str:
    """Return the beginning of a text, in at most `most` characters; a cut one is masked, and has an ending.

    Without `whole`, the text is only the beginning of another, and nobody knows what stood behind it. An
    `exact` cut may be in the middle of a word.
    """
    if whole and len(text) <= most:
        return text
    masked, known = _masked(text, most, whole=whole)
    if known == len(masked) <= most:
        return masked  # what was masked was the longer part
    end = outside_marker(masked, min(known, max(0, most - len(ending))))
    return masked[: end if exact else _between_words(masked, end)] + ending


def in_bytes(text: str, most: int) -> str:
    """Return the beginning of a text, in at most `most` bytes of UTF-8; a cut one is masked."""
    if utf8_len(text) <= most:
        return text
    masked, known = _masked(text, most)
    return head(masked[: outside_marker(masked, known)], most)


def in_one_line(text: str, between: str = " ") -> str:
    """Return the lines of a text with something else between them; a secret may be known by its lines."""
    lines = text.splitlines()
    if len(lines) > 1:
        from memolith.text.secrets.redact import redact

        lines = redact(text).text.splitlines()
    return between.join(line for line in lines if line.strip())


def _masked(text: str, most: int, *, whole: bool = True) -> tuple[str, int]:
    """Return a text masked, no more of it than is needed, and up to where what stands behind was seen."""
    from memolith.text.secrets.redact import redact

    part = text[: most + _BEHIND]
    masked = redact(part).text
    return masked, len(masked) if whole and len(part) == len(text) else max(0, len(masked) - _BEHIND)


def _between_words(text: str, end: int) -> int:
    if end >= len(text) or text[end].isspace():
        return end
    start = end
    while start and not text[start - 1].isspace():
        start -= 1
        if end - start > _WORD:  # a script without spaces, or something that is no word
            return end
    return start or end
