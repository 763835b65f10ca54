"""Ongoing conversations: what a host keeps to continue them, one JSON line per item.

`conversations/<name>.jsonl` of the project is written through the gate: secrets are masked, two processes
lose nothing, and removals can be undone. It is a host's working state: not shown, not searched. A finished
conversation is stored as a session, which is recalled and learned from.
"""

from __future__ import annotations

import json

from memolith.adapters.values import Kept, dumped, slug
from memolith.base.errors import InputError, TextError, TooLargeError
from memolith.env.paths import MAX_FILE_BYTES, MAX_FILE_LINES
from memolith.store import files, layout
from memolith.store.screen import refuse_secret, screen
from memolith.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memolith.mem import Mem

_NAME = 60


class Conversation(Kept):
    """One conversation of a project, by the host's id for it."""

    def __init__(self, mem: Mem, conversation_id: str) -> None:
        super().__init__(mem)
        if not isinstance(conversation_id, str) or not conversation_id.strip():
            raise InputError("a conversation needs an id; give a non-empty string")
        refuse_secret(conversation_id, "id of the conversation")
        self.name = _name(conversation_id)

    @property
    def _relative(self) -> str:
        return layout.path(self._mem.project, "conversations", f"{self.name}.jsonl")

    def items(self, limit: int | None = None) -> list[Any]:
        """Return the items, oldest first; with `limit`, only the newest ones."""
        data = self._tree.read(self._relative)
        lines = [line for line in files.text_of(data or b"").split("\n") if line.strip()]
        first = 0 if limit is None else max(0, len(lines) - max(0, limit))
        return [self._item(line, number) for number, line in enumerate(lines, 1) if number > first]

    def add(self, items: Sequence[object]) -> list[str]:
        """Append items; return warnings (a secret was masked)."""
        if not items:
            return []
        self._mem.register()
        warnings: list[str] = []
        lines = []
        for item in items:
            line, more = screen(dumped(item))
            try:
                json.loads(line)
            except ValueError:  # the apparent secret extends beyond its string
                raise InputError("a secret in the conversation cannot be masked; remove it") from None
            lines.append(line)
            warnings += more

        def apply(old: str | None, text: str) -> str:
            if text.count("\n") != len(lines):
                raise TextError("several items together look like one secret; leave it out")
            new = f"{_whole(old or '')}{text}"
            size = len(new.encode("utf-8", "surrogateescape"))
            if size > MAX_FILE_BYTES or new.count("\n") > MAX_FILE_LINES:
                raise TooLargeError(
                    f"{self._relative}: would grow to {size:,} bytes; the limit of a conversation is "
                    f"{MAX_FILE_BYTES:,}: clear it, or continue in a new one"
                )
            return new

        change = self._mem.gate.change(
            self._relative, "".join(f"{line}\n" for line in lines), apply, op="write"
        )
        return list(dict.fromkeys([*warnings, *change.warnings]))

    def pop(self) -> Any:
        """Remove and return the newest item, if there is one."""
        taken: list[Any] = []

        def apply(old: str | None) -> str | None:
            taken.clear()
            lines = [line for line in (old or "").split("\n") if line.strip()]
            if not lines:
                return old
            taken.append(self._item(lines.pop(), len(lines) + 1))
            return "".join(f"{line}\n" for line in lines)

        if self._tree.is_file(self._relative):
            self._mem.gate.rewrite(self._relative, apply, op="pop")
        return taken[0] if taken else None

    def clear(self) -> None:
        """Remove all items; `undo` restores them."""
        if self._tree.is_file(self._relative):
            self._mem.gate.rewrite(self._relative, lambda _: None, op="clear")

    def _item(self, line: str, number: int) -> Any:
        try:
            return json.loads(line)
        except ValueError as error:
            where = f"{self._relative}, line {number}"
            raise TextError(f"{where}: not JSON ({error}); repair the line, or delete it") from None


def _name(conversation_id: str) -> str:
    """Return the file name of an id: itself if it can be one, else a short form with a hash."""
    plain = slug(conversation_id)
    if plain == conversation_id.casefold() and len(plain) <= _NAME:
        return plain
    return f"{plain[:_NAME].casefold()}-{sha256(conversation_id.encode('utf-8', 'surrogatepass'))[:8]}"


def _whole(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
