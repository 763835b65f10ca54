"""What must hold after whatever happened to a command: the same checks for every round of `prove faults`."""

import contextlib
import io
import itertools
import os
import pickle
import shutil
import sqlite3
import tarfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memolith import Mem
from memolith.base.errors import HistoryError, MemolithError
from memolith.edges.cli import main
from memolith.env.paths import Place
from memolith.learn.consolidate import current, statements
from memolith.learn.consolidate.current import MADE
from memolith.store import files, layout
from memolith.text import source_label
from prove.clock import CLOCK
from prove.commands import Command
from prove.lines import kept, line, tokens
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
    without: list[Files] = field(default_factory=list)  # ... and when sessions could not be read
    queue: list[tuple[object, ...]] = field(default_factory=list)

    def may_be(self, name: str, data: bytes | None) -> bool:
        """Tell whether a file may have this content."""
        on_the_way = self.published.get(name, set())
        if name.endswith("notes/MEMORY.md"):
            # The list of the notes follows them one by one; the block is what counts.
            known = (b"- [", b"<!--", b"   ", b"#")
            return all(row.startswith(known) for row in (data or b"").splitlines() if row)
        if name.endswith(".tar.gz"):
            return data != b"torn"  # an archive without what could not be read is whole
        states = [state.get(name) for state in (self.before, self.after, *self.without)]
        if name.endswith(MADE):  # it lists the records that are there (see `_missed`), also of half a session
            return _but_records(data) in map(_but_records, [*on_the_way, *states])
        return data in on_the_way or data in states


def _but_records(data: bytes | None) -> list[bytes]:
    return [row for row in (data or b"").splitlines() if not row.startswith(b"record ")]


def snapshot(world: World) -> Files:
    """Return what somebody would miss: memory, session copies, settings; no temporary files."""
    found = {}
    for top in (world.home / "memory", world.home / "sessions", world.user, world.home / "config.yml"):
        for path in [top, *sorted(top.rglob("*"))]:
            inside = path.relative_to(world.round)
            if path.is_file() and ".tmp" not in inside.parts and not is_temporary(path.name):
                data = path.read_bytes()
                found[str(inside)] = _members(data) if path.name.endswith(".tar.gz") else data
    return found


def _members(archive: bytes) -> bytes:
    """Return what an archive holds, without its times; nothing of one that is not whole."""
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as file:
            files_ = [(each.name, (file.extractfile(each) or io.BytesIO()).read()) for each in file]
    except (OSError, EOFError, tarfile.TarError, zlib.error):
        return b"torn"
    return repr([(name, data) for name, data in files_ if "manifest" not in name]).encode()


def queue(world: World) -> list[tuple[object, ...]]:
    """Return what the queue of learning knows; its file must be whole."""
    path = world.home / "state" / "state.sqlite3"
    if not path.exists():
        return []
    with contextlib.closing(sqlite3.connect(path)) as database:
        whole = database.execute("PRAGMA integrity_check").fetchall()
        if whole != [("ok",)]:
            raise OSError(f"{path}: {whole}")
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'jobs'").fetchall():
            return []  # begun, but no more
        return database.execute(
            "SELECT kind, key, status, forced, input_watermark, success_watermark FROM jobs "
            "ORDER BY kind, key"
        ).fetchall()


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
    code, said = world.execute(command, prepare=lambda: _record(world, record))
    if code not in command.codes or command.says not in said:
        raise RuntimeError(f"{command.name} ended with {code}: {said}")
    found.after, found.queue = snapshot(world), queue(world)
    found.published = pickle.loads(record.read_bytes())  # noqa: S301 - our own child wrote it
    with world.open() as mem:
        versions = kept(mem)
    found.unkept = {
        name for name in _changed(found.before, found.after) if found.before[name] not in versions
    }
    begin(world, found)
    world.execute(command)
    if different := _differences(snapshot(world), found.after):
        raise RuntimeError(f"{command.name} does not write the same bytes twice: {different}")
    if command.learns:
        found.without = list(_without_sessions(world, found))
    return found


def _without_sessions(world: World, expected: Expected) -> Iterator[Files]:
    """Yield what the command leaves when some of its sessions cannot be read, for each set of them."""
    begin(world, expected)
    copies = sorted(path.relative_to(world.round) for path in world.home.glob("sessions/*/*"))
    for count in range(1, len(copies) + 1):
        for damaged in itertools.combinations(copies, count):
            begin(world, expected)
            for path in damaged:
                (world.round / path).write_bytes(b"damaged")
            world.execute(expected.command)
            yield {name: data for name, data in snapshot(world).items() if name.startswith("home/memory/")}


