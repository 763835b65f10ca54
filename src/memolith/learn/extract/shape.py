"""A session as a model is given it: what was said, with turn numbers, short enough, without secrets."""

from __future__ import annotations

import json

from memolith.learn.extract import strip
from memolith.text.budget import estimate_tokens, head, tail
from memolith.text.secrets.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.env.settings import Settings
    from memolith.memory.sessions import Session, Turn

MAX_RESULT = 32_000
_HEAD_PART = 0.6
# Where the whole does not fit, results of tools give way first: what the user said weighs most.
_SHORT_RESULT = 1_500
_CUT = "…[{} characters left out]…"
_FRAME = 16  # tokens for the brackets and the marker
_LEAST = 80  # characters: less than a sentence says nothing

Item = dict[str, object]


def token_limit(settings: Settings, window: int) -> int:
    """Return how many tokens of a session may be sent to a model with a window of that size, 0 if unknown."""
    window = window or int(settings.number("memories.fallback_token_limit"))
    part = int(window * settings.number("memories.rollout_payload_percent"))
    return min(int(settings.number("memories.phase1_input_token_limit")), part)


def shape(session: Session, limit_tokens: int) -> str:
    """Return a session as a JSON list of its turns, at most so many tokens long.

    A longer one keeps its first 60 % and its last 40 %, with a marker between; turns keep their numbers.
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
    text = redact(strip.own_words(turn).strip()).text  # before it is cut: half a secret is not known
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
    """Return the items that fit, in their order, and the rest; of the one between, each gets a part."""
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
        # Measured as it will be sent: JSON escapes take room too.
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
