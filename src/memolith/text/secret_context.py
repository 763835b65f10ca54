"""Secrets known by what stands before them: `password = …`, `--token …`, "the staging password is …".

Each key-ish word is looked up by substring search. Where it is the end of a name that keeps a secret, the
next few words are judged: the closer the link between name and value, the less the value has to look like a
secret by itself.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secret_prose import is_fingerprint, random_nearby, told, told_before
from memolith.text.secret_value import UUID, is_digest, is_mixed, is_name, is_password, is_random, is_stand_in
from memolith.text.secret_words import GLUED, OTHER_KEYS, SAID

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

Span = tuple[str, int, int]

# What is looked for in lower-cased text, and the kind it makes. A `weak` word needs a random value; an
# `assigned` one has a password if something is assigned to it, and is a verb else.
_WORDS: dict[str, str] = {
    "passw": "password",
    "passphrase": "password",
    "passcode": "password",
    "pass": "assigned",
    "pwd": "password",
    "pw": "password",
    "secret": "secret",
    "token": "token",
    "key": "key",
    "cred": "password",
    "bearer": "token",
    "auth": "token",
    "login": "assigned",
    "access": "weak",
    "private": "weak",
    "pat": "weak",
    "signature": "weak",
    "sig": "weak",
    "dsn": "weak",
}
# The rest of the word after what was found; nothing else may follow in the same word.
_REST = lazy(r"(?:(?i:ords?|ds?|phrases?|codes?|entials?|s)|(?i:orization|entication|enticate)|)(?![a-z])")
_GOES_ON = lazy(r"[A-Z]|[0-9]{1,3}[A-Za-z]|[0-9]{4}")
# A name that goes on says what the value is instead: `token_count`, `passwordUrl`, `key id`.
_ABOUT = lazy(
    r"(?i)[ _.-]?(?:url|uri|path|file|name|ids?|count|type|length|len|size|limit|ttl|expir\w{0,6}|field|"
    r"label|header|prefix|policy|policies|vars?|manager|store|refs?|arn|version|index|format|algorithm|alg|usage|"
    r"budget|rate|cost|price|endpoint|provider|placeholder|hint|reset|page|form|input|column|strategy|scheduler|"
    r"finger-?print|signature|pairs?|rotation|management|exchange|holder|point|points|idea|insight|takeaways?|"
    r"difference|features?|benefits?|ingredients?|bindings?|board|words?|frames?|stone|note|hash\w{0,3}|digest|checksum|"
    r"encryption|validat\w{1,4}|required|enabled|attempts|strength|history|age|days|timeout|lifetime)(?![a-z])"
)
# A marker names a kind, and kinds are made of the same words.
_MASK = lazy(r"\[secret:[a-z0-9-]{1,40}\]")
# From the name to the value: an assignment in some language, a flag, a column of a table, an attribute.
_LINK = lazy(
    r"(?P<tail>(?:[_.-]?(?i:prod|production|staging|dev|live|test|value|string|str|id|base|text|b64|"
    r"base64|plain|hash|data))?\w{0,3})"
    r"(?P<close>[\\'\"`\])*}]{0,4})"
    r"(?P<by>\s{0,12}(?:=>|:=|::|->|=|:|\|)[\s>|\\]{0,12}|[ \t]{1,12}|>|\s{0,3},\s{0,3}(?=['\"])|[-.](?=\w))"
    r"(?P<scheme>(?:(?i:bearer|basic|token|apikey|api-token|api-key|ssws|oauth|digest|key|splunk|geniekey|"
    r"negotiate|flyv1)[ =:]{1,2}){0,2})"
    r"(?P<open>(?:[brfu@]{0,2}\\?['\"`]{1,3}|[*(]{1,3})?)"
)
# Every value has one of these: a digit or a sign, a quote before it, or more letters than a word has.
_WORTH = lazy(r"[0-9!@#$%^&*=]|['\"`][^\s'\"`]{4}|\S{14}")
# A word that nothing but its name and the end of its line make a password: `password: swordfish`.
_ALONE = lazy(
    r"['\"*`]{0,4}[ \t]{0,8}(?::=|[:=|])[ \t*`]{0,8}([A-Za-z]{5,32})[*`]{0,3}[ \t]{0,8}"
    r"(?:\||#[^\n]{0,80})?[ \t]*+(?![^\r\n])"
)
_PARAMETER = lazy(r"&(?:amp;)?[\w.-]{1,40}=")
_ASSIGNS = frozenset([":=", "=", "=>", "->"])
_QUOTED = {quote: lazy(rf"(?:[^\n\\{quote}]|\\(?!['\"`])){{1,300}}+(?=\\?{quote})") for quote in "\"'`"}
_VALUE = lazy(r"[^\s'\"`,;<>|\\\u3000-\u3002\uff0c\uff1b]{1,300}+")
_VALUE_END = lazy(r"[^\s'\"`,;<>|\\]*+")
# So much of a long value is judged; the rest goes with it.
_JUDGED = 300
_PLAIN = lazy(r"[\w.~+/=:@%!$#&*-]+")
_RUN = lazy(r"[\w.~+/=-]{12,}")
_FIELD_START = lazy(r"[\n,;|(]")
_ACCESS_ID = lazy(r"(?i)_?id(?![a-z])")
_PAIR = lazy(
    r"(?i)(?:s|entials?)?\b[^\n]{0,40}?[:\s(]['\"`]?[\w.@+-]{2,64}['\"`]?(?:\s{1,2}/\s{1,2}|\s{0,2}\|\s{0,2}|/|:)"
    r"['\"`]?([^\s'\"`,;\u3000-\u3002\uff0c\uff1b]{6,64}+)"
)
_PHRASES = ("mnemonic", "seed phrase", "recovery phrase", "seed words")
_MNEMONIC = lazy(r"[^\n:=\"'`]{0,24}[:=\"'`]\s{0,3}[\"'`]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})")


def labelled(text: str, lower: str) -> Iterator[Span]:
    """Find values that their names give away; `lower` is `text` in lower case, of the same length."""
    if "[secret:" in lower:
        lower = _MASK.sub(lambda mask: " " * len(mask[0]), lower)
    names = _names(text, lower)
    # Where a name follows a name, each has what is right behind it; prose about a secret is not like that.
    dense = len(names) > 1000 and len(names) * 48 > len(text)
    done = 0
    for number, (at, end, word) in enumerate(names):
        if at < done or (number + 1 < len(names) and _is_before(text, end, *names[number + 1][:2])):
            continue
        if word in {"key", "token", "sig"} and _is_other_key(lower[max(0, at - 16) : at]):
            continue
        limit = _limit(text, names, number)
        found = None
        if _WORTH.search(text, end, min(limit, end + 140)):
            found = _value_after(text, end, _WORDS[word], limit, dense=dense)
        if not found and _WORDS[word] == "password":
            found = _alone(text, at, end)
        if not found and word in {"login", "cred"}:
            found = _pair(text, end)
        if not found and (earlier := told_before(text, at, end, _WORDS[word])):
            yield _kind(text, at, word, *earlier), *earlier
        if found:
            done = found[1]
            yield _kind(text, at, word, *found), *found
    yield from _mnemonics(text, lower)


def _limit(text: str, names: list[tuple[int, int, str]], number: int) -> int:
    """Return how far off a value may be: "the password of the key vault is …", and not much further."""
    limit = names[number + 3][0] if number + 3 < len(names) else len(text)
    end = names[number][1]
    # What is behind a masked value is not what this name names.
    mask = text.find("[secret:", end, min(limit, end + 160))
    return mask if mask >= 0 else limit


def _mnemonics(text: str, lower: str) -> Iterator[Span]:
    for phrase in _PHRASES:
        at = lower.find(phrase)
        while at >= 0:
            match = _MNEMONIC.match(text, at + len(phrase))
            if match:
                yield "mnemonic", match.start(1), match.end(1)
            at = lower.find(phrase, at + len(phrase))


def _is_before(text: str, end: int, following: int, its_end: int) -> bool:
    """Tell a name that is followed by a name instead of a value: `secret key`, `token = key = …`."""
    between = text[end : min(following, end + 8)]
    if following - end > 8 or between.strip(" _-.:='\"?&"):
        return False
    return not between.strip(" _-.") or text[its_end : its_end + 1] in {"=", ":"}


def _is_other_key(before: str) -> bool:
    words = before.replace("_", " ").replace("-", " ").split()
    return bool(words) and words[-1].lstrip("`'\"(*") in OTHER_KEYS


def _kind(text: str, at: int, word: str, start: int, end: int) -> str:
    between = text[at:start].lower()
    if "bearer" in between:
        return "bearer-token"
    if "basic" in between:
        return "basic-auth"
    if (
        end - start == 40
        and word in {"key", "secret"}
        and not is_digest(text[start:end])
        and ("aws" in text[max(0, at - 24) : at].lower() or "access" in text[max(0, at - 8) : start].lower())
    ):
        return "aws-secret"
    return {"weak": "token", "key": "api-key", "assigned": "password"}.get(_WORDS[word], _WORDS[word])


def _names(text: str, lower: str) -> list[tuple[int, int, str]]:
    """Return where a word that names a secret begins and ends."""
    found = []
    for at, word in _hits(lower):
        rest = _REST.match(text, at + len(word))
        # A short word in the middle of random letters is none.
        if rest and _begins_well(text, at, word) and (len(word) > 4 or not _GOES_ON.match(text, rest.end())):
            end = rest.end()
            number = _ACCESS_ID.match(text, end) if word == "access" else None
            found.append((at, number.end() if number else end, word))
    return found


def _hits(lower: str) -> list[tuple[int, str]]:
    found: dict[int, str] = {}
    for word in _WORDS:
        at = lower.find(word)
        while at >= 0:
            # `passw` and `pass` begin alike; the longer word comes first.
            found.setdefault(at, word)
            at = lower.find(word, at + len(word))
    return sorted(found.items())


def _begins_well(text: str, at: int, word: str) -> bool:
    """Tell `apiKey`, `API_KEY`, `db-key` and `my key` from `monkey`."""
    if at == 0 or (len(word) >= 5 and word != "login"):
        return True
    left, first = text[at - 1], text[at]
    if not (left.isalpha() and left.isascii()):
        return True
    if first.isupper() and left.islower():
        return True
    return text[max(0, at - 12) : at].lower().endswith(GLUED)


def _pair(text: str, at: int) -> tuple[int, int] | None:
    """Find `login: admin / …`."""
    match = _PAIR.match(text, at)
    word = match[1].rstrip(".)") if match else ""
    return (
        (match.start(1), match.start(1) + len(word))
        if match and is_password(word) and not is_name(word)
        else None
    )


def _alone(text: str, at: int, end: int) -> tuple[int, int] | None:
    """Find a plain word as the one value of a field: `wifi password: swordfish` and the end of the line."""
    match = _ALONE.match(text, end)
    if not match or match[1].lower() in SAID or is_stand_in(match[1]) or is_name(match[1]):
        return None
    # A field has a short name; what is longer is a sentence.
    before = _FIELD_START.split(text[max(0, at - 48) : at])[-1]
    return match.span(1) if len(before.split()) <= 3 else None


def _value_after(text: str, at: int, kind: str, limit: int, *, dense: bool) -> tuple[int, int] | None:
    about = _ABOUT.match(text, at)
    link = None if about else _LINK.match(text, at)
    if link and link.end() >= limit:
        return None
    found = _linked(text, link, kind) if link else None
    if (dense and link) or kind == "assigned":
        return found
    # What is assigned to a name is its value, secret or not; a sentence may come to it later.
    if not found and kind != "weak" and not (link and _is_assigned(text, link)):
        found = told(text, at, kind, limit)
    if not found and not (about and not text[at : at + 1].isspace()):
        found = random_nearby(text, at, limit)
    if found and found[1] - found[0] >= _JUDGED:
        more = _VALUE_END.match(text, found[1])
        return found[0], more.end() if more else found[1]
    return found


def _is_assigned(text: str, link: re.Match[str]) -> bool:
    """Tell whether code assigns the next word and nothing behind it: no default, no branch with a string."""
    if link["by"].strip() not in _ASSIGNS:
        return False
    line = text[link.end() : link.end() + 80].partition("\n")[0]
    return "'" not in line and '"' not in line


def _linked(text: str, link: re.Match[str], kind: str) -> tuple[int, int] | None:
    """Judge the value right behind a name."""
    start = link.end()
    quotes = link["open"].strip("brfu@\\*(")
    quoted = _QUOTED[quotes[-1]].match(text, start) if quotes else None
    bare = None if quoted else _VALUE.match(text, start)
    if quoted:
        word = quoted[0]
    elif bare:
        # In a URL the next parameter follows; in a sentence, its end; in the text of a link, its target.
        word = _PARAMETER.split(bare[0].partition("](")[0], 1)[0].rstrip(
            ".,:)]}>*" if link["by"].strip() else ".,:)]}>*?!"
        )
    else:
        return None
    # A URL keeps its own secrets, and the rest of it is worth keeping.
    if not word or "://" in word or is_stand_in(word):
        return None
    return (start, start + len(word)) if _is_value(word, link, kind, quoted=quoted is not None) else None


def _is_value(word: str, link: re.Match[str], kind: str, *, quoted: bool) -> bool:
    """Judge a value by how it is linked to its name: the looser, the stricter."""
    by = link["by"].strip()
    if kind == "assigned" and (
        by not in {*_ASSIGNS, ":"} or not (is_password(word) or (quoted and by != ":"))
    ):
        return False
    if by in {"-", ".", ","}:
        return is_random(word, 10 if by == "," else 16)
    if not by and not quoted:
        if is_fingerprint(link.string, link.start(), word):
            return False
        return is_random(word, 12 if link["scheme"] else 14) or (kind == "password" and _is_strong(word))
    if " " in word and not any(is_random(part, 8) for part in word.split(" ")):
        return False
    return _is_assigned_secret(word, kind, plain=quoted or link["by"] == "=")


def _is_strong(word: str) -> bool:
    """Tell a password that stands behind its name without a sign between them."""
    signs = any(char in "!@#$%^&*+=?~" for char in word)
    return (
        len(word) >= 6
        and is_password(word)
        and (signs or any(map(str.isdigit, word[1:])))
        and not is_digest(word)
    )


def _is_assigned_secret(word: str, kind: str, *, plain: bool) -> bool:
    if kind == "weak":
        return is_random(word, 12) or (_RUN.fullmatch(word) is not None and is_mixed(word))
    if is_random(word, 8) or UUID.fullmatch(word):
        return True
    if kind != "password":
        return (
            len(word) >= 8
            and is_password(word)
            and any(map(str.isdigit, word))
            and bool(_PLAIN.fullmatch(word))
        )
    if is_password(word, 5):
        return True
    # A quoted word is a password. A bare one is only in an environment; in code it is a variable.
    return (
        plain
        and len(word) >= 4
        and " " not in word
        and not is_name(word)
        and (word.isalpha() or len(word) >= 6)
    )
