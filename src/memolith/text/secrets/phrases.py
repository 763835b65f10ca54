"""Phrases of plain words, told as the passphrase of something: "… reads seven quiet herons wade north".

No word of them looks like a secret. So something has to be called a passphrase; a verb, a sign or its change
has to state what it is; and three plain words or more go on up to the end of the clause, which say nothing of
it ("… is better than a password", "… is asked for twice").
"""

from __future__ import annotations

from bisect import bisect_left

from memolith.text.patterns import lazy
from memolith.text.secrets.values import SMALL_WORDS, TABLE, is_phrase, is_word_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.text.secrets.names import Foreign, Name

    Place = tuple[int, int]
    Span = tuple[str, int, int]
    Word = tuple[int, int, str]

_CLAUSE = lazy(
    r"[^\n\"`„“”«»「」『』<>|{}=]{2,120}?"
    r"(?=[.!]?(?:\s*$|\s*\n)|[.;,:،] |[.!。，،]| [(—–-](?:\s|[^\s\w])| [(])"
)
_LEAST = 8  # characters
# What is done with a password is none: "entered by the operator", "derived from the serial number".
_DONE = lazy(
    r"[A-Za-z]{3,}(?:ed|en) (?:after|against|as|at|before|by|for|from|in|into|on|through|to|via|when|with)\b"
)
_NUMBERED_CLAUSE = lazy(r"(?:[A-Za-z\u00c0-\uffff]{2,14} ){2,6}\d{1,4}(?=[.!?]?[ \t]*(?:\n|$))")
_STATES = frozenset([*TABLE["is"], *TABLE["states"], *TABLE["now"], *TABLE["still"]])
_SURE_STATES = frozenset(TABLE["states"])
_STATES_TOO = frozenset(TABLE["is-too"])
_STATE_PARTS = {word.split(" ")[-1] for word in _STATES}
_TYPES, _TO = frozenset(TABLE["types"]), frozenset([*TABLE["to"], *TABLE["to-too"]])
_SETS, _PREDICATES = tuple(TABLE["sets"]), tuple(TABLE["predicates"])
_ARTICLES = frozenset(TABLE["articles"])
_BEGINS_SO = frozenset(TABLE["predicate-words"])
_NUMERALS, _COUNTED = frozenset(TABLE["numerals"]), tuple(TABLE["counted"])
_TWO = "to"  # in Danish and Norwegian
_SKIPPED = frozenset([*TABLE["now"], *TABLE["still"], *TABLE["is-it"], "just", "simply", "jetzt", "là"])
_STATED_BEHIND = frozenset(TABLE["stated-behind"])
_COPULAS = frozenset(["है", "हैं", "था", "है।", "است", "هست", "بود", "olacak"])
_NAME_ABOUT = lazy(rf"(?i)[ _.-]?(?:{'|'.join(TABLE['about'] + TABLE['phrase-about'])})(?![a-z])")
_CALLS = frozenset(TABLE["calls"])
_KEY_FILES = frozenset(TABLE["key-files"])
_SEVERAL = ("passphrases", "passphrasen", "frases", "phrases", "frasi", "fraser", "zinnen", "lauseet")
_SEVERAL_INSIDE = ("frases ", "phrases ", "frasi ")
_KEY = lazy(rf"(?i)(?<!\w)(?:{'|'.join(TABLE['of-keys'])})")
_STOP = lazy(r"[.!?](?=\s|$)|[\n。！？؟।]")
_WORD = lazy(r"[^\s]+")
_MARKS = "\"'`*“”„«»‘’「」:：,;،()"
_SIGNS = (":", "：", "=", "→", "->", "—", "–")
_QUOTED = lazy(
    r"\"([^\"\n]{9,90})\"|“([^“”\n]{9,90})”|„([^„“”\n]{9,90})[“”]|«([^«»\n]{9,90})»|»([^«»\n]{9,90})«|‘([^‘’\n]{9,90})’"
)
_OPENED = frozenset('"“„«»‘')
_CLOSE, _NUMERAL_NEAR = 12, 72
_MOST, _FEW, _MOST_BETWEEN = 200, 3, 10  # characters of the sentence; words of a phrase; words before it
# What is said behind the phrase goes on with a verb.
_GOES_ON = lazy(rf" (?:{'|'.join(TABLE['goes-on'])})(?!\w)")
# In scripts without spaces: what links, what is set, and how the sentence ends.
_UNSPACED = lazy(
    r"[:：]\s?(?P<named>[\u0e00-\u0e7f]{9,80}|[\u3040-\u9fff]{5,30})(?=[\s。、，,.（(]|$)|"
    r"[^\n。、，\u0000-\u007f]{0,16}?"
    r"(?:(?:は|が|を)(?P<ja>[^\n\s。、，「」\u0000-\u007f]{6,40}?)に(?:変え|変更|し(?:まし|た|て)|設定)"
    r"|(?:改成|改为|改為|换成|換成|变成|設成|设成|设为|现在是|現在是)了? ?"
    r"(?P<zh>[\u3400-\u9fff]{5,30})(?=[。，,.!！]|\s|$)"
    r"|(?:คือ|เปลี่ยนเป็น|ว่า) ?(?P<th>[\u0e00-\u0e7f]{9,80})(?=[\s.]|$))"
)
_UNSPACED_NAMES, _UNSPACED_SAID = TABLE["unspaced-phrases"], TABLE["unspaced-said"]


