"""Forged identities: a directory that claims to be a private project must not read or write its memory.

A forgery is put together from where it is (`PLACES`), which address it claims (`claims`), and what it has of
the project's history (`HISTORIES`, `ENDLESS`, `PACKS`); or it points into the project's own repository
(`POINTERS`), or is another real one that stands where the project was (`FORKS`). The private project itself
is made in several ways (`VICTIMS`). Most of them are scripts in `identity.txt`. Then the honest situations of
`tests/env/situations.txt` must be found as ever. Each of `BROKEN` is caught within 300 rounds.
"""

import contextlib
import itertools
import os
import random
import resource
import shutil
import signal
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

from tests.env.repos import SITUATIONS, WORD, git, places, shell, tell

from memolith import Mem
from memolith.env import folders, git_objects, identity, paths
from memolith.env import git as repository
from prove import ask
from prove.attack import packs
from prove.report import Tally
from prove.texts import parts
from prove.world import scratch

POISON = "mallory"
SECONDS = 5  # that no way to ask may take, whatever is a pipe or endless
MEGABYTES = 100  # that no way to ask may take, whatever is in a pack
EVERYBODYS = "tea at four"  # a memory for all projects: it is said wherever one works
LATE = f"not answered within {SECONDS} s"
SIGNS = ("sleeps", "feed the", "Bought a", LATE)  # of what `tell` writes, and nobody asks for
ADDRESS = "git@example.org:acme/private.git"
_SCRIPTS = parts(Path(__file__).with_suffix(".txt"))


def _of(kind: str) -> dict[str, list[str]]:
    return {name.partition(": ")[2]: rows for name, rows in _SCRIPTS.items() if name.startswith(f"{kind}: ")}


VICTIMS, HISTORIES, POINTERS, FORKS = map(_of, ("victim", "history", "pointer", "fork"))


class Victim:
    """A private project: its checkout `at`, the memory's slug, and the hash of its first commit."""

    def __init__(self, base: Path, kind: str) -> None:
        self.base, self.kind, self.at = base, kind, base / "src" / "private"
        shell(VICTIMS[kind], base, address=ADDRESS)
        self.git = self.at / ".git" if (self.at / ".git").is_dir() else self.at
        has_history = kind not in ("plain folder", "shallow")
        self.first = git(self.at, "rev-list", "--max-parents=0", "HEAD") if has_history else "0" * 40
        self.slug = tell(self.at)
        self.saved = base / "saved"  # what the project was before it was taken from its path
        if kind == "moved away":
            self.leave()

    @property
    def store(self) -> Path:
        """Where its memory is."""
        return self.base / "home" / "memory" / "projects" / self.slug

    def leave(self) -> None:
        """Take the project from its path, if it is there."""
        if self.at.exists():
            self.git = self.at.rename(self.saved) / self.git.relative_to(self.at)

    def run(self, rows: list[str], where: Path) -> None:
        """Run a script that knows the project."""
        names = {"git": self.git, "objects": self.git / "objects", "at": self.at, "first": self.first}
        names |= {"relative": Path(os.path.relpath(self.git, where))}
        urls = {"address": ADDRESS, "theirs": "https://example.org/mallory/private"}
        shell([*_SCRIPTS["functions"], *rows], where, **names, **urls)


# ---------------------------------------------------------------- what a forgery is made of


def claims(victim: Victim, rng: random.Random) -> str:
    """Return a config that claims to be the project, in one of the ways in which one can say it."""
    names = [ADDRESS, "https://example.org/acme/private", "ssh://git@EXAMPLE.org:22/acme/private.git/"]
    names += ["https://u:p@example.org/acme/private?x=1", str(victim.at), f"file://{victim.at}"]
    address = rng.choice([*names, "../../src/private", str(victim.git)])
    forms = [
        f'[remote "origin"]\n\turl = {address}\n',
        f'[remote "origin"] url = "{address}"\n',
        f"[remote.origin]\nurl={address}\n",
        f'[remote "upstream"]\n\turl = {address}\n\tpushurl = {ADDRESS}\n',
        f'[url "{address}"]\n\tinsteadOf = x:\n[remote "origin"]\n\turl = x:\n',
        f"[include]\n\tpath = {victim.git}/config\n",
        f'[core]\n\tworktree = {victim.at}\n[remote "origin"]\n\turl = {address}\n',
        "",
    ]
    return rng.choice(forms)


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _other_content(victim: Victim, fake: Path) -> None:
    text = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor a <a@b> 0 +0000\n\nx\n"
    place = fake / "objects" / victim.first[:2] / victim.first[2:]
    _put(place, zlib.compress(b"commit %d\0%b" % (len(text), text)))


