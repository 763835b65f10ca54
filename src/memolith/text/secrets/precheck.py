"""Whether a text can hold a secret at all, told without a regular expression.

For the commands that run on every prompt: loading `re` and the scanner's patterns costs more than their whole
answer. `may_hold_secret` never says no where `redact` finds something (tests/text/secrets/test_precheck.py);
a yes means that the scanner has to look. Each step names the finder that it stands for.

One translation of the text turns its characters into classes, so that words with digits and long words are
found by searching for a byte. Only those are looked at, and only a word near them can make them a secret.
"""

from __future__ import annotations

from itertools import pairwise

from memolith.text.secrets import commands, tongues
from memolith.text.secrets.values import is_jumbled
from memolith.text.secrets.words import ACCOUNTS, GLUED, HINTS, PROVIDERS, WIFI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACE = b" \t\n\r\f\v"
_DIGITS = b"0123456789"
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CAPITALS = _LETTERS[26:]


def _table(*classes: tuple[bytes, bytes]) -> bytes:
    """Return a table for `bytes.translate` that gives each character its class, and `_` to all others."""
    table = bytearray(b"_" * 256)
    for name, members in classes:
        for each in members:
            table[each] = name[0]
    return bytes(table)


# What is not ASCII may be a digit of another script; it is `?` or above 127 by now.
_WORDS = _table((b" ", _SPACE), (b"0", _DIGITS + b"?" + bytes(range(128, 256))), (b"|", b"|"))
_RUNS = _table((b"x", _LETTERS + _DIGITS + b"_.~+/=-"))
_MARKS = _table((b"!", _DIGITS + _CAPITALS))
_GROUPS = _table((b"x", _LETTERS + _DIGITS), (b" ", b" .-\xb7"))

# Words that make a second look worth it.
KNOWN = tongues.KNOWN | commands.KNOWN
# Tags and tokens that announce themselves; none of them is common in ordinary text.
_ANNOUNCED = (b"AKIA", b"ghp", b"WIFI:", b"jdbc:oracle:")
_PHRASES = (b"mnemonic", b" phrase", b"seed words")
_HASHES = ("$2$", "$2a$", "$2b$", "$2x$", "$2y$", "$1$", "$5$", "$6$", "$apr1$", "$argon2", "$y$", "$krb5")
_IN_RUNS = ("eyJ", "Q~", "A3T", "BUNDLE_")
# What `secret_context` looks for: a password may be any word, the value of the others never is.
_PASSWORDS = tuple(b"passw passphrase passcode passord pwd pw psk cred pass login".split())
_KEYS = (b"key", b"token", b"secret", b"auth", b"access", b"private", b"pat", b"sig", b"dsn", b"bearer")
# Nothing more than these, behind which there is a signature or the secret path of a webhook.
_BARE = (b"hmac=", b"sas=", b"hook")
_SUFFIXES = tuple(
    b"""ords ord ds d phrases phrase codes code entials ential s nature natures orization entication enticate
    ort orts orte ortes orten orden ordet et en frase frasen""".split()
)
_GLUED = tuple(word.encode() for word in GLUED)
# How far the beginning of a value can be from the beginning of its name.
_REACH = 190
_AHEAD = 60  # the same for a name that stands behind its value
_ACCOUNTS = tuple(name.encode() for name in ACCOUNTS)
_SIGNS = (b"!", b"#", b"$", b"%", b"^", b"&", b"*", b"?")
_ASCII_SMALL = frozenset("abcdefghijklmnopqrstuvwxyz")
_BREAKS = frozenset("\\\r\n'\"")


def may_hold_secret(text: str) -> bool:
    """Tell whether `redact(text)` could find something; False is certain."""
    if not text.isascii() and ("\u212a" in text or "\u0130" in text):
        return True  # the only ones whose small letters are ASCII
    return _Text(text).may_hold_secret()


