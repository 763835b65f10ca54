"""Secrets known by what stands before them: `password = …`, `--token …`, "the staging password is …".

Each key-ish word is looked up by substring search. Where it is the end of a name that keeps a secret, the
next few words are judged: the closer the link between name and value, the less the value has to look like a
secret by itself.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets import environment, logins, phrases, sentences, wallets, weighed
from memolith.text.secrets.called import only_secrets
from memolith.text.secrets.forms import codes, columns, listed, pair, pairs
from memolith.text.secrets.names import foreign_names
from memolith.text.secrets.names import names as names_in
from memolith.text.secrets.nearby import is_fingerprint, random_after_clause, random_nearby
from memolith.text.secrets.opening import opened
from memolith.text.secrets.sentences import value_before_name, value_in_sentence
from memolith.text.secrets.values import (
    SMALL_WORDS,
    TABLE,
    UUID,
    bare,
    is_chosen,
    is_digest,
    is_mixed,
    is_name,
    is_password,
    is_random,
    is_said,
    is_stand_in,
    is_word_list,
    named_parts,
    wordiness,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from memolith.text.secrets.names import Foreign, Name

Span = tuple[str, int, int]
Place = tuple[int, int]

# A name that goes on says what the value is instead: `token_count`, `passwordUrl`, `key id`.
_ABOUT = lazy(rf"(?i)[ _.-]?(?:{'|'.join(TABLE['about'])})(?![a-z])")
# A marker names a kind, and kinds are made of the same words.
_MASK = lazy(r"[\[(]secret:[a-z0-9-]{1,40}[\])]")
# From the name to the value: an assignment in some language, a flag, a column of a table, an attribute.
_LINK = lazy(
    r"(?P<tail>(?:[_.-]?(?i:prod|production|staging|dev|live|test|value|string|str|id|base|text|b64|"
    r"base64|plain|hash|data))?\w{0,3})"
    r"(?P<close>[\\'\"`\])*}]{0,4})"
    r"(?P<by>(?:,\s{0,12}|\s{1,12})[\"']?(?i:value|content|val)[\"']?\s{0,2}[=:]\s{0,2}|"
    r"\s{0,12}(?:=>|:=|::|->|=|:|\||[：＝→⇒]|[—–] )[\s>|\\*]{0,12}(?:(?<=[>|])[+-]\s{1,12})?|"
    r"\s{0,3}\{[^{}]{0,200}?\bdefault\s{0,8}=\s{0,3}|</key>\s{0,12}<string>|"
    r"[ \t]{1,12}(?:[05789] (?=\S{6}))?|>\s{0,12}(?:<value>)?|"
    r"\s{0,3},\s{0,3}(?=['\"])|\((?=['\"])|[-.](?=\w))"
    r"(?P<scheme>(?:(?i:bearer|basic|token|apikey|api-token|api-key|ssws|oauth|digest|key|splunk|geniekey|"
    r"negotiate|flyv1)[ =:]{1,2}){0,2})"
    r"(?P<open>(?:[NEbrfu@]{0,2}\\?['\"`]{1,3}|[*(]{1,3}|[„“”‚‘«‹「『《（【]{1,2})?)"
)
# Every value has one of these: a digit or a sign, a quote before it, or more letters than a word has.
_WORTH = lazy(r"[0-9!@#$%^&*=]|['\"`„“”«「『][^\s'\"`]{4}|\S{14}")
# A word that nothing but its name and the end of its line make a password: `password: swordfish`.
_ALONE = lazy(
    r"['\"*`]{0,4}[ \t]{0,8}(?::=|[:=|：＝])[ \t*`]{0,8}((?:[A-Za-z\u00c0-\u024f\u0370-\u0dff]{3,24}[.&])?"
    r"[A-Za-z\u00c0-\u024f\u0370-\u0dff]{5,32})"
    r"[*`]{0,3}[ \t]{0,8}(?:\||#[^\n]{0,80})?[ \t]*+(?![^\r\n])"
)
_OF_THEIRS, _OTHER_KEYS = frozenset(TABLE["of-theirs"]), frozenset(TABLE["other-keys"])
# What stands for a value, in an argument: `--password <password> …`; an element has one right behind it.
_PLACEHOLDER = lazy(r"[\w=:@'\"/ ]<[\w ./-]{0,40}$")
_SUMS = ("checksum", "sha256", "sha-256", "sha512", "md5", "digest of")
_PARAMETER = lazy(r"&(?:amp;)?[\w.-]{1,40}=")
_NAMED = ("word", "wd", "pass", "phrase")
_ASSIGNS = frozenset([":=", "=", "=>", "->"])
_QUOTED = {quote: lazy(rf"(?:[^\n\\{quote}]|\\(?!['\"`])){{1,300}}+(?=\\?{quote})") for quote in "\"'`"}
_VALUE = lazy(r"[^\s'\"`,;<>|\\„“”«»「」『』《》（）\u3000-\u3002\uff0c\uff1b]{1,300}+")
_VALUE_END = lazy(r"[^\s'\"`,;<>|\\]*+")
# Characters of a long value that are judged; the rest is masked with them.
_JUDGED = 300
_PLAIN = lazy(r"[\w.~+/=:@%!?^$#&*-]+")
_RUN = lazy(r"[\w.~+/=-]{12,}")
_FIELD_START = lazy(r"[\n,;|(]")


def labelled(text: str, lower: str, known: frozenset[bytes]) -> Iterator[Span]:
    """Find values that their names give away; `lower` is `text` in lower case, of the same length."""
    if "secret:" in lower:
        lower = _MASK.sub(lambda mask: " " * len(mask[0]), lower)
    foreign = list(foreign_names(text, lower, known))
    names = names_in(text, lower, foreign)
    yield from only_secrets(text, _labelled(text, lower, known, names, foreign), names, foreign)


def _labelled(
    text: str, lower: str, known: frozenset[bytes], names: list[Name], foreign: list[Foreign]
) -> Iterator[Span]:
    # Where a name follows a name, each has what is right behind it; prose about a secret is not like that.
    dense = len(names) > 500 and len(names) * 48 > len(text)
    done = 0
    named: list[Name] = []
    for number, name in enumerate(names):
        other = _is_no_name(text, lower, names, number)
        # "the token" may be one of a parser; what was made up shows that it is not.
        if not other or (name[2] == "token" and lower.endswith("the ", 0, name[0])):
            named.append(name)
        if other or name[0] < done:
            continue
        found = _value_of(text, names, number, dense=dense)
        if found:
            done = found[1]
        elif not dense:
            found = value_before_name(text, name[0], name[1], name[3], foreign=not name[2])
        # A digest may be that of a file: "the checksum of auth-gateway.zip is …".
        before = lower[max(0, name[0] - 40) : name[0]].rpartition("\n")[2]
        if found and not (is_digest(text[slice(*found)]) and any(word in before for word in _SUMS)):
            yield _kind(text, name, *found), *found
            if name[3] == "password" and (changed := sentences.value_after_change(text, found[1])):
                yield "password", *changed
    yield from codes(text, lower, foreign)
    yield from pairs(text, foreign)
    yield from opened(text, lower, foreign, known)
    if not dense:
        yield from weighed.values(text, named, foreign)
        yield from phrases.told(text, lower, names, foreign)
        yield from _listed(text, names, foreign)
    yield from wallets.phrases(text, lower, foreign)
    yield from logins.cookies(text, lower)


def _listed(text: str, names: list[Name], foreign: list[Foreign]) -> Iterator[Span]:
    yield from columns(text, names)
    lists = [(at, end, "", kind) for at, end, kind in foreign if kind == "pair"]
    yield from listed(text, sorted([*names, *lists]))


def _is_no_name(text: str, lower: str, names: list[Name], number: int) -> bool:
    at, end, word, _ = names[number]
    if lower.startswith(" primari", end) or (word == "pass" and text.endswith("--- ", 0, at)):
        return True  # of a table; what a test did
    if (
        text[end : end + 1] == ">"
        and _PLACEHOLDER.search(text, max(0, at - 48), at)
        and not text.startswith("</", text.find("<", end))
    ):
        return True
    if number + 1 < len(names) and _is_before(text, end, *names[number + 1][:2]):
        return True
    before = lower[max(0, at - 16) : at].replace("_", " ").replace("-", " ").split()
    is_other = bool(before) and before[-1].lstrip("`'\"(*") in _OTHER_KEYS
    return (
        is_other
        and names[number][3] != "password"
        and word in {"key", "token", "sig"}
        and lower[end : end + 1] != ":"
    )


def _value_of(text: str, names: list[Name], number: int, *, dense: bool) -> Place | None:
    at, end, word, kind = names[number]
    limit = _limit(text, names, number)
    foreign = (word in {"", "psk"} and text[at : at + 5].lower() != "pass ") or text[end : end + 8].partition(
        " "
    )[2].partition(" ")[0] in _OF_THEIRS
    found = None
    if kind in {"password", "loose", "assigned"} and not dense and not _ABOUT.match(text, end):
        phrase = word == "psk" or _is_phrase(text, at, end)
        found = sentences.value(text, end, limit, kind, foreign=foreign, phrase=phrase)
    if not found and _WORTH.search(text, end, min(limit, end + 140)):
        found = _value_after(text, end, kind, limit, dense=dense, foreign=foreign)
        first, last = names[number + 1][:2] if number + 1 < len(names) else (-1, -1)
        if found and found[0] <= first < found[1] and text[last : last + 1] in {"=", ":"}:
            found = None  # the next name has it: `key X_TOKEN=…`
    if not found and kind == "password":
        found = _alone(text, at, end)
    if not found and word in {"login", "cred"}:
        found = pair(text, end)
    return found


def _is_phrase(text: str, at: int, end: int) -> bool:
    """Whether a name is that of a secret made of several words."""
    near = text[max(0, at - 24) : at].rpartition("\n")[2] + text[at : end + 16].partition("\n")[0]
    return any(stem in near.lower() for stem in TABLE["phrase"])


def _limit(text: str, names: list[Name], number: int) -> int:
    """Return how far off a value may be: "the password of the key vault is …", and not much further."""
    limit = names[number + 3][0] if number + 3 < len(names) else len(text)
    end = names[number][1]
    # What is behind a masked value is not what this name names.
    mask = _MASK.search(text, end, min(limit, end + 160))
    return mask.start() if mask else limit


def _is_before(text: str, end: int, following: int, its_end: int) -> bool:
    """Tell a name that is followed by a name instead of a value: `secret key`, `token = key = …`."""
    between = text[end : min(following, end + 8)]
    if following - end > 8 or between.strip(" _-.:='\"?&"):
        return False
    return not between.strip(" _-.") or text[its_end : its_end + 1] in {"=", ":"}


def _kind(text: str, name: Name, start: int, end: int) -> str:
    at, _, word, kind = name
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
    return {"weak": "token", "key": "api-key", "assigned": "password", "loose": "password"}.get(kind, kind)


def _alone(text: str, at: int, end: int) -> Place | None:
    """Find a plain word as the one value of a field: `wifi password: swordfish` and the end of the line."""
    match = _ALONE.match(text, end)
    word = match[1] if match else ""
    dotted = "." in word and not named_parts(word)
    if not match or is_stand_in(word) or (is_name(word) and not dotted) or is_said(word):
        return None
    # The name of a field is short, and not the words of a sentence.
    name = _FIELD_START.split(text[max(0, at - 48) : at])[-1]
    return match.span(1) if "=" not in name and "$" not in name and len(name.split()) <= 3 else None


def _value_after(text: str, at: int, kind: str, limit: int, *, dense: bool, foreign: bool) -> Place | None:
    about = _ABOUT.match(text, at)
    link = None if about else _LINK.match(text, at)
    if link and link.end() >= limit:
        return None
    found = _linked(text, link, kind) if link else None
    if (dense and link) or kind == "assigned":
        return found
    # What is assigned to a name is its value, secret or not; a sentence may come to it later.
    if not found and kind != "weak" and not (link and _is_assigned(text, link)):
        found = value_in_sentence(text, at, kind, limit, foreign=foreign, about=about is not None)
    if not found and not (about and not text[at : at + 1].isspace()):
        found = random_nearby(text, at, limit) or random_after_clause(text, at, kind, foreign=foreign)
    if found and found[1] - found[0] >= _JUDGED:
        more = _VALUE_END.match(text, found[1])
        return found[0], more.end() if more else found[1]
    return found


def _is_assigned(text: str, link: re.Match[str]) -> bool:
    """Whether code assigns the next word and nothing behind it: no default, no branch with a string."""
    if link["by"].strip() not in _ASSIGNS:
        return False
    line = text[link.end() : link.end() + 80].partition("\n")[0]
    return "'" not in line and '"' not in line


def _linked(text: str, link: re.Match[str], kind: str) -> Place | None:
    """Judge the value right behind a name."""
    start = link.end()
    quotes = link["open"].strip("brfu@\\*(")
    quoted = _QUOTED[quotes[-1]].match(text, start) if quotes and quotes[-1] in _QUOTED else None
    plain = None if quoted else _VALUE.match(text, start)
    if quoted:
        word = quoted[0]
    elif plain:
        # In a URL the next parameter follows; in a sentence, its end; in the text of a link, its target.
        word = bare(_PARAMETER.split(plain[0].partition("](")[0], 1)[0])
        if not link["by"].strip():
            word = word.rstrip(".,:)]}>*?!")
        elif link["by"] in {"-", "."}:
            word = word.partition("/")[0]  # of a path
    else:
        return None
    # A URL keeps its own secrets, and the rest of it is worth keeping.
    if not word or "://" in word or is_stand_in(word):
        return None
    if word[0] == "@" and link["by"].strip() == ">":
        return None  # `://<user>:<password>@host`
    if not quoted and word[-1] == "=" and text[start + len(word) : start + len(word) + 1] in _QUOTED:
        return None  # the next attribute
    return (start, start + len(word)) if _is_value(word, link, kind, quoted=quoted is not None) else None


def _is_value(word: str, link: re.Match[str], kind: str, *, quoted: bool) -> bool:
    """Judge a value by how it is linked to its name: the looser, the stricter."""
    by = link["by"].strip(" \t\n\r*")
    likely = is_password(word) or (any(map(str.isdigit, word)) and is_chosen(word))
    if kind == "assigned" and not by and quoted:
        return is_password(word) and any(map(str.isdigit, word))
    if kind == "assigned" and (by not in {*_ASSIGNS, ":"} or not (likely or (quoted and by != ":"))):
        return False
    if (
        by == ","
        and kind == "password"
        and link.string[max(0, link.start() - 8) : link.start()].lower().endswith(_NAMED)
    ):
        named = link.string.rfind("define(", max(0, link.start() - 40), link.start()) >= 0
        return is_password(word) or not (is_stand_in(word) or is_name(word) or (word.isalpha() and not named))
    if by == "(":
        return kind == "password" and is_password(word) and " " not in word
    if by in {"-", ".", ","}:
        return is_random(word, 10 if by == "," else 16)
    if not by and not quoted:
        if is_fingerprint(link.string, link.start(), word):
            return False
        return is_random(word, 12 if link["scheme"] else 14) or (
            kind in {"password", "loose"} and _is_strong(word)
        )
    if (
        by == "="
        and (kept := environment.kept(link.string, link.start(), word, kind, quoted=quoted)) is not None
    ):
        return kept
    if " " in word and not any(is_random(part, 8) for part in word.split(" ")):
        return quoted and by == "=" and kind == "password" and _is_passphrase(word)
    return _is_assigned_secret(word, kind, plain=quoted or link["by"] == "=")


def _is_passphrase(text: str) -> bool:
    """Whether quoted words, assigned to a password, are one themselves, and not what a person is told."""
    words = text.split(" ")
    told = any(word in SMALL_WORDS or word == "password" or is_stand_in(word) for word in words)
    return text.islower() and all(map(str.isalnum, words)) and not told and not is_said(words[-1])


def _is_strong(word: str) -> bool:
    """Whether a word is surely a password, with nothing but a space between it and its name."""
    signs = any(char in "!@#$%^&*+=?~" for char in word)
    return (
        len(word) >= 6
        and is_password(word)
        and (signs or any(map(str.isdigit, word[1:])))
        and not is_digest(word)
    )


def _is_keyboard_jumble(word: str) -> bool:
    """Whether a value has too many digits and signs for its brackets to be code."""
    signs = set(word) & set("!#$%^&*?@+~()[]")
    return (
        len(word) >= 12
        and " " not in word
        and len(signs) >= 3
        and sum(map(str.isdigit, word)) >= 3
        and any(map(str.isalpha, word))
    )


def _is_hyphened(word: str) -> bool:
    """Tell words that no code joins so: `stretchy-pants` is no variable."""
    joined = "-" in word and word.replace("-", "").isalpha()
    return joined and (not named_parts(word) or is_word_list(word.split("-")))


def _is_assigned_secret(word: str, kind: str, *, plain: bool) -> bool:
    if kind == "weak":
        return is_random(word, 12) or (_RUN.fullmatch(word) is not None and is_mixed(word))
    if is_random(word, 8) or UUID.fullmatch(word) or (plain and _is_keyboard_jumble(word)):
        return True
    if kind not in {"password", "loose", "assigned"}:
        return (
            len(word) >= 8
            and is_password(word)
            and not ("." in word and word.islower() and wordiness(word) >= 0.5)
            and any(map(str.isdigit, word))
            and bool(_PLAIN.fullmatch(word))
        )
    if is_password(word, 5) or (kind == "assigned" and is_chosen(word)):
        return True
    # A quoted word is a password. A bare one is only in an environment; in code it is a variable.
    return (
        plain
        and kind == "password"
        and len(word) >= 4
        and " " not in word
        and not (is_name(word) and not _is_hyphened(word))
        and not is_said(word)
        and (word.isalpha() or len(word) >= 6)
    )
