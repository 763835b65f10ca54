"""The file of the model's weights in the home: 8-bit numbers with scales, and the vocabulary.

A line that says what it is, the length of a table, the table (JSON: sizes, and where each tensor lies), then
the bytes. A matrix has a scale for each row, and a factor for each column that evens out the columns first: a
few of them are far larger than the rest, which would be left with few of the 255 steps. A dense layer
lies input by output, as products read it. All this is a quarter of the original, and gives its vectors.
"""

from __future__ import annotations

import hashlib
import json
import mmap

from memolith.index.vectors.numbers import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memolith.index.vectors.numbers import Array

SHAPE = {"layers": 6, "heads": 12, "limit": 256, "epsilon": 1e-12}  # of all-MiniLM-L6-v2
_MAGIC = b"memolith weights 1\n"
_LEFT_OUT = ("pooler.", "embeddings.position_ids")


class Weights:
    """An open file of weights."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as opened:
            self._file = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        if self._file[: len(_MAGIC)] != _MAGIC:
            raise ValueError("it is of another kind or version")
        whole = np.frombuffer(self._file, np.uint8)
        start = len(_MAGIC) + 8
        self._start = start + int.from_bytes(self._file[len(_MAGIC) : start], "little")
        self._bytes = whole[self._start :]
        self.table: dict[str, Any] = json.loads(self._file[start : self._start])
        if len(self._bytes) != self.table["bytes"]:
            raise ValueError("it is not complete")

    @property
    def words(self) -> list[str]:
        """The vocabulary."""
        first, last = self.table["words"]
        return self._bytes[first:last].tobytes().decode("utf-8").split("\n")

    def rows(self, name: str, which: Any) -> Array:
        """Return some rows of a matrix."""
        scales, columns, small = self._matrix(name)
        found: Array = small[which] * scales[which][..., None]
        found *= columns
        return found

    def dense(self, name: str, scale: float = 1.0) -> Array:
        """Return a whole layer in blocks, each input by output: as many outputs as inputs if that fits."""
        scales, columns, small = self._matrix(name)
        inputs, outputs = small.shape
        width = outputs if outputs % inputs else inputs
        found = np.empty((outputs // width, inputs, width), np.float32)
        blocks = small.reshape(inputs, -1, width).transpose(1, 0, 2)
        np.multiply(blocks, (scales * np.float32(scale)).reshape(-1, 1, width), out=found)
        found *= columns[:, None]
        return found

    def vector(self, name: str) -> Array:
        """Return a vector."""
        first, last = self.table["tensors"][name]
        return self._bytes[first:last].view(np.float32)

    def _matrix(self, name: str) -> tuple[Array, Array, Any]:
        first, rows, columns, scales = self.table["tensors"][name]
        middle = first + 4 * (rows + columns)
        found = self._bytes[first:middle].view(np.float32)
        small = self._bytes[middle : middle + rows * columns].view(np.int8).reshape(rows, columns)
        return found[:scales], found[scales:], small


def compact(tensors: Mapping[str, Array], words: bytes, shape: Mapping[str, float], source: str) -> bytes:
    """Return the file of a model: its tensors, its vocabulary (a word a line), where they are from."""
    parts: list[bytes] = []
    table: dict[str, Any] = {**shape, "source": source, "tensors": {}}

    def put(data: bytes) -> int:
        at = sum(map(len, parts))
        parts.append(data + bytes(-len(data) % 8))
        return at

    for name, tensor in tensors.items():
        if name.startswith(_LEFT_OUT):
            continue
        if tensor.ndim == 1:
            at = put(tensor.astype(np.float32).tobytes())
            table["tensors"][name] = [at, at + 4 * tensor.size]
            continue
        columns = np.sqrt(np.maximum(np.abs(tensor).max(axis=0), 1e-12)).astype(np.float32)
        even = tensor / columns
        scales = (np.maximum(np.abs(even).max(axis=1), 1e-12) / 127).astype(np.float32)
        small = np.rint(even / scales[:, None]).astype(np.int8)
        if not name.startswith("embeddings."):
            small = np.ascontiguousarray(small.T)
        at = put(scales.tobytes() + columns.tobytes() + small.tobytes())
        table["tensors"][name] = [at, *small.shape, len(scales)]
    listed = words.rstrip(b"\n")
    at = put(listed)
    table |= {"words": [at, at + len(listed)], "bytes": sum(map(len, parts))}
    head = json.dumps(table).encode()
    head += b" " * (-(len(_MAGIC) + 8 + len(head)) % 8)
    return b"".join([_MAGIC, len(head).to_bytes(8, "little"), head, *parts])


def tensors(data: bytes | mmap.mmap) -> dict[str, Array]:
    """Return the tensors of a safetensors file: a length, a table of names and offsets, the numbers."""
    whole = np.frombuffer(data, np.uint8)
    start = 8 + int.from_bytes(whole[:8].tobytes(), "little")
    found = {}
    for name, entry in json.loads(whole[8:start].tobytes()).items():
        if entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            found[name] = whole[start + first : start + last].view(np.float32).reshape(entry["shape"])
    return found


def digest(data: bytes | mmap.mmap) -> str:
    """Return the SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()
