"""A file as a document: the metadata in its head, and its units. Text in, values out.

A note about one thing is best found as a whole, so it is one unit; a long one also has its sections. Pages
that collect many things (MEMORY.md, a day) have only sections. A session has turns.
"""

from __future__ import annotations

import time

from memolith.base.whole import damage_of
from memolith.index import work
from memolith.index.units import FILE
from memolith.store import archive, files, layout
from memolith.store.entry import ABOUT, NAMED, Entry
from memolith.text import markdown, turns
from memolith.text.turns import Hearing
from memolith.text.typed import parted
from memolith.text.words import spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

WHOLE = 3000  # maximum characters of a note that is one unit
PART = 1500
FACTS = 700
MAX_TURN = 8000
CALLS = 1_000_000  # the position of a tool's first call
MAX_TITLE = 200
_SPEAKERS = ("user", "assistant")
_CALL, _ERROR = 400, 600  # characters of a tool's call, and of how it failed


class Piece:
    """A unit before it is indexed; lines count from 1."""

    __slots__ = ("date", "first", "last", "role", "text", "title", "turn")

    def __init__(self, text: str, title: str, first: int | None, last: int | None, date: str = "") -> None:
        self.text, self.title, self.first, self.last, self.date = text, title, first, last, date
        self.turn: int | None = None
        self.role = ""


class Document:
    """The metadata of a file, the whole (if that is a unit) and the parts."""

    def __init__(self) -> None:
        self.category = self.date = self.expires = self.keys = self.extra = self.record = self.source = ""
        self.status, self.title, self.valid_from, self.valid_until = "active", "", "", ""
        self.supersedes: list[str] = []
        self.named: dict[str, None] = {}  # of a session: the files that it is about
        self.work: list[tuple[str, str, bool, str]] = []  # of a session: kind, what, whether it worked, when
        self.masked = False
        self.problem = ""  # why not all of it could be read
        self.spelled: set[str] | None = None  # None: the file itself must be searched
        self.whole: Piece | None = None
        self.parts: list[Piece] = []
        self.calls: list[Piece] = []  # of tools, in a session

    def pieces(self) -> Iterator[tuple[int, Piece]]:
        """Yield the units with their positions; the whole of a document that also has parts is at -1."""
        if self.whole is not None:
            yield (-1 if self.parts else 0), self.whole
        yield from enumerate(self.parts)
        yield from enumerate(self.calls, CALLS)  # apart, so that turns of a conversation are neighbours


def masked(text: str, *, by_hand: bool = False, allow: frozenset[str] = frozenset()) -> tuple[str, bool]:
    """Return text without its secrets, line for line, and whether it had any."""
    from memolith.text.secrets import redact

    spans = [
        (each.kind, each.start, each.end) for each in redact.redact(text, allow, by_hand=by_hand).findings
    ]
    return redact.masked(text, spans, by_line=True) if spans else text, bool(spans)


def of_file(kind: str, name: str, data: bytes, mtime: int, category: str = "") -> Document:
    """Parse a file into a document; `mtime` in nanoseconds. Of a damaged one, what can be read."""
    if kind == "session":
        return _session(name, data)
    document = Document()
    document.problem = damage_of(data)
    text, document.masked = masked(files.text_of(data), by_hand=True)
    if not document.masked:  # what is masked here may be allowed to be shown
        document.spelled = spelling.words(f"{name}\n{text}")
    changed = _clock(mtime)
    if kind == "memory":
        document.title, document.date = name, changed
        document.parts = list(_facts(text))
    elif kind == "daily":
        document.title = document.date = name.removesuffix(".md")
        document.parts = list(_entries(text, document.title, changed))
    else:
        _single(document, Entry(kind, name, text), text, changed, category)
    return document


