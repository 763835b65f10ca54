"""A model on the loopback: answers as scripted, in both protocols, and records what it was sent.

loopback.script(says({"a": 1}), status(429, retry_after="0"), hangs())
loopback.answer = lambda request: says({"a": request.user})     # instead of a script
model = loopback.model(); model.complete(...); loopback.requests[0].user
"""

import http.server
import json
import threading
from collections.abc import Callable
from itertools import count
from typing import Any

from memolith.learn.model.http import Anthropic, OpenAI
from memolith.learn.model.llm import Client
from tests.learn.scripted import client, settings

_numbers = count(1)


class Request:
    """One request as it came."""

    def __init__(self, path: str, headers: dict[str, str], raw: bytes) -> None:
        self.path, self.headers, self.raw = path, headers, raw
        self.body: dict[str, Any] = json.loads(raw)

    @property
    def system(self) -> str:
        first = self.body["messages"][0]
        return str(first["content"] if first["role"] == "system" else self.body.get("system", ""))

    @property
    def user(self) -> str:
        return str(self.body["messages"][-1]["content"])


class Reply:
    """One answer. `text` is what the model says; the rest is how the service behaves."""

    def __init__(self, text: str = "", **how: Any) -> None:
        self.text, self.how = text, how


def says(data: object, **how: Any) -> Reply:
    """Answer with a text, or with an object as JSON."""
    return Reply(data if isinstance(data, str) else json.dumps(data), **how)


def status(code: int, said: str = "", *, retry_after: str = "", location: str = "") -> Reply:
    """Answer with an error."""
    headers = {"Retry-After": retry_after} if retry_after else {}
    if location:
        headers["Location"] = location
    return Reply(code=code, headers=headers, body=json.dumps({"error": {"message": said}}).encode())


def body(data: bytes) -> Reply:
    """Answer 200 with these bytes."""
    return Reply(body=data)


def hangs() -> Reply:
    """Accept the request and say nothing."""
    return Reply(hang=True)


def drips() -> Reply:
    """Send a header line now and then, for ever."""
    return Reply(drip=True)


def breaks_off(data: object) -> Reply:
    """Promise a whole answer and close in the middle of it."""
    return says(data, half=True)


def refuses() -> Reply:
    """Be a model that does not want to."""
    return Reply("I cannot help with that.", refusal=True)


class Loopback:
    """The server. `url` is what `models.url` is set to."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.pages: dict[str, object] = {}  # what it tells about itself, by path
        self.answer: Callable[[Request], Reply] = self._next
        self._script: list[Reply] = []
        self._stopped = threading.Event()
        loopback = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = Request(
                    self.path, dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))
                )
                loopback.requests.append(request)
                try:
                    loopback._send(self, request, loopback.answer(request))
                except OSError:  # nobody waits for it any more
                    self.close_connection = True

            def do_GET(self) -> None:
                found = loopback.pages.get(f"/{self.path.split('/', 2)[2]}")
                data = json.dumps(found).encode()
                self.send_response(404 if found is None else 200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # What an endpoint cannot do is remembered by its address, and ports are used again.
        self.url = f"http://127.0.0.1:{self._server.server_port}/{next(_numbers)}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def script(self, *replies: Reply) -> None:
        """Answer with these, one after the other; the last one stays."""
        self._script = list(replies)

    def model(self, kind: str = "openai", *, timeout: float = 5.0, **values: str) -> Client:
        """Return a client that asks this server, with models.* settings; it hardly waits between tries."""
        made = settings("models", **{"url": self.url, **values})
        maker = OpenAI if kind == "openai" else Anthropic
        return client(maker(made, "test-model", self.env), timeout=timeout)

    env: dict[str, str] = {}

    @property
    def sent(self) -> str:
        """All that was ever sent here, as text."""
        return b"\n".join(request.raw for request in self.requests).decode()

    def stop(self) -> None:
        """Let go of those who hang, and end."""
        self._stopped.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _next(self, request: Request) -> Reply:
        del request
        return self._script.pop(0) if len(self._script) > 1 else self._script[0]

    def _send(self, handler: http.server.BaseHTTPRequestHandler, request: Request, reply: Reply) -> None:
        how = reply.how
        if how.get("hang"):
            self._stopped.wait(10)
            return
        if how.get("drip"):
            handler.send_response(200)
            number = 0
            while not self._stopped.wait(0.02):
                handler.send_header(f"X-{number}", "slow")
                handler.flush_headers()
                number += 1
            return
        data = how.get("body")
        if data is None:
            envelope = _chat if request.path.endswith("/chat/completions") else _message
            data = json.dumps(envelope(request, reply)).encode()
        handler.send_response(how.get("code", 200))
        for name, value in how.get("headers", {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[: len(data) // 2] if how.get("half") else data)


def _chat(request: Request, reply: Reply) -> dict[str, Any]:
    refused = reply.how.get("refusal")
    message = {"role": "assistant", "content": None if refused else reply.text}
    if refused:
        message["refusal"] = reply.text
    finish = "length" if reply.how.get("cut") else "stop"
    return {
        "id": "chatcmpl-1",
        "model": request.body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": reply.how.get("usage", {"prompt_tokens": 100, "completion_tokens": 10}),
    }


def _message(request: Request, reply: Reply) -> dict[str, Any]:
    stop = "refusal" if reply.how.get("refusal") else "max_tokens" if reply.how.get("cut") else "end_turn"
    usage = {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 10}
    return {
        "id": "msg_1",
        "type": "message",
        "model": request.body["model"],
        "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": reply.text}],
        "stop_reason": stop,
        "usage": reply.how.get("usage", usage),
    }
