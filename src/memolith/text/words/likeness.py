"""Do two short texts say the same, or something else about the same thing? Counting words, nothing more.

Precision before recall: a fact kept twice costs a line, a fact replaced by mistake costs trust.
"""

from __future__ import annotations

from memolith.base.lean import lru_cache
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

# Words that say nothing about the subject, or only that something changed.
_WORDS = """
a an and are as at be by for from has have in is it its of on or our that the this to was we were will with
now currently still moved switched changed uses use using always
"""
_SMALL = frozenset(_WORDS.split())
# ... or whose it is, where only one person speaks, and articles of other languages.
_OWN = """
i my me mine there ich wir mein meine meinen meinem meiner meines unser unsere unseren unserem unserer der die
das den dem des ein eine einen einem einer je nous mon ma mes notre nos le la les un une du yo nosotros mi mis
nuestro nuestra nuestros nuestras el los las una eu nós meu minha meus minhas nosso nossa o os as um uma do io
noi mio mia il lo gli я мы мой моя моё мои наш наша наше наши
"""
_WHOSE = frozenset(_OWN.split())
# Parts of words by which a sentence denies something, in the languages that learning knows.
_DENYING = (
    *(" not ", "n't ", " no ", " never ", " without ", " avoid ", " stop ", "cannot ", " nicht ", " kein"),
    *(
        " nie ",
        " niemals ",
        " ohne ",
        " ne ",
        " pas ",
        " jamais ",
        " sans ",
        " nunca ",
        " jamás ",
        " sin ",
        " nada de ",
        " não ",
    ),
    *(
        " sem ",
        " не ",
        " нет ",
        " никогда ",
        " никак",
        " без ",
        "不",
        "没",
        "别",
        "勿",
        "ない",
        "ません",
        "しない",
    ),
)
# Words that say how firmly or from when on something holds.
_TURNING = """
always never longer anymore more after all instead now still must please actually wait sorry no nope not
stop avoid ever again immer nie niemals nicht kein keine keinen mehr doch wieder toujours jamais pas plus ne
siempre nunca ya sempre não mais всегда никогда больше не нет
mandatory required obligatory compulsory allowed permitted pflicht vorgeschrieben obligatoire obligatorio
obrigatório обязательно обязательны use using used verwende verwenden verwendet nutze nutzen benutze benutzen
utilise utiliser utilisez usa usar используй использовать is are be ist sind werden est sont está están é são
le la les des du de el los las der die das den os as um uma ein eine sin sem sans ohne без nada
n'utilise n'utilisez n'utiliser никаких никакого никакой jamás
i we want wants wanted ich wir will wollen möchte möchten je nous veux voulons yo quiero queremos eu quero
я мы хочу
"""
# The same in scripts without spaces, where such a word is no word by itself.
_FIRMLY = lazy(
    r"使用|永远(?:不?要)?|总是|始终|一律|每次|不[要再]|别再|必须|一定要|我们|常に|必ず|いつも|絶対に?|決して|もう"
    r"|し(?:ないで|て)(?:ください)?(?=[。.!！]|$)"
)
# What says of a thing that it must not be: `tabs are forbidden` says no more than `no tabs`.
_BANS = lazy(
    r"(?i)(?P<not>(?:\bnot|n['’]t|\bnicht|\bpas|\bno(?: está| están)?|\bnão(?: é| são)?|не) )?"
    r"(?:\b(?:forbidden|banned|prohibited|disallowed|off[- ]limits|not (?:allowed|permitted)|verboten"
    r"|untersagt|nicht (?:erlaubt|gestattet|zulässig)|interdite?s?|prohibid[oa]s?|proibid[oa]s?)\b"
    r"|n['’]t (?:allowed|permitted)\b"
    r"|запрещ[её]н[оаы]?|нельзя|(?:不要|别|勿|不得|是?禁止|不允许|不准|请勿)(?:再)?(?:使用|用|的)?"
    r"|[はを]?使(?:わないで(?:ください)?|わない|いません|ってはいけない|ってはいけません)|(?:の使用)?は?(?:使用)?禁止(?:です|する)?)"
)
# Two words that deny once: `ne … pas`, `никогда не`, `no … nunca`.
_TWICE = lazy(
    r"(?: ne | n'(?=\w)| no | não )(.{1,60}? (?:pas|jamais|nunca|jamás|nada) )|(?<= никогда) не(?= )"
)
# One more behind the sentence: `no tabs, never`.
_BEHIND = lazy(r"[,;–—-]\s*(?:(?:not )?ever|never(?: ever)?|nie(?:mals)?|nunca|jam[aá]s|jamais|никогда)\W*\Z")
_SIGNS = lazy(r"[¿¡]|[.,;:!?…]+(?=\s|\Z)(?!\s\d)")  # `never.` is a word, and `no. 5` denies nothing
# One holder of a role at a time: `the release manager is Ann`, `Ann is (the) release manager now`.
_THE = r"(?:the|our|my|der|die|das|unsere?|le|la|notre|el|nuestr[oa]|noss[oa])"
_IS = r"(?:is|ist|est|es|é)(?: (?:now|currently|jetzt|nun|maintenant|ahora|agora))?"
_WORD = r"[A-ZÀ-ÖØ-ÝА-Я][^\s,;:.!?]+"
_WHO = rf"(?:@\w[\w-]*|{_WORD}(?: {_WORD}){{0,2}})"
_END = r"(?: now)?[.!]?\s*\Z"
_ROLES = (
    lazy(
        rf"(?i:(?:(?:so|and|ok|no|well|also),? )?(?:{_THE}|[oa](?=.* é ))) (?P<role>.{{3,60}}?)"
        rf" {_IS} (?P<who>{_WHO}){_END}"
    ),
    lazy(rf"(?P<who>{_WHO}) (?:{_IS} {_THE}|é [oa]) (?P<role>[^,;]{{3,60}}?){_END}"),
    # English leaves the article out only where there is one holder.
    lazy(rf"(?P<who>{_WHO}) is (?:now )?(?P<role>(?!an? |the |in |at )[a-z]+ [^,;]{{1,60}}?){_END}"),
)
_HOLDER = lazy(
    r"(?i)(?:er|or|ist|ant|ent|ian|eur|euse|rice|able|iste|ora|ista|ante|ente|ero|in|lead|head|chief|boss"
    r"|contact|admin|expert|dri|cto|ceo|pm|po|on[- ]call)\Z"
)
_OF = lazy(r" (?:of|for|in|at|on|von|für|im|in|de|du|des|pour|del|para|do|da)\b")
# What comes after these is the name of what comes before.
_NAMING = (
    "called",
    "named",
    "heisst",
    "namens",
    "appelle",
    "nommé",
    "llama",
    "llamado",
    "chama",
    "называется",
)
# What comes after these at the end of a sentence is what it says no longer holds.
_CONTRAST = (
    *(
        ", not ",
        " and not ",
        " instead of ",
        " rather than ",
        ", nicht ",
        " statt ",
        ", pas ",
        " au lieu de ",
    ),
    *(
        ", no ",
        " en vez de ",
        ", não ",
        " em vez de ",
        ", а не ",
        " вместо ",
        "，不是",
        "，而不是",
        "ではなく",
    ),
    *(", never ", ", nie ", ", niemals ", ", jamais ", ", nunca ", ", никогда "),
)
# What leads to a sentence and is no part of what it says; some of these only before a comma: `no tests`.
_LEADS = lazy(
    r"(?m)^(?:(?:please|pls|plz|so|actually|well|also|and|but|then|oh|hey|okay|ok|sorry|anyway|alright|btw"
    r"|bitte|doch|eigentlich|ach|und|aber|übrigens|s['’]il (?:te|vous) pla[iî]t|svp|stp|en fait|bon|alors"
    r"|donc|et|mais|por favor|en realidad|bueno|entonces|pues|na verdade|então|пожалуйста|на самом деле"
    r"|вообще-то|ну|итак|так)[\s,.!:;…–—-]+"
    r"|(?:no|nope|yes|yeah|yep|right|wait|nein|ja|gut|non|oui|sí|si|não|sim|bem|нет|да)\s*[,.!:;…–—]+\s*"
    r"|(?:you|we) (?:should|must|have to) (?=always |never |only )"
    r"|(?:请你?|麻烦你?)|(?:不|不是|其实|所以|那么|那|好|好的|对|嗯)[，,、。！!]\s*"
    r"|(?:いや|いいえ|実は|だから|では|じゃあ|はい|ええ)[，,、。！!]\s*)+(?=.)"
)
_CLAUSE = lazy(r"[,;:，、；](?!\d)")
_SAME = 0.9
_SUBJECT = 0.75
_KEPT = 0.7
_AGAIN = 0.7
_SAME_VALUE = 0.6  # of the words, where two texts name one value