def words_after(text: str, start: int, sign: str, *, phrase: bool, foreign: bool) -> Place | None:
    """Return where a phrase is: up to the end of its clause, or a line that ends in a number."""
    clause = _clause(text, start) if phrase else None
    if clause and _is_told(text[slice(*clause)], sure=bool(sign)):
        return clause
    numbered = _NUMBERED_CLAUSE.match(text, start) if sign in {":", "："} and not clause else None
    words = numbered[0].split() if numbered else []
    if numbered and is_phrase(words) and words[0].lower() not in _CALLS:
        return numbered.span()
    # Without a sign they may be the rest of a sentence: which words join one is only known of English.
    clause = _clause(text, start) if sign or not foreign else None
    return clause if clause and is_word_list(text[slice(*clause)].split()) else None


def told(text: str, lower: str, names: Sequence[Name], foreign: Sequence[Foreign]) -> Iterator[Span]:
    """Find what is told as a passphrase anywhere in the sentence behind its name."""
    english = {at for at, _, word, _ in names if word}
    places = _places(lower, names, foreign)
    for number, (at, end, phrase) in enumerate(places):
        # Where one name follows another, the last one may have a phrase behind it.
        if number + 1 < len(places) and places[number + 1][0] - end < _CLOSE:
            continue
        if not phrase and _NUMERALS.isdisjoint(lower[end : end + _NUMERAL_NEAR].split()):
            continue
        if not (_NAME_ABOUT.match(text, end) or _is_several(lower, at, end)):
            found = _told(text, lower, at, end, phrase=phrase, foreign=at not in english)
            if found:
                yield "password", *found
        match = _UNSPACED.match(text, end) if text[at:end] in _UNSPACED_NAMES else None
        if match and not any(word in match[match.lastgroup or 0] for word in _UNSPACED_SAID):
            yield "password", *match.span(match.lastgroup or 0)


def _places(lower: str, names: Sequence[Name], foreign: Sequence[Foreign]) -> list[tuple[int, int, bool]]:
    """Return where a name is that may have a phrase, and whether it is that of one."""
    found = {
        (at, end): _is_phrase_name(lower, at, end)
        for at, end, _, kind in names
        if kind in {"password", "loose"}
    }
    for at, end, kind in foreign:
        if kind == "phrase":
            found[at, end] = True
    # "кодовую фразу" is one name, and "фразу" in it none.
    inside = {at for low, high in found for at in range(low, high)}
    keys = sorted(at for at, _, kind in foreign if kind == "key")
    for at, end, kind in foreign:
        if kind == "saying" and at not in inside:
            is_of_key = _is_of_key(lower, end, keys)
            near = lower[max(0, at - 60) : end + 60]
            if is_of_key or _is_change(near) or not _OPENED.isdisjoint(near):
                found[at, end] = is_of_key
    return sorted((*place, phrase) for place, phrase in found.items())


def _is_phrase_name(lower: str, at: int, end: int) -> bool:
    near = lower[max(0, at - 24) : at].rpartition("\n")[2] + lower[at : end + 12].partition("\n")[0]
    return any(stem in near for stem in TABLE["phrase"])


def _is_several(lower: str, at: int, end: int) -> bool:
    word = lower[at:end]
    return word.endswith(_SEVERAL) or any(each in word for each in _SEVERAL_INSIDE)


def _is_of_key(lower: str, end: int, keys: Sequence[int]) -> bool:
    """Whether a sentence is that of a key: "fraza do klucza"."""
    following = bisect_left(keys, end)
    near = following < len(keys) and keys[following] < end + 2 * _CLOSE
    return near or bool(_KEY.search(lower[end : end + 40].partition("\n")[0]))


