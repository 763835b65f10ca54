"""Recall: ranked answers to a question from the user's memory and the project's.

Candidates come from the index (words) and, with the semantic extra, from the vectors (meaning); `rank` orders
them; this module fetches what it needs and reports what could not be searched.
"""

from __future__ import annotations

from memolith.base import whole
from memolith.base.errors import InputError, StorageError
from memolith.base.lean import suppress
from memolith.base.values import Hit, Recall
from memolith.index import KINDS, Match, Session, State, kind_of
from memolith.memory import arguments, taken_back
from memolith.prompt import brief
from memolith.recall import rank, settle, supersede, weights, working
from memolith.recall.rank import Candidate, Question, Ranked
from memolith.recall.settle import Texts
from memolith.store import layout
from memolith.store.screen import quoted
from memolith.text import excerpt
from memolith.text.budget import plural
from memolith.text.safe import hygiene
from memolith.text.words import talk, terms, times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memolith.index import Index, Unit
    from memolith.index.vectors.meaning import Coverage, Vectors
    from memolith.memory.home import Home

MAX_LIMIT = 1000
_ITEMS = 20  # in the brief of the block
# MEMORY.md is in the block anyway, and commands are told otherwise (`working`).
_NOT_SHOWN = tuple(kind for kind in KINDS if kind not in ("memory", "command"))
_TRIES = 3  # until the index stays unchanged during a query; then it is built in memory
_UNSTEADY = "it was changed again and again while it was asked"
_ASKS = ("?", "？", "؟")
_MARKS = ".,;:!?\"'()[]{}`"


def recall(
    home: Home,
    query: str,
    *,
    limit: int = 10,
    scopes: Collection[str] | None = None,
    kinds: Collection[str] | None = None,
    categories: Collection[str] | None = None,
    since: str | None = None,
    as_of: str | None = None,
    budget: int | None = None,
    semantic: bool | None = None,
    unasked: bool = False,
) -> Recall:
    """Answer a question from the scopes of a memory."""
    arguments.check_text(query, "query", empty=True)
    query = hygiene.whole(query)
    if isinstance(scopes, str):
        raise InputError(f"scopes = {quoted(scopes)}: give a list of scopes, such as ['project']")
    wide = dict.fromkeys(arguments.is_user_wide(scope) for scope in scopes or ("user", "project"))
    _check(limit, kinds or (), since, as_of)
    with whole.Watch() as watch:
        home.identity.report_unopened(home.store)
        slugs = [layout.USER if user else home.project for user in wide]
        asked = Question(
            query=query,
            slugs=[slug for slug in dict.fromkeys(slugs) if slug or True in wide],
            day=as_of or home.today,
            past=as_of is not None,
            limit=limit,
            kinds=kinds,
            categories=categories,
            since=since,
            unasked=unasked,
        )
        if not unasked:
            _report_strays(home, asked)
        covered = _covered(home, asked.slugs) if _asks_meaning(home, semantic) else None
        found = _answer(home.path, home.index, asked, home.vectors if covered and covered.model else None)
    for each in found.missing:  # what the index itself reports: it ran out of time, say
        path, _, why = each.partition(": ")
        if path not in watch.errors:
            whole.note(path, OSError(0, why))
    unread = [each for each in watch.missing if not any(known.startswith(each) for known in found.missing)]
    hits = _untaken(home, found.hits, free=unasked)
    found = found.but(hits=hits, complete=found.complete and not unread, missing=[*found.missing, *unread])
    if covered and (not covered.complete or (semantic and not covered.model)):
        found.notes.append(f"by meaning: {covered}")
    elif covered and covered.model and home.vectors.problem:
        found.notes.append(f"by meaning: {home.vectors.problem}")
    if budget is None:
        return found
    if budget < 0:
        raise InputError(f"budget = {budget} is not allowed; give the tokens that the brief may take")
    return found.but(hits=brief.fitting(found.hits, budget))


def _report_strays(home: Home, asked: Question) -> None:
    from memolith.memory.strays import report_strays

    for slug in asked.slugs:
        with suppress(StorageError):  # the index names a directory that cannot be read
            report_strays(home.store, slug)


def _check(limit: int, kinds: Collection[str], *dates: str | None) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise InputError(f"limit = {limit} is not allowed; give 1 to {MAX_LIMIT}")
    for date in dates:
        if date is not None and not layout.is_date(date):
            raise InputError(f"{quoted(date)} is not a date; write it as YYYY-MM-DD")
    for kind in sorted(set(kinds)):
        arguments.one_of(kind, KINDS, "kind")


