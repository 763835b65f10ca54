"""The time that a question names: a month, a year, a date, or one counted from today ("four weeks ago")."""

from __future__ import annotations

from memolith.base.lean import lru_cache
from memolith.text.patterns import sections
from memolith.text.words import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MONTH_NAMES = "january february march april may june july august september october november december"
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
_MONTHS = _MONTH_NAMES.split()
_NUMBERS = _COUNTED.split()
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SOME = {"a": 1, "an": 1, "couple": 2, "few": 3}
# How long each is in days, and how far from it one may be when one says "four weeks ago".
_UNITS = {"day": (1.0, 1), "week": (7.0, 3), "month": (30.4, 8), "year": (365.25, 45)}

_MARKS = ".,;:!?\"'()[]¿¡？。؟"
_ASKS = ("?", "？", "؟")
_ASKING = ("dense", "particles", "begins", "asking")  # the sections whose words are no part of a time
_LONG = 120  # characters; a longer text asks for more than a time

Span = tuple[str, str]  # first and last day, as YYYY-MM-DD


def spans(question: str, today: str) -> list[Span]:
    """Return the spans of time that a question names; none for most questions."""
    words = [word.strip(".,;:!?\"'()[]").lower() for word in question.split()]
    return list(dict.fromkeys([*_absolute(words), *_relative(words, today)]))


def only(question: str, today: str) -> list[Span]:
    """Return the days that a question asks about, if about nothing else (`what did we do on Friday?`)."""
    if len(question) > _LONG:
        return []
    table = _table()
    words = [word for each in _spaced(question).lower().split() if (word := each.strip(_MARKS))]
    asks = question.rstrip().endswith(_ASKS) or not table["begins"].isdisjoint(words[:1])
    asks = asks or not table["dense"].isdisjoint(words)
    if not all(word in table["told"] or _is_time(word) or _count(word) for word in words):
        return []
    named = [each for at in range(len(words)) for each in _days(words, at, today)]
    if not asks:  # a time alone asks what was done then; `do it today` does not
        is_bare = all(word in table["times"] or _is_time(word) or _count(word) for word in words)
        return named if is_bare else []
    return named or spans(question, today)


def _spaced(question: str) -> str:
    """Put spaces between the words of a question in a language without them, as far as they are known."""
    if not any(map(terms.is_dense, question)):
        return question
    known = sorted((each for each in _table()["told"] if terms.is_dense(each[0])), key=len, reverse=True)
    parts, at = list[str](), 0
    while at < len(question):
        word = next((each for each in known if question.startswith(each, at)), question[at])
        parts.append(f" {word} " if word in known else word)
        at += len(word)
    return "".join(parts)


@lru_cache(maxsize=1)
def _table() -> dict[str, frozenset[str]]:
    found = sections("words/times.txt")
    days = {f"{day}": each.split("/") for day, each in enumerate(found.pop("weekdays"))}
    bare = {
        name: words for name, words in found.items() if name not in ("dense", "particles", "begins", "asking")
    }
    times, told = (frozenset().union(*days.values(), *each.values()) for each in (bare, found))
    table = {name: frozenset(words) for name, words in (found | days).items()}
    return {**table, "times": times, "told": told | terms.STOP}


def _days(words: list[str], at: int, today: str) -> Iterator[Span]:
    """Yield the days that a word names, alone or with those around it (`3 November`, `last week`)."""
    word, table = words[at], _table()
    weekday = next((day for day in range(7) if word in table[str(day)]), None)
    if word in table["today"]:
        yield _around(today, 0, 0)
    elif word in table["yesterday"] or word in table["before"]:
        is_before = word in table["before"] or words[max(0, at - 1) : at] == ["before"]
        yield _around(today, 2 if is_before else 1, 0)
    elif weekday is not None:
        yield _around(today, _since(weekday, today), 0)
    elif word == "week" and words[at - 1 : at] == ["this"]:
        yield _day(today, _since(0, _day(today, -1)) - 1), today[:10]
    elif not table["last"].isdisjoint(words[max(0, at - 2) : at + 2]):
        yield from _last(word, next(filter(None, map(_count, words[max(0, at - 2) : at])), 0), today)
    month = next((number for number, name in enumerate(_MONTHS, 1) if word in (name, name[:3])), 0)
    for beside in words[max(0, at - 1) : at] + words[at + 1 : at + 2] if month else ():
        number = beside.rstrip("stndrh")
        if number.isdigit() and 1 <= int(number) <= 31:
            year = next((each for each in words if len(each) == 4 and each.isdigit()), "????")
            yield (day := f"{year}-{month:02d}-{int(number):02d}"), day


