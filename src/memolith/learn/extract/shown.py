"""What a model is shown of a session: what the user said first, then what matters beside it, then the rest.

A session seldom fits. The user's own turns come first, each cut to what leaves room for all of them; then the
turns around corrections, refusals and failures; then everything else. What is chosen is shown in the order of
the session, with turn numbers and without secrets; in several requests if one has no room for it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memolith.learn.extract import strip
from memolith.text.budget import estimate_tokens, head, tail
from memolith.text.secrets.redact import redact
from memolith.text.turns import first_line
from memolith.text.words import talk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memolith.memory.sessions import Session, Turn

MAX_RESULT = 32_000
_HEAD_PART = 0.6
_CUT = "…[{} characters left out]…"
# Lengths to which turns are cut: the user's down to a sentence, the others down to a paragraph.
_LENGTHS = (MAX_RESULT, 8_000, 4_000, 2_000, 1_200, 800, 600, 400, 250, 120)
_SHORTEST_OF_AGENT = 400
_MAX_CALL = 160
_BRACKETS = 1

Item = dict[str, object]


def shown(session: Session, budget: int, room: int) -> list[str]:
    """Return a session as JSON lists of turns: at most `budget` tokens, at most `room` in each of them."""
    items = [item for turn in session.turns if (item := _item(turn))]
    lists: list[list[Item]] = [[]]
    left = room = min(room, budget) - _BRACKETS
    for item in _chosen(items, budget - _BRACKETS, room):
        if (size := _size(item)) > left:
            lists.append([])
            left = room
        left -= size
        lists[-1].append(item)
    return [_json(each) for each in lists if each]


def _item(turn: Turn) -> Item | None:
    refusal = strip.refusal(turn)
    if turn.role == "tool" and not refusal and strip.tool_kind(turn) not in strip.TELLING:
        return None
    text = redact((refusal or strip.own_words(turn)).strip()).text  # before cutting: see `redact`
    if not text:
        return None
    item: Item = {"turn": turn.number, "role": turn.role}
    if refusal:
        call = redact(first_line(turn.text)).text[:_MAX_CALL]
        item |= {"role": "user", "refuses": f"{turn.tool}: {call}".rstrip(": ")}
    elif turn.role == "tool":
        item |= {"tool": turn.tool, "outcome": turn.outcome}
        text = _middle_out(text, MAX_RESULT)
    return {**{key: value for key, value in item.items() if value}, "text": text}


def _chosen(items: Sequence[Item], budget: int, room: int) -> list[Item]:
    """Return what fits of the items, in their order: each rank is served before the next."""
    kept: dict[int, Item] = {}
    for rank, shortest in zip(_ranks(items), (0, *[_SHORTEST_OF_AGENT] * 3), strict=True):
        left = budget - sum(map(_size, kept.values()))
        lengths = [each for each in _LENGTHS if each >= shortest]
        kept |= _fitting({at: items[at] for at in rank if at not in kept}, left, room, lengths)
    return [kept[at] for at in sorted(kept)]


def _fitting(items: dict[int, Item], left: int, room: int, lengths: Sequence[int]) -> dict[int, Item]:
    """Return items cut to the greatest length at which all of them fit; else the newest of the shortest."""
    for length in lengths:
        cut = {at: {**item, "text": _middle_out(str(item["text"]), length)} for at, item in items.items()}
        sizes = {at: _size(item) for at, item in cut.items()}
        if sum(sizes.values()) <= left and all(size <= room for size in sizes.values()):
            return cut
    kept: dict[int, Item] = {}
    for at in reversed(cut):  # the later word wins
        if sizes[at] <= min(left, room):
            left -= sizes[at]
            kept[at] = cut[at]
    return kept


def _ranks(items: Sequence[Item]) -> Iterator[Iterable[int]]:
    """Yield the places of items by rank: the user's turns, what is beside telling ones, then the rest."""
    said = [at for at, item in enumerate(items) if item["role"] == "user"]
    yield said
    failed = [at for at, item in enumerate(items) if item.get("outcome") not in (None, "ok", "success", "0")]
    corrects = [at for at in said if "refuses" in items[at] or talk.is_correction(str(items[at]["text"]))]
    beside = {*failed, *(at + 1 for at in failed), *(at + by for at in corrects for by in (-1, 1))}
    yield sorted(at for at in beside if 0 <= at < len(items))
    yield [at - 1 for at in said if at]  # each word of the user but the first may be about the turn before it
    yield range(len(items))


def _middle_out(text: str, limit: int) -> str:
    """Return the first 60 % and the last 40 % of a text that is too long."""
    if len(text) <= limit:
        return text
    room = limit - len(_CUT) - 6
    first = head(text, int(room * _HEAD_PART), len)
    last = tail(text, int(room * (1 - _HEAD_PART)), len)
    return f"{first}\n{_CUT.format(len(text) - len(first) - len(last))}\n{last}"


def _size(item: Item) -> int:
    return estimate_tokens(_json(item)) + 1  # for the comma


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
