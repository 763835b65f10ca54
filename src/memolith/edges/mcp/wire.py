"""Messages on the wire: one JSON object per line, JSON-RPC 2.0. No input can stop the server."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

MAX_LINE = 4_194_304  # fits the largest text that memory accepts, escaped
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
_HEAD = 300  # bytes of a broken line that are searched for its id


class ProtocolError(Exception):
    """A request that cannot be answered; the client gets the code and the message."""

    def __init__(self, code: int, message: str, data: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Broken:
    """A line that is not a message: the error to answer with, and its id if it can be found."""

    def __init__(self, line: bytes, error: ProtocolError) -> None:
        self.id, self.error = _id_in(line), error


def parse(line: bytes) -> object:
    """Return the message in a line, or the error in it."""
    if len(line) > MAX_LINE:
        why = f"a message has at most {MAX_LINE:,} bytes; send less text at a time"
        return Broken(line, ProtocolError(INVALID_REQUEST, why))
    try:
        message: object = json.loads(line.decode("utf-8"), parse_constant=_refused)
    except UnicodeDecodeError as error:
        return Broken(line, ProtocolError(PARSE_ERROR, f"not UTF-8 text (byte {error.start})"))
    except (ValueError, RecursionError):
        return Broken(line, ProtocolError(PARSE_ERROR, "not JSON; send one message per line"))
    return message


def encode(message: object) -> bytes:
    """Return a message as a line, ASCII only, so that any client can read it."""
    text = json.dumps(message, separators=(",", ":"))
    if "\\ud" in text:  # an emoji, or half of one, which strict readers reject
        whole = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
        text = json.dumps(json.loads(whole), separators=(",", ":"))
    return text.encode("ascii") + b"\n"


def result(number: object, value: dict[str, object]) -> dict[str, object]:
    """Return the answer to a request."""
    return {"jsonrpc": "2.0", "id": number, "result": value}


def failure(number: object, error: ProtocolError) -> dict[str, object]:
    """Return the answer to a request that failed."""
    fields: dict[str, object] = {"code": error.code, "message": error.message}
    if error.data is not None:
        fields["data"] = error.data
    return {"jsonrpc": "2.0", "id": number, "error": fields}


def is_id(value: object) -> bool:
    """Whether a value can be the id of a request."""
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _refused(constant: str) -> NoReturn:
    raise ValueError(constant)  # NaN and Infinity are not JSON


def _id_in(line: bytes) -> object:
    """Return the id at the beginning of a broken line, so that its sender gets an answer; else None."""
    import re

    head = line[:_HEAD].partition(b'"params"')[0]
    found = re.search(rb'"id"\s*:\s*(?:(\d{1,15})\s*[,}]|"([\w.:-]{1,100})"\s*[,}])', head)
    if found is None:
        return None
    return int(found[1]) if found[1] else found[2].decode("ascii")
