"""Handles requests: tools, resources (memory:// addresses) and the prompt, which is the block.

A tool is one verb of `Mem`; it returns text for the model, and the same as data for a program that uses the
library. Wrong arguments and failures are results too (`isError`): a model reads those and retries, but may
never see a protocol error.
"""

from __future__ import annotations

import os

from memolith.base import whole
from memolith.base.errors import InputError, MatchError, MemolithError, NotFoundError
from memolith.base.values import MAX_INJECT_BYTES, TARGETS, TRUNCATED
from memolith.edges.mcp import PROMPT, TEMPLATES
from memolith.edges.mcp.wire import INTERNAL_ERROR, INVALID_PARAMS, ProtocolError
from memolith.memory import arguments as targets
from memolith.memory import find, writing
from memolith.memory.addresses import complete, meant, mime, named, of_file, resolve
from memolith.store import layout
from memolith.store.screen import quoted
from memolith.text.budget import head, utf8_len
from memolith.text.names import SCHEME
from memolith.text.safe import hygiene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memolith.base.values import WriteResult
    from memolith.mem import Mem
    from memolith.memory.addresses import Resource
    from memolith.memory.entries import EntryResult

    Fields = dict[str, object]
    Answer = tuple[str, Fields]

_TYPES: dict[str, tuple[type, str]] = {
    "string": (str, "a text"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
    "array": (list, "a list of texts"),
}


def call(mem: Callable[[], Mem], tool: Fields, arguments: Fields) -> tuple[str, Fields, bool]:
    """Run a tool; return its text, its data, and whether it failed, which the text describes."""
    name = str(tool["name"])
    try:
        given = _checked(name, tool["inputSchema"], arguments)
        with whole.Watch() as watch:
            opened = mem()
            opened.settings.reload()  # a person may have changed them since the last call
            text, fields = _CALLS[name](opened, given)
            missing = [message(opened, each) for each in watch.missing]
            lost = [message(opened, each) for each in dict.fromkeys(watch.lost)]
    except (MemolithError, OSError) as error:
        return _capped(failure(mem, error)), {}, True
    text = "\n".join([text, *(f"warning: {each}" for each in lost if each not in text)])
    if missing:
        text = "\n".join([text, "note: not everything could be read:", *missing])
        fields = {**fields, "complete": False, "missing": missing}
    return _capped(text), fields, False


def _capped(text: str) -> str:
    """Return what a tool says, at most 32 KiB of it: a host would cut it elsewhere."""
    if utf8_len(text) <= MAX_INJECT_BYTES:
        return text
    return f"{head(text, MAX_INJECT_BYTES - utf8_len(TRUNCATED) - 1)}\n{TRUNCATED}"


def failure(mem: Callable[[], Mem], error: MemolithError | OSError) -> str:
    """Return the message about a failure for a client."""
    text = str(error)
    if isinstance(error, OSError):
        text = f"the disk refused: {error.strerror or type(error).__name__}; try again, or `memolith doctor`"
    try:
        return for_model(message(mem(), text))
    except (MemolithError, OSError):  # without a memory, its paths cannot be hidden in the message
        return "the memory cannot be opened; `memolith doctor` says why"


def for_model(text: str) -> str:
    """Return a message with parameters and tools in place of options and commands."""
    import re

    text = re.sub(r" \(CLI: [^)]*\)", "", text)
    text = re.sub(r"--([a-z_]+)(?: [A-Z]{2,})?", r"\1", text)
    return re.sub(r"`memolith (?:list|record list|session list)[^`]*` shows them", _LIST, text)


_LIST = "`memory_read` with target `list` shows what there is"


def _checked(name: str, schema: Any, arguments: Fields) -> dict[str, Any]:
    """Return the arguments; raise an error that names a wrong one and what is expected."""
    known: dict[str, Any] = schema["properties"]
    others = {other: own for other, own in _OTHER_NAMES.items() if own in known and other not in known}
    if "action" in others and "action" in arguments:  # the one that may contradict its other name
        arguments = {**arguments, "action": targets.either(arguments.get("mode"), arguments["action"])}
        arguments.pop("mode", None)
    arguments = {others.get(key, key): value for key, value in arguments.items()}
    given = {key: value for key, value in arguments.items() if value is not None}
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InputError(f"{name} has no argument {unknown[0][:80]!r}; it takes {', '.join(known)}")
    missing = [key for key in schema["required"] if key not in given]
    if missing:
        raise InputError(f"{name} needs {' and '.join(missing)}")
    for key, value in given.items():
        if isinstance(value, str) and value not in known[key].get("enum", [value]):
            raise InputError(f"{name}: {key} is one of {', '.join(known[key]['enum'])}, not {quoted(value)}")
        kind, meant = _TYPES[known[key]["type"]]
        if isinstance(value, str):
            given[key] = hygiene.whole(value)
        if isinstance(value, float) and kind is int and value.is_integer():
            given[key] = int(value)
        elif type(value) is not kind or (isinstance(value, list) and not all(map(_is_text, value))):
            raise InputError(f"{name}: {key} must be {meant}, not {type(value).__name__}")
    return given


# What the designs, and other memories, call the same.
_OTHER_NAMES = {"action": "mode", "source": "target", "text": "content"}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _recall(mem: Mem, given: dict[str, Any]) -> Answer:
    from memolith.prompt import brief

    found = mem.recall(given["query"], limit=given.get("limit", 10), since=given.get("since"), budget=_TOKENS)
    hits = [
        {
            "uri": brief.place(hit),
            "line": hit.line,
            "score": round(hit.score, 3),
            "kind": hit.kind,
            "category": hit.category,
            "scope": hit.scope,
            "date": hit.date[:10],
            "title": clean(mem, hit.title),
            "origin": hit.origin,
            "text": clean(mem, hit.text if len(hit.text) <= _WHOLE else hit.snippet),
            "why": clean(mem, hit.why),
        }
        for hit in found
    ]
    notes = [message(mem, each) for each in found.notes]
    text = brief.items(list(found)) or "Nothing is known about that."
    lines = [clean(mem, text), *(f"note: {each}" for each in notes)]
    return "\n".join(lines), {"hits": hits, "complete": found.complete, "notes": notes}


_TOKENS = 6000  # more would crowd out the work that memory is for
_WHOLE = 700  # up to so many characters, a hit is shown whole, as in the brief


def _search(mem: Mem, given: dict[str, Any]) -> Answer:
    found = mem.search(**given, limit=_FILES)
    hits = found.hits = [hit.but(name=reference(mem, hit.name)) for hit in found]
    data = [
        {
            "uri": hit.name,
            "matched": hit.matched_terms,
            "lines": hit.total_hits,
            "origin": hit.source,
            "text": head(clean(mem, hit.body), _SHOWN),
        }
        for hit in hits
    ]
    return clean(mem, found.render()), {"hits": data, "files": found.files}


_FILES = 20
_SHOWN = 1600  # bytes of each file; its address leads to the rest


def _read(mem: Mem, given: dict[str, Any]) -> Answer:
    target, offset, lines = given.get("target", "long_term"), given.get("offset", 0), given.get("lines")
    if target == "list":
        uri, text = f"{SCHEME}project", "\n".join(sorted(reference(mem, each) for each in mem.list()))
    else:
        found = _looked(mem, target, given.get("name"), given.get("scope", "project"))
        uri, text = found.uri, found.text
    shown = targets.page(text, offset, lines, told=True)
    if not text.strip():
        shown = targets.EMPTY if target == "list" else f"{targets.EMPTY}: {uri}; {_LIST}"
    if target == "list" and mem.is_nowhere:
        shown += f"\nnote: {mem.identity.notice}"
    text = clean(mem, shown)
    return text, {"uri": uri, "text": text}


def _looked(mem: Mem, target: str, name: str | None, scope: str) -> Resource:
    """Return what a target and a name mean: a note has its title for a name, too, and may be the user's."""
    wanted, found = name if target == "note" else target, None
    try:
        found = writing.look(mem, target.lower() if target.lower() in TARGETS else target, name, scope=scope)
        if found.text or target != "note":
            return found
    except InputError:
        if "://" in target or target in TARGETS:
            raise
    try:
        note = mem.find(f"note:{wanted}")
        if str(wanted).casefold() in (note.name.casefold(), find.entry_of(mem, note).title.casefold()):
            return of_file(mem, note.path)
    except MemolithError:
        pass
    return found or writing.look(mem, target, name, scope=scope)  # which says what is wrong


def _update(mem: Mem, given: dict[str, Any]) -> Answer:
    if "section" not in given:
        return _written(mem, mem.update(**given))
    if "mode" in given:
        raise InputError("memory_update takes a section or a mode, not both; a section is always replaced")
    return _written(mem, mem.update_section(given["section"], given["content"]))


def _written(mem: Mem, result: WriteResult) -> Answer:
    return message(mem, str(result)), {**_said(mem, result), "bytes": result.bytes}


def _remember(mem: Mem, given: dict[str, Any]) -> Answer:
    """Store one fact so that later sessions are shown it: as a note, or as a record of what was decided."""
    title, category = given.get("title"), _RECORDS.get(given.get("kind", ""))
    if category:
        scope = given.get("scope", "project")
        return _record(
            mem, {"content": given["content"], "category": category, "scope": scope, "title": title}
        )
    return _written(mem, mem.remember(**{**given, "title": title or None}))


_RECORDS = {each: f"{each}s" for each in ("decision", "procedure", "principle", "incident")}


def _record(mem: Mem, given: dict[str, Any]) -> Answer:
    from memolith.memory import asked

    result = mem.records.add(given.pop("content"), **given)
    if not result.held:
        asked.show(mem, result.filename)
    fields = _said(mem, result)
    fields |= {"id": result.id, "created": result.created, "superseded": result.superseded}
    warnings = [f"warning: {message(mem, each)}" for each in result.warnings]
    return "\n".join([f"{fields['message']}: {fields['uri']}", *warnings]), fields


def _edit(mem: Mem, given: dict[str, Any]) -> Answer:
    """Edit a target; a record by its own verbs, which keep its dates and what it replaced."""
    target = given["target"]
    if target in TARGETS or "/records/" not in target:
        return _written(mem, mem.edit(**given))
    scope, parts = meant(mem, named(mem, target))
    name, old, new = parts[-1].removesuffix(".md"), given.get("old_str"), given.get("new_str", "")
    where = "project" if scope else "user"
    if old is None:
        result = mem.records.delete(name, scope=where)
    else:
        body = mem.records.get(name, where).body
        if body.count(old) != 1:
            raise MatchError(target, body.count(old))
        result = mem.records.update(name, body.replace(old, new), scope=where)
    return message(mem, result.message), _said(mem, result)


def _said(mem: Mem, result: WriteResult | EntryResult) -> Fields:
    return {
        "uri": reference(mem, result.filename),
        "held": result.held,
        "message": message(mem, result.message),
        "warnings": [message(mem, each) for each in result.warnings],
    }


_CALLS: dict[str, Callable[[Mem, dict[str, Any]], Answer]] = {
    "recall": _recall,
    "memory_search": _search,
    "memory_read": _read,
    "memory_write": lambda mem, given: _written(mem, mem.write(**given)),
    "memory_edit": _edit,
    "memory_update": _update,
    "remember": _remember,
    "record": _record,
}


# ---------------------------------------------------------------- resources and the prompt

_NOT_FOUND = -32002  # until 2025-11-25; since then it is an invalid parameter
_VALUES = 100


def resources(mem: Mem) -> list[dict[str, object]]:
    """Return the entry pages and directories; templates and completion reach everything in them."""
    found = [each for name in ("root", "user") for each in complete(mem, f"memory://{name}/")]
    return [{"uri": each, "name": each.removeprefix(SCHEME), "mimeType": mime(each)} for each in found]


def resource(mem: Mem, uri: object, *, modern: bool) -> dict[str, object]:
    """Return the contents of an address."""
    if not isinstance(uri, str):
        raise ProtocolError(INVALID_PARAMS, "uri is missing; resources/list shows what can be read")
    data: dict[str, object] = {"uri": clean(mem, uri[:200])}
    try:
        found = resolve(mem, uri)
    except MemolithError as error:
        code = INVALID_PARAMS if isinstance(error, InputError) else INTERNAL_ERROR
        if isinstance(error, NotFoundError):
            code = INVALID_PARAMS if modern else _NOT_FOUND
        raise ProtocolError(code, message(mem, str(error)), data) from None
    return {"contents": [{"uri": uri, "mimeType": found.mime, "text": clean(mem, found.text)}]}


def prompt(mem: Callable[[], Mem], name: object, arguments: object) -> dict[str, object]:
    """Return the block, with what is recalled about a topic."""
    if name != PROMPT["name"]:
        raise ProtocolError(
            INVALID_PARAMS, f"unknown prompt {str(name)[:80]!r}; the only one is {PROMPT['name']}"
        )
    if not isinstance(arguments, (dict, type(None))) or set(arguments or ()) - {"topic"}:
        raise ProtocolError(INVALID_PARAMS, "the prompt takes one argument, topic")
    topic = (arguments or {}).get("topic", "")
    if not isinstance(topic, str):
        raise ProtocolError(INVALID_PARAMS, "topic must be a string")
    opened = mem()
    text = opened.context_block(topic or None) or "The memory of this project is empty."
    content = {"type": "text", "text": clean(opened, text)}
    return {
        "description": PROMPT["description"],
        "messages": [{"role": "user", "content": content}],
    }


def completed(mem: Callable[[], Mem], ref: object, argument: object) -> dict[str, object]:
    """Return completions of a partial value."""
    kind = ref.get("type") if isinstance(ref, dict) else None
    value = argument.get("value") if isinstance(argument, dict) else None
    if kind not in ("ref/resource", "ref/prompt") or not isinstance(value, str):
        raise ProtocolError(
            INVALID_PARAMS, "give a ref to a template or prompt, and an argument with a value"
        )
    if kind == "ref/prompt":
        return _completion([])
    uri = ref.get("uri") if isinstance(ref, dict) else None
    if uri not in TEMPLATES:
        raise ProtocolError(INVALID_PARAMS, f"unknown template; one of {', '.join(TEMPLATES)}")
    base = str(uri).partition("{")[0]
    return _completion([each.removeprefix(base) for each in complete(mem(), base + value)])


def _completion(found: list[str]) -> dict[str, object]:
    values = found[:_VALUES]
    return {"completion": {"values": values, "total": len(found), "hasMore": len(found) > len(values)}}


# ---------------------------------------------------------------- what may leave the server
# No secrets, no paths on disk, no invisible or control characters. Files are named by their memory://
# addresses: a model can read those, and they do not reveal paths.


def reference(mem: Mem, place: str) -> str:
    """Return the address of a file, given its path in the store or on disk."""
    if place.startswith(SCHEME):
        return place
    root = str(mem.root)
    relative = os.path.relpath(place, root).replace(os.sep, "/") if os.path.isabs(place) else place
    return layout.shown(relative)


def clean(mem: Mem, text: str) -> str:
    """Return a text for a client: secrets masked, invisible characters removed."""
    from memolith.store.allow_list import allowed
    from memolith.text.secrets.redact import redact

    return hygiene.inert(redact(text, allowed(str(mem.root), mem.project), by_hand=True).text)


def message(mem: Mem, text: str) -> str:
    """Return a message with addresses instead of paths."""
    root = str(mem.root)
    project = os.path.join(root, *layout.path(mem.project).split("/"))
    for place, shown in (
        (project + os.sep, "memory://root/"),
        (root + os.sep, "memory://user/"),
        (f"projects/{mem.project}/", "memory://root/"),
        (root, "memory://user"),
        (mem.home, "the memory directory"),
    ):
        text = text.replace(place, shown)
    return clean(mem, text)
