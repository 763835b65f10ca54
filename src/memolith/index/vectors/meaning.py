"""Search by meaning for recall: embed within a time limit, then compare units with a question.

The first question loads numpy and the model (an eighth of a second); a long-lived process keeps both, and the
vectors of its scopes.
"""

from __future__ import annotations

import time
from functools import partial

from memolith.base.errors import ConfigError, MemolithError
from memolith.base.values import Value
from memolith.index.vectors import install, statements
from memolith.index.vectors.packs import KEY, Packs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Protocol, TypeVar

    from memolith.env.settings import Settings
    from memolith.index.vectors.nearest import Live, Matrix
    from memolith.index.vectors.numbers import Array
    from memolith.index.vectors.statements import Parts

    class Provider(Protocol):
        """A model that turns texts into vectors of length one."""

        name: str  # the key of stored vectors

        def embed(self, texts: Sequence[str]) -> Array:
            """Return one row for each text."""

        def passages(self, texts: Sequence[Parts]) -> list[Array]:
            """Return for each text a row for the whole, and one for each of its statements."""

    class Units(Protocol):
        """The part of the index used here."""

        home: str

        def stamp(self) -> object:
            """Return a value that changes whenever the index does."""

        def hashes(self, slugs: Sequence[str]) -> list[tuple[int, bytes]]:
            """Return id and content hash of every unit."""

        def texts(
            self, slugs: Sequence[str], skip: Collection[bytes] = ()
        ) -> Iterator[tuple[int, bytes, str]]:
            """Yield id, content hash and text of the units whose hash is not in `skip`."""

    T = TypeVar("T")


Scored = list[tuple[int, float]]

_BATCH = 8  # texts between two checks of the time
_SAVED = 256  # texts between two writes
_REMEMBERED = 64  # cached questions
_EACH = 0.03  # seconds for a text of some fifty words on one core


class Coverage(Value):
    """How many texts of some scopes have a vector."""

    done: int
    model: str
    problem: str  # why some are missing, if there is a problem
    total: int

    @property
    def complete(self) -> bool:
        """Whether every text has its vector."""
        return self.done >= self.total

    @property
    def estimate(self) -> str:
        """About how long the rest takes."""
        seconds = (self.total - self.done) * _EACH
        return "about a minute" if seconds < 90 else f"about {seconds / 60:.0f} minutes"

    def __str__(self) -> str:
        if not self.model:
            return self.problem or "off"
        left = f", {self.total - self.done} left (memolith index sync)" if not self.complete else ""
        return f"{self.model}: {self.done} of {self.total} texts{left}" + (
            f"; {self.problem}" if self.problem else ""
        )


def choose(settings: Settings) -> Provider | None:
    """Return the model if it is installed and not switched off. ConfigError if numpy is missing."""
    path = install.find(settings)
    if not path:
        return None
    try:
        from memolith.index.vectors.minilm import MiniLM
    except ImportError:
        raise ConfigError(install.NEEDED) from None
    return MiniLM(path)


