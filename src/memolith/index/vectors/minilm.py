"""The local model: all-MiniLM-L6-v2, run by numpy alone, from the weights that `semantic install` stored.

`MiniLM` is the provider, `Bert` the forward pass (the mean of the tokens, length one). The weights are
mapped, so that processes share the pages; the matrices become floats once in a process, of the words only
those that a text has. Texts of similar length are batched, because padding costs time. One pass over a text
gives its vector and those of its statements: the means of their tokens, which have seen the rest of the text.
"""

from __future__ import annotations

import math

from memolith.base.errors import ConfigError
from memolith.index.vectors.install import MODEL
from memolith.index.vectors.numbers import np, unit
from memolith.index.vectors.weights import Weights
from memolith.index.vectors.wordpiece import WordPiece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.index.vectors.numbers import Array
    from memolith.index.vectors.statements import Parts

_TOKENS = 1024  # tokens of one batch: larger ones leave the cache
_ROWS = 32
# The library below numpy copies a matrix before it multiplies, unless all is small. For the few tokens of a
# question that took as long as the product, so they meet a layer in parts of so many inputs and outputs.
_FEW, _DEEP, _WIDE = 40, 384, 64


class MiniLM:
    """A sentence encoder in this process. The weights are opened at the first text."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.name = MODEL
        self._model: Bert | None = None

    def embed(self, texts: Sequence[str]) -> Array:
        """Return one row for each text."""
        return self._loaded().embed(texts)

    def passages(self, texts: Sequence[Parts]) -> list[Array]:
        """Return for each text a row for the whole and one for each of its statements."""
        return self._loaded().passages(texts)

    def _loaded(self) -> Bert:
        if self._model is None:
            try:
                self._model = Bert(self._path)
            except (OSError, ValueError, KeyError) as error:
                raise ConfigError(
                    f"{self._path}: these weights cannot be used ({error}); run `memolith semantic install`"
                ) from None
        return self._model


class Bert:
    """The encoder of one file of weights."""

    def __init__(self, path: str) -> None:
        weights = self._weights = Weights(path)
        self.layers: int = weights.table["layers"]
        self.heads: int = weights.table["heads"]
        self.limit: int = weights.table["limit"]
        self._epsilon: float = weights.table["epsilon"]
        self._words = WordPiece(weights.words)
        self._places = weights.rows("embeddings.position_embeddings.weight", slice(self.limit))
        self._places += weights.rows("embeddings.token_type_embeddings.weight", 0)
        self.dimension = self._places.shape[1]
        self._layers = [_Layer(weights, f"encoder.layer.{layer}.", self) for layer in range(self.layers)]
        self._norm = _norm(weights, "embeddings.LayerNorm")

    def embed(self, texts: Sequence[str]) -> Array:
        """Return one row of length one for each text."""
        tokens = [self._words.encode(text, self.limit) for text in texts]
        rows = self._pooled(tokens, [[(0, len(each))] for each in tokens])
        return np.concatenate(rows) if rows else np.empty((0, self.dimension), np.float32)

    def passages(self, texts: Sequence[Parts]) -> list[Array]:
        """Return a row for each text as a whole, and one for each part that is a statement."""
        tokens, spans = [], []
        for parts in texts:
            found, places = self._words.spans([text for text, _ in parts], self.limit)
            tokens.append(found)
            said = [place for place, (_, states) in zip(places, parts, strict=True) if states]
            spans.append([(0, len(found)), *said])
        return self._pooled(tokens, spans)

    def _pooled(self, tokens: list[list[int]], spans: list[list[tuple[int, int]]]) -> list[Array]:
        """Return the means of some spans of each text's tokens; zeros for a span of none."""
        rows: list[Array] = [np.empty(0, np.float32)] * len(tokens)
        for batch in batches([len(each) for each in tokens]):
            for number, states in zip(batch, self._forward([tokens[each] for each in batch]), strict=True):
                sums = [states[first:last].sum(axis=0) for first, last in spans[number]]
                rows[number] = unit(np.stack(sums))
        return rows

    def _forward(self, tokens: list[list[int]]) -> Array:
        """Return the last state of each token."""
        count, width = len(tokens), max(map(len, tokens))
        ids = np.zeros((count, width), np.int64)
        seen = np.zeros((count, width), np.float32)
        for row, each in enumerate(tokens):
            ids[row, : len(each)] = each
            seen[row, : len(each)] = 1
        x = self._weights.rows("embeddings.word_embeddings.weight", ids)
        x += self._places[:width]
        x = self.normalise(x.reshape(count * width, self.dimension), self._norm)
        hidden = (1 - seen)[:, None, :] * np.float32(-1e9) if seen.min() == 0 else None
        for layer in self._layers:
            x = layer.apply(x, count, hidden)
        return x.reshape(count, width, self.dimension)

    def normalise(self, x: Array, by: tuple[Array, Array]) -> Array:
        """Give each row the mean and the deviation that the next step expects, in place."""
        x -= x.mean(axis=1, keepdims=True)
        x /= np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / self.dimension + self._epsilon)
        x *= by[0]
        x += by[1]
        return x


