"""What was done in a session, from its tool turns: files that were changed, and checks that were run.

Only the call of a tool is looked at, and of a command only a check with a program that runs a project's own
build, tests or linters, in a plain form. It is told unasked, so it may have no room for somebody else's
words: after such were brought only a check counts all of whose words are on our lists.
"""

from __future__ import annotations

from memolith.index.units import FILE
from memolith.text import turns
from memolith.text.patterns import lazy

_PERSONS = (None, "", "interactive")  # sources of a session
_MOST = 120  # characters of a command or a path
# What runs a project's own tasks.
_PROGRAMS = """
make just task mise npm pnpm yarn bun bunx npx deno node go cargo dotnet gradle gradlew mvn mvnw sbt mix rake
bundle composer php python python3 uv poetry pdm hatch tox nox pytest ruff mypy pyright black flake8 pylint
tsc eslint biome prettier jest vitest mocha playwright golangci-lint gofmt rustfmt cmake ninja bazel ctest
rspec rubocop phpunit swift xcodebuild zig hk pre-commit dev
"""
# What names a task; of several, the first that is no mere `run` counts.
_TASKS = {
    "run": "run start dev serve server watch preview",
    "build": "build builds compile bundle package dist generate codegen make",
    "lint": """lint lints linter golangci fix fmt format formatter vet typecheck types clippy eslint
        biome prettier ruff mypy pyright flake8 pylint black tsc gofmt rustfmt rubocop check checks""",
    "test": "test tests testing pytest jest vitest mocha e2e nextest spec rspec phpunit playwright ctest",
}
_RUNNERS = frozenset(_PROGRAMS.split())
_KIND_OF = {word: kind for kind, words in _TASKS.items() for word in words.split()}
_OURS = frozenset([*_RUNNERS, *_KIND_OF, "all", "ci", "exec", "integration", "race", "unit"])
_SPLITS = ("&&", "||", ";", "|", "⏎", "\n", ">", "<", " #")
# A word of a plain form: an option, its value, a name or a path of this project.
_PLAIN = lazy(r"(?:-[\w.-]*=)?(?!/|.*\.\./)[\w@%+:,.*/-]*")
_SEPARATED = lazy(r"[^-./:_*]+")
MOST_FILES = 60  # that a session is about
# A file as people and programs name it: `cmd/attach.go`, `compose.dev.yml`; no address, no call of a method.
_FILE = lazy(r"(?<![\w/:.@~-])(?:[\w.@-]+/)*[\w-]{2,}(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,5}\b(?![\w(/]|\.\w)")
_NAMED = lazy(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\x00-\x7f]{2}")  # the words of a name
_UNKNOWN, _SENTENCE = 2, 6  # words of a form that are neither ours, options nor paths; words of one name


def check(command: str) -> tuple[str, str]:
    """Return kind and bare form of the check that a command runs, without what stands around it."""
    words = _bare(command).split()
    while words and "=" in words[0] and not words[0].startswith("-"):
        words = words[1:]
    if not words or words[0].rpartition("/")[2] not in _RUNNERS:
        return "", ""
    form = " ".join(words)
    unknown = [word for word in words if word[0] not in "-./*" and "/" not in word and not _is_ours(word)]
    if not all(map(_PLAIN.fullmatch, words)) or len(unknown) > _UNKNOWN or _is_sentence(form):
        return "", ""
    kinds = [_KIND_OF[part] for word in words for part in _parts(word) if part in _KIND_OF]
    kinds = [kind for kind in kinds if kind != "run"] or kinds  # `npm run lint` is no run
    if not kinds or len(form) > _MOST or "://" in form:
        return "", ""
    return kinds[0], form


