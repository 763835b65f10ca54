"""Tools and programs that work with this machine's files only; what is not listed may bring anybody's words.

A list of what reaches out would never be whole: there is always another spelling, another client, another
server. So a command stays here only if every program in it is listed, whatever joins them. In doubt it does
not: then what the agent says next is shown to who asks, and to nobody unasked. What a project's files, its
own history and its checks and builds say counts as the project's, whoever wrote them: other branches, other
tasks and what is not plainly inside of its directory (`within.py`) do not. The lists are data
(`local_tools.txt`).
"""

from __future__ import annotations

from memolith.text.patterns import lazy, sections
from memolith.text.within import Within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_TABLE = {name: frozenset(words) for name, words in sections("local_tools.txt").items()}
TOOLS = {name.removeprefix("tool "): words for name, words in _TABLE.items() if name.startswith("tool ")}
_NONE: frozenset[str] = frozenset()
_LOADING = ("PATH", "LD_", "DYLD_", "GIT_", "BASH", "ENV", "PAGER", "EDITOR", "NODE_OPTIONS", "PYTHONSTARTUP")
_ANYTHING = ("system(", "getline", "/inet/", "popen", '|"', '| "')  # a way out of awk
_SED_RUNS = lazy(r"(?:^|[;{}\n⏎\d$/!,])\s*e(?![\w/])|[^\w\s][gpimIM\d]*e[gpimIM\d]*\s*(?:$|[;}\n⏎])")
_SYSTEM = ("", "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin")
_ENVIRONMENT = lazy(r"^(?:\S*/)?(?:\.?venv|env|node_modules)/\.?bin$")
_RUNS = frozenset(["find", "fd", "fdfind", *_TABLE["wrappers"], *_TABLE["run"], *_TABLE["keywords"]])
_SETTING = ("export", "declare", "local", "readonly", "set")
_EXECUTES = ("-exec", "-ok", "-x", "-X", "--exec")
_UNKNOWN = "'"  # no whole command
_LONGEST = 1_800  # characters; of a longer command the end may be cut
_DEEPEST = 4
# What is looked at to find the text that a program is given, and where one begins: in no quotes or comment.
_PART = lazy(
    r"(?s)\"\$\(cat <<-?\s*'(?P<in>\w+)'[ \t]*[\n⏎].*?[\n⏎]\s*(?P=in)\s*[\n⏎]\s*\)\""
    r"|'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|(?:^|(?<=[\s;|&()⏎]))\#[^\n⏎]*|<<<"
    r"|<<-?\s*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)(?![^\s;|&<>⏎])|(?P<odd><<)|[\n⏎]|[^'\"\\\#<\n⏎]+|."
)
_TOKEN = lazy(
    r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\d*(?:>&|<&|&>>|&>|>>|>\||<<<|<\(|>\(|>|<)[\d-]*"
    r"|[ \t]+|\|\||&&|\$\(|[;|&()`\n\r⏎]|[^\s'\"\\;|&()`<>⏎$]+|(?s:.)"
)
_QUOTED, _QUOTED_LESS = lazy(r"[*?\[{}$~%]"), lazy(r"[*?\[{}~]")
_TOP = lazy(r"\$\(\s*(?:pwd|git rev-parse --show-toplevel)\s*\)|`pwd`")
_INNER = lazy(r"\$\(((?:[^()]|\([^()]*\))*)\)|`([^`]*)`")
_ASSIGNED = lazy(r"^[A-Za-z_]\w*\+?=")
_TAKES_OUTPUT = frozenset(["|", "(", ")", "`", "$(", "<(", ">("])
_ENDS = frozenset([";", "&", "\n", "\r", "⏎", "||", "&&", *_TAKES_OUTPUT])
_TELLS = ("-e", "-f", "--regexp", "--expression", "--file")  # what to look for
_LEADING = ("/", "~", "..", "$", "\\")  # how a path begins that may be elsewhere
_COUNT = lazy(r"^(?:-.*|\{\}|\d+[smhd]?)$")
# Commits of this project's own history, as far as their names tell, and what is rather a path than a commit.
_ONES_OWN = lazy(
    r"(?:\^|\.\.\.?(?!\.)|(?:@|(?:refs/heads/|(?:refs/remotes/)?(?:origin|upstream)/)?(?:HEAD|main|master|trunk|develop)"
    r"|stash(?:@\{\d+\})?|[0-9a-f]{7,64})(?:[~^]\d*)*(?![\w/@{-]))*(?::(?!/).*)?"
)
_PATH = lazy(
    r"(?!.*\.\.(?!/)|(?:refs|origin|upstream|fork|pull|pr)/)"
    r"(?:(?:\.{0,2}/|~/|\.\w).*|\.\.?|[^:]*/|[^:]*\*[^:]*|[^:]*[^/:]\.\w+)"
)
_NO_PATHS = ("cherry-pick", "merge", "rebase", "revert", "switch")
_NO_COMMITS = {"grep": 1}  # arguments before the first that may be a commit
_TASK = lazy(rf"^(?::(?:[\w-]+:)*)?(?:{'|'.join(sorted(_TABLE['tasks']))})(?:[:._/-].*)?$")
_VALUED = ("-C", "-f", "-j", "-p", "-pl", "--tests")  # a value stands behind them


class _Word(str):
    """An argument, and what of it a shell still fills in: what is quoted is as it stands."""

    __slots__ = ("form",)
    form: str

    @classmethod
    def of(cls, text: str, form: str) -> _Word:
        word = cls(text)
        word.form = form
        return word


class _Simple:
    """A command of one program: its words, the files it is fed, texts in quotes, and what ends it."""

    def __init__(self) -> None:
        self.words: list[_Word] = []
        self.fed: list[_Word] = []
        self.quoted: list[str] = []
        self.end, self.redirects = "", False


def stays(command: str, depth: int = 0, within: Within | None = None) -> bool:
    """Whether a command works with the files of a directory only."""
    if depth > _DEEPEST or len(command) > _LONGEST or "://" in command or "/dev/tcp" in command:
        return False
    within = within or Within("")
    ours = taken = False  # whether a command is memolith's, and something takes what one prints
    for each in _commands(_TOP.sub(".", _without_texts(command))):
        if (
            not each.end
            or not all(_is_filled_here(text, depth, within) for text in each.quoted)
            or not all(within.reads(word.form, _TABLE["packages"]) for word in each.fed)
            or not _is_local(each.words, depth, within)
        ):
            return False
        if each.end != "&&":
            within.back()
        ours = ours or _is_ours(each.words)
        taken = taken or each.redirects or each.end in _TAKES_OUTPUT
    return not ours or not (taken or depth)


def _commands(text: str) -> Iterator[_Simple]:
    """Yield the commands of one program each; one that is not whole has no end."""
    simple, word = _Simple(), None
    redirected = ""  # the word that follows is a file that is read or written
    for found in _TOKEN.finditer(f"{text}\n"):
        token = found[0]
        sign = token.lstrip("0123456789")
        if token in ("'", '"', "\\"):
            yield _Simple()
            return
        if token in _ENDS or token.isspace() or sign[:1] in ("<", ">") or sign[:2] == "&>":
            if word is not None:
                (simple.fed if redirected == "<" else [] if redirected else simple.words).append(word)
                redirected = ""
            word = None
            if token in _ENDS:
                simple.end = token
                yield simple
                simple, redirected = _Simple(), ""
            elif not token.isspace():
                redirected = sign if token[-1] in "<>&|" else ""
                simple.redirects = simple.redirects or token[0] != "2"
        else:
            simple.quoted += [token] * (token[0] == '"')
            part, form = _unquoted(token)
            word = _Word.of((word or "") + part, (word.form if word is not None else "") + form)


def _unquoted(token: str) -> tuple[str, str]:
    """Return a part of a word without its quotes, and what of it a shell still fills in."""
    if token[0] == "'" and len(token) > 1:
        return token[1:-1], _QUOTED.sub("_", token[1:-1])
    if token[0] == '"' and len(token) > 1:
        return token[1:-1], _QUOTED_LESS.sub("_", _INNER.sub(".", token[1:-1]))
    return (token[1:], _QUOTED.sub("_", token[1:])) if token[0] == "\\" else (token, token)


def _is_ours(words: Sequence[str]) -> bool:
    """Whether a command is memolith's own: a label in its answer is lost if another program takes that."""
    names = [each.rpartition("/")[2] for each in words]
    return "memolith" in names and (names[0] == "memolith" or names[0] in _RUNS or "=" in names[0])


def _is_filled_here(quoted: str, depth: int, within: Within) -> bool:
    """Whether what is filled into a text in quotes stays here; what is not understood does not."""
    rest = _INNER.sub("", quoted)
    inner = _INNER.findall(quoted)
    return (
        "$(" not in rest
        and "`" not in rest
        and all(stays(one or other, depth + 1, within) for one, other in inner)
    )


def _without_texts(command: str) -> str:
    """Return a command without its comments and the texts that programs are given.

    None that is listed runs what such a text says; but the shell runs what is in one without quotes. Where it
    cannot be told where a text ends, it could be anything.
    """
    kept: list[str] = []
    # Texts that begin behind this line: what ends each, and whether it is quoted.
    texts: list[tuple[str, bool]] = []
    at = 0
    while found := _PART.match(command, at):
        at = found.end()
        part = found[0]
        if part == "":
            break
        if found["in"]:
            part = '"$(cat)"'
        elif found["odd"]:
            return _UNKNOWN
        elif found["end"]:
            texts.append((found["end"], bool(found["quote"])))
            part = " "
        elif part[0] == "#":
            part = " "
        kept.append(part)
        for end, quoted in texts if part in ("\n", "⏎") else ():
            body, at = _text(command, at, end)
            if at < 0:
                return _UNKNOWN
            kept.append(f"{body}\n" if not quoted and ("$(" in body or "`" in body) else "")
        if part in ("\n", "⏎"):
            texts = []
    return "".join(kept)


def _text(command: str, at: int, end: str) -> tuple[str, int]:
    """Return the text from a place up to the line that ends it, and where that line ends; -1 if none does."""
    start = at
    while at < len(command):
        feed = min((each for mark in "\n⏎" if (each := command.find(mark, at)) >= 0), default=len(command))
        if command[at:feed].strip(" \t;)") == end:
            return command[start:at], at + len(command[at:feed].rstrip(" \t;)"))
        at = feed + 1
    return "", -1


def _is_local(words: list[_Word], depth: int, within: Within) -> bool:
    is_given = True  # variables in front of a program are inside, too
    while words and (words[0] in _TABLE["keywords"] or _ASSIGNED.match(words[0])):
        if words[0].startswith(_LOADING):
            return False
        is_given = _assigns(words[0], within) and is_given
        words = words[1:]
    if not words:
        return True
    folder, _, name = words[0].rpartition("/")
    arguments = words[1:]
    if not (is_given and _is_program(folder, name, within)) or _runs_another(name, arguments, within):
        return False
    if name in _TABLE["wrappers"] or (name in _TABLE["run"] and arguments[:1] in (["run"], ["exec"])):
        rest = arguments if name in _TABLE["wrappers"] else arguments[1:]
        while rest and _COUNT.match(rest[0]):
            rest = rest[1:]
        return _is_local(rest, depth, within)
    if name in _TABLE["shells"]:
        is_command = len(arguments) == 2 and arguments[0] in ("-c", "-lc")
        return is_command and stays(arguments[1], depth + 1, within)
    if not _reads_inside(name, arguments, within):
        return False
    if name in ("find", "fd", "fdfind"):
        runs = [at for at, each in enumerate(arguments, 1) if each.startswith(_EXECUTES)]
        return all(arguments[at:] != [] and _is_local(arguments[at:], depth, within) for at in runs)
    return _is_listed(name, arguments)


def _assigns(word: _Word, within: Within) -> bool:
    """Whether a word gives a variable a value that is inside; then its name is known."""
    name, equals, value = word.form.partition("=")
    inside = within.reads(value, _TABLE["packages"]) if _is_path(value) else True
    if equals:
        (within.known.add if inside else within.known.discard)(name.rstrip("+"))
    return inside


def _is_program(folder: str, name: str, within: Within) -> bool:
    """Whether a path is a program's own: what lies in a repository may be called like any."""
    wrapped = folder == "." and name in ("gradlew", "mvnw")
    is_runner = bool(_ENVIRONMENT.match(folder)) and name in _TABLE["runners"] and within.has(folder)
    return folder in _SYSTEM or wrapped or is_runner


def _is_path(form: str) -> bool:
    """Whether a word may be a path; a text with spaces is one if it has a slash."""
    return "/" in form or not any(map(str.isspace, form))


def _reads_inside(name: str, arguments: list[_Word], within: Within) -> bool:
    """Whether the files that a program is asked for are plainly inside; `cd` goes where they are."""
    if name in _TABLE["silent"]:
        for each in arguments if name in _SETTING else ():
            _assigns(each, within)
        within.known.update(arguments if name == "read" else ())
        return True
    if name in ("cd", "pushd", "popd"):
        return _goes_inside([each.form for each in arguments if each not in ("-P", "-L", "--")], within)
    inside = all(within.reads(form, packages) for form, packages in _paths(name, arguments))
    within.known.update(arguments[:1] if inside and name == "for" else ())
    return inside


def _paths(name: str, arguments: list[_Word]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what may be a path in what a program is asked, and the folders that it may not lead into."""
    if name == "git":
        verb = _verb(name, arguments)
        arguments = [each for each in arguments if each != verb]
        name = f"git {verb}"
    if name == "for":
        arguments = arguments[2:]
    texts = _TABLE.get(f"text {name}", _NONE)
    is_told = any(each.startswith(_TELLS) for each in arguments)
    first = not is_told and (name in _TABLE["first"] or name == "git grep")
    for last, word in zip(["", *arguments], arguments, strict=False):
        if last in texts:
            continue
        if word.startswith("-"):
            value = word.form.partition("=")[2] or word.form[2:]
            if value.startswith(_LEADING) and len(value) > 1:
                yield value, _NONE
        elif first:
            first = False
        elif _is_path(word.form):
            yield word.form, _TABLE["packages"]


def _goes_inside(folders: list[str], within: Within) -> bool:
    if folders in (["-"], []):
        within.back()
        return bool(folders)
    if not within.reads(folders[0], _TABLE["packages"]):
        return False
    within.go(folders[0])
    return True


def _runs_another(name: str, arguments: Sequence[str], within: Within) -> bool:
    """Whether a listed program is asked to run one that nobody looks at."""
    called = f"git {_verb(name, arguments)}" if name == "git" else name
    orders = tuple(_TABLE.get(f"runs {called}", _NONE))
    if any(each.startswith(orders) for each in arguments):
        return True
    if name in _SETTING:
        return any(each.startswith(_LOADING) for each in arguments)
    if name == "trap":
        return not stays(arguments[0], within=within) if arguments else False
    return name == "sed" and any(_SED_RUNS.search(each) for each in arguments if not each.startswith("-n"))


def _is_listed(name: str, arguments: Sequence[str]) -> bool:
    if name.startswith("python"):
        return arguments[:1] == ["-m"] and arguments[1:2] != [] and arguments[1] in _TABLE["modules"]
    if name in ("source", "."):
        return len(arguments) == 1 and arguments[0].endswith("/bin/activate")
    if name in ("awk", "gawk"):
        return not any(mark in each for each in arguments for mark in _ANYTHING)
    if name in _TABLE["builders"]:
        return all(map(_TASK.match, _names(arguments)))
    if name in _TABLE["tasked"] and arguments[:1] in (["run"], ["run-script"]):
        return any(map(_TASK.match, _names(arguments[1:])[:1]))
    if name == "git" and not _is_history(arguments):
        return False
    return name in _TABLE["programs"] or _verb(name, arguments) in _TABLE.get(
        f"verb {name.rstrip('3')}", _NONE
    )


def _is_history(arguments: Sequence[str]) -> bool:
    """Whether git is asked for this project's own history: another branch may be anybody's."""
    verb, *asked = _asked_of_git(arguments) or [""]
    options = [each.partition("=")[0] for each in asked if each.startswith("-")]
    if any(each.startswith(option) for option in options if len(option) > 3 for each in _TABLE["elsewhere"]):
        return False
    allowed = _TABLE.get(f"options {verb}")
    if "-g" in options or (allowed is not None and not allowed.issuperset(options)):
        return False
    if verb == "worktree":
        return asked == ["list"]
    if verb not in _TABLE["commits"]:
        return True
    before = asked[: asked.index("--")] if "--" in asked else asked
    commits = _plain(before, _TABLE.get(f"valued {verb}", _NONE))
    return all(
        _ONES_OWN.fullmatch(each) or (verb not in _NO_PATHS and _PATH.fullmatch(each))
        for each in commits[_NO_COMMITS.get(verb, 0) :]
    )


def _names(arguments: Sequence[str]) -> list[str]:
    """Return the arguments that are no options, numbers or settings."""
    return [each for each in _plain(arguments, _VALUED) if "=" not in each and not each.isdigit()]


def _plain(arguments: Sequence[str], valued: Collection[str]) -> list[str]:
    """Return the arguments that are no options, nor a value behind one; `-` is the branch before this."""
    before = ["", *arguments]
    return [
        each
        for last, each in zip(before, arguments, strict=False)
        if last not in valued and (each == "-" or not each.startswith("-"))
    ]


def _verb(name: str, arguments: Sequence[str]) -> str:
    """Return what a program of many uses is asked to do."""
    if name == "git":
        arguments = _asked_of_git(arguments)
    return arguments[0].partition(":")[0] if arguments else ""


def _asked_of_git(arguments: Sequence[str]) -> Sequence[str]:
    while arguments and arguments[0] in ("-C", "--no-pager", "-P"):
        arguments = arguments[2 if arguments[0] == "-C" else 1 :]
    return arguments
