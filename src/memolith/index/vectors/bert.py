"""A small sentence encoder run by numpy alone: BERT's forward pass, the mean of the tokens, length one.

The weights are a safetensors file seen through a memory map: nothing is copied at the start, and processes
share the pages. One that goes on asking copies them, in the order in which products are a fifth faster.
Texts of similar length are computed together, because padding costs like everything else.
"""

import json
import math
import mmap
import os
from collections.abc import Iterator, Sequence
from typing import Any

from memolith.index.vectors.numbers import np, npt
from memolith.index.vectors.wordpiece import WordPiece

Array = npt.NDArray[np.float32]

_TOKENS = 1024  # of one batch: larger ones leave the cache
_ROWS = 32
_OFTEN = 16  # calls after which a copy of the weights pays: it takes as long as ten questions


class Bert:
    """The encoder of one model directory, as sentence-transformers lays it out."""

    def __init__(self, directory: str) -> None:
        config = _read(directory, "config.json")
        self.layers: int = config["num_hidden_layers"]
        self.heads: int = config["num_attention_heads"]
        self.dimension: int = config["hidden_size"]
        self.limit: int = _read(directory, "sentence_bert_config.json")["max_seq_length"]
        self._epsilon: float = config["layer_norm_eps"]
        self._words = WordPiece.read(os.path.join(directory, "vocab.txt"))
        self._file, self._weights = _map(os.path.join(directory, "model.safetensors"))
        self._joined = [self._join(layer) for layer in range(self.layers)]
        self._calls = 0

    def embed(self, texts: Sequence[str]) -> Array:
        """Return one row of length one for each text."""
        self._calls += 1
        if self._calls == _OFTEN:
            self._turn()
        tokens = [self._words.encode(text, self.limit) for text in texts]
        rows = np.empty((len(texts), self.dimension), np.float32)
        for batch in batches([len(each) for each in tokens]):
            rows[batch] = self._forward([tokens[number] for number in batch])
        return rows

    def _join(self, layer: int) -> tuple[Array, Array]:
        """One product for query, key and value instead of three; the scale of the attention is in it."""
        name = f"encoder.layer.{layer}.attention.self."
        scale = np.float32(1 / math.sqrt(self.dimension // self.heads))
        w, b = (
            [self._weights[f"{name}{part}.{kind}"] for part in ("query", "key", "value")]
            for kind in ("weight", "bias")
        )
        return np.concatenate([w[0] * scale, w[1], w[2]]), np.concatenate([b[0] * scale, b[1], b[2]])

    def _turn(self) -> None:
        """Copy the weights column by column, as the products read them, and let the mapped ones go."""
        self._joined = [(_turned(weight), bias) for weight, bias in self._joined]
        for name, weight in self._weights.items():
            if name.endswith("dense.weight"):
                self._weights[name] = _turned(weight)
        if hasattr(mmap, "MADV_DONTNEED"):
            self._file.madvise(mmap.MADV_DONTNEED)

    def _forward(self, tokens: list[list[int]]) -> Array:
        count, width = len(tokens), max(map(len, tokens))
        ids = np.zeros((count, width), np.int64)
        seen = np.zeros((count, width), np.float32)
        for row, each in enumerate(tokens):
            ids[row, : len(each)] = each
            seen[row, : len(each)] = 1
        weights = self._weights
        x = weights["embeddings.word_embeddings.weight"][ids]
        x += weights["embeddings.position_embeddings.weight"][:width]
        x += weights["embeddings.token_type_embeddings.weight"][0]
        x = self._normalise(x.reshape(count * width, self.dimension), "embeddings.LayerNorm")
        hidden = (1 - seen)[:, None, :] * np.float32(-1e9) if seen.min() == 0 else None
        for layer in range(self.layers):
            name = f"encoder.layer.{layer}."
            x += self._dense(self._attend(x, layer, count, hidden), name + "attention.output.dense")
            x = self._normalise(x, name + "attention.output.LayerNorm")
            inner = gelu(self._dense(x, name + "intermediate.dense"))
            x += self._dense(inner, name + "output.dense")
            x = self._normalise(x, name + "output.LayerNorm")
        pooled: Array = np.einsum("nwd,nw->nd", x.reshape(count, width, self.dimension), seen)
        return unit(pooled)

    def _attend(self, x: Array, layer: int, count: int, hidden: Array | None) -> Array:
        weight, bias = self._joined[layer]
        width = len(x) // count
        joined = x @ weight.T
        joined += bias
        q, k, v = joined.reshape(count, width, 3, self.heads, -1).transpose(2, 0, 3, 1, 4)
        mixed = np.empty((count, width, self.heads, self.dimension // self.heads), np.float32)
        # One text after the other: its scores fit into the cache, those of a batch do not.
        for text in range(count):
            scores = q[text] @ k[text].transpose(0, 2, 1)
            if hidden is not None:
                scores += hidden[text]
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            total = scores.sum(axis=-1)[..., None]
            mixed[text] = ((scores @ v[text]) / total).transpose(1, 0, 2)
        return mixed.reshape(count * width, self.dimension)

    def _dense(self, x: Array, name: str) -> Array:
        y: Array = x @ self._weights[name + ".weight"].T
        y += self._weights[name + ".bias"]
        return y

    def _normalise(self, x: Array, name: str) -> Array:
        x -= x.mean(axis=1, keepdims=True)
        x /= np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / self.dimension + self._epsilon)
        x *= self._weights[name + ".weight"]
        x += self._weights[name + ".bias"]
        return x


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Group numbers of similar length, longest first, so that each group costs about the same."""
    order = sorted(range(len(lengths)), key=lambda number: -lengths[number])
    start = 0
    while start < len(order):
        size = max(1, _TOKENS // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def gelu(x: Array) -> Array:
    """X · Φ(x) in place, by the logistic form of the tanh approximation (error below 5e-4 everywhere).

    The error function itself takes twenty passes over the array, as long as a third of all products; this
    takes seven. Rows go in blocks that stay in the cache.
    """
    with np.errstate(over="ignore"):  # exp(large) is infinite, and x divided by it is the right zero
        for start in range(0, len(x), _ROWS):
            block = x[start : start + _ROWS]
            t = block * block
            t *= np.float32(-2 * math.sqrt(2 / math.pi) * 0.044715)
            t -= np.float32(2 * math.sqrt(2 / math.pi))
            t *= block
            np.exp(t, out=t)
            t += 1
            block /= t
    return x


def unit(rows: Array) -> Array:
    """Scale each row to length one; a row of zeros stays."""
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    scaled: Array = rows / np.maximum(length, 1e-12)
    return scaled


def _turned(weight: Array) -> Array:
    return np.ascontiguousarray(weight.T).T


def _read(directory: str, name: str) -> dict[str, Any]:
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def _map(path: str) -> tuple[mmap.mmap, dict[str, Array]]:
    """See a safetensors file: eight bytes of length, a JSON table of names and places, then the numbers."""
    with open(path, "rb") as opened:
        file = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    whole = np.frombuffer(file, np.uint8)
    start = 8 + int.from_bytes(whole[:8].tobytes(), "little")
    table = json.loads(whole[8:start].tobytes())
    found = {}
    for name, entry in table.items():
        if entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            found[name] = whole[start + first : start + last].view(np.float32).reshape(entry["shape"])
    return file, found
