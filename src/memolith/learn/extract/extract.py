"""Learning with a model: one session in, checked facts out.

The model sees what was said, with turn numbers, shortened to fit and without secrets. It only proposes: each
statement must be supported by the session (`evidence`). "Nothing worth keeping" is a good answer.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from memolith.base.errors import InputError, TextError, TooLargeError
from memolith.learn.extract import evidence, strip
from memolith.learn.extract.facts import (
    Fact,
    Findings,
    Quotes,
    findings,
    is_of_user,
    nothing,
    settled_place,
)
from memolith.learn.extract.speech import pattern
from memolith.learn.model import schema
from memolith.memory import records
from memolith.text import markdown
from memolith.text.budget import estimate_tokens, head, tail
from memolith.text.patterns import lazy
from memolith.text.safe import hygiene
from memolith.text.secrets.redact import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.env.settings import Settings
    from memolith.learn.model.llm import Client
    from memolith.learn.model.prompt import Prompt
    from memolith.memory.sessions import Session, Turn

PROMPTS = ("stage_one_system", "stage_one_input")
MAX_OUTPUT = 4_000
MAX_RECORDS = 50
_MAX_BODY, _MAX_TITLE, _MAX_QUOTE = 1_200, 120, 400
_MAX_NAMES, _MAX_NAME = 8, 60
_BULLET = ("- ", "* ", "+ ")
_CITED = lazy(r'\[turn (\d{1,9}): "')
_STRAIGHT = str.maketrans("“”", '""')

MAX_RESULT = 32_000
_HEAD_PART = 0.6
# If a session does not fit, tool results are shortened first: the user's words matter most.
_SHORT_RESULT = 1_500
_CUT = "…[{} characters left out]…"
_FRAME = 16  # tokens for the brackets and the marker
_LEAST = 80  # characters; less than a sentence says nothing

Item = dict[str, object]


def extract(
    session: Session, model: Client, settings: Settings, prompts: Sequence[Prompt], deadline: float
) -> Findings:
    """Ask a model what a session teaches, and keep what the session supports, secrets masked.

    `prompts` are the ones named in PROMPTS; `deadline` is a value of `time.monotonic()`.
    """
    system, form = prompts
    items = shape(session, token_limit(settings, model.window))
    if items == "[]":
        return nothing("nothing was said that could be learned from")
    user = form.fill(thread_id=session.name, response_items_json=items)
    reply = model.complete(
        system.text, user, schema.load("stage_one"), max_output=MAX_OUTPUT, deadline=deadline
    )
    raw_memory, synopsis = _clean(reply["raw_memory"]), _clean(reply["rollout_summary"])
    if not raw_memory.strip() or not synopsis.strip():
        return nothing("the model found nothing worth keeping")
    witness = evidence.Witness(session)
    dropped: Counter[str] = Counter()
    facts = _facts(reply["records"], witness, settings, dropped)
    lines = _supported(raw_memory, witness, dropped)
    if not any(line.startswith("- ") for line in lines):
        lines = [fact.raw_line() for fact in facts]
    summary = _supported(synopsis, witness, dropped)
    if not any(summary):
        summary = [fact.labelled(fact.title) for fact in facts]
    if not lines or not summary:
        return nothing("nothing in the reply is supported by the session", dropped)
    return findings(
        facts, lines, summary, dropped, "" if witness.taint else _slug(reply["rollout_slug"] or "")
    )


def _slug(text: str) -> str:
    """Return a text as part of a file name: at most 60 of a-z, 0-9 and -."""
    plain = "".join(char if char.isascii() and char.isalnum() else " " for char in _clean(text).casefold())
    return "-".join(plain.split())[:60].strip("-")


def _facts(
    rows: list[dict[str, Any]], witness: evidence.Witness, settings: Settings, dropped: Counter[str]
) -> list[Fact]:
    kept: list[Fact] = []
    for row in rows:
        fact = _fact(row, witness)
        if isinstance(fact, str):
            dropped[fact] += 1
        elif not settings.flag(f"memories.{fact.scope}"):
            dropped[f"memories.{fact.scope} is off"] += 1
        elif len(kept) >= MAX_RECORDS:
            dropped[f"more than {MAX_RECORDS} records"] += 1
        elif fact not in kept:
            kept.append(fact)
    return kept


def _fact(row: dict[str, Any], witness: evidence.Witness) -> Fact | str:
    """Return the fact, or the reason why it is dropped."""
    body = _clean(row["body"]).strip()
    title = markdown.same_line(_clean(row["title"]))[:_MAX_TITLE].strip() or markdown.first_line(body, 80)
    if reason := _no_fact(body):
        return reason
    category, scope = settled_place(row["category"], row["scope"], f"{title}\n{body}")
    of_user = category == "preferences" or scope == "user" or is_of_user(body)
    quotes = [(each["turn"], each["quote"][:_MAX_QUOTE]) for each in row["evidence"]]
    verdict = witness.check(f"{title}\n{body}", quotes, of_user=of_user)
    if not verdict.holds:
        return verdict.reason
    names = {key: _names(row[key]) for key in ("aliases", "keywords")}
    if scope == "user" and not witness.speaks_for_all(verdict.quotes):
        scope = "project"
    return Fact(body, category, scope, title=title, quotes=verdict.quotes, taint=verdict.taint, **names)


def _no_fact(body: str) -> str:
    try:
        records.check_text(body)
    except (InputError, TextError, TooLargeError):
        return "no single fact"
    if len(body) > _MAX_BODY or len(pattern("debug").findall(body)) > 1:
        return "no single fact"
    return "thought, not a fact" if pattern("thought").match(body) else ""


def _names(given: list[str]) -> list[str]:
    """Return words to find a record by; plain words only, because they are also displayed."""
    plain = [markdown.same_line(_clean(each)) for each in given]
    fitting = [each for each in plain if 0 < len(each) <= _MAX_NAME and len(each.split()) <= 6]
    return list(dict.fromkeys(fitting))[:_MAX_NAMES]


def _clean(text: str) -> str:
    return redact(hygiene.clean(text.encode("utf-8", "replace").decode())[0]).text


def _supported(text: str, witness: evidence.Witness, dropped: Counter[str]) -> list[str]:
    """Return the supported lines of a raw memory or a synopsis; count the dropped ones.

    A bullet needs its own evidence. Headings and prose may only name what was said in the session, and are
    omitted if text from outside may have influenced the session.
    """
    kept: list[str] = []
    for raw in text.splitlines():
        bare = raw.strip()
        if not bare.startswith(_BULLET):
            if bare and (witness.taint or not witness.knows(bare)):
                dropped[evidence.OUTSIDE if witness.taint else evidence.NOT_ABOUT] += 1
            else:
                kept.append(bare)
            continue
        statement, quotes = citations(bare[2:])
        verdict = witness.check(statement, quotes, of_user=is_of_user(statement))
        if verdict.holds:
            kept.append(Fact(statement, "", quotes=verdict.quotes, taint=verdict.taint).raw_line())
        else:
            dropped[verdict.reason] += 1
    return _tidy(kept)


def citations(text: str) -> tuple[str, Quotes]:
    """Split a line into its statement and the citations at its end (turns and quotes)."""
    text = text.translate(_STRAIGHT).strip()
    marks = list(_CITED.finditer(text))
    if not marks:
        return text, []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    parts = [text[mark.end() : end].rstrip() for mark, end in zip(marks, ends, strict=True)]
    quotes = [
        (int(mark[1]), part[:-2]) for mark, part in zip(marks, parts, strict=True) if part.endswith('"]')
    ]
    return text[: marks[0].start()].strip(), quotes


def _tidy(lines: list[str]) -> list[str]:
    """Return the lines without empty sections and without leading or trailing blanks."""
    kept: list[str] = []
    for text in reversed(lines):
        heading = text.startswith("#")
        if not text and (not kept or not kept[-1]):
            continue
        if heading and (not any(kept) or _level(_first(kept)) in range(1, _level(text) + 1)):
            continue
        kept.append(text)
    while kept and not kept[-1]:
        kept.pop()
    return kept[::-1]


def _first(kept: list[str]) -> str:
    return next((text for text in reversed(kept) if text), "")


def _level(text: str) -> int:
    return len(text) - len(text.lstrip("#"))


# ---------------------------------------------------------------- what a model is shown


def token_limit(settings: Settings, window: int) -> int:
    """Return how many tokens of a session fit into a model's context window (0: unknown size)."""
    window = window or int(settings.number("memories.fallback_token_limit"))
    part = int(window * settings.number("memories.rollout_payload_percent"))
    return min(int(settings.number("memories.phase1_input_token_limit")), part)


