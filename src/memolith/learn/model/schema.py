"""JSON from a model: found in its text, parsed strictly, checked against a subset of JSON Schema.

The subset: `type`, `enum`, `properties`, `required`, `additionalProperties: false`, `items`, `minLength`,
`maxLength` and `format: path`. A property that is not required may be an empty list.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memolith.store.screen import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Schema = dict[str, Any]
MAX_DEPTH = 32
_DEEP = f"the JSON is nested deeper than {MAX_DEPTH} levels"
_MAX_TRIES = 64  # positions where an object might begin
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
# Keywords that services with strict schemas support; limits are checked here, in the reply.
_SENT = ("type", "enum", "description")


class ReplyError(ValueError):
    """An unusable reply; the message tells the model what to fix."""


def load(name: str) -> Schema:
    """Return the schema of the reply to one of our prompts, stored next to the prompt."""
    path = Path(__file__).parent / "prompts" / f"{name}.json"
    schema: Schema = json.loads(path.read_text(encoding="utf-8"))
    return schema


def understand(text: str, schema: Schema) -> dict[str, Any]:
    """Return the last object in a reply that satisfies a schema; ReplyError if there is none."""
    found, wrong = _objects(text)
    problems: list[tuple[int, str]] = []
    for data, size in reversed(found):
        try:
            return check(data, schema)
        except ReplyError as error:
            problems.append((size, str(error)))
    largest = max(problems, key=lambda problem: problem[0], default=(0, ""))[1]
    raise ReplyError(largest or wrong or "there is no JSON object in the reply")


def check(data: object, schema: Schema) -> dict[str, Any]:
    """Return an already parsed object if it satisfies a schema; ReplyError otherwise."""
    problem = _DEEP if _too_deep(data) else _problem(data, schema, "")
    if problem or not isinstance(data, dict):
        raise ReplyError(problem or "the reply is not an object")
    return data


def parse(text: str) -> dict[str, Any] | None:
    """Return the last JSON object in a text; None if there is none."""
    found, _ = _objects(text)
    return found[-1][0] if found else None


def strict(schema: Schema) -> Schema:
    """Return a schema in the form strict services require: all properties required, no limits."""
    made = {key: schema[key] for key in _SENT if key in schema}
    if "items" in schema:
        made["items"] = strict(schema["items"])
    if "properties" in schema:
        made["properties"] = {name: strict(part) for name, part in schema["properties"].items()}
        made["required"] = list(schema["properties"])
        made["additionalProperties"] = False
    return made


def described(schema: Schema) -> str:
    """Return the schema in words, for a model that cannot be bound to one."""
    return (
        "Reply with one JSON object and nothing else: no code fence, no text around it. It satisfies this"
        f" JSON schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )


def _objects(text: str) -> tuple[list[tuple[dict[str, Any], int]], str]:
    """Return the JSON objects in a text with their sizes, and the error in the first broken one."""
    decoder = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant)
    found: list[tuple[dict[str, Any], int]] = []
    wrong = ""
    at = text.find("{")
    for _ in range(_MAX_TRIES):
        if at < 0:
            break
        try:
            data, end = decoder.raw_decode(text, at)
        except RecursionError:
            wrong, end = wrong or _DEEP, at + 1
        except ReplyError as error:
            wrong, end = wrong or str(error), at + 1
        except ValueError as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else "a number is too long"
            wrong, end = wrong or f"the JSON is broken ({reason})", at + 1
        else:
            if _too_deep(data):
                wrong = wrong or _DEEP
            else:
                found.append((data, end - at))
        at = text.find("{", end)
    return found, wrong


def _too_deep(data: object) -> bool:
    level = [data]
    for _ in range(MAX_DEPTH + 1):
        inside = [each.values() if isinstance(each, dict) else each for each in level]
        level = [each for group in inside for each in group if isinstance(each, (dict, list))]  # type: ignore[attr-defined]
        if not level:
            return False
    return True


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ReplyError(f"the key {quoted(twice)} stands twice in one object")
    return made


def _no_constant(name: str) -> None:
    raise ReplyError(f"{name} is not JSON")


def _problem(data: object, schema: Mapping[str, Any], at: str) -> str:
    """Return the first violation with its location; empty if there is none."""
    where = at or "the reply"
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    if kinds and not any(_is(data, kind) for kind in kinds):
        return f"{where} must be {' or '.join(kinds)}, not {_kind(data)}"
    if "enum" in schema and data not in schema["enum"]:
        allowed = ", ".join(json.dumps(each) for each in schema["enum"])
        return f"{where} is {quoted(data)}; it must be one of {allowed}"
    return next(_problems_inside(data, schema, at), "")


def _problems_inside(data: object, schema: Mapping[str, Any], at: str) -> Iterator[str]:
    where = at or "the reply"
    if isinstance(data, str):
        yield from filter(None, [_problem_of_text(data, schema, where)])
    elif isinstance(data, list):
        for number, each in enumerate(data):
            yield from filter(None, [_problem(each, schema.get("items", {}), f"{at}[{number}]")])
    elif isinstance(data, dict):
        parts = schema.get("properties", {})
        for name in schema.get("required", ()):
            if name not in data:
                yield f"{where} lacks the key {name!r}"
        for name, value in data.items():
            if name not in parts and schema.get("additionalProperties") is False:
                yield f"{where} has the key {quoted(name)}, which is not one of {', '.join(parts)}"
            place = f"{at}.{name}" if at else name
            yield from filter(None, [_problem(value, parts.get(name, {}), place)])


def _problem_of_text(text: str, schema: Mapping[str, Any], where: str) -> str:
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(text))
    strange = "\0" in text or any("\ud800" <= char <= "\udfff" for char in text)
    if strange and schema.get("format") != "path":  # of a strange path only that file is left out
        return f"{where} has a NUL or half a character in it"
    if least <= len(text) <= most:
        return ""
    limit = f"at least {least}" if len(text) < least else f"at most {most}"
    return f"{where} has {len(text)} characters; it must have {limit}"


def _is(data: object, kind: str) -> bool:
    return isinstance(data, _TYPES[kind]) and (kind == "boolean" or not isinstance(data, bool))


def _kind(data: object) -> str:
    if isinstance(data, bool):
        return "boolean"
    return next((name for name, kinds in _TYPES.items() if isinstance(data, kinds)), "something else")
