"""Whether a sentence points at a text: asks for work on it, announces it, comments on it, names its source.

A text that was pasted seldom shows it; the few words that its sender typed beside it do, wherever they stand.
Such a sentence is short, and it is known by its structure, which eight languages share: what each word does
there (`points.txt`) is written as one letter, and a few patterns over those letters tell what it says.
"""

from __future__ import annotations

from itertools import pairwise

from memolith.text import about, voice
from memolith.text.patterns import lazy, sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_MOST, _MOST_WORDS = 120, 16  # of a sentence that only points
_UP = ("^", "↑", "⬆", "👆")
_LONGEST = 3_000  # characters of a line that are looked at
# What each part of a sentence is called in the patterns; `n` is any word, `o` any but the speaker, `d` a
# demonstrative that is nothing else.
_PARTS = dict(
    line.split()
    for line in (
        *("demonstrative D", "following M", "below F", "text T", "thing-text U", "answer A", "writer W"),
        *("saying S", "received R", "handles H", "works V", "puts K", "from P", "to O", "it E"),
        *("article C", "here G", "is B", "mine I", "theirs Y", "judged Q", "requests N", "wording L"),
        *("number Z", "program X", "recipient J"),
    )
)
# Announced, received, named by its source, said by somebody.
_TEXT = (
    r"M n? [TUA]",
    r"F T",
    r"[TUARHN] n{0,4} [FM] $",
    r"^ [HVKR] [FM] $",
    r"^ I? R P",
    r"^ [IDECTUA] n? R P",
    r"R P? d",
    r"R P n{1,2} G? d $",
    r"R [EC] P",
    r"R Y? n? [TUAN] $",
    r"R Y? n? [TAN] P",
    r"[CFMTAU] n{0,5} R $",
    r"^ P n{1,3} R $",
    r"^ P [YI]? n? [TU] (P n)? $",
    r"^ [DC] J? [BSRP] n{0,6} [TWASR]",
    r"^ d S n? $",
    r"^ I B S D $",
    r"^ [DC] I? [BSRP] n{0,4} P n? U",
    r"^ G B? B? Y? n? [TAUN]",
    r"Y n? [TAN] ",
    r"A Y $",
    r"D n? [TA]",
    r"D N $",
    r"[HA] n{0,4} D n? [UN]",
    r"W Q $",
    r"Q n? W $",
    r"[TU] S $",
    r"^ [TU] Z $",
    r"^ [TU] n{1,3} d $",
    r"^ o B o B d $",
    r"S [EC]? P? n? T $",
    r"^ o{1,5} S [DECFMTAUIY]{0,3} $",
    r"^ o{1,4} S J? d ([PO]|$)",
    r"S J? C",
    r"R C",
    r"W n? R",
    r"W n{0,3} S",
    r"Y S $",
    r"^ G n{0,4} S",
    r"^ M [SB]",
    r"^ n{0,3} S O? M $",
    r"^ [TU] n{0,2} P n? [TUW]",
    # Work on it.
    r"^ [HA] $",
    r"^ H [PO]? [DEC]",
    r"^ n{0,2} H [PO] n{1,3} $",
    r"A [PO]? [DC] $",
    r"J A $",
    r"V d n{0,3} [TA] $",
    r"A [PO]? [YW] $",
    r"I A n? $",
    r"[VHK] n? L $",
    r"V D V",
    r"^ K D n{0,4} T $",
    r"^ K n{0,3} [TU] n{0,2} [DE] $",
    r"^ V n? N{1,2} $",
)
# The same, but a person may mean something else by it, unless what they mean stands in other lines.
_APART = (
    r"^ [VHAK] [PO]? J? [DEC] V? $",
    r"^ [HV] n? [TAL] n? ([OP] n{1,3})? $",
    r"^ n{0,2} [TLF] n? [HV] n? $",
    r"^ [HVK] D? n? T $",
    r"^ n? A n? $",
)
# Whether it is so.
_ASKED = (r"^ n{1,4} Q n{0,2} $", r"^ Q n{1,3} $")
_WORDS = {name: [word.replace("_", " ") for word in words] for name, words in sections("points.txt").items()}
_CJK = r"\u3040-\u30ff\u3400-\u9fff"
_WORD = lazy(rf"(?u:[^\W_{_CJK}](?:[.-]?[^\W_{_CJK}])*|[{_CJK}]+)")
_SENTENCES = lazy(
    r"(?<=[.!?…])(?<!\b[a-z]\.)[\"'”’»)]*(?:\s+|$)|(?<=[。！？])[”」』]?|(?<=[!?])(?=[\u3040-\u9fff])|(?<=[\u3040-\u9fff][!?:])|\s[-–—]+\s|(?<=[:：])\s+"
    r"|(?<=\w[)）])\s+(?=[A-Z])|(?<=\S)\s+(?=[(（][^()（）]*[)）]\W*$)"
)


