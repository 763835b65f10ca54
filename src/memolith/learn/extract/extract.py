"""Learning with a model: one session in, checked facts out.

The model sees what was said, with turn numbers, shortened to fit and without secrets (`shown`). It only
points: what is kept of a statement is the sentence that it quotes, if that was said and meant (`evidence`).
"Nothing worth keeping" is a good answer. Of somebody else's words only the plainest few are kept: they wait
for a person, whose time is short.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from memolith.base.errors import InputError, TextError, TooLargeError
from memolith.base.values import Source, Value
from memolith.learn.extract import evidence, signals
from memolith.learn.extract.facts import (
    MOST_OUTSIDE,
    Fact,
    Findings,
    Quotes,
    findings,
    nothing,
    settled_place,
)
from memolith.learn.extract.shown import shown
from memolith.learn.extract.speech import pattern
from memolith.learn.model import schema
from memolith.learn.model.values import ModelError
from memolith.memory import arguments
from memolith.text import markdown
from memolith.text.patterns import lazy
from memolith.text.safe import hygiene
from memolith.text.secrets.redact import redact
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memolith.env.settings import Settings
    from memolith.learn.model.llm import Client
    from memolith.learn.model.prompt import Prompt
    from memolith.memory.sessions import Session

PROMPTS = ("stage_one_system", "stage_one_input")
MAX_OUTPUT = 2_000  # twice that for an answer that was cut off
MAX_RECORDS = 50
_LEAST_ROOM = 150  # tokens; less of a session teaches nothing
_MAX_QUOTE = 400
_MAX_NAMES, _MAX_NAME = 8, 60
_MAX_SYNOPSIS = 4
_BULLET = ("- ", "* ", "+ ")
_CITED = lazy(r'\[turn (\d{1,9}): "')
_STRAIGHT = str.maketrans("“”", '""')
_HEADINGS = {"decision": "decisions", "procedure": "procedures", "principle": "principles"}
_HEADINGS |= {"incident": "incidents", "preference": "preferences"}


class _Claim(Value):
    """What a model says that a session teaches."""

    category: str
    names: dict[str, list[str]]
    quotes: Quotes
    scope: str
    statement: str


def extract(
    session: Session, model: Client, settings: Settings, prompts: Sequence[Prompt], deadline: float
) -> Findings:
    """Ask a model what a session teaches, and keep what was said, secrets masked.

    `prompts` are the ones named in PROMPTS; `deadline` is a value of `time.monotonic()`.
    """
    system, form = prompts
    reply_form = schema.load("stage_one")
    parts, most = _parts(session, model, settings, system, form, reply_form)
    if not parts:
        return nothing("nothing was said that could be learned from")
    replies = [
        model.complete(system.text, part, reply_form, max_output=most, deadline=deadline) for part in parts
    ]
    replies = [each for each in replies if each["raw_memory"].strip() and each["rollout_summary"].strip()]
    if not replies:
        return nothing("the model found nothing worth keeping")
    witness = evidence.Witness(session)
    dropped: Counter[str] = Counter()
    claims = [claim for reply in replies for claim in _claims(reply)]
    facts = _facts(claims, witness, settings, dropped)
    if not facts:
        return nothing("nothing in the reply was said to be kept", dropped)
    synopsis = list(dict.fromkeys(line for reply in replies for line in _synopsis(reply, witness)))
    slug = next(filter(None, (_slug(reply["rollout_slug"] or "", witness) for reply in replies)), "")
    return findings(facts, synopsis[:_MAX_SYNOPSIS], dropped, slug)


def _parts(
    session: Session,
    model: Client,
    settings: Settings,
    system: Prompt,
    form: Prompt,
    reply_form: schema.Schema,
) -> tuple[list[str], int]:
    """Return the requests for a session, and the tokens for each answer: all of them fit into the window."""
    budget = int(settings.number("memories.phase1_input_token_limit"))
    window = model.window or int(settings.number("memories.fallback_token_limit"))
    most = min(MAX_OUTPUT, window // 4)
    room = min(budget, int(window * settings.number("memories.rollout_payload_percent")))
    while room >= _LEAST_ROOM:
        parts = [
            form.fill(thread_id=session.name, response_items_json=items)
            for items in shown(session, budget, room)
        ]
        if all(model.fits(system.text, part, reply_form, max_output=most) for part in parts):
            return parts, most
        room = room * 3 // 4
    raise ModelError(
        "too_long", f"{model.name}: a window of {window:,} tokens has no room for a session beside the prompt"
    )


def _claims(reply: dict[str, Any]) -> Iterator[_Claim]:
    """Yield what a reply claims: its records, then what only its raw memory has."""
    for row in reply["records"]:
        quotes = [(each["turn"], each["quote"][:_MAX_QUOTE]) for each in row["evidence"]]
        names = {key: [_clean(each) for each in row[key]] for key in ("aliases", "keywords")}
        statement = f"{row['title']}\n{row['body']}"
        yield _Claim(
            category=row["category"], names=names, quotes=quotes, scope=row["scope"], statement=statement
        )
    category = "principles"
    for line in reply["raw_memory"].splitlines():
        bare = line.strip()
        if bare.startswith("#"):
            lower = bare.casefold()
            category = next((name for word, name in _HEADINGS.items() if word in lower), "principles")
        elif bare.startswith(_BULLET):
            statement, quotes = citations(bare[2:])
            yield _Claim(category=category, names={}, quotes=quotes, scope="project", statement=statement)


def _facts(
    claims: Iterable[_Claim], witness: evidence.Witness, settings: Settings, dropped: Counter[str]
) -> list[Fact]:
    kept: list[Fact] = []
    for claim in claims:
        fact = _fact(claim, witness)
        if isinstance(fact, str):
            dropped[fact] += 1
        elif any(each.text == fact.text for each in kept):
            continue  # records and raw memory say the same
        elif not settings.flag(f"memories.{fact.scope}"):
            dropped[f"memories.{fact.scope} is off"] += 1
        elif len(kept) >= MAX_RECORDS:
            dropped[f"more than {MAX_RECORDS} records"] += 1
        else:
            kept.append(fact)
    return _few_from_outside(kept, dropped)


def _few_from_outside(facts: list[Fact], dropped: Counter[str]) -> list[Fact]:
    """Return the facts, and of those in somebody else's words each once, and only the most explicit."""
    outside: list[Fact] = []
    for fact in sorted((each for each in facts if each.outside), key=_explicitness, reverse=True):
        if any(likeness.same(fact.text, each.text) for each in outside):
            continue
        if len(outside) < MOST_OUTSIDE:
            outside.append(fact)
        else:
            dropped[f"more than {MOST_OUTSIDE} from outside"] += 1
    return [fact for fact in facts if not fact.outside or fact in outside]


