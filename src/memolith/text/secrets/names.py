"""Where a text has a word that names a secret: `apiKey`, `DB_PASSWORD`, "the staging password", `пароль`."""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.words import GLUED, OPEN, WIFI

# What is looked for in lower-cased text, and the kind it makes. A `weak` word needs a random value; an
# `assigned` one has a password if something is assigned to it, and is a verb else.
_BY_KIND = {
    "password": "passw passphrase passcode passord pwd pw psk cred",
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
# The rest of the word after what was found; nothing else may follow in the same word.
_REST = lazy(
    r"(?:(?i:ords?|orden|ds?|phrases?|codes?|entials?|s|orte?[ns]?|e[nt]|frasen?)|(?i:orization|entication|enticate)|)(?![a-z])"
)
_GOES_ON = lazy(r"[A-Z]|[0-9]{1,3}[A-Za-z]|[0-9]{4}")
_FOLDER = lazy(r"\d{0,3}/[\w.-]+/")
_ACCESS_ID = lazy(r"(?i)_?id(?![a-z])")
# "The new one is …", where a password was named.
_ONE = lazy(r"\b(?:old|new|other|previous|former|current|first|second|last) (?:one|value)\b")
_USER = lazy(r"\b(?:user|login|username|utente|usuario)\b[^\n]{0,32}$")
_TYPED = 48

# Where it begins and ends, the English word (empty for one of another language), its kind.
Name = tuple[int, int, str, str]


def names(text: str, lower: str, tongues: list[tuple[int, int, str]]) -> list[Name]:
    """Return the names in a text in their order; `tongues` are those that `secret_tongues` found."""
    found: dict[int, Name] = {}
    for at, word in _hits(lower):
        rest = _REST.match(text, at + len(word))
        if rest and text[at - 1 : at] == "/" and _FOLDER.match(text, rest.end()):
            continue  # `/srv/secrets/…` names a place
        # A short word in the middle of random letters is none.
        if rest and _begins_well(text, at, word) and (len(word) > 4 or not _GOES_ON.match(text, rest.end())):
            end = rest.end()
            number = _ACCESS_ID.match(text, end) if word == "access" else None
            end = number.end() if number else end
            # `Passwort` and `passord` are told as other languages do.
            known = "" if lower[at + 4 : end].startswith(("wort", "ord")) else word
            found[at] = at, end, known, _kind(lower, at, end, WORDS[word])
    for at, end, kind in tongues:
        is_one = kind in {"password", "phrase", "loose", "code"} or (
            kind == "key" and not _is_open(lower, at)
        )
        if is_one and (at not in found or found[at][1] < end):
            known = _kind(lower, at, end, kind)
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


def _kind(lower: str, at: int, end: int, kind: str) -> str:
    """Return the kind of a name; the key of a network is a password."""
    if kind == "phrase":
        return "password"
    if kind == "assigned" and (
        lower[end : end + 10].lstrip().startswith(WIFI)
        or (lower[at - 2 : at] in {", ", "; "} and _USER.search(lower, max(0, at - 40), at))
        or (lower[at - 1 : at] == "_" and lower[max(0, at - 12) : at - 1].endswith(GLUED))
    ):
        return "password"
    if kind not in {"key", "code"}:
        return kind
    before, behind = lower[max(0, at - _TYPED) : at], lower[at : end + _TYPED]
    near = before.rpartition("\n")[2] + behind.partition("\n")[0]
    return "password" if any(word in near for word in WIFI) else kind


def _is_open(lower: str, at: int) -> bool:
    near = lower[max(0, at - _TYPED) : at]
    return any(word in near for word in OPEN)


def _hits(lower: str) -> list[tuple[int, str]]:
    found = []
    for word, longer in _SEARCHED.items():
        at = lower.find(word)
        while at >= 0:
            found.append((at, next(each for each in longer if lower.startswith(each, at))))
            at = lower.find(word, at + len(word))
    return found


def _begins_well(text: str, at: int, word: str) -> bool:
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
    return text[max(0, at - 12) : at].lower().endswith(GLUED)
