"""Reads commits from git's files, without git: which exist, which are in the history, where it begins.

Git obeys the repository it runs in, which may be a stranger's. So we parse its files as data: loose objects
and packs (version 2, with deltas). An object counts only if its content matches the hash that names it, and
only if it lies in the repository itself: borrowed objects (`alternates`), links, grafts and replacements are
ignored, because anybody can write them. A malicious pack may be endless, so each question has a deadline and
uses a few MiB at most.
"""

from __future__ import annotations

import os
import zlib
from time import monotonic

from memolith.base.errors import MemolithError
from memolith.env.paths import Place, Tree

try:
    from _sha1 import sha1  # type: ignore[import-not-found] # `hashlib` is slow to import
except ImportError:
    from hashlib import sha1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.env.folders import Folder

_MAX_COMMIT = 1_048_576  # bytes; a commit with a longer message is not followed
_MAX_PACKS = 256
_MAX_REFS = 16 * 1_048_576  # bytes of `packed-refs`
_MAX_DELTAS = 4_096  # git's own limit
_MAX_HELD = 4 * _MAX_COMMIT  # bytes of deltas for one commit, and of cached commits that are bases of deltas
_ENTRY = 200  # bytes that an empty cache entry takes
_MAX_PARENTS = 256
_MAX_SEEN = 4_000_000  # commits in one walk
_AT_HAND = 0.3  # seconds for all lookups of a commit; a regular one takes 0.1 ms
_COMMIT, _BY_OFFSET, _BY_NAME = 1, 6, 7  # kinds of entries in a pack
_WINDOW = 65_536  # bytes of a pack read at once: commits lie side by side
_USUAL = 2_048
_NAMES = 1_032  # bytes of an index before the names
_HEX = frozenset("0123456789abcdef")


class Commits:
    """The commits of one repository."""

    def __init__(self, git: str) -> None:
        self._tree = Tree(git, ours=False)
        self._packs: list[_Pack] | None = None
        self._left = _AT_HAND

    def has(self, commit: str) -> bool:
        """Whether a commit exists here and matches its hash."""
        begun = monotonic()
        found = _is_name(commit) and self._parents(bytes.fromhex(commit), begun + self._left) is not None
        self._left -= monotonic() - begun
        return found

    def head(self) -> str:
        """Return the commit that is checked out; empty if it is missing or unreadable."""
        name = "HEAD"
        for _ in range(5):
            text = self._text(name, 4_096)
            if not text.startswith("ref:"):
                break
            name = text[4:].strip()
            if not name.startswith("refs/"):
                return ""
        text = text.strip() or self._packed_ref(name)
        return text if _is_name(text) else ""

    def reaches(self, commit: str, seconds: float) -> bool | None:
        """Whether the history of the checkout contains a commit; None if that takes too long."""
        wanted, tip = bytes.fromhex(commit), bytes.fromhex(self.head())
        end, seen, todo = monotonic() + seconds, {tip}, [tip] if tip else []
        while todo:
            name = todo.pop()
            parents = self._parents(name, end)
            if parents is None or monotonic() > end or len(seen) > _MAX_SEEN:
                return None  # an object is missing: git may be repacking right now
            if name == wanted:
                return True
            # First parents follow the project's main line, and its root commit is at the end of that.
            for parent in reversed(parents):
                if parent not in seen:
                    seen.add(parent)
                    todo.append(parent)
        return False

    def first(self, seconds: float) -> str:
        """Return the root of the line of first parents; empty if that takes too long."""
        end, name = monotonic() + seconds, bytes.fromhex(self.head())
        while name and (parents := self._parents(name, end)) is not None and monotonic() < end:
            if not parents:
                return name.hex()
            name = parents[0]
        return ""

    def _text(self, path: str, limit: int) -> str:
        try:
            data, size = self._tree.place(path).read_part(limit, shared=True)
        except (MemolithError, OSError):
            return ""
        return data.decode("utf-8", "surrogateescape") if size <= limit else ""

    def _packed_ref(self, name: str) -> str:
        before, found, _ = self._text("packed-refs", _MAX_REFS).partition(f" {name}\n")
        return before.rpartition("\n")[2] if found else ""

    def _parents(self, name: bytes, end: float) -> list[bytes] | None:
        """Return the parents of a commit; None if it is missing or does not match its hash."""
        found = filter(None, (pack.commit(name, end) for pack in self._all_packs()))
        data = next(found, None) or self._loose(name)
        return None if data is None or _named(data, len(name)) != name else _listed(data, len(name))

    def _loose(self, name: bytes) -> bytes | None:
        """Return the content of a loose commit."""
        at = name.hex()
        try:
            data, _ = self._tree.place(f"objects/{at[:2]}/{at[2:]}").read_part(_MAX_COMMIT, shared=True)
            head, _, content = zlib.decompressobj().decompress(data, _MAX_COMMIT).partition(b"\0")
        except (MemolithError, OSError, zlib.error):
            return None
        return content if head == b"commit %d" % len(content) else None

    def _all_packs(self) -> list[_Pack]:
        if self._packs is None:
            try:
                folder = self._tree.folder("objects/pack")
                names = sorted(name[:-4] for name in folder.names() if name.endswith(".idx"))
                kept = _Kept()
                self._packs = [_Pack(folder, name, kept) for name in names[:_MAX_PACKS]]
            except (MemolithError, OSError):
                self._packs = []
        return self._packs


