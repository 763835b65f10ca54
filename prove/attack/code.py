"""A cloned repository that wants to be run: names × forms × places × git's settings × search paths × events.

Whatever in it could be executed leaves a mark when it is; strace tells what was started and which of its
files were opened as code. Nothing may be: not by a command, not by an event of a hook or what works on after
it, not by a call of the server.
"""

import importlib.machinery
import importlib.metadata
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from memolith.edges.cli import main
from memolith.edges.mcp import tools
from prove import surfaces
from prove.commands import COMMANDS, Command, event, frame
from prove.report import Tally
from prove.texts import parts
from prove.world import World, scratch

SCRIPT = Path(sys.executable).with_name("memolith")
_OURS = {os.path.realpath(SCRIPT), os.path.realpath(sys.executable), sys.executable}

_ALSO = {"memolith", "sitecustomize", "usercustomize"}
NAMES = sorted(_ALSO | sys.stdlib_module_names | set(importlib.metadata.packages_distributions()))
_EXTENSION = importlib.machinery.EXTENSION_SUFFIXES[0]
FORMS = ("{}.py", "{}/__init__.py", "{}/__main__.py", "{}.pyc", "{}.pth", "{}" + _EXTENSION)
PLACES = ("", "docs", "src", "lib/python")
# What stands in PATH before everything else.
SEARCHED = ("", ".", "bin", "./bin", "../shop/bin", "{}", "{}/bin", "{}/node_modules/.bin")
_DATA = parts(Path(__file__).with_suffix(".txt"))
PROGRAMS, SETTINGS, _HOLLOW = _DATA["programs"], _DATA["settings"], _DATA["hollow"]
_HOOKS = ("post-checkout", "pre-auto-gc", "reference-transaction", "fsmonitor-watchman", "post-index-change")


class Clone:
    """A repository that a stranger made. What is run of it writes its own name to `mark`."""

    def __init__(self, root: Path, mark: Path) -> None:
        self.root, self._mark = root, mark

    def _file(self, place: str, text: str, mode: int = 0o644) -> Path:
        path = self.root / place
        if not path.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(mode)
        return path

    def module(self, place: str, name: str, form: str) -> None:
        """Add something that Python could import."""
        self._file(
            os.path.join(place, form.format(name)), f"open({str(self._mark)!r}, 'a').write({name!r})\n"
        )

    def program(self, place: str) -> Path:
        """Add something that could be started."""
        text = f'#!/bin/sh\necho "{place}" "$@" >> {self._mark}\n'
        return self._file(place, text, 0o755)

    def git(self, place: str, settings: Sequence[str], *, hollow: bool = False) -> None:
        """Add settings to a repository of git's, which is made if there is none: a bare one."""
        directory = self.root / place
        if not (directory / "HEAD").exists():
            shutil.copytree(self.root / ".git", directory, dirs_exist_ok=True)
        command = self.program("run-by-git")
        for name in _HOOKS:
            self.program(f"{place}/hooks/{name}")
            self.program(f"run-by-git.d/{name}")
        more = "".join(_section(each.format(command)) for each in (*settings, *(_HOLLOW if hollow else ())))
        with (directory / "config").open("a") as file:
            file.write(more)
        self._file("run-by-git.config", "".join(_section(each.format(command)) for each in SETTINGS[:5]))
        self._file(".gitattributes", "* filter=x diff=x merge=x\n")
        if hollow:
            (directory / "HEAD").write_text("0123456789" * 4 + "\n")


def _section(setting: str) -> str:
    key, _, value = setting.partition("=")
    section, _, name = key.rpartition(".")
    top, _, sub = section.partition(".")
    head = f'[{top} "{sub}"]' if sub else f"[{top}]"
    return f"{head}\n\t{name} = {value}\n"


# ---------------------------------------------------------------- the ways we are started

