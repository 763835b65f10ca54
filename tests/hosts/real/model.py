"""A model on the loopback interface that says what a test wants, in the words of four interfaces.

Anthropic Messages, OpenAI Responses and Chat Completions, and Gemini's generateContent, each streamed or
whole. Every request is kept. Replies are for requests that offer tools, in order; one with `when` is for the
first request in which that text stands.
"""

import gzip
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Row = dict[str, Any]
Events = list[tuple[str, Row | str]]


@dataclass
class Reply:
    """What the model says: a text, or a call of the offered tool whose name ends with `tool`."""

    text: str = ""
    tool: str = ""
    arguments: Row = field(default_factory=dict)
    when: str = ""
    tokens: int = 100  # that the request is said to have had


@dataclass
class Request:
    """What a program asked."""

    path: str
    body: Row

    @property
    def text(self) -> str:
        """All of it, with texts as they are and not as JSON writes them."""
        return "\n".join(_texts(self.body))

    @property
    def prefix(self) -> list[str]:
        """The system prompt and the messages in order, each as its texts."""
        body = self.body
        rows = body.get("messages") or body.get("input") or body.get("contents") or []
        return ["\n".join(_texts(row)) for row in [body.get("system"), *rows]]

    @property
    def tools(self) -> dict[str, str]:
        """The tools it offers, each with the namespace it is in."""
        return {name: space for name, space, _ in _tools(self.body.get("tools") or [])}

    @property
    def offers(self) -> dict[str, Row]:
        """The tools it offers, each as the model is told of it."""
        return {name: row for name, _, row in _tools(self.body.get("tools") or [])}


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):  # where a cache ends is no text, and moves on with each request
        value = [each for key, each in value.items() if key not in ("cache_control", "type")]
    return [text for each in value for text in _texts(each)] if isinstance(value, list) else []


def _tools(rows: list[Row], space: str = "") -> list[tuple[str, str, Row]]:
    found = []
    for row in rows:
        for group in ("functionDeclarations", "function_declarations"):
            found += _tools(row.get(group) or [])
        if row.get("type") == "namespace":
            found += _tools(row.get("tools") or [], str(row["name"]))
            continue
        name = (row.get("function") or row).get("name")
        if isinstance(name, str):
            found.append((name, space, row.get("function") or row))
    return found


class Model:
    """The server. `say` adds replies; `requests` has what was asked."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._replies: list[Reply] = []
        self._lock = threading.Lock()
        model = self

        class Handler(_Handler):
            owner = model

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def say(self, *replies: Reply) -> None:
        """Add replies; forget those that were not asked for, and all requests."""
        with self._lock:
            self._replies, self.requests = list(replies), []

    @property
    def asked(self) -> list[Request]:
        """The requests of a session itself: those that offer tools."""
        return [each for each in self.requests if each.tools]

    def follow(self, request: Request) -> Reply:
        """Return what is said to a request for which there is no reply."""
        return Reply("Done." if request else "")

    def answer(self, path: str, body: Row) -> tuple[int, Reply, str, str]:
        """Return the number of a request, the reply to it, and name and namespace of a tool it calls."""
        request = Request(path, body)
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            text = request.text
            for reply in self._replies:
                if (reply.when and reply.when in text) or (not reply.when and request.tools):
                    self._replies.remove(reply)
                    break
            else:
                reply = self.follow(request) if request.tools else Reply("Done.")
        if not reply.tool:
            return number, reply, "", ""
        full, space = next(
            ((name, space) for name, space in request.tools.items() if name.endswith(reply.tool)), ("", "")
        )
        return (number, reply, full, space) if full else (number, Reply("There is no such tool."), "", "")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: Model

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._send(b"", "text/plain")

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "fake", "object": "model"}], "models": []})

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        for ending, said in (
            ("/messages", _anthropic),
            ("/responses", _responses),
            ("/chat/completions", _chat),
            (":generateContent", _gemini),
            (":streamGenerateContent", _gemini),
        ):
            if path.endswith(ending):
                whole, events = said(body, *self.owner.answer(path, body))
                stream = body.get("stream") or "stream" in path
                return self._events(events) if stream else self._json(whole)
        return self._json({"input_tokens": 100, "totalTokens": 100})

    def _body(self) -> Row:
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline().strip() or b"0", 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            data = b"".join(parts)
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        try:
            row = json.loads(data or b"{}")
        except ValueError:
            row = None
        return row if isinstance(row, dict) else {}

    def _json(self, row: Row) -> None:
        self._send(json.dumps(row).encode(), "application/json")

    def _events(self, events: Events) -> None:
        lines = []
        for name, data in events:
            lines.append(f"event: {name}\n" if name else "")
            lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
        self._send("".join(lines).encode(), "text/event-stream")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _anthropic(body: Row, number: int, reply: Reply, tool: str, _: str) -> tuple[Row, Events]:
    block: Row = {"type": "text", "text": reply.text}
    start, delta = {**block, "text": ""}, {"type": "text_delta", "text": reply.text}
    if tool:
        block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": tool, "input": reply.arguments}
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(reply.arguments)}
    usage = {"input_tokens": reply.tokens, "output_tokens": 10}
    reason = "tool_use" if tool else "end_turn"
    message = {
        "id": f"msg_{number:04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": usage,
    }
    rows: list[Row] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return message, [(row["type"], row) for row in rows]


def _responses(body: Row, number: int, reply: Reply, tool: str, space: str) -> tuple[Row, Events]:
    item: Row = {
        "type": "message",
        "id": f"msg_{number}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": reply.text, "annotations": []}],
    }
    if tool:
        item = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": tool,
            "arguments": json.dumps(reply.arguments),
            "status": "completed",
        }
        item |= {"namespace": space} if space else {}
    usage = {
        "input_tokens": reply.tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": reply.tokens + 10,
    }
    whole = {
        "id": f"resp_{number}",
        "object": "response",
        "status": "completed",
        "model": body.get("model"),
        "output": [item],
        "usage": usage,
    }
    rows: list[Row] = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return whole, [(row["type"], row) for row in rows]


def _chat(body: Row, number: int, reply: Reply, tool: str, _: str) -> tuple[Row, Events]:
    message: Row = {"role": "assistant", "content": None if tool else reply.text}
    if tool:
        function = {"name": tool, "arguments": json.dumps(reply.arguments)}
        message["tool_calls"] = [
            {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        ]
    reason = "tool_calls" if tool else "stop"
    base = {"id": f"chatcmpl-{number}", "created": 1_700_000_000, "model": body.get("model")}
    usage = {"prompt_tokens": reply.tokens, "completion_tokens": 5, "total_tokens": reply.tokens + 5}
    choice = {"index": 0, "finish_reason": reason}
    whole = {**base, "object": "chat.completion", "choices": [{**choice, "message": message}], "usage": usage}
    chunk = {**base, "object": "chat.completion.chunk"}
    first = {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    last = {**chunk, "choices": [{**choice, "delta": {}}], "usage": usage}
    return whole, [("", first), ("", last), ("", "[DONE]")]


def _gemini(_: Row, number: int, reply: Reply, tool: str, __: str) -> tuple[Row, Events]:
    part: Row = {"text": reply.text}
    if tool:
        part = {"functionCall": {"name": tool, "args": reply.arguments, "id": f"fc{number}"}}
    whole = {
        "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": reply.tokens,
            "candidatesTokenCount": 5,
            "totalTokenCount": reply.tokens + 5,
        },
        "modelVersion": "fake",
        "responseId": f"r{number}",
    }
    return whole, [("", whole)]
