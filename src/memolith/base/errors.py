"""Everything that can go wrong, as one tree; each branch has its own exit code.

    MemolithError            1
    ├── InputError           2   an argument is not acceptable
    ├── NotFoundError        3   the requested item does not exist
    ├── ConflictError        4   the file changed since the caller read it
    ├── MatchError           5   the text to replace occurs 0 or several times
    ├── TooLargeError        6   more text than a memory may hold
    ├── TextError            7   bytes that are not text (NUL, invalid UTF-8, …)
    ├── StorageError         8   the disk refused (read-only, full, I/O error)
    ├── BusyError            9   another process holds the lock
    ├── UnsafePathError     10   a link or name leads out of the store
    ├── LossError           11   the change would drop too much; shows what
    ├── ConfigError         12   a setting or config file is invalid
    ├── HistoryError        13   nothing to undo, or no such version
    ├── ProviderError       14   a model or service gave no valid answer
    ├── CeilingError        15   learning must not send this request: a ceiling is reached
    └── PartialError        16   some of it failed; the rest is done

A message names the file, the value and the next step. The edges (CLI, hooks, servers)
translate; nothing below them catches these.
"""

from __future__ import annotations


class MemolithError(Exception):
    """Base of all expected failures; shown to people without a traceback."""

    exit_code = 1


class InputError(MemolithError):
    """An argument is not acceptable."""

    exit_code = 2


class NotFoundError(MemolithError):
    """The requested item does not exist."""

    exit_code = 3


class ConflictError(MemolithError):
    """The file changed since the caller read it: nothing was written."""

    exit_code = 4

    def __init__(self, path: str, expected: str, actual: str) -> None:
        self.path, self.expected, self.actual = path, expected, actual
        super().__init__(
            f"{path}: changed since it was read (expected sha256 {expected[:12]}, "
            f"found {actual[:12]}); read it again and repeat the change"
        )


class MatchError(MemolithError):
    """`old_str` must occur exactly once."""

    exit_code = 5

    def __init__(self, path: str, count: int) -> None:
        self.path, self.count = path, count
        hint = (
            "give more of the surrounding text so that it is unique"
            if count
            else "read the file and copy the text exactly"
        )
        found = f"occurs {count} times, not once" if count else "does not occur"
        super().__init__(f"{path}: the text to replace {found}; {hint}")


class TooLargeError(MemolithError):
    """The input is larger than any memory may be."""

    exit_code = 6


class TextError(MemolithError):
    """The input is not text."""

    exit_code = 7


class StorageError(MemolithError):
    """The operating system refused a file operation."""

    exit_code = 8

    def __init__(self, path: str, error: OSError) -> None:
        self.path, self.error = path, error
        why = error.strerror or error.__class__.__name__
        super().__init__(f"{path}: {why}; what was stored before is safe. {_next_step(error)}")


class BusyError(MemolithError):
    """Another process held the lock for longer than we wait."""

    exit_code = 9


class UnsafePathError(MemolithError):
    """A symbolic link, special file or name that leads out of the store."""

    exit_code = 10


_DIFF = 4000  # characters of a diff in a message: nobody reads more of it there


class LossError(MemolithError):
    """A rewrite that would drop too much; `diff` shows what."""

    exit_code = 11

    def __init__(self, path: str, dropped: int, total: int, diff: str) -> None:
        self.path, self.dropped, self.total, self.diff = path, dropped, total, diff
        shown = diff if len(diff) <= _DIFF else f"{diff[:_DIFF].rpartition(chr(10))[0]}\n… (and so on)"
        super().__init__(
            f"{path}: the new text drops {dropped} of {total} lines; nothing was written. "
            f"Check the diff, then repeat with force (CLI: --force)\n{shown}"
        )


class ConfigError(MemolithError):
    """A setting or a config file is invalid."""

    exit_code = 12


class HistoryError(MemolithError):
    """There is no such version."""

    exit_code = 13


class ProviderError(MemolithError):
    """A model or service gave no valid answer."""

    exit_code = 14


class CeilingError(MemolithError):
    """The request could exceed a ceiling, so it was not sent."""

    exit_code = 15

    def __init__(self, ceiling: str, used: float, limit: float) -> None:
        self.ceiling, self.used, self.limit = ceiling, used, limit
        after = "the next day" if ceiling.endswith("day") else "the next run"
        super().__init__(
            f"{ceiling}: {used:,.0f} of {limit:,.0f} are used, and one more request could exceed that; it "
            f"was not sent. Wait for {after}, or raise it (memolith config set {ceiling} NUMBER)"
        )


class PartialError(MemolithError):
    """Some parts of a request failed, and the message names them; the rest is done."""

    exit_code = 16


def _next_step(error: OSError) -> str:
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "Free some disk space and try again."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "Make the memory directory writable, or choose another with --home."
    return "Check the disk and the memory directory (memolith doctor)."
