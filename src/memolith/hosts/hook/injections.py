"""What has been injected into a session, according to its receipts, which have hashes of texts only."""

from __future__ import annotations

from zlib import crc32

from memolith.hosts.hook import payload
from memolith.store.receipts import Receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memolith.store.receipts import Receipts

_SOON = 5.0  # seconds within which a repeated event means a second installation, not a person
_LATE = 30.0  # seconds by which a start may come after its first prompt: hosts wait ten for a hook
_FIRST = f"{payload.START}-startup"
_KEEPS = ("resume", "fork")  # starts after which the model still has what was injected
_GONE = "-"  # before the hash of a line that was taken back
_TOLD = "told"  # not a host's event: reported problems


class Injection:
    """What a hook injects, and what to note about it."""

    def __init__(
        self, text: str = "", refs: Iterable[str] = (), revision: str = "", lines: Iterable[str] = ()
    ) -> None:
        self.text, self.mark, self.refs, self.revision = text, mark_of(text), list(refs), revision
        self.lines = {hash_of(line) for line in lines if line.strip()}
        self.gone: set[str] = set()  # hashes of lines that were taken back
        self.problem = ""  # why something is missing


class SessionReceipts:
    """The state of a session, from its receipts."""

    def __init__(self, receipts: Receipts) -> None:
        self.receipts = receipts
        self.block: str | None = None  # hash of the last injected block, None if there was none
        self.revision = ""
        self.lines: set[str] = set()
        self.shown: set[str] = set()  # those of the last block and since then
        self.taken_back: set[str] = set()
        self.refs: set[str] = set()
        self.prompts = 0
        self._last = "", "", float("-inf")  # event, key, time
        self._start = self._last
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
            self._start = self._last
            self.block = None if event.endswith(payload.CLEARED) else receipt.mark
            self.shown = set()
            if not event.endswith(_KEEPS):
                self.lines, self.refs = set(), set()
                self.prompts *= event.endswith("compact")  # the task goes on
        elif event == payload.PROMPT:
            self.prompts += 1
        self.revision = receipt.revision or self.revision
        gone = {each[1:] for each in receipt.lines if each.startswith(_GONE)}
        new = {each for each in receipt.lines if not each.startswith(_GONE)}
        self.taken_back |= gone
        self.lines = self.lines - gone | new
        self.shown = self.shown - gone | new
        self.refs.update(receipt.refs)

    def is_repeated(self, event: str, key: str, now: float) -> bool:
        """Whether this is a repetition: two installations, or a host that asks twice.

        Not if another event came in between: a session that continues ends a second time.
        """
        if self.receipts.under_way == [event, key]:
            return True
        return (event, key) == self._last[:2] and abs(now - self._last[2]) < _SOON

    def is_overtaken(self, event: str, key: str, now: float) -> bool:
        """Whether the block of a start comes with the first prompt, whose hook was faster.

        Copilot starts both hooks at once.
        """
        if event != _FIRST:
            return False
        if self.receipts.under_way[:1] == [payload.PROMPT] and self.block is None:
            return True
        return self._start[0] == _FIRST and self._start[1] != key and abs(now - self._start[2]) < _LATE

    def begin(self, event: str, key: str, now: float) -> None:
        """Announce what is answered now to hooks of this session that do not wait for it."""
        self.receipts.begin(Receipt(f"{now:.3f}", event, key))

    def has(self, block: Injection) -> bool:
        """Whether the session has all of a block, and nothing that has since been removed from it."""
        return self.block is not None and self.shown <= block.lines <= self.lines

    def note(self, event: str, key: str, now: float, injection: Injection) -> None:
        """Note what is injected."""
        if self.receipts.is_full:
            return
        new = injection.lines if event.startswith(payload.START) else injection.lines - self.lines
        lines = ",".join([*(f"{_GONE}{each}" for each in sorted(injection.gone)), *sorted(new)])
        self._append(
            Receipt(f"{now:.3f}", event, key, injection.mark, injection.revision, lines, *injection.refs)
        )

    def tell(self, lines: list[str]) -> list[str]:
        """Note reported problems; return the lines that are new to the session."""
        new = [line for line in lines if f"{_TOLD}-{hash_of(line)}" not in self.refs]
        if new:
            refs = (f"{_TOLD}-{hash_of(line)}" for line in new)
            self._append(Receipt("", _TOLD, "", "", "", "", *refs))
        return new

    def _append(self, receipt: Receipt) -> None:
        self.receipts.append(receipt)
        self._take(receipt)


def mark_of(text: str) -> str:
    """Return the hash of an injected text; empty for no text."""
    return payload.mark(text) if text else ""


def hash_of(line: str) -> str:
    """Return the hash of a line."""
    return f"{crc32(line.strip().encode('utf-8', 'replace')):08x}"
