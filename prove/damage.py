"""Ways to damage a database file; `tests/index/test_damage.py` uses the same."""

import os
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path], None]


def _cut(point: int) -> Damage:
    return lambda path: os.truncate(path, path.stat().st_size * point // 20)


def _filled(data: bytes) -> Damage:
    def damage(path: Path) -> None:
        path.write_bytes(data)

    return damage


def _flip(seed: int) -> Damage:
    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        chance = random.Random(seed)
        for _ in range(100):
            data[chance.randrange(len(data))] ^= 0xFF
        path.write_bytes(data)

    return damage


def _other_version(path: Path) -> None:
    stamp = path.stat()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # even with the seal of a good one


DAMAGE: dict[str, Damage] = {
    "deleted": Path.unlink,
    "empty": _filled(b""),
    "text": _filled(b"not a database " * 99),
    "version": _other_version,
    **{f"cut {point}": _cut(point) for point in range(20)},
    **{f"flip {seed}": _flip(seed) for seed in range(10)},
}
