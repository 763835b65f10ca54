"""Whether a question is about anything in this memory, judged by its words: pure functions.

Some words of any question occur in some text by chance, the more so the more texts there are. Four signals
distinguish a subject from chance, and each held for every pair of memory and question that was measured:
- how much of the question its best texts contain; everyday words count less, and a missing name counts more:
  a question about Caroline is not about a library that never mentions her;
- whether the question speaks the language of this memory: how common its other words are here, including
  those that the best text lacks;
- whether the matched words stand together in the text, or in unrelated sentences;
- a code (`CCL19`, `e4031`), which never matches by chance.

No text covers a pasted plan or log, so of a long text other things are asked: how many of its names (paths,
identifiers) this memory knows at all, and whether it has most of what a short note says.
"""

from __future__ import annotations

from math import inf, log

from memolith.base.lean import lru_cache
from memolith.recall import weights
from memolith.text.words import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memolith.index import Analysis

    # A text that may match the question: its evidence by words, the share of them it has, and which.
    Found = tuple[float, float, Collection[str]]

_LONG = 20_000  # characters of a text that are examined
_MANY = 16  # terms from which on a whole list is worth stemming
_FORM = 5  # letters of a word of which another form, or a longer word with it, counts
# Frequent English verbs, nouns, adjectives and adverbs, numbers, and names of days and months. Chosen by
# hand, some because they made chance matches look like a subject.
_EVERYDAY = """
add allow appear ask become begin believe bring build buy call change choose come consider continue create
cut decide describe die discuss enjoy expect explain fall feel find finish follow get give go grow happen
hear help hold include join keep know lead learn leave let live look lose love make mean meet mention might
move need offer open pass pay plan play prefer provide pull put raise reach read receive remain remember
report require return run say see seem sell send serve set share show sit speak spend stand start stay stop
study suggest take talk tell think try turn understand use visit wait walk want watch win work write
activity air area art back bit body book business car case child city community company country day door
education end event example experience eye face fact family father force friend game girl government group
guy hand head health history home hour house idea information interest issue job kid kind law level life
line list lot man member minute moment money month morning mother name night number office parent part party
people person piece place point power president problem program question reason research result room school
service side sort state step story student system teacher team thing time type war water way week woman word
world year
able bad best better big certain clear different early easy favorite few first free full good great hard
high important large last late left likely little long low main new next nice old other own public real
recent right same short small special sure true whole young
ago almost already also always another around away down else every instead maybe never perhaps quite rather
since sometimes though together usually well
one two three four five six seven eight nine ten second
january february march april june july august september october november december monday tuesday wednesday
thursday friday saturday sunday weekend
"""
# Remains of "aren't" and the like. They mean as little as the words of `terms.STOP`.
_PIECES = "ain aren couldn hadn hasn haven mustn needn shouldn wasn weren wouldn"


def rarity(df: int, total: int) -> float:
    """Return how rare a word is that occurs in `df` of `total` units."""
    return log(1 + (total + weights.PRIOR - df + 0.5) / (df + 0.5))


def needed(answer: float, total: int, growth: float | None = None) -> float:
    """Return the evidence required in a memory of `total` units, if a typical one requires `answer`."""
    growth = weights.GROWTH if growth is None else growth
    return answer + growth * log(min(max(total, weights.SMALL), weights.LARGE) / weights.USUAL)


def known_names(asked: Analysis) -> float:
    """Return the share of a text's paths and identifiers that this memory knows, 0 to 1; few count less."""
    found = [
        term.df > 0
        for term in asked.terms
        if 0 < term.weight < 1 and len(term.term) >= weights.NAME and not term.term.isdigit()
    ]
    return sum(found) / (len(found) + weights.FEW_NAMES)


@lru_cache(maxsize=8)
def _by_beginning(words: str) -> dict[str, list[str]]:
    """Return words by the two letters that their terms begin with; "": those that may have any."""
    found: dict[str, list[str]] = {}
    for word in words.split():
        is_plain = word.isascii() and word.isalpha()
        found.setdefault(word[:2].lower() if is_plain else "", []).append(word)
    return found


def _listed(words: str, asked: Collection[str]) -> set[str]:
    """Return the terms of a question that are in a list of words, most of which need not be stemmed."""
    if len(asked) >= _MANY:
        return set(_all(words).intersection(asked))
    known = _by_beginning(words)
    alike = " ".join([word for begin in {"", *(term[:2] for term in asked)} for word in known.get(begin, ())])
    return set[str]().union(*terms.among(alike, asked).values())


@lru_cache(maxsize=8)
def _all(words: str) -> frozenset[str]:
    return frozenset(terms.count(words)[0])


_FUNCTION = " ".join(terms.FUNCTION)