class Vectors:
    """The vectors of one home, for the units of its index."""

    def __init__(
        self,
        index: Units,
        settings: Settings,
        provider: Provider | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._index, self._settings = index, settings
        self._provider, self._chosen = provider, provider is not None
        self._packs = Packs(index.home, int(now() // 86_400))
        self._matrices: dict[str, Matrix] = {}
        self._live: dict[str, tuple[object, Live]] = {}
        self._complete: dict[str, tuple[object, str, int]] = {}  # stamp, model, texts
        self._questions: dict[str, Array] = {}
        self.problem = ""  # why there is no model, or no answer from it

    @property
    def provider(self) -> Provider | None:
        """The model, chosen at the first question; None without the extra, or if switched off."""
        if not self._chosen:
            self._chosen = True
            try:
                self._provider = choose(self._settings)
            except MemolithError as error:
                self.problem = str(error)
        return self._provider

    # ------------------------------------------------------------ catching up

    def sync(
        self,
        slugs: Sequence[str],
        seconds: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Coverage:
        """Embed new texts for at most about `seconds`; drop removed ones. A failing model is not an error."""
        if self.provider is None:
            return self._nothing()
        deadline = None if seconds is None else time.monotonic() + seconds
        stamp = self._index.stamp()
        done = total = 0
        self.problem = ""
        for slug in dict.fromkeys(slugs):
            here, all_ = self._sync(slug, stamp, deadline, progress)
            done, total = done + here, total + all_
        problem = self.problem or (self._packs.problem if done < total else "")
        return Coverage(done=done, model=self.provider.name, problem=problem, total=total)

    def coverage(self, slugs: Sequence[str]) -> Coverage:
        """Return how many texts have a vector, without computing any."""
        if self.provider is None:
            return self._nothing()
        done = total = 0
        for slug in dict.fromkeys(slugs):
            wanted = {key[:KEY] for _, key in self._index.hashes([slug])}
            total += len(wanted)
            done += len(wanted & self._packs.keys(self.provider.name, slug))
        return Coverage(done=done, model=self.provider.name, problem="", total=total)

    def _nothing(self) -> Coverage:
        off = self._settings.text("semantic.provider") == "none"
        why = "off (semantic.provider is none)" if off else "off (memolith semantic install)"
        return Coverage(done=0, model="", problem=self.problem or why, total=0)

    def _sync(
        self, slug: str, stamp: object, deadline: float | None, progress: Callable[[int, int], None] | None
    ) -> tuple[int, int]:
        assert self.provider is not None  # noqa: S101 - the caller asked
        before = self._complete.get(slug)
        if before is not None and before[:2] == (stamp, self.provider.name):
            return before[2], before[2]
        wanted = {key[:KEY] for _, key in self._index.hashes([slug])}
        known = self._packs.keys(self.provider.name, slug)
        done = len(wanted & known)
        fresh: list[tuple[bytes, str]] = []

        def tell(more: int) -> None:
            if progress is not None:
                progress(done + more, len(wanted))

        if done < len(wanted):
            tell(0)
            for _, key, text in self._index.texts([slug], known):
                if key[:KEY] in known:
                    continue
                known.add(key[:KEY])
                fresh.append((key[:KEY], text))
                if len(fresh) == _SAVED:
                    done += self._embed(slug, fresh, deadline, tell)
                    fresh = []
                    if self.problem or _over(deadline):
                        break
            done += self._embed(slug, fresh, deadline, tell)
        if done >= len(wanted):
            self._packs.retain(slug, wanted)
            self._complete[slug] = (stamp, self.provider.name, len(wanted))
        return done, len(wanted)

    def _embed(
        self,
        slug: str,
        fresh: list[tuple[bytes, str]],
        deadline: float | None,
        tell: Callable[[int], None],
    ) -> int:
        """Embed and store as many as the time allows; return how many. Batches have similar lengths."""
        from memolith.index.vectors import nearest

        ordered = sorted(fresh, key=lambda pair: len(pair[1]))
        rows, done = [], 0
        for start in range(0, len(ordered), _BATCH):
            if start and _over(deadline):
                break
            batch = ordered[start : start + _BATCH]
            texts = [statements.parts(text) for _, text in batch]
            found = self._ask(partial(_passages, texts))
            if found is None:
                break
            for (key, _), vectors in zip(batch, found, strict=True):
                rows += nearest.quantise(statements.keys(key, len(vectors)), vectors)
            done += len(batch)
            tell(done)
        assert self.provider is not None  # noqa: S101
        return done if self._packs.add(self.provider.name, slug, rows) else 0

    def _ask(self, question: Callable[[Provider], T]) -> T | None:
        assert self.provider is not None  # noqa: S101
        try:
            return question(self.provider)
        except MemolithError as error:
            self.problem = str(error)
            return None

    def clear(self) -> None:
        """Delete all vectors; they are recomputed when needed."""
        self._packs.clear()
        self._complete.clear()
        self._matrices.clear()

    def close(self) -> None:
        """Close the files."""
        self._packs.close()

    # ------------------------------------------------------------ with the model

    def scores(
        self, slugs: Sequence[str], query: str, candidates: Sequence[int] | None = None, limit: int = 200
    ) -> Scored:
        """Return units and their similarity to `query` (-1 to 1), best first.

        The nearest in the scopes; with `candidates`, these instead, except those without a vector yet. Empty
        without a model, or if it did not answer (`problem` says why).
        """
        if self.provider is None:
            return []
        vector = self._question(query)
        if vector is None:
            return []
        best: dict[int, float] = {}
        for slug in dict.fromkeys(slugs):
            matrix, live = self._scope(slug)
            if candidates is not None:
                units, wanted = live.names(candidates)
                found = zip(units, matrix.of(wanted, vector).tolist(), strict=True)
                best.update((unit, score) for unit, score in found if score == score)  # noqa: PLR0124 - not NaN
                continue
            near, scores = matrix.nearest(vector, 3 * limit)
            for units, score in zip(live.units(near), scores.tolist(), strict=True):
                best.update((unit, score) for unit in units if unit not in best)
        return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def _question(self, query: str) -> Array | None:
        vector = self._questions.pop(query, None)
        if vector is None:
            found = self._ask(lambda model: model.embed([query]))
            if found is None:
                return None
            vector = found[0]
        self._questions[query] = vector
        while len(self._questions) > _REMEMBERED:
            del self._questions[next(iter(self._questions))]
        return vector

    def _scope(self, slug: str) -> tuple[Matrix, Live]:
        from memolith.index.vectors import nearest

        assert self.provider is not None  # noqa: S101
        matrix = self._matrices.setdefault(slug, nearest.Matrix())
        others = matrix.refresh(self._packs, self.provider.name, slug)
        stamp = self._index.stamp()
        known = self._live.get(slug)
        if known is None or known[0] != stamp:
            known = self._live[slug] = (stamp, nearest.Live(self._index.hashes([slug])))
        if others and self._complete.get(slug, ())[:1] == (stamp,) and not matrix.has(known[1].all):
            # Vectors vanished since they were counted: the file is damaged.
            del self._complete[slug]
            seconds = self._settings.number("semantic.seconds")
            done, total = self._sync(slug, stamp, time.monotonic() + seconds, None)
            if done < total:
                self.problem = f"{total - done} of {total} texts lost their vectors (memolith index sync)"
            matrix.refresh(self._packs, self.provider.name, slug)
        return matrix, known[1]


def _passages(texts: Sequence[Parts], model: Provider) -> list[Array]:
    return model.passages(texts)


def _over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() > deadline
