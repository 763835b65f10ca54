"""Secrets that a sentence tells: "the password for staging is …", "use … as the client secret".

Between the name and the value there may be words, so the value itself has to look more like a secret.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.explicit import is_chosen, is_joined, number_end, quoted_phrase
from memolith.text.secrets.shapes import has_token_prefix
from memolith.text.secrets.values import (
    bare,
    is_digest,
    is_mixed,
    is_name,
    is_password,
    is_random,
    is_stand_in,
    is_strange,
    wordiness,
)
from memolith.text.secrets.words import ANY_IS, AS, CLEAR_IS, GLUED_IS, NOW, OF, SETS, TO

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
_CLAUSE_END = lazy(r"(?![^\s.,;:!)])(?! (?!for|of|in|on|to|and|at|now|there|until|till)[a-z])")
_NAME_END = lazy(r"[^\s\d:=|：＝-]{0,4}(?![\w:=|：＝-]| ?[:=|：＝])")
_CODE = lazy(r"\w\(|::|\\|=\w")
_PARTS = lazy(r"[A-Z]?[a-z]{2,}")
_SETS = lazy(rf"(?<!\S)(?:re)?(?:{SETS})\S{{0,8}} [^\n.;]{{0,64}}$")
_SENTENCE = lazy(r"[.!?](?=\s)|[。！？\n]")
_WORD = lazy(r"[^\s'\"`,;<>|()\[\]„“”«»\u0e00-\u0eff\u2e80-\ud7ff\uf900-\uffef]{6,64}+")
# So many words may stand between a name and a value that nothing links; the last one is no "of".
_BETWEEN, _FAR = 2, 8
_GAP_WORD = lazy(r"[A-Za-z0-9][\w+/.~%-]{11,400}+={0,2}")
_POINTS_ON = ":：=＝|→\\-–—("
_OTHER_KEY = lazy(r"[\s\"'-]{0,8}[\w.-]{1,40}[\"']?\s{0,3}[:=]")
_STOP = lazy(
    r"(?i)\b(?:sha-?\d{0,3}|md5|hash(?:es|ed)?|digest|checksum|integrity|commit(?:ted)?|etag|finger-?prints?|"
    r"public|uuid|ulid|ids?|revision|cursor|version|trace|span|request|session|branch|image|model|at|in|under|"
    r"path|vault|see|via|from|ssh-\w{3,8})\b"
)


def is_fingerprint(text: str, at: int, word: str) -> bool:
    """Tell what follows `gpg --recv-keys`: a public key's fingerprint."""
    return text[max(0, at - 8) : at].lower().endswith(("keys", "recv-key")) and is_digest(
        word.removeprefix("0x")
    )


def told(text: str, at: int, kind: str, limit: int, *, foreign: bool, about: bool) -> tuple[int, int] | None:
    """Judge a value that a sentence tells: "the password for staging is …".

    `about`: the name goes on, so it may be something of the secret that is told.
    """
    last = min(limit, at + 100)
    stop = _SENTENCE.search(text, at, last)
    last = stop.start() if stop else last
    for match in (_IS_ANY if foreign else _IS).finditer(text, at, last + 120):
        if match.start() > last:
            break
        start = match.start("value")
        word = bare(match["value"])
        if word.endswith(("!", "?")) and not any(map(str.isdigit, word)):
            word = word.rstrip("!?")
        sets = match["loose"] and _SETS.search(text[max(0, at - 48) : match.start()].lower())
        if sets and kind == "password" and (words := quoted_phrase(text, match.start("open"))):
            return words
        quoted = bool((match["how"] or match["glued"]) and match["open"].strip("*("))
        told_so = (
            match["loose"]
            and kind in {"password", "loose"}
            and not about
            and ((_is_likely(word) and not foreign) or (_is_new(word) and sets))
        )
        if told_so or _is_told(word, "secret" if match["loose"] else kind, quoted=quoted):
            return start, start + len(word)
        if kind == "password" and (match["how"] or match["glued"]) and (end := number_end(text, start)):
            return start, end
    return _unlinked(text, at, last, foreign=foreign) if kind in {"password", "loose"} else None


def _is_new(word: str) -> bool:
    """Tell what somebody sets a password to from a machine or a day: "auf Server2"."""
    marked = any(map(str.isupper, word[1:])) or "_" in word or len(word) > _FAR
    return is_joined(word) or (is_chosen(word) and any(map(str.isdigit, word)) and marked)


def _unlinked(text: str, at: int, last: int, *, foreign: bool) -> tuple[int, int] | None:
    """Judge what no word links to its name: "пароль от базы …"; nobody would write it as a word."""
    for match in _WORD.finditer(text, at, last):
        word = bare(match[0])
        before = text[at : match.start()].split()
        free = foreign and not (before and before[-1].lower() in OF)
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


def told_before(text: str, at: int, end: int, kind: str, *, foreign: bool) -> tuple[int, int] | None:
    """Judge a value that a sentence tells before its name: "use … as the client secret"."""
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
        if not (clear and _CLAUSE_END.match(text, end)) and not is_strange(match[1]):
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


def _is_told(word: str, kind: str, *, quoted: bool) -> bool:
    if kind not in {"password", "loose"}:
        return is_random(word, 12) or has_token_prefix(word, 8)
    return (is_password(word) and not _CODE.search(word)) or (
        quoted and kind == "password" and len(word) >= 4 and not is_stand_in(word) and not is_name(word)
    )


def random_nearby(text: str, at: int, limit: int) -> tuple[int, int] | None:
    """Judge the next long runs on the line, and on the line after it."""
    window = text[at : min(at + 160, limit)]
    line = window.partition("\n")[0].rstrip(" \t\r*_`\"')>")
    if line and line[-1] not in _POINTS_ON:
        window = window.partition("\n")[0]  # what is said there names nothing in the next line
    for match in _GAP_WORD.finditer(window):
        if match.start() > 40 or window.count("\n", 0, match.start()) > 1:
            return None
        if _OTHER_KEY.match(window[: match.start()].rpartition("\n")[2]) and "\n" in window[: match.start()]:
            return None
        value = match[0].rstrip(".-_")
        if is_random(value, 16) and not (
            _STOP.search(window, 0, match.start()) or is_fingerprint(text, at, value)
        ):
            tail = _GAP_WORD.match(text, at + match.start())
            end = tail.end() if tail else at + match.end()
            return at + match.start(), end
    return None