def begin(world: World, expected: Expected) -> None:
    """Bring back the memory that the command of a round starts from."""
    shutil.rmtree(world.round, ignore_errors=True)
    shutil.copytree(expected.start, world.round)


def _record(world: World, record: Path) -> None:
    """Let this process note each content that a name gets in one step, in a file when it ends."""
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
    world.at_end = lambda: record.write_bytes(pickle.dumps(dict(seen)))


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
    world: World, expected: Expected, tally: Tally, about: str, *, acknowledged: bool, index: bool = True
) -> None:
    """Check a memory whose command was interrupted, or acknowledged in spite of everything.

    `index`: also ask it questions, which is half of the work.
    """
    found = snapshot(world)
    names = sorted(set(found) | set(expected.before) | set(expected.after))
    torn = [f"{name} is neither old nor new" for name in names if not expected.may_be(name, found.get(name))]
    tally.check("no torn file", torn, about)
    try:
        queued = queue(world)
        if acknowledged:
            lost = [] if queued == expected.queue else [f"the queue has {queued}, not {expected.queue}"]
            if _differences(found, expected.after):
                # Several files are one step: whoever comes next finishes it.
                with world.open() as mem:
                    mem.context_block()
                    _catch_up(mem)
                lost += _differences(snapshot(world), expected.after)
            tally.check("no acknowledged write lost", lost, about)
        with world.open() as mem:
            tally.check("old bytes in history", _unkept(expected, found, mem), about)
            tally.check("no record is missed that nobody deleted", _missed(mem), about)
            tally.check("the block lists all notes", _unlisted(mem), about)
            if index:
                tally.check("index equals a fresh one", _index(world, mem), about)
        with world.open() as mem:
            _next_write(mem, tally, about)
            tally.check("every version reads back", _versions(mem), about)
    except (MemolithError, OSError, sqlite3.Error) as error:
        tally.check("memory opens", [repr(error)], about)


def repeat(world: World, expected: Expected, tally: Tally, about: str) -> None:
    """Run the command again: it ends as if nothing had happened."""
    command = expected.command
    CLOCK.seconds += LATER
    try:
        code, said = world.execute(command)
    finally:
        CLOCK.seconds -= LATER
    fine = (*command.codes, *command.again)
    wrong = [] if code in fine else [f"run again, it ends with {code}: {said[-200:]}"]
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
    _catch_up(mem)
    versions = kept(mem)
    return [f"the old bytes of {name} are gone" for name in gone if expected.before[name] not in versions]


def _missed(mem: Mem) -> list[str]:
    """Return the learned records that learning would believe to have been deleted by a person."""
    noted = current.read(mem).made.records
    there = {statements.key(each.body) for each in mem.records.list(archived=True)}
    return [f"the record {key} is noted and not there" for key in sorted(noted - there)]


def _catch_up(mem: Mem) -> None:
    """Do what the next writer of each scope does first."""
    for scope in [layout.USER, *layout.projects(mem.home)]:
        mem.gate.catch_up(scope)


def _unlisted(mem: Mem) -> list[str]:
    """Return where the block's list of notes is wrong, whatever the stored list says.

    It has every note but those from outside that nobody accepted.
    """
    folder, listed = mem.root / "projects" / mem.project / "notes", mem.context_block() or ""
    notes = {path.name: path.read_text() for path in folder.glob("*.md") if path.name != "MEMORY.md"}
    shown = {name: not source_label.is_outside(source_label.of_note(text)) for name, text in notes.items()}
    lines = [row for row in listed.splitlines() if row.startswith("- [") and ".md)" in row]
    gone = [row for row in lines if not any(f"({name})" in row for name in notes)]
    return [
        f"{name} is {'not listed' if wanted else 'listed, but from outside'}"
        for name, wanted in shown.items()
        if (f"({name})" in listed) != wanted
    ] + [f"{row} is listed, but there is no such note" for row in gone]


def answers(mem: Mem) -> list[list[str]]:
    """Return what a memory answers to some questions.

    By words: how many vectors there are depends on the time that making them may take.
    """
    return [[hit.source for hit in mem.recall(question, semantic=False).hits] for question in QUESTIONS]


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
    _catch_up(mem)
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
