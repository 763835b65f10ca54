"""Making stored text safe to keep and to show, without touching what a person means to write.

Two moments: `clean` when text enters the store, `inert` when stored text is put into a prompt or on
a terminal (the file may have been edited by hand or come from someone else).
"""

from __future__ import annotations

from functools import lru_cache

# C0 and C1 control characters except tab, line feed and carriage return. They have no meaning in
# Markdown; a terminal acts on them. The three that separate lines become line feeds, so that the words
# around them do not run together.
_CONTROL: dict[int, str | None] = {
    **dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)]),
    **dict.fromkeys([0x85, 0x2028, 0x2029], "\n"),
}
# What hides or reorders text: bidi embeddings, overrides and isolates, zero-width spaces, soft hyphen,
# letters that show nothing. Directional marks stay: Arabic and Hebrew need them.
_HIDDEN: dict[int, str | None] = {
    **dict.fromkeys([0x00AD, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B, 0x3164, 0xFEFF, 0xFFA0]),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFFF0, 0xFFFC)]),
    0x2800: " ",  # the blank of Braille
}
_INERT = _CONTROL | _HIDDEN
_ASCII_CONTROL = bytes(c for c in _CONTROL if c < 128)

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_TAG_FLAG_BASE, _TAG_END = "\U0001f3f4", "\U000e007f"


def clean(text: str) -> tuple[str, list[str]]:
    """Return text fit for the store, and a warning when something had to go."""
    text = text.removeprefix("\ufeff")
    cleaned = text.translate(_CONTROL)
    if cleaned == text:
        return text, []
    removed = sum(1 for char in text if ord(char) in _CONTROL)
    return cleaned, [f"{removed} control characters were removed"]


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


def _is_unwanted(code: int) -> bool:
    return (
        code in _INERT
        or 0xFDD0 <= code <= 0xFDEF
        or code & 0xFFFE == 0xFFFE
        or (0xE0000 <= code <= 0xE0FFF and not _needs_context(chr(code)))
    )


def _needs_context(char: str) -> bool:
    """Tell whether a character is invisible but part of some visible ones: joiner, selector or tag."""
    return char in (_ZWNJ, _ZWJ) or _is_selector(char) or "\U000e0020" <= char <= _TAG_END


def _is_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _drop_stray(text: str, special: set[str]) -> str:
    """Remove joiners, selectors and tags that change nothing visible: they can only carry hidden text."""
    kept: list[str] = []
    cut = done = 0
    last = ""  # what was kept before `done`
    for at in [at for at, char in enumerate(text) if char in special]:
        if at < done:
            continue
        before = text[at - 1] if at > done else last
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
    if char in (_ZWNJ, _ZWJ):
        keep = not plain and before not in (_ZWNJ, _ZWJ)
    elif "\U000e0100" <= char <= "\U000e01ef":
        # Variants of Chinese characters.
        keep = "\u3400" <= before <= "\u9fff" or "\uf900" <= before <= "\ufaff" or _is_rare_han(before)
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


def _is_rare_han(char: str) -> bool:
    return "\U00020000" <= char <= "\U0003ffff"