class _Layer:
    """The matrices of one layer, and what it does."""

    def __init__(self, weights: Weights, name: str, model: Bert) -> None:
        self._model = model
        # Query, key and value in one product, with the scale of the attention.
        scale = 1 / math.sqrt(model.dimension // model.heads)
        parts = [
            (f"{name}attention.self.{part}", by) for part, by in (("query", scale), ("key", 1), ("value", 1))
        ]
        self._attention = (
            np.concatenate([weights.dense(f"{part}.weight", by) for part, by in parts]),
            np.concatenate([weights.vector(f"{part}.bias") * np.float32(by) for part, by in parts]),
        )
        self._mix, self._inner, self._outer = (
            (weights.dense(f"{name}{part}.weight"), weights.vector(f"{name}{part}.bias"))
            for part in ("attention.output.dense", "intermediate.dense", "output.dense")
        )
        self._norms = (
            _norm(weights, f"{name}attention.output.LayerNorm"),
            _norm(weights, f"{name}output.LayerNorm"),
        )

    def apply(self, x: Array, count: int, hidden: Array | None) -> Array:
        """Return the next state of the tokens of `count` texts."""
        x += _product(self._attend(x, count, hidden), self._mix)
        x = self._model.normalise(x, self._norms[0])
        x += _product(gelu(_product(x, self._inner)), self._outer)
        return self._model.normalise(x, self._norms[1])

    def _attend(self, x: Array, count: int, hidden: Array | None) -> Array:
        heads, dimension = self._model.heads, self._model.dimension
        width = len(x) // count
        joined = _product(x, self._attention)
        q, k, v = joined.reshape(count, width, 3, heads, -1).transpose(2, 0, 3, 1, 4)
        mixed = np.empty((count, width, heads, dimension // heads), np.float32)
        # One text at a time: its scores fit into the cache, those of a batch do not.
        for text in range(count):
            scores = q[text] @ k[text].transpose(0, 2, 1)
            if hidden is not None:
                scores += hidden[text]
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            total = scores.sum(axis=-1)[..., None]
            mixed[text] = ((scores @ v[text]) / total).transpose(1, 0, 2)
        return mixed.reshape(count * width, dimension)


def _norm(weights: Weights, name: str) -> tuple[Array, Array]:
    return weights.vector(f"{name}.weight"), weights.vector(f"{name}.bias")


def _product(x: Array, by: tuple[Array, Array]) -> Array:
    """Multiply tokens with a layer; the few of a question part by part (see `_DEEP`)."""
    (blocks, inputs, width), rows = by[0].shape, len(x)
    y = np.empty((rows, blocks * width), np.float32)
    if rows > _FEW or inputs % _DEEP or width % _WIDE:
        np.matmul(x, by[0], out=y.reshape(rows, blocks, width).transpose(1, 0, 2))
    else:
        parts = by[0].reshape(blocks, -1, _DEEP, width // _WIDE, _WIDE).transpose(1, 0, 3, 2, 4)
        sums = y.reshape(rows, blocks, -1, _WIDE).transpose(1, 2, 0, 3)
        first, *others = zip(x.reshape(rows, -1, _DEEP).transpose(1, 0, 2), parts, strict=True)
        np.matmul(*first, out=sums)
        for some, part in others:
            sums += some @ part
    y += by[1]
    return y


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