class _Kept:
    """Cache of the last commits of all packs, by pack and offset: they may be bases of deltas."""

    def __init__(self) -> None:
        self._size, self._all = 0, dict[tuple[str, int], bytes]()

    def get(self, key: tuple[str, int]) -> bytes | None:
        return self._all.get(key)

    def add(self, key: tuple[str, int], data: bytes) -> None:
        if key in self._all:
            return
        self._size += len(data) + _ENTRY
        self._all[key] = data
        while self._size > _MAX_HELD:
            self._size -= len(self._all.pop(next(iter(self._all)))) + _ENTRY


class _Pack:
    """A pack and its index: a table by first byte, the sorted names, then the offsets."""

    def __init__(self, folder: Folder, name: str, kept: _Kept) -> None:
        self._folder, self._name, self._kept = folder, name, kept
        self._files: dict[str, int] = {}
        self._head: bytes | None = None
        self._window, self._window_at = b"", 0

    def __del__(self) -> None:
        for fd in self._files.values():
            if fd >= 0:
                os.close(fd)

    def commit(self, name: bytes, end: float) -> bytes | None:
        """Return the content of a commit; None if it is not in this pack, or at the deadline `end`."""
        try:
            at = self._find(name) if monotonic() < end else None
            return None if at is None else self._content(at, len(name), end)
        except (MemolithError, OSError, zlib.error, IndexError, ValueError):
            return None  # damaged, or deleted just now: treat it as missing

    def _read(self, ending: str, at: int, size: int) -> bytes:
        fd = self._files.get(ending)
        if fd is None:
            fd = Place(self._folder, self._name + ending).open(shared=True)
            self._files[ending] = fd = -1 if fd is None else fd
        if hasattr(os, "pread"):
            return os.pread(fd, size, at)
        os.lseek(fd, at, os.SEEK_SET)
        return os.read(fd, size)

    def _find(self, name: bytes) -> int | None:
        """Return the offset of an object in the pack."""
        width = len(name)
        if self._head is None:
            self._head = self._read(".idx", 0, _NAMES)
        if len(self._head) < _NAMES or not self._head.startswith(b"\xfftOc\0\0\0\2"):
            return None
        first = 4 + name[0] * 4  # the table counts the names with a smaller first byte
        low = int.from_bytes(self._head[first : first + 4], "big") if name[0] else 0
        high = int.from_bytes(self._head[first + 4 : first + 8], "big")
        total = int.from_bytes(self._head[-4:], "big")
        number = self._number(name, low, high)
        if number is None:
            return None
        offsets = _NAMES + total * (width + 4)
        found = int.from_bytes(self._read(".idx", offsets + number * 4, 4), "big")
        if found >> 31:  # packs over 2 GiB keep large offsets in a separate table
            found = int.from_bytes(
                self._read(".idx", offsets + total * 4 + (found & 0x7FFFFFFF) * 8, 8), "big"
            )
        return found

    def _number(self, name: bytes, low: int, high: int) -> int | None:
        """Return the position of a name among the sorted ones, by interpolation: hashes are evenly spread."""
        width, some = len(name), 64
        guess = low + ((high - low) * int.from_bytes(name[1:5], "big") >> 32)
        while low < high:
            begin, end = max(low, guess - some), min(high, guess + some)
            names = self._read(".idx", _NAMES + begin * width, (end - begin) * width)
            at = names.find(name)
            while at >= 0 and at % width:
                at = names.find(name, at + 1)
            if at >= 0:
                return begin + at // width
            if name < names[:width]:
                high = begin
            elif name > names[-width:]:
                low = end
            else:
                return None
            guess = (low + high) // 2
        return None

    def _content(self, at: int, width: int, end: float) -> bytes | None:
        """Return the commit at an offset, with its deltas applied."""
        deltas: dict[int, bytes] = {}
        held = 0
        while (data := self._kept.get((self._name, at))) is None:
            entry = self._entry(at)
            kind, position = entry[0] >> 4 & 7, 1
            while entry[position - 1] & 0x80:
                position += 1
            base = -1
            if kind == _BY_OFFSET:
                back = entry[position] & 0x7F
                while entry[position] & 0x80:
                    position += 1
                    back = (back + 1) << 7 | entry[position] & 0x7F
                position += 1
                base = at - back
            elif kind == _BY_NAME:
                base = self._find(entry[position : position + width]) or -1
                position += width
            content = self._unpacked(at, entry, position)
            if kind == _COMMIT:
                self._kept.add((self._name, at), content)
                data = content
                break
            deltas[at], held = content, held + len(content)
            is_too_much = len(deltas) > _MAX_DELTAS or held > _MAX_HELD or monotonic() > end
            if base < 0 or base in deltas or is_too_much:
                return None  # no base, its own base, or made to keep us busy
            at = base
        for at, delta in reversed(deltas.items()):
            data = _applied(data, delta, end)
            self._kept.add((self._name, at), data)
        return data

    def _entry(self, at: int) -> bytes:
        """Return the bytes at an offset, as many as a commit usually takes."""
        begin = at - self._window_at
        if not 0 <= begin < len(self._window) - _USUAL:
            self._window_at = max(at - _WINDOW // 2, 0)
            self._window = self._read(".pack", self._window_at, _WINDOW)
            begin = at - self._window_at
        return self._window[begin : begin + _USUAL]

    def _unpacked(self, at: int, entry: bytes, position: int) -> bytes:
        try:
            return zlib.decompress(entry[position:])  # a few KiB expand to a few MiB at most
        except zlib.error:  # truncated: the entry is longer
            more, stream = self._read(".pack", at + position, _MAX_COMMIT), zlib.decompressobj()
            data = stream.decompress(more, _MAX_COMMIT)
            if not stream.eof:
                raise ValueError("larger than a commit is") from None
            return data


def _applied(base: bytes, delta: bytes, end: float) -> bytes:
    """Apply a delta: copy pieces of the base, insert new ones.

    ValueError if git would not write such a delta (with a missing piece, say), or after the deadline `end`.
    """
    _, at = _number(delta, 0)
    size, at = _number(delta, at)
    parts, made = [], 0
    while at < len(delta):
        order, at = delta[at], at + 1
        length = order
        if order & 0x80:
            begin = length = 0
            for shift in range(4):
                if order >> shift & 1:
                    begin, at = begin | delta[at] << 8 * shift, at + 1
            for shift in range(3):
                if order >> 4 + shift & 1:
                    length, at = length | delta[at] << 8 * shift, at + 1
            length = length or 65_536
            parts.append(base[begin : begin + length])
        else:
            parts.append(delta[at : at + order])
            at += order
        made += length
        is_late = len(parts) % 1_024 == 0 and monotonic() > end
        if not length or len(parts[-1]) < length or made > min(size, _MAX_COMMIT) or is_late:
            raise ValueError("no delta of a commit")
    if made != size:
        raise ValueError("no delta of a commit")
    return b"".join(parts)


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 64, 7):
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value, at
    raise ValueError("a number without end")


def _named(content: bytes, width: int) -> bytes:
    """Return git's hash of a commit with this content."""
    whole = b"commit %d\0%b" % (len(content), content)
    if width == 20:
        name: bytes = sha1(whole).digest()  # noqa: S324 - git's choice, not ours
        return name
    from hashlib import sha256

    return sha256(whole).digest()


def _listed(content: bytes, width: int) -> list[bytes] | None:
    """Return the parents in a commit's header, which follow its tree; None if one is not a valid hash."""
    at, size = 6 + 2 * width, 8 + 2 * width
    parents: list[bytes] = []
    while content.startswith(b"parent ", at):
        name = content[at + 7 : at + size - 1].decode("latin-1")
        if not _is_name(name) or len(parents) == _MAX_PARENTS:
            return None
        parents.append(bytes.fromhex(name))
        at += size
    return parents


def _is_name(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)