def _pattern(*patterns: str) -> str:
    """Return a pattern over words written as letters, each with a semicolon behind."""
    spelt = (str(_LETTER.sub(_spelt, each.replace(" ", ""))) for each in patterns)
    return f"(?:^|(?<=;))(?:{'|'.join(spelt)})"


def _spelt(letter: re.Match[str]) -> str:
    any_of = {"n": "[A-Z]*", "o": "[A-HJ-Z]*", "d": "[A-CF-Z]*D[F-Z]*"}.get(
        letter[0], f"[A-Z]*{letter[0]}[A-Z]*"
    )
    return f"(?:{any_of};)"


def _any(words: list[str]) -> str:
    return "(?u:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


_LETTER = lazy(r"\[[A-Z]+\]|[A-Znod]")
_POINTS, _POINTS_APART = lazy(_pattern(*_TEXT)), lazy(_pattern(*_APART))
_WHETHER = lazy(_pattern(*_ASKED))
# Most words are no patterns; looking those up saves compiling them.
_KNOWN: dict[str, str] = {}
for _name, _letter in _PARTS.items():
    for _each in dict.fromkeys(filter(str.isalpha, _WORDS[_name])):
        _KNOWN[_each] = _KNOWN.get(_each, "") + _letter
_ROLES = {
    letter: lazy(_any([each for each in _WORDS[name] if not each.isalpha()] or ["^"]))
    for name, letter in _PARTS.items()
}
_FILLER = lazy(_any(_WORDS["filler"]))
_GLUED = lazy(
    "|".join(sorted({w for n in (*_PARTS, "filler") for w in _WORDS[n] if w[0] >= "\u3040"}, key=len)[::-1])
    + rf"|[{_CJK}]"
)
WRITER = "|".join(_WORDS["writer"])
# A source that stands behind what it says: `the guide says`, `the vendor's FAQ`, `found in a forum`.
_SOURCE = lazy(
    _pattern(r"^ n? [TUW] S $", r"^ [WT] B? n? T $", r"^ R P n{0,3} [TUW] $", r"^ R W [TU] $", r"[TUW] P $")
)
_IN_BRACKETS = lazy(_pattern(r"^ R? P n{0,3} [TW]", r"^ R n{0,3} T", r"^ [TU] P n{0,6} W"))
_PLACED = lazy(rf"(?u:\W*(?:{_any(_WORDS['filler'])}\W+)*(?:{'|'.join(_WORDS['placed'])})\s)")
_RECEIVED = lazy(_pattern(r"R [CTUA]", r"R d", r"R n? P", r"[DECTUA] n{0,4} R $"))
_MANNER = lazy(rf"(?iu:\b(?:{'|'.join(_WORDS['manner'])})\s+\w+\W*\Z)")
# Where a sentence may begin within one, and what stands before it there.
_NEXT = lazy(
    r"(?<=[a-zà-ÿа-я])\s+(?=[A-ZÀ-ÝА-Я][a-zà-ÿа-я'’-]+\s)|(?<=[a-z]),\s|\s(?:that|que|что|che)\s"
    r"|(?<=着)|(?<=写道)"
)
_HEADS = lazy(_pattern(r"^ n{0,2} [TU] n{0,2} [SB] P? [OP]? $"))
_PLACES = lazy(
    _pattern(r"^ P n{0,2} [TU] n{0,3} S P? $", r"^ I? n? R P n{0,3} [TUW] $", r"^ I V P n{0,2} T $")
)
_SPEAKERS = lazy(r"^[A-HJ-NQ-Z]*;[A-Z]*S[A-Z]*;$")  # `she said, …`, but not `as you said, …`
_TAKES = lazy(_pattern(r"d", r"^ [VKJHA]"))
# No name, number or code in it: those say themselves what is asked about.
_BRIEF = lazy(
    rf"(?u:[\w'’-][^\W\dA-ZА-Я_{_CJK}]*(?:\s+[^\W\dA-ZА-Я_{_CJK}]+(?:['’-]\w+)*){{0,3}}|[{_CJK}]{{1,10}})\s*[?？]+"
)
_CLAUSES = lazy(r"[,;.!:…]\s+|[，、。！]\s*|\s[-–—]\s")
_REQUESTS = lazy(
    rf"(?u:(?:{voice.WORDS['asks']}|{_any(_WORDS['requests-begin'])})\b|{_any(_WORDS['requests-glued'])})"
)
_TAG = lazy(_any(_WORDS["tags"]) + r"\s*[?？]+")
_WHEN = lazy(r"(?i)\W*when\b[^?]*$")  # no question, but when to do something
_FOOT = lazy(_any(_WORDS["foot"]))
# Where one reads more of what one has said: no text that was pasted.
_REFERENCE = lazy(
    r"(?u:\s*[(（](?:see|siehe|vgl\.?|voir|cf\.?|véase|veja|vedi|zie|patrz|zob\.|см\.?|见|参照)\s?[^()（）]+[)）]\W*)"
)
_LINK = lazy(r"<?https?://\S+")
_REACTIONS = lazy(r"(?:\s*[\u2190-\u2bff\u2764\ufe0f\U0001f000-\U0001faff]+\s*\d+)+\s*")
_NAME = lazy(r"(?u:[A-ZÀ-ÝА-Я][\w.'-]+(?: [A-ZÀ-ÝА-Я][\w.'-]*){1,3})")
_TITLED = lazy(
    r"(?u:[A-ZÀ-ÝА-Я][\w.'&-]*(?:(?: (?:of|and|at|for|de|für))?[ ,|/@·•–—-]+[A-ZÀ-ÝА-Я][\w.'&-]*)+)"
)
_QUOTED = lazy(r"\s*['\"“„«‘「『][^'\"”“»」』]{8,}['\"”“»’」』](?=[\s\u3040-\u9fff])")
_WONDERS = lazy(
    rf"(?:{_any(_WORDS['filler'])}[\s,，]+)*(?:{_any(_WORDS['wonders'])}\s*[?？]+|{_any(_WORDS['wonders-glued'])}[?？]?)"
)