_TALK = [
    event("SessionStart", source="startup"),
    event("UserPromptSubmit", prompt="which zebra?"),
    event("PreCompact"),
    event("PostCompact", compact_summary="zebra"),
    event("Stop", transcript_path="{base}/more.jsonl"),
    event("SessionEnd", transcript_path="{base}/more.jsonl"),
]
_HOOK = ["hook", "--host", "claude"]
_HOOKED = [  # in a session of its own: what is told twice is not answered
    Command(f"hook {json.loads(row)['hook_event_name']}", _HOOK, row.replace("s-1", "s-9")) for row in _TALK
]
_GIVEN = {"query": "zebra", "text": "zebra", "content": "- zebra", "title": "Zebra", "target": "long_term"}
_GIVEN |= {"name": "topic", "old_str": "zebra", "new_str": "zebra", "topic": "zebra"}
_CALLS = "".join(
    frame(number, "tools/call", name=tool["name"], arguments=_GIVEN)
    for number, tool in enumerate(tools.offered(read_only=False), 2)
)
_OPEN = frame(1, "initialize", protocolVersion="2025-11-25", clientInfo={"name": "x"}, capabilities={})
_SERVED = [
    Command(f"mcp {each}".strip(), ["mcp", *each.split()], _OPEN + _CALLS) for each in ("", "--read-only")
]
_READ = [Command(line, line.format(name="topic").split()) for line in surfaces.SHOWN]
_LEARN = ["learn", "run", "--force", "--model"]
_MORE = [
    Command("demo", ["demo"]),
    Command("init --check", ["init", "--check", "--agent", "claude"]),
    Command("learn with an agent", [*_LEARN, "claude"]),
    Command("learn with a command", [*_LEARN, "command:x"]),
    Command("learn with a key", [*_LEARN, "openai:x"]),
    *(
        Command(line, line.split())
        for line in (
            "completion bash",
            "doctor",
            "tui",
            "project share",
            "project unshare",
            "project off",
            "project on",
            "run --ephemeral /gone",
        )
    ),
]
# Those that start programs or work on afterwards come often; the others are every command there is.
STARTING = [*_HOOKED, *_SERVED, *_MORE[:5], *(each for each in COMMANDS if each.attended)]
OTHERS = [*(each for each in COMMANDS if each.line[0] not in ("hook", "mcp")), *_READ, *_MORE[5:]]


class Stand(World):
    """A memory of a repository, and what is needed to make that repository a stranger's."""

    started = 0  # programs, the last time

    def _fill(self) -> None:
        self.mark = self.base / "mark"  # where whatever is run leaves its name
        for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
            who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
            subprocess.run(["git", "-C", self.work, *who, *words], check=True)
        super()._fill()
        for stamp in self.seed.rglob("worker*"):
            stamp.unlink()  # a worker is started now and then: now
        shutil.copytree(self.work, self.base / "honest")
        (self.base / "tools").mkdir()
        (self.base / "tools" / "editor").symlink_to(shutil.which("true") or "")

    def clone(self) -> Clone:
        """Return the repository as it was at first. Its `.git` stays: another one is another project."""
        git = self.work / ".git"
        for place in (self.work, git):
            for inside in [each for each in place.iterdir() if each != git]:
                shutil.rmtree(inside) if inside.is_dir() and not inside.is_symlink() else inside.unlink()
        shutil.copytree(self.base / "honest", self.work, dirs_exist_ok=True)
        return Clone(self.work, self.mark)

    def environment(self, searched: str) -> dict[str, str]:
        """Return the environment of somebody whose PATH begins with something of the repository."""
        path = os.pathsep.join([searched.format(self.work), str(self.base / "tools"), os.environ["PATH"]])
        kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        kept |= {"PATH": path, "HOME": str(self.user), "GIT_CEILING_DIRECTORIES": str(self.base)}
        kept |= {"MEMOLITH_SEMANTIC_PROVIDER": "none", "MEMOLITH_MODELS_COMMAND": "ask {model}"}
        kept |= {"MEMOLITH_MODELS_KEY_COMMAND": "key", "MEMOLITH_MODELS_URL": "http://127.0.0.1:9"}
        return {**kept, "VISUAL": "editor"}

    def watch(self, words: Sequence[str], *, stdin: str, env: dict[str, str], cwd: Path) -> list[str]:
        """Run something and all that it starts with strace; return what was run or loaded and is not ours."""
        log, given = self.base / "log", self.base / "given"
        self.mark.unlink(missing_ok=True)
        given.write_text(stdin.replace("{base}", str(self.base)))
        terminal = os.openpty() if stdin == _TYPED else None
        with given.open() as file, (self.base / "out").open("wb") as out:
            process = subprocess.Popen(
                [shutil.which("strace") or "", *_TRACED.split(), str(log), *words],
                stdin=terminal[1] if terminal else file,
                stdout=out,
                stderr=out,
                cwd=cwd,
                env=env,
                start_new_session=True,
            )
        wrong = []
        try:
            process.wait(_ENOUGH)
        except subprocess.TimeoutExpired:
            wrong.append(f"did not end within {_ENOUGH:g} seconds")
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for each in terminal or ():
            os.close(each)
        self.started = len(re.findall(r"execve\(.* = 0$", log.read_text(errors="replace"), re.MULTILINE))
        ran = self.mark.read_text().split("\n") if self.mark.exists() else []
        ours = {*_OURS, str(self.base / "tools" / "editor")}
        return [*wrong, *(f"ran {each}" for each in ran if each), *_foreign(log, str(self.work), ours)]


