"""The local model: tokens, the network against a plain reference, the real weights."""

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memolith.base.errors import ConfigError
from memolith.env.settings import Settings
from memolith.index.vectors import meaning, weights
from memolith.index.vectors.minilm import Bert, batches
from memolith.index.vectors.wordpiece import WordPiece, split
from tests.shared import WEIGHTS, original

WORDS = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "roll", "##back", "##s", "of", "gen", "-", "it"),
    *("##g", "##c", "重", "跑", "后", "cafe", "!", "user", "##by", "##id", "get"),
    *(f"w{number}" for number in range(40)),
]


def pieces(text: str, limit: int = 64) -> list[str]:
    return [WORDS[number] for number in WordPiece(WORDS).encode(text, limit)]


def test_words_are_cut_into_the_longest_known_pieces() -> None:
    assert pieces("The Rollbacks!") == ["[CLS]", "the", "roll", "##back", "##s", "!", "[SEP]"]
    assert pieces("get Unknownword") == ["[CLS]", "get", "[UNK]", "[SEP]"]


def test_scripts_without_spaces_accents_and_control_characters() -> None:
    assert pieces("重跑gen-itgc后") == ["[CLS]", "重", "跑", "gen", "-", "it", "##g", "##c", "后", "[SEP]"]
    assert split("Café\u200b CAFE\u0301\x00\r\n\u00a0ÀÉ") == ["cafe", "cafe", "ae"]
    assert split("a\ufffdb $x^2") == ["ab", "$", "x", "^", "2"]


def test_a_text_is_cut_at_the_limit_and_a_mark_written_in_it_is_no_mark() -> None:
    assert pieces("the " * 100, 8) == ["[CLS]", *["the"] * 6, "[SEP]"]
    assert pieces("x" * 5_000_000, 8) == ["[CLS]", "[UNK]", "[SEP]"]
    assert "[SEP]" not in pieces("[SEP] the")[1:-1]
    assert pieces("") == ["[CLS]", "[SEP]"]


