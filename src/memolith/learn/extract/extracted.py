"""What one session taught: a raw memory, a synopsis and typed records, each statement with its evidence."""

from __future__ import annotations

from memolith.base.values import Source, Value
from memolith.learn.extract import evidence, place
from memolith.text import source_label
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable

Quotes = list[tuple[int, str]]
_BULLET = ("- ", "* ", "+ ")
_CITED = lazy(r'\[turn (\d{1,9}): "')
_STRAIGHT = str.maketrans("“”", '""')


class Learned(Value):
    """One typed fact. `evidence` are turns and quotes; `taint` says whose words they are."""

    aliases: list[str]
    body: str
    category: str
    evidence: Quotes
    keywords: list[str]
    scope: str
    taint: str
    title: str


class Extracted(Value):
    """All that a session taught; empty texts if that was nothing. `dropped` counts statements by reason."""

    dropped: dict[str, int]
    outcome: str
    raw_memory: str
    records: list[Learned]
    rollout_slug: str
    rollout_summary: str

    @property
    def empty(self) -> bool:
        """Whether there was nothing to learn."""
        return not self.raw_memory or not self.rollout_summary


def nothing(why: str, dropped: Counter[str] | None = None) -> Extracted:
    """Return the outcome of a session that taught nothing."""
    counts = dict(dropped or {})
    told = f"{why}; {_counted(counts)}" if counts else why
    return Extracted(
        raw_memory="", rollout_summary="", rollout_slug="", records=[], dropped=counts, outcome=told
    )


def outcome(records: int, lines: int, dropped: dict[str, int]) -> str:
    """Return in words what came of a session."""
    told = f"learned {records} record(s) and {lines} line(s)"
    return f"{told}; {_counted(dropped)}" if dropped else told


def line(statement: str, quotes: Iterable[tuple[int, str]], taint: str) -> str:
    """Return a statement as a line of the raw memory, with a label if it is not the session's own words."""
    cited = " ".join(f'[turn {turn}: "{quote}"]' for turn, quote in quotes)
    return f"- {labelled(statement, taint)} {cited}"


def labelled(statement: str, taint: str) -> str:
    """Return a statement with its label, if it is not the session's own words."""
    source = Source("extracted", taint)
    return source_label.own(statement) + (f" {source_label.label(str(source))}" if source.outside else "")


def supported(text: str, witness: evidence.Witness, dropped: Counter[str]) -> list[str]:
    """Return the lines of a raw memory or a synopsis that hold; the others are counted.

    A bullet needs evidence of its own. Headings and prose may only name what was said in the session, and are
    left out if somebody from outside may have had a say in it.
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
        verdict = witness.check(statement, quotes, of_user=place.is_of_user(statement))
        if verdict.holds:
            kept.append(line(statement, verdict.quotes, verdict.taint))
        else:
            dropped[verdict.reason] += 1
    return _tidy(kept)


def citations(text: str) -> tuple[str, Quotes]:
    """Take the citations off the end of a line: the statement, and its turns and quotes."""
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
    """Return lines without headings that have nothing below them any more, and without blank ends."""
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


def _counted(dropped: dict[str, int]) -> str:
    total = sum(dropped.values())
    return f"dropped {total} ({', '.join(f'{why}: {count}' for why, count in sorted(dropped.items()))})"