_TYPED = "\x04"
_TRACED = "-f -qq -y -s 4096 --seccomp-bpf -e trace=execve,execveat,open,openat -o"
_ENOUGH = 90.0  # seconds
_CALL = re.compile(r'(execve|open|openat|execveat)\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"(.*)')


def _foreign(log: Path, clone: str, ours: set[str]) -> list[str]:
    """Return what was started, or opened as code, and is not ours."""
    found = []
    for line in log.read_text(errors="replace").splitlines():
        call = _CALL.search(line)
        if call is None:
            continue
        name, folder, given, rest = call.groups()
        path = os.path.normpath(os.path.join(folder or clone, given))
        is_inside = path.startswith(f"{clone}/")
        if name.startswith("exec"):
            started = "= -1" not in rest
            if (is_inside or not os.path.isabs(given) or started) and path not in ours:
                found.append(f"started {given}")
        elif is_inside and path.endswith((".py", ".pyc", ".so", ".pth")) and "O_DIRECTORY" not in rest:
            found.append(f"opened {given}")
    return list(dict.fromkeys(found))


# ---------------------------------------------------------------- rounds

_patch: list[str] = []  # what is wrong on purpose
Broken = Callable[[], AbstractContextManager[None]]


def _started() -> list[str]:
    """Return how an agent starts us; with something wrong on purpose, by the same entry."""
    if not _patch:
        return [str(SCRIPT)]
    return [
        sys.executable,
        "-P",
        "-c",
        f"import sys\n{_patch[-1]}\nfrom memolith.edges.cli import entry\nsys.exit(entry())",
    ]


def attack(stand: Stand, command: Command, searched: str, cwd: Path, *, is_new: bool = False) -> list[str]:
    """Run a command where the repository is ready for it; return what was run that must not be.

    `is_new`: with a memory that does not know the repository yet.
    """
    stand.again()
    if is_new:
        shutil.rmtree(stand.home / "memory")
    for line in command.before:
        stand.run(lambda line=line: main(stand.arguments(line)))  # type: ignore[misc]
    arguments = [*stand.arguments(command.line)[:-1], str(cwd)]
    if command.line[0] in ("demo", "completion"):
        arguments = arguments[:-4]
    stdin = _TYPED if command.attended else command.stdin.replace("{base}/work/shop", str(cwd))
    return stand.watch([*_started(), *arguments], stdin=stdin, env=stand.environment(searched), cwd=cwd)


# Many commands in one process, each on the memory as it was: a command that is loaded once is loaded for all.
_DRIVER = """
import json, shutil, sys
from memolith.edges.cli import main
seed, place, rows = sys.argv[1:]
for lines in json.load(open(rows)):
    shutil.rmtree(place)
    shutil.copytree(seed, place)
    print(*[main(line) for line in lines], lines[-1], flush=True)
"""


