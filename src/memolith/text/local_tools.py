"""Tools and programs that work with this machine's files only; what is not listed may bring anybody's words.

A list of what reaches out would never be whole: there is always another spelling, another option, another
program that runs one. So a command stays here only if it is plain, and a reader sees all that it does: listed
programs with listed options, files plainly inside the session's directory (`within.py`), nothing that a shell
fills in. In real sessions, nineteen of twenty turns of an agent come after something else anyway; what it
says then is shown on request, and to nobody unasked. What a project's files, its own history and its checks
say counts as the project's, whoever wrote them. The lists are data (`local_tools.txt`).
"""

from __future__ import annotations

from memolith.text.patterns import lazy, sections
from memolith.text.within import Within

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

_TABLE = {name: frozenset(words) for name, words in sections("local_tools.txt").items()}
TOOLS = {name.removeprefix("tool "): words for name, words in _TABLE.items() if name.startswith("tool ")}
# The options of each program; several share a heading.
_OPTIONS = {
    name: words
    for heading, words in _TABLE.items()
    if heading.startswith("options ")
    for name in heading.removeprefix("options ").split(", ")
}
_LONGEST = 1_800  # characters; of a longer command the end may be cut
# How agents write the message of a commit: their own words.
_MESSAGE = lazy(r"(?s)\"\$\(cat <<-?\s*'(\w+)'[ \t]*[\n⏎].*?[\n⏎]\s*\1\s*[\n⏎]\s*\)\"")
_PLAIN = lazy(
    r"[ \t]*(?:2>&1|[12&]?>[ \t]*/dev/null|(?P<end>&&|\|\||[;|\n⏎])"
    r"|(?P<word>(?:[\w@+=:,./*^~-]|'[^']*'|\"[^\"$`\\!]*\")+))(?=$|[\s;|&>⏎])"
)
_JOINED = lazy(r"-(?:([A-Za-z]+)[\d,.:]*|\d+)")  # `-la`, `-n20`, `-20`
_OWN_COMMIT = lazy(r"(?:HEAD|@)(?:[~^]\d*)*|(?:(?:origin/)?(?:main|master)\.{2,3})?HEAD")
_LINES = lazy(r"\d+(?:,(?:\d+|\$))?p")  # what `sed -n` prints of a file
_SETTING = lazy(r"(?:CI|NO_COLOR|FORCE_COLOR|RUST_BACKTRACE|NODE_ENV|CGO_ENABLED)=[\w.-]*")
_LEADING = ("/", "~", ".", "@")  # how a path begins that may be elsewhere
_PART = lazy(r"(?P<first>\w+)(?:[:_-][\w:-]+)?")


def stays(command: str, within: Within | None = None) -> bool:
    """Whether a command is plain, and works with the files of a directory only."""
    if len(command) > _LONGEST or "://" in command:
        return False
    within = within or Within("")
    steps = list(_steps(_MESSAGE.sub(_without_message, command)))
    if len(steps) > 1 and "memolith" in command:
        return False  # a label in its answer is lost if another program takes it
    before = ""
    for words, end in steps:
        is_piped = "|" in (before, end)  # in a shell of its own, which goes nowhere for the others
        if not end or not _is_local(words, within) or (is_piped and words[0] == "cd"):
            return False
        if end != "&&":
            within.back()
        before = end
    return True


def _without_message(found: re.Match[str]) -> str:
    """Return nothing in place of a text, unless it ends earlier than it seems."""
    lines = found[0].replace("⏎", "\n").split("\n")
    return "''" if sum(line.strip() == found[1] for line in lines) == 1 else found[0]


def _steps(command: str) -> Iterator[tuple[list[str], str]]:
    """Yield the words of each program and what ends it, which is nothing where a command is not plain."""
    words: list[str] = []
    at, text = 0, command.strip(" \t\n⏎;") + "\n"
    while at < len(text):
        found = _PLAIN.match(text, at)
        if found is None:
            yield words, ""
            return
        at = found.end()
        if found["word"] is not None:
            words.append(found["word"].replace("'", "").replace('"', ""))
        elif found["end"] and words:
            yield words, found["end"]
            words = []


def _is_local(words: Sequence[str], within: Within) -> bool:
    while words and _SETTING.fullmatch(words[0]):
        words = words[1:]
    name, *arguments = words or ["true"]
    if name in _TABLE["wrappers"] or (name in _TABLE["run"] and arguments[:1] == ["run"]):
        rest = arguments[1 if name in _TABLE["run"] or name == "timeout" else 0 :]
        # `npx` fetches what is not there, by any name.
        return bool(rest) and (rest[0] in _TABLE["fetched"] or name[-1] != "x") and _is_local(rest, within)
    if name in _TABLE["shells"]:
        return len(arguments) == 2 and arguments[0] in ("-c", "-lc") and stays(arguments[1], within)
    if name == "cd":
        return len(arguments) == 1 and within.goes(arguments[0])
    if name == "memolith":
        return not arguments or arguments[0] in _TABLE["labelled"]  # lists have titles without labels
    if name in _TABLE["tasked"]:
        return _is_task(arguments[1:] if arguments[:1] in (["run"], ["run-script"]) else arguments)
    if name == "echo":
        return not any("*" in each for each in arguments)
    verb = 2 if name in ("python", "python3") else 1 if name in _TABLE["verbs"] else 0
    name = " ".join([name.rstrip("3"), *arguments[:verb]])
    return name in _OPTIONS and _reads_inside(name, arguments[verb:], within)


def _is_task(arguments: Sequence[str]) -> bool:
    """Whether a task of the project is one that checks or builds: `make issues` may bring anything."""
    names = [each for each in arguments if each != "--silent"]
    found = _PART.fullmatch(names[0]) if len(names) == 1 else None
    return found is not None and found["first"] in _TABLE["tasks"]


def _reads_inside(name: str, arguments: Sequence[str], within: Within) -> bool:
    """Whether a program has listed options only, and is asked for files that are plainly inside."""
    options = _OPTIONS[name]
    is_text = name in _TABLE["text first"] and "-e" not in arguments
    takes_commits = name.removeprefix("git ") in _TABLE["commits"]
    for last, each in zip(["", *arguments], arguments, strict=False):
        if f"{last}=" in options:
            continue  # its value is a text
        if each == "--":
            takes_commits = False  # what follows are files
        elif each.startswith("-"):
            if not _is_option(each, options):
                return False
        elif is_text:
            is_text = False
            if name == "sed" and not _LINES.fullmatch(each):
                return False
        elif not _is_inside(each, within, commit=takes_commits, package=name.startswith("go ")):
            return False
    return True


def _is_inside(word: str, within: Within, *, commit: bool, package: bool) -> bool:
    if commit:
        return bool(_OWN_COMMIT.fullmatch(word)) or within.reads_file(word)
    return within.reads(word) and not (package and word[0] != ".")  # any other may be on the network


def _is_option(word: str, options: frozenset[str]) -> bool:
    option, _, value = word.partition("=")
    joined = _JOINED.fullmatch(word)
    letters = next((each.partition(":")[2] for each in options if each.startswith("letters:")), "")
    listed = option in options or f"{option}=" in options
    return (listed or bool(joined and set(letters).issuperset(joined[1] or ""))) and value[:1] not in _LEADING
