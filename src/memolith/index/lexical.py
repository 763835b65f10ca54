"""Finding units by words: BM25 over the units that contain the rarer words of the query.

A ubiquitous word is expensive and says little, so it adds no candidates; it only counts for those that a
rarer word found. The work depends on the query, hardly on the size of the memory.
"""

from __future__ import annotations

from math import log

from memolith.index import schema
from memolith.index.scores import EXACT, K1, B, Scores
from memolith.index.units import KINDS, Analysis, Match, Session, Term
from memolith.text.words import terms as analyser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from sqlite3 import Connection

    from memolith.index.scores import Scored

_SESSION_K1 = 4.0  # a session says a word of its subject again and again
_POSTINGS = 3500  # maximum candidates from the rarer words
_CANDIDATES = 200  # how many of them are kept
_MOST_TERMS = 64
_PART = 4  # letters of a word that is looked for inside the names of files
_FIRST, _LAST = 192, 64  # terms of a text that are looked up: a log says last what went wrong
_REMEMBERED = 50_000  # terms
_ROOT, _ENDING = 4, 2  # letters that stay of a word in an inflected language, letters of its ending
_SHORT = 300  # characters of a question
_HELD = 256  # terms whose units are held: a question and the statement it is compared with share words
_TURN = KINDS.index("session")
# A caller that wants only a few hits needs only the rarest words.
_FEW, _FEW_POSTINGS = 20, 500


