"""What must hold after whatever happened to a command: the same checks for every round of `prove faults`."""

from __future__ import annotations

import os
import pickle
import shutil
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.workers import kept, line, tokens

from memolith import Mem
from memolith.cli import main
from memolith.errors import HistoryError, MemolithError
from memolith.places import Place
from memolith.store import files
from prove.clock import CLOCK
from prove.commands import Command
from prove.report import Tally
from prove.world import World

Files = dict[str, bytes]
LATER = 400.0  # seconds after which no lease of a killed worker holds
QUESTIONS = ("zebra", "proxy number2", "new7", "Redis tests", "port 4431", "page2")


@dataclass
class Expected:
    """A command when nothing goes wrong: memory before and after, and each text that a name had then."""

    command: Command
    start: Path
    before: Files
    after: Files = field(default_factory=dict)
    published: dict[str, set[bytes]] = field(default_factory=dict)
    unkept: set[str] = field(default_factory=set)

    def may_be(self, name: str, data: bytes | None, *, fewer: bool) -> bool:
        """Tell whether a file may have this content; `fewer`: a part may have failed, nothing was killed."""
        on_the_way = self.published.get(name, set())
        if name.endswith("notes/MEMORY.md"):
            # The list of the notes follows them one by one; the block is what counts.
            return all(row.startswith((b"- [", b"<!--", b"#")) for row in (data or b"").splitlines() if row)
        if data is not None and fewer and self.command.learns and name.startswith("home/memory/"):
            # Of a session that could not be read at that moment nothing is there: whole lines, but fewer.
            every = [self.before.get(name) or b"", self.after.get(name) or b"", *on_the_way]
            known = {row for text in every for row in text.splitlines()}
            return (
                data.endswith(b"\n") and {row for row in data.splitlines() if b"session" not in row} <= known
            )
        if data is None:
            return None in (self.before.get(name), self.after.get(name))
        return data in (self.before.get(name), self.after.get(name)) or data in on_the_way


def snapshot(world: World) -> Files:
    """Return what somebody would miss: memory, session copies, settings; no temporary files."""
    found = {}
    for top in (world.home / "memory", world.home / "sessions", world.user, world.home / "config.yml"):
        for path in [top, *sorted(top.rglob("*"))]:
            inside = path.relative_to(world.round)
            if path.is_file() and ".tmp" not in inside.parts and not is_temporary(path.name):
                found[str(inside)] = path.read_bytes()
    return found


def is_temporary(name: str) -> bool:
    """Tell whether a name outside of `.tmp/` is one that a file has only while it is written."""
    return name.startswith(".") and (name.endswith((".tmp", ".arriving")) or ".memolith-" in name)


def expect(world: World, command: Command) -> Expected:
    """Run a command undisturbed, twice; return what it does. It must do the same both times."""
    world.again()
    for earlier in command.before:
        code, said = world.run(lambda given=earlier: main(world.arguments(given)))  # type: ignore[misc]
        if code:
            raise RuntimeError(f"{earlier} ended with {code}: {said}")
    start = world.base / "starts" / command.name.replace(" ", "-")
    shutil.rmtree(start, ignore_errors=True)
    shutil.copytree(world.round, start)
    found = Expected(command, start, snapshot(world))
    record = world.base / "published"
    code, said = world.run(lambda: _recorded(world, command, record), stdin=stdin(world, command))
    if code not in command.codes:
        raise RuntimeError(f"{command.name} ended with {code}: {said}")
    found.after = snapshot(world)
    found.published = pickle.loads(record.read_bytes())  # noqa: S301 - our own child wrote it
    with world.open() as mem:
        versions = kept(mem)
    found.unkept = {
        name for name in _changed(found.before, found.after) if found.before[name] not in versions
    }
    begin(world, found)
    world.run(lambda: main(world.arguments(command.line)), stdin=stdin(world, command))
    if _differences(snapshot(world), found.after):
        raise RuntimeError(f"{command.name} does not write the same bytes twice")
    return found


def begin(world: World, expected: Expected) -> None:
    """Bring back the memory that the command of a round starts from."""
    shutil.rmtree(world.round, ignore_errors=True)
    shutil.copytree(expected.start, world.round)


def stdin(world: World, command: Command) -> str:
    """Return what a command reads from its standard input."""
    return command.stdin.replace("{base}", str(world.base))


def _recorded(world: World, command: Command, record: Path) -> int:
    """Run a command and note each content that a name got in one step."""
    seen: dict[str, set[bytes]] = defaultdict(set)

    def noted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*places: Place) -> object:
            result = real(*places)
            for place in places:
                if os.path.isfile(place.path):
                    seen[os.path.relpath(place.path, world.round)].add(Path(place.path).read_bytes())
            return result

        return call

    for name in ("exchange", "create", "rename", "replace"):
        setattr(files, name, noted(getattr(files, name)))
    code = main(world.arguments(command.line))
    record.write_bytes(pickle.dumps(dict(seen)))
    return code


