"""Bringing the sessions that agents keep into memory, each into the project it was held in.

A file that is not in an agent's own place may be anybody's, and name any project: unless a person says that
it is theirs, it goes where they are, under a name of its own, and every turn of it is labelled as outside.

Nothing is kept about what was brought: a session is known by its name, and its copy is newer than the agent's
file unless that has grown. So an interruption costs nothing but the session that was being read.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from memolith.base.errors import ConfigError, InputError, MemolithError, NotFoundError, StorageError
from memolith.base.values import Value
from memolith.env import whose
from memolith.env.project import PROJECTS, of_gone
from memolith.env.settings import Settings
from memolith.hosts import sessions
from memolith.hosts.sessions.aider import FILE
from memolith.hosts.sessions.files import newest
from memolith.mem import Mem
from memolith.memory.sessions import DELETED, LEFT_OUT, Session
from memolith.prompt import brief
from memolith.store.screen import quoted
from memolith.text.secrets.veil import masked, veiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Self

    from memolith.hosts.sessions import Agent

    Progress = Callable[[int, int], None] | None

_OUTSIDE = "repository"
_TRIES = 3  # for a session that is going on while it is read


class Place(Value):
    """A session that was found; `problem` instead if an agent's sessions cannot be listed.

    `taint` is set if it may not be the user's; `asked`, if a person named this very file.
    """

    agent: Agent
    asked: bool = False
    path: str
    problem: str = ""
    taint: str = ""


class Outcome(Value):
    """What became of a session: `new`, `grown`, `known`, or `skipped` for a reason."""

    action: str
    agent: str
    name: str
    path: str
    added: int = 0
    masked: int = 0
    project: str = ""
    reason: str = ""
    turns: int = 0


def agent_named(name: str) -> Agent:
    """Return an agent; InputError if no agent has that name."""
    if name not in sessions.AGENTS:
        raise InputError(f"unknown agent {quoted(name)}; one of {', '.join(sessions.AGENTS)}")
    return sessions.AGENTS[name]


def find(env: Mapping[str, str], home: str, only: Agent | None = None) -> list[Place]:
    """Return the sessions of this machine; one agent whose files are damaged does not hide the others'."""
    found: list[Place] = []
    for agent in [only] if only else sessions.AGENTS.values():
        try:
            found += [_found(agent, path) for path in agent.places(env, home)]
        except (OSError, MemolithError) as error:
            found.append(Place(agent=agent, path="", problem=str(error)))
    return found


def _found(agent: Agent, path: str) -> Place:
    taint = _OUTSIDE if whose.in_checkout(path.partition("#")[0]) else ""
    return Place(agent=agent, path=path, taint=taint)


def named(paths: Sequence[str], only: Agent | None = None, *, mine: bool = False) -> list[Place]:
    """Return the sessions that somebody named: files, or directories with all that is in them.

    They are the user's if the user says so (`mine`), or their agents keep them.
    """
    found: list[Place] = []
    for path in paths:
        file = path.partition("#")[0]
        if link := whose.link_on_the_way(file):
            raise InputError(f"{quoted(link)} is a symbolic link, which is not followed; name its target")
        if is_folder := os.path.isdir(path):
            inside = newest(path, "**/*.jsonl", f"**/{FILE}")
        elif os.path.isfile(path) or os.path.isfile(file):
            inside = [path]
        else:
            raise NotFoundError(f"{quoted(path)}: there is no such file or directory; check the path")
        for each in inside:
            own = mine or whose.is_kept(each.partition("#")[0], os.environ)
            agent = only or sessions.guess(each)
            taint = "" if own else _OUTSIDE
            found.append(Place(agent=agent, path=each, taint=taint, asked=not is_folder))
    return found