def _explicitness(fact: Fact) -> int:
    judged = signals.judge(fact.text, fact.text, rule=False, answering=False, refused=False)
    return judged.points if judged else 0


def _fact(claim: _Claim, witness: evidence.Witness) -> Fact | str:
    """Return the fact, or the reason why there is none."""
    verdict = witness.learn(claim.statement, claim.category, claim.quotes)
    if not verdict.holds:
        return verdict.reason
    text = _clean(verdict.text)
    try:
        arguments.check_fact(text)
    except (InputError, TextError, TooLargeError):
        return "no single fact"
    if verdict.taint != "user" and pattern("thought").match(text):
        return "thought, not a fact"
    category, scope = settled_place(claim.category, claim.scope, text)
    if scope == "user" and not witness.speaks_for_all(verdict.quotes):
        scope = "project"
    names = {key: _names(given, witness) for key, given in claim.names.items()}
    title = markdown.first_line(text, 80).rstrip(".。")
    said: dict[str, object] = {"quotes": verdict.quotes, "taint": verdict.taint, "certain": verdict.certain}
    return Fact(text, category, scope, title=title, **said, **names)


def _names(given: Iterable[str], witness: evidence.Witness) -> list[str]:
    """Return words to find a record by: those that somebody said in the session."""
    plain = [markdown.same_line(each) for each in given]
    fitting = [each for each in plain if 0 < len(each) <= _MAX_NAME and witness.knows(each)]
    return list(dict.fromkeys(fitting))[:_MAX_NAMES]


def _synopsis(reply: dict[str, Any], witness: evidence.Witness) -> Iterator[str]:
    """Yield what a session was about, in the words that were said; it need not be meant to last."""
    for line in reply["rollout_summary"].splitlines():
        _, quotes = citations(line)
        verdict = witness.check(quotes)
        if verdict.holds and not Source("extracted", verdict.taint).outside:
            text = markdown.first_line(_clean(verdict.text), 200)
            yield Fact(text, "", quotes=verdict.quotes, taint=verdict.taint).raw_line()


def _slug(text: str, witness: evidence.Witness) -> str:
    """Return a topic as part of a file name, if it was named in the session."""
    words = "".join(char if char.isascii() and char.isalnum() else " " for char in _clean(text).casefold())
    return "-".join(words.split())[:60].strip("-") if witness.knows(words) else ""


def _clean(text: str) -> str:
    return redact(hygiene.clean(text.encode("utf-8", "replace").decode())[0]).text


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
