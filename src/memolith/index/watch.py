"""The kernel's record of changes since the last check: if there are none, no file needs checking.

Linux queues an event for a watched directory before the call that changes a file returns, so reading the
queue right before a query misses nothing. In doubt (an unknown file system, another operating system, an
overflow, a moved directory) `changes` returns None: check everything. There are no events for writes through
a memory map, nor from another computer; file systems where the latter happens are not watched.
"""

from __future__ import annotations

import os
import struct
import sys

# Files in the directory: modified, attributes, closed after writing, moved from and to, created, deleted.
_FILES = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _OVERFLOW, _IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
_ONLY_DIR, _NO_FOLLOW, _IS_DIR = 0x01000000, 0x02000000, 0x40000000
_WANTED = _FILES | _DELETE_SELF | _MOVE_SELF | _ONLY_DIR | _NO_FOLLOW
_LOST = _UNMOUNT | _OVERFLOW | _IGNORED | _DELETE_SELF | _MOVE_SELF
# ext2-4, xfs, btrfs, tmpfs, f2fs, zfs: only this kernel writes to them.
_LOCAL = frozenset([0xEF53, 0x58465342, 0x9123683E, 0x01021994, 0xF2F52010, 0x2FC12FC1])
_NONBLOCK_CLOEXEC = 0o4000 | 0o2000000
_HEADER = struct.Struct("iIII")


class Journal:
    """Watches some directories of a home and their parents, for one process."""

    def __init__(self) -> None:
        self.directories: frozenset[str] = frozenset()
        self._fd = -1
        self._useless = not sys.platform.startswith("linux")
        self._home = ""
        self._paths: dict[int, str] = {}  # of watched directories, relative to the home
        self._identity: dict[str, tuple[int, int] | None] = {}

    def watch(self, home: str, directories: frozenset[str]) -> None:
        """Start over with these directories; if that is not possible, `changes` stays None."""
        self.close()
        if self._useless:
            return
        import ctypes

        try:
            library = ctypes.CDLL(None, use_errno=True)
            start, add, statfs = library.inotify_init1, library.inotify_add_watch, library.statfs
        except (OSError, AttributeError):
            self._useless = True
            return
        self._fd = start(_NONBLOCK_CLOEXEC)
        if self._fd < 0:
            return
        self._home, self.directories = home, directories
        self._paths, self._identity = {}, {}
        wanted = {""}
        for path in self.directories:
            parts = path.split("/")
            wanted |= {"/".join(parts[:size]) for size in range(1, len(parts) + 1)}
            if parts[1:2] == ["projects"]:
                wanted.add(f"shared/{parts[2]}/place")
        buffer = ctypes.create_string_buffer(256)
        for path in sorted(wanted):
            place = os.fsencode(os.path.join(self._home, path) if path else self._home)
            self._identity[path] = self._inode(path)
            if self._identity[path] is None:
                continue
            if path.endswith("/place"):  # files are in a repository, too, which is not watched
                self.close()
                return
            number = add(self._fd, place, _WANTED)
            known = statfs(place, buffer) == 0 and int.from_bytes(buffer.raw[:4], sys.byteorder) in _LOCAL
            if number < 0 or not known:
                self._useless = not known
                self.close()
                return
            self._paths[number] = path

    def _inode(self, path: str) -> tuple[int, int] | None:
        try:
            found = os.lstat(os.path.join(self._home, path) if path else self._home)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @property
    def is_open(self) -> bool:
        """Whether anything is watched."""
        return self._fd >= 0

    def changes(self) -> dict[str, set[str]] | None:
        """Return the changed names in each directory; None if unknown."""
        found = self._read() if self.is_open else None
        # A path may lead elsewhere although nothing changed in the watched directories.
        if found is None or any(self._inode(path) != known for path, known in self._identity.items()):
            self.close()
            return None
        return found

    def _read(self) -> dict[str, set[str]] | None:
        found: dict[str, set[str]] = {}
        while True:
            try:
                data = os.read(self._fd, 65_536)
            except BlockingIOError:
                return found
            except OSError:
                return None
            at = 0
            while at < len(data):
                watch, mask, _, size = _HEADER.unpack_from(data, at)
                name = os.fsdecode(data[at + 16 : at + 16 + size].rstrip(b"\0"))
                at += 16 + size
                path = self._paths.get(watch)
                if mask & _LOST or path is None:
                    return None
                if mask & _IS_DIR and (f"{path}/{name}" if path else name) in self._identity:
                    return None  # a directory was added, removed or replaced
                if path in self.directories and name:
                    found.setdefault(path, set()).add(name)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Stop watching; a forked child does so at once, as it would share the queue with its parent."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1
