"""Receipts: what was injected into which session, and when; one append-only file per session.

A line is a `Receipt`: a time, an event, hashes and references to memory, never a text. Access to a session's
file is exclusive: the lock is on the file itself, which is never replaced, so two hooks that a host starts at
the same instant run one after the other.

A text is recorded after it was printed, but a full disk is detected before: a line counts once its end is
written (`promise`, then `keep`). Before that, it tells who cannot wait for the lock what is under way.
"""

from __future__ import annotations

import errno
import os
import time

from memolith.base.errors import MemolithError, StorageError
from memolith.base.lean import contextmanager, suppress
from memolith.base.whole import Watch
from memolith.env.paths import Place
from memolith.store import files, locks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DIRECTORY = "hooks"
SHOWN = ".shown"  # suffix of the lines that a session was shown
SUMMARY = ".summary"  # suffix of what a session left while another process held the lock
_MAX_BYTES = 1_048_576
_KEPT = 30 * 86_400  # seconds
_SWEPT = 86_400
_MOMENT = 30.0  # seconds
_WAIT = 3.0  # seconds that a cleanup waits for a session's hook
_MAX_STAMP = 65_536
END = "end"  # the event of a session that is over
_END = "end"  # after the last field: a line without it is incomplete, or from another version


class Receipt:
    """What was injected into a session at one event."""

    __slots__ = ("event", "key", "lines", "mark", "refs", "revision", "time")

    def __init__(
        self,
        time: str,
        event: str,
        key: str = "",
        mark: str = "",
        revision: str = "",
        lines: str = "",
        *refs: str,
    ) -> None:
        self.time, self.event = time, event
        self.key = key  # hash of the prompt
        self.mark = mark  # hash of the text
        self.revision = revision  # state of the files
        self.lines = lines.split(",") if lines else []  # hashes of the lines shown
        self.refs = [*filter(None, refs)]

    def as_line(self) -> bytes:
        """Return the line of a file, without its end."""
        fields = (self.time, self.event, self.key, self.mark, self.revision, ",".join(self.lines), *self.refs)
        return "\t".join(" ".join(field.split()) for field in fields).encode("utf-8", "replace")


_FIELDS = 6  # fields of a line before the references


def _parsed(data: bytes) -> list[Receipt]:
    """Parse the lines of a file; one without an end, or with too few fields, is not a receipt."""
    lines = data[: data.rfind(b"\n") + 1].decode("utf-8", "replace").split("\n")
    found = (line.split("\t") for line in lines)
    return [Receipt(*fields) for fields in found if len(fields) >= _FIELDS]