class _Text:
    """A text, and its bytes: one for each character, so that a place is the same in both."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = text.encode("latin-1", "replace")
        self.lower = self.data.lower()

    def may_hold_secret(self) -> bool:
        """Ask the finders one after the other, the cheapest first."""
        data, lower = self.data, self.lower
        for needle in _ANNOUNCED:
            if needle in data:
                return True
        for needle in _PHRASES:
            if needle in lower:
                return True
        for at in _places(lower, b"private"):
            if lower[at - 1 : at] == b"<" or lower.startswith((b" key", b"-lines"), at + 7):
                return True
        if b"$" in data and any(needle in self.text for needle in _HASHES):
            return True
        return (
            self._has_login()
            or self._has_password()
            or self._has_other()
            or self._has_value()
            or self._has_run()
        )

    def _has_other(self) -> bool:
        """`command_secrets`, names of other languages, what makes a key a password or a column's title."""
        lower = self.text.lower()
        known = tongues.known_in(lower, KNOWN)
        if next(commands.candidates(self.text, known), None):
            return True
        names = list(tongues.names(self.text, lower, known))
        keys = b"key" in self.lower or any(kind in ("key", "code") for _, _, kind in names)
        if keys and any(word in lower for word in WIFI):
            return True
        for at, end, kind in names:
            behind = self.text[end : end + 160]
            near = self.text[max(0, at - 160) : at] + behind
            if (
                kind in ("password", "phrase", "loose")
                or (kind == "pair" and ("/" in behind or "|" in behind))
                or (kind not in ("pair", "code") and _could_hold(near))
                or (kind == "code" and any(map(str.isdigit, self.text[max(0, at - 20) : end + 64])))
            ):
                return True
        return b"|--" in self.data.replace(b" ", b"").replace(b":", b"") and any(
            word in self.lower for word in _KEYS
        )

    def _has_login(self) -> bool:
        """`url_secrets` and `command_logins`: something before `@`, `name / password`, `-u name:password`."""
        for at in _places(self.data, b"://"):
            end = self.data.find(b"@", at, at + 262)
            if end >= 0 and b"/" not in self.data[at + 3 : end] and _is_one_word(self.data[at:end]):
                return True
        if b" / " in self.data and any(sign in self.lower for sign in (*_SIGNS, *_ACCOUNTS)):
            return True
        if self.data.count(b":") > 3 and any(map(self._is_port, _places(self.data, b":"))):
            return True
        for at in _places(self.lower, b"-u"):
            if self.data[at - 1 : at] in (b" ", b"-"):
                rest = self.data[at + 2 : at + 85].removeprefix(b"ser").lstrip(b" =")
                if b":" in rest and _is_one_word(rest.partition(b":")[0]):
                    return True
        return False

    def _is_port(self, at: int) -> bool:
        """Tell `:5432:` and `:*:`, which the lines of a `.pgpass` have."""
        port, colon, _ = self.data[at + 1 : at + 7].partition(b":")
        return bool(port and colon) and port.strip(_DIGITS) in (b"", b"*")

    def _has_password(self) -> bool:
        """`labelled`: the name of a password, or a short form of one to which something is assigned."""
        for start in (b"pass", b"pw", b"psk", b"cred", b"login"):
            for at in _places(self.lower, start):
                for word in _PASSWORDS:
                    if self.lower.startswith(word, at) and self._is_name(at, word):
                        if word not in (b"pass", b"login"):
                            return True
                        rest = self.data[at + len(word) : at + len(word) + 120]
                        signs = (b"=", b":", b"->", b"/", b"|", b"`", b"'", b'"')
                        if any(sign in rest for sign in signs) or any(map(_is_chosen, rest.split())):
                            return True
        return False

    def _is_name(self, at: int, word: bytes) -> bool:
        """Tell a word that names a secret from a part of another: `apiKey`, not `keyboard` or `monkey`."""
        text, end = self.text, at + len(word)
        if text[end : end + 1] in _ASCII_SMALL and not any(
            self.lower.startswith(rest, end)
            and text[end + len(rest) : end + len(rest) + 1] not in _ASCII_SMALL
            for rest in _SUFFIXES
        ):
            return False
        if at == 0 or (len(word) >= 5 and word != b"login"):
            return True
        left = text[at - 1]
        if not (left.isalpha() and left.isascii()) or (text[at].isupper() and left.islower()):
            return True
        return self.lower.endswith(_GLUED, max(0, at - 12), at)

    def _is_named(self, start: int, end: int) -> bool:
        """Tell whether a name stands before or in a word."""
        first = max(0, start - _REACH)
        near = self.lower[first : end + _AHEAD]
        for word in _KEYS:
            at = near.find(word)
            while at >= 0:
                if self._is_name(first + at, word):
                    return True
                at = near.find(word, at + 1)
        return any(word in near for word in _BARE)

    def _has_value(self) -> bool:
        """`labelled`, `taken_apart`: a word with digits near a name, or among others of the same length."""
        words = self.data.translate(_WORDS)
        groups = self.data.translate(_GROUPS)
        if b"|" in words and b"0" * 15 + b"|" in words:
            return True
        at = words.find(b"0")
        while at >= 0:
            start, end = words.rfind(b" ", 0, at) + 1, words.find(b" ", at)
            end = end if end >= 0 else len(words)
            if end - start >= 8 and _could_be_value(self.text[start:end]) and self._is_named(start, end):
                return True
            if _is_group(groups, start, end) and self._is_taken_apart():
                return True
            at = words.find(b"0", end)
        return False

    def _is_taken_apart(self) -> bool:
        from memolith.text.secrets.shapes import APART_WORDS

        return any(word in self.lower for word in APART_WORDS)

    def _has_run(self) -> bool:
        """`random_runs`, `named_tokens`, and values without digits."""
        runs, marks = self.data.translate(_RUNS), self.data.translate(_MARKS)
        groups = self.data.translate(_GROUPS)
        marked: list[tuple[int, int]] = []
        at = runs.find(b"x" * 12)
        while at >= 0:
            end = runs.find(b"_", at)
            end = end if end >= 0 else len(runs)
            is_marked = marks.find(b"!", at, end) >= 0
            if is_marked:
                marked.append((at, end))
            if end - at >= 16 and is_marked and self._has_random(at, end):
                return True
            if (
                (is_marked or groups.find(b"x" * 12, at, end) >= 0)
                and _is_jumbled(self.text[at:end])
                and (self._is_named(at, end) or self._has_random(at, end))
            ):
                return True
            at = runs.find(b"x" * 12, end)
        return bool(marked) and self._has_format(marked)

    def _has_random(self, start: int, end: int) -> bool:
        """`random_runs`: a mixed piece, or a random one behind a hint or the name of a provider."""
        low = start
        for piece in self.text[start:end].split("="):
            if len(piece) >= 16 and "/" not in piece.rstrip("/") and "+" not in piece.rstrip("+"):
                digits = sum(map(str.isdigit, piece))
                changes = _case_changes(piece) if piece != piece.lower() else 0
                if changes >= (7 if digits else 11):
                    return True
                if (digits >= 2 or _is_jumbled(piece)) and self._is_known(low, piece):
                    return True
            low += len(piece) + 1
        return False

    def _is_known(self, start: int, piece: str) -> bool:
        parts = piece.lower().replace("-", "_").replace(".", "_").rstrip("_~").split("_")
        if len(parts[-1]) >= 8 and not HINTS.isdisjoint(parts):
            return True
        near = self.text[max(0, start - 40) : start].rpartition("\n")[2].lower()
        spaced = "".join([char if char.isascii() and char.isalnum() else " " for char in near])
        return any(word.lstrip("0123456789") in PROVIDERS for word in spaced.split())

    def _has_format(self, marked: list[tuple[int, int]]) -> bool:
        """`named_tokens`: a published beginning with a tail that is long enough, or broken off."""
        from memolith.text.secrets.formats import beginnings

        found = [self.text[low:high] for low, high in marked]
        joined = "\n".join(found)
        if (
            any(needle in joined for needle in _IN_RUNS)
            or "\nAA" in f"\n{joined}"
            or any(map(_is_long, found))
        ):
            return True
        for first, rows in beginnings().items():
            if first in joined:
                for _, beginning, alphabet, least in rows:
                    if beginning in joined and self._has_tail(marked, beginning, alphabet, least):
                        return True
        return False

    def _has_tail(self, marked: list[tuple[int, int]], beginning: str, alphabet: str, least: int) -> bool:
        from memolith.text.secrets.formats import MEMBERS

        text, members, size = self.text, MEMBERS[alphabet], len(beginning)
        for low, high in marked:
            at = text.find(beginning, low, high)
            while at >= 0:
                end = at + size
                while end < high and text[end] in members:
                    end += 1
                tail = end - at - size
                if tail >= least or (tail >= 6 and size >= 4 and text[end : end + 1] in _BREAKS):
                    return True
                at = text.find(beginning, at + 1, high)
        return False


