"""The protocol: its methods, in both eras.

Until 2025-11-25 a client begins with `initialize`; since 2026-07-28 every request carries its version in
`_meta` and there is no session. One server answers both, request by request.
"""

from __future__ import annotations

import sys

from memolith import __version__
from memolith.base import whole
from memolith.base.errors import MemolithError
from memolith.edges.mcp import PROMPT, TEMPLATES, wire
from memolith.edges.mcp.tools import Tools
from memolith.edges.mcp.wire import INVALID_PARAMS, INVALID_REQUEST, ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from memolith.env.settings import Settings
    from memolith.mem import Mem

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
UNSUPPORTED_VERSION = -32022
_BATCHES = HANDSHAKE[:2]  # later revisions have no batches
_META = "io.modelcontextprotocol/"
_SERVER = {"name": "memolith", "version": __version__}
_CAPABILITIES: dict[str, object] = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
_ALWAYS = ("initialize", "server/discover", "ping", "tools/list", "prompts/list")
_CACHEABLE = (
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
)


class Protocol:
    """Answers messages. The first one that needs the memory opens it, and it stays open.

    While memory is switched off it offers nothing and says nothing: an agent's prompt is as without memolith.
    """

    def __init__(
        self, mem: Callable[[], Mem], *, read_only: bool = False, settings: Settings | None = None
    ) -> None:
        self._mem = mem
        self._tools = Tools(mem, read_only=read_only, settings=settings)
        self._version = HANDSHAKE[-1]
        self._methods: dict[str, Callable[[dict[str, object], bool], dict[str, object]]] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "ping": lambda _, __: {},
            "tools/list": lambda params, _: _page(params, "tools", list(self._tools.offers)),
            "tools/call": self._call,
            "resources/list": lambda params, _: _page(params, "resources", _handlers().resources(mem())),
            "resources/templates/list": lambda params, _: _page(params, "resourceTemplates", _templates()),
            "resources/read": lambda params, modern: _handlers().resource(
                mem(), params.get("uri"), modern=modern
            ),
            "prompts/list": lambda params, _: _page(params, "prompts", self._prompts()),
            "prompts/get": lambda params, _: _handlers().prompt(
                mem, params.get("name"), params.get("arguments")
            ),
            "completion/complete": lambda params, _: _handlers().completed(
                mem, params.get("ref"), params.get("argument")
            ),
        }

    def answer(self, message: object) -> object:
        """Return the answer to a message, or None if it gets none."""
        if isinstance(message, wire.Broken):
            return wire.failure(message.id, message.error)
        if isinstance(message, list):
            return self._batch(message)
        if not isinstance(message, dict):
            return wire.failure(None, ProtocolError(INVALID_REQUEST, "a message is a JSON object"))
        number = message.get("id")
        if "method" not in message and ("result" in message or "error" in message):
            return None  # a response, but we send no requests
        if "method" in message and "id" not in message:
            return None  # a notification; `cancelled_by` handles the one that matters
        try:
            return wire.result(number, self._handle(message))
        except ProtocolError as error:
            return wire.failure(number if wire.is_id(number) else None, error)

    def _batch(self, messages: list[object]) -> object:
        if self._version not in _BATCHES or not messages:
            why = "send one message per line; there are no batches in this protocol version"
            return wire.failure(None, ProtocolError(INVALID_REQUEST, why))
        nested = ProtocolError(INVALID_REQUEST, "a batch cannot contain a batch")
        answers = [
            wire.failure(None, nested) if isinstance(each, list) else self.answer(each) for each in messages
        ]
        return [each for each in answers if each is not None] or None

    def _handle(self, message: dict[str, object]) -> dict[str, object]:
        method, params = message.get("method"), message.get("params", {})
        if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
            raise ProtocolError(INVALID_REQUEST, 'a request has "jsonrpc": "2.0" and a method')
        if not wire.is_id(message.get("id")):
            raise ProtocolError(INVALID_REQUEST, "the id of a request is a string or a whole number")
        handler = self._methods.get(method)
        if handler is None or (method not in _ALWAYS and not self._tools.enabled):
            raise ProtocolError(wire.METHOD_NOT_FOUND, f"unknown method {method[:80]!r}")
        if not isinstance(params, dict):
            raise ProtocolError(INVALID_PARAMS, "params must be an object")
        modern = _is_modern(method, params)
        found = self._run(handler, params, modern=modern)
        if modern:
            found["resultType"] = "complete"
            if method in _CACHEABLE:
                found |= {"ttlMs": 0, "cacheScope": "private"}  # memory may change at any moment
        return found

    def _run(
        self,
        handler: Callable[[dict[str, object], bool], dict[str, object]],
        params: dict[str, object],
        *,
        modern: bool,
    ) -> dict[str, object]:
        try:
            with whole.Watch() as watch:
                return self._with_missing(handler(params, modern), watch)
        except ProtocolError:
            raise
        except (MemolithError, OSError) as error:
            raise ProtocolError(wire.INTERNAL_ERROR, _handlers().failure(self._mem, error)) from None
        except Exception as error:  # noqa: BLE001 - the edge: an agent must not lose its memory to one bad request
            sys.stderr.write(f"memolith: {type(error).__name__} in a request\n")
            raise ProtocolError(wire.INTERNAL_ERROR, f"internal error ({type(error).__name__})") from None

    def _with_missing(self, found: dict[str, object], watch: whole.Watch) -> dict[str, object]:
        """Return the result, marked if something could not be read for it; tools mark their own."""
        if watch.errors and "isError" not in found:
            missing = [_handlers().message(self._mem(), each) for each in watch.missing]
            found["_meta"] = {"memolith/complete": False, "memolith/missing": missing}
        return found

    def _offered(self) -> dict[str, object]:
        if not self._tools.enabled:
            return {"capabilities": {}}
        return {"capabilities": _CAPABILITIES, "instructions": self._tools.instructions}

    def _initialize(self, params: dict[str, object], _: bool) -> dict[str, object]:
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise ProtocolError(INVALID_PARAMS, "protocolVersion is missing; give a date such as 2025-11-25")
        self._version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
        return {
            "protocolVersion": self._version,
            "serverInfo": _SERVER,
            **self._offered(),
        }

    def _discover(self, _: dict[str, object], __: bool) -> dict[str, object]:
        return {
            "supportedVersions": list(MODERN),
            **self._offered(),
            "_meta": {f"{_META}serverInfo": _SERVER},
        }

    def _call(self, params: dict[str, object], _: bool) -> dict[str, object]:
        name, arguments = params.get("name"), params.get("arguments")
        tool = self._tools.offer(name)
        if tool is None:
            raise ProtocolError(INVALID_PARAMS, self._tools.unknown(name))
        if arguments is not None and not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "arguments must be an object")
        return self._tools.raw(tool, arguments or {})

    def _prompts(self) -> list[dict[str, object]]:
        return [PROMPT] if self._tools.enabled else []


