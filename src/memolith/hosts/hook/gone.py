"""What a session was shown and memory no longer has: removed, replaced or ticked off, by whomever.

Receipts have hashes only, and a line that is gone is in no file any more; so the lines that a session was
shown are kept beside them, as they were shown, masked. `forget` reaches them, and they go with the receipts.
"""

from __future__ import annotations

from memolith.base.errors import MemolithError
from memolith.base.lean import suppress
from memolith.base.whole import NOT_WHOLE
from memolith.env.paths import Tree
from memolith.hosts.hook.injections import hash_of
from memolith.store import receipts
from memolith.text.safe import structure
from memolith.text.safe.structure import CLOSE, OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memolith.hosts.hook.injections import Injection, SessionReceipts
    from memolith.hosts.hook.payload import Call
    from memolith.mem import Mem
    from memolith.prompt.block import Block
    from memolith.text.budget import Section

_LINES, _CHARS = 8, 800


def keep(mem: Mem, call: Call, lines: Iterable[tuple[Section, str]], *, anew: bool) -> None:
    """Keep the lines that a session was shown; `anew` if a whole block replaces what it had."""
    rows = [f"{section.source}\t{line}" for section, line in lines]
    if not rows and not anew:
        return
    name = call.label + receipts.SHOWN
    before = [] if anew else receipts.read_note(mem.home, name)[1]
    with suppress(MemolithError, OSError):  # then what goes later is not told
        receipts.note(mem.home, name, *before, *rows)


def tell(mem: Mem, call: Call, past: SessionReceipts, now: Block, injection: Injection, room: int) -> None:
    """Add to an injection the lines that are gone, as far as there is room, and note that they were told."""
    lines = _gone(mem, call, past, now)
    shown: list[str] = []
    for line in lines[:_LINES]:
        if sum(map(len, shown)) + len(line) > min(_CHARS, room - 300):
            break
        shown.append(line)
    if not shown:
        return
    injection.gone.update(map(hash_of, lines))
    more = len(lines) - len(shown)
    rest = [f"({more} more that you were shown; `memory_read` has what is left)"] if more else []
    text = "\n".join([OPEN, f"## {structure.GONE}", *shown, *rest, CLOSE])
    injection.text = "\n\n".join(filter(None, [injection.text, text]))


def _gone(mem: Mem, call: Call, past: SessionReceipts, now: Block) -> list[str]:
    if NOT_WHOLE in now.text:
        return []  # what cannot be read may still be there
    there = {hash_of(line) for _, line in now.lines()}
    found = []
    for row in receipts.read_note(mem.home, call.label + receipts.SHOWN)[1]:
        source, _, line = row.partition("\t")
        is_known = hash_of(line) in past.shown and not line.startswith("#")
        if is_known and hash_of(line) not in there and _is_seen_whole(mem, now, source):
            found.append(line)
    return list(dict.fromkeys(found))


def _is_seen_whole(mem: Mem, now: Block, source: str) -> bool:
    """Whether the block has all of a file, or would have if there were something in it.

    A log that is no longer shown because the day is over is still there.
    """
    for section, _, cut in now.candidates:
        if section.source == source:
            return section in now.sections and not (cut or section.cut or section.left_out)
    return "daily/" not in source or Tree(mem.store).stat(source) is None