def _places(data: bytes, needle: bytes) -> Iterator[int]:
    at = data.find(needle)
    while at >= 0:
        yield at
        at = data.find(needle, at + 1)


def _is_chosen(word: bytes) -> bool:
    """Tell whether a word could be a password by itself: letters and digits."""
    return len(word) >= 5 and not word.isalpha() and not word.isdigit() and any(map(_DIGITS.count, word))


def _could_hold(near: str) -> bool:
    """Tell whether there is a digit, or a word that is long enough to be random."""
    return any(map(str.isdigit, near)) or any(len(word) >= 12 for word in near.split())


def _is_one_word(data: bytes) -> bool:
    return not any(space in data for space in _SPACE)


def _is_group(groups: bytes, start: int, end: int) -> bool:
    """Tell whether in or around a word there are five groups of four, the same distance apart."""
    if end - start <= 8:
        before, after = groups[max(0, start - 8) : start].rstrip(b" "), groups[end : end + 8].lstrip(b" ")
        if (not before.endswith(b"xxxx") or before.endswith(b"xxxxx")) and not after.startswith(b"xxxx"):
            return False
    at = start
    while at < end:
        near = groups[max(0, at - 40) : at + 40]
        for gap in (b" ", b"  ", b"   "):
            if (b"xxxx" + gap) * 4 + b"xxxx" in near:
                return True
        at += 20
    return False