def _handlers() -> ModuleType:
    """Return the handlers, loaded by the first request that needs a memory."""
    from memolith.edges.mcp import handlers

    return handlers


def cancelled_by(message: object) -> object:
    """Return the id of the request that a message cancels; None if it is not a cancellation."""
    if not isinstance(message, dict) or message.get("method") != "notifications/cancelled":
        return None
    params = message.get("params")
    return params.get("requestId") if isinstance(params, dict) else None


def _is_modern(method: str, params: dict[str, object]) -> bool:
    meta = params.get("_meta")
    version = meta.get(f"{_META}protocolVersion") if isinstance(meta, dict) else None
    if version is None:
        return method == "server/discover"
    if version not in MODERN:
        data: dict[str, object] = {"supported": list(MODERN), "requested": version}
        raise ProtocolError(UNSUPPORTED_VERSION, "unsupported protocol version", data)
    return True


def _page(params: dict[str, object], name: str, rows: list[dict[str, object]]) -> dict[str, object]:
    if params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, "unknown cursor; everything comes in one page")
    return {name: rows}


def _templates() -> list[dict[str, object]]:
    return [
        {
            "uriTemplate": template,
            "name": template[len("memory://") :].partition("/")[0],
            "description": description,
        }
        for template, description in TEMPLATES.items()
    ]