def words(text: str) -> list[str]:
    """Return the words of a text in order, in one case; `v1.2`, `cache-bravo` and `10.0.0.1` are one each."""
    found: list[str] = []
    current: list[str] = []
    for char in f"{text.casefold()} ":
        if char.isalnum() or (char in "-_./:@" and current):
            current.append(char)
        elif current:
            word = "".join(current).rstrip("-_./:@")
            if word not in _SMALL:
                found.append(word)
            current = []
    return found


def said(text: str) -> tuple[str, ...]:
    """Return the words that say what a line says, but for who says it; the line if it has only others."""
    found = [word for word in words(text) if word not in _WHOSE]
    return tuple(found) or (" ".join(text.casefold().split()),)


@lru_cache(maxsize=4_096)  # each of many statements is compared with each of many others
def bare(text: str) -> str:
    """Return the lines of a text in one case, a ban as one word, without what leads: `Please`, `No,`."""
    return str(_BANS.sub(_ban, _LEADS.sub("", text.casefold())))


def _ban(found: re.Match[str]) -> str:
    return " " if found["not"] else " not "


def same(one: str, other: str) -> bool:
    """Whether two texts say the same, but for wording that does not matter."""
    one, other = bare(one), bare(other)
    first, second = set(words(one)), set(words(other))
    if first == second:
        return bool(first) or one.strip() == other.strip()
    return _overlap(first, second) >= _SAME and not any(map(_is_value, first ^ second))


