"""Reading what a caller asks for: targets, modes, scopes, caps and pages. Pure functions."""

from __future__ import annotations

from memolith.errors import InputError, MatchError
from memolith.model import (
    MAX_ACCEPT_BYTES,
    MAX_INJECT_BYTES,
    MAX_WRITE_BYTES,
    TRUNCATED,
    WriteMode,
    WriteTarget,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

EMPTY = "(empty)"
_SCOPES = {
    "project": "project",
    "workspace": "project",
    "user": "user",
    "assistant": "user",
    "global": "user",
}


def target(value: str | WriteTarget, what: str = "target") -> WriteTarget:
    """Return the target that is meant; `what` names the parameter in the error."""
    try:
        return WriteTarget(value)
    except ValueError:
        names = ", ".join(target.value for target in WriteTarget)
        extra = ", list" if what == "source" else ""
        raise InputError(f"unknown {what} {value!r}; one of {names}{extra}") from None


def mode(value: str | WriteMode) -> WriteMode:
    """Return the mode that is meant."""
    try:
        return WriteMode(value)
    except ValueError:
        raise InputError(f"unknown mode {value!r}; one of append, overwrite") from None


def cap(content: str) -> tuple[str, list[str]]:
    """Cut one write's content to the cap, on a character boundary; say so.

    Content beyond MAX_ACCEPT_BYTES is left whole: the gate refuses it.
    """
    if not isinstance(content, str) or len(content) * 4 <= MAX_WRITE_BYTES:
        return content, []
    size = len(content.encode("utf-8", "surrogatepass"))
    if size <= MAX_WRITE_BYTES or size > MAX_ACCEPT_BYTES:
        return content, []
    from memolith.text.budget import head

    # One byte is left for the line break that an append adds.
    return head(content, MAX_WRITE_BYTES - 1), [
        f"the text was {size:,} bytes and was cut to the limit of {MAX_WRITE_BYTES:,}"
    ]


def replacement(path: str, old_str: str) -> Callable[[str | None, str], str]:
    """Return the change for `edit`: replace the one occurrence of `old_str`."""
    if not old_str:
        raise InputError("the text to replace is empty; give old_str (CLI: --old TEXT)")

    def apply(old: str | None, text: str) -> str:
        wanted = old_str
        if old and "\r\n" in old and "\r\n" not in wanted:
            wanted, text = wanted.replace("\n", "\r\n"), text.replace("\n", "\r\n")
        count = (old or "").count(wanted)
        if count != 1 or old is None:
            raise MatchError(path, count)
        return old.replace(wanted, text)

    return apply


def is_user_wide(scope: str) -> bool:
    """Tell whether a scope's name means the user-wide one."""
    if scope not in _SCOPES:
        raise InputError(f"unknown scope {scope!r}; one of project, user")
    return _SCOPES[scope] == "user"


def page(text: str, offset: int, lines: int | None) -> str:
    """Return some lines of a text, at most 32 KiB, with a marker if it was cut."""
    from memolith.text.budget import head, utf8_len

    if offset or lines is not None:
        if offset < 0 or (lines is not None and lines < 1):
            raise InputError("offset must be 0 or more, lines 1 or more")
        every = text.splitlines(keepends=True)
        stop = None if lines is None else offset + lines
        text = "".join(every[offset:stop])
    if utf8_len(text) <= MAX_INJECT_BYTES:
        return text
    return head(text, MAX_INJECT_BYTES - utf8_len(TRUNCATED) - 1) + "\n" + TRUNCATED
