"""What was injected into a session so far, read from its receipts. Texts are known by their hashes only."""

from __future__ import annotations

from zlib import crc32

from memolith.hosts.hook import payload
from memolith.store.receipts import Receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memolith.store.receipts import Receipts

_SOON = 5.0  # seconds in which the same event again is a second installation, not a person
_KEEPS = ("resume", "fork")  # beginnings after which the model still has what it was told
_TOLD = "told"  # no event of a host: what was wrong


class Injection:
    """What a hook says, and what of it is to be remembered."""

    __slots__ = ("lines", "mark", "problem", "refs", "revision", "text")

    def __init__(
        self, text: str = "", refs: Iterable[str] = (), revision: str = "", lines: Iterable[str] = ()
    ) -> None:
        self.text, self.mark, self.refs, self.revision = text, mark_of(text), list(refs), revision
        self.lines = {hash_of(line) for line in lines if line.strip()}
        self.problem = ""  # why something was left out


class SessionReceipts:
    """A session as its receipts tell of it."""

    def __init__(self, receipts: Receipts) -> None:
        self.receipts = receipts
        self.block: str | None = None  # hash of the block as it was last given, None if it never was
        self.revision = ""
        self.lines: set[str] = set()
        self._shown: set[str] = set()  # those of the last block, and told since
        self.refs: set[str] = set()
        self.prompts = 0
        self._last = "", "", float("-inf")  # event, key, time
        for receipt in receipts.all:
            self._take(receipt)

    def _take(self, receipt: Receipt) -> None:
        event = receipt.event
        if event == _TOLD:
            self.refs.update(receipt.refs)
            return
        try:
            self._last = event, receipt.key, float(receipt.time)
        except ValueError:
            return
        if event.startswith(payload.START):
            self.block = receipt.mark
            self._shown = set()
            if not event.endswith(_KEEPS):
                self.lines, self.refs = set(), set()
                self.prompts *= event.endswith("compact")  # the task goes on
        elif event == payload.PROMPT:
            self.prompts += 1
        self.revision = receipt.revision or self.revision
        self.lines.update(receipt.lines)
        self._shown.update(receipt.lines)
        self.refs.update(receipt.refs)

    def is_repeated(self, event: str, key: str, now: float) -> bool:
        """Whether the same was asked a moment ago: two installations, or a host that asks twice.

        With something else in between it is another event: a session that goes on ends a second time.
        """
        return (event, key) == self._last[:2] and abs(now - self._last[2]) < _SOON

    def has(self, block: Injection) -> bool:
        """Whether the session has all of a block, and was told nothing that is gone from it."""
        return self.block is not None and self._shown <= block.lines <= self.lines

    def note(self, event: str, key: str, now: float, injection: Injection) -> None:
        """Write down what is injected."""
        if self.receipts.is_full:
            return
        new = injection.lines if event.startswith(payload.START) else injection.lines - self.lines
        lines = ",".join(sorted(new))
        self._append(
            Receipt(f"{now:.3f}", event, key, injection.mark, injection.revision, lines, *injection.refs)
        )

    def tell(self, lines: list[str]) -> list[str]:
        """Note what is said about what went wrong; return those lines that were not said yet."""
        new = [line for line in lines if f"{_TOLD}-{hash_of(line)}" not in self.refs]
        if new:
            refs = (f"{_TOLD}-{hash_of(line)}" for line in new)
            self._append(Receipt("", _TOLD, "", "", "", "", *refs))
        return new

    def _append(self, receipt: Receipt) -> None:
        self.receipts.append(receipt)
        self._take(receipt)


def mark_of(text: str) -> str:
    """Return the hash of what was said; empty for nothing."""
    return payload.mark(text) if text else ""


def hash_of(line: str) -> str:
    """Return the hash of a line."""
    return f"{crc32(line.strip().encode('utf-8', 'replace')):08x}"