def for_block(home: Home, query: str, budget: int | None = None) -> Recall:
    """Return the recall for a task in the block, without anything from outside.

    Does not load a model, but uses one that is loaded.
    """
    by_meaning = None if home.is_warm else False
    found = recall(home, query, limit=_ITEMS, kinds=_NOT_SHOWN, semantic=by_meaning, unasked=True)
    shown = (layout.daily(home.project, home.today), layout.daily(home.project, home.yesterday))
    hits = [hit for hit in found if not hit.id.startswith(shown)]
    return found.but(hits=brief.fitting(hits, brief.TOKENS if budget is None else budget))


def _untaken(home: Home, hits: list[Hit], *, free: bool) -> list[Hit]:
    """Return the hits without turns that say what a person took back; `free`: or much like it."""
    if not any(hit.kind == "session" for hit in hits):
        return hits
    gone = [text for slug in (layout.USER, home.project) for text in taken_back.read(home, slug)]
    return [hit for hit in hits if hit.kind != "session" or not taken_back.has(gone, hit.snippet, free=free)]


def _certain(ranked: Sequence[Ranked], query: str) -> list[Ranked]:
    """Return the hits that are worth a place in a prompt that did not ask for them."""
    stale = {key for hit in ranked for key in hit.newer_than}
    turn = weights.WORTH_TELLING_FOR_TASK if talk.is_task(query) else weights.WORTH_TELLING_A_TURN
    told = [
        hit
        for hit in ranked
        if not (hit.weak or hit.unit.key in stale)
        and hit.score >= (turn if hit.unit.is_turn else weights.WORTH_TELLING)
        and not (hit.unit.is_turn and talk.says_nothing(hit.unit.text or "", hit.unit.role))
    ]
    best = told[: weights.UNASKED]
    # The last place is for the best of the other scope: what holds here is not crowded out by what holds
    # everywhere, nor the reverse.
    other = next((hit for hit in told if hit.unit.scope != best[0].unit.scope), None) if best else None
    return best if other is None or other in best else [*best[:-1], other]


def _asks_meaning(home: Home, semantic: bool | None) -> bool:
    """Whether to look for meaning too; where nothing is installed for it, nothing is imported either."""
    if semantic is None and not home.is_warm:
        from memolith.index.vectors import install

        return bool(install.find(home.settings))
    return semantic is not False


def _covered(home: Home, slugs: Sequence[str]) -> Coverage:
    """Update the vectors as far as the settings allow for one question; return their coverage."""
    if home.vectors.provider is not None:
        home.index.sync(slugs)
    return home.vectors.sync(slugs, home.settings.number("semantic.seconds"))


def _answer(home: str, index: Index, asked: Question, meaning: Vectors | None) -> Recall:
    """Answer a question; return only hits that are about it.

    An answer needs several queries. If the index was written, damaged or replaced between them, they may
    have seen two different states, so they are repeated.
    """
    for left in range(_TRIES, -1, -1):
        if not left:
            index.in_memory(_UNSTEADY)
        state = index.sync(asked.slugs)
        stamp = index.stamp()
        ranked = _ranked(index, asked, meaning, state) if asked.query.strip() else []
        if index.stamp() == stamp and (stamp is not None or not index.status(asked.slugs).changed):
            break
    finder = terms.Finder({term for each in ranked for term in each.terms})
    return Recall(
        query=asked.query,
        hits=[_hit(home, each, finder) for each in ranked],
        complete=state.complete,
        missing=[*state.missing, *state.damaged],
        notes=state.notes,
    )


