"""Phase 1 with a model: one session in, a checked extraction out.

The model proposes; nothing it says is taken on trust. The reply must have the one form asked for, and each
statement must be supported by the session (`evidence`). Nothing worth keeping is a good answer.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from memolith.base.errors import InputError, ProviderError, TextError, TooLargeError
from memolith.learn.extract import evidence, extracted, place, shape
from memolith.learn.extract.extracted import Extracted, Learned
from memolith.memory import record as records
from memolith.store import layout
from memolith.text import markdown
from memolith.text.patterns import lazy
from memolith.text.safe import hygiene
from memolith.text.secrets.cut import cut
from memolith.text.secrets.redact import redact

if TYPE_CHECKING:
    from memolith.env.settings import Settings
    from memolith.learn.model.asking import Model, StageOne
    from memolith.memory.sessions import Session

MAX_OUTPUT = 4_000
MAX_RECORDS = 50
_MAX_REPLY, _MAX_TEXT = 262_144, 65_536
_MAX_BODY, _MAX_TITLE, _MAX_QUOTE = 1_200, 120, 400
_MAX_NAMES, _MAX_NAME = 8, 60
_TEXTS = ("rollout_summary", "raw_memory")
_NAMES: dict[str, object] = {"type": "array", "items": {"type": "string"}}
SCHEMA: dict[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["rollout_summary", "rollout_slug", "raw_memory", "records"],
    "properties": {
        "rollout_summary": {"type": "string"},
        "rollout_slug": {"type": ["string", "null"]},
        "raw_memory": {"type": "string"},
        "records": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["category", "scope", "title", "body", "aliases", "keywords", "evidence"],
                "properties": {
                    "category": {"type": "string", "enum": list(layout.CATEGORIES)},
                    "scope": {"type": "string", "enum": list(place.SCOPES)},
                    "title": {"type": "string"},
                    "body": {"type": "string"},
                    "aliases": _NAMES,
                    "keywords": _NAMES,
                    "evidence": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["turn", "quote"],
                            "properties": {"turn": {"type": "integer"}, "quote": {"type": "string"}},
                        },
                    },
                },
            },
        },
    },
}
# Thoughts, logs and pastes are no facts (S3.10).
_THOUGHT = lazy(
    r"(?i)^\W*(?:let me|let's see|i'll|i will|i'm going to|i should|i need to|hmm|okay,? so|wait,|first,? i"
    r"|now i|looking at|maybe i|i think)\b"
)
_DEBUG = lazy(
    r"(?im)^\s*(?:traceback \(most|file \".{1,200}\", line \d|at [\w.$<>]+ ?\(|\[?\d{4}-\d\d-\d\d[T ]\d\d:"
    r"|\d\d:\d\d:\d\d|(?:debug|info|warn|warning|error|trace)\b[ :\]]|[+-]{3} [ab]/|@@ |\$ )"
)


class ReplyError(ProviderError):
    """A model's reply does not have the form that was asked for."""


def extract(
    session: Session,
    model: Model,
    settings: Settings,
    prompts: StageOne,
    *,
    deadline: float | None = None,
) -> Extracted:
    """Ask a model what a session teaches, and keep what the session supports. ReplyError if it babbles."""
    items = shape.shape(session, shape.token_limit(settings, model.window))
    if items == "[]":
        return extracted.nothing("nothing was said that could be learned from")
    asked = prompts.fill(thread_id=session.name, response_items_json=items)
    answer = model.complete(prompts.system, asked, SCHEMA, max_output=MAX_OUTPUT, deadline=deadline)
    return check(session, read(answer.data), settings)


def read(reply: object) -> dict[str, Any]:
    """Return a reply that has the form asked for; ReplyError says what is wrong with any other."""
    data = _object_in(reply) if isinstance(reply, str) else reply
    if not isinstance(data, dict):
        raise ReplyError("the reply holds no JSON object")
    needed = {*_TEXTS, "rollout_slug"}
    if missing := sorted(needed - data.keys()):
        raise ReplyError(f"the reply lacks {', '.join(missing)}")
    if strange := sorted(map(str, data.keys() - needed - {"records"})):
        raise ReplyError(f"the reply has keys that nobody asked for: {cut(', '.join(strange), 200)}")
    for key in _TEXTS:
        if not isinstance(data[key], str):
            raise ReplyError(f"{key} in the reply is {type(data[key]).__name__}, not text")
        if len(data[key]) > _MAX_TEXT:
            raise ReplyError(f"{key} in the reply has {len(data[key]):,} characters, more than {_MAX_TEXT:,}")
    if not isinstance(data["rollout_slug"], str | None):
        raise ReplyError("rollout_slug in the reply is neither text nor null")
    if not isinstance(data.get("records", []), list):
        raise ReplyError("records in the reply is not a list")
    return data