class Receipts:
    """The receipts of one session, in order. Without `fd`, because of a `problem`, nothing is recorded."""

    def __init__(self, place: Place, fd: int | None, problem: Exception | None) -> None:
        self.place, self._fd, self.problem = place, fd, problem
        data = b""
        try:
            has_own = fd is not None and hasattr(os, "pread")
            data = os.pread(fd, _MAX_BYTES, 0) if has_own else place.read_part(_MAX_BYTES)[0]  # type: ignore[arg-type]
        except (MemolithError, OSError) as error:
            self.problem = problem or error
        if fd is not None and len(data) == _MAX_BYTES:
            data = self._shortened(fd, data)
        self.is_full = len(data) == _MAX_BYTES
        end = data.rfind(b"\n") + 1
        if fd is not None and end < len(data) < _MAX_BYTES:
            with self._trying():  # an incomplete line does not count
                os.ftruncate(fd, end)
        self.all = _parsed(data)
        # Event and key of what the holder of the lock is answering, if that is somebody else.
        self.under_way = data[end:].decode("utf-8", "replace").split("\t")[1:3] if fd is None else []
        self._begun: int | None = None  # size of the file before what announces ours
        self._pending: list[bytes] = []
        self._promised = False

    def _shortened(self, fd: int, data: bytes) -> bytes:
        """Keep the later half of a full log: its session continues."""
        with self._trying():
            size = os.fstat(fd).st_size
            os.lseek(fd, size - _MAX_BYTES // 2, os.SEEK_SET)
            tail = os.read(fd, _MAX_BYTES).partition(b"\n")[2]
            os.ftruncate(fd, 0)
            os.write(fd, tail)
            return tail
        return data

    def begin(self, receipt: Receipt) -> None:
        """Announce what is answered now: the line so far, without its end."""
        if self._fd is not None and self.problem is None and not self.is_full:
            with self._trying():
                self._begun = os.fstat(self._fd).st_size
            self._write(receipt.as_line())

    def _unbegin(self) -> None:
        if self._fd is not None and self._begun is not None:
            with self._trying():
                os.ftruncate(self._fd, self._begun)
            self._begun = None

    def append(self, receipt: Receipt) -> None:
        """Add a line that counts once kept. Not synced: a crash of the machine may lose it."""
        self._pending.append(receipt.as_line())

    def promise(self) -> None:
        """Write the first pending line without its end."""
        if self._pending and not self._promised:
            self._unbegin()
            self._promised = True
            self._write(self._pending.pop(0))

    def can_write(self) -> bool:
        """Whether there is disk space for a line."""
        if self._fd is not None and self.problem is None and not self._promised and self._begun is None:
            with self._trying():
                size = os.fstat(self._fd).st_size
                os.write(self._fd, b"?")
                os.ftruncate(self._fd, size)
        return self.problem is None

    def keep(self) -> None:
        """Complete the pending lines."""
        self._unbegin()
        self.promise()
        if self._promised:
            self._write(b"\n" + b"".join(line + b"\n" for line in self._pending))
            self._pending, self._promised = [], False

    def _write(self, data: bytes) -> None:
        if self._fd is not None and self.problem is None:
            with self._trying():
                if os.write(self._fd, data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @contextmanager
    def _trying(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.problem = StorageError(self.place.path, error)


@contextmanager
def hold(home: str, session: str, wait: float) -> Iterator[Receipts]:
    """Lock and open the receipts of a session (a plain name), as far as they can be read.

    A full or read-only disk, or a stopped hook, must not keep memory from a session.
    """
    relative = f"{DIRECTORY}/{session}.log"
    place, held, fd, problem = Place.of(os.path.join(home, "state", relative)), None, None, None
    with Watch(aside=True):
        try:
            place = files.make_place(files.state(home), relative)
            held = locks.holding(place, os.O_CREAT | os.O_APPEND, wait)
            fd = held.__enter__()
        except (MemolithError, OSError) as error:
            problem = error
    try:
        yield Receipts(place, fd, problem)
    finally:
        if held is not None and fd is not None:
            held.__exit__(None, None, None)


def stamp(home: str, name: str, text: str = "") -> None:
    """Store a short value with the current time."""
    place = files.make_place(files.state(home), f"{DIRECTORY}/{name}")
    with files.storage_errors(place.path):
        fd = files.open_own(place, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        try:
            os.write(fd, f"{text}\n".encode("utf-8", "replace"))
        finally:
            os.close(fd)


def path(home: str, name: str) -> str:
    """Return the file of a stored value."""
    return os.path.join(home, "state", DIRECTORY, name)


def read_stamp(home: str, name: str) -> tuple[float, str]:
    """Return the time and the text of a stored value; time 0 if there is none."""
    place = Place.of(path(home, name))
    found = None
    with Watch(aside=True), suppress(MemolithError):
        data = place.read_part(_MAX_STAMP)[0]
        found = place.stat()
    return (0.0, "") if found is None else (found.st_mtime, data.decode("utf-8", "replace").strip())


def note(home: str, name: str, *fields: str) -> None:
    """Store some values, one per line, escaped: a name can contain a newline."""
    lines = [field.replace("\\", "\\\\").replace("\n", "\\n") for field in fields]
    stamp(home, name, "\n".join([f"{len(lines)} fields", *lines, _END]))


def read_note(home: str, name: str) -> tuple[float, list[str]]:
    """Return the time and the list of stored values; none if they are incomplete."""
    when, text = read_stamp(home, name)
    head, *lines = text.split("\n")
    if head != f"{len(lines) - 1} fields" or lines[-1] != _END:
        return when, []
    # Split at escaped backslashes first, so that each remaining one starts an escape.
    parts = [[part.replace("\\n", "\n") for part in line.split("\\\\")] for line in lines[:-1]]
    return when, ["\\".join(each) for each in parts]


def age(home: str, name: str) -> float:
    """Return the age of a stored value in seconds; infinity if there is none, or it is in the future.

    Slightly in the future counts as now: clocks are adjusted, and a file server has its own.
    """
    passed = time.time() - read_stamp(home, name)[0]
    return max(0.0, passed) if passed > -_MOMENT else float("inf")


def remove(home: str, name: str, when: float) -> None:
    """Remove a value stored at that time; one stored since stays."""
    if read_stamp(home, name)[0] == when:
        with suppress(OSError):
            files.unlink(files.state(home).place(f"{DIRECTORY}/{name}"))


def names(home: str, ending: str) -> list[str]:
    """Return the names with a suffix, sorted."""
    return files.state(home).names(DIRECTORY, ending)


def sweep(home: str) -> None:
    """Remove files older than thirty days, at most once a day."""
    if age(home, "swept") < _SWEPT:
        return
    stamp(home, "swept")
    folder = files.state(home).folder(DIRECTORY)
    now = time.time()
    for entry in folder.entries():
        with suppress(OSError):
            if now - entry.stat(follow_symlinks=False).st_mtime > _KEPT:
                files.unlink(Place(folder, entry.name))


def blank_names(
    home: str, has: Callable[[str], bool], tell: Callable[[str], None], *, dry: bool = False
) -> Iterator[tuple[str, int]]:
    """Blank names that contain a forgotten text in all receipts; yield each file with its count.

    In place, with the same length: a process that has a file open keeps appending to it. The files of a
    session with such a name are removed.
    """
    tree = files.state(home)
    for each in names(home, ""):
        place = tree.place(f"{DIRECTORY}/{each}")
        is_called_so = has(each.partition(".")[0])
        try:
            with files.storage_errors(place.path):
                found = _names_in(place.read(_MAX_BYTES, cut=True) or b"", has)
                if is_called_so and not dry:
                    files.unlink(place)
                elif found and not dry:
                    _blank(place, has)
        except MemolithError as error:
            tell(str(error))
            continue
        if found or is_called_so:
            yield place.path, max(1, len(found))


def _blank(place: Place, has: Callable[[str], bool]) -> None:
    with locks.holding(place, 0, _WAIT) as fd:
        for at, size in _names_in(os.read(fd, _MAX_BYTES), has):
            os.lseek(fd, at, os.SEEK_SET)
            os.write(fd, b"-" * size)
        os.fsync(fd)


def _names_in(data: bytes, has: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Return the positions and lengths of such names in references; our own words (`start`, `notes`) stay."""
    found, at = [], 0
    for line in data.split(b"\n"):
        for number, field in enumerate(line.split(b"\t")):
            if number >= _FIELDS:
                found += [(at + start, size) for start, size in _names_of(field, has)]
            at += len(field) + 1
    return found


def _names_of(reference: bytes, has: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield the matching parts of `projects/x/notes/a.md#L1-9`, or of `session:claude-abc#12`."""
    start = 0
    if reference.startswith(b"session:"):
        start = reference.find(b"-") + 1
    elif reference.startswith(b"projects/"):
        start = reference.find(b"/", len(b"projects/")) + 1
    path = reference.partition(b"#")[0]
    for depth, part in enumerate(path[start:].split(b"/")):
        is_ours = depth == 0 and not reference.startswith(b"session:")  # a kind, or a file at the top
        if not is_ours and part != b"MEMORY.md" and has(part.decode("utf-8", "replace")):
            yield start, len(part)
        start += len(part) + 1


def of_all_sessions(home: str, since: float = 0.0) -> Iterator[tuple[str, Receipt]]:
    """Yield every receipt of the sessions whose files changed since then, with its session."""
    tree = files.state(home)
    for name in names(home, ".log"):
        place = tree.place(f"{DIRECTORY}/{name}")
        try:
            found = place.stat()
            data = place.read_part(_MAX_BYTES)[0] if found and found.st_mtime > since else b""
        except MemolithError:
            continue
        yield from ((name[:-4], receipt) for receipt in _parsed(data))


def going_on(home: str, since: float) -> set[str]:
    """Return the sessions whose agent told of an event since then, and of no end after it."""
    found: set[str] = set()
    for session, receipt in of_all_sessions(home, since):
        with suppress(ValueError):  # a line about a problem has no time
            is_new = float(receipt.time) > since
            (found.add if is_new and receipt.event != END else found.discard)(session)
    return found