def _bare(command: str) -> str:
    """Return the first command of a line that does something: no `cd x &&`, no `2>&1 | tail`."""
    rest = command.strip()
    while rest.startswith("cd "):
        cuts = [at for mark in ("&&", ";", "⏎") if (at := rest.find(mark)) >= 0]
        if not cuts:
            return ""
        rest = rest[min(cuts) :].lstrip("&;⏎ ")
    ends = [at for mark in _SPLITS if (at := rest.find(mark)) > 0]
    bare = rest[: min(ends)] if ends else rest
    return bare.rstrip().removesuffix(" 2").removesuffix(" 1")


def _parts(word: str) -> list[str]:
    if word.startswith("-"):
        return []
    name = word.rpartition("/")[2]
    return [name, *name.replace(".", ":").replace("-", ":").replace("_", ":").split(":")]


def _is_ours(word: str) -> bool:
    """Whether all of a word is on our lists: nobody can say anything else with it."""
    return _OURS.issuperset(_SEPARATED.findall(word)) or (len(word) == 2 and word[0] == "-")


def _is_sentence(text: str) -> bool:
    """Whether a name in a text has so many words that it says something."""
    return any(len(_NAMED.findall(each)) >= _SENTENCE for each in text.replace("/", " ").split())


def done(tool: str, text: str, outcome: str, cwd: str, taint: str) -> list[tuple[str, str, bool]]:
    """Return what a tool's turn did: the kind (`FILE` or a check), the path or command, whether it worked.

    `taint` is whose words the agent had heard before it called the tool.
    """
    from memolith.text.local_tools import TOOLS

    ok = outcome in ("", "ok", "success")
    name = tool.partition("(")[0].strip().casefold()
    if name in TOOLS["edit"]:
        path = _path(turns.first_line(text).strip(), cwd)
        return [(FILE, path, ok)] if path and ok and not taint else []
    if name not in TOOLS["shell"]:
        return []
    kind, form = check(turns.command(tool, text))
    return [(kind, form, ok)] if kind and (not taint or _is_mute(kind, form)) else []


def _is_mute(kind: str, what: str) -> bool:
    """Whether nobody else's words can be in what was done."""
    return kind != FILE and all(map(_is_ours, what.split()))


def files_in(text: str) -> list[str]:
    """Return the files that a text names, folded."""
    return [found.casefold() for found in _FILE.findall(text) if len(found) <= _MOST]


def _path(text: str, cwd: str) -> str:
    """Return a path relative to where the session worked; empty if it is elsewhere, or no path."""
    if cwd and text.startswith(f"{cwd.rstrip('/')}/"):
        text = text[len(cwd.rstrip("/")) + 1 :]
    if (
        not text
        or text[0] in "/~$"
        or len(text) > _MOST
        or not text.isprintable()
        or " " in text
        or "`" in text
        or _is_sentence(text)
    ):
        return ""
    return text


class Doings:
    """What was done in a session, as long as nobody else's words were heard in it.

    What brought such words need not be a turn (a picture, an attachment): then only what the agent says next
    is marked, and they may have come right after it last spoke in its own.
    """

    def __init__(self) -> None:
        self._rows: list[tuple[str, str, bool, str]] = []
        self._sure = 0

    def add(self, done: list[tuple[str, str, bool]], at: str) -> None:
        """Take what a tool's turn did, and when."""
        self._rows += [(*each, at) for each in done]

    def hear(self, role: str, heard: str, mark: str) -> None:
        """Take that somebody spoke: whose words had been heard by then, and how the turn is marked."""
        if mark and not heard:
            self._rows = self._known()
        elif role == "assistant" and not heard:
            self._sure = len(self._rows)

    def of_session(self, head: dict[str, object], heard: str) -> list[tuple[str, str, bool, str]]:
        """Return kind, what, whether it worked and when, if a person held the session."""
        if head.get("source") not in _PERSONS or head.get("mode") == "polluted":
            return []
        return self._known() if head.get("taint") and not heard else self._rows

    def _known(self) -> list[tuple[str, str, bool, str]]:
        return self._rows[: self._sure] + [each for each in self._rows[self._sure :] if _is_mute(*each[:2])]
