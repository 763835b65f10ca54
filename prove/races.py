"""`prove races`: writers, editors, a reindexer and a consolidation at work on one memory at the same time.

Lines show by themselves whether they are whole (`prove/lines.py`). Whatever a process was told
is written must be in its file, once, or if an editor replaced that file, in the history; a conflict must be
an error that somebody sees, never a line that is gone.
"""

import contextlib
import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memolith.base.errors import BusyError, ConflictError, MatchError, MemolithError
from memolith.learn import run as learning
from memolith.memory.sessions import Session, Turn
from memolith.text.digest import sha256
from prove.ask import Place
from prove.broken import RACERS
from prove.crowd import Notes, forked
from prove.lines import STYLES, kept, line, memory_files, save, tokens
from prove.report import Stopwatch, Tally
from prove.world import scratch

WRITERS, EDITORS, PER_WRITER = 8, 2, 1000
_DATED = re.compile(r"^- \d{4}-\d\d-\d\d \d\d:\d\d (?=- )", re.MULTILINE)  # before a note of a ticket
# The first is what thousands of lines say alike.
_QUESTIONS = ("begins a line", "w1x0001", "w3x0002", "firsta firstb", "port 4001", "number2 port")
_HANG = 60.0  # seconds without any acknowledgement: a deadlock


class _Crowd(Place):
    """Processes that share a memory, and what they told."""

    def __init__(self, base: Path, seed: int, rounds: int, end: float, broken: str) -> None:
        super().__init__(base)
        self.seed, self.rounds, self.end = seed, min(rounds, PER_WRITER), end
        self.broken = broken  # the name of a writer that is wrong on purpose
        self.children: dict[int, str] = {}
        self.notes = Notes(base / "told")

    def start(self, name: str, act: Callable[[], None]) -> None:
        """Let a process do something."""
        self.children[forked(act)] = name

    # ------------------------------------------------------------ who is at work

    def writer(self, who: int) -> None:
        """Append, edit with a precondition, and add records."""
        RACERS.get(self.broken, lambda: None)()
        chance, mem = random.Random(f"{self.seed}/{who}"), self.open()
        for number in range(self.rounds):
            if time.monotonic() > self.end:
                return
            token, by_hand = f"w{who}x{number:04d}", False
            try:
                kind = chance.random()
                if kind < 0.6:
                    target = chance.choice(("long_term", "scratchpad", "daily", "note", "note"))
                    name = chance.choice("abc") if target == "note" else None
                    by_hand = name in ("a", "b")
                    mem.write(target, line(token), name=name)  # type: ignore[arg-type]
                elif kind < 0.75:
                    path = mem.root / "projects" / mem.project / "notes" / "a.md"
                    seen, by_hand = path.read_bytes() if path.exists() else None, True
                    mem.write("note", line(token), name="a", if_sha256=sha256(seen))
                elif kind < 0.85:
                    mem.records.add(line(token), category="decisions", scope="project", title=token)
                elif kind < 0.93:
                    mem.tickets.note("race", line(token))
                else:
                    mem.remember(line(token), f"Title {token}")
            except (ConflictError, MatchError, BusyError) as error:
                self.notes.add("conflict", type(error).__name__)
                continue
            self.notes.add("line" if by_hand else "sure", token)

    def editor(self, who: int) -> None:
        """Be a person who saves a note again and again, in each style in turn."""
        chance, mem = random.Random(f"{self.seed}/editor{who}"), self.open()
        path = mem.root / "projects" / mem.project / "notes" / f"{'ab'[who]}.md"
        number = 0
        while time.monotonic() < self.end and not (self.base / "done").exists():
            token = f"hand{who}x{number:04d}"
            number += 1
            with contextlib.suppress(FileNotFoundError):
                style = STYLES[number % len(STYLES)]
                save(
                    str(path),
                    style,
                    token,
                    lambda: time.sleep(chance.uniform(0, 0.003)),
                    lambda each: self.notes.add("displaced", each),
                )
                self.notes.add("line", token)
            # Now and then a whole burst; a file that grows faster than the writers write tells no more.
            time.sleep(chance.choice((0.005, 0.01, 0.2)))

    def reindexer(self) -> None:
        """Rebuild and ask the index all the time."""
        while time.monotonic() < self.end and not (self.base / "done").exists():
            with self.open() as mem:
                mem.index.rebuild(["", mem.project])
                mem.recall("begins a line")
                mem.context_block()
            self.notes.add("rebuilt")

    def consolidation(self) -> None:
        """Learn from a new session, again and again."""
        number = 0
        while time.monotonic() < self.end and not (self.base / "done").exists():
            with self.open() as mem:
                when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
                said = f"Please remember: the service number{number} listens on port {4000 + number}."
                turn = Turn(number=1, role="user", text=said, time=when)
                try:
                    mem.sessions.add(Session(agent="claude", id=f"s{number}", started=when, turns=[turn]))
                    report = learning.run(mem, force=True, model="none")
                    self.notes.add("learned", report.extracted)
                except MemolithError as error:
                    self.notes.add("conflict", type(error).__name__)
            number += 1


