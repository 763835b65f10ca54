"""Where a text has a word that names a secret: `apiKey`, `DB_PASSWORD`, "the staging password", `пароль`.

English words are written in every way that code has, so they are found inside of other words. Those of forty
languages are in `names.txt`: a word is compared as a whole, a stem is searched for, one of other letters only
if the text has them. Finding them needs no `re`, because the look before the scanner asks too.
"""

from __future__ import annotations

from memolith.text.patterns import lazy, lines
from memolith.text.secrets.values import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Where a name begins and ends, the English word (empty for one of another language), its kind.
Name = tuple[int, int, str, str]
Foreign = tuple[int, int, str]

# What is looked for in lower-cased text, and the kind it makes. A `weak` word needs a random value; an
# `assigned` one has a password if something is assigned to it, and is a verb else.
_BY_KIND = {
    "password": "passw passphrase passcode passord pwd pw psw psk cred",
    "assigned": "pass login",
    "secret": "secret",
    "token": "token bearer auth",
    "key": "key",
    "weak": "access private pat signature sig dsn",
}
WORDS = {word: kind for kind, words in _BY_KIND.items() for word in words.split()}
# Those that begin alike are found by one search; the longest one counts.
_SEARCHED = {
    word: sorted((each for each in WORDS if each.startswith(word)), key=len, reverse=True)
    for word in WORDS
    if not any(other != word and word.startswith(other) for other in WORDS)
}
# The rest of the word after what was found, longest first; nothing else may follow in the same word.
_RESTS = sorted(TABLE["rests"], key=len, reverse=True)
_GLUED, _WIFI, _OPEN = (tuple(TABLE[name]) for name in ("glued", "wifi", "open"))
_GOES_ON = lazy(r"[A-Z]|[0-9]{1,3}[A-Za-z]|[0-9]{4}")
_FOLDER = lazy(r"\d{0,3}/[\w.-]+/")
_ACCESS_ID = lazy(r"(?i)_?id(?![a-z])")
# "The new one is …", where a password was named.
_ONE = lazy(r"\b(?:old|new|other|previous|former|current|first|second|last) (?:one|value)\b")
_USER = lazy(r"\b(?:user|login|username|utente|usuario)\b[^\n]{0,32}$")
_TYPED = 48

# By the last word of each, as the bytes that the words of a text are: its names and their kinds.
_BY_WORD: dict[bytes, list[tuple[str, str]]] = {}
# By their first letter that is not ASCII: stems, kinds, how long an ending may be.
_BY_LETTER: dict[str, list[tuple[str, str, int]]] = {}
# Those in ASCII by their longest word, which a text has before it is searched for the stem; and short ones.
_BY_STEM: dict[bytes, list[tuple[str, str, int]]] = {}
_SHORT: list[tuple[str, str, int]] = []
_LONG = 5
for _line in lines("secrets/names.txt"):
    _kind, _ending, *_names = _line.split(" ")
    _most = int(_ending) if _ending != "=" else 0
    for _name in _names:
        _name = _name.replace("_", " ")
        if not _name.isascii():
            _letter = next(char for char in _name if not char.isascii())
            _BY_LETTER.setdefault(_letter, []).append((_name, _kind, _most))
        elif _ending == "=":
            _last = _name.replace("-", " ").replace("'", " ").rpartition(" ")[2].encode()
            _BY_WORD.setdefault(_last, []).append((_name, _kind))
        else:
            _word = max(_name.split(" "), key=len).encode()
            _rows = _BY_STEM.setdefault(_word, []) if len(_name) >= _LONG else _SHORT
            _rows.append((_name, _kind, _most))
KNOWN = frozenset(_BY_WORD)
# Everything but ASCII letters and digits ends a word.
_SPACES = bytes(each if each < 128 and chr(each).isalnum() else 32 for each in range(256))
_ASCII = bytes(range(128))
# Words that this process has looked through before: those of a thousand notes are much the same.
_without_stem: set[bytes] = set()
_MANY_WORDS = 50_000
_P, _EIGHT = ord("p"), 8
_RIGHT, _MISSPELT = ("password", "passwort"), frozenset(TABLE["misspelt"])
_PART, _LONGEST = 65_536, 32  # characters that are looked at together; of a word
# A stem of this many letters may be the last part of a compound: `WLAN-Lösenord`.
_COMPOUND = 6
_NETWORKS = ("wifi", "wlan")
_OTHER_CODES = frozenset(
    [
        "en",
        "de",
        "bar",
        "uni",
        "op",
        "byte",
        "trans",
        "geo",
        "re",
        "open",
        "x",
        "vs",
        "המי",
        "מי",
        "במי",
        "למי",
    ]
)