def _index_only(victim: Victim, fake: Path) -> None:
    """Write a pack index that names the first commit, beside a pack of nothing."""
    name = bytes.fromhex(victim.first)
    fan = b"".join((1 if byte >= name[0] else 0).to_bytes(4, "big") for byte in range(256))
    index = b"\xfftOc\0\0\0\2" + fan + name + bytes(4) + (12).to_bytes(4, "big") + bytes(40)
    _put(fake / "objects/pack/pack-x.idx", index)
    _put(fake / "objects/pack/pack-x.pack", b"PACK\0\0\0\2\0\0\0\1" + b"\x90" + zlib.compress(b"x" * 16))


# What no shell can write.
WRITTEN = {"other content by that name": _other_content, "an index without its pack": _index_only}
_KINDS = {"pipe": "mkfifo", "device": "ln -s /dev/zero", "hole": "truncate -s 3G"}
ENDLESS = {
    f"{name} is a {kind}": [f"rm -f {name}; mkdir -p $(dirname {name}); {make} {name}"]
    for name in ("config", "HEAD", "packed-refs", "objects/info/alternates", "refs/heads/main")
    for kind, make in _KINDS.items()
}


def _hostile(shape: str, orders: str) -> Callable[[Victim, Path], None]:
    return lambda victim, fake: packs.write(fake, random.Random(str(fake)), shape, orders, victim.first)


PACKS: dict[str, Callable[[Victim, Path], None]]
PACKS = {f"{shape} of {orders}": _hostile(shape, orders) for shape in packs.SHAPES for orders in packs.ORDERS}


def _bare(fake: Path, victim: Victim, rng: random.Random, history: str) -> None:
    (fake / "objects").mkdir(parents=True)
    (fake / "refs" / "heads").mkdir(parents=True)
    # What anybody can write: that the first commit is what is checked out.
    (fake / "HEAD").write_text("ref: refs/heads/main\n" if history == "nothing" else f"{victim.first}\n")
    (fake / "config").write_text("[core]\n\trepositoryformatversion = 0\n" + claims(victim, rng))
    if history.startswith(("packed-refs", "refs/heads")):
        (fake / "HEAD").write_text("ref: refs/heads/main\n")
    made = {**WRITTEN, **PACKS}.get(history)
    if made:
        made(victim, fake)
    else:
        victim.run({**HISTORIES, **ENDLESS}[history], fake)


# Where a forged repository lies: what is made first, where one stands, and its git directory from there. The
# last takes the project's path.
PLACES = {
    "archive": ("", "got/archive", ".git"),
    "embedded": ("repo got/clone https://example.org/mallory/nice", "got/clone/docs", "."),
    "bare": ("", "got/hub", "."),
    "nested": ("repo got/outer https://example.org/mallory/nice", "got/outer/vendor/x", ".git"),
    "beside": ("mkdir -p got/around; echo gitdir: ./.bare > got/around/.git", "got/around", ".bare"),
    "at its path": ("", "src/private", ".git"),
}


def _forged(victim: Victim, rng: random.Random, place: str, history: str) -> Path:
    if place == "at its path":
        victim.leave()
    before, here, fake = PLACES[place]
    shell([before], victim.base)
    _bare(victim.base / here / fake, victim, rng, history)
    return victim.base / here


def _pointed(victim: Victim, pointer: str) -> Path:
    if pointer in FORKS:
        victim.leave()
        victim.run(FORKS[pointer], victim.base)
        return victim.at
    place = victim.at.parent if pointer.startswith("around") else victim.base / "got" / "pointing"
    place.mkdir(parents=True, exist_ok=True)
    victim.run(POINTERS[pointer], place)
    return place / "mine" if (place / "mine").exists() else place