def kind(sentence: str) -> str:
    """Return how a sentence points at a text: `text`, `apart` if only at one in other lines, `asks`; or none.

    One that `asks` wonders whether something is right: that may as well be the person's own idea.
    """
    said = sentence.strip().strip("^*_()（）[]-–—←→↑⬆👆<¿¡ ").rstrip(" .!…。！:：")
    if not said or len(said) > _MOST:
        return ""
    said = said.casefold().replace("’", "'")
    is_head = sentence.rstrip().endswith((":", "："))
    if _WONDERS.fullmatch(f"{said}?" if is_head else said):
        return "asks"
    letters = _letters(said)
    if not is_head < letters.count(";") <= _MOST_WORDS:  # `Answers: …` is about them
        return ""
    if said[-1] in "?？" and (_WHETHER.search(letters) or _WONDERS.fullmatch(said.rpartition(", ")[2])):
        return "asks"
    if _is_about_it(sentence):
        return "asks"
    if _POINTS.search(letters):
        return "text"
    return "apart" if _POINTS_APART.search(letters) or about.is_about(sentence) else ""


def _is_about_it(sentence: str) -> bool:
    """Whether a sentence ends as a question of so few words that what it asks about must stand elsewhere."""
    clause = _CLAUSES.split(sentence.strip(" \"'”’»)）"))[-1].strip("¿ ")
    return bool(_BRIEF.fullmatch(clause)) and not (
        about.names_part(clause) or _REQUESTS.match(clause.casefold()) or _TAG.fullmatch(clause.casefold())
    )


def shown(lines: list[str], first: int, last: int) -> set[int]:
    """Return the lines beside a sentence that points at a text: they may be that text.

    It may be what stands below such a sentence, and above it if nothing else but requests follows. One right
    above a paste points at that, and so do those below if somebody asked something above it.
    """
    arrow = max((number for number, line in enumerate(lines) if line.lstrip()[:1] in _UP), default=0)
    if arrow:  # it points at all that stands above it
        return set(range(arrow))
    ends = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    said = [
        (number, each, "" if voice.RULE.match(each) or _refers_on(each, lines[number]) else kind(each))
        for number in sorted({*range(first), *range(last, len(lines)), ends})
        for each in sentences(lines[number][:_LONGEST])
    ]
    if not any(how for _, _, how in said):
        return set()
    below, above = said, said[::-1]
    if any(map(str.strip, lines[first:last])):
        lead = next((number for number in reversed(range(first)) if lines[number].strip()), -1)
        leads = [(each, how) for number, each, how in said if number == lead]
        is_led = any(how or (voice.asks(each) and not voice.RULE.match(each)) for each, how in leads)
        below = [(n, each, how) for n, each, how in said if n != lead or not how]
        above = [(n, each, how if n < first or not is_led else "") for n, each, how in below[::-1]]
    return _beside(below, at_end=False) | _beside(above, at_end=True)


def _refers_on(sentence: str, line: str) -> bool:
    return bool(_REFERENCE.fullmatch(sentence.casefold())) and sentence.strip() != line.strip()