def _ranked(index: Index, asked: Question, meaning: Vectors | None, state: State) -> list[Ranked]:
    if asked.unasked and talk.is_empty(asked.query):
        return []
    texts = Texts(index)
    if days := times.only(asked.query, asked.day):
        units = index.units([unit for unit, _ in index.hashes(asked.slugs, days)])
        of_then = texts.of(working.of_days(units, asked))
        return _certain(of_then, asked.query) if asked.unasked else of_then
    is_long = len(asked.query) >= weights.LONG_TEXT
    sessions = _sessions(index, asked) if is_long or talk.is_task(asked.query) else []
    candidates = _candidates(index, asked, meaning, [each.unit_id for each in sessions])
    analysis = index.terms(asked.slugs, asked.query)
    ranked = rank.rank(
        candidates,
        analysis,
        asked.day,
        past=asked.past,
        spelled=_spelled(asked.query),
        times=times.spans(asked.query, asked.day),
        limit=max(weights.SETTLED, asked.limit) + weights.SPARE,
        names=_names(asked.query),
        identifiers=_identifiers(asked.query),
        texts=texts.titled,
        is_long=is_long,
        keep=[each.unit_id for each in sessions],
    )
    ranked = ranked or settle.of_person(index, texts, asked, state)
    ranked = _in_order(settle.settled(index, texts, asked, ranked, state), sessions)
    ranked = working.on_named(index, asked, ranked)
    if not ranked and not asked.unasked:
        ranked = working.nearest(index, asked, sessions)
    found = _different(texts.of(ranked[: asked.limit + weights.SPARE]), asked.query)
    # For a task, any turn that says something stands for the work of its session.
    found = [hit for hit in found if not _is_passing(hit.unit, for_task=bool(sessions))]
    if not sessions:
        found = settle.answers_first(found)
    return settle.scored(_certain(found, asked.query) if asked.unasked else found)[: asked.limit]


def _sessions(index: Index, asked: Question) -> list[Session]:
    """Return the sessions that worked on a task or near it, best first."""
    if asked.kinds is not None and "session" not in asked.kinds:
        return []
    found = index.sessions(asked.slugs, asked.query, weights.HEARD_IN)
    # Conversations about anything but files are no work, and their turns are found as any other text.
    at_work = sum(bool(each.files) for each in found)
    return working.by_work(found)[: weights.SESSIONS] if at_work >= weights.AT_WORK * len(found) else []


def _in_order(ranked: list[Ranked], sessions: Sequence[Session]) -> list[Ranked]:
    """Return hits with the turns among them in the order of their sessions, the best of each first."""
    order = {each.path: place for place, each in enumerate(sessions)}
    turns = [hit for hit in ranked if hit.unit.is_turn] if order else []
    first = {hit.unit.path: hit for hit in reversed(turns)}
    known = sorted(first.values(), key=lambda hit: order.get(hit.unit.path, len(order)))
    queue = iter([*known, *(hit for hit in turns if first[hit.unit.path] is not hit)])
    return [next(queue) if turns and hit.unit.is_turn else hit for hit in ranked]


def _spelled(query: str) -> dict[str, str]:
    """Map the terms of a question to the words as typed."""
    words = list(dict.fromkeys(query.split()))
    return {term: word.strip(_MARKS) for word in reversed(words) for term in terms.of_query(word)}


def _identifiers(query: str) -> set[str]:
    """Return the terms of whole identifiers and paths: `formatMoney`, `worker/handlers.py`, `max_size`."""
    found: set[str] = set()
    shouts = sum(map(str.isupper, query)) > sum(map(str.islower, query))
    for chunk in query.replace("’", "'").split():
        word = chunk.strip(_MARKS).removesuffix("'s")
        # A word in capitals is a constant (`ECONNRESET`), unless everything is.
        plain = word.isalpha() and (word.islower() or word[1:].islower() or (word.isupper() and shouts))
        if len(word) > 4 and not plain and sum(map(str.isalpha, word)) > 4 and "://" not in word:
            known = terms.of_query(word)
            found.add(max(known, key=lambda term: (any(map(str.isdigit, term)), len(term)), default=""))
    return found


def _names(query: str) -> set[str]:
    """Return the terms that look like names: a capital within a sentence, followed by lower case."""
    found: set[str] = set()
    begins = True
    for chunk in query.split():
        word = chunk.strip(_MARKS).removesuffix("'s").removesuffix("’s")
        if not begins and word[:1].isupper() and word[1:].islower() and word.isalpha():
            found.update(terms.of_query(word))
        begins = chunk.endswith((".", "?", "!", ":"))
    return found