def _changed(before: Files, after: Files) -> list[str]:
    """Return the memory files from which something was taken away."""
    return [
        name
        for name, old in before.items()
        if name.startswith("home/memory/") and not (after.get(name) or b"").startswith(old)
    ]


def _differences(found: Files, wanted: Files) -> list[str]:
    names = sorted(name for name in set(found) | set(wanted) if not name.endswith("notes/MEMORY.md"))
    return [f"{name} is not what was acknowledged" for name in names if found.get(name) != wanted.get(name)]


# ---------------------------------------------------------------- the checks


def judge(
    world: World,
    expected: Expected,
    tally: Tally,
    about: str,
    *,
    acknowledged: bool,
    index: bool = True,
    fewer: bool = False,
) -> None:
    """Check a memory whose command was interrupted, or acknowledged in spite of everything.

    `index`: also ask it questions, which is half of the work.
    """
    found = snapshot(world)
    names = sorted(set(found) | set(expected.before) | set(expected.after))
    torn = [
        f"{name} is neither old nor new"
        for name in names
        if not expected.may_be(name, found.get(name), fewer=fewer)
    ]
    tally.check("no torn file", torn, about)
    if acknowledged and expected.command.acks:
        tally.check("no acknowledged write lost", _differences(found, expected.after), about)
    try:
        with world.open() as mem:
            tally.check("old bytes in history", _unkept(expected, found, mem), about)
            tally.check("the block lists all notes", _unlisted(mem), about)
            if index:
                tally.check("index equals a fresh one", _index(world, mem), about)
        with world.open() as mem:
            _next_write(mem, tally, about)
            tally.check("every version reads back", _versions(mem), about)
    except (MemolithError, OSError) as error:
        tally.check("memory opens", [repr(error)], about)


def repeat(world: World, expected: Expected, tally: Tally, about: str) -> None:
    """Run the command again: it ends as if nothing had happened."""
    command = expected.command
    CLOCK.seconds += LATER
    try:
        code, said = world.run(lambda: main(world.arguments(command.line)), stdin=stdin(world, command))
    finally:
        CLOCK.seconds -= LATER
    wrong = [] if code in command.codes else [f"run again, it ends with {code}: {said[-200:]}"]
    wrong += _differences(snapshot(world), expected.after) if command.repeats and not wrong else []
    stray = [path for path in world.round.rglob("*") if path.is_file() and is_temporary(path.name)]
    wrong += [f"{path} is left" for path in stray]
    tally.check("running it again completes it", wrong, about)


def _unkept(expected: Expected, found: Files, mem: Mem) -> list[str]:
    """Return the files whose old bytes are neither there nor in the history."""
    gone = [name for name in _changed(expected.before, found) if name not in expected.unkept]
    if not gone:
        return []
    # What a crash left in `.tmp` becomes a version with the next lock.
    mem.gate.catch_up("")
    mem.gate.catch_up(mem.project)
    versions = kept(mem)
    return [f"the old bytes of {name} are gone" for name in gone if expected.before[name] not in versions]


def _unlisted(mem: Mem) -> list[str]:
    """Return the notes that the block does not know, whatever their stored list says."""
    folder, listed = mem.root / "projects" / mem.project / "notes", mem.context_block() or ""
    notes = [path.name for path in folder.glob("*.md") if path.name != "MEMORY.md"]
    return [f"{name} is not listed" for name in notes if f"({name})" not in listed]


def answers(mem: Mem) -> list[list[str]]:
    """Return what a memory answers to some questions."""
    return [[hit.source for hit in mem.recall(question).hits] for question in QUESTIONS]


def _index(world: World, mem: Mem) -> list[str]:
    grown = answers(mem)
    mem.close()
    shutil.rmtree(world.home / "cache", ignore_errors=True)
    with world.open() as fresh:
        made = answers(fresh)
    return [
        f"{question!r}: {old} but fresh {new}"
        for question, old, new in zip(QUESTIONS, grown, made, strict=True)
        if old != new
    ]


def _next_write(mem: Mem, tally: Tally, about: str) -> None:
    wrong = []
    for target in ("scratchpad", "long_term"):
        result = mem.write(target, line("afterwards"))
        if tokens(Path(result.filename).read_text("utf-8"))[-1:] != ["afterwards"]:
            wrong.append(f"{target} cannot be written")
    tally.check("the next write succeeds", wrong, about)
    left = [str(path) for path in Path(mem.root).rglob(".tmp/*")]
    tally.check("no temporary file is left", left, about)


def _versions(mem: Mem) -> list[str]:
    wrong = []
    for scope in ("", mem.project):
        for relative in mem.gate.history.files(scope):
            for version in mem.gate.history.versions(relative):
                try:
                    size = len(mem.gate.history.read(relative, version.id))
                except (HistoryError, OSError) as error:
                    wrong.append(f"{relative} version {version.id}: {error}")
                    continue
                if size != version.size:
                    wrong.append(f"{relative} version {version.id}: {size} of {version.size} bytes")
    return wrong
