"""What the tests of learning share."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.learn.model.loopback import Loopback

CONNECT = socket.socket.connect


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """Return a model on the loopback, the only address that may be reached."""

    def loopback_only(self: socket.socket, address: Any) -> None:
        assert address[0] == "127.0.0.1"
        CONNECT(self, address)

    monkeypatch.setattr(socket.socket, "connect", loopback_only)
    running = Loopback()
    yield running
    running.stop()