# ---------------------------------------------------------------- asking and writing


_NUMBER = itertools.count()  # a session is told once


def _hook(event: str, place: str) -> str:
    return ask.hook(event, place, f"s-{event}-{next(_NUMBER)}", prompt=f"Where is the {WORD}?")


def _mcp(tool: str, **arguments: str) -> Callable[[str], str]:
    def way(place: str) -> str:
        with Mem.open(place) as mem:
            return str(ask.tool(mem, tool, **arguments))

    return way


def _cli(*command: str) -> Callable[[str], str]:
    return lambda place: ask.command(*command, "--project", place).said


READS: dict[str, Callable[[str], str]] = {
    "context": _cli("context"),
    "recall": _cli("recall", f"the {WORD}"),
    "search": _cli("search", WORD),
    "list": _cli("list"),
    "SessionStart": lambda place: _hook("SessionStart", place),
    "prompt": lambda place: _hook("UserPromptSubmit", place),
    "MCP recall": _mcp("memory_search", query=WORD),
    "MCP read": _mcp("memory_read", source="scratchpad"),
}
WRITES: dict[str, Callable[[str], str]] = {
    "CLI write": _cli("write", "scratchpad", f"- [ ] ask {POISON}"),
    "MCP write": _mcp("memory_write", target="daily", content=f"- {POISON} was here"),
    "hook summary": lambda place: ask.hook("PostCompact", place, "c", compact_summary=POISON),
}


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    def late(*_: object) -> None:
        raise TimeoutError(LATE)

    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def _said(way: Callable[[str], str], place: str) -> str:
    try:
        with _in_time():
            return way(place)
    except TimeoutError:
        return LATE


def _leaks(place: str) -> list[str]:
    """Return the ways by which something of the memory was seen, or that did not come back."""
    said = {name: _said(way, place) for name, way in READS.items()}
    return [
        f"{name} says {text[:300]!r}" for name, text in said.items() if any(sign in text for sign in SIGNS)
    ]


def _bytes(store: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file()}


def _megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def attack(base: Path, rng: random.Random, kind: str, form: str, place: str, tally: Tally) -> None:
    """Make a private project of a kind, then a forgery of a form (at a place), and try all ways with it."""
    victim = Victim(base, kind)
    with Mem.open(victim.at if victim.at.exists() else base) as mem:
        mem.write("long_term", f"- {EVERYBODYS}")
    here = _pointed(victim, form) if form in {**POINTERS, **FORKS} else _forged(victim, rng, place, form)
    tally.round(f"forged identity of a project that is {kind}")
    about = f"{kind}; {form}; {place}; {base.name}"
    before, peak = _bytes(victim.store), _megabytes()
    for name in ("SessionStart", "prompt"):
        said = _said(READS[name], str(here))
        tally.check("what is for all projects is said", [] if EVERYBODYS in said else [said[:300]], about)
    tally.check("nothing of a private memory is read", _leaks(str(here)), about)
    for name, way in WRITES.items():
        wrong = [name] if _said(way, str(here)) == LATE else []
        tally.check("a write is answered in time", wrong, about)
    grown = _megabytes() - peak
    tally.check("no pack fills the memory", [f"{grown} MB"] if grown > MEGABYTES else [], about)
    changed = [] if _bytes(victim.store) == before else ["its files are not as they were"]
    tally.check("nothing is written into a private memory", changed, about)
    if place == "embedded" and form not in {**POINTERS, **FORKS}:
        root = Mem.open(here).identity.root
        outside = [] if root == str(here.parent) else [f"it is a project of its own: {root}"]
        tally.check("an embedded repository belongs to the one around it", outside, about)


def _honest(base: Path, situation: str, tally: Tally) -> None:
    """Find the memory in an honest situation, by the hook too."""
    found = places(situation, base)
    written = tell(next(found))
    there = next(found)
    with Mem.open(there) as mem:
        missed = [] if mem.project == written and WORD in (mem.context_block() or "") else ["block"]
        missed += [] if mem.recall(f"the {WORD}") else ["recall"]
    with contextlib.chdir(there):  # JSON has no words for a path that is not UTF-8
        missed += [] if WORD in _hook("SessionStart", "") else ["hook"]
    tally.round("honest situation")
    tally.check("an honest checkout finds its memory", missed, situation)