def _candidates(
    index: Index, asked: Question, meaning: Vectors | None, also: Sequence[int]
) -> list[Candidate]:
    alone = weights.DOCUMENTS + asked.limit
    by_words = index.lexical(asked.slugs, asked.query, weights.CANDIDATES, asked.kinds, alone=alone)
    matches = {match.unit_id: match for match in by_words}
    if not asked.unasked and (asked.kinds is None or "command" in asked.kinds):
        called = index.commands(asked.slugs, asked.query, weights.CALLS)
        matches |= {match.unit_id: match for match in called}
    near: dict[int, float] = {}
    if meaning is not None:
        nearest = meaning.scores(asked.slugs, asked.query, limit=weights.CANDIDATES)
        near = dict(nearest[:alone] + [each for each in nearest[alone:] if kind_of(each[0]) == "session"])
        missing = [unit for unit in matches if unit not in near]
        if near and missing:
            near.update(meaning.scores(asked.slugs, asked.query, missing, len(missing)))
    units = index.units(list(dict.fromkeys([*matches, *near, *also])))
    by_id = {unit.id: unit for unit in units}
    for unit in [unit for unit in units if unit.kind == "session"][: weights.TURNS]:
        for other in index.neighbours(unit, len(weights.NEIGHBOURS)):
            by_id.setdefault(other.id, other)
    if near:
        beside = [unit for unit in by_id if unit not in near]
        near.update(
            meaning.scores(asked.slugs, asked.query, beside, len(beside)) if meaning and beside else ()
        )
    nothing = Match(unit_id=0, score=0.0, terms=[])
    found = []
    for unit in by_id.values():
        match = matches.get(unit.id, nothing)
        found.append(Candidate(unit, match.score, match.terms, near.get(unit.id)))
    return [each for each in _succeeded(index, asked, found) if asked.allows(each.unit)]


def _succeeded(index: Index, asked: Question, found: list[Candidate]) -> list[Candidate]:
    """Add the successors of superseded records: a question in the old words wants the new answer."""
    by_id = {each.unit.id: each for each in found}
    old = [each for each in found if each.unit.kind == "record"]
    for _ in range(weights.CHAIN):
        records = {(each.unit.scope, each.unit.record): each for each in reversed(old)}
        old = []
        for unit in index.successors(asked.slugs, [record for _, record in records]) if records else ():
            for before in filter(None, (records.get((unit.scope, each)) for each in unit.supersedes)):
                new = by_id.setdefault(unit.id, Candidate(unit))
                if before.lexical > new.lexical:
                    new.lexical, new.terms = before.lexical, before.terms
                if before.similarity is not None:
                    new.similarity = max(before.similarity, new.similarity or 0.0)
                old.append(new)
    return list(by_id.values())


def _different(ranked: Sequence[Ranked], query: str) -> list[Ranked]:
    """Drop repetitions that differ only in title or white space.

    An earlier instance of the same question is no answer either.
    """
    first: dict[str, Ranked] = {}
    question = _plain(query)
    for hit in ranked:
        text = _plain(hit.unit.text or "")
        if text == question and text.endswith(_ASKS) and hit.unit.role == "user":
            continue
        same = first.setdefault(text, hit)
        if same is not hit:
            same.also.extend([hit.unit.key, *hit.also])
    return list(first.values())


def _is_passing(unit: Unit, *, for_task: bool) -> bool:
    passes = talk.is_hollow if for_task else talk.is_passing
    return unit.is_turn and passes(unit.text or "", unit.role)


def _plain(text: str) -> str:
    """Return a text as it is compared: an item of a list says what a sentence of its own says."""
    return " ".join(text.split()).lstrip("-*+ ").rstrip(". ").casefold()


def _hit(home: str, ranked: Ranked, finder: terms.Finder) -> Hit:
    unit = ranked.unit
    text = unit.text or ""
    # A log is added to: its last line about something holds.
    past = supersede.outdated(text, ranked.terms) if unit.kind == "daily" and "\n" in text else 0
    snippet, offset = excerpt.around("\n".join(text.split("\n")[past:]), ranked.terms, finder=finder)
    line = None if unit.first_line is None else unit.first_line + past + offset
    is_session = unit.is_turn
    path = unit.path if is_session else f"{layout.STORE}/{unit.path}"
    filename = layout.locate(home, path)
    return Hit(
        id=unit.key,
        kind=unit.kind,
        scope="project" if unit.scope else "user",
        category=unit.category,
        record=unit.record,
        title=unit.title,
        score=ranked.score,
        snippet=snippet,
        text=text,
        source=f"session {unit.record} turn {unit.turn}" if is_session else f"{unit.path}:{line or 1}",
        filename=filename,
        line=line,
        turn=unit.turn,
        weak=ranked.weak,
        date=unit.date,
        why=ranked.why + (f"; said in {plural(len(ranked.also), 'other place')} too" if ranked.also else ""),
        also=ranked.also,
        origin=", ".join(filter(None, (unit.source, unit.status if unit.status == "candidate" else ""))),
    )