def contradicts(one: str, other: str) -> bool:
    """Whether two texts give one thing two values (`… runs on 1.31` and `1.32`), or one denies the other."""
    if (held := _holder(one)) and (now := _holder(other)) and held[0] == now[0]:
        return held[1] != now[1]
    one, other = bare(one), bare(other)
    one, other = _without_contrast(one, other), _without_contrast(other, one)
    if _denials(one) != _denials(other):
        return _subject(one) == _subject(other) != frozenset()
    if _denies(one) and _denies(other):
        return False  # two things may both be forbidden
    first, second = words(one), words(other)
    gone, come = set(first) - set(second), set(second) - set(first)
    if len(gone) != 1 or len(come) != 1:
        return False
    old, new = gone.pop(), come.pop()
    # Early in a sentence a value names the subject (`worker 3 …`), later it says something about it.
    late = first.index(old) * 2 >= len(first) and second.index(new) * 2 >= len(second)
    alike = [new if word == old else word for word in first] == second  # `Node 22` and `Node 24`
    enough = alike or _overlap(set(first), set(second)) >= _SUBJECT / 2
    # Without digits, only what follows such a word is one value and no other.
    named = alike and first[first.index(old) - 1] in _NAMING
    file = any(map(_is_file, (old, new))) and not (_is_linked(one, old) and _is_linked(other, new))
    return late and ((_is_value(old) and _is_value(new) and enough and not file) or named)


def _holder(text: str) -> tuple[frozenset[str], str] | None:
    """Return a role that one has at a time, and who has it; None if a text says no such thing."""
    for form in _ROLES:
        found = form.match(text)
        if found and _HOLDER.search(_OF.split(found["role"], 1)[0]):
            return naming(found["role"]), found["who"].casefold()
    return None


def _without_contrast(text: str, older: str) -> str:
    """Return a text without its last words if they only say what held before: `… on 9090, not 8080`."""
    for word in _CONTRAST:
        said, found, rest = text.rpartition(word)
        if found and 0 < len(gone := words(rest)) <= 2 and set(gone) <= set(words(older)):
            return said
    return text


def _is_file(word: str) -> bool:
    """Whether a word is a path or the name of a file: people do the same with several of those."""
    return "/" in word or word.rpartition(".")[2].isalpha()


def _is_linked(text: str, value: str) -> bool:
    """Whether a small word is right before a value, as in `is in config/app.yml`: it says where or what."""
    before = text.casefold().partition(value)[0].rstrip("/~").split()  # of a whole path, its first signs
    return bool(before) and before[-1].strip("\"'`(:=") in {"", *_SMALL}


def reverses(old: str, new: str, *, ended: bool = False) -> bool:
    """Whether a text denies what an older one says, or says what that denies; the older may say more.

    `ended`: it says that something is no longer so. Then its first clause may say that alone, and half of
    what the older text names is enough.
    """
    old, new = bare(old), bare(new)
    if ended:
        new = _CLAUSE.split(new, 1)[0]
    first, second = _subject(old), _subject(new)
    least = len(first) / 2 if ended else min(2, len(first))
    return _denials(old) != _denials(new) and second <= first and len(second) >= least > 0