def _single(document: Document, entry: Entry, text: str, changed: str, category: str) -> None:
    parsed, kind = entry.parsed, entry.kind
    if entry.status == "quarantined" or (kind == "inbox" and parsed.get("call") in ("", layout.PROPOSAL)):
        return
    body = text if parsed.problem else parsed.body
    document.status, document.title = entry.status, _line(entry.title)
    document.keys = " ".join([*parsed.items("aliases"), *parsed.items("keywords"), *parsed.items("tags")])
    own = (
        item for key in parsed.fields if key not in ABOUT and key not in NAMED for item in parsed.items(key)
    )
    about = parsed.get("description") or (markdown.first_line(body) if kind == "note" else "")
    document.extra = " ".join([about, entry.id, *own])
    document.source = entry.origin or ("imported" if kind == "inbox" else "")
    document.expires, document.valid_from = entry.expires, entry.valid_from
    document.valid_until = entry.valid_until
    written = entry.date("updated") or entry.date("created") or changed
    # A head has the day; of the day on which the file was written, its time tells more.
    document.date = entry.valid_from or (changed if changed.startswith(written) else written)
    if kind in ("record", "ticket"):
        document.record = entry.id
        document.supersedes = parsed.items("supersedes")
        document.category = category or parsed.get("type").strip()
    first = 1 if parsed.problem else parsed.head.count("\n") + 1
    lines = body.split("\n")
    last = first + len(lines) - 1 - (lines[-1] == "" and len(lines) > 1)
    document.whole = Piece(body.strip("\n"), document.title, first, last)
    if len(body) > WHOLE:
        document.parts = list(_sections(body, first, document.title, PART))


def _line(text: str) -> str:
    return markdown.same_line(text)[:MAX_TITLE]


def _facts(text: str) -> Iterator[Piece]:
    """Cut MEMORY.md into sections, a long one into groups of lines; skip comments."""
    at = 0
    line = 1
    for part in [*markdown.parts(text), None]:
        end = part.start if part else len(text)
        yield from _cut(text[at:end], line, "", "", FACTS)
        line += text.count("\n", at, end)
        if part is None:
            return
        if not part.blank:
            yield from _cut(text[part.start : part.end], line, part.title, part.updated, FACTS)
        line += text.count("\n", part.start, part.end)
        at = part.end


