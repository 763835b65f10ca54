"""Whether a value looks like a secret, or is only a name, a word, a hash or a placeholder.

Three questions, from strict to lenient: is it random (no person would choose it), is it a password (a
person would, and nobody would write it as a word), is it a stand-in for a value that is elsewhere. The words
that tell are in `words.txt`.
"""

from __future__ import annotations

from itertools import pairwise

from memolith.text.patterns import lazy, sections

TABLE = {
    name: [word.replace("_", " ") for word in words] for name, words in sections("secrets/words.txt").items()
}
# Who logs in and means nothing else, so that what stands beside it without a sign belongs to it.
HEADS = ("admin", "root", "administrator", "superuser", "postgres", "sysadmin")
STAND_INS, SMALL_WORDS, SAID = (frozenset(TABLE[name]) for name in ("stand-ins", "small", "said"))
_ENDINGS = frozenset(TABLE["endings"])
_PAIRS = frozenset(letters[0] + second for letters in TABLE["pairs"] for second in letters[1:])
_SAID_STEMS = tuple(stem.rstrip() for stem in TABLE["said-stems"])
_UNSPACED_STEMS = tuple(stem for stem in _SAID_STEMS if stem >= "\u2e80" and len(stem) > 1)
_ENDING, _SHORT = 7, 3
# The words inside a value: `getAccessToken` is three. A short one says nothing, so it is left out.
_WORD = lazy(r"[A-Z]?[a-z]{3,}+|[A-Z]{4,}+")
_SEGMENT = lazy(r"[A-Za-z0-9]+")
# Hexadecimal of one case, or a ULID.
_HASH = lazy(r"[0-9a-f]{7,}|[0-9A-F]{7,}|(?:[a-z]{2,8}_)?[0-7][0-9A-HJKMNP-TV-Z]{25}")
# With any letters: samples in documentation are seldom hexadecimal.
UUID = lazy(r"(?i)[0-9a-z]{8}-(?:[0-9a-z]{4}-){3}[0-9a-z]{11,12}")
# Dates, times, versions, addresses, sizes.
_CLOCK = lazy(r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d|\d+(?:\.\d+)+(?:[-+/:]|$)|\d[-–/:.,\d]*+[a-zA-Z%]{0,3}$")
# What kind each character of a token is of; signs between them do not count.
_SMALL = "abcdefghijklmnopqrstuvwxyz"
_SHAPES = str.maketrans(f"{_SMALL}{_SMALL.upper()}123456789", "a" * 26 + "A" * 26 + "0" * 9, "_-.~+/= ")
# Characters of a value that are judged.
_JUDGED = 96
# A ticket, a standard, a weakness: what documents are called.
_NUMBERED = lazy(
    r"[A-Z]{2,6}-\d{1,6}(?:-\d{1,6})?|(?:RFC|ISO|CVE|PEP|IEEE|CWE|ADR|EIP|BIP|FIPS)-?\d+|(?:PR|MR|GH|[Ii]ssue|[Bb]ug)?#\d{1,6}"
)
_HEAD = lazy(r"[A-Za-z0-9]+")
_FILE = lazy(r"[\w./-]+\.([a-z]{2,8})(?:[:/?#].*)?")
_CALL = lazy(r"[A-Za-z_.:>-]{2,}[(\[{]|\w+\(")
_SIGNED_WORD = lazy(
    r"\$[({]?[A-Za-z_]\w*+(?![!#%^&*?@+])|\$\{|%[({]?\w+[)}]?[s%]?$|#\{|@\{?[\w.-]+\}?@$|[!?][A-Za-z]+$|[*xX•.…_#?-]+$"
)
_STRANGE = lazy(r"[!#$%^&*?]|@(?=\d++(?!\.))")
_REFERENCE = lazy(r"[\w./-]*#\d+|\w+[!?]+|[\d.,]+%\w*|[\w./-]*\*[A-Za-z_./*-]*|&\w+;.*|[*_~#@].*")
_BRACKETS = lazy(r"[()\[\]{}<>=/\\|]|::|%(?:2[0-9A-F]|3[A-F]|40|5[B-E]|7[B-D])(?![0-9])")
_UNSPACED = lazy(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]")
_PUBLISHED = ("pk_test_", "pk_live_")  # keys that stand in web pages
_CALLED_SO = frozenset(TABLE["placeholders"])
_INSIDE = tuple(word.replace(" ", "_") for word in TABLE["inside"])
# A name of a variable, a field or a constant; a path of them.
_NAME = lazy(
    r"_*[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z]+)+|[a-z]+(?:[_.-][a-z]+)+|[A-Z]+(?:_[A-Z]+)+|(?:[A-Z][a-z]+){2,}|"
    r"[\w.@:-]+(?:/[\w.@:*-]+)+"
)
_BEFORE = 160  # characters of a line that are looked at
# An address in memory or of a contract, a digest, a symbol of a compiler.
_POINTER = lazy(
    r"#[0-9a-fA-F]{3,8}|0x(?:[0-9a-fA-F]{1,16}|[0-9a-fA-F]{40})|[\w./-]*@?sha(?:1|256|512):[0-9a-f]{7,128}|_(?:ZN|R)\d?\w{8,200}"
)
_PLACE = lazy(
    r"\.{0,2}/(?:[\w.-]+/)*[\w-]+\.[a-z]{2,5}"
    r"|[\w@.-]+-v?\d+(?:\.\d+)+[\w.-]*\.(?:tgz|tar\.\w+|zip|whl|jar|gem|crate|deb|rpm|exe|dmg)"
)
_NO_ID = lazy(r"[^\w./+:-]")
# The last word before a value says what the value is: an id, a hash, the place of a secret in a vault.
_IDENTIFIES = lazy(
    r"(?i)(?:(?<![a-z])(?:event|trace|span|deployment|public key|(?:event|trace|span|request|build|run|job"
    r"|image|container|object|correlation|message|order|document|transaction|invoice)[ _-]?id|ray|accessor"
    r"|nano_?id|ksuid|cuid2?|ulid|uuid|guid|fingerprint|digest|checksum|etag|commit|revision|integrity|md5"
    r"|sha-?\d{1,3}|public[ _-]?key[ _-]?token|cache\b[^\n]{0,40}\bkey)[\"']?\s{0,2}[:=\#]?\s{0,2}[\"'(]?"
    r"|\barn:[a-z-]+:[\w:/-]*:secret:[\w/-]*|\.(?:tgz|tar\.gz|zip|whl|git|jar)\#)$"
)
_KEY_ID = lazy(
    r"(?i)\b(?:rsa|dsa|ecdsa|eddsa|gpg|pgp)[ -]key(?:[ -]id)?:? (?:[0-9A-F]{8}|[0-9A-F]{16}|[0-9A-F]{40})$"
)


def is_stand_in(value: str) -> bool:
    """Tell a placeholder, a reference or a piece of code from a value."""
    value = value[:_JUDGED]
    if value[:1] > "\u0590" and "-" in value[1:4]:
        value = value.partition("-")[2]  # "in" and its like are a letter in front of the word
    if (
        value[:1] in "[<{./~\\"
        or value.startswith(_PUBLISHED)
        or _SIGNED_WORD.match(value)
        or _CALL.match(value)
    ):
        return True
    lower = value.lower()
    head = _HEAD.match(lower)
    if head and (head.end() == len(value) or value[head.end()] in "-_./:,;()[]{} "):
        word = head[0]
        if word in STAND_INS or (word in SMALL_WORDS and not any(map(str.isdigit, value))):
            return True
    file = _FILE.fullmatch(value) if "." in value else None
    if file and file[1] in _ENDINGS:
        return True
    for word in _INSIDE:
        if word in lower:
            return True
    if "_" in value and not any(map(str.isdigit, value)) and not _CALLED_SO.isdisjoint(lower.split("_")):
        return True  # `tu_clave_aqui`
    # `xxxxxxxx`, `000000-0000`, `aaaabbbb`: what people type where a value should be.
    return len(set(value)) <= (2 if len(value) < 8 else 3)


def is_sentence(word: str) -> bool:
    """Whether a sentence goes on with what is said of a password, in a script without spaces."""
    return word.startswith(_UNSPACED_STEMS)


def is_said(word: str) -> bool:
    """Whether a word describes a password, in some language, instead of being one."""
    word = word.lower()
    return word in SAID or any(
        word.startswith(stem) and len(word) <= len(stem) + (_ENDING if len(stem) > _SHORT else 0)
        for stem in _SAID_STEMS
    )


def is_name(value: str) -> bool:
    """Whether a value is the name of something: of a variable, a file, a path."""
    if not _NAME.fullmatch(value):
        return False
    return wordiness(value) >= 0.4 or ("_" in value and max(map(len, _SEGMENT.findall(value))) <= 6)


def wordiness(value: str) -> float:
    """Return how much of a value is made of what reads like words, from 0 to 1."""
    worded = 0
    for match in _WORD.finditer(value):
        word = match[0].lower()
        if not word.strip("abcdef"):
            continue
        known = sum(word[at : at + 2] in _PAIRS for at in range(len(word) - 1))
        if known >= 0.6 * (len(word) - 1):
            worded += len(word)
    return worded / len(value)


def is_digest(value: str) -> bool:
    """Whether a value has the form of a hash, a commit or an id: only its context can say more."""
    return _HASH.fullmatch(value) is not None or UUID.fullmatch(value) is not None


def is_identifier(text: str, start: int, end: int) -> bool:
    """Whether what stands before a value, or around it, says that it is an address or an id, no secret."""
    value = text[start:end].rpartition("=")[2] if text[start : start + 1] != "=" else text[start:end]
    if _POINTER.fullmatch(value) or _PLACE.fullmatch(value):
        return True
    low = text.rfind("\n", max(0, start - _BEFORE), start) + 1 or max(0, start - _BEFORE)
    if _KEY_ID.search(text[low:end]):
        return True
    return bool(_IDENTIFIES.search(text[low : end - len(value)])) and not _NO_ID.search(value)


def is_random(value: str, least: int = 16) -> bool:
    """Whether no person would choose or remember a value: long, mixed, not made of words."""
    # The beginning of a long value says enough.
    value = value[:_JUDGED]
    size = len(value)
    if size < least or len(set(value)) < min(7, size - 2):
        return False
    if is_stand_in(value) or _CLOCK.match(value):
        return False
    if UUID.fullmatch(value):
        return True
    # A date, a version or a model's name is many short pieces; a token has at least one long one.
    if max(map(len, _SEGMENT.findall(value)), default=0) < min(least, 12):
        return False
    digits = sum(map(str.isdigit, value))
    if not any(map(str.isalpha, value)):
        return False
    if digits >= 2:
        return wordiness(value) < 0.5
    return size >= max(least, 16) and _is_scrambled(value)


def _is_scrambled(value: str) -> bool:
    """Tell random letters from a long name: cases change within it, or its pairs of letters are rare."""
    if is_name(value) or not value.isascii():
        return False
    longest = max(_SEGMENT.findall(value), key=len)
    if len(longest) < 12 or not is_jumbled(longest):
        return False
    return _changes(longest) < 0.3 * len(longest) or wordiness(value) < 0.35


def is_jumbled(letters: str) -> bool:
    """Tell letters whose cases change all the time, or whose pairs are rare in words."""
    if not letters.islower() and _changes(letters) >= 0.3 * len(letters):
        return True
    lower = letters.lower()
    known = sum(map(_PAIRS.__contains__, map(str.__add__, lower, lower[1:])))
    return known < 0.52 * (len(lower) - 1)


def _changes(letters: str) -> int:
    return sum(one.islower() != two.islower() for one, two in pairwise(letters))


def _is_sign(char: str) -> bool:
    """Tell a sign from a letter, a digit and a vowel that is written above its letter."""
    return not char.isalnum() and not "\u0300" <= char < "\u2000"


def is_password(value: str, least: int = 6) -> bool:
    """Whether a person would choose a value as a password and nobody would write it as a word."""
    value = value[:_JUDGED]
    if len(value) < least or is_stand_in(value) or _CLOCK.match(value) or _NUMBERED.fullmatch(value):
        return False
    letters = any(map(str.isalpha, value))
    digits = any(map(str.isdigit, value))
    signs = any(_is_sign(char) and char not in "_-./ '’" for char in value)
    if letters and digits:
        return not is_name(value)
    if signs:
        return letters or digits
    return is_random(value, 10)


def is_strange(value: str) -> bool:
    """Whether a value has letters, digits and a sign that no word, name, number or address has."""
    if len(value) < 6 or not _STRANGE.search(value) or _REFERENCE.fullmatch(value):
        return False
    return (
        any(map(str.isalpha, value))
        and any(map(str.isdigit, value))
        and not _BRACKETS.search(value)
        and not is_stand_in(value)
    )


def bare(word: str) -> str:
    """Return a value without the end of its sentence, and without the script that goes on without a space."""
    if word[:1].isascii():
        word = _UNSPACED.split(word, 1)[0]
    return word.rstrip(".,:)]}>*。」』”“»）、；！？")


def is_mixed(value: str) -> bool:
    """Tell base-62 from names: small letters, capitals and digits that change all the time."""
    value = value[:_JUDGED]
    # The fewer digits, the more it could be a name.
    digits = min(2, sum(map(value.count, "0123456789")))
    return is_shuffled(value) and wordiness(value) < (0.15, 0.3, 0.35)[digits]


def is_shuffled(value: str) -> bool:
    """Whether small letters, capitals and digits change all the time, be they words or not."""
    shape = value[:_JUDGED].translate(_SHAPES)
    capitals, digits, size = shape.count("A"), shape.count("0"), len(shape)
    if min(capitals, shape.count("a")) < 3 or (digits == 0 and size < 24):
        return False
    changes = sum(map(shape.count, ("aA", "Aa", "a0", "0a", "A0", "0A")))
    return changes >= (0.45, 0.4, 0.35)[min(digits, 2)] * size


CHOSEN, RANDOM = 1, 2  # what a value with digits looks like: chosen by a person, or drawn
_NOT_MADE = lazy(
    r"[/\\(){}\[\]<>=|~,]|^\d[\d.,:_-]*[a-zA-Z%]{0,4}$|\d\.\d|\.[a-z]{1,5}$"
    r"|@[\w-]+\.|^[A-Z]{2,8}-?\d+$|^v\d|^\d{4}-\d\d|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|[^!-~\u00a1-\u024f]"
)
NUMBERED_THINGS = frozenset(TABLE["numbered"])


def made(word: str) -> int:
    """Tell a value that somebody made up, of letters and digits, from a name with a number: 0 for a name."""
    if not 6 <= len(word) <= _JUDGED or is_stand_in(word) or is_digest(word) or _NOT_MADE.search(word):
        return 0
    digits = sum(map(str.isdigit, word))
    if not digits or not any(map(str.isalpha, word)) or _CLOCK.match(word) or UUID.fullmatch(word):
        return 0
    if is_strange(word):
        return RANDOM
    parts = [part.lower() for part in _LETTERS.findall(word)]
    if ":" in word or any(part in NUMBERED_THINGS or part in VOCABULARY for part in parts):
        return 0
    if is_random(word, 10) or (len(word) >= 8 and is_shuffled(word)):
        return RANDOM
    inside = word[0].isalpha() and word[-1].isalpha() and len(word) >= 8
    return CHOSEN if max(map(len, parts)) >= 3 and (digits >= 3 or (digits == 2 and inside)) else 0


_PART = lazy(r"[^\W_]+|[\u0080-\uffff]+")
_LETTERS = lazy(r"[A-Za-z\u0080-\uffff]+")
_CAPITAL = lazy(r"[A-Z][a-z]+|^[a-z]+")
_DATE = lazy(r"\d{4}-\d\d-\d\d|\d{1,2}[.:/]\d\d|v?\d+(?:\.\d+)+|\d+[a-zA-Z%]{0,3}$")
_HUMAN = lazy(r"[A-Za-z\u00c0-\uffff][^\s/\\()\[\]{}<>=]*")
_WHOLE = lazy(
    r"(?:\d{4,5}(?:[ -]\d{4,5}){1,4}|\d{1,4}(?:-\d{1,4}){2,5}|\d{4,24}[A-Za-z]{0,2}|\d{4,12}[#*])"
    r"(?=[\s.,;!?)\]}\"'`*|<。，；）」』”»이입예]|で|だ|$)(?![.,]\d)(?! ?[(%°]| \d)"
    r"(?! (?!(?i:for|and|or|on|at|in|und|für|et|pour|y|para|e|per|и|для) )[A-Za-z\u00c0-\u1fff])"
)
_CALENDAR = lazy(r"\d{4}-\d\d-\d\d")
_LONG = 120
VOCABULARY, DESCRIBING = frozenset(TABLE["vocabulary"]), frozenset(TABLE["describing"])
_JOINING, _TELLING = frozenset(TABLE["joining"]), ("ed", "ing", "ly", "able", "ible")
_ENDS = ".,;:)]}>*。、！？」』”“»"


def is_joined(word: str) -> bool:
    """Tell three words or more that only somebody who chose a password joins: `tea-and-toast`."""
    parts = word.lower().replace("_", "-").split("-")
    return len(parts) > 2 and SMALL_WORDS.isdisjoint(parts) and not named_parts(word) and is_chosen(word)


def named_parts(word: str) -> int:
    """Return how many parts of a word are common in names of code."""
    parts = [part.lower().rstrip("0123456789") for part in _PART.findall(word)]
    parts += [part.lower() for part in _CAPITAL.findall(word)] if word.isalpha() else []
    return sum(part in VOCABULARY or part in STAND_INS or part in SAID for part in parts)


def is_chosen(word: str, *, code: bool = False) -> bool:
    """Tell what somebody chose: a digit, a sign, a capital inside, or words that are joined."""
    if len(word) > _LONG or (word[:1] == "!" and word[1:].isalpha()):
        return False  # a blob, a tag of YAML
    if len(word) < 5 or is_stand_in(word) or "://" in word or _DATE.match(word) or not _HUMAN.fullmatch(word):
        return len(word) >= 6 and is_password(word) and not is_digest(word) and not set("(=<") & set(word)
    if _NUMBERED.fullmatch(word):
        return False
    digit = any(map(str.isdigit, word))
    joined = any(sign in word[1:-1] for sign in "_-.")
    sign = any(_is_sign(char) and char not in "_-.'’/:@" for char in word)
    known = named_parts(word)
    if known and known * 2 >= len(_LETTERS.findall(word)) + digit:
        return is_password(word) and digit and sign
    if "@" in word or "/" in word or ":" in word:
        return is_strange(word)
    if joined and not digit and not sign:
        return not code and "." not in word and len(word) >= 8
    return sign or (digit and any(map(str.isalpha, word)) and not is_digest(word))


def number_end(text: str, start: int) -> int:
    """Return where a number that is the whole password ends; 0 if it counts something."""
    found = _WHOLE.match(text, start)
    return found.end() if found and not _CALENDAR.match(found[0]) else 0


def is_phrase(words: list[str]) -> bool:
    """Tell words that somebody chose from a sentence about a password."""
    bare = [word.strip("\"'.,;:!?()").lower() for word in words]
    numbered = any(map(str.isdigit, bare))
    return (
        len(words) <= 12
        and not any(
            word in DESCRIBING or (word in STAND_INS and len(word) > 2) or (is_said(word) and not numbered)
            for word in bare
        )
        and not any(sign in word for word in words for sign in ("/", "\\", "=", "$", "()", "://", "--"))
        # The vowels of some scripts are signs above and below their letters.
        and any(word.isalpha() or word[:1] > "\u0590" for word in bare)
        and (numbered or bare[0] not in SMALL_WORDS)
    )


def is_word_list(words: list[str]) -> bool:
    """Tell words that were drawn from a list, `correct horse battery staple`, from the rest of a sentence."""
    return (
        4 <= len(words) <= 8
        and len(set(words)) == len(words)
        and all(word.isalpha() and word.islower() and 3 <= len(word) <= 12 for word in words)
        and not any(word in _JOINING or word in SMALL_WORDS or word.endswith(_TELLING) for word in words)
        and not any(word in DESCRIBING or word in SAID for word in words if word != "correct")
    )


def first_word(word: str) -> str:
    """Return a value without what a sentence, a list or a link goes on with."""
    word = word.partition("](")[0]
    for sign in (",", ";"):
        head, _, tail = word.partition(sign)
        word = head if tail[:1] in {"", " "} or sign == ";" else word
    if word[:1].isascii():
        word = next((word[:at] for at, char in enumerate(word) if char >= "\u0e00"), word)
    word = word.rstrip(_ENDS)
    return word.rstrip("!?") if word.rstrip("!?").isalpha() else word
