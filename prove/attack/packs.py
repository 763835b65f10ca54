"""Packs that were made to keep a reader busy for ever, or to fill its memory.

Such a pack is put together from a shape (what is a delta of what: a chain, a circle, itself), what the deltas
say (`ORDERS`), how the base is named (offset or name), and how many packs there are. The repository's `HEAD`,
and the name of a commit that somebody may look for, lead into it.
"""

import random
import zlib
from collections.abc import Callable
from pathlib import Path

_MIB = 1 << 20
_COMMIT, _BY_OFFSET, _BY_NAME = 1, 6, 7


def _number(value: int) -> bytes:
    made = bytearray()
    while value >> 7:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def _sized(made: int, orders: bytes) -> bytes:
    return _number(made) + _number(made) + orders


# What a delta consists of. Each is at most a MiB, and packed it is next to nothing.
ORDERS: dict[str, Callable[[random.Random], bytes]] = {
    "pieces of nothing": lambda _: _sized(0, b"\x80" * (_MIB - 8)),
    "pieces behind the end": lambda _: _sized(0, b"\x9f\xff\xff\xff\x7f\x01" * 170_000),
    "new pieces of no length": lambda _: _sized(0, b"\0" * (_MIB - 8)),
    "single letters": lambda _: _sized(500_000, b"\x01x" * 500_000),
    "the whole, again and again": lambda _: _sized(_MIB, b"\x80" * 16),
    "a number without end": lambda _: b"\x80" * (_MIB - 8),
    "more than it says": lambda rng: _sized(rng.randrange(9), b"\x7f" + b"y" * 127),
    "nothing but zeros": lambda _: bytes(_MIB),
    "a bomb": lambda _: bytes(40 * _MIB),
    "noise": lambda rng: rng.randbytes(rng.randrange(2_000)),
}
SHAPES = ("chain", "circle", "itself", "chains in many packs")


def _header(kind: int, size: int) -> bytes:
    first, rest = kind << 4 | size & 15, size >> 4
    return bytes([first | 0x80]) + _number(rest) if rest else bytes([first])


def _distance(value: int) -> bytes:
    made = [value & 0x7F]
    while value := value >> 7:
        value -= 1
        made.append(value & 0x7F | 0x80)
    return bytes(reversed(made))


def _index(offsets: dict[bytes, int]) -> bytes:
    names = sorted(offsets)
    table = b"".join(sum(name[0] <= byte for name in names).to_bytes(4, "big") for byte in range(256))
    places = b"".join(offsets[name].to_bytes(4, "big") for name in names)
    return b"\xfftOc\0\0\0\2" + table + b"".join(names) + bytes(4 * len(names)) + places + bytes(40)


def write(git: Path, rng: random.Random, shape: str, orders: str, wanted: str) -> None:
    """Put hostile packs into a repository; `wanted` is a commit that they say they have."""
    folder = git / "objects" / "pack"
    folder.mkdir(parents=True, exist_ok=True)
    length = {"circle": rng.randrange(2, 9), "itself": 1}.get(shape) or rng.choice([40, 200])
    delta = zlib.compress(ORDERS[orders](rng), 9)
    base = b"z" * rng.choice([0, 65_536, _MIB - 1])
    names = [bytes.fromhex(wanted), *(rng.randbytes(20) for _ in range(length))]
    pack, offsets = bytearray(b"PACK\0\0\0\2\0\0\0\2"), dict[bytes, int]()
    by_offset = shape != "circle" and rng.random() < 0.5
    for name in reversed(names):  # the base comes first, so that offsets lead back to it
        at, previous = len(pack), max(offsets.values(), default=0)
        after = names[(names.index(name) + 1) % len(names)]
        offsets[name] = at
        if name == names[-1] and shape not in ("circle", "itself"):
            pack += _header(_COMMIT, len(base)) + zlib.compress(base)
        elif by_offset:
            pack += _header(_BY_OFFSET, 9) + _distance(0 if shape == "itself" else at - previous) + delta
        else:
            pack += _header(_BY_NAME, 9) + (name if shape == "itself" else after) + delta
        if len(pack) > 8 * _MIB:
            break
    offsets.setdefault(names[0], max(offsets.values()))
    first = folder / "pack-0.pack"
    first.write_bytes(pack)
    first.with_suffix(".idx").write_bytes(_index(offsets))
    for number in range(1, 200 if shape == "chains in many packs" else 1):
        for path in (first, first.with_suffix(".idx")):
            (folder / f"pack-{number}{path.suffix}").hardlink_to(path)
    (git / "HEAD").write_text(f"{wanted}\n")