def _clock(mtime: int) -> str:
    """Return when a file was changed, by the clock here."""
    seconds, rest = divmod(max(mtime, 0), 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.localtime(seconds))}.{rest // 1_000_000:03d}"


def _entries(text: str, day: str, changed: str) -> Iterator[Piece]:
    pieces = list(_sections(text, 1, day, PART, levels=("### ", "## ", "# ")))
    for piece in pieces:
        clock = piece.title.rpartition("› ")[2][:5]
        is_clock = len(clock) == 5 and clock[2] == ":" and (clock[:2] + clock[3:]).isdigit()
        piece.date = f"{day}T{clock}" if is_clock else day
        if piece is pieces[-1] and changed.startswith(piece.date):
            piece.date = changed  # what was written last
        yield piece


def _sections(
    text: str, first: int, title: str, limit: int, levels: tuple[str, ...] = ("# ", "## ", "### ", "#### ")
) -> Iterator[Piece]:
    begin, heading, line = 0, "", first
    for at, row, fenced in markdown.rows(text):
        if not fenced and row.startswith(levels):
            yield from _cut(text[begin:at], line, _titled(title, heading), "", limit)
            line += text.count("\n", begin, at)
            begin, heading = at, row.lstrip("#").strip()
    yield from _cut(text[begin:], line, _titled(title, heading), "", limit)


def _titled(title: str, heading: str) -> str:
    return f"{title} › {_line(heading)}" if heading and heading != title else title


def _cut(text: str, first: int, title: str, date: str, limit: int) -> Iterator[Piece]:
    """Cut a section at its paragraphs and list items into pieces of about `limit` characters."""
    rows = text.split("\n")
    begin = size = 0
    for at, row in enumerate(rows):
        starts = not row.strip() or row.startswith(("- ", "* ", "+ ", "#")) or row[:1].isdigit()
        if (size and (size + len(row) > limit and starts)) or size + len(row) > 3 * limit:
            yield from _piece(rows[begin:at], first + begin, title, date)
            begin, size = at, 0
        size += len(row) + 1
    yield from _piece(rows[begin:], first + begin, title, date)


def _piece(rows: list[str], first: int, title: str, date: str) -> Iterator[Piece]:
    while rows and not rows[0].strip():
        rows, first = rows[1:], first + 1
    while rows and not rows[-1].strip():
        rows = rows[:-1]
    text = "\n".join(rows)
    said = markdown.strip_comments(text).strip()
    if said and said.casefold() != markdown.TEMPLATE_TITLE.casefold():
        yield Piece(text, title, first, first + len(rows) - 1, date)


def _session(name: str, data: bytes) -> Document:
    """Parse a stored session into a document: a unit for each thing that a person or agent said.

    Pasted text is a separate unit. Of a tool, its command is one, and how it failed; what it brought is noise
    here. A damaged file gives what it has.
    """
    document = Document()
    hearing, doings = Hearing(), work.Doings()
    head: dict[str, object] = {}
    document.record = document.title = name.removesuffix(".jsonl.gz")
    unpacked, is_whole = archive.unpacked(data)
    if problem := archive.problem(unpacked):
        document.problem = f"{problem}; {archive.UNREADABLE}. Delete it if it is not yours"
        return document
    if not is_whole or archive.head_of(unpacked) is None:
        document.problem = archive.DAMAGED
    for number, line in enumerate(unpacked.decode("utf-8", "replace").removesuffix("\n").split("\n")):
        turn = archive.row_of(line)
        if turn is None:
            document.problem = archive.DAMAGED
            continue
        if number == 0 and "turn" not in turn:
            document.date, document.category = _plain(turn.get("started")), _plain(turn.get("ticket"))
            document.status, head = _plain(turn.get("status")) or "active", turn
            hearing.cwd = _plain(turn.get("cwd"))
            continue
        role, tool, said, mark = (_plain(turn.get(key)) for key in ("role", "tool", "text", "taint"))
        heard = hearing.so_far
        taint = hearing.taint(role, tool, said, mark)
        at = _plain(turn.get("time"))
        if role == "tool":
            told = work.done(tool, said, _plain(turn.get("outcome")), _plain(head.get("cwd")), heard or mark)
            doings.add(told, at)
            said, taint = _called(turn), taint or hearing.so_far
        elif role not in _SPEAKERS:
            continue
        else:
            doings.hear(role, heard, mark)
        text, hidden = masked(said.strip())
        document.masked = document.masked or hidden
        if len(document.named) < work.MOST_FILES:
            document.named.update(dict.fromkeys(work.files_in(text)))
        given = turn.get("turn")
        for part, whose in _parts(role, text, taint):
            piece = Piece(part, document.title, None, None, at)
            piece.turn = given if isinstance(given, int) else number
            piece.role = f"{role}:{whose}" if whose else role
            (document.calls if role == "tool" else document.parts).append(piece)
    document.work = doings.of_session(head, hearing.so_far)
    done = [what.casefold() for kind, what, *_ in document.work if kind == FILE]
    document.named = dict.fromkeys([*done, *document.named][: work.MOST_FILES])
    return document


def _parts(role: str, text: str, taint: str) -> list[tuple[str, str]]:
    """Return the parts of a turn that are units, each with its taint."""
    typed, pasted = parted(text) if role == "user" else (text, "")
    return [(part[:MAX_TURN], whose) for part, whose in ((typed, taint), (pasted, "pasted")) if part]


def turn_text(session: list[str], turn: int, *, pasted: bool) -> str | None:
    """Return the text of one turn as in the document, without parsing the others.

    None if its row is not where expected; then the whole session must be parsed.
    """
    row = archive.row_of(session[turn]) if turn < len(session) else None
    role = None if row is None or row.get("turn", turn) != turn else row.get("role")
    if row is None or role not in (*_SPEAKERS, "tool"):
        return None
    text = masked((_called(row) if role == "tool" else _plain(row.get("text"))).strip())[0]
    parts = {whose: part for part, whose in _parts(str(role), text, "")}
    if len(parts) == 1:  # whatever the turn is tainted with, it is one unit
        return next(iter(parts.values()))
    return None if row.get("taint") else parts.get("pasted" if pasted else "")


def _called(row: dict[str, object]) -> str:
    """Return what is searched of a tool's turn: the command of a shell, and how any call failed."""
    tool, text = _plain(row.get("tool")), _plain(row.get("text"))
    command = turns.command(tool, text)
    failed = _plain(row.get("outcome")) not in ("", "ok", "success")
    if not (command or failed):
        return ""
    call, _, result = text.partition("\n")
    said = f"$ {command}" if command else call
    return "\n".join(filter(None, (said[:_CALL], result.strip()[-_ERROR:] if failed else "")))


def rows(data: bytes) -> list[str]:
    """Return the lines of a stored session: a header, then one for each turn."""
    return archive.unpacked(data)[0].decode("utf-8", "replace").split("\n")


def _plain(value: object) -> str:
    return value if isinstance(value, str) else ""