def _subject(text: str) -> frozenset[str]:
    return naming(_FIRMLY.sub(" ", text)) - naming(_TURNING)


def may_contradict(one: str, other: str) -> bool:
    """Whether two texts differ in one word, and so may give one thing two values: only a person can tell.

    Bob may be on call instead of Ann, but he may also review the tests while she reviews the docs.
    """
    first, second = words(_without_contrast(one, other)), words(_without_contrast(other, one))
    changed = [place for place, (old, new) in enumerate(zip(first, second, strict=False)) if old != new]
    return len(first) == len(second) > 1 and len(changed) == 1


def naming(text: str) -> frozenset[str]:
    """Return what a text names: the stems of its words, in every script, without those that say nothing."""
    from memolith.text.words.terms import STOP, count

    plain = " ".join(word for word in text.casefold().split() if word.strip(".,;:!?") not in STOP)
    return frozenset(count(plain)[0])


def says_again(old: str, new: str, share: float = _AGAIN, *, of_both: bool = False) -> bool:
    """Whether a text says again, maybe in other words, what an older one says, and not of another value.

    `of_both`: the longer text must not say more, nor the opposite, as a rule with an exception does.
    """
    old, new = bare(old), bare(new)
    if of_both:
        (old, instead), (new, too) = _contrasted(old), _contrasted(new)
    first, second = naming(old), naming(new)
    if of_both:  # how firmly it holds is no matter
        first, second = _subject(old) or first, _subject(new) or second
        gone, out = _subject(instead), _subject(too)
        # Behind what it is not, a sentence may go on: `use tabs instead of spaces in the tests`.
        if (gone or out) and not (gone & out and gone - out <= second and out - gone <= first):
            return False
        first, second = first | (gone - out), second | (out - gone)
    if not first or not second:
        return old.strip() == new.strip()
    values, others = ({word for word in each if any(map(str.isdigit, word))} for each in (first, second))
    if values and others and not values & others:
        return False
    if of_both and _denies(old) != _denies(new):
        return False
    size = max(len(first), len(second)) if of_both else min(len(first), len(second))
    if of_both and values & others:
        share = _SAME_VALUE
    return len(first & second) >= share * size


def _contrasted(text: str) -> tuple[str, str]:
    """Split a text into what it says and what that is not: `use tabs, not spaces`, `instead of …, use …`."""
    plain = text.casefold()
    for word in _CONTRAST:
        said, found, rest = plain.rpartition(word)
        rest, comma, more = rest.partition(", ")
        said += comma + more
        if not found and plain.startswith(start := word.lstrip(" ,")):
            rest, found, said = plain.removeprefix(start).partition(", ")
        if found and _subject(said) and _subject(rest):
            return said, rest
    return text, ""


def _denies(text: str) -> bool:
    plain = _spaced(text)
    return any(word in plain for word in _DENYING)


@lru_cache(maxsize=4_096)
def _spaced(text: str) -> str:
    """Return the words of a text with spaces around each, without one that denies what is denied already."""
    plain = text.casefold().replace("’", "'")
    said, late = (f" {_SIGNS.sub(' ', each)} " for each in (_BEHIND.sub("", plain), plain))
    return said if any(word in said for word in _DENYING) else late


def _denials(text: str) -> int:
    """Return 1 if a text denies something, 0 if nothing or twice: `not without …`."""
    plain = _TWICE.sub(r" \1", _spaced(text))
    return sum(plain.count(word) for word in _DENYING) % 2


def is_kept(text: str, others: Iterable[set[str]], before: Iterable[set[str]] = ()) -> bool:
    """Whether most words of a text stand in one of other texts, which are given by their words.

    Not if that has more of the words of a similar text from `before`: it says what that said.
    """
    mine = set(words(text))
    alike = [each for each in before if _share(mine, each) >= _KEPT]
    return not mine or any(
        (share := _share(mine, other)) >= _KEPT and all(_share(each, other) <= share for each in alike)
        for other in others
    )


def _share(part: set[str], whole: set[str]) -> float:
    return len(part & whole) / len(part) if part else 0.0


def _overlap(first: set[str], second: set[str]) -> float:
    either = first | second
    return len(first & second) / len(either) if either else 1.0


def _is_value(word: str) -> bool:
    return any(char.isdigit() or char in "-_./:@" for char in word)