class Lexicon:
    """The queried scopes, with caches that are valid until the next write."""

    def __init__(self, connection: Connection, slugs: Iterable[str], *, commands: bool = False) -> None:
        self._db, self._commands = connection, commands
        self._words = schema.words(connection)
        known = {
            row[0]: row[1:] for row in connection.execute("SELECT slug, number, units, words FROM scopes")
        }
        found = [known[slug] for slug in dict.fromkeys(slugs) if slug in known]
        self.scopes = [row[0] for row in found]
        self.total = sum(row[1] for row in found)
        # Directories of sessions: a memory of notes alone has none, and must not be searched for them.
        has = "SELECT number FROM directories WHERE path = ?"
        rows = [connection.execute(has, [f"sessions/{slug}"]).fetchone() for slug in dict.fromkeys(slugs)]
        self._sessions = [row[0] for row in rows if row]
        if commands and not self._sessions:  # only sessions have any
            self.scopes = []
        self._scores = Scores(connection, sum(row[2] for row in found) / self.total if self.total else 1.0)
        self._frequencies: dict[str, int] = {}
        self._at_least: dict[str, int] = {}  # where counting stopped
        self._units: dict[str, set[int] | str] = {}  # of rarer terms; as text until they are followed
        # Of the last search: the query, the weights of its terms, the units that have each; those followed.
        self._traced: tuple[str, dict[str, float], dict[str, set[int]], list[str]] = ("", {}, {}, [])
        self._last: tuple[object, list[Scored]] = (None, [])  # what was asked last, and its best units
        self._analysed: tuple[str, Analysis] = ("", Analysis(terms=[], total=0))

    def analyse(self, query: str) -> Analysis:
        """Return the terms of a query with their frequencies."""
        if self._analysed[0] != query:
            said = _said(query)
            self._count([term for term, _ in said])
            found = [Term(term=term, df=self._frequency(term), weight=weight) for term, weight in said]
            if _is_inflected(query):
                found = self._inflected(query, found)
            self._analysed = query, Analysis(terms=found, total=self.total)
        return self._analysed[1]

    def _rarest(self, query: str, budget: int) -> list[Term]:
        """Return the terms of a query, counted exactly if they are rare enough to be followed.

        What is left of the budget by the rarer ones is how far the others are counted.
        """
        said, inflected = _said(query), _is_inflected(query)
        if not inflected and any(weight for _, weight in said):
            said = [each for each in said if each[1]]
        found: list[Term] = []
        counts: list[int] = []
        left, rarer = budget, 0
        for term, weight in said:
            df = self._frequency_up_to(term, max(left, rarer) + 1)
            found.append(Term(term=term, df=df, weight=weight))
            if df > max(left, rarer):
                continue  # it changes nothing for the others
            counts.append(df)
            counts.sort()
            left, rarer = budget, 0
            for each in counts:
                if each > left:
                    break
                left, rarer = left - each, each
        return self._inflected(query, found) if inflected else found

    def _inflected(self, query: str, found: list[Term]) -> list[Term]:
        """Put other forms of a word, and longer words with it, in place of one that nothing has."""
        unknown = {term.term for term in found if not term.df and term.weight}
        forms: dict[str, list[str]] = {}
        for chunk in query.casefold().split() if unknown else ():
            word = "".join(filter(str.isalpha, chunk))
            term = next(iter(analyser.of_query(word)), "")
            if term in unknown and len(word) > _ROOT:
                forms[term] = schema.beginning(self._db, self.scopes, word, max(_ROOT, len(word) - _ENDING))
        # Words for asking that nothing here has say nothing about what is missing.
        asking = {term for term in unknown if term in analyser.FUNCTION}
        done = [term for term in found if not forms.get(term.term) and term.term not in asking]
        more = {other for each in forms.values() for form in each for other in analyser.of_query(form)}
        more.difference_update([term.term for term in done])
        return done + [
            Term(term=each, df=df, weight=1.0) for each in sorted(more) if (df := self._frequency(each))
        ]

    def search(
        self, query: str, limit: int, kinds: Collection[str] | None, alone: int | None = None
    ) -> list[Match]:
        """Return the units that match best, best first.

        After the first `alone` only turns follow: they support each other.
        """
        if not self.scopes:
            return []
        few = limit <= _FEW
        budget = _FEW_POSTINGS if few else _POSTINGS
        # For a few hits, the exact count of a common word does not matter, and counting is slow.
        found = self._rarest(query, budget) if few else self.analyse(query).terms
        asked = [term for term in found if term.df]
        # Stop words count only if the query has no others.
        telling = [term for term in asked if term.weight]
        if not telling and any(analyser.of_query(query).values()):
            return []
        weights = {
            term.term: log(1 + (self.total - term.df + 0.5) / (term.df + 0.5)) * (term.weight or 1.0)
            for term in sorted(telling or asked, key=lambda term: (term.df, term.term))[:_MOST_TERMS]
        }
        codes = None if kinds is None else {KINDS.index(kind) for kind in kinds if kind in KINDS}
        count = min(_CANDIDATES, 4 * limit)
        if alone is not None and not self._sessions:
            count = min(count, max(EXACT, alone))  # the exact score is no less than that of one occurrence
        key = query, codes, budget, count
        if self._last[0] == key:  # of a task, the sessions and then the units are asked for
            having, scored = self._traced[2], self._last[1]
        else:
            counts = {term.term: term.df for term in asked}
            having = self._followed(weights, counts, codes, budget)
            self._traced = query, weights, having, list(having)
            scored = self._scores.best(weights, having, count)
            if not few:
                scored = self._scores.exactly(scored, weights, counts, having)
            self._last = key, scored
        if alone is not None:
            scored = scored[:alone] + [row for row in scored[alone:] if row[0] & 15 == _TURN]
        told = list(having.items())
        return [
            Match(unit_id=unit, score=score, terms=[term for term, units in told if unit in units])
            for unit, score in scored[:limit]
        ]

    def sessions(self, query: str, limit: int) -> list[Session]:
        """Return the sessions in which most was said about a text that was just searched for, best first.

        BM25 again, with a session as the document and the number of turns that have a term as its frequency.
        """
        numbers = ",".join(map(str, self._sessions))
        known = {
            row[0]: row[1:]
            for row in self._db.execute(
                "SELECT files.id, directories.path || '/' || name, date, words FROM files JOIN directories "  # noqa: S608 - numbers
                f"ON directories.number = directory WHERE directory IN ({numbers})"
            )
        }
        if not known:
            return []
        if self._traced[0] != query:
            self.search(query, _CANDIDATES, None)
        _, weights, having, followed = self._traced
        scores = self._scores.all(weights, {term: having[term] for term in followed})
        average = sum(row[2] or 0 for row in known.values()) / len(known)
        files = schema.column(self._db, "files")
        found: dict[int, float] = {}
        best: dict[int, int] = {}
        for term, weight in weights.items():
            often: dict[int, int] = {}
            for unit in having.get(term, ()):
                if unit & 15 != _TURN or (file := files[unit >> 4]) not in known:
                    continue
                often[file] = often.get(file, 0) + 1
                if file not in best or scores.get(unit, 0.0) > scores.get(best[file], 0.0):
                    best[file] = unit
            rare = log(1 + (len(known) - len(often) + 0.5) / (len(often) + 0.5)) * weight / self._plain(term)
            for file, count in often.items():
                norm = _SESSION_K1 * (1 - B + B * (known[file][2] or 0) / (average or 1.0))
                found[file] = found.get(file, 0.0) + rare * count / (count + norm)
        chosen = sorted(found, key=lambda file: (-found[file], known[file][0]))[:limit]
        named = self._named(chosen)
        in_files = _in_files(named, weights)
        return [
            Session(
                path=known[file][0],
                started=known[file][1] or "",
                score=found[file],
                unit_id=best[file],
                best=scores.get(best[file], 0.0),
                files=named[file].split("\n") if named[file] else [],
                in_files=in_files.get(file, 0.0),
            )
            for file in chosen
        ]

    def _named(self, files: list[int]) -> dict[int, str]:
        """Return the files that each session names, one in a line."""
        asked = ",".join(map(str, files))
        rows = self._db.execute(f"SELECT id, coalesce(named, '') FROM files WHERE id IN ({asked})")  # noqa: S608 - numbers
        return dict(rows.fetchall())

    def _plain(self, term: str) -> float:
        """Return how rare a term is among the units."""
        df = self._frequency(term)
        return log(1 + (self.total - df + 0.5) / (df + 0.5)) or 1.0

    def _frequency(self, term: str) -> int:
        if term not in self._frequencies:
            self._count([term])
        return self._frequencies[term]

    def _count(self, terms: list[str]) -> None:
        """Count the units that have each of these terms, all that is not known yet at once."""
        new = {term: self._scoped(term) for term in terms if term not in self._frequencies}
        if not new:
            return
        known = self._words.frequencies([each for scoped in new.values() for each in scoped])
        if len(self._frequencies) > _REMEMBERED:
            self._frequencies = {term: self._frequencies[term] for term in terms if term not in new}
        self._frequencies.update(
            (term, sum(known.get(each, 0) for each in scoped)) for term, scoped in new.items()
        )

    def _frequency_up_to(self, term: str, most: int) -> int:
        """Return how many units have a term, counted up to `most`; what was listed for that is held."""
        df = self._frequencies.get(term, self._at_least.get(term, 0))
        if df >= most or term in self._frequencies:
            return min(df, most)
        units = self._words.few(self._scoped(term), most - 1) if self.scopes else ""
        if units is None:
            if len(self._at_least) > _REMEMBERED:
                self._at_least.clear()
            self._at_least[term] = most
            return most
        df = self._frequencies[term] = units.count(",") + 1 if units else 0
        if units:
            self._hold(term, units)
        return df

    def _having(self, term: str) -> set[int]:
        """Return the units with a rarer term; they must not be changed."""
        held = self._units.get(term)
        if held and not isinstance(held, str):
            return held
        found = schema.listed(held) if isinstance(held, str) else self._words.having([self._scoped(term)])
        self._hold(term, found)
        return found

    def _hold(self, term: str, units: set[int] | str) -> None:
        if len(self._units) >= _HELD:
            self._units.clear()
        self._units[term] = units

    def _scoped(self, term: str) -> list[str]:
        return [schema.scoped(scope, term, command=self._commands) for scope in self.scopes]

    def _followed(
        self, weights: dict[str, float], counts: dict[str, int], codes: set[int] | None, budget: int
    ) -> dict[str, set[int]]:
        """Return the units that have each of the rarer terms."""
        having: dict[str, set[int]] = {}
        for term in weights:
            df = counts[term]
            if df > budget and having:
                break
            if df <= budget:
                units = self._having(term)
            else:  # even the rarest is ubiquitous: take a sample, and a sample of those with all terms
                units = self._drawn([term], budget // 2)
                if len(weights) > 1:
                    units |= self._drawn(list(weights), min(_CANDIDATES, budget // 4))
            budget -= df
            having[term] = units if codes is None else {unit for unit in units if unit & 15 in codes}
        return having

    def _drawn(self, all_of: list[str], least: int) -> set[int]:
        """Return the units with all of these terms; of many, at least `least`, those with the lowest lots."""
        groups = [self._scoped(term) for term in all_of]
        for level in range((self.total // least).bit_length() - 1, 0, -2):
            found = self._words.having([*groups, self._scoped(schema.drawn(level))])
            if len(found) >= least:
                return found
        return self._words.having(groups)


def _said(query: str) -> list[tuple[str, float]]:
    """Return the terms of a query that are looked up, with what each says."""
    said = list(analyser.of_query(query).items())
    return said[:_FIRST] + said[_FIRST:][-_LAST:]


def _is_inflected(query: str) -> bool:
    return len(query) <= _SHORT and analyser.is_inflected(query)


def _in_files(named: dict[int, str], terms: Iterable[str]) -> dict[int, float]:
    """Return how much of a text is in the names of each session's files: BM25, a name being a word."""
    average = sum(text.count("\n") + 1 for text in named.values()) / len(named) if named else 1.0
    everything = "\n".join(named.values())
    found: dict[int, float] = {}
    for term in terms:
        part = term.removesuffix("i")  # the stem of `strategy`
        if len(term) < _PART or part not in everything:
            continue
        often = {session: count for session, text in named.items() if (count := text.count(part))}
        rare = log(1 + (len(named) - len(often) + 0.5) / (len(often) + 0.5))
        for session, count in often.items():
            norm = K1 * (1 - B + B * (named[session].count("\n") + 1) / average)
            found[session] = found.get(session, 0.0) + rare * count / (count + norm)
    return found