def test_texts_of_similar_length_are_computed_together() -> None:
    lengths = [3, 200, 4, 256, 5]
    groups = list(batches(lengths))
    assert sorted(at for group in groups for at in group) == [0, 1, 2, 3, 4]
    assert groups[0][0] == 3
    for group in groups:
        assert max(lengths[at] for at in group) * len(group) <= 1024 + 256


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Return the directory of a model with random weights: two layers, 24 numbers, four heads."""
    numbers = np.random.default_rng(7)
    size, inner = 24, 48
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), size),
        "embeddings.position_embeddings.weight": (64, size),
        "embeddings.token_type_embeddings.weight": (2, size),
        "embeddings.LayerNorm.weight": (size,),
        "embeddings.LayerNorm.bias": (size,),
    }
    for layer in range(2):
        name = f"encoder.layer.{layer}."
        for part, (rows, columns) in {
            "attention.self.query": (size, size),
            "attention.self.key": (size, size),
            "attention.self.value": (size, size),
            "attention.output.dense": (size, size),
            "intermediate.dense": (inner, size),
            "output.dense": (size, inner),
        }.items():
            shapes |= {f"{name}{part}.weight": (rows, columns), f"{name}{part}.bias": (rows,)}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{name}{part}.weight": (size,), f"{name}{part}.bias": (size,)}
    tensors = {
        name: numbers.standard_normal(shape).astype(np.float32) * (0.5 if len(shape) > 1 else 1)
        for name, shape in shapes.items()
    }
    shape = {"layers": 2, "heads": 4, "limit": 32, "epsilon": 1e-12}
    path = tmp_path / "tiny.q8"
    path.write_bytes(weights.compact(tensors, "\n".join([*WORDS, ""]).encode(), shape, "tiny"))
    return path


def doubles(path: Path) -> dict[str, Any]:
    """Read a file of weights into numbers of double length."""
    found = weights.Weights(str(path))
    read: dict[str, Any] = {}
    for name, place in found.table["tensors"].items():
        if len(place) == 2:
            read[name] = found.vector(name)
        else:
            whole = name.startswith("emb")
            read[name] = found.rows(name, slice(None)) if whole else np.concatenate(found.dense(name), 1).T
    return {name: tensor.astype(np.float64) for name, tensor in read.items()}


def reference(
    w: dict[str, Any], shape: dict[str, Any], words: list[str], text: str, part: slice = slice(None)
) -> list[float]:
    """Compute the same with numbers of double length, one text and one head at a time, and the true GELU."""
    heads, limit = shape["heads"], shape["limit"]

    def norm(x: Any, name: str) -> Any:
        x = x - x.mean(1, keepdims=True)
        return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-12) * w[name + ".weight"] + w[name + ".bias"]

    def dense(x: Any, name: str) -> Any:
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    ids = WordPiece(words).encode(text, limit)
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    size = x.shape[1] // heads
    for layer in range(shape["layers"]):
        name = f"encoder.layer.{layer}."
        q, k, v = (dense(x, f"{name}attention.self.{part}") for part in ("query", "key", "value"))
        mixed = []
        for head in range(heads):
            mine = slice(head * size, (head + 1) * size)
            scores = np.exp(q[:, mine] @ k[:, mine].T / math.sqrt(size))
            mixed.append(scores / scores.sum(1, keepdims=True) @ v[:, mine])
        x = norm(
            x + dense(np.concatenate(mixed, 1), name + "attention.output.dense"),
            name + "attention.output.LayerNorm",
        )
        inner = dense(x, name + "intermediate.dense")
        inner = inner * np.vectorize(lambda each: 0.5 * (1 + math.erf(each / math.sqrt(2))))(inner)
        x = norm(x + dense(inner, name + "output.dense"), name + "output.LayerNorm")
    mean = x[part].mean(0)
    return list(mean / np.linalg.norm(mean))


TEXTS = ["the rollback", "w1 w2 w3 " * 20, "", "gen-itgc w9 w8 w7 the user", "w5"]


def test_the_network_computes_what_the_plain_reference_does(tiny: Path) -> None:
    model, plain = Bert(str(tiny)), weights.Weights(str(tiny))
    rows = model.embed(TEXTS)
    for row, text in zip(rows, TEXTS, strict=True):
        assert float(row @ reference(doubles(tiny), plain.table, plain.words, text)) > 0.9999
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_a_text_has_the_same_vector_alone_and_in_company(tiny: Path) -> None:
    model = Bert(str(tiny))
    together = model.embed(TEXTS)
    alone = np.concatenate([model.embed([text]) for text in TEXTS])
    assert np.allclose(together, alone, atol=1e-5)
    assert model.embed([]).shape == (0, 24)


def test_one_pass_gives_the_whole_and_each_statement_in_its_surroundings(tiny: Path) -> None:
    model, plain = Bert(str(tiny)), weights.Weights(str(tiny))
    parts = [("the rollback", True), ("w1!", False), ("of w2 w3", True), ("w4 " * 40, True), ("w5", True)]
    whole = " ".join(text for text, _ in parts)
    (rows, alone) = model.passages([parts, [("the", False)]])
    assert len(rows) == 5
    assert len(alone) == 1
    assert np.allclose(rows[0], model.embed([whole])[0], atol=1e-5)
    tokens = WordPiece(plain.words).encode(whole, 32)
    said = (slice(1, 4), slice(6, 9), slice(9, 31))
    assert [WORDS[number] for number in tokens[said[1]]] == ["of", "w2", "w3"]
    for row, part in zip(rows[1:4], said, strict=True):
        wanted = reference(doubles(tiny), plain.table, plain.words, whole, part)
        assert float(row @ wanted) > 0.9999
    assert not rows[4].any()  # beyond the limit


def test_a_file_can_be_named_and_a_broken_one_says_so(tiny: Path, tmp_path: Path) -> None:
    chosen = meaning.choose(Settings(str(tmp_path / "home"), {"MEMOLITH_SEMANTIC_MODEL": str(tiny)}))
    assert chosen is not None
    assert chosen.embed(["the"]).shape == (1, 24)
    data = tiny.read_bytes()
    for broken in (b"", b"short", data[:-9], b"x" + data[1:], data[:40]):
        tiny.write_bytes(broken)
        chosen = meaning.choose(Settings(str(tmp_path / "home"), {"MEMOLITH_SEMANTIC_MODEL": str(tiny)}))
        assert chosen is not None
        with pytest.raises(ConfigError, match=r"cannot be used .* run `memolith semantic install`"):
            chosen.embed(["the"])


def test_numpy_gets_one_thread_and_children_are_not_told() -> None:
    code = "from memolith.index.vectors import minilm; import os; print(os.environ.get('OMP_NUM_THREADS'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"


def test_without_weights_there_is_no_model_and_no_error(tmp_path: Path) -> None:
    assert meaning.choose(Settings(str(tmp_path), {})) is None


@pytest.fixture(scope="module")
def installed() -> Bert:
    if not WEIGHTS.is_file():
        pytest.skip("the model's weights are not there (./dev test gets them)")
    return Bert(str(WEIGHTS))


def test_the_installed_model_gives_the_published_vectors(installed: Bert) -> None:
    """The first numbers that the model's own page shows for these two sentences."""
    rows = installed.embed(["This is an example sentence", "Each sentence is converted"])
    assert np.allclose(rows[0, :3], [0.0677, 0.0635, 0.0487], atol=2e-3)
    assert np.allclose(rows[1, :3], [0.0864, 0.1027, 0.0054], atol=2e-3)


def test_eight_bits_give_the_vectors_of_the_original_and_know_meanings(installed: Bert) -> None:
    texts = [
        "How do we roll back a schema change?",
        "Migrations only go forward in production.",
        "Lunch is at noon.",
        "def main(argv: list[str]) -> int:",
        "",
    ]
    rows = installed.embed(texts)
    data, words = original()
    exact = {name: tensor.astype(np.float64) for name, tensor in weights.tensors(data).items()}
    for row, text in zip(rows, texts, strict=True):
        wanted = reference(exact, weights.SHAPE, words.decode().splitlines(), text)
        assert float(row @ wanted) > 0.999
    assert rows[0] @ rows[1] > 3 * abs(rows[0] @ rows[2])