def of_session(host: str, session: str, path: str) -> Place | None:
    """Return where the transcript of a session is; some hosts do not say."""
    if path and os.path.isfile(path.partition("#")[0]):
        # Others than Claude Code send its messages too.
        agent = sessions.guess(path) if host in ("claude", "pi") else sessions.AGENTS[host]
        return _found(agent, path)
    agent = sessions.AGENTS[host]
    places = agent.places(os.environ, os.path.expanduser("~"))
    known = (each for each in places if (session and session in each) or (path and veiled(each) == path))
    return next((_found(agent, each) for each in known), None)


class Gatherer:
    """Stores sessions in the memory that `base` is of; those that do not say where they were, in its own.

    `gone` has the memories of directories that are not there any more; sessions of others are skipped.
    """

    def __init__(self, base: Mem, *, dry_run: bool = False, gone: Mapping[str, Mem] | None = None) -> None:
        self._base, self._dry_run, self._gone = base, dry_run, gone or {}
        self._opened: dict[str, Mem] = {}
        self._stored: dict[str, dict[str, int]] = {}
        self.refused: MemolithError | None = None  # the first time that our own side did not take a session
        self.unread = 0  # sessions that are there and could not be read, or agents whose could not be listed
        self.shortened = 0  # sessions that are not kept whole

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for mem in self._opened.values():
            mem.close()

    def bring_all(self, places: Sequence[Place], tell: Progress) -> list[Outcome]:
        """Bring what is at some places, and tell how far it is."""
        brought: list[Outcome] = []
        for number, place in enumerate(places, 1):
            brought += self.bring(place)
            if tell:
                tell(number, len(places))
        return brought

    def bring(self, place: Place) -> Iterator[Outcome]:
        """Yield what became of the sessions of a place. One that cannot be read is skipped."""
        try:
            yield from self._bring(place)
        except (OSError, MemolithError) as error:
            if isinstance(error, (StorageError, ConfigError)):
                self.refused = self.refused or error
            self.unread += isinstance(error, OSError) and not isinstance(error, FileNotFoundError)
            yield _outcome(place, "skipped", reason=str(error))

    def _bring(self, place: Place) -> Iterator[Outcome]:
        if place.problem:
            self.unread += 1
            yield _outcome(place, "skipped", reason=place.problem)
            return
        agent, path = place.agent, place.path
        head = labelled(agent.head(path), place.taint)
        mem = self._base if place.taint else self._memory(head.cwd)
        if mem is None:
            yield _outcome(place, "skipped", head, reason=f"its directory is gone: {head.cwd}")
            return
        if self._copies(mem).get(head.name, -1) > agent.changed(path):
            yield _outcome(place, "known", head, project=mem.project)
            return
        done: list[Outcome] = []
        for _ in range(_TRIES):
            before = agent.changed(path)
            found = (labelled(session, place.taint) for session in agent.read(path))
            done = [self._store(place, mem, session) for session in found]
            if agent.changed(path) == before:
                break
        yield from done or [
            _outcome(place, "skipped", head, project=mem.project, reason="nothing was said in it")
        ]

    def _store(self, place: Place, mem: Mem, session: Session) -> Outcome:
        if not place.asked and mem.sessions.is_deleted(session.name):
            return _outcome(place, "skipped", session, project=mem.project, reason=DELETED)
        before = session.name in self._copies(mem)
        gap = next((turn.text for turn in session.turns if turn.tool == LEFT_OUT), "")
        self.shortened += bool(gap)
        about = {"project": mem.project, "turns": len(session.turns), "reason": gap}
        if self._dry_run:
            return _outcome(place, "grown" if before else "new", session, **about)
        stored = mem.sessions.add(session, again=place.asked)
        self._copies(mem).setdefault(session.name, 0)
        action = "known" if not stored.added else "grown" if before else "new"
        return _outcome(place, action, session, added=stored.added, masked=stored.masked, **about)

    def _memory(self, cwd: str) -> Mem | None:
        """Return the memory of a directory; None if it is gone and nothing is known of it."""
        if not cwd:
            return self._base
        if cwd not in self._opened:
            self._opened[cwd] = Mem.open(cwd, home=self._base.home, origin=self._base.source.origin)
        mem = self._opened[cwd]
        if os.path.isabs(cwd) and (os.path.isdir(cwd) or mem.identity.known):
            return mem
        if cwd not in self._gone and os.path.isabs(cwd):
            moved = of_gone(os.path.join(mem.store, PROJECTS), cwd)
            return mem.of_project(moved) if moved else None
        return self._gone.get(cwd)

    def _copies(self, mem: Mem) -> dict[str, int]:
        if mem.project not in self._stored:
            self._stored[mem.project] = mem.sessions.stored()
        return self._stored[mem.project]

    @property
    def memories(self) -> dict[str, Mem]:
        """The memories that sessions were brought into or are known in, by their project."""
        mems = [self._base, *self._opened.values()]
        return {mem.project: mem for mem in mems if mem.project in self._stored}