def shape(session: Session, limit_tokens: int) -> str:
    """Return a session as a JSON list of its turns, at most `limit_tokens` long.

    A longer one keeps its first 60 % and its last 40 % with a marker in between; turns keep their numbers.
    """
    items = [item for turn in session.turns if (item := _item(turn))]
    if _size(items) > limit_tokens:
        for item in (item for item in items if item["role"] == "tool"):
            item["text"] = _middle_out(str(item["text"]), _SHORT_RESULT)
    if _size(items) > limit_tokens:
        items = _ends(items, limit_tokens - _FRAME)
    return _json(items)


def _item(turn: Turn) -> Item | None:
    if turn.role == "tool" and strip.tool_kind(turn) not in strip.TELLING:
        return None
    text = redact(strip.own_words(turn).strip()).text  # before cutting: half a secret is not recognised
    if not text:
        return None
    item: Item = {"turn": turn.number, "role": turn.role}
    if turn.role == "tool":
        item |= {"tool": turn.tool, "outcome": turn.outcome}
        text = _middle_out(text, MAX_RESULT)
    return {**{key: value for key, value in item.items() if value}, "text": text}


def _middle_out(text: str, limit: int) -> str:
    """Return the first 60 % and the last 40 % of a text that is too long."""
    if len(text) <= limit:
        return text
    room = limit - len(_CUT) - 6
    first = head(text, int(room * _HEAD_PART), len)
    last = text[len(text) - int(room * (1 - _HEAD_PART)) :]
    return f"{first}\n{_CUT.format(len(text) - len(first) - len(last))}\n{last}"