def _beside(said: list[tuple[int, str, str]], *, at_end: bool) -> set[int]:
    """Return the lines of the sentences that follow one that points, in the order in which they are given."""
    found: set[int] = set()
    own = any(voice.is_own(each) for _, each, how in said if not how)
    seen: dict[str, set[int]] = {}
    for number, each, how in said:
        if how:
            seen.setdefault(how, set()).add(number)
            continue
        if voice.asks(each) and not _WHEN.match(each):
            continue
        if at_end and not seen:  # only requests may stand behind it
            break
        asked = seen.get("asks")
        mine = own if asked == {number} else voice.is_own(each)
        if "text" in seen or seen.get("apart", set()) - {number} or (asked and not mine):
            found.add(number)
    return found


def reports(sentence: str) -> bool:
    """Whether a sentence says where another stands, which is in it: `the log ends with …`."""
    for found in _NEXT.finditer(sentence[:_MOST]):
        letters = _letters(sentence[: found.start()].casefold())
        pattern = {"": _HEADS, ",": _SPEAKERS}.get(found[0].strip(), _PLACES)
        if pattern.search(letters) or _PLACES.search(letters):
            return True
    return False


def is_source(aside: str, *, bracketed: bool) -> bool:
    """Whether a few words beside a sentence only say whose it is."""
    said = aside.casefold().replace("’", "'")
    letters = _letters(said)
    may_end = bracketed and not _PLACED.match(said)  # what stands behind it is the source's
    return bool(_SOURCE.search(letters) or (may_end and _IN_BRACKETS.search(letters)))


def refers(head: str) -> bool:
    """Whether a head before a colon has an object that is what follows: `correct this`, `shows this error`.

    It has none in `like this`, `in this repo`; what is done everywhere is not done to a text.
    """
    letters = _letters(head.casefold().replace("’", "'")).split(";")[:-1]
    if any("X" in each for each in letters) or _MANNER.search(head):
        return False
    if len(letters) > 1 and "D" in letters[0] and set(letters[1]) & set("SR"):
        return True
    objects = [each for before, each in pairwise(["I", *letters]) if not set(before) & set("IPO")]
    return any("D" in each for each in objects) or bool(objects and set(objects[-1]) & set("EC"))


def receives(head: str) -> bool:
    """Whether a head says that a text came to the one who speaks: `I got this mail`."""
    return bool(_RECEIVED.search(_letters(head.casefold().replace("’", "'"))))


def foot(lines: list[str]) -> bool:
    """Whether the last lines of a text are those of a mail, a post or a page."""
    *_, last = lines
    said = last.casefold().strip(" .")
    above = lines[-2] if len(lines) > 1 else ""
    return len(lines) > 1 and bool(
        "--" in lines[-4:-1]
        or _FOOT.fullmatch(said)
        or about.is_end(last)
        or _REACTIONS.fullmatch(last)
        or (_TITLED.fullmatch(last) and _NAME.fullmatch(above))
        or (_LINK.fullmatch(said) and above[-1] in ".!。！" and not any(map(_takes, lines)))
    )


def _takes(line: str) -> bool:
    """Whether a line may speak of what is linked: it has a demonstrative, or begins with something to do."""
    return any(_TAKES.search(_letters(each.casefold()[:_MOST])) for each in sentences(line))


def sentences(line: str) -> list[str]:
    """Split a line into what is said in it; a quotation is one sentence."""
    quoted = _QUOTED.match(line)
    parts = [quoted[0], *_SENTENCES.split(line[quoted.end() :])] if quoted else _SENTENCES.split(line)
    return [each for each in parts if any(map(str.isalnum, each))]


def _letters(said: str) -> str:
    """Return what the words of a sentence do there: the letters of each, and a semicolon."""
    found: list[str] = []
    for word in _pieces(said):
        letters = _part(word)
        if "X" in letters and found and set(found[-1]) & set("TUAWN"):
            found[-1] = ""  # a comment box is no comment
        if found and "I" in found[-1] and "S" in letters:
            letters = letters.replace("S", "")  # what I say is mine
        goes_on = word >= "\u3040" and found[-1:] == [""]  # a word of several characters
        if letters or not (goes_on or _FILLER.fullmatch(word)):
            found.append(letters)
    return "".join(f"{each};" for each in found)


def _part(word: str) -> str:
    """Return what a word may do in a sentence, each a letter, in the order of the alphabet."""
    patterns = "".join(letter for letter, pattern in _ROLES.items() if pattern.fullmatch(word))
    return "".join(sorted({*_KNOWN.get(word, ""), *patterns}))


def _pieces(said: str) -> Iterator[str]:
    for word in _WORD.findall(said):
        if "\u3040" <= word[0] <= "\u9fff":
            yield from _GLUED.findall(word)
        elif "-" in word and not _part(word):
            yield from word.split("-")
        else:
            yield word
