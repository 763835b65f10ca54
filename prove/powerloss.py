"""The states that a power loss may leave: a traced run, with what was not synced lost or reordered.

The model is strict POSIX and assumes no help of a file system: bytes are durable when their file was synced,
a name when its directory was. A rename is one step, and durable when one of its directories was synced.
Whatever is not durable is there or not, in any combination; of a file's bytes, the writes up to some
point, the last one cut anywhere. Not traced: what SQLite writes through shared memory, a file that it
makes again (`-shm`).
"""

import itertools
import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from prove.invariants import Expected
from prove.tracing import run
from prove.world import World

_CALLS = (
    "openat,open,creat,write,pwrite64,writev,lseek,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,"
    "unlinkat,mkdir,mkdirat,rmdir,ftruncate,truncate"
)
_ON_FILES = {"write", "pwrite64", "writev", "ftruncate", "truncate", "lseek", "fsync", "fdatasync"}
_LINE = re.compile(r"(\d+)\s+(\w+)\((.*)\)\s+=\s+(-?\d+)")
_PAIR = re.compile(r'(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, "((?:\\x[0-9a-f]{2})*)"')
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_FD = re.compile(r"(\d+)<([^>]*)>")


@dataclass
class Call:
    """One line of a trace."""

    name: str
    arguments: str
    result: int
    who: str

    def texts(self) -> list[bytes]:
        """Return the strings among the arguments."""
        return [_bytes(each) for each in _TEXT.findall(self.arguments)]

    def paths(self) -> list[str]:
        """Return the paths among the arguments, absolute."""
        if not self.name.endswith(("at", "at2")):
            return [os.fsdecode(each) for each in self.texts()]
        pairs = [
            (os.fsdecode(_bytes(base)), os.fsdecode(_bytes(name)))
            for base, name in _PAIR.findall(self.arguments)
        ]
        return [os.path.normpath(os.path.join(base, name)) for base, name in pairs]

    def fd(self) -> tuple[str, str]:
        """Return the number and the path of the descriptor that is the first argument."""
        found = _FD.match(self.arguments)
        return (found[1], os.fsdecode(_bytes(found[2]))) if found else ("", "")


def _bytes(text: str) -> bytes:
    if "\\x" not in text:
        return os.fsencode(text)
    return bytes.fromhex(text.replace("\\x", ""))


def parse(text: str) -> Iterator[Call]:
    """Yield the calls that succeeded; one that another thread interrupted is put together."""
    begun: dict[str, str] = {}
    for row in text.splitlines():
        who = row.partition(" ")[0]
        if row.endswith("<unfinished ...>"):
            begun[who] = row.removesuffix("<unfinished ...>").rstrip()
            continue
        if " resumed>" in row:
            row = begun.pop(who, "") + row.partition(" resumed>")[2]  # noqa: PLW2901
        found = _LINE.match(row)
        if found and int(found[4]) >= 0:
            yield Call(found[2], found[3], int(found[4]), found[1])


@dataclass
class Node:
    """A file or directory: for a file, what is durable, what is there, and the writes in between."""

    is_directory: bool = False
    durable: bytes = b""
    data: bytes = b""
    writes: list[tuple[int, bytes | None]] = field(default_factory=list)  # offset and bytes; None: cut there

    def change(self, offset: int, data: bytes | None) -> None:
        """Write, or cut the file at `offset`."""
        self.data = _changed(self.data, offset, data)
        self.writes.append((offset, data))


@dataclass
class Step:
    """One change of names, which happens as a whole: what each (directory, name) is afterwards."""

    names: list[tuple[int, str, int | None]]
    durable: bool = False


def _changed(old: bytes, offset: int, data: bytes | None) -> bytes:
    start = old[:offset].ljust(offset, b"\0")
    return start if data is None else start + data + old[offset + len(data) :]


