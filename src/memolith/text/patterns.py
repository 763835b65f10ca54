"""Regular expressions that are compiled when they are first used.

Compiling costs more than most uses of a module are worth: the scanner's patterns together take tens of
milliseconds, and a write whose text has no candidate needs few of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that compiles itself on its first use. ASCII: `\\w` is no Chinese character."""
    return _Lazy(pattern, flags)  # type: ignore[return-value]


class _Lazy:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = (pattern, flags)

    def __getattr__(self, name: str) -> object:
        import re

        pattern, flags = self._source
        compiled = re.compile(pattern, flags | re.ASCII)
        # Found without this method from now on.
        for method in ("match", "fullmatch", "search", "finditer", "findall", "sub", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
