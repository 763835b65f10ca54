"""What a writer is told: one value for people, programs and models."""

from __future__ import annotations

from memolith.base.values import WriteResult
from memolith.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.store.gate import Change


def reply(store: str, change: Change, skipped: int, message: str | None) -> WriteResult:
    """Describe a change: bytes written, where, and what was left out or masked."""
    path = layout.locate(store, change.relative)
    before, after = change.before or b"", change.after or b""
    size = len(after) - len(before) if after.startswith(before) else change.written
    if message is None and not change.changed:
        size = 0
        why = f"{skipped} duplicate line(s)" if skipped else "it says so already"
        message = f"Nothing was written to {path}: {why}"
    elif message is None:
        message = f"Wrote {size} bytes to {path}" + (
            f" ({skipped} duplicate line(s) skipped)" if skipped else ""
        )
    return WriteResult(
        filename=path,
        bytes=size,
        held=None,
        warnings=change.warnings,
        sha256=change.sha256,
        skipped=skipped,
        message=message,
    )