def check(session: Session, reply: dict[str, Any], settings: Settings) -> Extracted:
    """Return what a session supports of a reply, with secrets masked."""
    texts = {key: _clean(reply[key]) for key in _TEXTS}
    if not all(text.strip() for text in texts.values()):
        return extracted.nothing("the model found nothing worth keeping")
    witness = evidence.Witness(session)
    dropped: Counter[str] = Counter()
    facts = _records(reply.get("records", []), witness, settings, dropped)
    lines = extracted.supported(texts["raw_memory"], witness, dropped)
    if not any(line.startswith("- ") for line in lines):
        lines = [extracted.line(fact.body, fact.evidence, fact.taint) for fact in facts]
    summary = extracted.supported(texts["rollout_summary"], witness, dropped)
    if not any(summary):
        summary = [extracted.labelled(fact.title, fact.taint) for fact in facts]
    if not lines or not summary:
        return extracted.nothing("nothing in the reply is supported by the session", dropped)
    count = sum(1 for line in lines if line.startswith("- "))
    return Extracted(
        raw_memory="\n".join(lines),
        rollout_summary="\n".join(summary),
        rollout_slug="" if witness.taint else slug(reply["rollout_slug"] or ""),
        records=facts,
        dropped=dict(dropped),
        outcome=extracted.outcome(len(facts), count, dict(dropped)),
    )


def slug(text: str) -> str:
    """Return a text as a part of a file name: a-z, 0-9 and -, at most 60."""
    plain = "".join(char if char.isascii() and char.isalnum() else " " for char in _clean(text).casefold())
    return "-".join(plain.split())[:60].strip("-")


def _records(
    given: list[Any], witness: evidence.Witness, settings: Settings, dropped: Counter[str]
) -> list[Learned]:
    kept: list[Learned] = []
    for row in given:
        fact = _record(row, witness)
        if isinstance(fact, str):
            dropped[fact] += 1
        elif not settings.flag(f"memories.{fact.scope}"):
            dropped[f"memories.{fact.scope} is off"] += 1
        elif len(kept) >= MAX_RECORDS:
            dropped[f"more than {MAX_RECORDS} records"] += 1
        elif fact not in kept:
            kept.append(fact)
    return kept


def _record(row: object, witness: evidence.Witness) -> Learned | str:
    """Return a record that may be kept, or the reason why not."""
    if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in ("body", "category")):
        return "malformed record"
    body = _clean(row["body"]).strip()
    title = markdown.same_line(_clean(str(row.get("title") or "")))[:_MAX_TITLE].strip()
    title = title or markdown.first_line(body, 80)
    category, scope = row["category"], str(row.get("scope") or "project")
    if category not in layout.CATEGORIES or scope not in (*place.SCOPES, "assistant"):
        return "unknown category or scope"
    scope = "user" if scope == "assistant" else scope
    if reason := _no_fact(body):
        return reason
    category, scope = place.settled(category, scope, f"{title}\n{body}")
    of_user = category == "preferences" or scope == "user" or place.is_of_user(body)
    verdict = witness.check(f"{title}\n{body}", _quotes(row.get("evidence")), of_user=of_user)
    if not verdict.holds:
        return verdict.reason
    return Learned(
        category=category,
        scope=scope,
        title=title,
        body=body,
        aliases=_names(row.get("aliases")),
        keywords=_names(row.get("keywords")),
        evidence=verdict.quotes,
        taint=verdict.taint,
    )


def _no_fact(body: str) -> str:
    try:
        records.check_text(body)
    except (InputError, TextError, TooLargeError):
        return "no single fact"
    if len(body) > _MAX_BODY or len(_DEBUG.findall(body)) > 1:
        return "no single fact"
    return "thought, not a fact" if _THOUGHT.match(body) else ""


def _quotes(given: object) -> extracted.Quotes:
    found: extracted.Quotes = []
    for row in given if isinstance(given, list) else []:
        if isinstance(row, dict) and isinstance(row.get("turn"), int) and isinstance(row.get("quote"), str):
            found.append((row["turn"], row["quote"][:_MAX_QUOTE]))
    return found


def _names(given: object) -> list[str]:
    """Return words to find a record by; only words, for they are shown as well."""
    plain = (
        [markdown.same_line(_clean(each)) for each in given if isinstance(each, str)]
        if isinstance(given, list)
        else []
    )
    fitting = [each for each in plain if 0 < len(each) <= _MAX_NAME and len(each.split()) <= 6]
    return list(dict.fromkeys(fitting))[:_MAX_NAMES]


def _clean(text: str) -> str:
    return redact(hygiene.clean(text.encode("utf-8", "replace").decode())[0]).text


def _object_in(text: str) -> object:
    """Return the first JSON object in a text; models like to say something around it."""
    import json

    at = text[:_MAX_REPLY].find("{")
    tries = 0
    while at >= 0 and tries < 50:
        try:
            return json.JSONDecoder().raw_decode(text[:_MAX_REPLY], at)[0]
        except (ValueError, RecursionError):
            at = text.find("{", at + 1, _MAX_REPLY)
            tries += 1
    return None