def _last(word: str, count: int, today: str) -> Iterator[Span]:
    """Yield the last so many days or weeks until now, or the last week or month of the calendar."""
    table = _table()
    if count and (word in table["days"] or word in table["weeks"]):
        yield _day(today, count * (7 if word in table["weeks"] else 1)), today[:10]
    elif word in table["weeks"]:
        monday = _since(0, _day(today, -1)) - 1
        yield _day(today, monday + 7), _day(today, monday + 1)
    elif word in table["months"]:
        end = _day(f"{today[:8]}01", 1)
        yield f"{end[:8]}01", end


def _is_time(word: str) -> bool:
    bare = word.rstrip("stndrh")
    return word in _MONTHS or word in _NUMBERS or is_date(bare) or word.replace("-", "").isdigit()


def is_date(word: str) -> bool:
    """Whether a word, or its stem, may be part of a date: such are rarely in a text, but in its head."""
    if word.isdigit():
        return True
    return len(word) >= 3 and any(name.startswith(word) or f"{name[:-1]}i" == word for name in _MONTHS)


def _absolute(words: list[str]) -> Iterator[Span]:
    years = [word for word in words if len(word) == 4 and word.isdigit() and "1900" <= word < "2100"]
    months = [
        number
        for at, word in enumerate(words)
        for number, name in enumerate(_MONTHS, 1)
        if word in (name, name[:3]) and (word not in ("may", "march", "mar") or _is_month(words, at))
    ]
    for word in words:
        if len(word) == 10 and word[4] == word[7] == "-" and word.replace("-", "").isdigit():
            yield word, word
    if months:
        for year in years or ["????"]:
            for month in months:
                yield f"{year}-{month:02d}-01", f"{year}-{month:02d}-31"
    else:
        for year in years:
            yield f"{year}-01-01", f"{year}-12-31"


def _is_month(words: list[str], at: int) -> bool:
    """Whether "may" or "march" is a month: a day, a year or "in" stands beside it."""
    beside = words[max(0, at - 1) : at] + words[at + 1 : at + 2]
    return any(word.isdigit() for word in beside) or words[at - 1 : at] in (
        ["in"],
        ["of"],
        ["since"],
        ["last"],
    )


def _relative(words: list[str], today: str) -> Iterator[Span]:
    for at, word in enumerate(words):
        following = words[at + 1 : at + 2]
        unit = following[0].removesuffix("s") if following else ""
        if word == "yesterday":
            yield _around(today, 1, 0)
        elif word in ("last", "past", "previous") and unit in _UNITS:
            length = _UNITS[unit][0]
            yield _day(today, 2 * length), _day(today, 1)
        elif word == "last" and unit in _WEEKDAYS:
            yield _around(today, _since(_WEEKDAYS.index(unit), today), 0)
        elif word == "ago" and at >= 2 and words[at - 1].removesuffix("s") in _UNITS:
            length, slack = _UNITS[words[at - 1].removesuffix("s")]
            count = _count(words[at - 2])
            if count:
                yield _around(today, count * length, slack)


def _count(word: str) -> int:
    if word.isdigit():
        return int(word)
    return _SOME.get(word) or (_NUMBERS.index(word) if word in _NUMBERS else 0)


def _around(today: str, days: float, slack: int) -> Span:
    return _day(today, days + slack), _day(today, days - slack)


def _day(today: str, before: float) -> str:
    from datetime import date, timedelta

    try:
        return (date.fromisoformat(today[:10]) - timedelta(days=round(before))).isoformat()
    except (ValueError, OverflowError):
        return today[:10]


def _since(weekday: int, today: str) -> int:
    """Return how many days ago that weekday was last."""
    from datetime import date

    return (date.fromisoformat(today[:10]).weekday() - weekday - 1) % 7 + 1


def within(date: str, named: Sequence[Span]) -> bool:
    """Whether a day is in one of the spans; in "May" of no year, that of any."""
    day = date[:10]
    return any(
        first <= day <= last if first[0] != "?" else first[4:] <= day[4:] <= last[4:] for first, last in named
    )
