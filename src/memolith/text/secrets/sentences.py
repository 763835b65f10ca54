"""Passwords and keys in sentences: "password: …", `jelszó „…”`, "the password for staging is …".

A name and what links it to a value say how much the value has to say for itself. Behind a colon nearly
anything is one that is no description, no placeholder and no name of something; behind nothing but a space
it has to look like one, and the more words stand between, the more. Quoted words are taken whole, and so is a
phrase up to the end of its sentence.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.phrases import words_after
from memolith.text.secrets.tokens import has_token_prefix
from memolith.text.secrets.values import (
    TABLE,
    bare,
    first_word,
    is_chosen,
    is_digest,
    is_joined,
    is_mixed,
    is_name,
    is_password,
    is_phrase,
    is_random,
    is_sentence,
    is_stand_in,
    is_strange,
    named_parts,
    number_end,
    wordiness,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    Place = tuple[int, int]

NOW, GLUED_IS, TO, SETS, AS = ("|".join(TABLE[name]) for name in ("now", "is-glued", "to", "sets", "as"))
# Behind an English name only what is no word of English; behind another one, all of them.
CLEAR_IS = "|".join(TABLE["is"])
ANY_IS = "|".join(TABLE["is"] + TABLE["is-too"])
_OF = frozenset(TABLE["of"])
OTHER_CODES = tuple(TABLE["other-codes"])

_CLOSE = r"[\"'`*)\]»”“』」】]{0,4}"
_WORDS = (
    r"(?:(?:[ \t]{1,2}|['’])[^\s\d:：=＝|\"'`„“”«»「『()\[\]<>/\\,;.!?]{1,24}){0,%d}?(?: ?\([^()\n]{1,40}\))?"
)
_UNSPACED = r"[\u0e00-\u0e7f\u3040-\ud7ff]{0,12}?"
_SIGN = (
    r"[ \t]{0,8}(?P<sign>:=|=>|->|=|[:：＝→⇒|]|[–—-](?= )|\?(?= [^\s(（]))[ \t*]{0,8}"
    r"(?:[NEUbrfu@]{1,2}(?=['\"]))?"
)
LINE = (
    r"[ \t]{0,4}[:：=]?[ \t*_]{0,4}\r?\n(?:<!--[^\n]{0,80}-->\r?\n)?(?:\s{0,4}```\w{0,12}\r?\n)?"
    r"[ \t>*-]{0,12}(?:\f?\r?\n[ \t>*-]{0,12})?(?P<line>)"
)


def _link(words: str) -> str:
    return (
        rf"{_UNSPACED}{_CLOSE}(?P<between>{_WORDS % 6})[\"'`*]{{0,3}}"
        rf"(?:(?:[ \t]{{1,2}}(?i:{words}))?{LINE}|{_SIGN}|"
        rf",?[ \t]{{1,2}}(?P<how>(?i:{words}|{NOW}))[ :]{{1,2}}|(?P<short>['’]s )|"
        rf" ?(?P<glued>{GLUED_IS})[ :：]{{0,2}})(?:(?i:{NOW}) ){{0,2}}"
    )


_AFTER = {words: lazy(_link(words)) for words in (CLEAR_IS, ANY_IS)}
_NEXT = lazy(rf"{_CLOSE}(?:[ \t]{{1,3}}(?:(?i:{NOW}) ){{0,2}}(?=\S)|(?<=[\u0e00-\uffff])(?=[!-~„“«「『（]))")
# Digits with "is" right behind them, as Korean and Japanese have it.
_COPULA = lazy(
    r"(?P<value>\d{4,12}[#*]?)(?:입니다|이에요|예요|이야|이다|임(?![가-힣])|이고|이며|이니|이라|です|でした|だよ|である)"
)
_CHANGED = lazy(r"[\"'`]? (?:to|->|→|=>) [\"'`]?([^\s\"'`<>|]{5,100})")
CLAUSE_END = lazy(r"[\"'`]?(?:[.,;!?)](?:\s|$)|[ \t]*(?:\n|$)|[。，이입예]|です|で|だ)")
_STOPS = frozenset(".,;:!?()=|\n")
_WORDS_BETWEEN = 3
_QUOTED = 120  # characters at most
_QUOTES = {"„": "“”", **dict(zip("\"'`“”«»‹‚‘「『《【(（", "\"'`””»«›‘’」』》】)）", strict=True))}
_TOKEN = lazy(r"[^\s\"'`<>|„“”«»「」『』《》（）\u3000-\u3002\uff0c\uff1b]{4,100}")
_CAPITALS = lazy(r"(?:[A-Z][a-z]{2,12}){2,4}|(?:[A-Z][a-z]{2,12}\.){1,4}[A-Z][a-z]{2,12}")


def value(text: str, end: int, limit: int, kind: str, *, foreign: bool, phrase: bool) -> Place | None:
    """Return where the value is that follows the name of a password which ends at `end`."""
    last = min(limit, end + 240)
    link = _AFTER[ANY_IS if foreign else CLEAR_IS].match(text, end, last)
    if link and (found := _linked(text, link, kind, phrase=phrase, foreign=foreign)):
        return found
    return _near(text, end, last, kind, foreign=foreign, phrase=phrase)


def _linked(text: str, link: re.Match[str], kind: str, *, phrase: bool, foreign: bool) -> Place | None:
    """Judge what a sign, a verb or a line of its own links to a name."""
    start, sign = link.end(), link["sign"] or ""
    if sign and text.startswith(("//", "{", "[", "$", "<"), start):
        return None
    if inner := _quoted(text, start):
        return inner if _is_quoted(text[slice(*inner)], kind, phrase=phrase) else None
    found = _TOKEN.match(text, start)
    if kind == "assigned":
        word = first_word(found[0]) if found else ""
        return (start, start + len(word)) if is_strange(word) else None
    if link["line"] is None:
        # "la phrase secrète, on va …": behind a comma the sentence goes on.
        is_comma = link["how"] is not None and "," in text[link.end("between") : link.start("how")]
        if not is_comma and (words := words_after(text, start, sign, phrase=phrase, foreign=foreign)):
            return words
    elif found:
        rest = text[found.end() : found.end() + 40].partition("\n")[0].strip()
        if rest or text.startswith(("# ", "##"), start) or len(link["between"].split()) > 2:
            return None
    sure = not (sign == "|" and link["between"]) and (  # what stands beside a sentence is no value
        kind == "password" or (sign and not any(other in link["between"].lower() for other in OTHER_CODES))
    )
    # The name of a field is short; the words of a sentence may go on to count something.
    is_short = len(text[max(0, link.start() - 64) : link.start()].rpartition("\n")[2].split()) <= 4
    if sure and is_short and (stop := number_end(text, start)):
        return start, stop
    word = first_word(found[0]) if found else ""
    if not sign and is_sentence(word):
        return None
    return (start, start + len(word)) if word and _is_linked(word, link, sign) else None


def _is_linked(word: str, link: re.Match[str], sign: str) -> bool:
    if sign in {":", "：", "->", "→"} and _CAPITALS.fullmatch(word):
        return not named_parts(word)
    if not is_chosen(word, code=sign == "=" and link.end() - link.start("sign") < 2):
        return False
    if sign in {"|", "?"}:
        return any(map(str.isdigit, word))
    # "the credentials are sandbox-scoped" says something of them.
    return bool(sign) or not word.replace("-", "").isalpha() or is_joined(word)


def _near(text: str, end: int, last: int, kind: str, *, foreign: bool, phrase: bool) -> Place | None:
    """Judge what only stands next to a name, or a few words behind it."""
    before = ""
    for step in _NEXT.finditer(text, end, last):
        start = step.end()
        if before.count(" ") > 2 * _WORDS_BETWEEN or not _STOPS.isdisjoint(text[end : step.start()]):
            return None
        if inner := _quoted(text, start):
            word = text[slice(*inner)]
            if kind == "assigned" or (" " in word and text[start] in "(（"):
                return None
            cased = any(map(str.isupper, word[1:])) and word.isalpha() and not named_parts(word)
            sure = phrase or foreign or cased or text[end - 4 : end].isupper() or any(map(str.isdigit, word))
            sure = sure and (cased or _is_quoted(word, kind, phrase=phrase))
            likely = sure or (is_password(word) and " " not in word)
            return inner if likely and (not before or (foreign and any(map(str.isdigit, word)))) else None
        if not before and kind == "password" and foreign and (number := _COPULA.match(text, start)):
            return number.span("value")
        found = _TOKEN.match(text, start)
        word = first_word(found[0]) if found else ""
        if kind == "password" and is_joined(word) and CLAUSE_END.match(text, start + len(word)):
            return start, start + len(word)
        if kind != "password" or not foreign:
            return None
        far = before.count(" ") > _WORDS_BETWEEN
        if (
            any(map(str.isdigit, word))
            and before.rpartition(" ")[2] not in _OF
            and is_chosen(word)
            and ("_" in word if far else is_password(word) or "_" in word or "-" in word)
            and (text[end - 1] < "\u0e00" or word[0].isascii())
        ):
            return start, start + len(word)
        before += " " + text[start : start + 24].split(" ", maxsplit=1)[0].lower()
    return None


def value_after_change(text: str, end: int) -> Place | None:
    """Return where the new value is that follows an old one: "from … to …"."""
    link = _CHANGED.match(text, end)
    word = first_word(link[1]) if link else ""
    return (link.start(1), link.start(1) + len(word)) if link and word and is_chosen(word) else None


def _quoted(text: str, start: int) -> Place | None:
    closing = _QUOTES.get(text[start : start + 1])
    if not closing:
        return None
    ends = [at for close in closing if (at := text.find(close, start + 1, start + _QUOTED)) > 0]
    if not ends or "\n" in text[start : min(ends)]:
        return None
    inner = text[start + 1 : min(ends)]
    if closing == "`" and inner.count(" ") == 1 and not any(map(str.isdigit, inner)):
        return None  # a command
    low = start + 1 + len(inner) - len(inner.lstrip())
    return (low, low + len(inner.strip())) if inner.strip() else None


def _is_quoted(inner: str, kind: str, *, phrase: bool) -> bool:
    words = inner.split()
    if len(words) > 1:
        return is_phrase(words) and (phrase or any(map(str.isdigit, inner)))
    return is_chosen(inner) and not (kind != "password" and inner.isalpha())


_VALUE = (
    r"(?P<open>['\"`*(„“”‚‘«»‹「『《]{0,3})"
    r"(?P<value>[^\s'\"`,;<>|„“”«»「」『』《》（）\u3000-\u3002\uff0c\uff1b]{4,100}+)"
)


def _is(words: str, to: str, signs: str, spaces: int) -> str:
    return (
        rf"(?i)(?:(?:(?<![\w\u00c0-\u1fff])(?P<how>{words})(?=[ :])|"
        rf"(?<!\w)(?P<loose>{to}as|be|with|append|prepend)(?=[ :])|"
        rf"=>|->|→|=|:\*{{0,3}}{signs})(?:[ :=]{{{spaces},3}}|\n[ \t]{{1,8}})|[：＝]\s{{0,3}}|"
        rf"(?P<glued>{GLUED_IS})[ :：]{{0,2}})"
        rf"(?:(?:{NOW}) ){{0,2}}{_VALUE}"
    )


_IS = lazy(_is(CLEAR_IS, "to|", "", 1))
_IS_ANY = lazy(_is(ANY_IS, f"{TO}|", r"|—|–|-(?= )|\|(?= )", 0))
_BEFORE = lazy(
    r"(?<![^\s('\"`])([^\s'\"`(),;<>|]{6,100}+)['\"`)]{0,2} "
    r"(?:is|was|(?P<as>as)) (?P<the>(?:the|our|my|its|his|her|their|your|a) )?(?:[\w-]{1,14} ){0,2}$"
)
_BEFORE_ANY = lazy(
    r"(?i)(?<![^\s(:'\"`„“”«»「『\u0e00-\ud7ff\uff0c])"
    r"([^\s'\"`(),;<>|„“”«»「」『』\u0e00-\u0e7f\u2e80-\ud7ff]{6,100}+)['\"`)“”»«」』]{0,2}"
    rf"(?:(?P<link> (?:{ANY_IS}|{AS}|—|–|-|->|=) (?:[^\s\d]{{1,14}} ){{0,3}}|"
    rf" \((?:[^\s\d()]{{1,14}} ){{0,2}}| ?(?:{GLUED_IS}))[^\s\d]{{0,16}}|"
    rf" (?:[^\s\d]{{1,10}} )?[^\s\d]{{0,16}})$"
)
_CLAUSE_STOPS = lazy(r"(?![^\s.,;:!)])(?! (?!for|of|in|on|to|and|at|now|there|until|till)[a-z])")
_NAME_END = lazy(r"[^\s\d:=|：＝-]{0,4}(?![\w:=|：＝-]| ?[:=|：＝])")
_CODE = lazy(r"\w\(|::|\\|=\w")
_PARTS = lazy(r"[A-Z]?[a-z]{2,}")
_SETTING = lazy(rf"(?<!\S)(?:re)?(?:{SETS})\S{{0,8}} [^\n.;]{{0,64}}$")
_SENTENCE = lazy(r"[.!?](?=\s)|[。！？\n]")
_WORD = lazy(r"[^\s'\"`,;<>|()\[\]„“”«»\u0e00-\u0eff\u2e80-\ud7ff\uf900-\uffef]{6,64}+")
# How many words may stand between a name and a value that nothing links; the last one is no "of".
_BETWEEN, _FAR = 2, 8


def value_in_sentence(
    text: str, at: int, kind: str, limit: int, *, foreign: bool, about: bool
) -> Place | None:
    """Judge a value in a sentence: "the password for staging is …".

    `about`: the name goes on, so the sentence may only describe the secret.
    """
    last = min(limit, at + 100)
    stop = _SENTENCE.search(text, at, last)
    last = stop.start() if stop else last
    for match in (_IS_ANY if foreign else _IS).finditer(text, at, last + 120):
        if match.start() > last:
            break
        start = match.start("value")
        word = bare(match["value"])
        if match["glued"] and is_sentence(word):
            continue
        if word.endswith(("!", "?")) and not any(map(str.isdigit, word)):
            word = word.rstrip("!?")
        sets = match["loose"] and _SETTING.search(text[max(0, at - 48) : match.start()].lower())
        inner = _quoted(text, match.start("open")) if sets and kind == "password" else None
        words = text[slice(*inner)].split() if inner else []
        if len(words) > 1 and is_phrase(words):
            return inner
        quoted = bool((match["how"] or match["glued"]) and match["open"].strip("*("))
        is_set = (
            match["loose"]
            and kind in {"password", "loose"}
            and not about
            and ((_is_likely(word) and not foreign) or (_is_new(word) and sets))
        )
        if is_set or _is_stated(word, "secret" if match["loose"] else kind, quoted=quoted):
            return start, start + len(word)
        if kind == "password" and (match["how"] or match["glued"]) and (end := number_end(text, start)):
            return start, end
    return _unlinked(text, at, last, foreign=foreign) if kind in {"password", "loose"} else None


def _is_new(word: str) -> bool:
    """Whether a word is a new password, not a machine or a day: "auf Server2"."""
    marked = any(map(str.isupper, word[1:])) or "_" in word or len(word) > _FAR
    return is_joined(word) or (is_chosen(word) and any(map(str.isdigit, word)) and marked)


def _unlinked(text: str, at: int, last: int, *, foreign: bool) -> Place | None:
    """Judge what no word links to its name: "пароль от базы …"; nobody would write it as a word."""
    for match in _WORD.finditer(text, at, last):
        word = bare(match[0])
        before = text[at : match.start()].split()
        free = foreign and not (before and before[-1].lower() in _OF)
        # Further off, it has to have a capital as well: most names of machines have none.
        near = len(before) <= _BETWEEN or (len(before) <= _FAR and any(map(str.isupper, word)))
        if is_strange(word) or (free and near and _is_likely(word)):
            return match.start(), match.start() + len(word)
    return None


def _is_likely(word: str) -> bool:
    """Tell a password from a name with a number in it."""
    if is_strange(word):
        return True
    digits = sum(map(str.isdigit, word))
    if not digits or is_digest(word) or not is_password(word) or _CODE.search(word):
        return False
    if digits >= 2 and ("_" in word or len(_PARTS.findall(word)) >= 2) and any(map(str.isupper, word)):
        return True
    return digits >= 3 or (len(word) >= 10 and (is_mixed(word) or wordiness(word) < 0.35))


def value_before_name(text: str, at: int, end: int, kind: str, *, foreign: bool) -> Place | None:
    """Judge a value before its name: "use … as the client secret"."""
    start = max(0, at - 160)
    head = text[start:at]
    if kind in {"weak", "assigned"}:
        return None
    if foreign or "(" in head[-24:] or "->" in head[-24:] or "→" in head[-24:]:
        match = _BEFORE_ANY.search(head)
        if not match or not _NAME_END.match(text, end):
            return None
        linked = match["link"] is not None
    else:
        match = _BEFORE.search(head) if "s " in head[-36:] else None
        if not match:
            return None
        clear = match["the"] or (match["as"] and any(map(str.isdigit, match[1])))
        if not (clear and _CLAUSE_STOPS.match(text, end)) and not is_strange(match[1]):
            return None
        linked = True
    word = match[1].rstrip(",.:")
    if kind not in {"password", "loose"}:
        is_value = linked and is_random(word)
    elif "the" in match.re.groupindex:
        is_value = (
            (is_password(word) or "_" in word or word.count("-") > 1)
            and is_chosen(word)
            and not _CODE.search(word)
        )
    else:
        chosen = is_chosen(word) and (any(map(str.isdigit, word)) or word.count("-") > 1 or "_" in word)
        is_value = chosen if linked else is_strange(word)
    return (start + match.start(1), start + match.start(1) + len(word)) if is_value else None


def _is_stated(word: str, kind: str, *, quoted: bool) -> bool:
    if kind not in {"password", "loose"}:
        return is_random(word, 12) or has_token_prefix(word, 8)
    return (is_password(word) and not _CODE.search(word)) or (
        quoted and kind == "password" and len(word) >= 4 and not is_stand_in(word) and not is_name(word)
    )