class Disk:
    """A tree of files as a run changes it, and what of it is sure to be on disk."""

    def __init__(self, top: Path, seed: Path) -> None:
        self._top = str(top)
        self._nodes = [Node(is_directory=True)]
        self._names: dict[tuple[int, str], int] = {}
        self._steps: list[Step] = []
        self._offsets: dict[str, int] = {}
        for path in sorted(seed.rglob("*")):
            parent = self._find(str(top / path.relative_to(seed).parent))
            data = path.read_bytes() if path.is_file() else b""
            node = Node(is_directory=path.is_dir(), durable=data, data=data)
            self._nodes.append(node)
            self._names[parent or 0, path.name] = len(self._nodes) - 1
        self._base = dict(self._names)

    def _find(self, path: str) -> int | None:
        if path != self._top and not path.startswith(self._top + "/"):
            return None
        at: int | None = 0
        for name in filter(None, path[len(self._top) :].split("/")):
            at = None if at is None else self._names.get((at, name))
        return at

    def _entry(self, path: str) -> tuple[int, str] | None:
        parent = self._find(os.path.dirname(path))
        return None if parent is None or path == self._top else (parent, os.path.basename(path))

    def _step(self, *names: tuple[tuple[int, str], int | None]) -> None:
        for entry, node in names:
            if node is None:
                self._names.pop(entry, None)
            else:
                self._names[entry] = node
        self._steps.append(Step([(*entry, node) for entry, node in names]))

    def apply(self, call: Call) -> bool:
        """Do what a call did; return whether it was about this tree."""
        if call.name in ("open", "openat", "creat"):
            return self._open(call)
        if call.name in _ON_FILES:
            return self._on_file(call)
        return self._on_names(call)

    def _open(self, call: Call) -> bool:
        path = call.paths()[0]
        entry = self._entry(path)
        if entry is None:
            return False
        made = entry not in self._names
        if made:
            if "O_CREAT" not in call.arguments and call.name != "creat":
                return False
            self._nodes.append(Node())
            self._step((entry, len(self._nodes) - 1))
        node = self._nodes[self._names[entry]]
        cut = "O_TRUNC" in call.arguments and bool(node.data)
        if cut:
            node.change(0, None)
        self._offsets[str(call.result)] = -1 if "O_APPEND" in call.arguments else 0
        return made or cut

    def _on_file(self, call: Call) -> bool:
        number, path = call.fd()
        found = self._find(path or call.paths()[0])
        if found is None:
            return False
        node = self._nodes[found]
        if call.name == "lseek":
            self._offsets[number] = call.result
            return False
        if call.name in ("fsync", "fdatasync"):
            self._sync(found)
        elif call.name in ("ftruncate", "truncate"):
            node.change(int(call.arguments.rpartition(",")[2]), None)
        else:
            data = b"".join(call.texts())[: call.result]
            offset = self._offsets.get(number, 0)
            if call.name == "pwrite64":
                offset = int(call.arguments.rpartition(",")[2])
            elif offset < 0:
                offset = len(node.data)
            else:
                self._offsets[number] = offset + len(data)
            node.change(offset, data)
        return True

    def _sync(self, found: int) -> None:
        node = self._nodes[found]
        node.durable, node.writes = node.data, []
        for step in self._steps if node.is_directory else []:
            step.durable = step.durable or any(parent == found for parent, _, _ in step.names)

    def _on_names(self, call: Call) -> bool:
        entries = [self._entry(path) for path in call.paths()]
        if not entries or None in entries:
            return False
        first = entries[0] or (0, "")
        node = self._names.get(first)
        if call.name.startswith("mkdir"):
            self._nodes.append(Node(is_directory=True))
            self._step((first, len(self._nodes) - 1))
        elif call.name.startswith(("unlink", "rmdir")):
            self._step((first, None))
        elif len(entries) > 1:
            other = entries[1] or (0, "")
            if "RENAME_EXCHANGE" in call.arguments:
                self._step((first, self._names.get(other)), (other, node))
            elif call.name.startswith("link"):
                self._step((other, node))
            else:
                self._step((first, None), (other, node))
        return True

    def state(self, names: str, data: str, chance: random.Random) -> dict[str, bytes | None]:
        """Return a tree that a power loss now may leave: paths with their bytes, None for directories.

        `names` and `data`: `all`, `none` or `some` of what is not durable is there.
        """
        tree = dict(self._base)
        for step in self._steps:
            if step.durable or names == "all" or (names == "some" and chance.random() < 0.5):
                for parent, name, node in step.names:
                    if node is None:
                        tree.pop((parent, name), None)
                    else:
                        tree[parent, name] = node
        below: dict[int, list[tuple[str, int]]] = {}
        for (parent, name), node in tree.items():
            below.setdefault(parent, []).append((name, node))
        found: dict[str, bytes | None] = {}
        self._collect(below, 0, "", found, data, chance)
        return found

    def _collect(
        self,
        below: dict[int, list[tuple[str, int]]],
        at: int,
        path: str,
        found: dict[str, bytes | None],
        data: str,
        chance: random.Random,
    ) -> None:
        for name, node in sorted(below.get(at, [])):
            inside = f"{path}/{name}" if path else name
            if self._nodes[node].is_directory:
                found[inside] = None
                self._collect(below, node, inside, found, data, chance)
            elif not name.endswith("-shm"):
                found[inside] = _content(self._nodes[node], data, chance)


