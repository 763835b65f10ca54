"""Tools and programs that work with this machine's files only; what is not listed may bring anybody's words.

A list of what reaches out would never be whole: there is always another spelling, another client, another
server. So a command stays here only if every program in it is listed, whatever joins them. In doubt it does
not: then what the agent says next is shown to who asks, and to nobody unasked. The lists are data
(`local_tools.txt`).
"""

from __future__ import annotations

from memolith.text.patterns import lazy, sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_TABLE = {name: frozenset(words) for name, words in sections("local_tools.txt").items()}
TOOLS = {name.removeprefix("tool "): words for name, words in _TABLE.items() if name.startswith("tool ")}
_NONE: frozenset[str] = frozenset()
_LOADING = ("PATH", "LD_", "DYLD_", "GIT_", "BASH", "ENV", "PAGER", "EDITOR", "NODE_OPTIONS", "PYTHONSTARTUP")
_ANYTHING = ("system(", "getline", "/inet/", "popen")  # a way out of awk
_EXECUTES = ("-exec", "-ok", "-x", "-X", "--exec")
_LONGEST = 1_800  # characters; of a longer command the end may be cut
_DEEPEST = 4
_HEREDOC = lazy(r"(?s)<<-?\s*(['\"]?)(\w+)\1([^\n⏎]*)[\n⏎](.*?[\n⏎])?\s*\2\s*(?=$|[\n⏎;)])")
_TOKEN = lazy(
    r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\d*(?:>&|<&|&>>|&>|>>|>\||<<<|<\(|>\(|>|<)[\d-]*"
    r"|[ \t]+|\|\||&&|\$\(|[;|&()`\n\r⏎]|[^\s'\"\\;|&()`<>⏎$]+|(?s:.)"
)
_INNER = lazy(r"\$\(((?:[^()]|\([^()]*\))*)\)|`([^`]*)`")
_ASSIGNED = lazy(r"^[A-Za-z_]\w*\+?=")
_ENDS = frozenset([";", "|", "&", "(", ")", "`", "\n", "\r", "⏎", "||", "&&", "$(", "<(", ">("])
_COUNT = lazy(r"^(?:-.*|\{\}|\d+[smhd]?)$")


def stays(command: str, depth: int = 0) -> bool:
    """Whether a command works with this machine's files only."""
    if depth > _DEEPEST or len(command) > _LONGEST or "://" in command or "/dev/tcp" in command:
        return False
    simple: list[str] = []
    word: str | None = None
    skip = False  # the word that follows is a file that is read or written
    for found in _TOKEN.finditer(f"{_HEREDOC.sub(_without_body, command)}\n"):
        token = found[0]
        is_end = token in _ENDS
        if is_end or token.isspace() or token.lstrip("0123456789")[:1] in ("<", ">") or token[:2] == "&>":
            if word is not None and not skip:
                simple.append(word)
            skip = skip and word is None
            word = None
            if is_end:
                if simple and not _is_local(simple, depth):
                    return False
                simple, skip = [], False
            elif not token.isspace():
                skip = token[-1] in "<>&|"
        elif token in ("'", '"', "\\"):  # not whole
            return False
        else:
            quoted = token[0] in "'\"" and len(token) > 1
            if token[0] == '"' and not all(
                stays(one or other, depth + 1) for one, other in _INNER.findall(token)
            ):
                return False
            word = (word or "") + (token[1:-1] if quoted else token[1:] if token[0] == "\\" else token)
    return True


def _without_body(found: re.Match[str]) -> str:
    """Return the line before a text that a program is given: none that is listed runs what it says."""
    quote, line, body = found[1], found[3], found[4] or ""
    return line if quote or ("$(" not in body and "`" not in body) else f"{line}\n{body}"


def _is_local(words: list[str], depth: int) -> bool:
    while words and (words[0] in _TABLE["keywords"] or _ASSIGNED.match(words[0])):
        if words[0].startswith(_LOADING):
            return False
        words = words[1:]
    if not words:
        return True
    folder, _, name = words[0].rpartition("/")
    arguments = words[1:]
    if folder not in ("", ".") and not folder.endswith("bin"):
        return False
    if name in _TABLE["wrappers"] or (name in _TABLE["run"] and arguments[:1] in (["run"], ["exec"])):
        rest = arguments if name in _TABLE["wrappers"] else arguments[1:]
        while rest and _COUNT.match(rest[0]):
            rest = rest[1:]
        return _is_local(rest, depth)
    if name in _TABLE["shells"]:
        return len(arguments) == 2 and arguments[0] in ("-c", "-lc") and stays(arguments[1], depth + 1)
    if name in ("find", "fd", "fdfind"):
        runs = [at for at, each in enumerate(arguments, 1) if each.startswith(_EXECUTES)]
        return all(arguments[at:] != [] and _is_local(arguments[at:], depth) for at in runs)
    return _is_listed(name, arguments)


def _is_listed(name: str, arguments: list[str]) -> bool:
    if name.startswith("python"):
        return arguments[:1] == ["-m"] and arguments[1:2] != [] and arguments[1] in _TABLE["modules"]
    if name in ("source", "."):
        return len(arguments) == 1 and arguments[0].endswith("/bin/activate")
    if name in ("awk", "gawk"):
        return not any(mark in each for each in arguments for mark in _ANYTHING)
    return name in _TABLE["programs"] or _verb(name, arguments) in _TABLE.get(
        f"verb {name.rstrip('3')}", _NONE
    )


def _verb(name: str, arguments: list[str]) -> str:
    """Return what a program of many uses is asked to do."""
    while name == "git" and arguments and arguments[0] in ("-C", "--no-pager", "-P"):
        arguments = arguments[2 if arguments[0] == "-C" else 1 :]
    return arguments[0].partition(":")[0] if arguments else ""
