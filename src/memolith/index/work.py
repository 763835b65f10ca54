"""What was done in a session, from its tool turns: files that were changed, and checks that were run.

Only the call of a tool is looked at, and of a command only a check with a program that runs a project's own
build, tests or linters: what a page or a file said is no part of it.
"""

from __future__ import annotations

from memolith.index.units import FILE
from memolith.text import turns

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
_SPLITS = ("&&", "||", ";", "|", "⏎", "\n", ">", "<")


def check(command: str) -> tuple[str, str]:
    """Return kind and bare form of the check that a command runs, without what stands around it."""
    words = _bare(command).split()
    while words and "=" in words[0] and not words[0].startswith("-"):
        words = words[1:]
    if not words or words[0].rpartition("/")[2] not in _RUNNERS:
        return "", ""
    form = " ".join(words)
    kinds = [_KIND_OF[part] for word in words for part in _parts(word) if part in _KIND_OF]
    kinds = [kind for kind in kinds if kind != "run"] or kinds  # `npm run lint` is no run
    if not kinds or len(form) > _MOST or not form.isprintable() or "`" in form or "://" in form:
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


def done(tool: str, text: str, outcome: str, cwd: str) -> list[tuple[str, str, bool]]:
    """Return what a tool's turn did: the kind (`FILE` or a check), the path or command, whether it worked."""
    from memolith.text.local_tools import TOOLS

    ok = outcome in ("", "ok", "success")
    name = tool.partition("(")[0].strip().casefold()
    if name in TOOLS["edit"]:
        path = _path(turns.first_line(text).strip(), cwd)
        return [(FILE, path, ok)] if path and ok else []
    if name not in TOOLS["shell"]:
        return []
    command = turns.command(tool, text)
    kind, form = check(command)
    return [(kind, form, ok)] if kind else []


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
    ):
        return ""
    return text