# A host may ask for the block on every request; what did not change is not looked through again.
@lru_cache(maxsize=32)
def for_block(text: str) -> str:
    """Return `text` so that, inside the block, it cannot end, reopen or imitate the block.

    Tags named `memory`, and others that structure a prompt, lose their `<`; our own section titles and
    the beginnings of a turn are escaped; and a code fence that was left open is closed.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = inert(text if text.isascii() else _drop_private(text))
    # Look for trouble in a form without case, look-alikes, white space and invisible characters.
    folded = _folded(text)
    squeezed = _squeezed(folded)
    undecorated = _undecorated(squeezed)
    titled = any(word in undecorated for word in _SUSPECT)
    if "memor" in squeezed and any(sign in squeezed for sign in ("&#", "&lt", "\\u", "\\x", "%3c")):
        text = _disarm_spelled(text)
        folded = _folded(text)
        squeezed = _squeezed(folded)
    if "<" in squeezed:
        # A joiner that stood after a look-alike of `<` now stands after plain text, where it has no use.
        text = inert(_disarm_tags(text, folded, squeezed))
    if "inst]" in squeezed:
        for word in ("[INST]", "[/INST]", "[inst]", "[/inst]"):
            text = text.replace(word, "[\\" + word[1:])
    if titled:
        text = _escape_titles(text)
    if "```" in text or "~~~" in text:
        from memolith.text.markdown import open_fence

        fence = open_fence(text)
        text = f"{text}\n{fence}" if fence else text
    return text


def _drop_private(text: str) -> str:
    """Remove characters without an agreed meaning; a model may have learnt one."""
    unwanted = {ord(char): None for char in set(text) if "\ue000" <= char <= "\uf8ff" or char >= "\U000f0000"}
    return text.translate(unwanted) if unwanted else text


# Section titles of the block, lower case and without spaces.
_OWN_TITLES = (
    "long-termmemory(",
    "projectmemory(",
    "notesindex(",
    "usernotesindex(",
    "memorysummary(",
    "memoryguidance",
    "scratchpad(openitems)",
    "dailylog2",
    "recalledforthistask",
)
# One of these is in every text with a title, a turn or a role that must be escaped.
_SUSPECT = (
    "long-term",
    "memory(",
    "index(",
    "summary(",
    "guidance",
    "scratchpad",
    "dailylog",
    "recalledfor",
    "system",
    "assistant",
    "human",
    "user:",
)
_TURNS = frozenset(["system", "systemprompt", "systemmessage", "assistant", "human"])
_ROLES = ("system:", "assistant:", "human:", "user:")
# Tags by which hosts tell a model who speaks and what is data.
_TAGS = frozenset(
    [
        "system",
        "assistant",
        "human",
        "user",
        "developer",
        "sys",
        "s",
        "bos",
        "eos",
        "instructions",
        "record",
        "records",
        "document",
        "documents",
        "tool",
        "tools",
        "function",
        "functions",
        "context",
        "start_of_turn",
        "end_of_turn",
    ]
)
_TAG_PREFIXES = ("system-", "system_", "tool_", "tool-", "function_", "user-", "user_", "antml")
_INVISIBLE = dict.fromkeys([0x034F, 0x061C, *range(0x200C, 0x2010), *range(0xFE00, 0xFE10)])
# Letters of other scripts, and dashes, that look like ours.
_ALIKE = str.maketrans("аеоорсухіѕмԁոοѵ‐‑‒–—−", "aeoopcyxismdnov------")


def _folded(text: str) -> str:
    """Return `text` in lower case with look-alikes replaced; every character keeps its position."""
    if text.isascii():
        return text.lower()
    from unicodedata import normalize

    table: dict[int, str] = {}
    for char in set(text):
        plain = normalize("NFKC", char).lower().translate(_ALIKE)
        if plain != char and len(plain) == 1:
            table[ord(char)] = plain
    return text.translate(table)


def _squeezed(folded: str) -> str:
    if not folded.isascii() and not _INVISIBLE.keys().isdisjoint(map(ord, set(folded))):
        folded = folded.translate(_INVISIBLE)
    return "".join(folded.split())


def _disarm_tags(text: str, folded: str, squeezed: str) -> str:
    # Positions are those of `folded`, names those of `squeezed`; the n-th `<` is the n-th `<` in both.
    if "&" in squeezed or "%" in squeezed:
        for slash in ("&#47;", "&#x2f;", "&sol;", "%2f"):
            squeezed = squeezed.replace(slash, "/")
    pieces: list[str] = []
    done, at = 0, -1
    for after in squeezed.split("<")[1:]:
        at = folded.index("<", at + 1)
        if _is_memory(after) or _is_structure(folded, at):
            pieces += [text[done:at], "&lt;"]
            done = at + 1
    return "".join([*pieces, text[done:]])


def _is_memory(after: str) -> bool:
    name = after.lstrip("/\\")[:64]
    if name.startswith("memor"):
        return True
    at = name.find("memor")
    return at > 0 and name[at - 1] in "-_:." and name[:at].translate(_NAME_SIGNS).isalnum()


_NAME_SIGNS = dict.fromkeys(map(ord, "-_:."), "x")


def _is_structure(folded: str, at: int) -> bool:
    after = folded[at + 1 : at + 41].lstrip()
    if after.startswith("|"):
        return after.find("|>", 1) > 0
    name = after.lstrip("/\\ ")
    end = 0
    while end < len(name) and (name[end].isalnum() or name[end] in "-_"):
        end += 1
    if name.startswith(_TAG_PREFIXES):
        return True
    # `List<User>` is a type, not a tag.
    is_type = name == after and folded[at - 1 : at].isalnum() and "_" not in name[:end]
    return name[:end] in _TAGS and not is_type


def _disarm_spelled(text: str) -> str:
    """Do the same to a `<` that is spelled as an entity or an escape."""
    import re

    return re.sub(
        r"(?:&lt;?|&#0*60;?|&#x0*3c;?|\\u\{?0*3c\}?|\\x3c|%3c)"
        r"(?=(?:[\s/\\\u200c-\u200f]|&#0*47;?|&#x0*2f;?|&sol;|%2f|\\u002f)*"
        r"(?:[\w-]{0,40}[-_:.])?m\s*e\s*m\s*o\s*r)",
        "&lt;",
        text,
        flags=re.IGNORECASE,
    )


def _escape_titles(text: str) -> str:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        mark = line.find("#")
        if mark >= 0:
            # `#` after quote marks, bullets or odd spaces is still a heading to a reader.
            before = line[:mark]
            if not before.endswith("\\") and not any(map(str.isalnum, before)):
                title = _bare_title(line[mark:])
                if title.startswith(_OWN_TITLES) or title in _TURNS:
                    lines[number] = f"{before}\\{line[mark:]}"
        elif number:
            above = lines[number - 1]
            bare = line.strip()
            if bare and above and (not bare.strip("-") or not bare.strip("=")):
                title = _bare_title(above)
                if title.startswith(_OWN_TITLES) or title in _TURNS:
                    lines[number] = "\\" + line
            elif not above.strip() and _folded(line[:16]).startswith(_ROLES):
                lines[number] = "\\" + line
    return "\n".join(lines)


def _bare_title(line: str) -> str:
    return _undecorated(_squeezed(_folded(line))).strip("#>")


def _undecorated(text: str) -> str:
    for sign in "*_`~":
        text = text.replace(sign, "")
    return text
