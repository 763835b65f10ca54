"""Bits of what is derived flip while its times are kept: a bad disk, `rsync -t`, a snapshot.

One memory; in each round something happens to one file below `cache/`, and questions are asked, by words and
by meaning. The answers must be those that were given before. Rounds in between change the memory itself:
afterwards the sums of the index must be those of all its pages, however few of them were read for it.
"""

import os
import shutil
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from zlib import crc32

import numpy as np
import numpy.typing as npt
from tests.index.vectors.stand_ins import WordModel
from tests.recall.made import put, record, session

from memolith import Mem
from memolith.index.vectors import packs
from memolith.index.vectors.meaning import Vectors
from memolith.store import page_sums
from prove.ask import Place
from prove.report import Tally
from prove.world import SECRET, scratch

WORDS = (
    *("redis", "postgres", "deploy", "rollback", "cache", "token", "gateway", "invoice", "webhook", "retry"),
    *("queue", "worker", "cron", "backup", "restore", "index", "undo", "vehicle", "tea", "blue", "zebra"),
)
_SECTOR, _PAGE = 512, 4096
_NOTES = 60
_EVERY = 12  # rounds between two changes of the memory

Answers = list[list[tuple[str, float, str]] | None]


class _Model(WordModel):
    """The model of the tests; it is asked for the same texts again and again."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.concatenate([self._one(text) for text in texts])

    @lru_cache(maxsize=10_000)  # noqa: B019 - there is one
    def _one(self, text: str) -> npt.NDArray[np.float32]:
        return super().embed([text])


_MODEL = _Model()


def run(rounds: int, rng: Random, tally: Tally) -> Iterator[None]:
    """Damage each file in turn."""
    with scratch() as base:
        memory = _Memory(base, rng)
        for number in range(rounds):
            if number % _EVERY == 0:
                memory.change()
                tally.check("the seal of a write holds", memory.broken_seal(), f"round {number}")
                memory.remember()
            memory.round(number, tally)
            yield


class _Memory(Place):
    """A memory, what it answers, and the files that only repeat it."""

    def __init__(self, base: Path, rng: Random) -> None:
        super().__init__(base)
        self.rng, self.cache = rng, self.home / "cache"
        with self.open() as mem:
            for number in range(_NOTES):
                put(mem, f"notes/topic-{number:03}.md", self.text())
            record(mem, "use-mysql", "We chose mysql for storage.", title="Database")
            record(mem, "use-postgres", "We chose postgres.", title="Database", supersedes="[use-mysql]")
            put(mem, "MEMORY.md", f"# Memory\n\n- The token is {SECRET}\n- The gateway is blue.\n", user=True)
            put(mem, "SCRATCHPAD.md", "- [ ] Feed the zebra.\n")
            session(mem, "one", "Which queue do we use?", "The worker reads the redis queue. It retries.")
        self.questions: list[str] = []
        self.right: Answers = []
        self.kept: dict[str, bytes] = {}
        self.older: dict[str, bytes] = {}

    def text(self) -> str:
        """Return a few sentences."""
        some = [" ".join(self.rng.choices(WORDS, k=self.rng.randrange(3, 12))) for _ in range(3)]
        return ". ".join(each.capitalize() for each in some) + "."

    def open(self) -> Mem:
        """Open it, with a model that needs no weights."""
        mem = super().open()
        mem._vectors = Vectors(mem.index, mem.settings, _MODEL)
        return mem

    def change(self) -> None:
        """Let some notes come, go and change, with a look in between: small writes leave few pages."""
        with self.open() as mem:
            for _ in range(self.rng.randrange(1, 6)):
                name = f"notes/topic-{self.rng.randrange(_NOTES + 20):03}.md"
                path = mem.root / "projects" / mem.project / name
                if self.rng.random() < 0.3:
                    path.unlink(missing_ok=True)
                else:
                    put(mem, name, self.text())
                if self.rng.random() < 0.5:
                    mem.recall("queue", semantic=False)
            mem.recall("queue", semantic=False)

    def broken_seal(self) -> list[str]:
        """Return what is wrong with the sums of the index, looked at page by page."""
        path = next(self.cache.glob("index-*.sqlite3"))
        data, known = path.read_bytes(), array("I", Path(f"{path}.sums").read_bytes()[page_sums._LINE :])
        found = array("I", [crc32(data[at : at + _PAGE]) for at in range(0, len(data), _PAGE)])
        return [] if found == known else [f"other sums than those of {len(found)} pages"]

    def remember(self) -> None:
        """Take the answers of an index that was made from nothing for the right ones."""
        self.questions = [" ".join(self.rng.sample(WORDS, self.rng.randrange(1, 4))) for _ in range(4)]
        self.older = {path.name: path.read_bytes() for path in self.cache.iterdir()}
        shutil.rmtree(self.cache)
        with self.open() as mem:
            mem.index.sync(["", mem.project])
            mem.vectors.sync(["", mem.project])  # all of them, however long it takes
            self.right = self.ask(mem)
        self.kept = {path.name: path.read_bytes() for path in self.cache.iterdir()}

    def ask(self, mem: Mem) -> Answers:
        """Return what is found, by words and by meaning."""
        found: Answers = []
        for asked in self.questions:
            for by in (False, True):
                hits = mem.recall(asked, limit=40, semantic=by)
                # On a busy machine not all vectors are made again in time, and it says so.
                said = [(hit.id, round(hit.score, 6), hit.text) for hit in hits]
                found.append(None if any(note.startswith("by meaning") for note in hits.notes) else said)
        return [*found, [("block", 0.0, mem.context_block() or "")]]

    def round(self, number: int, tally: Tally) -> None:
        """Damage one file, ask, and put everything back."""
        # A large file is hit more often, but small ones have their turn.
        names = sorted(self.kept)
        name = self.rng.choices(names, [len(self.kept[each]) ** 0.5 for each in names])[0]
        kind, damage = self.rng.choice(list(_DAMAGE.items()))
        how = self.rng.choice(("new", "long-lived", "trusting"))
        about = f"round {number}: {kind} in {name}, {how}"
        tally.round(f"{kind} in {name}")
        wrong = []
        with self.open() as mem:
            if how == "long-lived":
                self.ask(mem)
            if how == "trusting":  # as a prompt does, within ten minutes of the last look
                mem.index.trust(["", mem.project])
            rewrite(self.cache / name, damage(self.kept[name], self.older.get(name, b""), self.rng))
            try:
                found = self.ask(mem)
                asked = [f"{each!r} {by}" for each in self.questions for by in ("by words", "by meaning")]
                wrong = [
                    f"{what}: {[hit[0] for hit in one]}, not {[hit[0] for hit in other or ()]}"
                    for what, one, other in zip([*asked, "block"], found, self.right, strict=True)
                    if one is not None and one != other
                ]
                wrong += [f"{SECRET} is shown"] if SECRET in str(found) else []
            except Exception as error:  # noqa: BLE001 - whatever it is, it is no answer
                wrong = [repr(error)]
        tally.check("a damaged index gives no wrong answer", wrong, about)
        for path in self.cache.iterdir():
            if path.name not in self.kept:
                path.unlink()
        for each, data in self.kept.items():
            rewrite(self.cache / each, data)


def rewrite(path: Path, data: bytes) -> None:
    """Write into a file where it lies, with the times that it had."""
    if path.exists():
        times = path.stat()
        with path.open("r+b") as file:
            file.write(data)
            file.truncate()
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    else:
        path.write_bytes(data)
        path.chmod(0o600)


def bits(data: bytes, _: bytes, rng: Random, near: int = 0) -> bytes:
    """Return the bytes with some bits changed, `near` each other or anywhere."""
    found = bytearray(data)
    begin = rng.randrange(len(data))
    for _each in range(rng.randrange(1, 31)):
        at = rng.randrange(begin, min(len(data), begin + near)) if near else rng.randrange(len(data))
        found[at] ^= 1 << rng.randrange(8)
    return bytes(found)


def _over(data: bytes, rng: Random, size: int, other: Callable[[int], bytes]) -> bytes:
    at = rng.randrange(max(1, len(data) // size)) * size
    return data[:at] + other(len(data[at : at + size])) + data[at + size :]


def _moved(data: bytes, size: int, rng: Random) -> bytes:
    begin = rng.randrange(max(1, len(data) // size)) * size
    return _over(data, rng, size, lambda room: data[begin : begin + room].ljust(room, b"\0"))


def _stale(data: bytes, older: bytes, rng: Random) -> bytes:
    at = rng.randrange(max(1, len(data) // _PAGE)) * _PAGE
    return data[:at] + older[at : at + _PAGE].ljust(_PAGE, b"\0")[: len(data) - at] + data[at + _PAGE :]


_DAMAGE: dict[str, Callable[[bytes, bytes, Random], bytes]] = {
    "1-30 bits": bits,
    "one bit": lambda data, _, rng: bits(data, _, Random(rng.random()), 1),
    "bits of one page": lambda data, older, rng: bits(data, older, rng, _PAGE),
    "a sector of zeros": lambda data, _, rng: _over(data, rng, _SECTOR, bytes),
    "a sector of garbage": lambda data, _, rng: _over(data, rng, _SECTOR, rng.randbytes),
    "a page of zeros": lambda data, _, rng: _over(data, rng, _PAGE, bytes),
    "another sector": lambda data, _, rng: _moved(data, _SECTOR, rng),
    "another page": lambda data, _, rng: _moved(data, _PAGE, rng),
    "a page of last week": _stale,
    "all of last week": lambda data, older, _: older or data,
    "cut off": lambda data, _, rng: data[: rng.randrange(len(data))],
    "grown": lambda data, _, rng: data + rng.randbytes(rng.randrange(1, 3 * _PAGE)),
}


BROKEN: tuple[Any, ...] = (
    patch.object(page_sums, "_is_right", lambda *_: True),
    patch.object(packs.Pack, "intact", classmethod(lambda cls, number, *parts: cls(number, *parts[:3]))),
    patch.object(page_sums, "journalled", lambda *_: set()),
)