def lowered(text: str) -> str:
    """Return a text in lower case, every character in its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    # One capital of Turkish is two characters in lower case.
    return "".join([char.lower() if char.isascii() else char for char in text])


def known_in(lower: str, *ours: frozenset[bytes]) -> frozenset[bytes]:
    """Return those of our words and stems that a text in lower case has; part by part, for its memory."""
    found: set[bytes] = set()
    for at in range(0, len(lower), _PART):
        part = lower[at : at + _PART + _LONGEST].encode("utf-8", "replace")
        words = set(part.translate(_SPACES).split())
        found.update(*[words & each for each in ours])
        long = [word for word in words if len(word) >= _LONG and word not in _without_stem]
        if long:
            joined = b" ".join(long)
            stems = [stem for stem in _BY_STEM if stem in joined]
            if b"p" in joined:
                stems += [word for word in long if word[0] == _P and _is_misspelt(word.decode())]
            found.update(stems)
            if not stems and len(_without_stem) < _MANY_WORDS:
                _without_stem.update(long)
    return frozenset(found)


def _is_misspelt(word: str) -> bool:
    """Whether a word is a password's with one letter too many, too few, wrong, or two changed over."""
    if word in _MISSPELT:
        return True
    for right in _RIGHT if abs(len(word) - _EIGHT) <= 1 and ("ss" in word or "sw" in word) else ():
        same = 0
        while same < min(len(word), len(right)) and word[same] == right[same]:
            same += 1
        one, two = word[same:], right[same:]
        swapped = one[:2] == two[:2][::-1] and one[2:] == two[2:]
        if word != right and (swapped or one[1:] == two or one == two[1:] or one[1:] == two[1:]):
            return word not in WORDS and not word.startswith(("password", "passwort"))
    return False


def names(text: str, lower: str, foreign: list[Foreign]) -> list[Name]:
    """Return the names in a text in their order; `foreign` are those of other languages."""
    found: dict[int, Name] = {}
    for at, end, word in english(text, lower):
        if text[at - 1 : at] == "/" and (
            _FOLDER.match(text, end) or (word == "cred" and text[end : end + 1].isspace())
        ):
            continue  # `/srv/secrets/…` and `~/.aws/credentials` name a place
        # A short word in the middle of random letters names nothing.
        if len(word) > 4 or not _GOES_ON.match(text, end):
            number = _ACCESS_ID.match(text, end) if word == "access" else None
            last = number.end() if number else end
            # `Passwort` and `passord` are words of other languages.
            known = "" if lower[at + 4 : last].startswith(("wort", "ord")) else word
            found[at] = at, last, known, _kind_of(lower, at, last, WORDS[word])
    for at, end, kind in foreign:
        is_open = any(word in lower[max(0, at - _TYPED) : at] for word in _OPEN)
        is_one = kind in {"password", "phrase", "loose", "code", "token"} or (kind == "key" and not is_open)
        if is_one and (at not in found or found[at][1] < end):
            known = _kind_of(lower, at, end, kind)
            if known != "code":
                found[at] = at, end, "", known
    if (" one" in lower or " value" in lower) and any(name[3] == "password" for name in found.values()):
        found |= {match.start(): (*match.span(), "", "password") for match in _ONE.finditer(lower)}
    names: list[Name] = []
    for name in sorted(found.values()):
        # `kata sandi` and `sandi` are one.
        if not names or name[0] >= names[-1][1]:
            names.append(name)
    return names