def labelled(session: Session, taint: str = _OUTSIDE) -> Session:
    """Return a session as it is kept; an outside one never takes the place of one's own."""
    if not taint:
        return session
    turns = [turn.but(taint=taint) for turn in session.turns]
    return session.but(id=f"outside-{session.id}", taint=taint, turns=turns)


def _outcome(place: Place, action: str, session: Session | None = None, **more: Any) -> Outcome:
    name = session.name if session else ""
    return Outcome(agent=place.agent.name, path=place.path, name=name, action=action, **more)


# ---------------------------------------------------------------- right after an installation
# Whoever asks for this has agreed to the rules that learn offline, although learning is off by default: no
# model is asked, nothing leaves the machine, and the setting stays as it was.

_HITS = 5
_QUERY = 400  # characters of a request that say what it is about


class FirstImport(Value):
    """What became of the sessions, how many records they taught, and what is known about the last request."""

    brief: str
    brought: list[Outcome]
    records: int


def first_import(mem: Mem, places: Sequence[Place], sessions: Progress, files: Progress) -> FirstImport:
    """Import, index, learn by rules and recall; `sessions` and `files` are told how far it is."""
    with Gatherer(mem) as gatherer:
        brought = gatherer.bring_all(places, sessions)
        mems = gatherer.memories
        mem.index.sync(list(mems), progress=files)
        records = sum(_learn(each) for each in mems.values())
        return FirstImport(brief=_brief(mem, mems, brought), brought=brought, records=records)


def _learn(mem: Mem) -> int:
    """Learn by rules from what was finished; return how many records that gave."""
    enabled, origin = mem.settings.lookup("memories.enabled")
    if not enabled and origin != "default":
        return 0  # somebody switched it off, and meant it
    agreed = Settings(mem.home, {**os.environ, "MEMOLITH_MEMORIES_ENABLED": "true"})
    agreed.enter(mem.identity.root)
    mem.settings, kept = agreed, mem.settings
    try:
        return 0 if mem.learning.off else mem.learning.run(model="none").records
    finally:
        mem.settings = kept


def _brief(mem: Mem, mems: dict[str, Mem], brought: list[Outcome]) -> str:
    """Return what memory says about the last thing somebody worked on: here, or where most was."""
    counts = Counter(each.project for each in brought if each.action != "skipped")
    chosen = mem if counts[mem.project] else mems.get(next(iter(counts.most_common(1)), ("", 0))[0])
    if chosen is None:
        return ""
    sessions = [each for each in chosen.sessions.list() if each.source in ("", "interactive")]
    for last in reversed(sessions[-3:]):
        turns = chosen.sessions.get(last.name).turns
        request = next((turn.text.strip() for turn in turns if turn.role == "user" and turn.text.strip()), "")
        if not request:
            continue
        found = chosen.recall(request[:_QUERY], limit=_HITS * 2, semantic=False)
        others = [hit for hit in found.hits if last.name not in hit.source][:_HITS] or found.hits[:1]
        if others:
            about = " ".join(request[:_QUERY].split())
            about = about if len(about) <= 70 else f"{about[:70]}…"
            return f'What is known in {chosen.project} about "{about}":\n{masked(brief.items(others))}'
    return ""