def _ends(items: list[Item], limit: int) -> list[Item]:
    first, rest = _split(items, int(limit * _HEAD_PART))
    last, rest = _split(rest[::-1], limit - _size(first), from_end=True)
    marker: Item = {"left_out": f"{len(rest)} turns, in whole or in part"}
    return [*first, *([marker] if rest else []), *last[::-1]]


def _split(items: Sequence[Item], limit: int, *, from_end: bool = False) -> tuple[list[Item], list[Item]]:
    """Return the items that fit, in order, and the rest; the item at the limit is split between them."""
    kept: list[Item] = []
    for number, item in enumerate(items):
        size = _size([item])
        if size <= limit:
            kept.append(item)
            limit -= size
            continue
        text = str(item["text"])
        room = (limit - _size([{**item, "text": _CUT}])) * 4
        if room < _LEAST:
            return kept, list(items[number:])
        # Measured as sent: JSON escapes take room too.
        part = (tail if from_end else head)(text, room, lambda part: estimate_tokens(_json(part)) * 4)
        mark = _CUT.format(len(text) - len(part))
        kept.append({**item, "text": f"{mark}\n{part}" if from_end else f"{part}\n{mark}"})
        left = text[: len(text) - len(part)] if from_end else text[len(part) :]
        return kept, [{**item, "text": left}, *items[number + 1 :]]
    return kept, []


def _size(items: Sequence[Item]) -> int:
    return estimate_tokens(_json(list(items))) + len(items)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