def _told(text: str, lower: str, at: int, end: int, *, phrase: bool, foreign: bool) -> Place | None:
    stop = _STOP.search(text, end, end + _MOST)
    last = stop.start() if stop else min(len(text), end + _MOST)
    quoted = _QUOTED.search(text, end, last)
    before = lower[end : quoted.start()].split() if quoted else []
    # "it asks for a phrase, type "…""
    phrase = phrase or (bool(before) and before[-1].strip(_MARKS) in _TYPES)
    if quoted and phrase and len(before) <= _MOST_BETWEEN:
        inner = quoted[quoted.lastindex or 0].strip()
        low = text.index(inner, quoted.start())
        return (low, low + len(inner)) if _is_told(inner, sure=True) else None
    words = [(*found.span(), found[0].strip(_MARKS).lower()) for found in _WORD.finditer(text, end, last)]
    changed = _is_change(lower[max(0, at - 100) : at].rpartition("\n")[2].rpartition(". ")[2])
    for number, (start, _, word) in enumerate(words[: _MOST_BETWEEN + 1]):
        changed = changed or _is_change(word)
        if word in _NUMERALS and number <= _FEW + 1:
            found = _judged(text, start, last, sure=False)
            if found and _is_counted_out(lower[slice(*found)].split(), phrase=phrase):
                return found
        # In Hebrew "to" is a letter in front of the word.
        if (
            phrase
            and changed
            and word.startswith("ל-")
            and (found := _judged(text, start + 2, last, sure=True))
        ):
            return found
        link = _link(text, words, number, changed=changed, foreign=foreign) if phrase else ""
        if link:
            first = number + 1
            while first + 1 < len(words) and words[first][2] in _SKIPPED:
                first += 1
            if found := _judged(text, words[first][0], last, sure=link == "says"):
                return found
    # Where the verb comes last: "parola cümlesi … oldu".
    if phrase and len(words) > _FEW and words[-1][2] in _STATED_BEHIND - _COPULAS:
        return _judged(text, words[0][0], words[-2][1], sure=True)
    return None


def _is_counted_out(words: list[str], *, phrase: bool) -> bool:
    """Whether words that begin with a number are a phrase: "three grey wolves run", and count nothing."""
    if any(word.startswith(_COUNTED) for word in words) or words[1] in _STATES:
        return False
    is_sentence = any(word in SMALL_WORDS or word in _BEGINS_SO for word in words)
    return phrase or not (is_sentence or len(words) > 2 * _FEW)


def _link(text: str, words: Sequence[Word], number: int, *, changed: bool, foreign: bool) -> str:
    """Return how a word links a phrase: it `says` that it is one, or may only say something of it."""
    start, end, word = words[number]
    if number + 1 == len(words):
        return ""
    if text[start:end].endswith(_SIGNS) and text[end - 1 : end + 1] not in {"::", "=="}:
        return "says"
    if word in _TO and words[number + 1][2] in _KEY_FILES:
        return ""
    if word in _TYPES or (word in _TO and (changed or _is_change(words[-1][2]))):
        return "says"
    if text[end - 1] in ",،":
        return ""
    if word in _STATE_PARTS:
        several = " ".join(each for _, _, each in words[max(0, number - 2) : number + 1])
        said = {word, several, several.partition(" ")[2]}
        if not _SURE_STATES.isdisjoint(said):
            return "says"
        if not _STATES.isdisjoint(said):
            return "is"
    # Behind a comma the sentence goes on: "la phrase secrète, on va …".
    after_comma = number and text[words[number - 1][1] - 1] == ","
    return "is" if word in _STATES_TOO and foreign and not after_comma else ""


def _is_change(words: str) -> bool:
    several = [word.strip(_MARKS) for word in words.split()]
    return any(word.startswith(_SETS) or word.removeprefix("re").startswith(_SETS) for word in several)


def _judged(text: str, start: int, last: int, *, sure: bool) -> Place | None:
    clause = _clause(text, start)
    if not clause or clause[0] >= last:
        return None
    inner = text[clause[0] : min(clause[1], last)].rstrip()
    words = inner.split()
    while len(words) > _FEW and (words[-1].lower() in _STATED_BEHIND or _is_change(words[-1])):
        inner = inner[: -len(words.pop())].rstrip()
    return (clause[0], clause[0] + len(inner)) if _is_told(inner, sure=sure) else None


def _clause(text: str, start: int) -> Place | None:
    found = _CLAUSE.match(text, start)
    if not found:
        return None
    end = found.end()
    more = _GOES_ON.search(text, start, end)
    if more and len(text[start : more.start()].split()) >= _FEW:
        end = more.start()
    return (start, end) if end - start >= _LEAST else None


def _is_told(inner: str, *, sure: bool) -> bool:
    """Tell a phrase from what a sentence says of one."""
    words = inner.split()
    first = words[0].strip(_MARKS).lower() if words else ""
    if first == _TWO and not inner.isascii() and len(words) > _FEW:
        return is_phrase(words[1:]) and not words[1].startswith(_COUNTED)
    if len(words) < _FEW or first in _BEGINS_SO or first in SMALL_WORDS or _DONE.match(inner):
        return False
    if not sure and (first in _ARTICLES or first.startswith(_PREDICATES)):
        return False
    return is_phrase(words)
