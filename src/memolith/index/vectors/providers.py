"""Which model makes the vectors: the interface, and the choice by the settings.

`auto` takes the local model when the extra is installed, else none. Whatever may reach the network has to be
named in the settings, and a project's own file can set none of them (`config.PROJECT_KEYS`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memolith.base.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from memolith.env.settings import Settings


class Provider(Protocol):
    """A model that turns texts into vectors of length one."""

    name: str  # vectors are kept by it: it names the service and the model

    @property
    def dimension(self) -> int:
        """How long the vectors are; 0 as long as nobody knows."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return one row for each text. `query` says that they are questions, not what is searched."""


def choose(settings: Settings) -> Provider | None:
    """Return the provider that the settings name; None if there is none. ConfigError if it cannot be had."""
    from importlib import util

    wanted = settings.text("semantic.provider")
    if wanted == "none":
        return None
    if util.find_spec("numpy") is None:
        _refuse(wanted, "numpy")
        return None
    if wanted in ("auto", "minilm"):
        from memolith.index.vectors import minilm

        found = minilm.find(settings.text("semantic.model"))
        if found is None:
            _refuse(wanted, "the model's weights")
            return None
        return minilm.MiniLM(found)
    from memolith.index.vectors.remote import Remote

    return Remote(settings)


def _refuse(wanted: str, what: str) -> None:
    """Say that a provider is not there, if somebody asked for it by name."""
    if wanted != "auto":
        raise ConfigError(
            f"semantic.provider = {wanted!r}, but {what} cannot be found; "
            "pip install 'memolith[semantic]', or set semantic.provider to none"
        )