def _could_be_value(word: str) -> bool:
    """Tell a word with digits that could be a secret from a number, a date or a version."""
    if not word.isascii():
        return any(map(str.isdigit, word))
    if len(word) < 35 and word.lower() == word.upper():
        return any(sign in word for sign in "~+=@%!$#&*:")
    return True


def _is_jumbled(run: str) -> bool:
    """Tell a run without digits that could be random: jumbled letters, or many changes of case."""
    for sign in "_.~+/=":
        if sign in run:
            run = run.replace(sign, "-")
    for piece in run.split("-"):
        if len(piece) >= 12 and (len(piece) > 64 or is_jumbled(piece)):
            return True
    return run != run.lower() and _case_changes(run) >= 11


def _case_changes(word: str) -> int:
    kinds = [0 if char.islower() else 1 if char.isupper() else 2 for char in word if char.isalnum()]
    return sum(one != two for one, two in pairwise(kinds))


def _is_long(run: str) -> bool:
    """`named_tokens`: the formats that begin with nothing special, by the least that they are long."""
    size = len(run)
    if size < 36:
        return False
    if size >= 57 and run.count(".") >= 2:
        return True
    if "-us" in run or "A3-" in run or (size >= 70 and ("pat" in run or "1000." in run or "v1.0-" in run)):
        return True
    pieces = run.replace(".", "-").replace("~", "-").split("-") if "/" in run or "+" in run else ()
    return any(len(piece) == 40 for piece in pieces)
