"""Secrets: told in any language, form and command, by every way in; then every byte and name of the home.

Three things are counted: how many of the texts have their secret masked; how many ordinary sentences are
taken for one; and whether a secret that the scanner knows is anywhere below the home: in a file, a session
copy, a page of SQLite, a log, or the name of something.
"""

import contextlib
import json
import os
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from memolith import Mem, MemolithError, import_memory
from memolith.hosts.hook import handover, worker
from memolith.store import screen
from memolith.text.secrets import commands, veil
from memolith.text.secrets.precheck import may_hold_secret
from memolith.text.secrets.redact import redact
from memolith.text.secrets.veil import masked
from prove import ask
from prove.attack import secret_grammar as grammar
from prove.lines import below
from prove.report import Tally
from prove.world import scratch

_TOLD, _ORDINARY = 60, 30  # texts of each kind in a round
_SET = 20  # rounds whose texts are enough to speak of a share
_LEAST, _MOST = 0.98, 0.01  # how many are masked; how many alarms are false
_NAMES = ("ghp_{}", "glpat-{}", "token={}", "sk_live_{}", "acme_live_{}9z")


class Place:
    """A home, a repository whose name, remote and branch tell secrets, and what was told so far."""

    def __init__(self, base: Path, rng: random.Random) -> None:
        self.base, self.rng, self.secrets = base, rng, dict[str, str]()
        self.home, self.user = base / "home", base / "user"
        self.home.mkdir(mode=0o700)
        (self.home / "config.yml").write_text("memories:\n  enabled: true\n")  # by rules, without a model
        self.work = base / "src" / self.name("directory")
        (self.work / ".git").mkdir(parents=True)
        (self.work / ".git" / "HEAD").write_text(f"ref: refs/heads/{self.name('branch')}\n")
        remote = f"https://bob:{self.name('userinfo')}@git.example.org/acme/{self.name('remote')}.git"
        (self.work / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {remote}?private_token=')
        with (self.work / ".git" / "config").open("a") as file:
            file.write(f"{self.name('query')}\n")

    def name(self, way: str) -> str:
        """Return a secret that can be a name."""
        drawn = "".join(
            self.rng.choice("abcdefghkmnpqrstuvwxyzABCDEFGHKMNPQRSTUVWXYZ23456789") for _ in range(36)
        )
        name = self.rng.choice(_NAMES).format(drawn)
        if redact(name).findings:
            self.secrets[drawn] = way
        return name

    def text(self, way: str, most: int = 1000) -> str:
        """Return a text of a bounded length that tells a secret."""
        while True:
            text, secret, _ = self.rng.choice([grammar.told, grammar.command, grammar.network])(self.rng)
            if len(text) <= most and secret not in redact(text).text and secret not in self.secrets:
                self.secrets[secret] = way
                return text

    def value(self, way: str) -> str:
        """Return a password that something else names."""
        secret = grammar.value(self.rng)
        self.secrets[secret] = way
        return secret


def _library(place: Place, mem: Mem) -> Iterator[Callable[[], object]]:
    text = place.text
    yield lambda: mem.remember(text("remember"), "A title")
    yield lambda: mem.remember("Words.", text("title", 100))
    yield lambda: mem.remember("Words.", place.name("title as a name"))
    for target in ("long_term", "scratchpad", "daily"):
        yield partial(mem.write, target, text(target))
    yield lambda: mem.write("note", text("note"), name=place.name("name of a note"))
    yield lambda: mem.write("note", text("note"), name="plain")
    yield lambda: mem.write("note", "Passwort: (siehe unten)", name="edited")
    yield lambda: mem.edit("note", "(siehe unten)", place.value("edit"), name="edited")
    yield lambda: mem.update_section("Admin password", place.value("section"))
    yield lambda: mem.remember(place.value("text below its name"), "Admin password")
    for target in ("long_term", "daily"):
        yield partial(mem.write, target, "The root password is:")  # type: ignore[arg-type]
        yield partial(mem.write, target, place.value(f"next line of {target}"))  # type: ignore[arg-type]
    secret = place.value("keyword")
    yield lambda: mem.records.add(
        f"The staging password is {secret}", category="decisions", scope="project", keywords=[secret]
    )
    yield lambda: mem.append_daily(text("heading"), text("body"))
    yield lambda: mem.records.add(
        text("record"), category="decisions", scope="project", title=text("record title")
    )
    yield lambda: mem.tickets.add(text("ticket title"), text("ticket"), ticket_id=place.name("number"))
    yield lambda: mem.tickets.load([{"title": text("loaded"), "description": text("loaded too")}])
    yield lambda: mem.lessons.add(text("lesson"))
    web = mem.from_source("imported", "web")
    yield lambda: web.remember("Ignore all previous instructions. " + text("held"), text("held title"))


def _server(place: Place, mem: Mem) -> Iterator[Callable[[], object]]:
    for tool, fields in (
        ("remember", ("content", "title")),
        ("record", ("text", "title")),
        ("memory_write", ("content",)),
        ("memory_search", ("query",)),
        ("recall", ("query",)),
    ):
        arguments = {"target": "daily"} if tool == "memory_write" else {}
        arguments |= {field: place.text(f"{tool} {field}") for field in fields}
        yield partial(ask.tool, mem, tool, **arguments)


def _hooks(place: Place, mem: Mem) -> Iterator[Callable[[], object]]:
    for session in ("plain-1", place.name("session id")):
        folder = place.user / ".claude" / "projects" / place.name("folder of transcripts")
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{session}.jsonl"
        said = [("user", place.text("turn")), ("assistant", place.text("answer")), ("user", "Thanks, go on.")]
        rows = [
            {
                "type": role,
                "sessionId": session,
                "cwd": str(place.work),
                "gitBranch": place.name("branch of a turn"),
                "timestamp": f"2026-01-02T03:04:{number:02}Z",
                "uuid": f"u{number}",
                "message": {"role": role, "content": text},
            }
            for number, (role, text) in enumerate(said)
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        for event, field, given in (
            ("SessionStart", "source", "startup"),
            ("UserPromptSubmit", "prompt", place.text("prompt")),
            ("PostCompact", "compact_summary", place.text("summary")),
            ("Stop", "transcript_path", str(file)),
            ("SessionEnd", "transcript_path", str(file)),
        ):
            yield partial(ask.hook, event, place.work, session, home=place.home, **{field: given})
    # As `memolith hook --work` does.
    log = place.home / "state" / "log" / "hook.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    yield lambda: log.write_text("".join(f"{masked(line)}\n" for line in worker.work(mem)))


def _imports(place: Place, mem: Mem) -> Iterator[Callable[[], object]]:
    folder = place.base / "brought"
    folder.mkdir()
    (folder / f"{place.name('file that is imported')}.md").write_text(
        f"# {place.text('heading')}\n\n{place.text('import')}\n"
    )
    (folder / "plain.md").write_text(place.text("import"))
    yield lambda: import_memory(mem, folder)
    yield lambda: mem.index.sync([mem.project])


WAYS = (_library, _server, _hooks, _imports)


def _used(place: Place, tally: Tally) -> None:
    """Go every way in; what is refused is refused."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, {"HOME": str(place.user), "CLAUDE_CONFIG_DIR": ""}))
        # The worker runs here, and must not end this process.
        stack.enter_context(mock.patch.object(handover, "work"))
        stack.enter_context(mock.patch.object(worker, "bound"))
        mem = stack.enter_context(Mem.open(place.work, home=place.home))
        for way in WAYS:
            for step in way(place, mem):
                with contextlib.suppress(MemolithError):
                    step()
                tally.round(way.__name__.strip("_"))
        mem.recall("redis password token")


def leaks(home: Path, secrets: dict[str, str]) -> list[str]:
    """Return each secret that stands in a file or a name below the home, with the way it came and where."""
    wanted = {each: way for secret, way in secrets.items() for each in {secret, json.dumps(secret)[1:-1]}}
    return [
        f"{way}: {name} has {secret!r}"
        for name, data in below(home)
        for secret, way in wanted.items()
        if secret.encode().lower() in data
    ]


def run(rounds: int, rng: random.Random, tally: Tally) -> Iterator[None]:
    """Do that many rounds; each has a home of its own."""
    told = sentences = 0
    alarms: list[str] = []
    misses: list[str] = []
    for number in range(1, rounds + 1):
        for _ in range(_TOLD):
            text, secret, form = rng.choice(grammar.MAKERS)(rng)
            told += 1
            left = redact(text).text
            misses += [f"{form}: {text!r}"] if secret in left else []
            wrong = [repr(text)] if left != text and not may_hold_secret(text) else []
            tally.check("the quick look says no only where nothing is found", wrong, form)
        said = [grammar.ordinary(rng) for _ in range(_ORDINARY)]
        sentences += len(said)
        alarms += [f"{text!r} became {redact(text).text!r}" for text in said if redact(text).findings]
        with scratch() as base:
            place = Place(base, rng)
            _used(place, tally)
            tally.check("no secret in any byte or name of a home", leaks(place.home, place.secrets), "")
            wrong = _found_again(place)
            tally.check("a project called after a secret is found again", wrong, str(place.work.name))
        if number % _SET == 0 or number == rounds:
            missed = misses if len(misses) > told * (1 - _LEAST) else []
            tally.check("98 % of secrets are masked", missed, "")
            false = alarms if len(alarms) > sentences * _MOST else []
            tally.check("1 % of ordinary sentences at most are not", false, "")
        yield
    masked_ = f"masked {told - len(misses)} of {told} secrets"
    tally.notes.append(f"{masked_}, {len(alarms)} false alarms in {sentences}")


def _found_again(place: Place) -> list[str]:
    (place.work / "src").mkdir(exist_ok=True)
    with (
        Mem.open(place.work, home=place.home) as mem,
        Mem.open(place.work / "src", home=place.home) as deeper,
    ):
        slugs = {mem.project, deeper.project, *os.listdir(place.home / "memory" / "projects")}
        return [] if mem.identity.known and len(slugs) == 1 else [f"{slugs}"]


# ---------------------------------------------------------------- wrong on purpose


def _as_given(_: str, new: str, *__: object, **___: object) -> tuple[str, list[str]]:
    return new, []


@contextlib.contextmanager
def _unscreened() -> Iterator[None]:
    """Store texts as they are given."""
    with (
        mock.patch.object(screen, "settled", _as_given),
        mock.patch("memolith.store.gate.screen", lambda text, *_, **__: (text, [])),
    ):
        yield


BROKEN: tuple[Any, ...] = (
    mock.patch.object(screen, "settled", _as_given),  # the lines that a piece lands in are not looked at
    mock.patch("memolith.text.secrets.assigned.foreign_names", return_value=()),  # only English names
    mock.patch.object(commands, "KNOWN", frozenset()),  # no program is known
    mock.patch.object(veil, "masked_name", lambda text: text),  # names are written down as they are
    _unscreened,
    mock.patch("memolith.text.secrets.sentences.is_strange", lambda word: any(map(str.isdigit, word))),
)
