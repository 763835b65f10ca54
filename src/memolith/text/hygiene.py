"""Making stored text safe to keep and to show, without touching what a person means to write.

Two moments: `clean` when text enters the store, `inert` when stored text is put into a prompt or on
a terminal (the file may have been edited by hand or come from someone else).
"""

from __future__ import annotations

# C0 and C1 control characters except tab, line feed and carriage return. They have no meaning in
# Markdown; a terminal acts on them.
_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160), 0x2028, 0x2029], None)
# What hides or reorders text: bidi embeddings, overrides and isolates, zero-width spaces, soft
# hyphen, Unicode tags. Joiners (ZWJ, ZWNJ) and directional marks stay: emoji and Persian need them.
_HIDDEN = dict.fromkeys(
    [
        0x00AD,
        0x180E,
        0x200B,
        0x2060,
        0x2061,
        0x2062,
        0x2063,
        0x2064,
        0xFEFF,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x2070),
        *range(0xFFF9, 0xFFFC),
        *range(0xE0000, 0xE0020),
        0xE007F,
    ],
    None,
)
_INERT = _CONTROL | _HIDDEN
_ASCII_CONTROL = bytes(c for c in _CONTROL if c < 128)

_TAG_FLAG_BASE = "\U0001f3f4"


def clean(text: str) -> tuple[str, list[str]]:
    """Return text fit for the store, and a warning when something had to go."""
    text = text.removeprefix("\ufeff")
    cleaned = text.translate(_CONTROL)
    if cleaned == text:
        return text, []
    removed = len(text) - len(cleaned)
    return cleaned, [f"{removed} control characters were removed"]


def inert(text: str) -> str:
    """Return text without characters that a terminal obeys or that hide text from the reader."""
    if text.isascii():
        # Most text is clean ASCII; one C-level pass decides.
        raw = text.encode("ascii")
        return text if raw.translate(None, _ASCII_CONTROL) == raw else text.translate(_CONTROL)
    text = text.translate(_INERT)
    if any("\U000e0020" <= char <= "\U000e007e" for char in text):
        text = _drop_tags(text)
    return text


def _drop_tags(text: str) -> str:
    """Remove Unicode tag characters except in a flag sequence, where they are visible."""
    import re

    return re.sub(
        f"({_TAG_FLAG_BASE}[\U000e0020-\U000e007e]{{1,8}})|[\U000e0020-\U000e007e]+",
        lambda match: match[1] or "",
        text,
    )


def for_block(text: str) -> str:
    """Return `text` so that, inside the block, it cannot end, reopen or imitate the block.

    Tags named `memory` lose their `<`, our own section titles are escaped, and a code fence
    that was left open is closed.
    """
    text = inert(text.replace("\r\n", "\n").replace("\r", "\n"))
    lower = text.lower()
    if "memory" in lower and ("<" in text or "&" in text):
        text = _disarm_tags(text)
    if "## " in text:
        text = "\n".join(
            "\\" + line if line.lstrip().startswith(_OWN_TITLES) else line for line in text.split("\n")
        )
    if "```" in text or "~~~" in text:
        text = _close_fence(text)
    return text


_OWN_TITLES = (
    "## Long-term memory (",
    "## Project memory (",
    "## Notes index (",
    "## User notes index (",
    "## Memory summary (",
    "## Scratchpad (open items)",
    "## Daily log ",
    "## Recalled for this task",
)


def _disarm_tags(text: str) -> str:
    import re

    return re.sub(
        r"(?:<|&lt;?|&#0*60;?|&#x0*3c;?)(?=[\s/\\]*(?:[\w-]+:)?memory)",
        lambda match: "&lt;" if match[0] == "<" else "&amp;" + match[0][1:],
        text,
        flags=re.IGNORECASE,
    )


def _close_fence(text: str) -> str:
    fence = ""
    for line in text.split("\n"):
        bare = line.strip()
        if fence:
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
        elif bare.startswith(("```", "~~~")):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
    return f"{text}\n{fence}" if fence else text