class Subject:
    """What a question is about: the weight of each word, and how common the words are here."""

    def __init__(
        self, asked: Analysis, weight: Mapping[str, float], names: Collection[str], fillers: Collection[str]
    ) -> None:
        empty = terms.STOP.union(_PIECES.split(), _listed(_FUNCTION, weight))
        said = {
            term: each
            for term, each in weight.items()
            if term not in empty and (len(term) > 1 or not term.isascii())
        } or weight
        everyday = _listed(_EVERYDAY, weight).difference(names)
        self._names = [term for term in names if term in said]
        self._total = asked.total
        often = max(weights.NAMED, asked.total * weights.OFTEN)
        self._rare = {term.term for term in asked.terms if term.df <= often}
        unknown = [term.df == 0 for term in asked.terms if term.term in names]
        self.is_foreign = len(unknown) >= weights.FOREIGN and all(unknown)
        self._counts = {
            term: each * (weights.EVERYDAY if term in everyday else 1.0) for term, each in said.items()
        }
        self._sum = sum(self._counts.values()) or 1.0
        whole = {term.term for term in asked.terms if (term.weight or 1.0) >= 1}  # without variants of a word
        telling = [term for term in said if term in whole and term not in fillers] or list(said)
        self._telling = {term: self._counts[term] for term in telling}
        self._finder = terms.Finder(self._counts)
        self._special = [term for term in telling if term not in everyday]
        most = rarity(0, asked.total)
        rare = [said[term] / most for term in self._special or telling]
        self._common_here = 1 - sum(rare) / len(rare) if rare else 0.0

    def close(self, text: str) -> float:
        """Return the share of the question's words side by side in a text; half if one word is between."""
        text = text[:_LONG]
        known = {
            chunk: told
            for chunk, has in self._finder.within(text.split()).items()
            if (told := has.intersection(self._telling))
        }
        nearest: dict[str, int] = {}
        last, before = -weights.REACH, set[str]()
        for at, chunk in enumerate(text.split()):
            here = known.get(chunk)
            if here is None:
                continue
            # The nearest other word is always the previous or next one in this sequence.
            for distance, together in ((1, here), (at - last, here | before)):
                if distance < weights.REACH and len(together) > 1:
                    nearest.update(
                        (term, min(nearest.get(term, weights.REACH), distance)) for term in together
                    )
            last, before = at, here
        return sum(self._telling[term] / distance for term, distance in nearest.items()) / self._sum

    def leads(self, text: str) -> float:
        """Return the share of the question's words that a text begins with."""
        known = self._finder.within(text[:_LONG].split(None, weights.FIRST)[: weights.FIRST])
        return sum(self._counts[term] for term in set[str]().union(*known.values())) / self._sum

    def beside(self, text: str, has: Collection[str]) -> list[str]:
        """Return more words of the question that a text has, in another form or as a part of a word.

        Stemming is English: `Rechnung` is in `Rechnungsnummer`, `kopia` is `kopie`.
        """
        plain = " " + " ".join(terms.fold(text[:_LONG]).casefold().split())
        return [
            term
            for term in self._telling
            if term not in has and len(term) >= _FORM and term.isalpha()
            if f" {term[: max(_FORM - 1, len(term) - 2)]}" in plain
            or term[: max(_FORM, len(term) - 2)] in plain
        ]

    def is_about(self, title: str, text: str, has: Collection[str]) -> bool:
        """Whether a text that has few of the question's words has one of them at its beginning.

        By chance, a question shares a word with the midst of a text (`run all cells`), rarely its subject.
        """
        found = {term for term in self._special if term in has}
        if 2 * len(found) > len(self._special) or not self._special:
            return True
        first = " ".join(text.split(None, weights.TOPIC)[: weights.TOPIC])
        begins = first if title.startswith(first) else f"{title} {first}"  # a title of its own
        return bool(terms.among(begins, found)) or not found.isdisjoint(self.beside(begins, ()))

    def has(self, title: str, text: str) -> float:
        """Return the share of what a text says first, or of its title, that is in the question."""
        shares = [0.0]
        for part, least in (
            (title, 1.0),
            (" ".join(text[:_LONG].split(None, weights.FIRST)[: weights.FIRST]), 0.0),
        ):
            said = terms.of_query(part)
            everyday = _listed(_EVERYDAY, said)
            told = {
                term
                for term in said
                if len(term) > 2 and term not in terms.STOP and term not in everyday and not term.isdigit()
            }
            both = told.intersection(self._counts)
            share = len(both) / len(told) if told else 0.0
            is_shared = len(both) >= weights.SHARED and not both.isdisjoint(self._rare)
            shares.append(share if is_shared and share >= least else 0.0)
        return max(shares)

    def evidence(self, best: Sequence[Found], close: float = 0.0, common: float | None = None) -> float:
        """Return the evidence for the best texts; `close` is the highest closeness among them."""
        if any(_is_code(term) for *_, has in best for term in has if term in self._telling):
            return inf
        words = max((self._words(*each) for each in best), default=0.0)
        common = weights.COMMON_HERE if common is None else common
        return words and words + common * self._common_here + weights.CLOSE * close

    def _words(self, words: float, covered: float, terms: Collection[str]) -> float:
        """Return the evidence of a text's words, weighted for this memory."""
        has = [term for term in terms if term in self._counts]
        telling = [term for term in has if term in self._telling]
        everyday = self._special and len(telling) < 2 and not set(telling).intersection(self._special)
        if not covered or (everyday and self._total > weights.HANDFUL):
            return 0.0
        missing = sum(self._counts[name] for name in self._names if name not in has)
        part = sum(self._counts[term] for term in has) / (self._sum + (weights.STRANGE - 1) * missing)
        return words * part / covered


def _is_code(term: str) -> bool:
    if not term.isascii() or not any(map(str.isdigit, term)):
        return False
    return (len(term) > 2 and term[0].isalpha()) or (len(term) > 4 and (term[:2] == "0x" or term.isdigit()))
