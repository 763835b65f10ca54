"""The index as the rest of memolith sees it."""

from __future__ import annotations

from memolith.index.model import Analysis, Match, State, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence


class Index:
    """The index of one home. Keep it open in a long-lived process: it then knows what did not change."""

    def __init__(self, home: str) -> None:
        self.home = home

    def sync(
        self,
        slugs: Sequence[str],
        *,
        seconds: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> State:
        """Bring the scopes up to date with the files; "" is the user-wide scope.

        Stops after `seconds`; what was not reached is named in the state. `progress` gets done and total.
        """
        raise NotImplementedError

    def lexical(
        self, slugs: Sequence[str], query: str, limit: int = 200, kinds: Collection[str] | None = None
    ) -> list[Match]:
        """Return the units that best match the words of `query`, best first; any text is a valid query."""
        raise NotImplementedError

    def terms(self, slugs: Sequence[str], query: str) -> Analysis:
        """Return the words of `query` as the index knows them, with their frequencies."""
        raise NotImplementedError

    def units(self, ids: Sequence[int], *, text: bool = True) -> list[Unit]:
        """Return units in the given order. `text=False` spares reading the files (text is then None)."""
        raise NotImplementedError

    def neighbours(self, unit: Unit, reach: int = 1, *, text: bool = True) -> list[Unit]:
        """Return the units before and after one in its document, in order, without itself."""
        raise NotImplementedError

    def by_record(self, slugs: Sequence[str], ids: Collection[str]) -> list[Unit]:
        """Return the whole records or tickets with these ids (for `supersedes`), without their text."""
        raise NotImplementedError

    def texts(self, slugs: Sequence[str], skip: Collection[bytes] = ()) -> Iterator[tuple[int, bytes, str]]:
        """Yield unit id, content hash and text of every unit whose hash is not in `skip`, to embed them."""
        raise NotImplementedError

    def hashes(self, slugs: Sequence[str]) -> list[tuple[int, bytes]]:
        """Return id and content hash of every unit, ordered by id: the rows of a vector search."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the files."""
