"""Resources are memory:// addresses, completed as one types them; the prompt is the block."""

from __future__ import annotations

from memolith.base.errors import InputError, MemolithError, NotFoundError
from memolith.edges.mcp import outward, tools
from memolith.edges.mcp.wire import INTERNAL_ERROR, INVALID_PARAMS, ProtocolError
from memolith.memory.addresses import complete, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.mem import Mem

_NOT_FOUND = -32002  # until 2025-11-25; later it is a wrong parameter like others
_VALUES = 100


def listed(mem: Mem) -> list[dict[str, object]]:
    """Return the entry pages and directories; the templates and completion lead to everything in them."""
    found = [each for name in ("root", "user") for each in complete(mem, f"memory://{name}/")]
    return [{"uri": each, "name": each.removeprefix("memory://"), "mimeType": _mime(each)} for each in found]


def read(mem: Mem, uri: object, *, modern: bool) -> dict[str, object]:
    """Return what an address leads to."""
    if not isinstance(uri, str):
        raise ProtocolError(INVALID_PARAMS, "uri is missing; resources/list shows what can be read")
    data: dict[str, object] = {"uri": outward.clean(mem, uri[:200])}
    try:
        found = resolve(mem, uri)
    except NotFoundError as error:
        code = INVALID_PARAMS if modern else _NOT_FOUND
        raise ProtocolError(code, outward.message(mem, str(error)), data) from None
    except InputError as error:
        raise ProtocolError(INVALID_PARAMS, outward.message(mem, str(error)), data) from None
    except MemolithError as error:
        raise ProtocolError(INTERNAL_ERROR, outward.message(mem, str(error)), data) from None
    return {"contents": [{"uri": uri, "mimeType": found.mime, "text": outward.clean(mem, found.text)}]}


def prompt(mem: Callable[[], Mem], name: object, arguments: object) -> dict[str, object]:
    """Return the block, with what is recalled about a topic."""
    if name != tools.PROMPT["name"]:
        raise ProtocolError(INVALID_PARAMS, f"unknown prompt {str(name)[:80]!r}; there is one, memory")
    if not isinstance(arguments, (dict, type(None))) or set(arguments or ()) - {"topic"}:
        raise ProtocolError(INVALID_PARAMS, "the prompt takes one argument, topic")
    topic = (arguments or {}).get("topic", "")
    if not isinstance(topic, str):
        raise ProtocolError(INVALID_PARAMS, "topic must be a text")
    opened = mem()
    text = opened.context_block(topic or None) or "Nothing is remembered for this project yet."
    content = {"type": "text", "text": outward.clean(opened, text)}
    return {
        "description": tools.PROMPT["description"],
        "messages": [{"role": "user", "content": content}],
    }


def completed(mem: Callable[[], Mem], ref: object, argument: object) -> dict[str, object]:
    """Return how what was typed may go on."""
    kind = ref.get("type") if isinstance(ref, dict) else None
    value = argument.get("value") if isinstance(argument, dict) else None
    if kind not in ("ref/resource", "ref/prompt") or not isinstance(value, str):
        raise ProtocolError(
            INVALID_PARAMS, "give a ref of a template or prompt, and an argument with a value"
        )
    if kind == "ref/prompt":
        return _completion([])
    uri = ref.get("uri") if isinstance(ref, dict) else None
    if uri not in tools.TEMPLATES:
        raise ProtocolError(INVALID_PARAMS, f"unknown template; one of {', '.join(tools.TEMPLATES)}")
    base = str(uri).partition("{")[0]
    return _completion([each.removeprefix(base) for each in complete(mem(), base + value)])


def _completion(found: list[str]) -> dict[str, object]:
    values = found[:_VALUES]
    return {"completion": {"values": values, "total": len(found), "hasMore": len(found) > len(values)}}


def _mime(uri: str) -> str:
    return "text/markdown" if uri.endswith(".md") else "text/plain"