def run(rounds: int, rng: random.Random, tally: Tally) -> Iterator[None]:
    """Forge `rounds` identities; go through the honest situations once, or as many as there are rounds.

    What points at a project is tried with each kind of project in turn: few are caught by the same check.
    """
    names = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org", "GIT_CONFIG_NOSYSTEM": "1"}
    names |= {"GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org"}
    names |= {"MEMOLITH_SEMANTIC_PROVIDER": "none", "MEMOLITH_HOOKS_SESSIONS": "false"}
    honest = SITUATIONS["together"]
    pointing = itertools.cycle(rng.sample(_POINTING, len(_POINTING)))
    # Some are known by the number of their directory, which only a disk does not give to another one later.
    with scratch() as base, tempfile.TemporaryDirectory(prefix="prove-") as disk:
        for number in range(rounds + min(rounds, len(honest))):
            above = base if number < rounds else Path(disk)
            world = above / str(number)
            world.mkdir()
            around = {
                "MEMOLITH_HOME": world / "home",
                "GIT_CEILING_DIRECTORIES": above,
                "HOME": base / "user",
            }
            with mock.patch.dict(os.environ, names | {name: str(at) for name, at in around.items()}):
                if number >= rounds:
                    _honest(world, honest[number - rounds], tally)
                elif number % 3:
                    forms = [*HISTORIES, *WRITTEN, rng.choice(list(ENDLESS)), *rng.sample(list(PACKS), 4)]
                    kind, form, place = (rng.choice(list(each)) for each in (VICTIMS, forms, PLACES))
                    attack(world, rng, kind, form, place, tally)
                else:
                    kind, form = next(pointing)
                    attack(world, rng, kind, form, "", tally)
            shutil.rmtree(world)
            yield


# ---------------------------------------------------------------- versions that are wrong on purpose


def _trusting(directory: str, file: str) -> repository.Checkout:
    found = repository._pointer(file)
    common = repository._first_line(os.path.join(found, "commondir")) if found else ""
    found = os.path.realpath(os.path.join(found, common)) if common else found
    main = os.path.dirname(found) if common else directory
    return repository.Checkout(main, found, directory)


def _bare_anywhere(directory: str) -> repository.Checkout | None:
    is_bare = repository._is_bare(directory)
    return repository.Checkout(directory, directory, directory) if is_bare else _FIND(directory)


_POINTING = [(kind, form) for kind in VICTIMS for form in (*POINTERS, *FORKS)]
_FIND = repository.find
_FOLLOWING = ~os.O_NOFOLLOW


@contextlib.contextmanager
def _links_followed() -> Iterator[None]:
    directories = mock.patch.object(folders, "_OPEN_DIRECTORY", folders._OPEN_DIRECTORY & _FOLLOWING)
    with directories, mock.patch.object(paths, "_OPEN_READ", paths._OPEN_READ & _FOLLOWING):
        yield


BROKEN = (
    mock.patch.object(identity, "_proved", return_value=True),  # an origin alone is trusted
    mock.patch.object(identity, "is_same", return_value=True),  # a path alone is trusted
    mock.patch.object(repository, "_linked", _trusting),  # the way back is not checked
    mock.patch.object(git_objects, "_named", return_value=mock.ANY),  # the hash is not checked
    mock.patch.object(git_objects.Commits, "reaches", return_value=True),  # any object at all will do
    mock.patch.multiple(git_objects, monotonic=lambda: 0.0, _MAX_HELD=1 << 40),  # no pack is too much
    mock.patch.object(
        repository, "_is_hidden_in", lambda at, git: git.startswith(at)
    ),  # all below is its own
    mock.patch.object(repository, "_ours", lambda checkout, *_: checkout),  # the owner is not looked at
    mock.patch.object(repository, "find", _bare_anywhere),  # what looks bare is a repository
    _links_followed,
)