def attack_all(stand: Stand, commands: Sequence[Command], searched: str) -> list[str]:
    """Run many commands where the repository is ready for them; `stand.said()` has their exit codes."""
    rows = [[stand.arguments(line) for line in (*each.before, each.line)] for each in commands]
    (stand.base / "rows").write_text(json.dumps(rows))
    places = [str(place) for place in (stand.seed, stand.round, stand.base / "rows")]
    words = [sys.executable, "-P", "-c", _DRIVER, *places]
    return stand.watch(words, stdin="", env=stand.environment(searched), cwd=stand.work)


def run(rounds: int, rng: random.Random, tally: Tally) -> Iterator[None]:
    """Make repositories, and start us in each."""
    with scratch() as base:
        stand = Stand(base)
        for _ in range(rounds):
            clone = stand.clone()
            command = rng.choice([*STARTING, *_MORE[2:5]] if rng.random() < 0.7 else OTHERS)
            searched = rng.choice(SEARCHED)
            about = _arm(clone, rng, searched)
            cwd = stand.work / rng.choice(["", "", "docs"])
            cwd.mkdir(exist_ok=True)
            tally.round(command.name)
            wrong = attack(stand, command, searched, cwd, is_new=rng.random() < 0.3)
            tally.check(
                "nothing of a repository is run", wrong, f"{command.name}; PATH {searched!r}; {about}"
            )
            yield


def _arm(clone: Clone, rng: random.Random, searched: str) -> str:
    """Put things of every kind into a repository; return in a few words what."""
    names = rng.sample(NAMES, rng.choice([5, 40, len(NAMES)]))
    place = rng.choice(PLACES)
    for name in [*names, "memolith"] if rng.random() < 0.5 else names:
        clone.module(place, name, rng.choice(FORMS))
        clone.module("", name, rng.choice(FORMS))
    for name in rng.sample(PROGRAMS, rng.choice([8, len(PROGRAMS)])):
        for folder in (searched.format(clone.root), rng.choice(["", "bin", "node_modules/.bin"])):
            clone.program(os.path.join(folder, name))
    settings = rng.sample(SETTINGS, rng.randint(1, len(SETTINGS)))
    where = rng.choice([".git", "docs", "vendor/x.git"])
    hollow = rng.random() < 0.5
    clone.git(where, settings, hollow=hollow)
    kind = "hollow " if hollow else ""
    return f"{len(names)} names in {place or 'the top'}, {len(settings)} settings in {kind}{where}"


def full(clone: Clone) -> None:
    """Put all of it into a repository at once."""
    for name in NAMES:
        for form in FORMS:
            clone.module("", name, form)
    for name in PROGRAMS:
        for place in ("", "bin/", "node_modules/.bin/"):
            clone.program(place + name)
    for where in (".git", "docs"):
        clone.git(where, SETTINGS, hollow=where == "docs")


# ---------------------------------------------------------------- wrong on purpose


@contextmanager
def _broken(code: str) -> Iterator[None]:
    _patch.append(code)
    try:
        yield
    finally:
        _patch.pop()


def worker_by_name() -> AbstractContextManager[None]:
    """Let the worker be `python -m memolith`, where the hook stands."""
    again = "lambda *a: [sys.executable, '-m', 'memolith', *a]"
    return _broken(f"import memolith.env.programs as p\np.ourselves = {again}")


def programs_as_found() -> AbstractContextManager[None]:
    """Let programs be found as a shell finds them."""
    return _broken(
        "import shutil, memolith.env.programs as p\np.find = lambda name, *_, **__: shutil.which(name)"
    )


def git_as_it_is() -> AbstractContextManager[None]:
    """Let git look at the directory, with whatever settings it finds there."""
    code = "import subprocess, memolith.env.project as p\nreal = p.resolve\n"
    code += "def resolve(*a):\n    subprocess.run(['git', 'rev-list', 'HEAD'], capture_output=True)\n"
    return _broken(f"{code}    return real(*a)\np.resolve = resolve")


BROKEN: tuple[Broken, ...] = (worker_by_name, programs_as_found, git_as_it_is)