def run(minutes: float, rounds: int, seed: int, only: str = "") -> Tally:
    """Let all of them work until the writers are done or the time is over; then count.

    `only`: with writers that are wrong on purpose, which has to be noticed.
    """
    tally = _raced(minutes, rounds, seed, only)
    if only:
        missed = [] if tally.violations else [f"{only}: not noticed in {tally.rounds} writes"]
        tally.violations = []
        tally.check("wrong writers are caught", missed, f"seed {seed}")
    return tally


def _raced(minutes: float, rounds: int, seed: int, broken: str) -> Tally:
    watch, tally = Stopwatch(minutes), Tally(seed)
    with scratch() as base:
        os.environ.update(MEMOLITH_MEMORIES_ENABLED="true", HOME=str(base / "user"))
        crowd = _Crowd(base, seed, rounds, time.monotonic() + minutes * 60, broken)
        with crowd.open() as mem:
            for name in "abc":
                mem.write("note", line(f"first{name}"), name=name)
            mem.tickets.add("Race", ticket_id="race")
        for who in range(WRITERS):
            crowd.start(f"writer{who}", partial(crowd.writer, who))
        for who in range(EDITORS):
            crowd.start(f"editor{who}", partial(crowd.editor, who))
        crowd.start("reindexer", crowd.reindexer)
        crowd.start("consolidation", crowd.consolidation)
        _wait(crowd, tally, watch)
        _count(crowd, tally)
    return tally


def _wait(crowd: _Crowd, tally: Tally, watch: Stopwatch) -> None:
    """Wait for all; who says nothing for a minute hangs."""
    size, since, wrong = 0, time.monotonic(), []
    while crowd.children:
        for child in list(crowd.children):
            found, status = os.waitpid(child, os.WNOHANG)
            if found:
                name = crowd.children.pop(child)
                code = os.waitstatus_to_exitcode(status)
                wrong += [f"{name} ended with {code}"] if code else []
        if not any(name.startswith("writer") for name in crowd.children.values()):
            (crowd.base / "done").touch()
        now = len(crowd.notes.lines())
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > _HANG:
            wrong.append(
                f"nothing was done for a minute, after {watch.passed:.0f} s: {crowd.children.values()}"
            )
            break
        time.sleep(0.02)
    for child in crowd.children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    tally.check("no deadlock, and everybody ended well", wrong, f"seed {crowd.seed}")


def _count(crowd: _Crowd, tally: Tally) -> None:
    with crowd.open() as mem:
        mem.write("scratchpad", line("afterwards"))
        mem.write("long_term", line("afterwards2"))
        files = memory_files(mem)
        texts = [
            _DATED.sub("", data.decode().replace("\ufeff", ""))
            for name, data in files.items()
            if not name.endswith("notes/MEMORY.md")
        ]
        old = _DATED.sub("", b"\n".join(kept(mem)).decode().replace("\ufeff", ""))
        left = [str(path) for path in Path(mem.root).rglob(".tmp/*")]
        mem.index.sync(["", mem.project])  # on a busy machine an answer may say that it had no time for all
        index = [[hit.source for hit in mem.recall(question, semantic=False).hits] for question in _QUESTIONS]
        mem.index.rebuild(["", mem.project])
        fresh = [[hit.source for hit in mem.recall(question, semantic=False).hits] for question in _QUESTIONS]
    about = f"seed {crowd.seed}"
    # What nobody edits by hand must be in its file; what an editor replaced, at least in the history.
    sure, displaced = crowd.notes.of("sure"), set(crowd.notes.of("displaced"))
    acknowledged = [*crowd.notes.of("line"), *sure]
    found = Counter(token for text in texts for token in tokens(text))
    in_history = set(tokens(old))
    lost = [each for each in acknowledged if each not in found and each not in in_history | displaced]
    lost += [each for each in sure if each not in found and each in in_history]
    tally.rounds = len(acknowledged)
    tally.injected["acknowledged writes and saves"] = len(acknowledged)
    tally.injected["of these by writers"] = sum(each.startswith("w") for each in acknowledged)
    tally.injected["conflicts that were told"] = len(crowd.notes.of("conflict"))
    tally.injected["index rebuilt"] = len(crowd.notes.of("rebuilt"))
    tally.injected["sessions learned from"] = sum(map(int, crowd.notes.of("learned")))
    tally.injected["lines that an editor itself threw away"] = len(displaced)
    tally.checks["lines"] = found.total()
    tally.check("no acknowledged line is lost", [f"{each} is gone" for each in lost], about)
    twice = [each for each, count in found.items() if count > 1]
    tally.check("no line is there twice", twice, about)
    whole = found.total()
    lines = sum(" begins a line" in each for text in texts for each in text.splitlines())
    # The title of a record, and what was learned, may quote a line; those are no lines of their own.
    tally.check("no torn line", [f"{lines - whole} lines"] if _torn(texts) else [], about)
    tally.check("no temporary file is left", left, about)
    tally.check("index equals a fresh one", [] if index == fresh else [f"{index} {fresh}"], about)


def _torn(texts: list[str]) -> list[str]:
    bare = [each for text in texts for each in text.splitlines()]
    begun = [each for each in bare if each.startswith("- ") and " begins a line" in each]
    return [each for each in begun if not tokens(each)]
