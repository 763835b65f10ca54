"""A queue for a test, as several processes would open it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memolith.env.settings import Settings
from memolith.learn.queue.ledger import Ledger
from memolith.learn.queue.queue import Queue
from tests.conftest import Clock


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def opened(home: Path, clock: Clock) -> Iterator[Callable[[], Queue]]:
    """Return what opens the queue, as each process would."""
    queues: list[Queue] = []

    def open_one() -> Queue:
        queues.append(Queue(str(home), Settings(str(home)), clock))
        return queues[-1]

    yield open_one
    for queue in queues:
        queue.close()


@pytest.fixture
def queue(opened: Callable[[], Queue]) -> Queue:
    return opened()


@pytest.fixture
def ledger(queue: Queue) -> Ledger:
    return queue.ledger
