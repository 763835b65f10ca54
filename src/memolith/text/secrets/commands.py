"""Secrets on a command line: `mysql -p…`, `["sshpass", "-p", "…"]`, `echo … | sudo -S`, `requirepass …`.

What a flag means depends on the program: `-p` is a port for ssh and a password for mysql. A table,
`commands.txt`, says what takes one in which program or directive; of a program that is not in it, a
flag's value is one only if nobody would write it as anything else. A list of arguments is the same command.
"""

from __future__ import annotations

from memolith.text.patterns import lazy, lines
from memolith.text.secrets.looks import LIKELY as _MADE_UP
from memolith.text.secrets.looks import look
from memolith.text.secrets.values import (
    TABLE,
    bare,
    is_chosen,
    is_password,
    is_stand_in,
    is_strange,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    Place = tuple[int, int]
    Span = tuple[str, int, int]

_RULES: dict[str, list[str]] = {}
for _line in lines("secrets/commands.txt"):
    _programs, _, _takes = _line.partition(" |")
    for _program in _programs.split():
        _RULES[_program] = _takes.split()
# The last word of each, as the words of a text are compared.
_BY_WORD: dict[bytes, list[str]] = {}
for _program in _RULES:
    _BY_WORD.setdefault(_program.replace("_", "-").rpartition("-")[2].lower().encode(), []).append(_program)
KNOWN = frozenset([*_BY_WORD, b"expect"])
_SLASHED = (" /p:", " /pass:", " /user:")
# How many arguments behind a word the password is.
_STEPS = {"net user": 2}
# A flag that is called after a password takes one.
_CALLED = frozenset(TABLE["called"])
_CALLED_SO = ("storepass", "keypass", "password", "passwd", "passphrase")
# These read a password only if they are told to.
_READS_IF = {"sudo": ("-S",), "login": ("stdin", "-S"), "gpg": ("--passphrase-fd",)}
_WRITERS = ("echo ", "printf ")
_ENDS = "\n;|&`<>、。，；：！？）"
_QUOTES = ('\\"', "\\'", '"', "'")
_FLAGS = frozenset("pPwak")
# Beside a user or an entry of a directory, a flag of a program that nobody has listed takes a password;
# beside a host it does if its value was made up.
_BESIDE = dict.fromkeys("pP", (" -u ", " --user")) | dict.fromkeys("wW", (" -u ", " --user", " -d ", "ldap"))
_NEAR_FLAGS, _NEAR = frozenset("pPw"), (" -u", " -h ", " --host", " -l ", " --login", "@")
_CALLED_FLAG = lazy(r"-?(?:pass(?:wd|word|phrase)?|pwd?|pw)[ =]")
_STRANGE, _HAS_USER = frozenset("!#$%^&*?"), lazy(r"[A-Za-z][\w.@-]{1,40}:(?!/)")
_SHORT_FLAG = 2
_MOST, _LINE = 64, 400  # words of a command; characters before what it reads
_FILTERS = (
    "grep",
    "cat ",
    "wc",
    "jq",
    "sed",
    "awk",
    "tr ",
    "cut ",
    "read ",
    "bc",
    "diff",
    "rev",
    "head",
    "tail",
    "sort",
)
_FILES = ("pass", "pwd", "secret", "cred", "token", "vault", ".pw")
STRANGE, LIKELY, SURE = range(3)  # what a value has to be by itself: strange, like a password, anything
_ACCOUNT_LINES = tuple(TABLE["account-lines"])
_ACCOUNTS, _OPTIONS = frozenset(TABLE["accounts"]), frozenset(TABLE["options"])
_LOGIN_FLAG = lazy(
    r"(?<![\w-])(?:-u|--user|-U|--[\w-]{0,12}auth)"
    r"[ =]{0,3}(['\"]?)([^\s:'\"]{0,64}+)['\"]?:['\"]?([^\s'\"]{0,200}+)"
)
# host:port:database:user:password, in a line that may have a number before it
_PGPASS = lazy(
    r"(?m)(?:^[ \t>`-]{0,4}|['\"`]|(?:[→│|+\t]|\d[:.)-]) {0,2})"
    r"(?!urn:)[\w.*-]{1,80}:(?:\d{4,5}|\*):[\w.*-]{1,64}:"
    r"[A-Za-z*][\w.*-]{0,63}:([^\s:`'\"]{4,100})"
)
_PORT = lazy(r":(?:\d{4,5}|\*):")
_STROKE = lazy(r"(?:^|[\s(:：*`→>=–—-])([\w.@+-]{2,40})[`*]? / ['\"`]?(\S{6,64})")
_PATH = lazy(r"[/.:]")
# What separates the words of a command, a word up to a quote, a value in quotes, a string in a list.
_GAP = lazy(r"(?:[ \t]|\\\r?\n)*+")
_PLAIN = lazy(r"(?:(?!&&|\\?['\"])[^ \t\n;|`、。，；：！？）])*+")
_QUOTED = lazy(r"(?P<quote>\\?['\"])[^\n]{0,298}?(?P=quote)")
_ARGUMENT = lazy(r"[ \t\r\n,\[(]*+(?P<quote>\\?['\"])(?P<value>(?s:.)*?)(?P=quote)")


def secrets(text: str, known: frozenset[bytes]) -> Iterator[Span]:
    """Find what a program is given as its password."""
    for start, end, sure in candidates(text, known):
        word = text[start:end]
        if sure == SURE and end - start >= 3 and word[0] != "-":
            prose = word.isalpha() and not word.isascii()
            if not prose and not is_stand_in(word) and word not in _OPTIONS and "://" not in word:
                yield "password", start, end
        elif is_strange(word) or (sure == LIKELY and _is_likely(word)):
            yield "password", start, end


def _is_likely(word: str) -> bool:
    return (is_password(word) or is_chosen(word)) and any(map(str.isdigit, word)) and not _PATH.search(word)


def logins(text: str, lower: str) -> Iterator[Span]:
    """Find `curl -u name:password`, `name / password`, and lines of a `.pgpass`."""
    if text.count(":") > 3 and _PORT.search(text):
        for match in _PGPASS.finditer(text):
            if not is_stand_in(match[1]) and not match[1].isdigit():
                yield "password", match.start(1), match.end(1)
    for match in _strokes(text):
        word = bare(match[2].rstrip("\"'`,;"))
        signs = not set(word).isdisjoint("!#$%^&*?") and not word.islower()
        line = lower[text.rfind("\n", 0, match.start()) + 1 : match.start(2)]
        named = match[1].lower() in _ACCOUNTS or any(each in line for each in TABLE["sign-in"])
        # "account: manager / …": what stands below a page's name has a capital.
        cased = look(word) >= (_MADE_UP - any(map(str.isupper, word))) and match[1][0].islower()
        named = named or (cased and any(each in line for each in _ACCOUNT_LINES))
        if (signs and is_password(word)) or (named and _is_likely(word)):
            yield "password", match.start(2), match.start(2) + len(word)
    if " -u" not in text and " -U" not in text and "--user" not in text and "-auth" not in text:
        return
    for match in _LOGIN_FLAG.finditer(text):
        name, word = match[2].strip("{}"), match[3].strip("{}")
        if is_password(word) or _is_likely(word):
            yield "password", match.start(3), match.end(3)
        elif not word and is_password(name, 8):
            yield "password", match.start(2), match.end(2)


def _strokes(text: str) -> Iterator[re.Match[str]]:
    at = text.find(" / ")
    while at >= 0:
        if found := _STROKE.search(text, max(0, at - 43), at + 69):
            yield found
        at = text.find(" / ", at + 3)


def candidates(text: str, known: frozenset[bytes]) -> Iterator[tuple[int, int, int]]:
    """Yield where a command may have a password, and how sure its program is.

    `known` are the words of the text that are ours.
    """
    for word in known & KNOWN:
        for program in _BY_WORD.get(word, ()):
            at = text.find(program)
            while at >= 0:
                end = at + len(program)
                if not _is_part(text[at - 1 : at]) and not _is_part(text[end : end + 1]):
                    tokens = _tokens(text, end)
                    rules = _RULES[program]
                    for low, high in _of_program(text, at, end, program, tokens):
                        weak = "?" in rules or ("'" in rules and text[low - 1] not in _QUOTES)
                        yield low, high, LIKELY if weak else SURE
                    # Its own name among its words is one of them.
                    end = tokens[-1][1] if tokens else end
                at = text.find(program, end)
    signs = (*_SLASHED, "<<<", "send ") if b"expect" in known else (*_SLASHED, "<<<")
    for sign in signs if " /" in text or "<<<" in text or "send " in signs else ():
        if sign in text:
            for place in _after(text, sign):
                yield *place, SURE
    yield from _unknown(text)


def _is_part(char: str) -> bool:
    return char.isalnum() or char in {"_", "-", "."}


def _of_program(text: str, at: int, end: int, program: str, tokens: list[Place]) -> Iterator[Place]:
    rules = _RULES[program]
    plain = [place for place in tokens if text[place[0]] != "-"]
    for number, (start, stop) in enumerate(tokens):
        token = text[start:stop]
        following = tokens[number + 1] if number + 1 < len(tokens) else None
        if token.startswith("-"):
            yield from _flagged(text, start, stop, following, rules)
        elif token in rules:
            rest = [one for one in tokens[number + 1 :][:3] if text[slice(*one)].lstrip("0123456789-")]
            yield from (_inside(text, *each) for each in rest[:1])
        elif (steps := _STEPS.get(f"{program} {token}")) and number + steps < len(tokens):
            yield _inside(text, *tokens[number + steps])
    for rule in rules:
        if rule.startswith("#") and plain:
            yield from _positional(text, plain, rule, tokens, program)
    if ">" in rules and plain:
        behind = text[tokens[-1][1] : tokens[-1][1] + 120].partition("\n")[0].lstrip()
        file = behind.lstrip("> ").partition(" ")[0].lower() if behind.startswith(">") else ""
        if any(each in file for each in _FILES):
            yield _inside(text, *plain[-1])
    if "<" in rules and any(
        sign in text[end : end + 200].partition("\n")[0] for sign in _READS_IF.get(program, ("",))
    ):
        yield from _written(text, at, program)


def _flagged(text: str, start: int, stop: int, following: Place | None, rules: list[str]) -> Iterator[Place]:
    token = text[start:stop]
    for rule in rules:
        if not rule.startswith("-"):
            continue
        flag = rule.rstrip("+.:%,")
        inner = rule[len(flag) :].rstrip("+.")
        if not token.startswith(flag):
            continue
        value = None
        is_glued = (
            (len(flag) == _SHORT_FLAG or flag == "-hp") and rule[-1] != "." and token[1:] not in _CALLED
        )
        if len(token) > len(flag) and (is_glued or token[len(flag)] == "="):
            value = start + len(flag) + (token[len(flag)] == "="), stop
        elif token == flag and not rule.endswith("+"):
            value = following
        if value:
            yield from _part(text, *value, inner)
            return
    name, _, value_text = token.lstrip("-").partition("=")
    if name.lower().replace("_", "-").rpartition("-")[2] in _CALLED or (
        name.lower().endswith(_CALLED_SO) and not name.lower().endswith("bypass")
    ):
        place = (stop - len(value_text), stop) if value_text else following
        if place:
            low, high = _inside(text, *place)
            yield low + 5 * text.startswith("pass:", low), high


def _part(text: str, low: int, high: int, sign: str) -> Iterator[Place]:
    """Yield a value, or what is behind a sign in it: `name:…`, also where both are in quotes."""
    if sign:
        high -= text[low] == text[high - 1] and text[low] in "'\""
        low = text.find(sign, low, high) + 1 or high
    if low < high:
        yield _inside(text, low, high)


def _positional(
    text: str, plain: list[Place], rule: str, tokens: list[Place], program: str
) -> Iterator[Place]:
    number, inner = rule[1:].rstrip("/"), rule.endswith("/")
    at = int(number) - (number[0] != "-")
    # `htpasswd -b` takes it from the line, and needs a file and a name before it.
    if program == "htpasswd" and not any(
        text[low] == "-" and "b" in text[low + 1 : high].lstrip("-") for low, high in tokens
    ):
        return
    if program == "networksetup" and "-setairport" not in text[tokens[0][0] : tokens[-1][1]]:
        return
    if len(plain) < (2 if at else 1):
        return
    if -len(plain) <= at < len(plain):
        low, high = _inside(text, *plain[at])
        if inner:
            low = text.find("/", low, high) + 1 or high
            stop = text.rfind("@", low, high)
            high = stop if stop >= 0 else high
        yield low, high


def _written(text: str, at: int, program: str) -> Iterator[Place]:
    """Yield what `echo` writes into a program."""
    first = max(text.rfind("\n", 0, at), at - _LINE, 0)
    pipe = text.rfind("|", first, at)
    begin = max(text.rfind(writer, first, pipe) for writer in _WRITERS) if pipe >= 0 else -1
    between = text[pipe + 1 : at].split()
    if begin >= 0 and len(between) <= (2 if program == "login" else between == ["sudo"]):
        tokens = [place for place in _tokens(text, text.find(" ", begin)) if text[place[0]] != "-"]
        if tokens:
            low, high = _inside(text, *tokens[-1])
            if text.startswith("%s", low) and len(tokens) > 1:
                return
            low = text.find(":", low, high) + 1 or low if program == "chpasswd" else low
            end = text.find("\\n", low, high)
            yield low, end if end >= 0 else high


def _after(text: str, sign: str) -> Iterator[Place]:
    at = text.find(sign)
    while at >= 0:
        tokens = _tokens(text, at + len(sign))
        if tokens and sign == " /user:":
            # `net use … /user:name password`, or before it.
            yield from (_inside(text, *place) for place in tokens[1:2] if text[place[0]] not in "/-")
            before = text[max(0, at - _LINE) : at].rpartition("\n")[2]
            word = before.rpartition(" ")[2]
            if "net use" in before and word[:1] not in {"\\", "*", ""} and word[-1] != ":" and word != "use":
                yield at - len(word), at
        elif sign == "send ":
            # What `expect` types in.
            low, high = _inside(text, *tokens[0]) if tokens else (at, at)
            if text.endswith("\\r", low, high):
                yield low, high - 2
        elif tokens:
            low, high = _inside(text, *tokens[0])
            if sign == "<<<" and ":" in text[low:high]:
                low = text.find(":", low, high) + 1
            if sign != "<<<" or _reads(text, at):
                yield low, high
        at = text.find(sign, at + len(sign))


def _reads(text: str, at: int) -> bool:
    line = text[max(0, at - _LINE) : at].rpartition("\n")[2].rpartition("`")[2].lstrip("$ ")
    if line.startswith(_FILTERS):
        return False
    return line.startswith("su ") or any(reader in line for reader in TABLE["readers"])


def _unknown(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield the strange value of a short flag, or one beside a user or a host: no port or path looks so."""
    at = text.find(" -")
    while at >= 0:
        called = _CALLED_FLAG.match(text, at + 2)
        flag = text[at + 2 : at + 3]
        if called or flag in _FLAGS:
            start = called.end() if called else at + 3 + (text[at + 3 : at + 4] == " ")
            tokens = _tokens(text, start, 1)
            if tokens and tokens[0][0] == start:
                low, high = _inside(text, *tokens[0])
                low = text.find(":", low, high) + 1 or low if _HAS_USER.match(text, low, high) else low
                value = text[low:high]
                if high - low >= 6 and any(map(str.isdigit, value)) and any(map(str.isalpha, value)):
                    line = text[max(0, at - _LINE) : at].rpartition("\n")[2].lower()
                    line += " " + text[high : high + _LINE].partition("\n")[0].lower()
                    if (
                        called
                        or any(sign in line for sign in _BESIDE.get(flag, ()))
                        or (
                            flag in _NEAR_FLAGS
                            and look(value) >= _MADE_UP
                            and any(sign in line for sign in _NEAR)
                        )
                    ):
                        yield low, high, LIKELY
                    elif not _STRANGE.isdisjoint(value):
                        yield low, high, STRANGE
        at = text.find(" -", at + 2)


def _tokens(text: str, at: int, most: int = _MOST) -> list[Place]:
    """Cut a command into its words, up to its end; a quote counts only where a value begins."""
    found: list[Place] = []
    size = min(len(text), at + 2000)
    quote = next((each for each in _QUOTES if text.startswith(each, at)), "")
    if quote and text[at + len(quote) :][:4].lstrip().startswith(","):
        return _arguments(text, at + len(quote), size, quote)
    while len(found) < most:
        gap = _GAP.match(text, at, size)
        start = gap.end() if gap else at
        if start >= size or text[start] in _ENDS or text.startswith("\\n", start):
            break
        at = _word_end(text, start, size)
        if at == start:
            break
        found.append((start, at))
        if at - start > 1 and text[at - 1] == "." and (text[start] != "-" or at - start <= 3):
            break  # the end of a sentence
    return found


def _arguments(text: str, at: int, size: int, quote: str) -> list[Place]:
    """Return the strings of a list of arguments, without their quotes."""
    found: list[Place] = []
    while len(found) < _MOST and (each := _ARGUMENT.match(text, at, size)) and each["quote"] == quote:
        found.append(each.span("value"))
        at = each.end()
    return [place for place in found if place[0] < place[1]]


def _word_end(text: str, at: int, size: int) -> int:
    plain = _PLAIN.match(text, at, size)
    end = plain.end() if plain else at
    word = text[at:end]
    may_open = word in {"", "$"} or word[-1] in "=:,%/" or (word[0] == "-" and len(word) <= 3)
    quoted = _QUOTED.match(text, end) if end < size and may_open else None
    return quoted.end() if quoted else end


def _inside(text: str, start: int, end: int) -> Place:
    """Return a value without its quotes, or without the end of the sentence it stands in."""
    for quote in _QUOTES:
        if text.startswith(quote, start) and text.endswith(quote, start + 1, end):
            return start + len(quote), end - len(quote)
    if text[start] in "([{":
        return end, end
    while end > start and text[end - 1] in ".,)\"'}]":
        end -= 1
    return start, end