def english(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    """Yield where an English name begins and ends, and its word: `apiKey` and `my key`, not `keyboard`."""
    for first in [each for each in _SEARCHED if each in lower]:
        for at in _places(lower, first):
            word = next(each for each in _SEARCHED[first] if lower.startswith(each, at))
            end = _rest_end(text, lower, at + len(word))
            if end and _begins_english(text, at, word):
                yield at, end, word


def _rest_end(text: str, lower: str, end: int) -> int:
    """Return where the word ends that goes on at `end`; 0 if it goes on with what makes it another."""
    for rest in _RESTS:
        if lower.startswith(rest, end) and not "a" <= text[end + len(rest) : end + len(rest) + 1] <= "z":
            return end + len(rest)
    return 0 if "a" <= text[end : end + 1] <= "z" else end


def _begins_english(text: str, at: int, word: str) -> bool:
    """Tell `apiKey`, `API_KEY`, `db-key` and `my key` from `monkey`."""
    if at == 0 or (len(word) >= 5 and word != "login"):
        return True
    left, first = text[at - 1], text[at]
    if first.islower() and text[at + 1].isupper():
        return False  # in the middle of random letters
    if not (left.isalpha() and left.isascii()):
        return True
    if first.isupper() and left.islower():
        return True
    return text[max(0, at - 12) : at].lower().endswith(_GLUED)


def _kind_of(lower: str, at: int, end: int, kind: str) -> str:
    """Return the kind of a name; the key of a network is a password."""
    if kind == "phrase":
        return "password"
    if kind == "assigned" and (
        lower[end : end + 10].lstrip().startswith(_WIFI)
        or (lower[at - 2 : at] in {", ", "; "} and _USER.search(lower, max(0, at - 40), at))
        or (lower[at - 1 : at] == "_" and lower[max(0, at - 12) : at - 1].endswith(_GLUED))
    ):
        return "password"
    if kind not in {"key", "code"}:
        return kind
    before, behind = lower[max(0, at - _TYPED) : at], lower[at : end + _TYPED]
    near = before.rpartition("\n")[2] + behind.partition("\n")[0]
    return "password" if any(word in near for word in _WIFI) else kind


def foreign_names(text: str, lower: str, known: frozenset[bytes]) -> Iterator[Foreign]:
    """Yield where a name of another language begins and ends, and its kind; in no order.

    `known` are the words and stems of the text that are ours.
    """
    lower = lower.replace("_", " ")  # `mot_de_passe`
    for word in known & KNOWN:
        for name, kind in _BY_WORD[word]:
            for at in _places(lower, name):
                end = at + len(name)
                if not _is_letter(text[at - 1 : at]) and not _is_letter(text[end : end + 1]):
                    yield at, end, kind
    others = [word.decode() for word in known - KNOWN - _BY_STEM.keys() if word[0] == _P]
    for name in filter(_is_misspelt, others):
        yield from ((at, at + len(name), "loose") for at in _places(lower, name))
    stems = [*_SHORT, *(row for word in known & _BY_STEM.keys() for row in _BY_STEM[word])]
    if not text.isascii():
        letters = other_letters(lower)
        stems += [row for letter in _BY_LETTER.keys() & letters for row in _BY_LETTER[letter]]
    for stem, kind, ending in stems:
        for at in _places(lower, stem):
            if _begins_well(text, at, stem, kind) and (end := _end(text, at + len(stem), ending)):
                yield at, end, kind


def other_letters(lower: str) -> set[str]:
    """Return the characters of a text that are not ASCII."""
    return set(lower.encode("utf-8", "replace").translate(None, _ASCII).decode("utf-8", "replace"))


def _places(lower: str, name: str) -> Iterator[int]:
    at = lower.find(name)
    while at >= 0:
        yield at
        at = lower.find(name, at + len(name))


def _is_letter(char: str) -> bool:
    """Whether a word goes on with a character; a script without spaces may stand next to it."""
    return char.isalnum() and char < "\u0e00"


def _begins_well(text: str, at: int, stem: str, kind: str) -> bool:
    """Tell a word from a part of one; a script without case has no spaces either, or takes prefixes.

    A code says in the same word what it opens.
    """
    if not at or not text[at - 1].isalpha() or (not stem[0].islower() and kind != "code"):
        return True
    if kind != "code":
        return len(stem) >= _COMPOUND or stem in _NETWORKS
    first = at
    while first and at - first < _COMPOUND and text[first - 1].isalpha():
        first -= 1
    return text[first:at].lower() not in _OTHER_CODES


def _end(text: str, end: int, ending: int) -> int:
    """Return where a word ends whose stem ends there; 0 if it goes on for longer than an ending does.

    Scripts with no ending to allow for have no spaces either; a Latin word without one ("code") is whole.
    """
    last = end
    if not ending and text[end - 1].isascii() and text[end : end + 1].isalpha():
        return 0
    while ending and last - end <= ending and text[last : last + 1].isalpha() and text[last] < "\u2e80":
        last += 1
    return last if last - end <= ending else 0
