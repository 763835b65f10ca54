"""How likely it is that a sentence says something to keep: points for how it is said, not for what it names.

A sentence is read as marks (`marks.py`). Each way of speaking below gives or takes points; the sum decides
whether it is learned (`CERTAIN`), or kept as a candidate until it is said again (`POSSIBLE`). The points are
rounded weights of a logistic regression over sessions of strangers (`python -m bench.learning`), so a way of
speaking that proves worthless there is removed, not patched.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import combining

from memolith.base.values import Value
from memolith.learn.extract import doubt, lasting, marks
from memolith.learn.extract.facts import Fact, place_of_rule, settled_place
from memolith.learn.extract.speech import pattern, words
from memolith.text.words.terms import STOP

if TYPE_CHECKING:
    from memolith.learn.extract.marks import Marks

CERTAIN, POSSIBLE = 2, 1
_MOST_MARKS = 45  # words of a spoken sentence
_SHORT = 6  # characters of a statement in a script without spaces
_LEAST_WORDS = 2  # naming something, so that a statement is clear on its own

# Ways of speaking that can make a statement worth keeping. `^` is the beginning of the sentence.
_WAYS = {
    # "remember that …", "note: …"; "remember to push", "remember to use paging" is for now
    "keep": (6, r"^[JAMOn,]*K(?!J?t(?:[J.]*[vu]|U\.{1,3}$)|dk)(?:[,Tdc]|A,|[^,]*[BDNUVLGPCvX=WZl])(?!$)"),
    "henceforth": (4, r"(?:^|[,J])l|^[JAO,]*(?:[LVNUvuZYE]|WD|.*[YD])[^,X]*l[,A]*$"),  # "from now on …"
    # "always use", "we never deploy", "must never", "whenever you …, …"
    "always": (
        3,
        r"^[JA,]*[LV][JN]?[UvuPpB.][^,]|[LV][^,TdX]{0,4}[Uv]A?$|(?:[,JAW]|D|DB|YD)[LV][AJ]?[UvuPpB]|WN?[LV]\.|(?:^|[,JAN])U[^,]*[LV]"
        r"|W[E.]?[^,]?[LV]?[Uv][^,]{0,3}[LV]|D[^,]?[LV]|(?:^|[,JA])[LV][^,Td]{1,4}U|^[JA]*L[YWE.][^,]*,"
        r"|^[JA,]*v[I.]?L|^[JA,]*[Uvu]V|Ip?[^,]{0,2}t[LV][Uvu]|^[JO,]*I[LV][UvPp]|^[^,TdQIYX]{1,5}B(?:[LV][.vX]|[^,TdX]{1,4}L$)|^[JO]*[.nE]{1,5}v[LV]|^[JAO,]*Ipt?[^,Td]{1,8}L$"
        r"|^[JA,]*[UvuN][^,]*,[LV](?:,|$)",
    ),
    "habit": (2, r"^[JA,]*a,?[^,]*[LVNUvuB]|[WI.n]a[^,X]{0,2}[UvuB]"),  # "we usually …"
    # "if a …, no … is needed", "only when …, … should …"
    "rule-if": (
        6,
        r"^[JA,]*[Sw][^,TdIMYWX]+,(?:TD|[^,TdIMX]{0,6}(?:D|N[.n]?B|[LVN][Uvu]|U))|^[JA,]*C[wS][^,IMYW]+,[^,TdIM]{0,6}D"
        r"|^[JA]*N[^,TdIMYWX]{1,4},S[^,TdIMYWX]*B[^,TdIMYWX]*,v[.n]",  # "do not …, if a … has no …, print …"
    ),
    "gone": (3, r"(?<![XtTR])G"),  # "no longer", "deprecated", "on purpose"; not "…, it's no longer needed"
    # "can you remove X, since it's no longer supported", "… as that's replaced by Y"
    "gone-why": (6, r"^[JO,]*A[uv.][.nv]{1,6},?(?:R|\.)TG[.n][^,HMXd?]*$"),
    "principle": (2, r"(?:^[JOA]*|,[JA]*)FN[U.][.n]+[^,?QHhMTdxX]*$"),  # "let's avoid code duplication"
    "prefer": (3, r"[IW][^,p]{0,2}P(?!W)|^[AJ]*P|PB$"),
    "prefer-once": (1, r"pP"),  # "I'd rather …"
    "mine": (3, r"^[JO,]*I[LJ.]?(?:U(?![Td])|v\.?n|vtn)"),  # "I use …", "I work on …"
    "my": (2, r"^[JO,]*m[^,TdQXMH]{1,3}B[Tc]?[^,TdXM]*(?:,|$)"),  # "my editor is …"
    "here": (2, r"^[JA]*\.?W,[^TdXMIHS]*[BDUvLVN]"),  # "in this project, …"
    "informs": (2, r"^[JAOM,]*f"),  # "fyi …"
    "cause": (2, r"i"),  # "the problem was …"
    # "every eval needs", "keep each commit", "we should log any …"
    "every": (
        2,
        r"(?:^|[,J])E[^,]{0,7}[DG]|(?:^|[,J])E[^,X]{0,5}B[^,X]{0,4}n|^[JA]*E[.n]{1,4}v[.n]|(?:^|[,J])[UZ](?!t)[^,]{0,5}E|WD[^,]{0,6}E|^A*u[^,]{0,3}E[^,]{0,4}Y"
        r"|D[^,]{0,3}E|^[JA]*[NV][.nv]{0,3}E|^[JA]*Ip[^,Td]{1,4}E",
    ),
    "must": (1, r"^[JOu,]*[^TdQIYWDAM,][^dQIYWDAM,]{0,8}D|YJ?D"),  # "reviews must …", "you have to …"
    "ensure": (
        1,
        r"^[JA,]*Z(?![TdWt])(?!.*[,J][JA]*[uv])",
    ),  # "make sure that …", not "… then fix it"
    "we-not": (2, r"[WI][^,QTd]{0,2}(?:N[UvBp]|G|NDU)|Ip[.n]{1,3}tN[UvB]"),  # "we don't use"
    "forbid": (3, r"(?:^|[,J])[AJF]*(?:N\.?[Uv]|V\.?u)(?![Td])|[Uv]NA?$|^[JA]*[Uv]N[.n]"),  # "don't commit"
    "rather": (2, r"^[^X]+C(?!\.?d|$)|^[JA]*C[^,X]{1,6},?[JA]*U"),  # "instead of", "only"
    "not-that": (2, r"n[^,]{0,3}N[^,]{0,2}n|,J?[NV][.n]{1,4}$"),  # "X, not Y"
    "decide": (2, r"(?<!N)W[^,N]{0,2}F|^[JOA,]*(?:IF|FF)"),  # "we decided", "let's go with"
    "correct": (1, r"^[JA]*(?:N,|O)(?![Td][^n]*$)"),  # "no, …", "actually …"
    "use": (2, r"^(?:N,|[JAFOn,N])*(?:Kt)?U(?![Td])"),  # "use …", "keep …" in an answer
    "ours": (2, r"^[JA,]*Um[.n]{2}"),  # "keep our notes in …"
    "we-should": (1, r"WD(?![uv])|WD[uv][^,]*[RLE]|WDvW[^,]*n"),  # "we should call ours X", not "… rename it"
    "we-use": (2, r"W[EGCLJ]?[.]?U(?![Td]|$)|W[.n]{1,4}U\.?$|^[JAO,]*[.n]{1,4}(?:[Uv]W(?!$)|Un)"),
    "we-do": (1, r"W[EGCLJ]?[.]?v(?![Td])"),
    "none": (1, r"^[JA]*N[.n]"),  # "no emojis in …"
    "forbid-once": (1, r"(?:^|[,J])[AJF]*N\.?u(?![Td])[^X]*$"),  # "don't open a PR before …"
    "yours": (1, r"^[JA]*[UvN][^,]{0,2}Y"),  # "keep your answers short"
    "forbid-it": (1, r"(?:^|[,J])[AJF]*[NV]\.?[Uvu][Td]"),
    "is": (0, r"^[JO,]*(?![Uvu](?![.n]{1,2}B))[^TdQIYWDAXwZ,]{1,7}B(?!\.$|X)"),  # "the squash keeps trailers"
    "means": (3, r"^[.n]{1,3}=[^=]*B"),  # "checkpoint == things that are …"
    "aims": (2, r"^[JO,]*[^TdQIYWDAX,]{1,6}Bt[NLV]"),  # "the goal is to never …"
    "at": (2, r"^[JO,]*WB[^,TdX]{1,5},#"),  # "we have an endpoint (http://…)"
    "do-not-want": (3, r",Np[^,Td]{2}"),  # "…, don't want my logs to be public"
    "value": (
        2,
        r"^(?!.*r)[JO,]*(?![Uvu](?![.n]{1,2}B))[^TdQIYWDAXMwZ,]{1,7}B[^,TdX]{0,4}n|[.n]nB$|n\.BB$",
    ),  # "… listens on port 5433"
}
# What adds to them, or speaks against them.
_MORE = {
    "lasting": (1, r"[LV]"),
    "strict": (1, r"o"),  # "must", not only "should"
    "adds": (-1, r"D[^,]?J"),  # "it should also …"
    "merely": (-1, r"(?:BC|[^W]CB)[^,]*$|^[JO,]*[.n]{1,4}C\.[^U]*$"),  # "it only contains …"
    "we-need": (-2, r"W[^,]{0,2}g"),  # "we need to …"
    "asks": (-1, r"[^JAO,n]A[^,]*[uv.]|,A"),  # "…, can you …"
    "reports-wish": (-2, r"^[^SwD]*,[JO]*TD"),  # "it returns all, it should only return …"
    "cut-off": (-2, r"^[.n]{1,2},"),
    "spoken": (-1, r"^.{30}"),
    "must-not": (1, r"D[^,]{0,2}N"),
    "we-have": (1, r"W[EGCLJ.]{0,2}B.*[n#]"),
    "for-us": (1, r"[.n]W$"),  # "… in this repository"
    "reason": (1, r"R"),
    "named": (1, r"n(?!B.)"),
    # "it always crashes when …", "you always forget …", "no errors any more"
    "happens": (-4, r"[LV][^,DNUvu]{0,3}X|^[JO,]*Y[LV]|^[JO,]*NX|X[^,]{0,2}[LV]"),
    "supposes": (-5, r"H"),  # "maybe", "could"
    "thinks": (-3, r"h"),  # "I think"
    "if": (-5, r"^[JAOM,.]{0,3}S(?![^,]*,[JA]*[LV])"),
    "points": (-2, r"^(?:N,)?[JMAO,]{0,4}[Td]"),  # "this …", "it …"
    "acts-on-it": (-1, r"^(?:[JO]*,)?[^,]*[UvuZ][Td]|^[^,]*[Td]$|^[JAFO,]*[Uvu][^,]*[Td]"),  # "fix this"
    "now": (-3, r"M"),
    "in-case": (-1, r"[^,JAOM]S[YWIT]"),  # "… if you need"
    "when": (-2, r"^[JO,]*w[^Y]"),
    "reports": (-2, r"^[JO,]*(?:IX|[WTd][^,]{0,3}X)"),  # "I've …"
    "this-one": (-2, r"d[.n](?!B)"),  # "in this file"
    "told": (-6, r"^[^,]*r[^,]*[LVDN]|^[JA]*r"),  # "the docs say that you must …"
    "choice": (-3, r"P[^,]{0,2}[Td]"),  # "I prefer this one"
    "me": (-1, r"^[JO,.]{0,2}I(?![PUvN]|p.*C|p.*tN)"),
    "task": (-3, r"^(?:N,)?(?:[JAFO,]*|[JA]*C)[vu](?![.n]{0,2}[DB]|[I.]?L|V[^X]|N[.n])"),  # "add a test"
    "let-us": (-2, r"^[JO,A]*F(?:[uvTd.]|N[uvTd])"),
    # "the ticket is …", "keep issue …", "don't open a PR", "use the … skill"
    "at-hand": (-2, r"^[^,Bm]*x[Do]?B|^[JAFO,]*(?:[Uvu]|N[vu]\.)x|^[JAFO,]*U[^,]*s"),
    "sets-up": (-2, r"WDB[^,]*t[vu]"),  # "we should have a ticket to …"
    "ours-on-it": (-3, r"WD[.uv]T\."),  # "we should add that to …"
    "orders": (-3, r"[BDvX][^,]*,[JA]*[uv](?![.n]{0,2}[DBLV]|[I.]?L|V)(?=[^,]*$)"),  # "…, add a helper for …"
    "only-tell": (-3, r",J[uv]I"),  # "…, just let me know"
    "happened": (-2, r",T[JO]?X"),  # "…; there was a change"
    "short": (-1, r"^(?!WU).{0,4}$|^[JAKt,]*U.{0,3},*$"),  # "please use the old one"
}
# A question, a header or a purpose teaches nothing.
_NOTHING = re.compile(
    r"\?|^[J,AOM]*[QB]|^[^,]{0,3}Q|^[J,]*D[^NUvu]|^[J,]*(?:k|t(?![^,TdIX]{1,5},[LV]))|^.{0,2}$"
)
# A clause that only softens or conditions what comes before it.
_MAY = re.compile(r"^([JA,]*C[.n]{1,3})[Hk]")  # "only admins may …"
_TAIL = re.compile(r"(?<!^)(?<!K),J*(?:[Hh]|S(?![^,TdIMYWX]*B[^,TdIMYWX]*,v[.n])).*$|(?<=.{5})J[Hh].*$")
# What only doubts at its end: "…, maybe note that somewhere".
_DOUBTED = re.compile(r"(?<=.{3}),J*H|(?<=.{5})JH")
# What leads to a statement and is no part of it: "also, …", "wait a second, so the problem was …".
_LEAD = re.compile(r"(?:[^,inBDLVXU]{1,6},J*(?=i))?(?:[JAOf,]|[Nl],|lA|K(?:[JA]|\.(?=c))?[ct,]*T?[ct,]*)*")
# A later clause in which the people of the project speak for themselves, behind one without a condition.
_CLAUSE = re.compile(
    r"[^SHhwQK]+,[JR]*(?=W)|[^SHwQKW]{4,}(?=W[GV][UvB][.n])|[^SHwQK]+,[JA]*(?=U[^,]*[LV]|[LV][Uvu][^Td])"
)
_NATURE = re.compile(r"^[JO,]*[.nv]{0,3}nB[.n](?=[.n]{0,5}$)")
_IN = re.compile(r"(?i)\ben\s+$")  # "and" in Dutch, but "in" where it begins Spanish and French
_BACK = re.compile(r"^[JA,]*K[TJAd]*$")
_FOR_LATER = re.compile(r"(?i),? (?:for|in) (?:the )?(?:next time|future|later)[.!]*$")
_ASKS_LAST = re.compile(r"(?:,[JA]*|c)K[TJ]*(?:w[^,]*)?$")  # "…, please remember that"
# Asked in passing or as a question, or before a colon: "can you remember that …?", "fix it and remember …"
_ASKS_TOO = re.compile(
    r"^(?:A|[^HKQ?X]*(?:J|,|Zt))[JA]*K[JA]?,?[Tc](?=[^QX?])|^[JAMO,]*K[^,QHtvuU]{0,4},(?=..)"
)
_LASTING = re.compile(r"[lLVEU]")  # "from now on", "always", "each", or what one does by habit: "keep", "use"
_SECRET = re.compile(r"(?:\S+\s+){0,4}\[(?:secret:[a-z0-9-]+|private)\]")  # and what it is the value of
_ANSWERS = re.compile(r"O|N,")  # who begins with a no has heard something
# A polite question for something that lasts: "could you please stop adding …?"
_FOR_GOOD = re.compile(r"[JO,]*A[^?SQ]*(?:[lLV]|N[vU])[^?SQ]*\?$")
_SMILE = re.compile(r"\s+[:;]-?[)(D|]+$")
_BETWEEN = " \t,;:.!?、，：；。（("
_LOOSE = str.maketrans("ogxs", "DD..")
_EXACT = ("strict", "we-need", "at-hand")  # these see what `weigh` takes together
_NAMING = ".n#UvuXBPW"
_TABLES = [
    {name: (points, re.compile(found)) for name, (points, found) in each.items()} for each in (_WAYS, _MORE)
]


class Judged(Value):
    """A sentence as judged: the statement in it, its points, and the ways in which it speaks."""

    points: int
    statement: str
    ways: list[str]


def judge(text: str, masked: str, *, rule: bool, answering: bool, refused: bool) -> Judged | None:
    """Judge a sentence; None if it teaches nothing. `masked` is the same text with quotations blanked out.

    `rule`: it is in a list of rules. `answering`: something was said before it. `refused`: by it a person
    refused what the agent was about to do.
    """
    bare = pattern("tag").sub("", masked)
    text, read = _read(text, bare)
    doubted = _DOUBTED.search(read.letters)
    end = read.places[doubted.start()] if doubted else len(bare)
    if doubted and pattern("example").match(bare, read.places[doubted.end() - 1]):
        end = len(bare)
    statement = _statement(text[:end], read)
    if pattern("jokes").search(masked) or is_vague(statement) or is_secret(statement):
        return None
    if rule:
        return Judged(points=CERTAIN, statement=statement, ways=["keep"])
    if whole := _asked(text, bare, read):
        return Judged(points=_WAYS["keep"][0], statement=whole, ways=["keep"])
    if asked := _ASKS_TOO.match(read.letters):
        start = read.places[asked.end()]
        if asked[0][-1] != "," or text[:start].rstrip().endswith((":", "：")):
            whole = sentence(text[start : len(bare)].rstrip(" ?？"))
            return (
                None if is_vague(whole) else Judged(points=_WAYS["keep"][0], statement=whole, ways=["keep"])
            )
    nothing = _says_nothing(read.letters, bare)
    if nothing or ("n" in read.letters and _has_mended(bare, refused=refused)):
        return None if nothing else Judged(points=CERTAIN, statement=sentence(text), ways=["mended"])
    letters = _MAY.sub(r"\1D", _TAIL.sub("", read.letters))
    passes = pattern("moment").search(bare)
    if passes:
        letters += "M"
    judged = weigh(letters, statement, answering=answering, refused=refused)
    judged = _lasting(f"{read.fine}M" if passes else read.fine, statement, judged)
    if (judged is None or judged.points < CERTAIN) and (own := _CLAUSE.match(letters)):
        said = sentence(text[read.places[own.end()] : len(bare)])  # "fix that one, we never …"
        clause = weigh(letters[own.end() :], said, answering=answering, refused=refused)
        return clause if clause and (judged is None or clause.points > judged.points) else judged
    return judged


def _asked(text: str, bare: str, read: Marks) -> str:
    """Return what a sentence says before it asks to remember that, or asks to leave out; empty if neither."""
    if last := _ASKS_LAST.search(read.letters):
        return sentence(text[: read.places[last.start()]])
    before, behind = pattern("leaves-out").match(bare), pattern("asks-last").search(bare)
    said = sentence(text[before.end() :]) if before else sentence(text[: behind.start()]) if behind else ""
    return "" if not said or is_vague(said) else said


def _has_mended(bare: str, *, refused: bool) -> bool:
    """Whether somebody says that something helped, or refuses a call because something else does."""
    return bool(pattern("mended").search(bare) or (refused and pattern("mends").search(bare)))


def _read(text: str, bare: str) -> tuple[str, Marks]:
    """Return a sentence and its marks; a polite question for something that lasts is none."""
    read = marks.read(bare)
    if not _FOR_GOOD.match(read.letters):
        return text, read
    return text.rstrip(" ?？"), read.but(
        fine=read.fine[:-1], letters=read.letters[:-1], places=read.places[:-1]
    )


def _lasting(letters: str, statement: str, judged: Judged | None) -> Judged | None:
    """Return how a sentence is judged by its small words, if they say more."""
    found = lasting.judge(letters)
    if found is None:
        return judged
    points, ways = (judged.points, judged.ways) if judged else (0, [])
    if found.certain:
        return Judged(
            points=max(points, CERTAIN), statement=statement, ways=list(dict.fromkeys([*ways, *found.ways]))
        )
    return judged if points else Judged(points=POSSIBLE, statement=statement, ways=found.ways)


def _says_nothing(letters: str, bare: str) -> bool:
    """Whether nobody means a sentence to be kept, however it is said."""
    if doubt.chats(bare) or ("l" not in letters and (doubt.supposes(bare) or doubt.is_passing(bare))):
        return True
    return bool(len(letters) > _MOST_MARKS or _NOTHING.search(letters)) or bare.rstrip().endswith((":", "："))


def weigh(letters: str, statement: str, *, answering: bool, refused: bool) -> Judged | None:
    """Judge a statement by its marks."""
    loose = letters.translate(_LOOSE)
    ways = [name for name, (_, found) in _TABLES[0].items() if found.search(loose)]
    more = [
        name for name, (_, found) in _TABLES[1].items() if found.search(letters if name in _EXACT else loose)
    ]
    if "short" in more and marks.DENSE.search(statement) and len(statement) > _SHORT:
        more.remove("short")  # one mark may be several words there
    ways = [name for name in ways if answering or name not in ("use", "correct")]
    if ways and not answering and _ANSWERS.match(letters):
        ways.append("correct")
    if not ways:
        return None
    if ways == ["use"] and "short" in more:
        more = ["short"]  # "use X", for what?
    if "keep" in ways:
        more = []
    elif "henceforth" in ways:
        more = [name for name in more if name == "supposes"]
    points = sum(_WAYS[name][0] for name in ways) + sum(_MORE[name][0] for name in more) + refused
    return Judged(points=points, statement=statement, ways=ways)


def fact(judged: Judged) -> Fact:
    """Return the statement of a sentence as a fact in its place."""
    category, scope = place_of_rule(judged.statement)
    if {"cause", "mended"} & set(judged.ways):
        category, scope = "incidents", "project"
    elif "prefer" in judged.ways or "mine" in judged.ways:
        category, scope = settled_place("preferences", "user", judged.statement)
    elif "my" in judged.ways:
        category, scope = settled_place(category, "user", judged.statement)
    elif category == "principles" and {"decide", "decided", "gone"} & set(judged.ways):
        category = "decisions"
    return Fact(
        judged.statement, category, scope, certain=judged.points >= CERTAIN, asked="keep" in judged.ways
    )


def _statement(text: str, read: Marks) -> str:
    """Return what a sentence states, without what leads to it."""
    end = _LEAD.match(read.letters).end()  # type: ignore[union-attr]
    start = read.places[end] if end < len(read.places) else 0
    if led := _IN.search(text, 0, start):
        start = led.start()
    while start and not (
        text[start - 1].isalnum() or text[start - 1] in _BETWEEN or combining(text[start - 1])
    ):
        start -= 1  # a bracket or sign belongs to what it opens
    said = text[start:].rstrip()
    if "(" in text[:start] and said.count(")") > said.count("("):
        said = said.rstrip(".!").removesuffix(")")  # the whole sentence is in brackets
    return sentence(said)


def tells(masked: str) -> bool:
    """Whether a sentence says what something does by its nature, and names it: "Stripe keeps the tags"."""
    read = marks.read(masked)
    found = _NATURE.match(read.letters)
    if not found:
        return False
    start, *ends = read.places[found.end() - 2 :]
    return masked[start : ends[0]].strip(_BETWEEN).casefold() not in words("copula")


def points_back(masked: str) -> bool:
    """Whether a sentence only asks to remember the one before it."""
    bare = _FOR_LATER.sub("", masked.strip())
    return not bare.endswith(":") and bool(_BACK.search(marks.read(bare).letters))


def is_vague(statement: str) -> bool:
    """Whether a statement is unclear on its own: too few words name something."""
    read = marks.read(statement)
    ends = [*read.places, len(statement)][1:]
    naming = 0
    for letter, start, end in zip(read.letters, read.places, ends, strict=False):
        word = statement[start:end].strip(" .!,。、").casefold()
        named = letter in _NAMING or (letter == "x" and "E" in read.letters)  # "every PR …"
        if named and word not in STOP:
            naming += 2 if len(word) > 1 and word[0] >= "\u2e80" else 1
    return naming < _LEAST_WORDS


def is_errand(said: str) -> bool:
    """Whether a sentence is for the work at hand alone: an answer, a heading, a passing request."""
    if said.rstrip().endswith((":", "：")):
        return True
    lasts = _LASTING.search(marks.read(said).letters)
    return is_vague(said) or bool(pattern("errand").match(said) and not lasts)


def is_secret(statement: str) -> bool:
    """Whether a statement says nothing but a secret, which is masked: "my token is [secret:token]"."""
    rest = _SECRET.sub("", statement)
    return rest != statement and is_vague(rest)


def sentence(text: str) -> str:
    """Return a text as a sentence, with an initial capital and a full stop."""
    bare = _SMILE.sub("", text).strip(" \t,;:-–—")
    first = bare.split(maxsplit=1)[0] if bare else ""
    # Only a word that is known to be none gets a capital: a name such as `pnpm` keeps its spelling.
    plain = first.replace("'", "").isalpha() and first.islower() and not marks.DENSE.search(first)
    if plain and (first in STOP or marks.read(first).letters not in ("", ".", "n", "#")):
        bare = bare[0].upper() + bare[1:]
    return bare if bare.endswith((".", "!", "?", "…", "。", "！", "？")) else f"{bare}."