def _content(node: Node, data: str, chance: random.Random) -> bytes:
    if data == "all" or not node.writes:
        return node.data
    if data == "none":
        return node.durable
    content = node.durable
    done = node.writes[: chance.randint(0, len(node.writes))]
    for number, (offset, written) in enumerate(done, 1):
        cut = written is not None and number == len(done) and chance.random() < 0.5
        content = _changed(
            content, offset, written[: chance.randint(0, len(written))] if cut and written else written
        )
    return content


def states(
    world: World,
    expected: Expected,
    chance: random.Random,
    some: int = 4,
    prepare: Callable[[], object] = lambda: None,
    moments: int = 10**9,
) -> list[tuple[str, dict[str, bytes | None], bool]]:
    """Trace the command; return distinct states: where each is from, and whether the command had ended.

    The power goes after each call, or after so many of them by chance, and after the last.
    """
    log = world.base / "log"
    traced = ["-y", "-xx", "-s", "10000000", "-o", str(log), "-e", f"trace={_CALLS}"]
    code, said = run(world, expected, traced, prepare)
    if code not in expected.command.codes:
        raise RuntimeError(f"{expected.command.name} ended with {code}: {said}")
    disk = Disk(world.round, expected.start)
    calls = [call for call in parse(log.read_text(errors="replace")) if f"{call.name}," in f"{_CALLS},"]
    fixed = [*itertools.product(("none", "all"), repeat=2), *[("some", "some")] * some]
    found: dict[object, tuple[str, dict[str, bytes | None], bool]] = {}
    looked_at = {len(calls) + 1, *chance.sample(range(1, len(calls) + 1), min(moments, len(calls)))}
    for number, call in enumerate([*calls, None], 1):
        is_end = call is None
        if (call is not None and not disk.apply(call)) or number not in looked_at:
            continue
        for names, data in fixed:
            state = disk.state(names, data, chance)
            # What is derived has a seal: it is as it was, or made anew (`prove/attack/flips.py`).
            kept = {path: each for path, each in state.items() if not path.startswith("home/cache/")}
            where = f"power loss at call {number} of {len(calls)}, names {names}, bytes {data}"
            found.setdefault((tuple(sorted(kept.items(), key=str)), is_end), (where, kept, is_end))
    return list(found.values())


def build(world: World, state: dict[str, bytes | None]) -> None:
    """Make a state the memory of the round."""
    shutil.rmtree(world.round, ignore_errors=True)
    world.round.mkdir()
    for name, data in state.items():
        path = world.round / name
        if data is None:
            path.mkdir(mode=0o700)
        else:
            path.write_bytes(data)
            path.chmod(0o600)
