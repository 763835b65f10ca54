"""OpenAI's protocol, spoken with real servers on the loopback."""

import http.server
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memolith.base.errors import ConfigError, ProviderError
from memolith.edges.cli import main
from memolith.env.settings import Settings
from memolith.index.vectors import meaning, remote
from memolith.index.vectors.meaning import Vectors
from memolith.mem import Mem
from tests.index.vectors.stand_ins import Shelf, WordModel
from tests.ledger import proves

CONNECT = socket.socket.connect
KEY = "sk-very-secret-0123456789"


class Service:
    """A server that answers as it is told and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.answer: Callable[[str, dict[str, Any]], tuple[int, bytes, dict[str, str]]] = _embed
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.asked.append((self.path, dict(self.headers), body))
                status, data, headers = service.answer(self.path, body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _embed(_path: str, body: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
    rows = (WordModel(dimension=32).embed(body["input"], query=True) * 3).tolist()  # not of length one
    data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
    answer = {"object": "list", "data": data[::-1]}  # the order is in `index`
    return 200, json.dumps(answer).encode(), {}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    def loopback_only(self: socket.socket, address: Any) -> None:
        assert address[0] == "127.0.0.1"
        CONNECT(self, address)

    monkeypatch.setattr(socket.socket, "connect", loopback_only)
    running = Service()
    yield running
    running.stop()


def settings(home: Path, **values: str) -> Settings:
    named = {f"MEMOLITH_SEMANTIC_{name.upper()}": value for name, value in values.items()}
    return Settings(str(home), named)


def test_a_service_gets_texts_and_questions_as_its_model_wants_them(service: Service, tmp_path: Path) -> None:
    provider = meaning.choose(
        settings(tmp_path, provider="openai", url=service.url, model="nomic-embed-text")
    )
    assert provider is not None
    assert provider.name == "openai:nomic-embed-text"
    rows = provider.embed(["one", "two"])
    provider.embed(["what"], query=True)
    assert [(path, body["input"]) for path, _, body in service.asked] == [
        ("/embeddings", ["search_document: one", "search_document: two"]),
        ("/embeddings", ["search_query: what"]),
    ]
    assert rows.shape == (2, 32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert "Authorization" not in service.asked[0][1]


def test_openai_rows_come_in_the_order_of_the_texts_and_in_pieces(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    provider = meaning.choose(settings(tmp_path, provider="openai", url=service.url + "/v1/", model="m"))
    assert provider is not None
    texts = [f"text {number}" for number in range(130)]
    rows = provider.embed(texts)
    assert np.allclose(rows, WordModel(dimension=32).embed(texts, query=True), atol=1e-5)
    assert [len(body["input"]) for _, _, body in service.asked] == [64, 64, 2]
    path, headers, body = service.asked[0]
    assert (path, headers["Authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert (body["model"], body["encoding_format"]) == ("m", "float")


def test_a_key_may_come_from_a_command(service: Service, tmp_path: Path) -> None:
    command = f"{sys.executable} -c \"print('{KEY}')\""
    chosen = settings(tmp_path, provider="openai", url=service.url, key_command=command)
    remote.Remote(chosen).embed(["x"])
    assert service.asked[0][1]["Authorization"] == f"Bearer {KEY}"
    broken = settings(tmp_path, provider="openai", url=service.url, key_command="false")
    with pytest.raises(ConfigError, match="gave no key"):
        remote.Remote(broken).embed(["x"])


def answers(
    status: int, data: object, **headers: str
) -> Callable[[str, object], tuple[int, bytes, dict[str, str]]]:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return lambda _path, _body: (status, raw, headers)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (answers(401, {"error": f"bad key {KEY}\x1b[31m"}), "HTTP 401"),
        (answers(500, b"<html>no"), "HTTP 500: <html>no"),
        (answers(302, b"", Location="http://127.0.0.1:1/else"), "HTTP 302"),
        (answers(200, b"not json"), "not JSON"),
        (answers(200, {"data": []}), "not as many"),
        (answers(200, {"data": [{"index": 0, "embedding": [1.0, None]}]}), "not a|not as many"),
        (answers(200, {"data": [{"index": 0, "embedding": [float("nan")]}]}), "not as many"),
        (answers(200, {"data": [{"index": 0}]}), "not a list of vectors"),
        (answers(200, ["surprise"]), "not a list of vectors"),
    ],
)
def test_an_answer_that_is_wrong_is_not_believed_and_the_key_not_repeated(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Any, said: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    service.answer = answer
    provider = remote.Remote(settings(tmp_path, url=service.url))
    with pytest.raises(ProviderError, match=said) as caught:
        provider.embed(["a private text"])
    message = str(caught.value)
    assert service.url in message
    assert message.isprintable()
    assert KEY not in message
    assert "a private text" not in message
    assert len(service.asked) == 1  # a redirect is not followed


def test_a_service_that_is_not_there_stops_no_recall(service: Service, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "home")
    shelf.put("shop", "one")
    chosen = settings(tmp_path, provider="openai", url="http://127.0.0.1:1", timeout="2")
    vectors = Vectors(shelf, chosen)
    coverage = vectors.sync(["shop"])
    assert (coverage.done, coverage.total) == (0, 1)
    assert "openai at http://127.0.0.1:1" in coverage.problem
    assert vectors.scores(["shop"], "one") == []
    assert service.asked == []


def test_a_whole_search_through_a_service(service: Service, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "home")
    rollback, _ = shelf.put("shop", "rollback it", "weather report")
    vectors = Vectors(shelf, settings(tmp_path, provider="openai", url=service.url, model="all-minilm"))
    assert vectors.sync(["shop"]).complete
    assert vectors.scores(["shop"], "undo")[0][0] == rollback
    asked = len(service.asked)
    vectors.scores(["shop"], "undo")
    assert len(service.asked) == asked  # the question is remembered


@pytest.mark.parametrize(
    "url", ["ftp://x", "http://", "file:///etc/passwd", "https://user:pw@host/v1", "host:80"]
)
def test_an_address_that_cannot_be_one_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError, match="must be http"):
        remote.Remote(settings(tmp_path, url=url))


def test_a_key_is_only_sent_where_nobody_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ConfigError, match="only sent over https"):
        remote.Remote(settings(tmp_path, url="http://example.org/v1")).embed(["x"])


@proves("X.19")
def test_no_provider_touches_the_network_before_it_is_named(tmp_path: Path) -> None:
    """Sockets are forbidden here; a project's own file cannot name one either."""
    project = tmp_path / "project"
    project.mkdir()
    (project / ".memolith.yml").write_text("semantic:\n  provider: openai\n  url: http://127.0.0.1:9\n")
    shelf = Shelf(tmp_path / "home")
    shelf.put("shop", "one")
    mine = Settings(shelf.home, {})
    mine.enter(str(project))
    assert mine.text("semantic.provider") == "auto"
    mine.of_project()
    assert any("semantic.provider" in line for line in mine.ignored)
    vectors = Vectors(shelf, Settings(shelf.home, {"MEMOLITH_SEMANTIC_PROVIDER": "none"}))
    assert vectors.scores(["shop"], "one") == []


@pytest.mark.parametrize("action", ["sync", "rebuild"])
def test_a_service_elsewhere_gets_the_texts_of_this_project_and_of_the_user_alone(
    action: str, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memolith.env.endpoint._LOCAL", ())  # the loopback is another machine then
    monkeypatch.setenv("MEMOLITH_SEMANTIC_PROVIDER", "openai")
    monkeypatch.setenv("MEMOLITH_SEMANTIC_URL", service.url)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        with Mem.open(tmp_path / name) as mem:
            mem.remember(f"Only {name} knows this.", f"Of {name}")
            mem.remember("All know this.", "Of all", scope="user")
    assert main(["index", action, "--project", str(tmp_path / "b")]) == 0
    sent = " ".join(text for _, _, body in service.asked for text in body["input"])
    assert ("Only b" in sent, "All know" in sent, "Only a" in sent) == (True, True, False)
